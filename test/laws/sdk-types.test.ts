/**
 * Every field that the types of an official client know is read, written again and handed on without a silent loss: each field of a request
 * and of an answer, each part, item, block and kind of tool, in a value of its own (`sdk-values.ts`).
 */
import { describe, expect, it } from 'vitest'
import type { ChatResponse, Context, Json, JsonObject, RequestOptions } from '../../src/core/messages.ts'
import { defaults } from '../../src/formats/openai-responses/server/echo.ts'
import { encodeNdjson, encodeSse } from '../../src/framing/text.ts'
import { facts } from '../formats/index.ts'
import type { Wire } from '../support/answers.ts'
import { isExhaustive, itIfExhaustive } from '../support/cuts.ts'
import { decodeText } from '../support/decode.ts'
import { type Format, formats } from '../support/formats.ts'
import { sdkSamples, uniquesIn } from '../support/sdk-samples.ts'
import type { Sample } from '../support/sdk-values.ts'
import { type Asked, silencesOf } from '../support/silence.ts'

const path = '/v1beta/models/gemini-3-flash:generateContent'
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value))
const wires = formats.filter(({ folder, client }) => folder === client.name)

/** The answer with the fields that an answer of Responses always has, once we wrote it. */
function withDemanded(response: ChatResponse): ChatResponse {
  const { 'openai-responses': kept, ...others } = response.providerData ?? {}
  if (kept === undefined) return response
  return { ...response, providerData: { ...others, 'openai-responses': { completed_at: null, ...defaults, ...kept } } }
}

/** Requests that say nothing, which servers refuse: the types allow them. */
function requestOf({ server }: Format, { value }: Sample): Asked | undefined {
  try {
    return server.decodeRequest(copy(value), { path })
  } catch {
    return undefined
  }
}

/** The samples that fail, each with what is wrong. */
function failures<T>(samples: readonly T[], findingOf: (sample: T) => string | undefined): string[] {
  return samples.flatMap((sample) => findingOf(sample) ?? [])
}

/** Differences between two values, by their paths. */
function differences(one: unknown, other: unknown, at = ''): string[] {
  if (Object.is(one, other)) return []
  const isBoth = [one, other].every((value) => typeof value === 'object' && value !== null)
  if (!isBoth || Array.isArray(one) !== Array.isArray(other)) return [at]
  const [here, there] = [one as JsonObject, other as JsonObject]
  const names = new Set([...Object.keys(here), ...Object.keys(there)])
  return [...names].flatMap((name) => differences(here[name], there[name], `${at}.${name}`))
}

/** Fields that may differ after a second reading, each with its reason. */
const mayDiffer: readonly (readonly [path: RegExp, because: string])[] = [
  [/^\.options\.providerOptions(?:\.openai-chat(?:\.stream_options(?:\.include_usage)?)?)?$/, 'usage is asked for'],
  [/^\.options\.providerOptions\.openai-responses\.include$/, 'without storage, proofs are asked for'],
  [/\.generatedId$|\.openai-chat\.type$|providerData$/, 'a call of the old form without an id becomes one with an id'],
  [/\.detail$/, 'the wire demands the word for the default'],
  [/^\.context\.(?:system|messages)\b.*$/, 'instructions at the head are system text'],
  [/\.tools\.\d+\.parameters$/, 'the wire demands a schema'],
  [/usage\b.*(?:total|reasoning|thinking|prompt|input)\w*$/i, 'made-up figures do not add up'],
  [/usage\.providerData\.[\w-]+\.(?:completion|output)_tokens$/, 'the same'],
  [/\.opaque\.data\.status$/, 'the wire demands a status'],
  [/^\.again\.\d+\.opaque(?:\.data\.id)?$/, 'an item of a stream is announced before its own id is known'],
  [/[sS]topReason$/, 'made-up answers contradict themselves'],
  [/^\.context\.tools\.\d+\.parameters\.(?:type|properties)$/, 'an object without them is sent with both'],
]
const unexpected = (found: string) => !mayDiffer.some(([pattern]) => pattern.test(found))

describe.each(Object.entries(sdkSamples))('%s', (name, make) => {
  const format = wires.find(({ folder }) => folder === name) as Format
  const { client, server } = format
  const tried = (samples: readonly Sample[]) =>
    samples.filter((_, at) => isExhaustive || samples.length < 100 || at % 2 === 0)
  const made = make(isExhaustive)
  const [requests, answers] = [tried(made.requests), tried(made.answers)]

  it('has many', () => {
    expect(Math.min(requests.length, answers.length)).toBeGreaterThan(6)
  })

  it('keeps every text and number of a request', () => {
    const found = failures(requests, (sample) => {
      const asked = requestOf(format, sample)
      const text = JSON.stringify(asked)
      const lost = asked && uniquesIn(sample.value).filter((unique) => !text.includes(unique))
      return lost?.length ? `${sample.path}: ${lost}` : undefined
    })
    expect(found).toEqual([])
  })

  it('keeps every text and number of an answer, and shows none twice', () => {
    const found = failures(answers, ({ path: at, value }) => {
      const response = client.decodeResponse(copy(value))
      const text = JSON.stringify(response)
      const shown = JSON.stringify(response.message.content, ['text'])
      const wrong = uniquesIn(value).filter((unique) => !text.includes(unique) || shown.split(unique).length > 2)
      return wrong.length > 0 ? `${at}: ${wrong}` : undefined
    })
    expect(found).toEqual([])
  })

  it('reads a request again from what it writes of it, unless it reports a loss', () => {
    const found = failures(requests, (sample) => {
      const asked = requestOf(format, sample)
      if (asked === undefined) return undefined
      const { body, losses, path: to } = client.encodeRequest(asked.context, { ...asked.options, strict: false })
      if (losses.length > 0) return undefined
      const again = server.decodeRequest(copy(body), { path: to })
      const different = differences(copy(asked), copy(again)).filter(unexpected)
      return different.length > 0 ? `${sample.path}: ${different}` : undefined
    })
    expect(found).toEqual([])
  })

  it('reads an answer again from what it writes of it, whole and streamed, unless it reports a loss', () => {
    const found = failures(answers, ({ path: at, value }) => {
      const response = client.decodeResponse(copy(value))
      const { body, losses } = server.encodeResponse(response)
      const again = client.decodeResponse(copy(body))
      const whole = losses.length > 0 ? [] : differences(copy(withDemanded(response)), again)
      const different = [...whole, ...differencesOfStream(format, value, response)].filter(unexpected)
      return different.length > 0 ? `${at}: ${different}` : undefined
    })
    expect(found).toEqual([])
  })

  itIfExhaustive('hands every field on to every other wire, or reports it', () => {
    const asked = [...requests.flatMap((sample) => requestOf(format, sample) ?? []), ...answers.map(goneOn)]
    const others = wires.filter(({ folder }) => folder !== name)
    const distinct = new Map(asked.map((one) => [JSON.stringify(one).replace(/q\d+x|\b1\d{4}\b/g, '_'), one]))
    const found = [...distinct.values()].flatMap(({ context, options }) =>
      others.flatMap(({ folder, client: to }) => {
        const one = { context, options: { ...options, model: facts[to.name as Wire].modelOfSamples } }
        const encode = (given: Asked) => to.encodeRequest(given.context, { ...given.options, strict: false })
        return silencesOf(one, encode).map((silent) => `${folder}: ${silent} of ${JSON.stringify(one).slice(0, 300)}`)
      }),
    )
    expect(found).toEqual([])
  })

  /** The question after an answer, and the results of its calls. */
  function goneOn({ value }: Sample): { context: Context; options: RequestOptions } {
    const { message } = client.decodeResponse(copy(value))
    const blocks = typeof message.content === 'string' ? [] : (message.content ?? [])
    const results = blocks.flatMap((block) =>
      block.type === 'tool_call'
        ? { role: 'tool' as const, toolCallId: block.id, name: block.name, content: 'ok' }
        : [],
    )
    const messages = [
      { role: 'user' as const, content: 'q' },
      message,
      ...results,
      { role: 'user' as const, content: 'z' },
    ]
    return { context: { messages, tools: [{ name: 'f', parameters: { type: 'object' } }] }, options: { model: 'm' } }
  }
})

// ---- streams ----------------------------------------------------------------------------------

/** How each wire streams a whole answer. The events are those that its documents show. */
const streams: Readonly<Record<string, (answer: JsonObject) => readonly JsonObject[]>> = {
  'openai-responses': (answer) => {
    const response = { ...answer, status: 'in_progress', output: [] }
    const items = (answer.output as JsonObject[]).flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...item, ...begun[String(item.type)] } },
      { type: 'response.output_item.done', output_index, item },
    ])
    return [{ type: 'response.created', response }, ...items, { type: 'response.completed', response: answer }]
  },
  anthropic: (answer) => [
    { type: 'message_start', message: { ...answer, content: [], stop_reason: null } },
    ...(answer.content as JsonObject[]).flatMap((block, index) => {
      const { start = block, deltas = [] } = startOf(block)
      return [
        { type: 'content_block_start', index, content_block: start },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]
    }),
    { type: 'message_delta', delta: { stop_reason: answer.stop_reason ?? null }, usage: answer.usage ?? null },
    { type: 'message_stop' },
  ],
  gemini: (answer) => [answer],
  ollama: (answer) => [answer],
}

/** Fields that are empty in the first event of an item. */
const begun: Readonly<Record<string, JsonObject>> = {
  message: { content: [] },
  reasoning: { summary: [] },
  function_call: { arguments: '' },
  custom_tool_call: { input: '' },
}

function startOf(block: JsonObject): { start?: JsonObject; deltas?: readonly JsonObject[] } {
  const type = String(block.type)
  if (type === 'text') {
    const citations = (block.citations ?? []) as Json[]
    const deltas = citations.map((citation) => ({ type: 'citations_delta', citation }))
    const empty = block.citations === null ? {} : { citations: [] }
    return {
      start: { ...block, text: '', ...empty },
      deltas: [{ type: 'text_delta', text: block.text ?? '' }, ...deltas],
    }
  }
  if (type === 'thinking') {
    const deltas = [
      { type: 'thinking_delta', thinking: block.thinking ?? '' },
      { type: 'signature_delta', signature: block.signature ?? '' },
    ]
    return { start: { ...block, thinking: '', signature: '' }, deltas }
  }
  if (type === 'compaction') return { deltas: [{ ...block, type: 'compaction_delta' }] }
  if (!type.endsWith('tool_use')) return {}
  const partial_json = JSON.stringify(block.input)
  return { start: { ...block, input: {} }, deltas: [{ type: 'input_json_delta', partial_json }] }
}

/** Between an answer and its stream, and between its stream and the stream that is written of it. */
function differencesOfStream(format: Format, value: Json, response: ChatResponse): string[] {
  const { client, server } = format
  const frames = streams[client.name]?.(copy(value as JsonObject))
  if (frames === undefined) return []
  const write = client.framing === 'sse' ? encodeSse : encodeNdjson
  const text = frames.map((frame) => write({ data: JSON.stringify(frame) })).join('')
  const streamed = decodeText(client, text)
  if (streamed.response === undefined) return [`stream: ${streamed.error}`]
  const encoder = server.encodeStream()
  const out: Parameters<typeof encoder.end>[0] = []
  for (const event of streamed.events) encoder.push(event, out)
  encoder.end(out)
  const again = decodeText(client, out.map(write).join(''))
  const isReported = encoder.losses.length > 0
  const content = (of: ChatResponse | undefined) => copy(of?.message.content ?? null)
  return [
    ...differences(content(response), content(streamed.response)).map((at) => `.streamed${at}`),
    ...(isReported ? [] : differences(content(streamed.response), content(again.response))).map((at) => `.again${at}`),
  ]
}
