/** The cost of typed tools for the compiler, and how it words a mistake. */
import { expect, it } from 'vitest'
import { compile, instantiations, programOf } from './compile.ts'

/** How many instantiations a tool may cost: its schema, the tool itself, and a stream whose events narrow by its name. */
const most = 350

it('a run costs the compiler a fixed amount for each of its tools', () => {
  expect((instantiations(programOf(51)) - instantiations(programOf(1))) / 50).toBeLessThan(most)
})

it('a mistake is named in one line', () => {
  const { problems } = compile(`import { createChatStore, fetchTransport } from '../src/chat/index.ts'
import { type Model, stream, t, tool } from '../src/index.ts'
declare const model: Model
const weather = tool({ name: 'get_weather', parameters: t.object({ city: t.string() }), execute: () => 25 })
const theme = tool({ name: 'set_theme', parameters: t.object({ dark: t.boolean() }) })
const tools = [weather, theme]
for await (const event of stream({ model, prompt: 'Hello', tools })) {
  if (event.type === 'tool_call' && event.call.name === 'get_weather') event.call.arguments.town
  if (event.type === 'tool_call' && event.call.name === 'get_wether') event.call
  if (event.type === 'tool_result' && event.result.name === 'get_weather') event.result.value?.length
}
for (const call of createChatStore<typeof tools>({ transport: fetchTransport() }).getSnapshot().pending) {
  if (call.name === 'set_theme') call.arguments.drak
}`)
  expect(problems).toEqual([
    "8: Property 'town' does not exist on type '{ city: string; }'.",
    `9: This comparison appears to be unintentional because the types '"get_weather" | "set_theme"' and '"get_wether"' have no overlap.`,
    "10: Property 'length' does not exist on type 'number'.",
    "13: Property 'drak' does not exist on type '{ dark: boolean; }'.",
  ])
})
