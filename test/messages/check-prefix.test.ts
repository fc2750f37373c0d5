import { describe, expect, it } from 'vitest'
import type { Context, Message, ToolDefinition } from '../../src/core/messages.ts'
import { block } from '../../src/messages/block.ts'
import { checkPrefix } from '../support/check-prefix.ts'
import { formats } from '../support/formats.ts'

describe('checking a prefix', () => {
  const one = { model: 'm', tools: [{ name: 'a' }], messages: [{ role: 'user', content: 'Hi' }] }

  it('finds nothing where the second only appends', () => {
    expect(
      checkPrefix(one, { ...one, messages: [...one.messages, { role: 'assistant', content: 'Hello' }] }),
    ).toBeUndefined()
  })
  it('lets the last turn grow, and cache marks move', () => {
    const blocks = (...texts: string[]) => ({ messages: [{ role: 'user', content: texts.map((text) => ({ text })) }] })
    expect(checkPrefix(blocks('a'), blocks('a', 'b'))).toBeUndefined()
    const marked = { messages: [{ role: 'user', content: [{ text: 'a', cache_control: { type: 'ephemeral' } }] }] }
    expect(checkPrefix(marked, blocks('a', 'b'))).toBeUndefined()
  })
  it.each([
    ['a tool that changed', { ...one, tools: [{ name: 'b' }] }, { path: 'tools', offset: 10 }],
    [
      'a message that changed',
      { ...one, messages: [{ role: 'user', content: 'Ho' }, 1] },
      { path: 'messages[0]', offset: 27 },
    ],
    ['a message that is gone', { ...one, messages: [] }, { path: 'messages[0]', offset: 0, after: '' }],
    ['a field that is new', { ...one, temperature: 1 }, { path: 'temperature', offset: 0 }],
    [
      'another order of fields',
      { tools: one.tools, model: 'm', messages: one.messages },
      { path: 'the order of keys' },
    ],
  ])('reports the place of %s', (_what, other, found) => expect(checkPrefix(one, other)).toMatchObject(found))
})

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
const cases = formats.flatMap((format) =>
  (
    ({ gemini: ['m', 'gemini-3-pro'], anthropic: ['m', 'claude-sonnet-4-5', 'claude-opus-4-8'] })[format.folder] ?? [
      'm',
    ]
  ).map((model) => ({ ...format, model })),
)

describe.each(cases)('a conversation that grows, on $folder with $model', ({ client, model }) => {
  const bodyOf = (length: number) => {
    const context: Context = { system: 'Be brief', messages: conversation.slice(0, length), tools }
    return client.encodeRequest(context, { model, maxTokens: 100, strict: false }).body
  }

  it.each(turns.slice(1).map((length, at) => [turns[at] as number, length]))(
    'only appends from %i messages to %i',
    (before, after) => {
      expect(checkPrefix(bodyOf(before), bodyOf(after))).toBeUndefined()
    },
  )

  it('is the same to the byte when it is encoded again', () => {
    expect(JSON.stringify(bodyOf(conversation.length))).toBe(JSON.stringify(bodyOf(conversation.length)))
  })
})
