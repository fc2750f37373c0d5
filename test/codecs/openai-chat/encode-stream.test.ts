import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/core/errors.ts'
import type { AssistantMessage, ChatResponse, MessageEvent, Usage } from '../../../src/core/messages.ts'
import { encodeStream } from '../../../src/formats/openai-chat/index.ts'
import { oracle } from './oracle.ts'

interface Chunk {
  readonly choices: readonly { readonly delta: Record<string, unknown>; readonly finish_reason: string | null }[]
  readonly usage?: unknown
}

function write(events: readonly MessageEvent[], reply = {}) {
  const encoder = encodeStream(reply)
  const out: { data: string }[] = []
  for (const event of events) encoder.push(event, out)
  encoder.end(out)
  const data = out.map((frame) => frame.data)
  const chunks = data.filter((one) => one !== '[DONE]').map((one) => JSON.parse(one) as Chunk)
  return { data, chunks, encoder, text: data.map((one) => `data: ${one}\n\n`).join('') }
}

const start: MessageEvent = { type: 'message_start', id: 'msg_1', model: 'm' }
function end(content: AssistantMessage['content'], more: Partial<ChatResponse> = {}): MessageEvent {
  const { stopReason = 'stop' } = more
  const message: AssistantMessage = { role: 'assistant', content, stopReason }
  return { type: 'message_end', message, response: { message, stopReason, ...more } }
}

describe('text', () => {
  it('has its citations after it, by offsets into all its text', () => {
    const block = (at: number) =>
      ({
        type: 'content_block',
        index: at,
        block: { type: 'text', text: 'abc', citations: [{ type: 'citation', url: 'u', startIndex: 1, endIndex: 2 }] },
      }) as const
    const { chunks } = write([
      start,
      { type: 'text_delta', index: 0, text: 'abc' },
      block(0),
      { type: 'text_delta', index: 1, text: 'abc' },
      block(1),
      end([]),
    ])
    const found = chunks.flatMap((one) => (one.choices[0]?.delta.annotations ?? []) as { url_citation: object }[])
    expect(found.map((one) => one.url_citation)).toMatchObject([
      { start_index: 1, end_index: 2 },
      { start_index: 4, end_index: 5 },
    ])
  })
})

describe('the end', () => {
  const usage: Usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15, reasoningTokens: 2 }

  it('has usage after the stop reason, and then the mark', () => {
    const { data, chunks } = write([start, { type: 'text_delta', index: 0, text: 'Hi' }, end([], { usage })])
    expect(data.at(-1)).toBe('[DONE]')
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks.at(-1)).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    })
  })

  it('is one error, without a mark, if the answer failed', async () => {
    const encoder = encodeStream()
    const out: { data: string }[] = []
    encoder.push(start, out)
    encoder.fail(new ApiError('Overloaded', { kind: 'overloaded', retryable: true }), out)
    encoder.fail(new ApiError('Again', { kind: 'server', retryable: true }), out)
    encoder.push(end([]), out)
    encoder.end(out)
    expect(out).toHaveLength(2)
    expect(JSON.parse(out[1]?.data ?? '')).toEqual({
      error: { message: 'Overloaded', type: 'server_error', param: null, code: 'overloaded' },
    })
    await expect(oracle.stream(out.map((one) => `data: ${one.data}\n\n`).join(''))).rejects.toThrow('Overloaded')
  })
})
