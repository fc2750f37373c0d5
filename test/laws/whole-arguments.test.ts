/**
 * On wires that send the arguments of a call as an object: the call has their text as it was sent, and the text means the same as the
 * arguments. The events are written here, with spaces, escapes, fields of the same name in other places, and any number of calls.
 */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ToolCall } from '../../src/core/messages.ts'
import { gemini } from '../../src/formats/gemini/index.ts'
import { ollama } from '../../src/formats/ollama/index.ts'
import { decodeText } from '../support/decode.ts'
import { expectHolds } from '../support/properties.ts'

/** How an event is written: the white space at each place, and which names have a letter as an escape. Both begin again at their end. */
interface Hand {
  readonly spaces: readonly string[]
  readonly escapes: readonly boolean[]
}

const plainHand: Hand = { spaces: [''], escapes: [false] }

function write(value: unknown, { spaces, escapes }: Hand): string {
  let [places, names] = [0, 0]
  const space = () => spaces[places++ % spaces.length]
  const nameOf = (key: string) => {
    const text = JSON.stringify(key)
    return key.length > 1 && escapes[names++ % escapes.length] ? text.replace(/(?<!\\)a/, '\\u0061') : text
  }
  const textOf = (one: unknown): string => {
    if (typeof one !== 'object' || one === null) return JSON.stringify(one)
    if (Array.isArray(one)) return `[${space()}${one.map(textOf).join(`${space()},${space()}`)}${space()}]`
    const fields = Object.entries(one).map(([key, item]) => `${nameOf(key)}${space()}:${space()}${textOf(item)}`)
    return `{${space()}${fields.join(`${space()},${space()}`)}${space()}}`
  }
  return textOf(value)
}

interface Wire {
  readonly field: string
  /** The event of a stream with these calls, after some other fields. */
  event(calls: readonly object[], others: object, hand: Hand): string
  decode(events: string): ReturnType<typeof decodeText>
}

const wires: Readonly<Record<string, Wire>> = {
  gemini: {
    field: 'args',
    event(calls, others, hand) {
      const parts = calls.map((args) => ({ functionCall: { name: 'f', args } }))
      const content = { role: 'model', parts: [{ text: 'so "args": {', thought: true }, ...parts] }
      return write({ ...others, candidates: [{ content, finishReason: 'STOP', index: 0 }] }, hand)
    },
    decode: (event) => decodeText(gemini('m').codec, `data: ${event}\n\n`),
  },
  ollama: {
    field: 'arguments',
    event(calls, others, hand) {
      const tool_calls = calls.map((args) => ({ function: { name: 'f', arguments: args } }))
      const message = { role: 'assistant', content: 'so "arguments": {', tool_calls }
      return write({ model: 'm', ...others, message, done: true, done_reason: 'stop' }, hand)
    },
    decode: (event) => decodeText(ollama('m').codec, `${event}\n`),
  },
}

/**
 * V8 13.6 (Node 24) reads some names of one character wrong if they are written as an escape: after `{"b":1,"\\":2}`, it reads the second name
 * of `{"b":1,"\u0061":2}` as a backslash. So no name is like that.
 */
const name = fc
  .oneof(fc.constantFrom('args', 'arguments', 'a"args', '""', '\\\\', '"args":', 'ä'), fc.string())
  .filter((key) => key.length !== 1 || JSON.stringify(key).length === 3)
const args = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('args'),
  ),
  list: fc.array(tie('value'), { maxLength: 3 }),
  args: fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
})).args as fc.Arbitrary<object>
const hand = fc.record({
  spaces: fc.array(fc.constantFrom('', ' ', '\t '), { minLength: 1, maxLength: 5 }),
  escapes: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
})
const others = fc.constantFrom({}, { x: { args: { a: 1 } } }, { x: { arguments: {} } }, { 'x"args': {} })

const parse = (text: string) => JSON.parse(text || '{}')

describe.each(Object.entries(wires))('%s', (_, { field, event, decode }) => {
  const callsOf = (text: string) => decode(text).response?.message.content as readonly ToolCall[]

  it('has a text of the same meaning, however the event is written', () => {
    expectHolds(
      fc.property(fc.array(args, { minLength: 1, maxLength: 3 }), others, hand, (given, more, by) => {
        const calls = callsOf(event(given, more, by)).filter(({ type }) => type === 'tool_call')
        const sent = JSON.parse(JSON.stringify(given))
        return (
          isDeepStrictEqual(
            calls.map((call) => call.arguments),
            sent,
          ) &&
          isDeepStrictEqual(
            calls.map(({ argumentsText }) => parse(argumentsText)),
            sent,
          )
        )
      }),
      { numRuns: 2000 },
    )
  })

  it('has the text that was sent, to the last digit', () => {
    const texts = ['{"id":12345678901234567890}', '{ "n": 1.0, "t": "\\u00e9" }', `{"${field}":{"${field}":"}\\"{"}}`]
    const ids = texts.map((_, at) => at + 1_000_001)
    let text = event(
      ids.map((id) => ({ id })),
      {},
      plainHand,
    )
    for (const [at, id] of ids.entries()) text = text.replace(`{"id":${id}}`, () => texts[at] as string)
    const calls = callsOf(text).filter(({ type }) => type === 'tool_call')
    expect(calls.map(({ argumentsText }) => argumentsText)).toEqual(texts)
  })

  it.each([
    [64, 'tool_call'],
    [65, 'invalid_tool_call'],
  ])('takes %i levels as %s', (levels, type) => {
    const deep = JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`)
    const { events } = decode(event([deep, {}], {}, plainHand))
    const ended = events.flatMap((one) => ('call' in one ? [one.call.type] : []))
    expect(ended).toEqual([type, 'tool_call'])
  })
})
