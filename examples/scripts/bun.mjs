/** A tool round on Bun: `npm run example scripts/bun`, or with your own key `bun examples/scripts/bun.mjs`. */
import { stream, t, tool } from 'isoglot'
import { openaiChat } from 'isoglot/openai-chat'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string('Name of the city') }),
  execute: ({ city }) => `25 °C and sunny in ${city}`,
})

const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = Bun.env
const model = openaiChat('gpt-5-mini', { apiKey, baseUrl })
const run = stream({ model, prompt: Bun.argv[2] ?? 'What is the weather in Tokyo?', tools: [weather] })
for await (const event of run) {
  if (event.type === 'tool_call') console.log(`${event.call.name} ${event.call.argumentsText}`)
  if (event.type === 'text_delta') process.stdout.write(event.text)
}
console.log()
