/** Providers cache the beginning of a prompt, to the byte: the body of a longer conversation begins with the body of the shorter one. */
import { describe, expect, it } from 'vitest'
import type { Context, Message, ToolDefinition } from '../../src/core/messages.ts'
import { block } from '../../src/messages/block.ts'
import { formats } from '../support/formats.ts'

const tools: ToolDefinition[] = [
  { name: 'get_weather', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
  { name: 'get_time', parameters: { type: 'object', properties: { zone: { type: 'string' } } } },
]
const call = (id: string, city: string, index: number) => block.toolCall(id, 'get_weather', { city }, { index })
const conversation: Message[] = [
  { role: 'user', content: 'Weather in Tokyo and Paris?' },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Two cities' },
      { type: 'text', text: 'Let me look' },
      call('call_1', 'Tokyo', 0),
      call('call_2', 'Paris', 1),
    ],
  },
  { role: 'tool', toolCallId: 'call_1', name: 'get_weather', content: 'sunny' },
  { role: 'tool', toolCallId: 'call_2', name: 'get_weather', content: 'rain' },
  { role: 'assistant', content: 'Sunny in Tokyo, rain in Paris' },
  { role: 'user', content: [{ type: 'text', text: 'And in London?' }] },
  { role: 'assistant', content: [call('call_3', 'London', 0)] },
  { role: 'tool', toolCallId: 'call_3', name: 'get_weather', content: 'fog' },
  { role: 'assistant', content: [{ type: 'text', text: 'Fog' }] },
  { role: 'user', content: 'Thanks' },
]
/** Where a turn is whole, so that a request may be made. */
const turns = [1, 4, 6, 8, 10]

/** The names of models that a wire treats in ways of their own. */
const models: Readonly<Record<string, readonly string[]>> = {
  gemini: ['m', 'gemini-3-pro'],
  anthropic: ['m', 'claude-sonnet-4-5', 'claude-opus-4-8'],
}
const cases = formats.flatMap((format) => (models[format.folder] ?? ['m']).map((model) => ({ ...format, model })))

describe.each(cases)('a conversation that grows, on $folder with $model', ({ client, model }) => {
  const bodyOf = (length: number) => {
    const context: Context = { system: 'Be brief', messages: conversation.slice(0, length), tools }
    return client.encodeRequest(context, { model, maxTokens: 100, strict: false }).body as object
  }

  /** The list that grows, and the JSON of the body around it. */
  function partsOf(body: object) {
    const list = Object.keys(body).find((key) => ['messages', 'input', 'contents'].includes(key)) ?? expect.fail()
    return { turns: JSON.stringify(body[list as never]), rest: JSON.stringify({ ...body, [list]: [] }) }
  }

  it.each(turns.slice(1).map((length, at) => [turns[at] as number, length]))(
    'only appends from %i messages to %i',
    (before, after) => {
      const [shorter, longer] = [partsOf(bodyOf(before)), partsOf(bodyOf(after))]
      expect(longer.rest).toBe(shorter.rest)
      // More may be said in the last turn, so what closes it does not count.
      const open = shorter.turns.replace(/[\]}]+$/, '')
      expect(longer.turns.slice(0, open.length)).toBe(open)
    },
  )

  it('is the same to the byte when it is encoded again', () => {
    expect(JSON.stringify(bodyOf(conversation.length))).toBe(JSON.stringify(bodyOf(conversation.length)))
  })
})
