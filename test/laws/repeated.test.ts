/**
 * However a provider changes the marks of an item that it sends again, each call runs at most once, with its own arguments, and each text and
 * each thought is in the answer once. The same holds for a client of a gateway. If a stream cannot be understood, its calls are invalid, and
 * the error says why.
 */
import { describe, expect, it } from 'vitest'
import { assemble } from '../../src/assemble/assemble.ts'
import type { ClientCodec, Fragment, Frame } from '../../src/core/codec.ts'
import { blocksOf } from '../../src/core/content.ts'
import type { AssistantMessage, MessageEvent } from '../../src/core/messages.ts'
import { formats } from '../../src/test/formats.ts'
import { facts } from '../formats/index.ts'
import { type Wire, wires } from '../support/answers.ts'
import { cutsTimeout, inTurn } from '../support/cuts.ts'
import { toFrames } from '../support/encode.ts'
import { joinDeltas, type Said } from '../support/joined.ts'
import {
  type CallWay,
  callWays,
  type Made,
  type MadeCall,
  tellers,
  told,
  toldCalls,
  type Way,
  waysOf,
} from '../support/repeated.ts'

interface Answer {
  readonly message: AssistantMessage
  readonly events: readonly MessageEvent[]
}

function decode({ decodeStream, idPrefix, provider }: ClientCodec, frames: readonly Frame[], request?: object): Answer {
  const state = assemble.start({ idPrefix, provider })
  const decoder = decodeStream({ request })
  const events: MessageEvent[] = []
  const take = (read: (out: Fragment[]) => void) => {
    const out: Fragment[] = []
    read(out)
    for (const fragment of out) assemble.step(state, fragment, events)
  }
  for (const frame of frames) take((out) => decoder.push(frame, out))
  take((out) => decoder.end(out))
  assemble.end(state, events)
  return { events, message: (events.at(-1) as MessageEvent & { type: 'message_end' }).message }
}

/** The value of JSON; `undefined` for other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The tools that the caller has: a call of another one runs nothing. */
const tools: ReadonlySet<string | undefined> = new Set(['pay', 'ask', 'run'])

type Ran = readonly [name: string, given: unknown]
const inShort = ([name, given]: Ran) => `${name}(${JSON.stringify(given)})`

/** `wrong` has the calls that ran without being made, or twice; `rest` has those that did not run. */
function judge(made: readonly Ran[], ran: readonly Ran[]): { readonly wrong: string[]; readonly rest: string[] } {
  const rest = made.map(inShort)
  const own = ran.filter(([name]) => tools.has(name))
  const wrong = own.map(inShort).filter((call) => {
    const at = rest.indexOf(call)
    if (at >= 0) rest.splice(at, 1)
    return at < 0
  })
  return { wrong, rest }
}

/** Faults of the calls of an answer, if `mustRun` says whether all can be understood. */
function faultsOfCalls(made: readonly Ran[], { message, events }: Answer, mustRun: boolean): string[] {
  const calls = blocksOf(message.content).flatMap((block) => (block.type === 'tool_call' ? [block] : []))
  const { invalidToolCalls: invalid = [] } = message
  const { wrong, rest } = judge(
    made,
    calls.map((call): Ran => [call.name, call.arguments]),
  )
  const faults = wrong.map((call) => `${call} runs, which the model did not make, or made once`)
  if (mustRun) faults.push(...rest.map((call) => `${call} does not run`))
  if (rest.length > 0 && invalid.length === 0) faults.push(`${rest} is lost without a word`)
  for (const { name, argumentsText } of invalid) {
    if (tools.has(name) && parsed(argumentsText) !== undefined)
      faults.push(`the invalid ${argumentsText} could run elsewhere`)
  }
  for (const event of events) {
    if (event.type !== 'tool_call') continue
    const pieces = events.flatMap((one) =>
      one.type === 'tool_call_chunk' && one.index === event.index ? [one.chunk.argumentsDelta ?? ''] : [],
    )
    const given = parsed(pieces.join(''))
    const isSame = given === undefined || JSON.stringify(given) === JSON.stringify(event.call.arguments)
    if (!isSame)
      faults.push(`the pieces ${pieces} are not those of ${inShort([event.call.name, event.call.arguments])}`)
  }
  return faults
}

/** The answer as a client of this wire reads it from a gateway; `undefined` if it gets an error. */
function served(wire: Wire, { events }: Answer) {
  return joinDeltas(wire, toFrames(formats[wire].server.encodeStream(), events))?.said
}

/** Faults of the calls that a client can run. The joiners give a custom call its input. */
function faultsBehind(wire: Wire, made: readonly Ran[], answer: Answer): string[] {
  const calls = [...(served(wire, answer)?.calls.values() ?? [])]
  const ran = calls.flatMap(({ name, text }): Ran[] => {
    const given = parsed(text || '{}')
    return given === undefined ? [] : [[name, given]]
  })
  return judge(made, ran).wrong.map((call) => `a client of ${wire} runs ${call}`)
}

/** Fails with the first ways that have faults. */
function expectNone<One>(ways: readonly One[], faultsOf: (way: One, at: number) => readonly string[]): void {
  const found: string[] = []
  for (const [at, way] of ways.entries()) {
    const faults = faultsOf(way, at)
    if (faults.length > 0) found.push(`${JSON.stringify(way)}: ${faults.join('; ')}`)
  }
  expect({ ways: found.length, first: found.slice(0, 10) }).toEqual({ ways: 0, first: [] })
}

// ---- Responses ----------------------------------------------------------------------------------

const oslo = '{"city":"Oslo"}'
const rome = '{"city":"Rome"}'

const answers: Readonly<Record<string, readonly Made[]>> = {
  'two messages': [
    { kind: 'message', text: 'Hello over there' },
    { kind: 'message', text: 'What do we do' },
  ],
  'two thoughts, as summaries': [
    { kind: 'summary', text: 'First some idea' },
    { kind: 'summary', text: 'Another one now' },
  ],
  'two thoughts, as they are': [
    { kind: 'content', text: 'First some idea' },
    { kind: 'content', text: 'Another one now' },
  ],
  'two calls of one tool': [
    { kind: 'function_call', name: 'pay', args: oslo },
    { kind: 'function_call', name: 'pay', args: rome },
  ],
  'two calls, the first without arguments': [
    { kind: 'function_call', name: 'pay', args: '{}' },
    { kind: 'function_call', name: 'ask', args: rome },
  ],
  'two custom calls': [
    { kind: 'custom_tool_call', name: 'run', args: 'say "Oslo"' },
    { kind: 'custom_tool_call', name: 'run', args: 'say "Rome"' },
  ],
  'two calls of an MCP server': [
    { kind: 'mcp_call', name: 'look', args: oslo },
    { kind: 'mcp_call', name: 'look', args: rome },
  ],
  'two searches': [
    { kind: 'web_search_call', query: 'Oslo' },
    { kind: 'web_search_call', query: 'Rome' },
  ],
  'a thought, a text and two calls': [
    { kind: 'content', text: 'First some idea' },
    { kind: 'message', text: 'Hello over there' },
    { kind: 'function_call', name: 'pay', args: oslo },
    { kind: 'function_call', name: 'ask', args: rome },
  ],
}

const isServers = ({ kind }: Made) => kind === 'mcp_call' || kind === 'web_search_call'

/** The calls that the caller has to run. */
const callsOf = (made: readonly Made[]): Ran[] =>
  made.flatMap((one): Ran[] => {
    if (one.kind === 'function_call') return [[one.name, JSON.parse(one.args)]]
    return one.kind === 'custom_tool_call' ? [[one.name, { input: one.args }]] : []
  })

/** Whether an id or an index says of each piece which item it is of. */
const namesPieces = ({ id, output_index: index }: Way) =>
  ['right', 'late', 'last', 'late and missing'].includes(id) || ['right', 'one', 'shifted'].includes(index)

/** Whether all can be understood: from whole items, or from pieces that name theirs. A second call with a `call_id` is never run. */
const canBeUnderstood = (made: readonly Made[], way: Way) =>
  way.call_id !== 'shared' &&
  (way.telling !== 'pieces' || (namesPieces(way) && !made.some(({ kind }) => kind === 'custom_tool_call')))

const without = (text: string) => text.replaceAll('\n\n', '')

function faultsOfTexts(made: readonly Made[], way: Way, { message, events }: Answer): string[] {
  const blocks = blocksOf(message.content)
  const isNamed = way.telling !== 'pieces' || namesPieces(way)
  return (['text', 'reasoning'] as const).flatMap((type) => {
    const texts = made.flatMap((one) =>
      'text' in one && (one.kind === 'message') === (type === 'text') ? [one.text] : [],
    )
    const all = without(blocks.flatMap((block) => (block.type === type ? [block.text] : [])).join(''))
    const streamed = without(
      events.flatMap((event) => ('text' in event && event.type === `${type}_delta` ? [event.text] : [])).join(''),
    )
    const isOnce = !isNamed || texts.every((text) => all.split(text).length === 2)
    const isAll = [all, streamed].every(({ length }) => length === texts.join('').length)
    return isOnce && isAll ? [] : [`the ${type} is "${all}", in pieces "${streamed}"`]
  })
}

function faultsOfServers(made: readonly Made[], way: Way, { message }: Answer): string[] {
  if (way.telling === 'pieces' && !namesPieces(way)) return []
  const blocks = blocksOf(message.content)
  const count = (type: string) => blocks.filter((block) => block.type === type).length
  const results = way.telling === 'pieces' ? 0 : made.filter(({ kind }) => kind === 'mcp_call').length
  const isRight = count('server_tool_call') === made.filter(isServers).length && count('server_tool_result') === results
  return isRight ? [] : [`the provider's own calls: ${JSON.stringify(blocks)}`]
}

const read = (made: readonly Made[], way: Way) =>
  decode(
    formats['openai-responses'].client,
    told(made, way).map((event) => ({ data: JSON.stringify(event) })),
  )

describe.each(Object.entries(answers))('%s of Responses', (_, made) => {
  const ways = waysOf(made)

  it('are in the answer once, however a host sends them', { timeout: cutsTimeout }, () => {
    expectNone(inTurn(ways, 23), (way) => {
      const answer = read(made, way)
      const mustRun = canBeUnderstood(made, way)
      return [
        ...faultsOfCalls(callsOf(made), answer, mustRun),
        ...faultsOfTexts(made, way, answer),
        ...faultsOfServers(made, way, answer),
      ]
    })
  })

  // The events depend on the way, and the client only sees the events: so each way is tried with two of the eight clients.
  it('are in the answer of a client once, in any format', { timeout: cutsTimeout }, () => {
    const texts = made.flatMap((one) => (one.kind === 'message' ? [one.text] : []))
    const isOnce = (wire: Wire, way: Way, { text }: Said) => {
      // Where two messages alternate, a client of a format with one text reads them so.
      const isMixed = way.order === 'alternating' && facts[wire].answers.order === 'merged'
      const isNamed = way.telling !== 'pieces' || namesPieces(way)
      if (isMixed || !isNamed) return text.length === texts.join('').length
      return texts.every((one) => text.split(one).length === 2)
    }
    expectNone(inTurn(ways, 41, 7), (way, turn) => {
      const answer = read(made, way)
      const two = wires.filter((_, at) => (at + turn) % 4 === 0)
      return two.flatMap((wire) => {
        const said = served(wire, answer)
        const isRight = said === undefined || isOnce(wire, way, said)
        const faults = isRight ? [] : [`a client of ${wire} reads "${said?.text}"`]
        return [...faults, ...faultsBehind(wire, callsOf(made), answer)]
      })
    })
  })
})

// ---- the others ---------------------------------------------------------------------------------

const pair: readonly MadeCall[] = [
  { name: 'pay', args: oslo },
  { name: 'ask', args: rome },
]
const ran = pair.map(({ name, args }): Ran => [name, JSON.parse(args)])

/** Whether the repeated call has no mark in common with the first: another id or none, and no place. */
const isAnother = (wire: string, { id, index, telling }: CallWay) => {
  const hasPlace = index !== 'missing' && wire !== 'gemini' && wire !== 'ollama'
  const hasId = telling === 'again' && id !== 'missing' && (id !== 'each' || hasPlace)
  if (telling === 'begun twice' && id === 'missing' && (wire === 'gemini' || wire === 'ollama')) return true
  return telling.startsWith('again') && !hasPlace && !hasId
}

describe.each(Object.entries(tellers))('two calls of %s', (wire, teller) => {
  const ways = callWays.filter((way) => !isAnother(wire, way))
  const { client } = formats[wire as Wire]
  const answerOf = (way: CallWay) => decode(client, toldCalls(teller, pair, way))

  it('run once at most, with their own arguments, however a host marks them', () => {
    expectNone(ways, (way) => {
      const mustRun = way.index === 'right' && way.telling !== 'again' && way.telling !== 'again, another id'
      return faultsOfCalls(ran, answerOf(way), mustRun)
    })
  })

  it('run once at most for a client of any format', () => {
    expectNone(inTurn(ways, 5), (way) => wires.flatMap((to) => faultsBehind(to, ran, answerOf(way))))
  })
})

// ---- choices of Chat ----------------------------------------------------------------------------

const chat = formats['openai-chat'].client
const call = { index: 0, id: 'call_0', type: 'function', function: { name: 'pay', arguments: oslo } }

/** An answer whose pieces are in choices with these indexes. */
const inChoices = (pieces: readonly (readonly [index: number, delta: object])[], request?: object) => {
  const frames = pieces.map(([index, delta], at) => {
    const finish_reason = at === pieces.length - 1 ? 'tool_calls' : null
    return { data: JSON.stringify({ id: 'c', model: 'm', choices: [{ index, delta, finish_reason }] }) }
  })
  const { message } = decode(chat, frames, request)
  const text = blocksOf(message.content)
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('')
  return { text, calls: blocksOf(message.content).filter(({ type }) => type === 'tool_call').length }
}

describe('one answer of Chat', () => {
  // microsoft/foundry-local#144 and old versions of TGI; Copilot has the calls in a choice of their own.
  const [hel, lo, calls] = [{ role: 'assistant', content: 'Hel' }, { content: 'lo' }, { tool_calls: [call] }]

  it.each([{}, { n: 1 }, { n: null }, undefined])(
    'is whole, whatever indexes its choices have (asked with %j)',
    (request) => {
      for (const [one, two, three] of [
        [0, 0, 0],
        [1, 1, 1],
        [190, 191, 192],
      ] as const) {
        const pieces = [
          [one, hel],
          [two, lo],
          [three, calls],
        ] as const
        expect(inChoices(pieces, request)).toEqual({ text: 'Hello', calls: 1 })
      }
    },
  )

  it('has the calls of other choices, if one was asked for and the first has none', () => {
    const apart = [
      [0, hel],
      [0, lo],
      [1, calls],
      [0, {}],
    ] as const
    const twice = [
      [0, hel],
      [0, { content: 'lo', ...calls }],
      [1, calls],
      [0, {}],
    ] as const
    for (const pieces of [apart, twice]) expect(inChoices(pieces, {})).toEqual({ text: 'Hello', calls: 1 })
    for (const request of [{ n: 2 }, undefined]) expect(inChoices(apart, request)).toEqual({ text: 'Hello', calls: 0 })
  })

  it('is the first of several that were asked for', () => {
    const pieces = [
      [0, hel],
      [1, { content: 'No' }],
      [0, lo],
      [1, calls],
      [0, {}],
    ] as const
    expect(inChoices(pieces, { n: 2 })).toEqual({ text: 'Hello', calls: 0 })
  })

  it('is not repeated by a message after its deltas', () => {
    const message = { role: 'assistant', content: 'Hello', tool_calls: [call] }
    const frames = [
      { index: 0, delta: { ...hel, content: 'Hello', ...calls }, finish_reason: null },
      { index: 0, message, finish_reason: 'tool_calls' },
    ].map((choice) => ({ data: JSON.stringify({ id: 'c', model: 'm', choices: [choice] }) }))
    const { message: read } = decode(chat, frames)
    expect(blocksOf(read.content)).toMatchObject([
      { type: 'text', text: 'Hello' },
      { type: 'tool_call', name: 'pay' },
    ])
  })
})
