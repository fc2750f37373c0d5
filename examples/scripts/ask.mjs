/** A tool round, the same on Node, Deno and Bun. Without OPENAI_API_KEY, the answers are those written here. */
import { stream, t, tool } from 'isoglot'
import { openaiChat } from 'isoglot/openai-chat'
import { call, mockModel } from 'isoglot/test'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string('Name of the city') }),
  execute: ({ city }) => `25 °C and sunny in ${city}`,
})

const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = process.env
const offline = mockModel([
  { calls: [call('get_weather', { city: 'Tokyo' })] },
  'It is 25 °C and sunny in Tokyo. Set OPENAI_API_KEY for an answer of a model.',
])
const model = apiKey ? openaiChat('gpt-5-mini', { apiKey, baseUrl }) : offline

const run = stream({ model, prompt: process.argv[2] ?? 'What is the weather in Tokyo?', tools: [weather] })
for await (const event of run) {
  if (event.type === 'tool_call') console.log(`${event.call.name} ${event.call.argumentsText}`)
  if (event.type === 'text_delta') process.stdout.write(event.text)
}
console.log()
