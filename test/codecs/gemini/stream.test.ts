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
