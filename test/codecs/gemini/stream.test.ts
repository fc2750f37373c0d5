/** Streams of this wire, read piece by piece. */
import { describe, expect, it } from 'vitest'
import type { AssistantMessage } from '../../../src/core/messages.ts'
import { createClientCodec } from '../../../src/formats/gemini/index.ts'
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

it('parts of other candidates are kept as they came', () => {
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

describe('figures', () => {
  it('of the output are 0 where the prompt is counted and they are not', () => {
    expect(
      read(chunk(undefined, { finishReason: 'STOP' }, { usageMetadata: { promptTokenCount: 9 } })).usage,
    ).toMatchObject({
      inputTokens: 9,
      outputTokens: 0,
    })
  })
})

it('a stream without events is one JSON array, and is read as it grows', () => {
  const text = `[${[chunk([{ text: 'a' }]), chunk([{ text: 'b' }]), end].map((one) => JSON.stringify(one, null, 2)).join('\n,\r\n')}\n]`
  expect(decodeText(client, text).response?.message).toMatchObject({
    content: [{ type: 'text', text: 'ab' }],
    stopReason: 'stop',
  })
})
