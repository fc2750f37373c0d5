/** A tool round on Node: `npm run example scripts/node`, or with your own key `node examples/scripts/node.mjs "Weather in Oslo?"`. */
import { stream, t, tool } from 'isoglot'
import { openaiChat } from 'isoglot/openai-chat'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string('Name of the city') }),
  execute: ({ city }) => `25 °C and sunny in ${city}`,
})

const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = process.env
const model = openaiChat('gpt-5-mini', { apiKey, baseUrl })
const run = stream({ model, prompt: process.argv[2] ?? 'What is the weather in Tokyo?', tools: [weather] })
for await (const event of run) {
  if (event.type === 'tool_call') console.log(`${event.call.name} ${event.call.argumentsText}`)
  if (event.type === 'text_delta') process.stdout.write(event.text)
}
console.log()
