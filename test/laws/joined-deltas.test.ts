/** On every wire: what a client joins from the deltas of a stream is what the answer says, and what the stream says of it once more. */
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../src/core/codec.ts'
import { blocksOfTurn, invalidCall } from '../../src/core/content.ts'
import type { AssistantMessage, ChatResponse, MessageEvent, TextBlock } from '../../src/core/messages.ts'
import { toolCall } from '../../src/messages/block.ts'
import { facts } from '../formats/index.ts'
import { wires as formatNames, type Wire } from '../support/answers.ts'
import { casesOf } from '../support/corpus.ts'
import { decodeChunks, decodeText } from '../support/decode.ts'
import { toFrames } from '../support/encode.ts'
import { type Format, formats } from '../support/formats.ts'
import { joinDeltas, type Said } from '../support/joined.ts'
import { wires } from '../support/wires.ts'

const servers = formatNames.map((name) => {
  const { server } = formats.find(({ client }) => client.name === name) as Format
  return { name, server }
})

/** An answer in the form of {@link Said}. Wires without refusals have them as text. */
function expected(wire: Wire, { message }: ChatResponse) {
  const blocks = blocksOfTurn(message)
  const isApart = !facts[wire].answers.rules.includes('refusal mark')
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block] : []))
  const join = (found: readonly { text: string }[]) => found.map(({ text }) => text).join('')
  return {
    text: join(texts.filter(({ refusal }) => !refusal || !isApart)),
    refusal: join(texts.filter(({ refusal }) => refusal && isApart)),
    reasoning: join(blocks.flatMap((block) => (block.type === 'reasoning' ? [block] : []))),
    calls: blocks.flatMap((block) => (block.type === 'tool_call' ? [{ name: block.name, args: block.arguments }] : [])),
  }
}

/** Without invalid calls, whose text no client can parse. */
function joinedCalls({ calls }: Said, { message }: ChatResponse) {
  const invalid = new Set((message.invalidToolCalls ?? []).map(({ argumentsText }) => argumentsText))
  const valid = [...calls.values()].filter(({ text }) => !invalid.has(text))
  return valid.map(({ name, text }) => ({ name, args: JSON.parse(text || '{}') }))
}

function check(server: (typeof servers)[number], events: readonly MessageEvent[], response: ChatResponse, id: string) {
  const joined = joinDeltas(server.name as Wire, toFrames(server.server.encodeStream(), events))
  if (joined === undefined) return
  const { text, refusal, reasoning } = joined.said
  const calls = inOrder(joinedCalls(joined.said, response))
  expect({ id, differences: joined.differences }).toEqual({ id, differences: [] })
  const said = expected(server.name, response)
  expect({ id, text, refusal, reasoning, calls }).toEqual({ id, ...said, calls: inOrder(said.calls) })
}

/** Of calls that are open side by side, the one whose arguments come first begins first. */
function inOrder<Call>(calls: readonly Call[]): readonly Call[] {
  return calls.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}

describe.each(servers)('a stream in the wire $name', (server) => {
  const recorded = formats.map((format) => ({ folder: format.folder, format }))
  it.each(recorded)('joins to what the answer says, of every recording of $folder', ({ format }) => {
    const streams = casesOf(format.folder).filter(({ kind }) => kind !== 'json')
    let compared = 0
    for (const one of streams) {
      const { events, response } = decodeChunks(format.client, [one.bytes])
      if (response === undefined) continue
      check(server, events, response, one.id)
      compared++
    }
    expect(compared > 0 || streams.length === 0).toBe(true)
  })

  it.each(wires)('joins to what a stream of $name says', (wire) => {
    const { codec } = wire.model('http://localhost')
    const streams = [
      wire.text('Hel', 'lo', ' <b>&amp;"\\\n'),
      wire.calls(['a', 'f', '{"a":1}']),
      wire.calls(['a', 'f', '{"a":1}'], ['b', 'g', '{"b": [1, {"c": "}"}]}'], ['c', 'h', '{}']),
      wire.calls(['a', 'f', 'null'], ['b', 'g', '{ "b": 1 }']),
      wire.cutAtLength(['a', 'f', '{"a":1}'], ['b', 'g', '{"b":']),
    ]
    for (const [at, pieces] of streams.entries()) {
      const { events, response, error } = decodeText(codec, pieces.join(''))
      expect(error).toBeUndefined()
      check(server, events, response as ChatResponse, `${wire.name} ${at}`)
    }
  })

  it.each([
    ['as they are', () => true],
    ['without the beginning', ({ type }: MessageEvent) => type !== 'message_start'],
  ])('joins to what events say that a program wrote itself, %s', (_, isIn) => {
    check(server, written.filter(isIn), response, 'written')
  })

  it.each([
    ['with', '{"a":'],
    ['without', ''],
  ])('writes an invalid call of no tool as it is, or reports its loss, %s arguments', (_, argumentsText) => {
    const invalid = invalidCall({ id: 'call_1', name: undefined, index: 0, argumentsText }, 'truncated', 'cut off')
    const cut: AssistantMessage = { role: 'assistant', content: [], invalidToolCalls: [invalid], stopReason: 'length' }
    const encoder = server.server.encodeStream()
    const frames: Frame[] = []
    for (const event of [
      { type: 'message_start' },
      { type: 'invalid_tool_call', index: 0, call: invalid },
      { type: 'message_end', message: cut, response: { message: cut, stopReason: 'length' } },
    ] as const)
      encoder.push(event, frames)
    const isWritten = argumentsText !== '' && JSON.stringify(frames).includes('a\\\\\\":')
    expect(isWritten || encoder.losses.some(({ path }) => path.includes('invalidToolCalls'))).toBe(true)
  })
})

// Encoders write the fields that all events share only once, as text, so no value may reach that text without its escapes.
describe.each(servers)('a stream in the wire $name', (server) => {
  it.each(['"', '\\', '\\"', '"},"delta":{"content":"', '}]}\n\ndata: {}', '\r\n\u2028', '\0', '\ud83d', '$1$&'])(
    'keeps %j as text, as reasoning, as arguments, as an id and as the name of a model',
    (odd) => {
      const reasoning = { type: 'reasoning', text: `${odd}a` } as const
      const text = { type: 'text', text: `${odd}b` } as const
      const odder = toolCall('call_1', 'f', { [odd]: odd })
      const said: AssistantMessage = {
        role: 'assistant',
        content: [reasoning, text, odder],
        stopReason: 'tool_calls',
        response: { id: odd, model: odd },
      }
      const whole: ChatResponse = { message: said, stopReason: 'tool_calls' }
      const events: readonly MessageEvent[] = [
        { type: 'message_start', id: odd, model: odd },
        { type: 'reasoning_delta', index: 0, text: odd },
        { type: 'reasoning_delta', index: 0, text: 'a' },
        { type: 'content_block', index: 0, block: reasoning },
        { type: 'text_delta', index: 1, text: odd },
        { type: 'text_delta', index: 1, text: 'b' },
        { type: 'content_block', index: 1, block: text },
        ...pieces(odder),
        { type: 'tool_call', index: 2, call: odder },
        { type: 'message_end', message: said, response: whole },
      ]
      check(server, events, whole, odd)
      const frames = toFrames(server.server.encodeStream(), events).filter(({ data }) => data !== '[DONE]')
      const names = frames.flatMap(({ data }) => namesIn(JSON.parse(data)))
      expect(new Set(names)).toEqual(new Set(names.length > 0 ? [odd] : []))
    },
  )
})

/** The pieces of a call, one for each character of its arguments. */
function pieces({ id, name, argumentsText }: ReturnType<typeof toolCall>): MessageEvent[] {
  return [...argumentsText].map((argumentsDelta) => ({
    type: 'tool_call_chunk',
    index: 2,
    chunk: { type: 'tool_call_chunk', id, name, index: 0, argumentsDelta },
  }))
}

/** The names of models in an event. */
function namesIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, entry]) =>
    /^model(?:Version)?$/.test(key) && typeof entry === 'string' ? [entry] : namesIn(entry),
  )
}

const texts: readonly TextBlock[] = [
  { type: 'text', text: 'Hello' },
  { type: 'text', text: ' there' },
]
const call = toolCall('call_1', 'f', { a: 1 })
const message: AssistantMessage = { role: 'assistant', content: [...texts, call], stopReason: 'tool_calls' }
const response: ChatResponse = { message, stopReason: 'tool_calls' }
const written: readonly MessageEvent[] = [
  { type: 'message_start' },
  ...texts.flatMap((block, index): MessageEvent[] => [
    { type: 'text_delta', index, text: block.text.slice(0, 3) },
    { type: 'text_delta', index, text: block.text.slice(3) },
    { type: 'content_block', index, block },
  ]),
  { type: 'tool_call', index: texts.length, call },
  { type: 'message_end', message, response },
]
