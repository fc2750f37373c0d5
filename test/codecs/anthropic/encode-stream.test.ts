import { describe, expect, it } from 'vitest'
import type { Frame } from '../../../src/core/codec.ts'
import { ApiError } from '../../../src/core/errors.ts'
import type { AssistantMessage, MessageEvent } from '../../../src/core/messages.ts'
import { createServerCodec } from '../../../src/formats/anthropic/index.ts'
import { encodeEvents } from './run.ts'

const start: MessageEvent = { type: 'message_start', id: 'chatcmpl-1', model: 'gpt-x' }
function end(): MessageEvent {
  const message: AssistantMessage = { role: 'assistant', content: [], stopReason: 'stop' }
  const usage = { inputTokens: 7, outputTokens: 5 }
  return { type: 'message_end', message, response: { message, stopReason: 'stop', usage } }
}
function text(index: number, ...pieces: string[]): MessageEvent[] {
  return [
    ...pieces.map((piece) => ({ type: 'text_delta', index, text: piece }) as const),
    { type: 'content_block', index, block: { type: 'text', text: pieces.join('') } },
  ]
}
function parsed(frames: readonly Frame[]): { type: string; [field: string]: unknown }[] {
  return frames.map(({ event, data }) => {
    const value = JSON.parse(data)
    expect(event).toBe(value.type) // the SDK drops events without their name
    return value
  })
}

describe('a stream', () => {
  it('begins, has content, and ends like a stream of the API', () => {
    expect(parsed(encodeEvents([start, ...text(0, 'a', 'b'), end()]))).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'chatcmpl-1',
          type: 'message',
          role: 'assistant',
          model: 'gpt-x',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 0, output_tokens: 0 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'b' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { input_tokens: 7, output_tokens: 5 },
      },
      { type: 'message_stop' },
    ])
  })
})

describe('the end', () => {
  const error = new ApiError('Overloaded', { kind: 'overloaded', retryable: true, requestId: 'req_1' })

  it('may be an error, which is the last event, without a normal end', () => {
    const encoder = createServerCodec().encodeStream()
    const out: Frame[] = []
    encoder.push(start, out)
    encoder.push({ type: 'text_delta', index: 0, text: 'a' }, out)
    encoder.fail(error, out)
    encoder.fail(error, out)
    encoder.push(end(), out)
    encoder.end(out)
    const events = parsed(out)
    expect(events.filter(({ type }) => type === 'error' || type === 'message_stop')).toEqual([
      { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' }, request_id: 'req_1' },
    ])
    expect(events.at(-1)?.type).toBe('error')
  })
})
