/** The tools of the model. Both sides import this: the server offers the tools, and the page runs them. */
import { t, tool } from 'isoglot'

export const setTheme = tool({
  name: 'set_theme',
  description: 'Makes the page dark or light',
  parameters: t.object({ dark: t.boolean() }),
})

export const localWeather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string('Name of the city') }),
})
