/** The recorded traffic of OpenAI Responses and its dialects: everything is read, and written again. */
import { describe, expect, it } from 'vitest'
import type { ChatResponse, JsonObject } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
  encodeStream,
  openaiDialect,
} from '../../../src/formats/openai-responses/index.ts'
import { prepare } from '../../../src/prepare/prepare.ts'
import { type CorpusCase, casesOf, ownCase } from '../../support/corpus.ts'
import { decodeText } from '../../support/decode.ts'
import { rawOf } from '../../support/raw.ts'
import { dialects } from './dialects.ts'
import { oracle } from './oracle.ts'

const dialectOf = ({ format }: CorpusCase) => dialects[format] ?? openaiDialect
const cases = casesOf('openai-responses', { dialects: true })
const answers = cases.filter(({ kind, meta }) => kind === 'json' && !meta.features.includes('error'))
const isFailed = ({ meta }: CorpusCase) => meta.features.some((feature) => /^error/.test(feature))
const streams = cases.filter((one) => one.kind === 'sse' && !isFailed(one))
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
    const response = decodeResponse(body, { dialect: dialectOf(one) })
    const written = encodeResponse(response)
    expect(written.losses).toEqual([])
    expect(withoutDemanded(written.body, body)).toEqual(body)
  })

  it.each(named(answers))('%s reads in the official client as before, once we wrote it', async (_, one) => {
    const body = JSON.parse(one.text)
    const written = await oracle.response(encodeResponse(decodeResponse(body, { dialect: dialectOf(one) })).body)
    expect(withoutDemanded(written as JsonObject, body)).toEqual(await oracle.response(body))
  })
})

/** Fields that the official client or the schema of Open Responses demands, and some servers leave out, are filled in. */
const demanded = [
  ...[
    'instructions',
    'metadata',
    'parallel_tool_calls',
    'temperature',
    'tool_choice',
    'tools',
    'top_p',
    'error',
    'user',
  ],
  ...[
    'access_programs',
    'background',
    'completed_at',
    'frequency_penalty',
    'max_output_tokens',
    'max_tool_calls',
    'text',
  ],
  ...['presence_penalty', 'previous_response_id', 'prompt_cache_key', 'reasoning', 'safety_identifier', 'service_tier'],
  ...['store', 'top_logprobs', 'truncation'],
]
function withoutDemanded(written: object, body: JsonObject): unknown {
  return Object.fromEntries(Object.entries(written).filter(([name]) => !demanded.includes(name) || name in body))
}

/** The text in its deltas is not the text of its item: the source repository changed one and not the other. */
const editedBadly = 'openai-responses/vercel-openai-shell-container.1-stream'
const isBadlyEdited = ({ id }: CorpusCase) => id === editedBadly
const has = (quirk: string) => (one: CorpusCase) => one.meta.quirks.includes(quirk)
/** Every id changes from event to event (wire document §4), so that nothing has the id it has elsewhere. */
const isRotating = has('item-id-rotates')
/** The official client throws at event types that are not in its list (§6 rule 4), and it has neither this one nor those made up. */
const isUnlisted = (one: CorpusCase) => has('item:apply_patch_call')(one) || one.name === 'every-oddity'

/** Some of its events do not say which item they belong to. */
const isUnnumbered = (one: CorpusCase) => one.name === 'every-oddity'

const unlike = (...tests: ((one: CorpusCase) => boolean)[]) =>
  named(streams.filter((one) => !tests.some((test) => test(one))))

describe('recorded streams', () => {
  it.each(unlike(isBadlyEdited, isRotating))('%s is read as the whole answer at its end is', (_, one) => {
    const last = rawOf(one).at(-1)?.response
    expect(withoutCiphers(fold(one))).toEqual(withoutCiphers(decodeResponse(last, { dialect: dialectOf(one) })))
  })

  it.each(unlike(isBadlyEdited, isRotating, isUnnumbered))(
    '%s without the events of its last items has them',
    (_, one) => {
      const events = rawOf(one)
      const items = events.flatMap(({ output_index: index }) => (typeof index === 'number' ? [index] : []))
      for (const missing of new Set(items)) {
        const kept = events.filter(({ output_index: index }) => !(Number(index) >= missing))
        const text = kept.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
        const response = fold({ ...one, text })
        expect(withoutCiphers(response), `without ${missing} and later`).toEqual(withoutCiphers(fold(one)))
      }
    },
  )

  it.each(unlike(isBadlyEdited, isRotating, isUnlisted))(
    '%s is read as the official client reads it',
    async (_, one) => {
      const body = await oracle.stream(one.text)
      expect(withoutCiphers(fold(one))).toEqual(withoutCiphers(decodeResponse(body, { dialect: dialectOf(one) })))
    },
  )

  const refused = streams.filter((one) => isRotating(one) || isUnlisted(one))
  it.each(named(refused))('%s is refused by the official client, and read by us', async (_, one) => {
    await expect(oracle.stream(one.text)).rejects.toThrow()
    expect(fold(one).stopReason).toMatch(/^(?:stop|tool_calls|pause)$/)
  })
})

/** Text is encrypted again each time it is written: it differs between an item that is done and the final answer. */
function withoutCiphers(response: ChatResponse): unknown {
  return JSON.parse(JSON.stringify(response), (key, value) =>
    (key === 'encrypted_content' || key === 'fingerprint') && typeof value === 'string' ? 'a cipher' : value,
  )
}

describe('recorded answers as history', () => {
  it.each(named(answers))('%s goes back to its provider and model item for item', (_, one) => {
    const { model, output } = JSON.parse(one.text)
    const { message } = decodeResponse(JSON.parse(one.text), { dialect: dialectOf(one) })
    const options = { model, providerOptions: { 'openai-responses': { store: true } } }
    const { body } = encodeRequest({ messages: [message] }, { ...options, dialect: dialectOf(one) })
    expect(body.input).toEqual(asHistory(output))
  })
})

/** Reasoning that nothing follows is refused (wire document §2.4), and an empty list of logprobs says nothing. */
function asHistory(output: readonly JsonObject[]): unknown {
  const last = output.findLastIndex(({ type }) => type !== 'reasoning')
  return JSON.parse(JSON.stringify(output.slice(0, last + 1)), (key, value) =>
    key === 'logprobs' && value.length === 0 ? undefined : value,
  )
}

describe('recorded requests', () => {
  it.each(named(requests))('%s is read, and written again without a difference', (_, one) => {
    const { context, options } = decodeRequest(one.request, { dialect: dialectOf(one) })
    const { body, losses } = encodeRequest(context, { ...options, dialect: dialectOf(one) })
    expect(losses).toEqual([])
    expect(body).toEqual(normalised(one.request as JsonObject))
  })

  it.each(named(requests))('%s goes through preparation without a difference', (_, one) => {
    const { context, options } = decodeRequest(one.request, { dialect: dialectOf(one) })
    const prepared = prepare(context, createClientCodec(dialectOf(one)).rules, { model: options.model })
    expect(prepared.losses).toEqual([])
    expect(encodeRequest(prepared.context, { ...options, dialect: dialectOf(one) }).body).toEqual(
      normalised(one.request as JsonObject),
    )
  })
})

/** By intent: the wire's default for `store` is written out, since ours is another; text as input is the one message that it is. */
function normalised({ input, ...request }: JsonObject): JsonObject {
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : (input ?? null)
  return { store: true, ...request, input: items }
}

const caseOf = (id: string) => ownCase(`openai-responses${id}`)
const blocksOf = (id: string) => fold(caseOf(id)).message.content as unknown as JsonObject[]

describe('quirks of the recordings', () => {
  it.each([
    ['/web-search-stream', 'url_citation'],
    ['/file-search-stream', 'file_citation'],
    ['/code-interpreter-stream', 'container_file_citation'],
    ['-xai/web-search-stream', 'url_citation'],
  ])('reads in %s annotations of type %s once each', (id, type) => {
    const citations = blocksOf(id).flatMap((block) => (block.citations as JsonObject[] | undefined) ?? [])
    const announced = caseOf(id).text.split('"type":"response.output_text.annotation.added"').length - 1
    expect(citations).toHaveLength(announced)
    expect(citations[0]).toMatchObject({ type: 'citation', providerData: { 'openai-responses': { type } } })
  })

  it.each([
    ['/apply-patch-stream', 'apply_patch', 'diff'],
    ['/shell-stream', 'shell', 'commands'],
  ])('reads in %s the arguments of %s in pieces', (id, name, argument) => {
    const { events } = decodeText(createClientCodec(), caseOf(id).text)
    const pieces = events.flatMap((event) =>
      event.type === 'tool_call_chunk' && event.chunk.name === name ? [event.chunk.argumentsDelta] : [],
    )
    const call = blocksOf(id).find((block) => block.name === name)
    expect(call?.arguments).toHaveProperty(argument)
    expect(JSON.parse(pieces.join(''))).toEqual(call?.arguments)
  })

  it('waits for the client where the search for tools is its own, and keeps the item as it came', () => {
    const item = {
      type: 'tool_search_call',
      id: 'tsc_1',
      call_id: 'call_1',
      execution: 'client',
      arguments: { goal: 'crm' },
    }
    const response = decodeResponse({ object: 'response', status: 'completed', output: [item] })
    expect(response.stopReason).toBe('pause')
    expect(response.message.content).toMatchObject([{ type: 'unknown', providerType: item.type, value: item }])
    expect(encodeResponse(response)).toMatchObject({ body: { status: 'completed', output: [item] }, losses: [] })
    const output = { type: 'tool_search_output', call_id: 'call_1', execution: 'client', tools: [] }
    const { context } = decodeRequest({
      model: 'm',
      input: ['Hi', item, output].map((one) => (typeof one === 'string' ? { role: 'user', content: one } : one)),
    })
    const { body } = encodeRequest(context, { model: 'm' })
    expect(body.input).toEqual([{ role: 'user', content: 'Hi' }, item, output])
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
  blocks: (message.content as unknown as JsonObject[]).map(
    ({ opaque: _, providerData: __, metadata: ___, ...block }) => block,
  ),
})
