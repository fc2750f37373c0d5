/** One round: the model calls the tool, the tool runs, and the model answers with the result. */
import { stream, t, tool } from 'isoglot'
import { chooseModel } from './model.mjs'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string('Name of the city') }),
  execute: ({ city }) => `25 °C and sunny in ${city}`,
})

const { model, stop } = await chooseModel()
const run = stream({ model, prompt: 'What is the weather in Tokyo?', tools: [weather] })
for await (const event of run) {
  if (event.type === 'tool_call') console.log(`-> ${event.call.name}(${event.call.argumentsText})`)
  if (event.type === 'tool_result') console.log(`<- ${event.result.content}`)
  if (event.type === 'text_delta') process.stdout.write(event.text)
}
const { rounds, usage } = await run.response
console.log(
  `\n${rounds} rounds, ${usage?.totalTokens ?? (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)} tokens`,
)
await stop()
