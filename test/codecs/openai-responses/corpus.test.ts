/** The recorded traffic of OpenAI Responses and its dialects: everything is read, and written again. */
import { describe, expect, it } from 'vitest'
import {
  azureDialect,
  copilotDialect,
  createClientCodec,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  encodeStream,
  lmStudioDialect,
  openaiDialect,
  openRouterDialect,
  type ResponsesDialect,
  xaiDialect,
} from '../../../src/codecs/openai-responses/index.ts'
import type { ChatResponse, JsonObject } from '../../../src/model.ts'
import { type CorpusCase, casesOf } from '../../support/corpus.ts'
import { decodeText } from '../../support/decode.ts'
import { oracle } from './oracle.ts'

const dialects: Record<string, ResponsesDialect> = {
  'openai-responses': openaiDialect,
  'openai-responses-azure': azureDialect,
  'openai-responses-copilot': copilotDialect,
  'openai-responses-lmstudio': lmStudioDialect,
  'openai-responses-openrouter': openRouterDialect,
  'openai-responses-xai': xaiDialect,
}
const dialectOf = ({ format }: CorpusCase) => dialects[format] ?? openaiDialect
const cases = casesOf('openai-responses', { dialects: true })
const answers = cases.filter(({ kind, meta }) => kind === 'json' && !meta.features.includes('error'))
const streams = cases.filter(({ kind, meta }) => kind === 'sse' && !meta.features.includes('error'))
const requests = cases.filter(({ request }) => request !== undefined)
const named = (list: readonly CorpusCase[]) => list.map((one) => [one.id, one] as const)

const fold = (one: CorpusCase) => {
  const decoded = decodeText(createClientCodec(dialectOf(one)), one.text)
  if (decoded.error) throw decoded.error
  return decoded.response as ChatResponse
}

describe('recorded answers', () => {
  it.each(named(answers))('%s is read, and written again without a difference', (_, one) => {
    const body = JSON.parse(one.text)
    const response = decodeResponse(body, 0, dialectOf(one))
    const written = encodeResponse(response)
    expect(written.losses).toEqual([])
    expect(normalised(written.body, body)).toEqual(body)
  })
})

/**
 * What differs by intent. Fields that the official client demands and some servers leave out are filled in (wire document §6). A
 * call or message without a `status` gets one. Usage that xAI counts beside the input is put right (§7).
 */
function normalised(written: object, body: JsonObject): unknown {
  const demanded = [
    'instructions',
    'metadata',
    'parallel_tool_calls',
    'temperature',
    'tool_choice',
    'tools',
    'top_p',
    'error',
  ]
  return Object.fromEntries(Object.entries(written).filter(([name]) => !demanded.includes(name) || name in body))
}

describe('recorded streams', () => {
  it.each(named(streams))('%s is read as the whole answer at its end says', (_, one) => {
    const events = one.text.split('\n').filter((line) => line.startsWith('data: {'))
    const last = JSON.parse(events.at(-1)?.slice('data: '.length) ?? '').response
    const folded = fold(one)
    const whole = decodeResponse(last, 0, dialectOf(one))
    expect(shape(folded)).toEqual(shape(whole))
  })

  it.each(named(streams.filter((one) => !strangeToTheOracle.has(one.id))))(
    '%s is read as the official client reads it',
    async (_, one) => {
      const body = await oracle.stream(one.text)
      expect(shape(fold(one))).toEqual(shape(decodeResponse(body, 0, dialectOf(one))))
    },
  )
})

/** Streams that the official client refuses, each for a fact that the wire document names. */
const strangeToTheOracle: ReadonlySet<string> = new Set([])

const shape = (response: ChatResponse): unknown => response

describe('recorded requests', () => {
  it.each(named(requests))('%s is read, and written again without a difference', (_, one) => {
    const { context, options } = decodeRequest(one.request, undefined, dialectOf(one))
    const { body, losses } = encodeRequest(context, options, dialectOf(one))
    expect(losses).toEqual([])
    expect(body).toEqual(one.request)
  })
})

describe('streams as a gateway writes them', () => {
  it.each(named(streams))('%s is read by the official client to the same message', async (_, one) => {
    const decoded = decodeText(createClientCodec(dialectOf(one)), one.text)
    const encoder = encodeStream()
    const frames: { event?: string; data: string }[] = []
    for (const event of decoded.events) encoder.push(event, frames)
    encoder.end(frames)
    const text = frames.map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n`).join('')
    const body = await oracle.stream(text)
    expect(said(decodeResponse(body))).toEqual(said(decoded.response as ChatResponse))
    const again = decodeText(createClientCodec(), text)
    expect(again.error).toBeUndefined()
    expect(said(again.response as ChatResponse)).toEqual(said(decoded.response as ChatResponse))
  })
})

const said = ({ message, stopReason }: ChatResponse) => ({
  stopReason,
  blocks: (message.content as JsonObject[]).map(({ opaque: _, providerData: __, metadata: ___, ...block }) => block),
})
