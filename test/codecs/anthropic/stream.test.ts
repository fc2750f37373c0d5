import { describe, expect, it } from 'vitest'
import type { Fragment, Frame } from '../../../src/core/codec.ts'
import { ApiError } from '../../../src/core/errors.ts'
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
})

it('the end may be [DONE], and twice', () => {
  const input: Frame[] = [...frames(start, ...text, stop('end_turn'), end), { data: '[DONE]' }, { data: '' }]
  expect(fragmentsOf(input).filter(({ type }) => type === 'end')).toHaveLength(1)
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
})
