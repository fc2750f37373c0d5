/** A tool for the pages. The weather is invented. */
import { t, tool } from 'isoglot'

export const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string('Name of the city') }),
  execute: ({ city }) => `25 °C and sunny in ${city}`,
})
