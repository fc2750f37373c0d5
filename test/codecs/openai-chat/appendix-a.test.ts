/**
 * The streams in which libraries merged, lost, mended or ran the wrong call: what each comes to here.
 *
 * @see peers.md §1d and appendix A
 */
import { describe, expect, it } from 'vitest'
import { canRunTools } from '../../../src/core/content.ts'
import { ApiError, InterruptedError } from '../../../src/core/errors.ts'
import { compatible, createClientCodec, openai } from '../../../src/formats/openai-chat/index.ts'
import { decodeChunks as decodeBytes } from '../../support/decode.ts'
import { blocks, callDelta, decodeChunks, decodeSse, delta, sse } from './run.ts'

const first = delta({ role: 'assistant', content: '' })
const done = delta({}, 'tool_calls')

/** A fragment of a call as OpenAI sends it. */
function piece(index: number, args: string, more: { id?: string; name?: string } = {}): object {
  const { id, name } = more
  return {
    index,
    ...(id !== undefined && { id, type: 'function' }),
    function: { ...(name !== undefined && { name }), arguments: args },
  }
}
/** One without an index. */
function loose(args: string, more: { id?: string; name?: string } = {}): object {
  const { index: _, ...rest } = piece(0, args, more) as { index: number }
  return rest
}

type Call = readonly [id: string, name: string, args: object]
const weather = { city: 'Oslo' }
const oslo: Call = ['call_a', 'weather', weather]
const rome: Call = ['call_b', 'weather', { city: 'Rome' }]

/** Chunks between the first and the reason why it ends; `finish` takes the place of the latter. */
interface Case {
  readonly title: string
  readonly chunks: readonly object[]
  readonly calls: readonly Call[]
  readonly finish?: readonly object[]
  readonly text?: string
  readonly warns?: true
}

const cases: Record<string, Case> = {
  baseline: {
    title: 'a call in pieces is one call',
    chunks: [
      callDelta(piece(0, '', { id: 'call_a', name: 'weather' })),
      callDelta(piece(0, '{"city"')),
      callDelta(piece(0, ':"Oslo"}')),
    ],
    calls: [oslo],
  },
  interleaved: {
    title: 'pieces that alternate by index stay apart',
    chunks: [
      callDelta(piece(0, '', { id: 'call_a', name: 'weather' })),
      callDelta(piece(1, '', { id: 'call_b', name: 'weather' })),
      callDelta(piece(0, '{"city"')),
      callDelta(piece(1, '{"city":')),
      callDelta(piece(0, ':"Oslo"}')),
      callDelta(piece(1, '"Rome"}')),
    ],
    calls: [oslo, rome],
  },
  noIndexWhole: {
    title: 'whole calls without an index are calls of their own',
    chunks: [
      callDelta(
        loose('{"city":"Oslo"}', { id: 'call_a', name: 'weather' }),
        loose('{"city":"Rome"}', { id: 'call_b', name: 'weather' }),
      ),
    ],
    calls: [oslo, rome],
  },
  noIndexFragments: {
    title: 'pieces without an index or id belong to the call before them',
    chunks: [
      callDelta(loose('', { id: 'call_a', name: 'weather' })),
      callDelta(loose('{"city"')),
      callDelta(loose(':"Oslo"}')),
      callDelta(loose('', { id: 'call_b', name: 'weather' })),
      callDelta(loose('{"city"')),
      callDelta(loose(':"Rome"}')),
    ],
    calls: [oslo, rome],
  },
  twoOpenThenBare: {
    title: 'a piece that names neither of two open calls goes to the latest, and that is told',
    chunks: [
      callDelta(piece(0, '{"city":"Oslo"', { id: 'call_a', name: 'weather' })),
      callDelta(piece(1, '{"city":"Ro', { id: 'call_b', name: 'weather' })),
      callDelta({ function: { arguments: 'me"}' } }),
      callDelta(piece(0, '}')),
    ],
    calls: [oslo, rome],
    warns: true,
  },
  sameIndexTwoIds: {
    title: 'another id with a name at the same index is another call',
    chunks: [
      callDelta(piece(0, '{"city":"Oslo"}', { id: 'call_a', name: 'weather' })),
      callDelta(piece(0, '{"city":"Rome"}', { id: 'call_b', name: 'weather' })),
    ],
    calls: [oslo, rome],
  },
  dupIdsTwoCalls: {
    title: 'one id at two indexes is two calls with ids of their own',
    chunks: [
      callDelta(piece(0, '{"city":"Oslo"}', { id: 'call_a', name: 'weather' })),
      callDelta(piece(1, '{"city":"Rome"}', { id: 'call_a', name: 'weather' })),
    ],
    calls: [oslo, ['call_a_1', 'weather', { city: 'Rome' }]],
  },
  idEveryDelta: {
    title: 'an id that comes with every piece is one id',
    chunks: [
      callDelta(piece(0, '', { id: 'call_a', name: 'weather' })),
      callDelta(piece(0, '{"city"', { id: 'call_a' })),
      callDelta(piece(0, ':"Oslo"}', { id: 'call_a' })),
    ],
    calls: [oslo],
  },
  emptyIdLater: {
    title: 'an empty id in later pieces means the same call',
    chunks: [
      callDelta(piece(0, '', { id: 'call_a', name: 'weather' })),
      callDelta({ index: 0, id: '', type: '', function: { name: '', arguments: '{"city":"Oslo"}' } }),
    ],
    calls: [oslo],
  },
  nullIdNameLater: {
    title: 'id and name null in later pieces mean the same call',
    chunks: [
      callDelta(piece(0, '', { id: 'call_a', name: 'weather' })),
      callDelta({ index: 0, id: null, type: null, function: { name: null, arguments: '{"city":"Oslo"}' } }),
    ],
    calls: [oslo],
  },
  idMissing: {
    title: 'a call without an id gets one',
    chunks: [callDelta(piece(0, '{"city":"Oslo"}', { name: 'weather' }))],
    calls: [['call_0', 'weather', weather]],
  },
  idEmpty: {
    title: 'a call with an empty id gets one',
    chunks: [callDelta(piece(0, '{"city":"Oslo"}', { id: '', name: 'weather' }))],
    calls: [['call_0', 'weather', weather]],
  },
  typeMissing: {
    title: 'a call without a type is a function call',
    chunks: [callDelta({ index: 0, id: 'call_a', function: { name: 'weather', arguments: '{"city":"Oslo"}' } })],
    calls: [oslo],
  },
  bigIndex: {
    title: 'an index that begins at 1 is the first call all the same',
    chunks: [callDelta(piece(1, '', { id: 'call_a', name: 'weather' })), callDelta(piece(1, '{"city":"Oslo"}'))],
    calls: [oslo],
  },
  nameSplit: {
    title: 'a name in two pieces is one name',
    chunks: [
      callDelta(piece(0, '', { id: 'call_a', name: 'wea' })),
      callDelta(piece(0, '', { name: 'ther' })),
      callDelta(piece(0, '{"city":"Oslo"}')),
    ],
    calls: [oslo],
  },
  nameRepeated: {
    title: 'a name that comes with every piece is one name',
    chunks: [
      callDelta(piece(0, '{"city"', { id: 'call_a', name: 'weather' })),
      callDelta(piece(0, ':"Oslo"}', { name: 'weather' })),
    ],
    calls: [oslo],
  },
  argsObject: {
    title: 'arguments that are an object already are the arguments',
    chunks: [
      callDelta({ index: 0, id: 'call_a', type: 'function', function: { name: 'weather', arguments: weather } }),
    ],
    calls: [oslo],
  },
  argsNullNoArgs: {
    title: 'arguments null mean none',
    chunks: [callDelta({ index: 0, id: 'call_a', type: 'function', function: { name: 'weather', arguments: null } })],
    calls: [['call_a', 'weather', {}]],
  },
  argsAbsentThenText: {
    title: 'arguments that are absent at first come later',
    chunks: [
      callDelta({ index: 0, id: 'call_a', type: 'function', function: { name: 'weather' } }),
      callDelta(piece(0, '{"city":"Oslo"}')),
    ],
    calls: [oslo],
  },
  argsAfterFinish: {
    title: 'arguments behind the reason to stop still count',
    chunks: [callDelta(piece(0, '{"city"', { id: 'call_a', name: 'weather' })), done, callDelta(piece(0, ':"Oslo"}'))],
    finish: [],
    calls: [oslo],
  },
  finishTwice: {
    title: 'a reason to stop that comes twice stops once',
    chunks: [callDelta(piece(0, '{"city":"Oslo"}', { id: 'call_a', name: 'weather' })), done],
    calls: [oslo],
  },
  finishStop: {
    title: 'calls say that it stopped for calls, whatever the reason',
    chunks: [callDelta(piece(0, '{"city":"Oslo"}', { id: 'call_a', name: 'weather' }))],
    finish: [delta({}, 'stop')],
    calls: [oslo],
  },
  textAndToolSameChunk: {
    title: 'text and a call in one chunk are both there',
    chunks: [
      delta({ content: 'Looking.', tool_calls: [piece(0, '{"city":"Oslo"}', { id: 'call_a', name: 'weather' })] }),
    ],
    text: 'Looking.',
    calls: [oslo],
  },
  legacyFunctionCall: {
    title: 'the deprecated form of a call is a call, with an id of ours',
    chunks: [
      delta({ function_call: { name: 'weather', arguments: '' } }),
      delta({ function_call: { arguments: '{"city"' } }),
      delta({ function_call: { arguments: ':"Oslo"}' } }),
    ],
    finish: [delta({}, 'function_call')],
    calls: [['call_0', 'weather', weather]],
  },
}

describe('calls', () => {
  it.each(Object.entries(cases))('%s: $title', (_name, { chunks, finish = [done], calls, text = '', warns }) => {
    const { response, error, events } = decodeChunks([first, ...chunks, ...finish])
    expect(error).toBeUndefined()
    const all = blocks(response)
    const found = all.filter((block) => block.type === 'tool_call')
    expect(found.map((call) => [call.id, call.name, call.arguments])).toEqual(calls)
    expect(found.map((call) => call.index)).toEqual(calls.map((_, at) => at))
    expect(all.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')).toBe(text)
    expect(response?.stopReason).toBe('tool_calls')
    expect(events.filter((event) => event.type === 'tool_call')).toHaveLength(calls.length)
    expect(events.some((event) => event.type === 'warning')).toBe(warns === true)
  })
})

describe('answers that must not run', () => {
  const opened = callDelta(piece(0, '{"path":"/etc/ho', { id: 'call_a', name: 'write' }))

  it('invalidArgs: arguments cut by the length are kept as they are, and are not calls', () => {
    const { response } = decodeChunks([first, opened, delta({}, 'length')])
    expect(blocks(response)).toEqual([])
    expect(response?.message.invalidToolCalls).toMatchObject([
      { id: 'call_a', name: 'write', argumentsText: '{"path":"/etc/ho' },
    ])
    expect(response?.stopReason).toBe('length')
    expect(response && canRunTools(response.message)).toBe(false)
  })

  it('invalidArgs: a friendly reason to stop does not mend them', () => {
    const { response } = decodeChunks([first, opened, delta({}, 'tool_calls')])
    expect(blocks(response)).toEqual([])
    expect(response?.message.invalidToolCalls?.[0]?.reason).toBe('malformed_json')
  })

  it.each([
    ['eofNoFinish', [first, callDelta(piece(0, '{"city":"Oslo"}', { id: 'call_a', name: 'weather' }))]],
    ['eofMidArgs', [first, opened]],
  ])('%s: a stream that just ends is interrupted, and the received part is kept', (_name, chunks) => {
    const { response, error } = decodeSse(sse(...chunks), compatible)
    expect(response).toBeUndefined()
    expect(error).toBeInstanceOf(InterruptedError)
    expect(error?.partial?.stopReason).toBe('interrupted')
    expect(error?.partial && canRunTools(error.partial)).toBe(false)
  })

  it('OpenAI: [DONE] without a reason to stop is an interruption; hosts known for it are believed', () => {
    const chunks = [first, delta({ content: 'Hi' }), '[DONE]']
    expect(decodeSse(sse(...chunks), openai).error).toBeInstanceOf(InterruptedError)
    expect(decodeSse(sse(...chunks), compatible).response?.stopReason).toBe('stop')
  })

  it('a missing [DONE] after a stop reason is harmless', () => {
    const { response } = decodeSse(sse(first, delta({ content: 'Hi' }), delta({}, 'stop')))
    expect(response?.stopReason).toBe('stop')
  })

  it('midErrorObj: an error in the middle is thrown, with the part before it', () => {
    const failure = { error: { message: 'The server had an error', type: 'server_error', code: null } }
    const { error, response } = decodeSse(sse(first, delta({ content: 'Half' }), failure))
    expect(response).toBeUndefined()
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ kind: 'server', retryable: true, message: 'The server had an error' })
    expect(error?.partial).toMatchObject({ content: [{ type: 'text', text: 'Half' }], stopReason: 'error' })
  })
})

describe('framing', () => {
  const chunks = [first, delta({ content: 'Grüße, 世界 🌍' }), delta({}, 'stop')]

  it('crlfNoSpaceComment: CRLF, no space after the colon, and comments make no difference', () => {
    const text = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]']
      .map((data) => `: PROCESSING\r\n\r\ndata:${data}\r\n\r\n`)
      .join('')
    expect(blocks(decodeSse(text).response)).toEqual([{ type: 'text', text: 'Grüße, 世界 🌍' }])
  })

  it('utf8Split: one byte at a time makes no difference', () => {
    const bytes = new TextEncoder().encode(sse(...chunks, '[DONE]'))
    const { response } = decodeBytes(
      createClientCodec(),
      Array.from(bytes, (byte) => new Uint8Array([byte])),
    )
    expect(blocks(response)).toEqual([{ type: 'text', text: 'Grüße, 世界 🌍' }])
  })
})

describe('figures', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
  const figures = { inputTokens: 10, outputTokens: 5, totalTokens: 15 }
  const said = [first, delta({ content: 'Hi' })]

  it.each([
    ['usageTail: in a chunk of their own', [...said, delta({}, 'stop'), { ...delta({}), choices: [], usage }]],
    ['noUsageChoices: with the reason to stop', [...said, { ...delta({}, 'stop'), usage }]],
    ['in that chunk, with no choices at all', [...said, delta({}, 'stop'), { id: 'chatcmpl-1', usage }]],
    [
      'cumulativeUsage: with every chunk, the last of which counts',
      [
        { ...first, usage: { ...usage, completion_tokens: 1, total_tokens: 11 } },
        { ...delta({ content: 'Hi' }), usage: { ...usage, completion_tokens: 4, total_tokens: 14 } },
        { ...delta({}, 'stop'), usage },
      ],
    ],
    ['under x_groq', [...said, { ...delta({}, 'stop'), x_groq: { id: 'req_1', usage } }]],
    ['in the choice', [...said, { ...delta({}), choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }]],
  ])('%s', (_name, chunks) => {
    expect(decodeChunks(chunks).response?.usage).toMatchObject(figures)
  })

  it('are unknown, and not 0, where none came', () => {
    expect(decodeChunks([...said, delta({}, 'stop')]).response?.usage).toBeUndefined()
  })
})

describe('reasoning and odd content', () => {
  const stop = delta({}, 'stop')

  it.each([
    ['reasoningContent', 'reasoning_content'],
    ['reasoningField', 'reasoning'],
    ['reasoning_text', 'reasoning_text'],
  ])('%s: is read from "%s"', (_name, field) => {
    const { response } = decodeChunks([
      first,
      delta({ [field]: 'Hm' }),
      delta({ [field]: 'm.' }),
      delta({ content: 'Hi' }),
      stop,
    ])
    expect(blocks(response)).toEqual([
      { type: 'reasoning', text: 'Hmm.' },
      { type: 'text', text: 'Hi' },
    ])
  })

  it('reads reasoning once where a host sends it in two fields', () => {
    const { response } = decodeChunks([delta({ reasoning_content: 'Hm', reasoning: 'Hm' }), stop])
    expect(blocks(response)).toEqual([{ type: 'reasoning', text: 'Hm' }])
  })

  it('contentArray: parts are read as what they are', () => {
    const { response } = decodeChunks([
      delta({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] }] }),
      delta({ content: [{ type: 'text', text: 'He' }] }),
      delta({ content: 'llo' }),
      stop,
    ])
    expect(blocks(response)).toEqual([
      { type: 'reasoning', text: 'Hm' },
      { type: 'text', text: 'Hello' },
    ])
  })

  it.each([
    ['choicesMissing', { id: 'chatcmpl-1', model: 'm' }],
    ['choices null', { id: 'chatcmpl-1', model: 'm', choices: null }],
    ['deltaMissing', { id: 'chatcmpl-1', model: 'm', choices: [{ index: 0, finish_reason: null }] }],
    ['delta null', { id: 'chatcmpl-1', model: 'm', choices: [{ index: 0, delta: null, finish_reason: null }] }],
  ])('%s: a chunk without the usual fields is skipped', (_name, chunk) => {
    const { response, error } = decodeChunks([first, chunk, delta({ content: 'Hi' }), chunk, stop])
    expect(error).toBeUndefined()
    expect(blocks(response)).toEqual([{ type: 'text', text: 'Hi' }])
  })

  it('thinkTag: tags in the text stay text, since only the model knows their meaning', () => {
    const { response } = decodeChunks([first, delta({ content: '<think>Hm</think>Hi' }), stop])
    expect(blocks(response)).toEqual([{ type: 'text', text: '<think>Hm</think>Hi' }])
  })
})
