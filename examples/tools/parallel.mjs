/** Two calls of one turn run at the same time; their results go back in the model's order. */
import { setTimeout as sleep } from 'node:timers/promises'
import { stream, t, tool } from 'isoglot'
import { chooseModel } from './model.mjs'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string('Name of the city') }),
  async execute({ city }, { progress, signal }) {
    progress('asking the station')
    await sleep(city === 'Tokyo' ? 300 : 50, undefined, { signal })
    return `25 °C in ${city}`
  },
})

const { model, stop } = await chooseModel()
const run = stream({ model, prompt: 'Compare the weather in Tokyo and Paris', tools: [weather] })
for await (const event of run) {
  if (event.type === 'tool_start') console.log(`start    ${event.call.argumentsText}`)
  if (event.type === 'tool_progress') console.log(`progress ${event.data}`)
  if (event.type === 'tool_result') console.log(`result   ${event.result.content}`)
}
const { messages } = await run.response
for (const message of messages) if (message.role === 'tool') console.log(`sent     ${message.content}`)
await stop()
