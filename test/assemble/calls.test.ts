/**
 * Finds the call to which a piece belongs. Each row is a way in which hosts send calls, with which some library merged, lost or ran the
 * wrong call.
 */
import { describe, expect, it } from 'vitest'
import type { Fragment } from '../../src/core/codec.ts'
import type { JsonObject } from '../../src/core/messages.ts'
import { type CallPiece, call, callsIn, end, endOf, eventsOf, warningsIn } from './run.ts'

/** A call in short: `id name(arguments)`, with `!reason` if it is invalid. */
function inShort(events: ReturnType<typeof eventsOf>): string[] {
  return callsIn(events).map((ended) => {
    const head = `${ended.id} ${ended.name ?? ''}`
    if (ended.type === 'tool_call') return `${head}(${ended.argumentsText})`
    return `${head}(${ended.argumentsText.replace(` (${ended.error})`, '')}) !${ended.reason}`
  })
}

/** A piece, or in short `@position #id name(arguments`, of which it has what is there. */
type Piece = CallPiece | string
type Row = [string, Piece[], string[]]

function fragmentOf(piece: Piece): Fragment {
  if (typeof piece !== 'string') return call(piece)
  const [, position, id, name, text] = /^(?:@(\d+) ?)?(?:#(\S+) ?)?(\w*)(?:\((.*))?$/s.exec(piece) ?? []
  return call({
    ...(position !== undefined && { position: Number(position) }),
    ...(id !== undefined && { id }),
    ...(name && { name }),
    ...(text !== undefined && { arguments: text }),
  })
}

const certain: Row[] = [
  [
    'two ids at one position, with their names each time',
    ['@0 #a f({', '@0 #b g({', '@0 #a f(}', '@0 #b g(}'],
    ['a f({})', 'b g({})'],
  ],
  [
    'the whole text again, with its name',
    ['#a f({}', { id: 'a', name: 'f', arguments: '{} ', final: true }],
    ['a f({} )'],
  ],
  ['the id once, then positions', ['@0 #a f(', '@0 ({"x"', '@0 (:1}'], ['a f({"x":1})']],
  [
    '[0.53] two calls whose pieces alternate',
    ['@0 #a f(', '@1 #b g(', '@0 ({"x"', '@1 ({"y"', '@0 (:1}', '@1 (:2}'],
    ['a f({"x":1})', 'b g({"y":2})'],
  ],
  [
    'the arguments of a call before its id and name, at a position of its own',
    ['@0 #a f({"x":1', '@1 ({"y"', '@0 (}', '@1 #b g(:2}'],
    ['a f({"x":1})', 'b g({"y":2})'],
  ],
  ['whole calls without positions', ['#a f({"x":1}', '#b f({"x":2}'], ['a f({"x":1})', 'b f({"x":2})']],
  [
    '[0.53] pieces without positions, of which the first alone has an id',
    ['#a f(', '({"x"', '(:1}', '#b g(', '({"y"', '(:2}'],
    ['a f({"x":1})', 'b g({"y":2})'],
  ],
  ['pieces without positions or ids', ['f({"x"', '(:1}', 'g({"y"', '(:2}'], ['call_0 f({"x":1})', 'call_1 g({"y":2})']],
  [
    'two ids at one position, one call after the other',
    ['@0 #a f({"x"', '@0 (:1}', '@0 #b f({"x"', '@0 (:2}'],
    ['a f({"x":1})', 'b f({"x":2})'],
  ],
  [
    'two ids at one position, whose pieces alternate',
    ['@0 #a f(', '@0 #b g(', '@0 #a ({"x":1}', '@0 #b ({"y":2}'],
    ['a f({"x":1})', 'b g({"y":2})'],
  ],
  [
    'one id at two positions',
    ['@0 #a f(', '@1 #a f(', '@0 #a ({"x":1}', '@1 #a ({"x":2}'],
    ['a f({"x":1})', 'a_1 f({"x":2})'],
  ],
  [
    'one id for whole calls without positions, as Gemini hosts send it',
    ['#f f({"x":1}', '#f f({"x":2}'],
    ['f f({"x":1})', 'f_1 f({"x":2})'],
  ],
  ['the id with each piece', ['@0 #a f(', '@0 #a ({"x"', '@0 #a (:1}'], ['a f({"x":1})']],
  ['the id with each piece, and no position', ['#a f', '#b g', '#a ({"x":1}', '#b ({}'], ['a f({"x":1})', 'b g({})']],
  ['the id, and a position from the second piece on', ['#a f({', '@0 #a (}'], ['a f({})']],
  ...['', 'null', 'undefined', 'None'].map(
    (id): Row => [
      `the placeholder ${JSON.stringify(id)} for an id, on follow-ups`,
      ['@0 #a f(', { position: 0, id, name: '', arguments: '{}' }],
      ['a f({})'],
    ],
  ),
  ['null on follow-ups', ['@0 #a f(', { position: 0, id: null, name: null, arguments: '{}' }], ['a f({})']],
  ['no id', ['@0 f({}', '@1 g({}'], ['call_0 f({})', 'call_1 g({})']],
  ['an empty id', [{ position: 0, id: '', name: 'f', arguments: '{}' }], ['call_0 f({})']],
  [
    'the id "null" for two calls',
    [
      { id: 'null', name: 'f', arguments: '{}' },
      { id: 'null', name: 'g', arguments: '{}' },
    ],
    ['call_0 f({})', 'call_1 g({})'],
  ],
  ['an id that comes later, at its position', ['@0 f({', '@0 #a (}'], ['a f({})']],
  ['a first position above 0', ['@1 #a f({', '@1 (}'], ['a f({})']],
  [
    'one position for all calls, and no ids',
    ['@0 f({"x"', '@0 (:1}', '@0 f({"x":2}', '@0 g(', '@0 ({}'],
    ['call_0 f({"x":1})', 'call_1 f({"x":2})', 'call_2 g({})'],
  ],
  ['a name in pieces', ['@0 #a get_', '@0 weather', '@0 ({}'], ['a get_weather({})']],
  ['a name with each piece', ['@0 #a f({"x"', '@0 f(:1}', '@0 f('], ['a f({"x":1})']],
  ['a name with each piece, and no position', ['f({"x"', 'f(:1}'], ['call_0 f({"x":1})']],
  ['id and name again at the end, with nothing, as OpenRouter sends it', ['@0 #a f({}', '@0 #a f( '], ['a f({} )']],
  ['a name that is longer each time', ['@0 #a get', '@0 get_weather', '@0 ({}'], ['a get_weather({})']],
  ['a name behind the arguments', ['#a ({}', 'f'], ['a f({})']],
  ['no arguments', ['@0 #a f'], ['a f()']],
  ['null for arguments', [{ position: 0, id: 'a', name: 'f', arguments: null as never }, '@0 ({}'], ['a f({})']],
  ['arguments that are an object already', [{ id: 'a', name: 'f', arguments: { x: 1 } }], ['a f({"x":1})']],
  [
    'objects of calls to one tool, without ids, as Ollama sends them',
    [
      { name: 'f', arguments: { x: 1 } },
      { name: 'f', arguments: { x: 1 } },
      { name: 'f', arguments: {} },
    ],
    ['call_0 f({"x":1})', 'call_1 f({"x":1})', 'call_2 f({})'],
  ],
  ['calls without arguments to one tool, without ids', ['f', 'f'], ['call_0 f()', 'call_1 f()']],
  [
    'keys, which win over everything',
    [
      { key: 0, id: 'a', name: 'f' },
      { key: 1, name: 'g' },
      { key: 0, position: 9, arguments: '{}' },
    ],
    ['a f({})', 'call_1 g()'],
  ],
  [
    'the whole text again',
    [
      { key: 0, id: 'a', name: 'f', arguments: '{"x"' },
      { key: 0, arguments: '{"x":1}', final: true },
    ],
    ['a f({"x":1})'],
  ],
  [
    'the whole text alone',
    [
      { key: 0, id: 'a', name: 'f' },
      { key: 0, arguments: '{"x":1}', final: true },
    ],
    ['a f({"x":1})'],
  ],
]

const guessed: Row[] = [
  [
    'a bare piece while two calls are open: the latest has it',
    ['@0 #a f({', '@1 #b g({', '("y":1', '(}'],
    ['a f({) !malformed_json', 'b g({"y":1})'],
  ],
  [
    'ids that change with each piece: the position decides',
    ['@0 #a f({"x"', '@0 #b (:1', '@0 #c (}'],
    ['a f({"x":1})'],
  ],
  ['an id that comes late, without a position', ['f(', '#a ({}'], ['a f({})']],
  [
    'a whole text that is not what the pieces make: the whole counts',
    [
      { key: 0, id: 'a', name: 'f', arguments: '{"x":1' },
      { key: 0, arguments: '{"x":2}', final: true },
    ],
    ['a f({"x":2})'],
  ],
]

/** An object with this many levels. */
function nested(levels: number): JsonObject {
  let value: JsonObject = {}
  for (let level = 1; level < levels; level++) value = { a: value }
  return value
}

const kept: Row[] = [
  [
    'an id without a name behind a whole call without an id',
    ['f({}', '#b ({}'],
    ['call_0 f({})', 'b ({}) !missing_name'],
  ],
  ['no name', ['@0 #a ({}'], ['a ({}) !missing_name']],
  [
    'an object without a name behind a whole call',
    [{ name: 'f', arguments: { x: 1 } }, { arguments: { y: 2 } }],
    ['call_0 f({"x":1})', 'call_1 ({"y":2}) !missing_name'],
  ],
  [
    'an object without a name before another call',
    [{ arguments: { y: 2 } }, { name: 'f', arguments: { x: 1 } }],
    ['call_0 ({"y":2}) !missing_name', 'call_1 f({"x":1})'],
  ],
  ['an id that nobody has', ['#a f({}', '#b ({}'], ['a f({})', 'b ({}) !missing_name']],
  ['text that is not valid JSON', ['#a f({oops'], ['a f({oops) !malformed_json']],
  ['JSON that is not an object', ['#a f([1]'], ['a f([1]) !not_an_object']],
  [
    'an object nested too deep',
    [{ id: 'a', name: 'f', arguments: `{"a":${'['.repeat(64)}${']'.repeat(64)}}` }],
    [`a f({"a":${'['.repeat(64)}${']'.repeat(64)}}) !too_deep`],
  ],
  ['an object of that depth', [{ id: 'a', name: 'f', arguments: nested(100_000) }], ['a f() !too_deep']],
  ['whole arguments twice at a place, without a name', ['@0 #a f({}', '@0 ({}'], ['a f({}{}) !malformed_json']],
]

/** Each of these calls could run, with arguments that are not its own. */
const unclear: Row[] = [
  [
    'a piece without an id at a position where two calls are open',
    ['@0 #a f(', '@0 #b g(', '@0 ({"y":1}'],
    ['a f() !unclear', 'b g({"y":1}) !unclear'],
  ],
  [
    'a piece with a key that two open calls have',
    [
      { key: 0, id: 'a', name: 'f', arguments: '{' },
      { key: 0, id: 'b', name: 'g' },
      { key: 0, arguments: '{"y":1}' },
    ],
    ['a f({) !malformed_json', 'b g({"y":1}) !unclear'],
  ],
]

/** The last of each list repeats the first, with one of its marks. */
const repeated: Row[] = [
  [
    'at its position, without an id',
    ['@0 f({"x":1}', '@0 f({"x":1}'],
    ['call_0 f({"x":1})', 'call_1 f({"x":1}) !unclear'],
  ],
  [
    'at its position, with another id',
    ['@0 #a f({"x":1}', '@0 #b f(', '@0 ({"x":1}'],
    ['a f({"x":1})', 'b f({"x":1}) !unclear'],
  ],
  [
    'with its id, at another position',
    ['@0 #a f({"x":1}', '@1 #a f(', '@1 ({"x"', '@1 (:1}'],
    ['a f({"x":1})', 'a_1 f({"x":1}) !unclear'],
  ],
  [
    'with its id, as an object under another key, behind another call',
    [
      { key: 0, id: 'a', name: 'f', arguments: { x: 1 } },
      { key: 1, id: 'a', name: 'f', arguments: { x: 2 } },
      { key: 2, id: 'a', name: 'f', arguments: { x: 1 } },
    ],
    ['a f({"x":1})', 'a_1 f({"x":2})', 'a_2 f({"x":1}) !unclear'],
  ],
]

describe('a piece of a call', () => {
  it.each([...unclear, ...repeated])(
    'makes no call if it may belong to another, or is there: %s',
    (_, pieces, calls) => {
      const events = eventsOf([...pieces.map(fragmentOf), end])
      expect(inShort(events)).toEqual(calls)
      // No client can read its text as arguments.
      for (const { argumentsText } of endOf(events).message.invalidToolCalls ?? []) {
        expect(() => JSON.parse(argumentsText)).toThrow()
      }
    },
  )

  it.each(certain)('finds its call by %s', (_, pieces, calls) => {
    const events = eventsOf([...pieces.map(fragmentOf), end])
    expect(inShort(events)).toEqual(calls)
    expect(warningsIn(events)).toEqual([])
  })

  it.each(guessed)('belongs to a call by a guess, which is reported once: %s', (_, pieces, calls) => {
    const events = eventsOf([...pieces.map(fragmentOf), end])
    expect(inShort(events)).toEqual(calls)
    expect(warningsIn(events)).toHaveLength(1)
  })

  it.each(kept)('is kept if it does not make a call: %s', (_, pieces, calls) => {
    const events = eventsOf([...pieces.map(fragmentOf), end])
    expect(inShort(events)).toEqual(calls)
    expect(endOf(events).message.invalidToolCalls).toEqual(
      callsIn(events).filter((one) => one.type === 'invalid_tool_call'),
    )
  })

  it('is kept in the order of the calls, whichever of them ends first', () => {
    const pieces = [call({ key: 0, id: 'a', name: 'f', arguments: '{' }), call({ key: 1, id: 'b', arguments: '{}' })]
    const { message } = endOf(eventsOf([...pieces, { type: 'close', key: 1 }, end]))
    expect(message.invalidToolCalls).toMatchObject([{ id: 'a' }, { id: 'b' }])
  })

  it('that brings a whole call with its own id again is reported, and the call is not doubled', () => {
    const piece = call({ position: 0, id: 'a', name: 'pay', arguments: '{"x":1}' })
    const events = eventsOf([piece, piece, end])
    expect(inShort(events)).toEqual(['a pay({"x":1})'])
    expect(warningsIn(events)).toHaveLength(1)
  })

  it.each([undefined, null])('that has %s for arguments does not change arguments that are complete', (none) => {
    const whole = call({ key: 0, id: 'a', name: 'f', arguments: { x: 1 } })
    const events = eventsOf([whole, call({ key: 0, arguments: none as never }), end])
    expect(inShort(events)).toEqual(['a f({"x":1})'])
    expect(warningsIn(events)).toEqual([])
  })

  it('keeps the fields that earlier pieces had', () => {
    const first = call({ key: 0, id: 'a', name: 'f', providerData: { f: { a: 1 }, g: { c: 3 } } })
    const second = call({ key: 0, arguments: '{', providerData: { f: { b: 2 } } })
    const events = eventsOf([first, second, call({ key: 0, arguments: '}' }), end])
    expect(callsIn(events)).toMatchObject([{ providerData: { f: { a: 1, b: 2 }, g: { c: 3 } } }])
  })

  it('that arrives after the end of its block is reported, and the call does not change', () => {
    const events = eventsOf([
      call({ key: 0, id: 'a', name: 'f', arguments: '{}' }),
      { type: 'close', key: 0 },
      call({ key: 0, arguments: '{}' }),
      end,
    ])
    expect(inShort(events)).toEqual(['a f({})'])
    expect(warningsIn(events)).toHaveLength(1)
  })

  it('with a key that is used again for another id starts a call', () => {
    const first: Fragment[] = [call({ key: 0, id: 'a', name: 'f', arguments: '{}' })]
    const second = [call({ key: 0, id: 'b', name: 'g' }), call({ key: 0, arguments: '{"y":1}' }), end]
    const calls = ['a f({})', 'b g({"y":1})']
    expect(inShort(eventsOf([...first, ...second]))).toEqual(calls)
    expect(inShort(eventsOf([...first, { type: 'close', key: 0 }, ...second]))).toEqual(calls)
  })

  it('with the key of a block of text starts a call of its own', () => {
    const events = eventsOf([{ type: 'text', text: 'a', key: 0 }, call({ key: 0, id: 'a', name: 'f' }), end])
    expect(inShort(events)).toEqual(['a f()'])
    expect(endOf(events).message.content).toMatchObject([{ type: 'text', text: 'a' }, { type: 'tool_call' }])
  })
})

describe('ids of calls', () => {
  it('are made from the prefix and the number of earlier calls, and are never sent as ids of the provider', () => {
    const pieces = [call({ name: 'f' }), call({ id: 'mine', name: 'g' }), call({ name: 'h' }), end]
    const calls = callsIn(eventsOf(pieces, { idPrefix: 'x_', callsBefore: 5 }))
    expect(calls).toMatchObject([{ id: 'x_5', generatedId: true }, { id: 'mine' }, { id: 'x_7', generatedId: true }])
    expect(calls[1]).not.toHaveProperty('generatedId')
  })

  it('become different if the provider repeats an id, or sends one that isoglot would make', () => {
    const same = ['a', 'a', 'a_1', 'a'].map((id, position) => call({ position, id, name: 'f' }))
    const ids = callsIn(eventsOf([...same, end])).map((one) => one.id)
    expect(new Set(ids).size).toBe(4)
    expect(ids[0]).toBe('a')
    const made = [call({ key: 0, name: 'f' }), call({ key: 1, id: 'call_0', name: 'g' }), end]
    expect(callsIn(eventsOf(made)).map((one) => one.id)).toEqual(['call_0', 'call_0_1'])
  })

  it('do not change for calls that the provider runs, since its results name them', () => {
    const events = eventsOf([
      call({ key: 0, id: 's', name: 'search', server: true }),
      call({ key: 1, id: 's', name: 'search', server: true }),
      end,
    ])
    expect(endOf(events).message.content).toMatchObject([
      { type: 'server_tool_call', id: 's' },
      { type: 'server_tool_call', id: 's' },
    ])
  })
})

describe('numbers of calls and blocks', () => {
  it('count all blocks, and all calls except those that the provider runs, including invalid ones', () => {
    const events = eventsOf([
      { type: 'reasoning', text: 'hm' },
      call({ key: 's', id: 's', name: 'search', server: true, arguments: '{}' }),
      { type: 'text', text: 'hi' },
      call({ key: 'a', id: 'a', name: 'f', arguments: '{oops' }),
      call({ key: 'b', id: 'b', name: 'g', arguments: '{}' }),
      end,
    ])
    expect(events.filter((event) => 'index' in event).map((event) => [event.type, event.index])).toEqual([
      ['reasoning_delta', 0],
      ['content_block', 0],
      ['tool_call_chunk', 1],
      ['text_delta', 2],
      ['content_block', 2],
      ['tool_call_chunk', 3],
      ['tool_call_chunk', 4],
      ['content_block', 1],
      ['invalid_tool_call', 3],
      ['tool_call', 4],
    ])
    expect(callsIn(events).map((one) => [one.id, one.index])).toEqual([
      ['a', 0],
      ['b', 1],
    ])
  })
})

describe('ten thousand calls in one answer', () => {
  const putTogether = (count: number, make: (at: number) => CallPiece[]) => {
    const fragments = Array.from({ length: count }, (_, at) => make(at).map(call)).flat()
    const events = eventsOf([...fragments, end])
    expect(callsIn(events)).toHaveLength(count)
    expect(new Set(callsIn(events).map((one) => one.id)).size).toBe(count)
  }

  it.each<[string, (at: number) => CallPiece[]]>([
    [
      'positions',
      (at) => [
        { position: at, id: `c${at}`, name: 'f' },
        { position: at, arguments: '{}' },
      ],
    ],
    [
      'ids',
      (at) => [
        { id: `c${at}`, name: 'f' },
        { id: `c${at}`, arguments: '{}' },
      ],
    ],
    ['order', (at) => [{ name: `f${at}` }, { arguments: '{"a"' }, { arguments: ':1}' }]],
    ['one id', (at) => [{ id: 'a', name: 'f', arguments: '{' }, { arguments: `"x":${at}}` }]],
    [
      'keys',
      (at) => [
        { key: at, name: 'f' },
        { key: at, arguments: '{}' },
      ],
    ],
  ])('are assembled in time, distinguished by %s', (_, make) => {
    // Quadratic work would run into the test's time limit.
    putTogether(10_000, make)
  })
})
