/** Cohere Chat v2: answers. Expected values are of the reference: https://docs.cohere.com/reference/chat (read 2026-11). */
import { describe, expect, it } from 'vitest'
import { ApiError, InterruptedError } from '../../../src/core/errors.ts'
import type { AssistantMessage, ChatResponse } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  createServerCodec,
  decodeResponse,
  decodeToolCalls,
  encodeResponse,
} from '../../../src/formats/cohere/index.ts'
import { toolCall } from '../../../src/messages/block.ts'
import { decodeText } from '../../support/decode.ts'

const answer = (message: object, more: object = {}) => ({
  id: 'a',
  message: { role: 'assistant', ...message },
  finish_reason: 'COMPLETE',
  ...more,
})
const text = (said: string, citations?: object[]) =>
  answer({ content: [{ type: 'text', text: said }], ...(citations && { citations }) })

describe('why it ended', () => {
  it('without a word it was cut', () => {
    expect(() => decodeResponse({ ...text('a'), finish_reason: undefined })).toThrow(InterruptedError)
  })

  it('an error that is named is thrown', () => {
    expect(() => decodeResponse({ ...text('a'), finish_reason: 'ERROR', error: 'the oven burns' })).toThrow(
      'the oven burns',
    )
    expect(() => decodeResponse({ message: 'not an answer' })).toThrow(ApiError)
  })
})

describe('citations', () => {
  const source = {
    type: 'document',
    id: 'd',
    document: { id: 'd', text: 'the passage', title: 'T', url: 'https://a.example' },
  }
  const cited = (body: object) => {
    const [block] = decodeResponse(body).message.content as readonly { readonly citations?: object[] }[]
    return block?.citations
  }

  it('are one for each source, with its passage', () => {
    const second = { type: 'tool', id: 'c:0', tool_output: { content: 'other words' } }
    const wire = { start: 0, end: 3, text: 'abc', sources: [source, second], type: 'TEXT_CONTENT' }
    expect(cited(text('abc def', [wire]))).toMatchObject([
      { type: 'citation', startIndex: 0, endIndex: 3, title: 'T', url: 'https://a.example', text: 'the passage' },
      { type: 'citation', startIndex: 0, endIndex: 3, text: 'other words' },
    ])
    const { body } = encodeResponse(decodeResponse(text('abc def', [wire])))
    expect(body.message.citations).toEqual([wire])
  })

  it.each([
    ['UTF-16 units', '🧮 abc', 3, 6],
    ['code points', '🧮 abc', 2, 5],
    ['neither', 'x abc', 0, 3],
  ])('have offsets that fit the words that they quote, in %s', (_, said, start, end) => {
    const at = said.indexOf('abc')
    expect(cited(text(said, [{ start, end, text: 'abc', sources: [source] }]))).toMatchObject([
      { startIndex: at, endIndex: at + 3 },
    ])
  })

  it('of thinking and of plans stay with the message, and go back', () => {
    const wire = { start: 0, end: 1, text: 'h', sources: [source], type: 'PLAN' }
    const body = answer({ tool_plan: 'hm', citations: [wire] })
    expect(encodeResponse(decodeResponse(body)).body.message).toEqual(body.message)
  })

  it('of another provider are documents that a client can show', () => {
    const citation = { type: 'citation', url: 'https://b.example', title: 'B', text: 'said there' } as const
    const message = { role: 'assistant', content: [{ type: 'text', text: 'so it is', citations: [citation] }] } as const
    const { body } = encodeResponse({ message, stopReason: 'stop' })
    expect(body.message.citations).toEqual([
      {
        ...{ start: 0, end: 8, text: 'so it is', type: 'TEXT_CONTENT' },
        sources: [
          {
            type: 'document',
            id: 'https://b.example',
            document: { id: 'https://b.example', text: 'said there', title: 'B', url: 'https://b.example' },
          },
        ],
      },
    ])
  })
})

describe('figures', () => {
  it('count images as input, and the cache as part of it', () => {
    const usage = {
      billed_units: { input_tokens: 267, output_tokens: 5 },
      tokens: { input_tokens: 34, output_tokens: 5, image_tokens: 259 },
      cached_tokens: 30,
    }
    const response = decodeResponse({ ...text('a'), usage })
    expect(response.usage).toMatchObject({ inputTokens: 293, outputTokens: 5, totalTokens: 298, cacheReadTokens: 30 })
    expect(encodeResponse(response).body.usage).toEqual(usage)
  })

  it('are what is paid where nothing else is said', () => {
    const usage = { billed_units: { input_tokens: 3, output_tokens: 2 } }
    expect(decodeResponse({ ...text('a'), usage }).usage).toMatchObject({ inputTokens: 3, outputTokens: 2 })
  })
})

describe('streams', () => {
  const codec = createClientCodec()
  const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  const delta = (message: object) => ({ delta: { message } })

  it('keep a content of a kind to come whose end never came', () => {
    const content = { type: 'sketch', strokes: 'ab' }
    const { response } = decodeText(
      codec,
      event('content-start', { index: 0, ...delta({ content: { ...content, strokes: 'a' } }) }) +
        event('content-delta', { index: 0, ...delta({ content: { strokes: 'b' } }) }) +
        event('message-end', { delta: { finish_reason: 'COMPLETE' } }),
    )
    expect(response?.message.content).toMatchObject([{ type: 'unknown', providerType: 'sketch', value: content }])
  })

  it('that are cut off keep the received citations', () => {
    const citations = { start: 0, end: 4, text: 'half', sources: [] }
    const { error } = decodeText(
      codec,
      event('content-delta', { index: 0, ...delta({ content: { text: 'half' } }) }) +
        event('citation-start', { index: 0, ...delta({ citations }) }),
    )
    expect(error?.code).toBe('interrupted')
    expect(error?.partial?.content).toMatchObject([{ citations: [{ startIndex: 0, endIndex: 4 }] }])
  })

  it('hold one entry of log probabilities a token, which are kept', () => {
    const logprobs = { token_ids: [1], text: 'a', logprobs: [-0.1] }
    const { response } = decodeText(
      codec,
      event('content-delta', { index: 0, logprobs, ...delta({ content: { text: 'a' } }) }) +
        event('message-end', { delta: { finish_reason: 'COMPLETE' } }),
    )
    expect(response?.providerData).toEqual({ cohere: { logprobs: [logprobs] } })
  })

  it('are written with one block open at a time, each kind counted apart', () => {
    const message: AssistantMessage = {
      role: 'assistant',
      content: [{ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'so' }, toolCall('c', 'f', {})],
    }
    const response: ChatResponse = { message, stopReason: 'tool_calls' }
    const encoder = createServerCodec().encodeStream({ id: 'x' })
    const out: { event?: string; data: string }[] = []
    encoder.push({ type: 'reasoning_delta', index: 0, text: 'hm' }, out)
    encoder.push({ type: 'text_delta', index: 1, text: 'so' }, out)
    encoder.push({ type: 'tool_call', index: 2, call: toolCall('c', 'f', {}) }, out)
    encoder.push({ type: 'content_block', index: 1, block: { type: 'text', text: 'so' } }, out)
    encoder.push({ type: 'content_block', index: 0, block: { type: 'reasoning', text: 'hm' } }, out)
    encoder.push({ type: 'message_end', message, response }, out)
    expect(out.map((frame) => [frame.event, frame.event && JSON.parse(frame.data).index])).toEqual([
      ['message-start', undefined],
      ['content-start', 0],
      ['content-delta', 0],
      ['content-end', 0],
      ['content-start', 1],
      ['content-delta', 1],
      ['content-end', 1],
      ['tool-call-start', 0],
      ['tool-call-delta', 0],
      ['tool-call-end', 0],
      ['message-end', undefined],
      [undefined, undefined],
    ])
    expect(out.at(-1)).toEqual({ data: '[DONE]' })
  })
})

it('calls of a body are read by themselves, and invalid ones are kept apart', () => {
  const call = (id: string, args: string) => ({ id, type: 'function', function: { name: 'f', arguments: args } })
  const { toolCalls, invalidToolCalls } = decodeToolCalls(
    answer({ tool_calls: [call('a', '{"x":1}'), call('b', 'null'), call('c', '{"x":')] }),
  )
  expect(toolCalls.map(({ id, arguments: args }) => [id, args])).toEqual([
    ['a', { x: 1 }],
    ['b', {}],
  ])
  expect(invalidToolCalls).toMatchObject([{ id: 'c', argumentsText: '{"x":', reason: 'malformed_json' }])
})
