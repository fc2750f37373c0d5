/** Tools that run in the page. The weather is invented; the time is real. Each is complete by itself, since "View code" shows it. */
import { tool } from './isoglot/index.js'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string', description: 'Name of the city, such as Tokyo' } },
    required: ['city'],
    additionalProperties: false,
  },
  async execute({ city }) {
    const name = String(city)
    const skies = ['sunny', 'cloudy', 'light rain', 'clear', 'windy']
    const seed = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0)
    await new Promise((resolve) => setTimeout(resolve, 400))
    return `${name}: ${10 + (seed % 20)} °C, ${skies[seed % skies.length]}`
  },
})

const time = tool({
  name: 'get_time',
  description: 'Current time in a time zone',
  parameters: {
    type: 'object',
    properties: { timeZone: { type: 'string', description: 'IANA name, such as Asia/Tokyo' } },
    required: ['timeZone'],
    additionalProperties: false,
  },
  execute: ({ timeZone }) => new Date().toLocaleString('en', { timeZone: String(timeZone), timeZoneName: 'short' }),
})

export const tools = [weather, time]
