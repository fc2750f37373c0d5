/**
 * A tool round on Deno: `npm run example scripts/deno`, or with your own key `deno run --allow-net --allow-env examples/scripts/deno.mjs`.
 */
import { stream, t, tool } from 'isoglot'
import { openaiChat } from 'isoglot/openai-chat'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string('Name of the city') }),
  execute: ({ city }) => `25 °C and sunny in ${city}`,
})

const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl } = Deno.env.toObject()
const model = openaiChat('gpt-5-mini', { apiKey, baseUrl })
const run = stream({ model, prompt: Deno.args[0] ?? 'What is the weather in Tokyo?', tools: [weather] })
for await (const event of run) {
  if (event.type === 'tool_call') console.log(`${event.call.name} ${event.call.argumentsText}`)
  if (event.type === 'text_delta') Deno.stdout.writeSync(new TextEncoder().encode(event.text))
}
console.log()
