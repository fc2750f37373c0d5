import { describe, expect, it } from 'vitest'
import { type AssembleOptions, assemble, collect, fold, scanPiece, stop } from '../../src/assemble/assemble.ts'
import { liveArguments } from '../../src/assemble/live-arguments.ts'
import type { Fragment } from '../../src/core/codec.ts'
import { InterruptedError, LimitError } from '../../src/core/errors.ts'
import type { AssistantMessage, ContentBlock, MessageEvent, Opaque, StopReason } from '../../src/core/messages.ts'
import { call, callsIn, end, endOf, eventsOf, warningsIn } from './run.ts'

const opaque: Opaque = { provider: 'p', model: 'm', format: 'f', data: { signature: 's' } }
const text = (said: string, more: { key?: number; refusal?: true; opaque?: Opaque } = {}) =>
  ({ type: 'text', text: said, ...more }) as const
const reasoning = (said: string, more: { key?: number; opaque?: Opaque } = {}) =>
  ({ type: 'reasoning', text: said, ...more }) as const
const close = (key: number | string): Fragment => ({ type: 'close', key })
const contentOf = (fragments: readonly Fragment[], options?: AssembleOptions) =>
  endOf(eventsOf([...fragments, end], options)).message.content

/** Ends an answer that does not end by itself. */
function stopped(fragments: readonly Fragment[], reason: 'interrupted' | 'error' | 'aborted') {
  const state = assemble.start({})
  const events: MessageEvent[] = []
  for (const fragment of fragments) assemble.step(state, fragment, events)
  return { events, message: stop(state, reason, events) }
}

describe('blocks', () => {
  it('of text grow while pieces of their kind arrive, and end when another kind begins', () => {
    const events = eventsOf(
      [
        { type: 'start', id: 'r', model: 'm', createdAt: 5 },
        reasoning('h'),
        reasoning('m'),
        text('a'),
        text('b'),
        { type: 'end', stopReason: 'stop', rawStopReason: 'end_turn', providerState: { previousResponseId: 'r' } },
      ],
      { provider: 'acme' },
    )
    const message: AssistantMessage = {
      role: 'assistant',
      content: [reasoning('hm'), text('ab')],
      stopReason: 'stop',
      rawStopReason: 'end_turn',
      response: { provider: 'acme', id: 'r', model: 'm', createdAt: 5 },
    }
    expect(events).toEqual([
      { type: 'message_start', id: 'r', model: 'm' },
      { type: 'reasoning_delta', index: 0, text: 'h' },
      { type: 'reasoning_delta', index: 0, text: 'm' },
      { type: 'content_block', index: 0, block: reasoning('hm') },
      { type: 'text_delta', index: 1, text: 'a' },
      { type: 'text_delta', index: 1, text: 'b' },
      { type: 'content_block', index: 1, block: text('ab') },
      {
        type: 'message_end',
        message,
        response: { message, stopReason: 'stop', providerState: { previousResponseId: 'r' } },
      },
    ])
  })

  it('with keys may be open at the same time', () => {
    const events = eventsOf([
      text('a', { key: 0 }),
      text('x', { key: 1 }),
      text('b', { key: 0 }),
      close(1),
      text('c', { key: 0 }),
      close(0),
      close(0),
      end,
    ])
    expect(events.filter((event) => event.type === 'content_block')).toEqual([
      { type: 'content_block', index: 1, block: text('x') },
      { type: 'content_block', index: 0, block: text('abc') },
    ])
    expect(endOf(events).message.content).toEqual([text('abc'), text('x')])
  })

  it.each<[string, Fragment[], unknown]>([
    ['an empty piece begins none', [text('')], []],
    ['an empty piece with a key begins one', [text('', { key: 0 })], [text('')]],
    [
      'a refusal is a block of its own',
      [text('a'), text('b', { refusal: true }), text('c', { refusal: true }), text('d')],
      [text('a'), text('bc', { refusal: true }), text('d')],
    ],
    [
      'text behind a call is a new block',
      [text('a'), call({ id: 'c', name: 'f' }), text('b')],
      [
        text('a'),
        { type: 'tool_call', id: 'c', name: 'f', arguments: {}, argumentsText: '', index: 0, complete: true },
        text('b'),
      ],
    ],
    [
      'a block with fields may be open, and then its text grows',
      [{ type: 'block', block: text('a', { opaque }), key: 0, open: true }, text('b', { key: 0 })],
      [text('ab', { opaque })],
    ],
    ['a whole block takes no text', [{ type: 'block', block: text('a') }, text('b')], [text('a'), text('b')]],
    [
      'a block of any kind is kept',
      [{ type: 'block', block: { type: 'image', data: 'aa', mimeType: 'image/png' } }],
      [{ type: 'image', data: 'aa', mimeType: 'image/png' }],
    ],
    [
      'a key that is used again begins a block',
      [text('a', { key: 0 }), close(0), text('b', { key: 0 })],
      [text('a'), text('b')],
    ],
    [
      'a key with another kind of text begins a block',
      [text('a', { key: 0 }), reasoning('b', { key: 0 })],
      [text('a'), reasoning('b')],
    ],
  ])('follow the rule that %s', (_, fragments, content) => {
    expect(contentOf(fragments)).toEqual(content)
  })

  it.each<ContentBlock>([text('a'), text('a', { refusal: true }), reasoning('a')])(
    'that arrive with their text have it in the event: %j',
    (block) => {
      const [, told] = eventsOf([{ type: 'block', block, key: 0, open: true }, close(0), end])
      const isRefusal = 'refusal' in block && { refusal: true }
      expect(told).toEqual({ type: `${block.type}_delta`, index: 0, text: 'a', ...isRefusal })
    },
  )

  it('each end exactly once, and none is left open', () => {
    const events = eventsOf([
      text('a', { key: 0 }),
      call({ key: 1, id: 'c', name: 'f' }),
      close(1),
      close(1),
      close('nobody'),
      call({ key: 2, id: 'd', name: 'f', arguments: '{' }),
      { type: 'block', block: reasoning('hm') },
      call({ key: 3, id: 'e', name: 'search', server: true }),
      text('b'),
      end,
    ])
    const ends = events.filter((event) => ['content_block', 'tool_call', 'invalid_tool_call'].includes(event.type))
    expect(ends.map((event) => 'index' in event && event.index).sort()).toEqual([0, 1, 2, 3, 4, 5])
  })
})

describe('patches', () => {
  it('add to the block with their key, or to the last one', () => {
    const citation = (url: string) => ({ type: 'citation', url }) as const
    expect(
      contentOf([
        reasoning('hm', { key: 0 }),
        text('a', { key: 1 }),
        { type: 'patch', key: 0, opaque },
        { type: 'patch', citations: [citation('u')], providerData: { f: { a: 1 } }, id: 'i' },
        { type: 'patch', citations: [citation('v')], providerData: { f: { b: 2 }, g: { c: 3 } } },
      ]),
    ).toEqual([
      reasoning('hm', { opaque }),
      {
        type: 'text',
        text: 'a',
        id: 'i',
        citations: [citation('u'), citation('v')],
        providerData: { f: { a: 1, b: 2 }, g: { c: 3 } },
      },
    ])
  })

  it('add to data and transcript of generated media', () => {
    expect(
      contentOf([
        { type: 'block', block: { type: 'audio', mimeType: 'audio/wav' }, key: 0, open: true },
        { type: 'patch', key: 0, data: 'aaaa', transcript: 'Hel' },
        { type: 'patch', key: 0, data: 'bbbb', transcript: 'lo' },
      ]),
    ).toEqual([{ type: 'audio', mimeType: 'audio/wav', data: 'aaaabbbb', transcript: 'Hello' }])
  })

  it('add proof, data and id to a call', () => {
    expect(
      contentOf([
        call({ key: 0, name: 'f', providerData: { f: { a: 1 } } }),
        { type: 'patch', key: 0, id: 'c', opaque, providerData: { f: { b: 2 } } },
      ]),
    ).toMatchObject([{ type: 'tool_call', id: 'c', opaque, providerData: { f: { a: 1, b: 2 } } }])
  })

  it.each<[string, Fragment[]]>([
    ['no block', []],
    ['a call that has ended', [call({ key: 0, id: 'c', name: 'f' }), close(0)]],
  ])('that find %s are reported', (_, fragments) => {
    expect(warningsIn(eventsOf([...fragments, { type: 'patch', opaque }, end]))).toHaveLength(1)
  })
})

describe('figures and fields of the answer', () => {
  it('replace earlier figures field by field, and keep those that a later event does not have', () => {
    const events = eventsOf([
      { type: 'usage', usage: { inputTokens: 10, outputTokens: 1, providerData: { f: { a: 1 } } } },
      { type: 'usage', usage: { outputTokens: 7, providerData: { f: { b: 2 } } } },
      end,
    ])
    const usage = { inputTokens: 10, outputTokens: 7, providerData: { f: { a: 1, b: 2 } } }
    expect(events.filter((event) => event.type === 'usage').at(-1)).toEqual({ type: 'usage', usage })
    expect(endOf(events).usage).toEqual(usage)
    expect(endOf(events).message.usage).toEqual(usage)
  })

  it('are absent if no event reports any', () => {
    expect(endOf(eventsOf([end]))).toEqual({
      message: { role: 'assistant', content: [], stopReason: 'stop' },
      stopReason: 'stop',
    })
  })

  it('that isoglot has no field for are kept in the message or the response', () => {
    const { message, providerData } = endOf(
      eventsOf([
        { type: 'extra', providerData: { f: { a: 1 } } },
        { type: 'extra', providerData: { f: { b: 2 } } },
        { type: 'extra', on: 'message', providerData: { f: { c: 3 } } },
        end,
      ]),
    )
    expect(providerData).toEqual({ f: { a: 1, b: 2 } })
    expect(message.providerData).toEqual({ f: { c: 3 } })
  })
})

describe('a start', () => {
  it('that a proxy inserted does not begin an answer', () => {
    const events = eventsOf([
      { type: 'start', id: 'one', model: 'm' },
      text('a'),
      { type: 'start', id: 'two' },
      text('b'),
      end,
    ])
    expect(events.filter((event) => event.type === 'message_start')).toEqual([
      { type: 'message_start', id: 'one', model: 'm' },
    ])
    expect(endOf(events).message).toMatchObject({ content: [text('ab')], response: { id: 'one' } })
  })

  it('that arrives late, or in two parts, still adds the id and the model', () => {
    const events = eventsOf([
      { type: 'usage', usage: {} },
      { type: 'start', id: 'one' },
      { type: 'start', model: 'm' },
      end,
    ])
    expect(events[0]).toEqual({ type: 'message_start' })
    expect(endOf(events).message.response).toEqual({ id: 'one', model: 'm' })
  })
})

describe('the end', () => {
  it.each<[string, StopReason, Fragment[], StopReason]>([
    ['calls although it says "stop"', 'stop', [call({ id: 'c', name: 'f' })], 'tool_calls'],
    ['invalid calls alone', 'stop', [call({ id: 'c', name: 'f', arguments: '{' })], 'tool_calls'],
    ['no calls although it says so', 'tool_calls', [text('a')], 'other'],
    ['calls of the provider alone', 'stop', [call({ id: 'c', name: 'search', server: true })], 'stop'],
    ['calls at a limit', 'length', [call({ id: 'c', name: 'f', arguments: '{}' })], 'length'],
  ])('of an answer with %s', (_, said, fragments, reason) => {
    const response = endOf(eventsOf([...fragments, { type: 'end', stopReason: said }]))
    expect(response.stopReason).toBe(reason)
    expect(response.message.stopReason).toBe(reason)
  })

  it.each<[Fragment]>([
    [text('a')],
    [reasoning('a')],
    [call({ id: 'c', name: 'f' })],
    [{ type: 'block', block: text('a') }],
    [{ type: 'patch', opaque }],
    [{ type: 'usage', usage: { inputTokens: 1 } }],
    [{ type: 'extra', providerData: { f: { a: 1 } } }],
  ])('is final: %j after it is reported, and changes nothing', (late) => {
    const events = eventsOf([text('b'), end, late])
    expect(events.slice(-2)).toMatchObject([
      { type: 'message_end' },
      { type: 'warning', warning: { action: 'dropped', severity: 'minor' } },
    ])
    expect(collect(events).message.content).toEqual([text('b')])
  })

  it('may arrive twice, and counts once', () => {
    const events = eventsOf([end, { type: 'end', stopReason: 'length' }, close(0)])
    expect(events.map((event) => event.type)).toEqual(['message_start', 'message_end'])
  })
})

describe('an answer that was cut at a limit', () => {
  it.each<[string, string, string]>([
    ['whole arguments', '{"x":1}', 'tool_call'],
    ['half of them', '{"x":', 'invalid_tool_call'],
    ['none, which may be all or nothing', '', 'invalid_tool_call'],
  ])('has, of a call with %s', (_, text, type) => {
    for (const stopReason of ['length', 'content_filter'] as const) {
      const events = eventsOf([call({ position: 0, id: 'c', name: 'f', arguments: text }), { type: 'end', stopReason }])
      expect(callsIn(events)).toMatchObject([{ type, argumentsText: text }])
      if (type === 'invalid_tool_call') expect(callsIn(events)).toMatchObject([{ reason: 'truncated' }])
    }
  })

  it('keeps a call without arguments that its block closed', () => {
    const events = eventsOf([call({ key: 0, id: 'c', name: 'f' }), close(0), { type: 'end', stopReason: 'length' }])
    expect(callsIn(events)).toMatchObject([{ type: 'tool_call', arguments: {} }])
  })
})

describe('an answer that was cut off', () => {
  const fragments: Fragment[] = [
    text('a'),
    { type: 'usage', usage: { inputTokens: 3 } },
    call({ key: 0, id: 'c', name: 'f', arguments: '{"x":1}' }),
    close(0),
    call({ position: 0, id: 'd', name: 'f', arguments: '{"x":1}' }),
  ]

  it.each(['interrupted', 'error', 'aborted'] as const)('as %s has no call that was open, whole or not', (reason) => {
    const { events, message } = stopped(fragments, reason)
    expect(message).toMatchObject({ stopReason: reason, usage: { inputTokens: 3 } })
    expect(message.content).toMatchObject([text('a'), { type: 'tool_call', id: 'c' }])
    expect(message.invalidToolCalls).toMatchObject([{ id: 'd', argumentsText: '{"x":1}', reason: 'truncated' }])
    expect(events.at(-1)).toMatchObject({ type: 'invalid_tool_call', index: 2 })
  })

  it('is an error with the received part', () => {
    const state = assemble.start({})
    const events: MessageEvent[] = []
    for (const fragment of fragments) assemble.step(state, fragment, events)
    let error: unknown
    try {
      assemble.end(state, events)
    } catch (caught) {
      error = caught
    }
    expect(error).toBeInstanceOf(InterruptedError)
    expect(error).toMatchObject({ partial: { stopReason: 'interrupted', content: [{ text: 'a' }, { id: 'c' }] } })
    expect(events.some((event) => event.type === 'message_end')).toBe(false)
  })

  it('is not an error if the end had arrived', () => {
    expect(fold([text('a'), end]).message.content).toEqual([text('a')])
    expect(() => fold([text('a')])).toThrow(InterruptedError)
    expect(() => collect(eventsOf([text('a')]))).toThrow(TypeError)
  })

  it('is that of its own answer, also in a list that has events of another', () => {
    const events: MessageEvent[] = []
    const answer = (text: string) => fold([{ type: 'text', text }, end], { events }).message.content
    expect([answer('a'), answer('b')]).toEqual([[text('a')], [text('b')]])
  })
})

describe('limits', () => {
  it.each<[string, AssembleOptions, Fragment[], string, number]>([
    ['blocks', { maxBlocks: 2 }, [text('a'), call({ key: 0, id: 'c', name: 'f' }), reasoning('b')], 'maxBlocks', 2],
    [
      'calls',
      { maxBlocks: 2 },
      [text('a'), call({ id: 'c', name: 'f' }), call({ id: 'd', name: 'f' })],
      'maxBlocks',
      2,
    ],
    [
      'arguments',
      { maxArgumentsLength: 8 },
      [text('a'), call({ id: 'c', name: 'f', arguments: '{"x":' }), call({ arguments: '1234}' })],
      'maxArgumentsLength',
      8,
    ],
  ])('of %s are errors, and the part before is kept', (_, options, fragments, limit, max) => {
    const state = assemble.start(options)
    const events: MessageEvent[] = []
    let error: unknown
    try {
      for (const fragment of fragments) assemble.step(state, fragment, events)
    } catch (caught) {
      error = caught
    }
    expect(error).toBeInstanceOf(LimitError)
    expect(error).toMatchObject({ limit, max })
    expect(stop(state, 'error', events).content).toMatchObject([text('a')])
    expect(events.filter((event) => event.type === 'invalid_tool_call')).toHaveLength(1)
  })

  it('allow arguments and blocks of exactly that size', () => {
    const options = { maxBlocks: 2, maxArgumentsLength: 7 }
    expect(contentOf([text('a'), call({ id: 'c', name: 'f', arguments: '{"x":1}' })], options)).toHaveLength(2)
  })
})

describe('the live view of arguments', () => {
  const views = (pieces: Fragment[]) =>
    pieces.map((_, count) => {
      const last = eventsOf(pieces.slice(0, count + 1), { liveArguments: liveArguments() }).at(-1)
      return last?.type === 'tool_call_chunk' && 'argumentsSoFar' in last.chunk ? last.chunk.argumentsSoFar : undefined
    })

  it('arrives with each piece, if it is requested', () => {
    const pieces = [
      call({ position: 0, id: 'c', name: 'f' }),
      call({ position: 0, arguments: '{"city":"To' }),
      call({ position: 0, arguments: 'kyo"}' }),
    ]
    expect(views(pieces)).toEqual([{}, { city: 'To' }, { city: 'Tokyo' }])
    expect(JSON.stringify(eventsOf(pieces))).not.toContain('argumentsSoFar')
  })

  it('shows arguments that arrived as an object, and arguments that were sent again as a whole', () => {
    expect(views([call({ name: 'f', arguments: { x: 1 } })])).toEqual([{ x: 1 }])
    expect(
      views([call({ key: 0, name: 'f', arguments: '{"x":1' }), call({ key: 0, arguments: '{"x":2}', final: true })]),
    ).toEqual([{}, { x: 2 }])
  })
})

describe('scanPiece', () => {
  it.each<[string[], boolean]>([
    [['{}'], true],
    [['{"a":', '[1,{}]', '}'], true],
    [['[', ']'], true],
    [['{"a":"}'], false],
    [['{"a":"}', '"}'], true],
    [['{"a":"\\', '"}'], false],
    [['{"a":"\\', '\\"}'], true],
    [['{"a":{}'], false],
    [[''], false],
    [['  ', ' '], false],
    [['"{}"'], false],
    [['12'], false],
  ])('of the pieces %j finds a whole: %s', (pieces, whole) => {
    const scan = { depth: 0, inString: false, isEscaped: false, isWhole: false }
    for (const piece of pieces) scanPiece(scan, piece)
    expect(scan.isWhole).toBe(whole)
  })
})
