/** Streams of this wire, read piece by piece. */
import { describe, expect, it } from 'vitest'
import { type AssembleOptions, assemble } from '../../../src/assemble/assemble.ts'
import type { Fragment } from '../../../src/core/codec.ts'
import { ApiError, DecodeError, InterruptedError } from '../../../src/core/errors.ts'
import type { AssistantMessage, MessageEvent } from '../../../src/core/messages.ts'
import { createClientCodec, decodeStream } from '../../../src/formats/gemini/index.ts'
import { decodeText } from '../../support/decode.ts'

const client = createClientCodec()
const sse = (...chunks: unknown[]) => chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join('')
const chunk = (parts: object[] | undefined, more: object = {}, rest: object = {}) => ({
  candidates: [{ ...(parts && { content: { role: 'model', parts } }), ...more }],
  ...rest,
})
const end = chunk(undefined, { finishReason: 'STOP' })

function read(...chunks: unknown[]): AssistantMessage {
  const { response, error } = decodeText(client, sse(...chunks))
  if (response === undefined) throw error
  return response.message
}

describe('the end', () => {
  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['IMAGE_PROHIBITED_CONTENT', 'content_filter'],
    ['IMAGE_RECITATION', 'content_filter'],
    ['MODEL_ARMOR', 'content_filter'],
    ['MALFORMED_FUNCTION_CALL', 'error'],
    ['UNEXPECTED_TOOL_CALL', 'error'],
    ['TOO_MANY_TOOL_CALLS', 'error'],
    ['MALFORMED_RESPONSE', 'error'],
    ['CONTINUATION', 'pause'],
    ['OTHER', 'other'],
    ['IMAGE_OTHER', 'other'],
    ['NO_IMAGE', 'other'],
    ['FINISH_REASON_UNSPECIFIED', 'other'],
    ['A_WORD_FROM_NEXT_YEAR', 'other'],
    ['constructor', 'other'], // not the one every object inherits
  ])('%s is %s, and the original value is kept', (finishReason, stopReason) => {
    expect(read(chunk(undefined, { finishReason }))).toMatchObject({ stopReason, rawStopReason: finishReason })
  })
  it('with STOP means calls if there are some', () => {
    expect(read(chunk([{ functionCall: { name: 'f' } }]), end).stopReason).toBe('tool_calls')
  })
  it('by the length stays so where there are calls: they may be broken', () => {
    const message = read(chunk([{ functionCall: { name: 'f' } }], { finishReason: 'MAX_TOKENS' }))
    expect(message.stopReason).toBe('length')
  })
  it('is at the end of the stream: old servers send STOP with every chunk, and usage may follow', () => {
    const message = read(
      chunk([{ text: 'a' }], { finishReason: 'STOP' }),
      chunk([{ text: 'b' }], { finishReason: 'STOP' }),
      { usageMetadata: { promptTokenCount: 1, totalTokenCount: 3 } },
    )
    expect(message).toMatchObject({
      content: [{ type: 'text', text: 'ab' }],
      stopReason: 'stop',
      usage: { inputTokens: 1 },
    })
  })
  it('is missing: the answer was interrupted, and keeps the received part', () => {
    const { error } = decodeText(client, sse(chunk([{ text: 'a' }])))
    expect(error).toBeInstanceOf(InterruptedError)
    expect(error?.partial).toMatchObject({ content: [{ type: 'text', text: 'a' }], stopReason: 'interrupted' })
  })
  it('of a blocked prompt has no candidates', () => {
    const message = read({ promptFeedback: { blockReason: 'SAFETY' } })
    expect(message).toMatchObject({ content: [], stopReason: 'content_filter', rawStopReason: 'SAFETY' })
  })
  it("of a malformed call shows the model's text", () => {
    const finishMessage = 'Malformed function call: print(f(1))'
    const message = read(chunk(undefined, { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage }))
    expect(message).toMatchObject({ stopReason: 'error', providerData: { gemini: { finishMessage } } })
  })
  it('by a pause has the token with which the same request continues', () => {
    const chunks = [
      chunk([{ text: 'a' }], { continuationToken: 'one' }),
      chunk([{ text: 'b' }], { continuationToken: 'two', finishReason: 'CONTINUATION' }),
    ]
    const { response } = decodeText(client, sse(...chunks))
    expect(response).toMatchObject({ stopReason: 'pause', providerState: { continuationToken: 'two' } })
  })
})

describe('parts', () => {
  it('of text become one block across chunks, and empty text does not become a block', () => {
    expect(
      read(
        chunk([{ text: 'a' }]),
        chunk([{ text: '' }]),
        chunk([{ text: 'b' }]),
        chunk([{ text: '' }], { finishReason: 'STOP' }),
      ).content,
    ).toEqual([{ type: 'text', text: 'ab' }])
  })
  it('with a signature on an empty text are a block of their own', () => {
    const message = read(
      chunk([{ text: 'a' }]),
      chunk([{ text: '', thoughtSignature: 'c2ln' }], { finishReason: 'STOP' }),
    )
    expect(message.content).toMatchObject([
      { type: 'text', text: 'a' },
      { type: 'text', text: '', opaque: { provider: 'gemini', format: 'gemini', data: { thoughtSignature: 'c2ln' } } },
    ])
  })
  it('of two calls of one tool are two calls, in one chunk and across chunks', () => {
    const message = read(
      chunk([{ functionCall: { name: 'f', args: { a: 1 } } }, { functionCall: { name: 'f', args: { a: 2 } } }]),
      chunk([{ functionCall: { name: 'f', args: { a: 1 } } }]),
      end,
    )
    expect(message.content).toMatchObject([
      { id: 'gemini_0', index: 0, arguments: { a: 1 }, generatedId: true },
      { id: 'gemini_1', index: 1, arguments: { a: 2 }, generatedId: true },
      { id: 'gemini_2', index: 2, arguments: { a: 1 }, generatedId: true },
    ])
  })
  it('of calls get numbers after those that the conversation has', () => {
    const out: MessageEvent[] = []
    const options: AssembleOptions = { idPrefix: client.idPrefix, callsBefore: 7 }
    const assembly = assemble.start(options)
    const fragments: Fragment[] = []
    const decoder = decodeStream()
    decoder.push(
      { data: JSON.stringify(chunk([{ functionCall: { name: 'f' } }], { finishReason: 'STOP' })) },
      fragments,
    )
    decoder.end(fragments)
    for (const fragment of fragments) assemble.step(assembly, fragment, out)
    expect(out.find((event) => event.type === 'tool_call')).toMatchObject({ call: { id: 'gemini_7' } })
  })
  it('of a call with text around it keep their order', () => {
    const message = read(chunk([{ text: 'a' }, { functionCall: { name: 'f' } }, { text: 'b' }]), end)
    expect(message.content).toMatchObject([{ text: 'a' }, { name: 'f' }, { text: 'b' }])
  })
  it('of a picture between texts keep their order', () => {
    const inlineData = { mimeType: 'image/png', data: 'AAAA' }
    const message = read(chunk([{ text: 'a' }]), chunk([{ inlineData }]), chunk([{ text: 'b' }]), end)
    expect(message.content).toEqual([
      { type: 'text', text: 'a' },
      { type: 'image', ...inlineData },
      { type: 'text', text: 'b' },
    ])
  })
  it('that are unknown are kept beside a call', () => {
    const message = read(chunk([{ hologram: 1 }, { functionCall: { name: 'f' } }]), end)
    expect(message.content).toMatchObject([{ type: 'unknown', value: { hologram: 1 } }, { type: 'tool_call' }])
    expect(message.stopReason).toBe('tool_calls')
  })
  it('of other candidates are kept as they came', () => {
    const other = { index: 1, content: { parts: [{ text: 'other' }] } }
    const { response } = decodeText(
      client,
      sse({ candidates: [...chunk([{ text: 'a' }]).candidates, other] }, { candidates: [other] }, end),
    )
    expect(response).toMatchObject({
      message: { content: [{ type: 'text', text: 'a' }] },
      providerData: { gemini: { candidates: [other, other] } },
    })
  })
})

describe('figures', () => {
  it('are snapshots: a later count replaces an earlier one, and one that vanishes stays', () => {
    const usage = read(
      chunk(
        [{ text: 'a' }],
        {},
        { usageMetadata: { promptTokenCount: 10, thoughtsTokenCount: 20, totalTokenCount: 30 } },
      ),
      chunk(
        [{ text: 'b' }],
        {},
        { usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 3, cachedContentTokenCount: null } },
      ),
      chunk(
        undefined,
        { finishReason: 'STOP' },
        { usageMetadata: { candidatesTokenCount: 5, toolUsePromptTokenCount: 7, totalTokenCount: 42 } },
      ),
    ).usage
    expect(usage).toMatchObject({ inputTokens: 17, outputTokens: 25, reasoningTokens: 20, totalTokens: 42 })
    expect(usage).not.toHaveProperty('cacheReadTokens')
  })
  it('that change only within a list are reported, and those that repeat stay', () => {
    const usageOf = (...tokens: number[]) => ({
      promptTokenCount: 10,
      totalTokenCount: 10,
      promptTokensDetails: tokens.map((tokenCount) => ({ modality: 'TEXT', tokenCount })),
    })
    const decoder = decodeStream()
    const out: Fragment[] = []
    for (const usageMetadata of [usageOf(10), usageOf(10), usageOf(4), usageOf(4, 6)]) {
      decoder.push({ data: JSON.stringify(chunk([{ text: 'a' }], {}, { usageMetadata })) }, out)
    }
    const told = out.filter((fragment) => fragment.type === 'usage').map(({ usage }) => usage.providerData?.gemini)
    expect(told).toEqual([usageOf(10), usageOf(10), usageOf(4), usageOf(4, 6)])
    expect(told[1]).toBe(told[0])
  })
  it('that are not reported are unknown, and not 0', () => {
    expect(
      read(chunk(undefined, { finishReason: 'STOP' }, { usageMetadata: { trafficType: 'ON_DEMAND' } })).usage,
    ).toEqual({
      providerData: { gemini: { trafficType: 'ON_DEMAND' } },
    })
  })
  it('of the output are 0 where the prompt is counted and they are not', () => {
    expect(
      read(chunk(undefined, { finishReason: 'STOP' }, { usageMetadata: { promptTokenCount: 9 } })).usage,
    ).toMatchObject({
      inputTokens: 9,
      outputTokens: 0,
    })
  })
})

describe('errors', () => {
  const body = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }
  const half = sse(chunk([{ text: 'a' }]))

  it.each([
    ['in an event', `${half}data: ${JSON.stringify(body)}\n\n`],
    ['bare', `${half}${JSON.stringify(body, null, 2)}\n`],
    ['in an array', `${half}data: ${JSON.stringify([body])}\n\n`],
  ])('%s are thrown, with the half that came', (_, text) => {
    const { error } = decodeText(client, text)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      kind: 'overloaded',
      retryable: true,
      providerCode: 'UNAVAILABLE',
      provider: 'gemini',
      partial: { content: [{ type: 'text', text: 'a' }], stopReason: 'error' },
    })
  })
  it('of a frame that is not JSON are reported', () => {
    expect(() => decodeStream().push({ data: '{"a":' }, [])).toThrow(DecodeError)
  })
  it.each([
    ['', 5],
    ['', null],
    ['candidates', { candidates: {} }],
    ['candidates[0]', { candidates: [null] }],
    ['candidates[0].content', { candidates: [{ content: 'a' }] }],
    ['candidates[0].content.parts', { candidates: [{ content: { parts: 'a' } }] }],
  ])('of a chunk name the place "%s"', (path, value) => {
    const push = () => decodeStream().push({ data: JSON.stringify(value) }, [])
    expect(push).toThrow(DecodeError)
    expect(push).toThrow(expect.objectContaining({ path }))
  })
  it('are not made of fields that are null, or of a mark of another wire', () => {
    const nothing = {
      candidates: [{ content: null, finishReason: null, index: null }],
      usageMetadata: null,
      error: null,
      promptFeedback: null,
    }
    const { response } = decodeText(client, `${sse(nothing, chunk([{ text: 'a' }]), end)}data: [DONE]\n\n`)
    expect(response?.message).toMatchObject({ content: [{ type: 'text', text: 'a' }], stopReason: 'stop' })
  })
})

it('a stream without events is one JSON array, and is read as it grows', () => {
  const text = `[${[chunk([{ text: 'a' }]), chunk([{ text: 'b' }]), end].map((one) => JSON.stringify(one, null, 2)).join('\n,\r\n')}\n]`
  expect(decodeText(client, text).response?.message).toMatchObject({
    content: [{ type: 'text', text: 'ab' }],
    stopReason: 'stop',
  })
})

it('begins with the model that answers', () => {
  const first = { responseId: 'r1', modelVersion: 'gemini-2.5-flash', createTime: '2026-05-04T20:01:02.264968Z' }
  const { events, response } = decodeText(client, sse({ ...chunk([{ text: 'a' }]), ...first }, end))
  expect(events[0]).toEqual({ type: 'message_start', id: 'r1', model: 'gemini-2.5-flash' })
  expect(response?.message.response).toEqual({
    provider: 'gemini',
    id: 'r1',
    model: 'gemini-2.5-flash',
    createdAt: 1777924862,
  })
})
