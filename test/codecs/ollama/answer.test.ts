/** Answers of Ollama, whole and streamed, in both directions: `wire/ollama.md` §3 to §5. */
import { describe, expect, it } from 'vitest'
import { ApiError } from '../../../src/core/errors.ts'
import type { MessageEvent } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  createServerCodec,
  decodeResponse,
  encodeResponse,
} from '../../../src/formats/ollama/index.ts'
import { toolCall } from '../../../src/messages/block.ts'
import { decodeText } from '../../support/decode.ts'
import { endOf, textEvents, writeStream } from '../rows.ts'
import { oracle } from './oracle.ts'

const call = { id: 'c', name: 'f', index: 0, argumentsText: '{"a":', error: 'unexpected end' }
const invalid = { type: 'invalid_tool_call', ...call, reason: 'malformed_json' } as const

it('an invalid call is the error of the server, since an empty object would run the tool with nothing', () => {
  const message = { role: 'assistant', content: 'Hi', invalidToolCalls: [invalid] } as const
  const write = () => encodeResponse({ message, stopReason: 'stop' })
  expect(write).toThrow(ApiError)
  expect(write).toThrow(`error parsing tool call: raw='{"a":', err=unexpected end`)
})

it('the log probabilities of all lines of a stream are together', async () => {
  const line = (content: string, more: object) =>
    `${JSON.stringify({ model: 'm', created_at: '2026-01-01T00:00:00Z', message: { role: 'assistant', content }, done: false, ...more })}\n`
  const logprobs = ['a', 'b'].map((token) => ({ token, logprob: -1 }))
  const lines = logprobs.map((one) => line(one.token, { logprobs: [one] }))
  const text = [...lines, line('', { done: true, done_reason: 'stop' })].join('')
  const { response } = decodeText(createClientCodec(), text)
  expect(response?.providerData?.ollama?.logprobs).toEqual(logprobs)
  expect(response).toEqual(decodeResponse(await oracle.stream(text)))
})

describe('a stream that we write', () => {
  const end = endOf(
    { stopReason: 'length', response: { provider: 'openai' } },
    { usage: { inputTokens: 3, outputTokens: 4 } },
  )

  it('has a line for each piece, with role and content on all of them, and the figures on the last', () => {
    const begin = { type: 'tool_call_chunk', id: 'c', name: 'f', argumentsDelta: '{' } as const
    const events: MessageEvent[] = [
      { type: 'message_start', model: 'gpt-x' },
      { type: 'reasoning_delta', index: 0, text: 'Hm.' },
      { type: 'content_block', index: 0, block: { type: 'reasoning', text: 'Hm.' } },
      ...textEvents(1, 'Hi'),
      { type: 'tool_call_chunk', index: 2, chunk: begin },
      { type: 'tool_call', index: 2, call: toolCall('c', 'f') },
      { type: 'content_block', index: 3, block: { type: 'image', data: 'AAAA' } },
      { type: 'usage', usage: { inputTokens: 3 } },
      end,
    ]
    const { values, losses } = writeStream(createServerCodec(), events, { createdAt: 1_767_225_600 })
    const line = (message: object, more: object = { done: false }) => ({
      ...{ model: 'gpt-x', created_at: '2026-01-01T00:00:00.000Z', ...more },
      message: { role: 'assistant', content: '', ...message },
    })
    const calls = [{ id: 'c', function: { index: 0, name: 'f', arguments: {} } }]
    const figures = { prompt_eval_count: 3, eval_count: 4 }
    expect(values).toEqual([
      ...[{ thinking: 'Hm.' }, { content: 'Hi' }, { tool_calls: calls }, { images: ['AAAA'] }].map((one) => line(one)),
      line({}, { done: true, done_reason: 'length', ...figures }),
    ])
    expect(losses).toEqual([])
  })

  it('leaves out a call that was cut with its answer, and reports it', () => {
    const cut = { ...invalid, reason: 'truncated' } as const
    const { values, losses } = writeStream(createServerCodec(), [
      { type: 'invalid_tool_call', index: 0, call: cut },
      end,
    ])
    expect(values).toMatchObject([{ done: true, done_reason: 'length' }])
    expect(losses).toMatchObject([{ severity: 'major' }])
  })
})
