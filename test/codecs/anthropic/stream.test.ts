import { describe, expect, it } from 'vitest'
import type { Fragment, Frame } from '../../../src/core/codec.ts'
import { ApiError, InterruptedError } from '../../../src/core/errors.ts'
import type { ChatResponse } from '../../../src/core/messages.ts'
import { decodeStream } from '../../../src/formats/anthropic/index.ts'
import { foldFrames, fragmentsOf, frames } from './run.ts'

const usage = { input_tokens: 3, output_tokens: 1 }
const start = {
  type: 'message_start',
  message: { id: 'msg_1', model: 'claude-x', role: 'assistant', type: 'message', content: [], usage },
}
const open = (content_block: object, index = 0) => ({ type: 'content_block_start', index, content_block })
const delta = (fields: object, index = 0) => ({ type: 'content_block_delta', index, delta: fields })
const close = (index = 0) => ({ type: 'content_block_stop', index })
const stop = (stop_reason: unknown, more: object = {}) => ({
  type: 'message_delta',
  delta: { stop_reason, stop_sequence: null },
  ...more,
})
const end = { type: 'message_stop' }
const text = [open({ type: 'text', text: '' }), delta({ type: 'text_delta', text: 'hi' }), close()]
const tool = (id = 'toolu_1') => open({ type: 'tool_use', id, name: 'f', input: {} })
const json = (partial_json: string, index = 0) => delta({ type: 'input_json_delta', partial_json }, index)

function read(...events: object[]): ChatResponse {
  return foldFrames(frames(...events))
}

describe('stop reasons', () => {
  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['pause_turn', 'pause'],
    ['compaction', 'pause'],
    ['refusal', 'refusal'],
    ['sensitive', 'content_filter'],
    ['a_word_from_next_year', 'other'],
    ['constructor', 'other'],
    ['tool_use', 'other'], // though no tool is called
  ])('%s is %s, and the original value is kept', (raw, reason) => {
    expect(read(start, ...text, stop(raw), end)).toMatchObject({ stopReason: reason, message: { rawStopReason: raw } })
  })

  it('calls decide: end_turn with calls is tool_calls', () => {
    expect(read(start, tool(), close(), stop('end_turn'), end).stopReason).toBe('tool_calls')
  })

  it('null or absent means that the answer was cut', () => {
    expect(() => read(start, ...text, stop(null), end)).toThrow(InterruptedError)
    expect(() => read(start, ...text, end)).toThrow(InterruptedError)
  })
})

describe('the end', () => {
  it('may lack message_stop, if the stop reason was sent', () => {
    expect(read(start, ...text, stop('end_turn')).stopReason).toBe('stop')
  })

  it('may be [DONE], and twice', () => {
    const input: Frame[] = [...frames(start, ...text, stop('end_turn'), end), { data: '[DONE]' }, { data: '' }]
    expect(fragmentsOf(input).filter(({ type }) => type === 'end')).toHaveLength(1)
  })

  it('is at message_stop, and does not wait for the end of the connection', () => {
    const machine = decodeStream()
    const out: Fragment[] = []
    for (const frame of frames(start, ...text, stop('end_turn'), end)) machine.push(frame, out)
    expect(out.at(-1)).toMatchObject({ type: 'end' })
  })

  it('that is missing keeps the received part, as interrupted, and its calls never run', () => {
    let error: unknown
    try {
      read(start, ...text, { ...tool(), index: 1 }, json('{"a":', 1))
    } catch (caught) {
      error = caught
    }
    expect(error).toBeInstanceOf(InterruptedError)
    expect((error as InterruptedError).partial).toMatchObject({
      stopReason: 'interrupted',
      content: [{ type: 'text', text: 'hi' }],
      invalidToolCalls: [{ reason: 'truncated' }],
    })
  })
})

describe('usage', () => {
  it('is overwritten by each later figure that is there, never added, and counts cached input', () => {
    const first = { input_tokens: 3, cache_read_input_tokens: 10, cache_creation_input_tokens: 100, output_tokens: 1 }
    const message = { ...start.message, usage: first }
    const last = {
      usage: { output_tokens: 9, cache_read_input_tokens: null, output_tokens_details: { thinking_tokens: 4 } },
    }
    expect(read({ type: 'message_start', message }, ...text, stop('end_turn', last), end).usage).toEqual({
      inputTokens: 113,
      outputTokens: 9,
      totalTokens: 122,
      cacheReadTokens: 10,
      cacheWriteTokens: 100,
      reasoningTokens: 4,
      providerData: { anthropic: { ...first, output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } } },
    })
  })

  it('that is not reported is unknown, and not 0', () => {
    const message = { ...start.message, usage: undefined }
    expect(read({ type: 'message_start', message }, ...text, stop('end_turn'), end).usage).toBeUndefined()
    expect(
      read({ type: 'message_start', message }, ...text, stop('end_turn', { usage: { output_tokens: 2 } }), end).usage,
    ).toEqual({
      outputTokens: 2,
      providerData: { anthropic: { output_tokens: 2 } },
    })
  })
})

describe('calls', () => {
  it.each<[string, object[], object]>([
    ['no deltas', [tool(), close()], {}],
    ['an empty delta', [tool(), json(''), close()], {}],
    ['pieces', [tool(), json(''), json('{"a"'), json(':1}'), close()], { a: 1 }],
    ['input in the start event', [open({ type: 'tool_use', id: 'x', name: 'f', input: { a: 1 } }), close()], { a: 1 }],
    [
      'input in both',
      [open({ type: 'tool_use', id: 'x', name: 'f', input: { a: 0 } }), json('{"a":1}'), close()],
      { a: 1 },
    ],
    ['input as text', [open({ type: 'tool_use', id: 'x', name: 'f', input: '{"a":1}' }), close()], { a: 1 }],
    ['no input', [open({ type: 'tool_use', id: 'x', name: 'f' }), close()], {}],
    ['no stop event', [tool(), json('{"a":1}')], { a: 1 }],
  ])('with %s', (_, events, args) => {
    const { message, stopReason } = read(start, ...events, stop('tool_use'), end)
    expect(message.content).toMatchObject([{ type: 'tool_call', name: 'f', arguments: args, index: 0, complete: true }])
    expect((message.content as unknown as { arguments: object }[])[0]?.arguments).toEqual(args)
    expect(stopReason).toBe('tool_calls')
  })

  it.each<[string, object[], string]>([
    ['broken JSON', [tool(), json('{"a":'), close()], 'malformed_json'],
    ['an array', [tool(), json('[1]'), close()], 'not_an_object'],
    [
      'an array in the start event',
      [open({ type: 'tool_use', id: 'x', name: 'f', input: [1] }), close()],
      'not_an_object',
    ],
    ['no name', [open({ type: 'tool_use', id: 'x', input: {} }), close()], 'missing_name'],
    ['arguments without a start', [json('{"a":1}')], 'missing_name'],
  ])('with %s are invalid, and kept', (_, events, reason) => {
    expect(read(start, ...events, stop('tool_use'), end).message).toMatchObject({
      content: [],
      invalidToolCalls: [{ reason }],
    })
  })

  it('cut by the limit never run, not even with empty arguments', () => {
    for (const events of [[tool()], [tool(), json('{"a":1')]]) {
      expect(read(start, ...events, stop('max_tokens'), end)).toMatchObject({
        stopReason: 'length',
        message: { content: [], invalidToolCalls: [{ reason: 'truncated' }] },
      })
    }
  })

  it('without an id get one', () => {
    expect(
      read(start, open({ type: 'tool_use', name: 'f', input: {} }), close(), stop('tool_use'), end).message.content,
    ).toMatchObject([{ id: 'toolu_isoglot_0', generatedId: true }])
  })

  it('are numbered by themselves, without the blocks between them', () => {
    const events = [
      ...text,
      open({ type: 'tool_use', id: 'x', name: 'f', input: {} }, 1),
      close(1),
      open({ type: 'tool_use', id: 'y', name: 'f', input: {} }, 2),
      close(2),
    ]
    const { content } = read(start, ...events, stop('tool_use'), end).message
    expect((content as { type: string; index?: number }[]).map(({ type, index }) => [type, index])).toEqual([
      ['text', undefined],
      ['tool_call', 0],
      ['tool_call', 1],
    ])
  })

  it("of the provider's own are not read as ours", () => {
    const events = [
      open({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
      json('{"query":"q"}'),
      close(),
    ]
    expect(read(start, ...events, stop('end_turn'), end)).toMatchObject({
      stopReason: 'stop',
      message: {
        content: [{ type: 'server_tool_call', id: 'srvtoolu_1', name: 'web_search', arguments: { query: 'q' } }],
      },
    })
  })
})

describe('blocks', () => {
  it('of thinking take the signature that comes last, which replaces', () => {
    const events = [
      open({ type: 'thinking', thinking: '', signature: '' }),
      delta({ type: 'thinking_delta', thinking: 'hm' }),
      delta({ type: 'signature_delta', signature: 'one' }),
      delta({ type: 'signature_delta', signature: 'two' }),
      close(),
    ]
    expect(read(start, ...events, stop('end_turn'), end).message.content).toEqual([
      {
        type: 'reasoning',
        text: 'hm',
        opaque: { provider: 'anthropic', model: 'claude-x', format: 'anthropic', data: { signature: 'two' } },
      },
    ])
  })

  it('of thinking without a text are kept, with a signature or without', () => {
    const unsigned = [
      open({ type: 'thinking', thinking: '' }),
      delta({ type: 'signature_delta', signature: '' }),
      close(),
    ]
    expect(read(start, ...unsigned, stop('end_turn'), end).message.content).toEqual([{ type: 'reasoning', text: '' }])
  })

  it('of text take citations before and after their text', () => {
    const citation = {
      type: 'page_location',
      cited_text: 'x',
      document_index: 0,
      document_title: 'Doc',
      start_page_number: 1,
      end_page_number: 2,
    }
    const events = [
      open({ type: 'text', text: '', citations: [] }),
      delta({ type: 'citations_delta', citation }),
      delta({ type: 'text_delta', text: 'a' }),
      close(),
    ]
    expect(read(start, ...events, stop('end_turn'), end).message.content).toEqual([
      {
        type: 'text',
        text: 'a',
        citations: [{ type: 'citation', title: 'Doc', text: 'x', providerData: { anthropic: citation } }],
      },
    ])
  })

  it('that stand in message_start are blocks like others, and indices go on after them', () => {
    const content = [
      { type: 'text', text: 'before' },
      { type: 'tool_use', id: 'x', name: 'f', input: { a: 1 } },
    ]
    const events = [open({ type: 'text', text: '' }, 2), delta({ type: 'text_delta', text: 'after' }, 2), close(2)]
    expect(
      read({ type: 'message_start', message: { ...start.message, content } }, ...events, stop('tool_use'), end).message
        .content,
    ).toMatchObject([
      { type: 'text', text: 'before' },
      { type: 'tool_call', id: 'x', arguments: { a: 1 } },
      { type: 'text', text: 'after' },
    ])
  })

  it('of a kind we do not know are kept, with what their deltas bring', () => {
    const events = [
      open({ type: 'hologram', id: 'h', caption: 'a' }),
      delta({ type: 'hologram_delta', caption: 'b', points: [1] }),
      delta({ type: 'hologram_delta', points: [2] }),
      close(),
      open({ type: 'text', text: '' }, 1),
      delta({ type: 'text_delta', text: 'hi' }, 1),
    ]
    expect(read(start, ...events, stop('end_turn'), end).message.content).toEqual([
      {
        type: 'unknown',
        format: 'anthropic',
        providerType: 'hologram',
        value: { type: 'hologram', id: 'h', caption: 'ab', points: [2] },
      },
      { type: 'text', text: 'hi' },
    ])
  })

  it('of a kind we do not know are kept when the stream ends or fails before they do', () => {
    const hologram = open({ type: 'hologram', id: 'h' })
    expect(read(start, hologram, stop('end_turn')).message.content).toMatchObject([{ type: 'unknown' }])
    const out: Fragment[] = []
    const machine = decodeStream()
    const failing = frames(start, hologram, { type: 'error', error: { type: 'api_error', message: 'x' } })
    expect(() => failing.map((frame) => machine.push(frame, out))).toThrow(ApiError)
    machine.end(out)
    expect(out.at(-1)).toMatchObject({ type: 'block', block: { type: 'unknown' } })
  })

  it('may use an index again, and are blocks of their own', () => {
    const { content } = read(start, ...text, ...text, stop('end_turn'), end).message
    expect(content).toEqual([
      { type: 'text', text: 'hi' },
      { type: 'text', text: 'hi' },
    ])
  })

  it('may come without a start', () => {
    expect(read(start, delta({ type: 'text_delta', text: 'hi' }, 4), stop('end_turn'), end).message.content).toEqual([
      { type: 'text', text: 'hi' },
    ])
  })
})

describe('unknown parts', () => {
  it('in events and deltas changes nothing', () => {
    const plain = read(start, ...text, stop('end_turn'), end)
    const noisy = read(
      { type: 'ping' },
      start,
      { type: 'sparkle', data: 1 },
      open({ type: 'text', text: '' }),
      delta({ type: 'sparkle_delta', sparkle: 1 }),
      delta({ type: 'text_delta', text: 'hi' }),
      { type: 'ping' },
      close(),
      stop('end_turn'),
      end,
      { type: 'sparkle' },
    )
    expect(noisy).toEqual(plain)
  })

  it('of the answer as a whole is kept', () => {
    const last = {
      type: 'message_delta',
      delta: { stop_reason: 'refusal', stop_sequence: null, stop_details: { type: 'refusal' } },
      context_management: { a: 1 },
    }
    expect(
      read({ type: 'message_start', message: { ...start.message, later: 1, stop_details: null } }, last, end)
        .providerData,
    ).toEqual({
      anthropic: { later: 1, stop_details: { type: 'refusal' }, context_management: { a: 1 } },
    })
  })

  // The official client assigns what a delta of a compaction holds: node_modules/@anthropic-ai/sdk/lib/BetaMessageStream.js.
  it('is replaced by the last delta of a compaction', () => {
    const { message } = read(
      start,
      open({ type: 'compaction', content: '', encrypted_content: 'first' }),
      delta({ type: 'compaction_delta', content: 'Some', encrypted_content: 'second' }),
      delta({ type: 'compaction_delta', content: 'All', encrypted_content: 'third' }),
      close(),
      stop('compaction'),
      end,
    )
    expect(message.content).toMatchObject([
      {
        output: 'All',
        providerData: { anthropic: { type: 'compaction', content: 'All', encrypted_content: 'third' } },
      },
    ])
  })

  it('may come without a type, if the event has a name', () => {
    const out: Fragment[] = []
    decodeStream().push({ event: 'message_start', data: JSON.stringify({ message: start.message }) }, out)
    expect(out[0]).toEqual({ type: 'start', id: 'msg_1', model: 'claude-x' })
  })
})

describe('errors', () => {
  it.each([
    ['overloaded_error', 'overloaded', true],
    ['api_error', 'server', true],
    ['rate_limit_error', 'rate_limit', true],
    ['timeout_error', 'timeout', true],
    ['invalid_request_error', 'invalid_request', false],
    ['of_next_year', 'server', true],
  ])('of type %s are %s, also as the first event', (type, kind, retryable) => {
    const event = { type: 'error', error: { type, message: 'Overloaded' }, request_id: 'req_1' }
    for (const events of [[event], [start, ...text, event]]) {
      const broken = () => read(...events)
      expect(broken).toThrow(expect.objectContaining({ code: 'api', kind, retryable, requestId: 'req_1' }))
      expect(broken).not.toThrow(expect.objectContaining({ status: expect.anything() }))
    }
  })

  it.each<[string, string, string]>([
    ['broken JSON', '{"type":', ''],
    ['no object', '5', ''],
    ['an array', '[]', ''],
    ['null', 'null', ''],
    ['no block', '{"type":"content_block_start","index":0}', 'content_block'],
    ['a block that is none', '{"type":"content_block_start","index":0,"content_block":"text"}', 'content_block'],
    [
      'a text that is none',
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":5}}',
      'delta.text',
    ],
    [
      'thinking that is none',
      '{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":{}}}',
      'delta.thinking',
    ],
    [
      'arguments that are none',
      '{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":{}}}',
      'delta.partial_json',
    ],
  ])('report what is wrong: %s', (_, data, path) => {
    const out: Fragment[] = []
    expect(() => decodeStream().push({ data }, out)).toThrow(expect.objectContaining({ name: 'DecodeError', path }))
  })

  it.each([
    '{"type":"message_start"}',
    '{"type":"message_start","message":[]}',
    '{"type":"message_start","message":{"content":5,"usage":5,"id":5,"model":null}}',
    '{"type":"message_delta"}',
    '{"type":"message_delta","delta":null,"usage":"none"}',
    '{"type":"content_block_delta"}',
    '{"type":"content_block_delta","delta":[]}',
    '{"type":"content_block_delta","index":{},"delta":{"type":"citations_delta","citation":5}}',
    '{"type":"content_block_delta","index":-1,"delta":{"type":"signature_delta","signature":null}}',
    '{"type":"content_block_stop","index":99}',
    '{"type":"__proto__"}',
    '{"__proto__":{"type":"message_stop"}}',
    '{}',
  ])('are not thrown for %s', (data) => {
    expect(() => foldFrames([...frames(start, ...text), { data }, ...frames(stop('end_turn'), end)])).not.toThrow()
  })
})
