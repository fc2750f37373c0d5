/** Recorded traffic of this wire: read, written again, and read by the official client. */
import { describe, expect, it } from 'vitest'
import type { ChatResponse } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  decodeError,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
} from '../../../src/formats/cohere/index.ts'
import { type CorpusCase, casesOf } from '../../support/corpus.ts'
import { decodeText } from '../../support/decode.ts'
import { oracle } from './oracle.ts'

const cases = casesOf('cohere')
const client = createClientCodec()
const isError = ({ meta }: CorpusCase) => meta.features.includes('error')
const streams = cases.filter((one) => one.kind === 'sse' && !isError(one))
const bodies = cases.filter((one) => one.kind === 'json' && !isError(one))
/** The official client cuts a stream into events by LF only, and knows neither a last event without an end nor new kinds of content. */
const plain = streams.filter(({ name }) => name !== 'every-oddity')

function read(one: CorpusCase): ChatResponse {
  if (one.kind === 'json') return decodeResponse(JSON.parse(one.text))
  const { response, error } = decodeText(client, one.text)
  if (response === undefined) throw error
  return response
}

describe('recorded answers', () => {
  it.each([...streams, ...bodies].filter(({ meta }) => meta.observed))(
    '$name: holds what a simple reader counted in it',
    (one) => {
      const { message } = read(one)
      const blocks = typeof message.content === 'string' ? [] : (message.content ?? [])
      const observed = one.meta.observed as { textChars: number; reasoningChars: number; toolCalls: string[] }
      const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
      const thoughts = blocks.flatMap((block) =>
        block.type === 'reasoning' && block.providerData === undefined ? [block.text] : [],
      )
      expect(texts.join('').length).toBe(observed.textChars)
      expect(thoughts.join('').length).toBe(observed.reasoningChars)
      expect(blocks.flatMap((block) => (block.type === 'tool_call' ? [block.name] : []))).toEqual(observed.toolCalls)
      expect(message.invalidToolCalls).toBeUndefined()
    },
  )

  const cited = [...streams, ...bodies].filter(({ meta }) => meta.features.includes('citations'))
  it.each(cited)('$name: each citation quotes its place in the text', (one) => {
    const { message } = read(one)
    for (const block of typeof message.content === 'string' ? [] : (message.content ?? [])) {
      for (const { startIndex, endIndex, providerData } of block.type === 'text' ? (block.citations ?? []) : [])
        expect(block.type === 'text' && block.text.slice(startIndex, endIndex)).toBe(providerData?.cohere?.text)
    }
  })

  it.each(plain)('$name: a stream is what the official client makes of it', async ({ text }) => {
    const { response } = decodeText(client, text)
    expect(response).toEqual(decodeResponse(await oracle.stream(text)))
  })

  it.each(bodies)('$name: is written as it was read', ({ text }) => {
    const body = JSON.parse(text)
    expect(encodeResponse(decodeResponse(body)).body).toEqual(normalised(body))
  })

  it.each(bodies)('$name: the official client reads what we write as what was recorded', async ({ text }) => {
    const written = encodeResponse(decodeResponse(JSON.parse(text))).body
    expect(decodeResponse(await oracle.response(written))).toEqual(decodeResponse(normalised(JSON.parse(text))))
  })

  it.each(cases.filter((one) => isError(one) && one.kind === 'json'))('$name: is an error of the right kind', (one) => {
    const body = JSON.parse(one.text)
    const error = decodeError({ status: one.meta.status ?? 0, headers: new Headers(), body })
    const kind = body.error_type === 'TOO_MANY_TOKENS' ? 'context_length' : 'authentication'
    expect(error).toMatchObject({ kind, status: one.meta.status, retryable: false, message: body.message })
  })
})

/** No arguments are written as an empty object. */
function normalised(body: ReturnType<typeof JSON.parse>) {
  for (const call of body.message.tool_calls ?? [])
    if (call.function.arguments === 'null') call.function.arguments = '{}'
  return body
}

describe('recorded requests', () => {
  const requests = cases.filter(({ request }) => request !== undefined)
  it.each(requests)('$name: says the same when it is written again', ({ request }) => {
    const once = decodeRequest(request)
    const { body, losses } = encodeRequest(once.context, { ...once.options })
    expect(decodeRequest(body)).toEqual({ ...once, options: { stream: false, ...once.options } })
    expect(losses.filter(({ severity }) => severity !== 'info')).toEqual([])
  })
})
