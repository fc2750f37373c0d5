/** Every recording of Chat Completions and its dialects, decoded, encoded, and held against the official client. */
import { describe, expect, it } from 'vitest'
import type { ChatResponse, Json, JsonObject } from '../../../src/core/messages.ts'
import {
  createClientCodec,
  createServerCodec,
  decodeRequest,
  decodeResponse,
  encodeRequest,
  encodeResponse,
} from '../../../src/formats/openai-chat/index.ts'
import { type CorpusCase, casesOf } from '../../support/corpus.ts'
import { decodeText } from '../../support/decode.ts'
import { dialects } from './dialects.ts'
import { oracle } from './oracle.ts'
import { blocks, encodeEvents } from './run.ts'

const cases = casesOf('openai-chat', { dialects: true })
const has = (tag: string) => (one: CorpusCase) => [...one.meta.features, ...one.meta.quirks].includes(tag)
const isError = has('error')
const answers = cases.filter((one) => !isError(one))
const streams = answers.filter((one) => one.kind === 'sse')
const wholes = answers.filter((one) => one.kind === 'json')

function dialectOf({ format }: CorpusCase) {
  const dialect = dialects[format]
  if (dialect === undefined) throw new Error(`no dialect reads ${format}`)
  return dialect
}

function decode(one: CorpusCase): ChatResponse {
  if (one.kind === 'json') return createClientCodec(dialectOf(one)).decodeResponse(JSON.parse(one.text))
  const { response, error } = decodeText(createClientCodec(dialectOf(one)), one.text)
  if (response === undefined) throw error
  return response
}

/** The older models of Workers AI have another form; what we write is Chat's. */
const isForeign = has('native-frames')

// ---- round trips ------------------------------------------------------------------------------

/** Nulls, empty lists and empty strings say nothing, and come back as null or not at all. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  const said = Object.entries(value).filter(
    ([, one]) => one !== null && one !== '' && !(Array.isArray(one) && one.length === 0),
  )
  return Object.fromEntries(said.map(([key, one]) => [key, withoutEmpty(one)]))
}

/** Fields that come back in another form, and why. */
function normalisedAnswer(body: JsonObject, one: CorpusCase): JsonObject {
  const copy = structuredClone(body) as {
    choices: { message: JsonObject; delta?: JsonObject; finish_reason: string }[]
    usage: JsonObject
  }
  const [choice] = copy.choices
  if (choice === undefined) return copy as unknown as JsonObject
  choice.message ??= { role: 'assistant' } // a filtered prompt has none
  if ('delta' in choice) delete choice.delta // an empty one beside the message says nothing
  const { message } = choice
  const calls = message.tool_calls as JsonObject[] | undefined
  if (calls && calls.length > 0) {
    // Calls are reported for every finish reason (openai-chat.md §6).
    if (choice.finish_reason === 'stop') choice.finish_reason = 'tool_calls'
    // A call has a type, and its place is its index.
    for (const call of calls) {
      delete call.index
      call.type ??= 'function'
    }
  }
  // `eos` is Together's `stop`, a word no client of OpenAI's knows.
  if (choice.finish_reason === 'eos') choice.finish_reason = 'stop'
  // Reasoning comes back in the field that most clients read, and Mistral's parts as text beside it.
  if (typeof message.reasoning === 'string') {
    message.reasoning_content = message.reasoning
    delete message.reasoning
  }
  if (Array.isArray(message.content)) {
    const parts = message.content as { type: string; text: string; thinking: { text: string }[] }[]
    message.reasoning_content = parts.flatMap((part) => part.thinking?.map(({ text }) => text) ?? []).join('')
    message.content = parts.flatMap((part) => part.text ?? []).join('')
  }
  // xAI's output excludes reasoning; what we answer counts as OpenAI does.
  if (one.format === 'openai-chat-xai') {
    const details = copy.usage.completion_tokens_details as { reasoning_tokens: number }
    copy.usage.completion_tokens = (copy.usage.completion_tokens as number) + details.reasoning_tokens
  }
  // Workers AI parses what was to be JSON.
  if (has('content-is-object')(one)) message.content = JSON.stringify(message.content)
  // DeepSeek, Moonshot, Mistral: what is cached has the one usual place too.
  const { prompt_cache_hit_tokens: hit, cached_tokens: read, num_cached_tokens: number } = copy.usage ?? {}
  const cached = hit ?? read ?? number
  if (cached !== undefined) {
    copy.usage.prompt_tokens_details = { ...(copy.usage.prompt_tokens_details as JsonObject), cached_tokens: cached }
  }
  // Vercel's gateway: so has what is written to the cache.
  const written = copy.usage?.cache_creation_input_tokens
  if (written !== undefined) {
    copy.usage.prompt_tokens_details = {
      ...(copy.usage.prompt_tokens_details as JsonObject),
      cache_write_tokens: written,
    }
  }
  return copy as unknown as JsonObject
}

function normalisedRequest(body: JsonObject, one: CorpusCase): JsonObject {
  const copy: JsonObject = structuredClone(body)
  const dialect = dialectOf(one)
  // The deprecated names have a successor.
  if (copy.functions !== undefined) {
    copy.tools = (copy.functions as Json[]).map((tool) => ({ type: 'function', function: tool }))
    copy.tool_choice = copy.function_call as Json
    delete copy.functions
    delete copy.function_call
  }
  if (copy.max_tokens && dialect.maxTokensField === 'max_completion_tokens') {
    copy.max_completion_tokens = copy.max_tokens
    delete copy.max_tokens
  }
  // A stream is asked for its usage, where that must be asked for.
  if (copy.stream === true && dialect.asksForUsage) copy.stream_options = { include_usage: true }
  // A default that goes without saying, as do a choice and a switch with no tools to choose from.
  if ((copy.response_format as JsonObject | null)?.type === 'text') delete copy.response_format
  if (!copy.tools) for (const name of ['tool_choice', 'parallel_tool_calls']) delete copy[name]
  if (copy.tool_choice === 'required' && dialect.provider === 'mistral') copy.tool_choice = 'any'
  for (const message of copy.messages as JsonObject[]) {
    const isJoined = dialect.textParts !== true || message.role === 'assistant'
    // Hosts other than OpenAI get plain text as a string; so does everyone from the assistant.
    if (
      isJoined &&
      Array.isArray(message.content) &&
      message.content.every((part) => Object.keys(part as object).length === 2 && (part as JsonObject).type === 'text')
    ) {
      message.content = message.content.map((part) => (part as JsonObject).text).join('')
    }
  }
  return copy
}

describe('round trips', () => {
  it.each(cases.filter((one) => one.request !== undefined))('$id: the request comes back as it was', (one) => {
    const { context, options } = decodeRequest(one.request)
    const { body } = encodeRequest(context, { ...options, dialect: dialectOf(one) })
    expect(withoutEmpty(JSON.parse(JSON.stringify(body)))).toEqual(
      withoutEmpty(normalisedRequest(one.request as JsonObject, one)),
    )
  })

  it.each(wholes.filter((one) => !isForeign(one)))('$id: the answer comes back as it was', (one) => {
    const body = JSON.parse(one.text)
    const { body: written } = encodeResponse(decode(one))
    // Perplexity's marks are said as OpenAI says citations, too: `test/providers/sources.test.ts` has what they are.
    if ('citations' in body) delete (written.choices[0]?.message as JsonObject | undefined)?.annotations
    // What a gateway says of its routing is kept with the answer, and not with the message, which is sent again.
    for (const { message } of body.choices) if (message) delete message.provider_metadata
    for (const choice of written.choices as object[]) Reflect.deleteProperty(choice, 'provider_metadata')
    expect(withoutEmpty(written)).toEqual(withoutEmpty(normalisedAnswer(body, one)))
  })
})

// ---- the official client ----------------------------------------------------------------------

/** Where its helper cannot follow, by what the stream has, and the rule by which we do. */
const oracleFails: Readonly<Record<string, { says: RegExp; rule: string }>> = {
  'missing-tool-index': { says: /invalid tool call index/, rule: 'dialects.md §2 rule 1: no index' },
  'tool-type-absent': { says: /missing `type`/, rule: 'dialects.md §6: no type' },
  'tool-name-empty-in-deltas': { says: /missing role/, rule: 'dialects.md §2 rule 4: no role' },
  'tool-index-not-from-zero': { says: /reading 'id'/, rule: 'dialects.md §2 rule 1: the first index is 1' },
  'chunk-without-choices': { says: /choices is not iterable/, rule: 'Workers AI: figures and native frames' },
  'no-finish-reason': { says: /missing finish_reason/, rule: 'dialects.md §1 truncationPolicy' },
}
/** Where it reads something else, and why. */
const oracleDiffers: Readonly<Record<string, string>> = {
  'content-is-array': 'it joins parts as strings: "[object Object]" (dialects.md §6, content is an array)',
}
/** It makes one text of texts around a call, and keeps the last of repeated fields. */
const isOdd = ({ name }: CorpusCase) => name === 'every-oddity'

/**
 * It keeps the last piece of what it does not put together: of reasoning, which the official wire does not have (openai-chat.md
 * §2.1), of Groq's executed tools, and of `created`, which advances at xAI, Groq and Perplexity while the answer began once. Those are
 * left out.
 */
function comparable(response: ChatResponse | undefined) {
  const { message, usage, stopReason } = response ?? {}
  const { providerData: _, ...figures } = usage ?? {}
  const { createdAt: _created, ...source } = message?.response ?? {}
  return {
    content: blocks(response).filter(({ type }) => type !== 'reasoning' && !type.startsWith('server_tool_')),
    invalid: message?.invalidToolCalls,
    stopReason,
    raw: message?.rawStopReason,
    source,
    figures,
  }
}

describe('the official client', () => {
  const strange = [...Object.keys(oracleFails), ...Object.keys(oracleDiffers)]
  const follows = streams.filter((one) => !isOdd(one) && !strange.some((tag) => has(tag)(one)))

  it.each(follows)('$id: reads the same from the same stream', async (one) => {
    const theirs = createClientCodec(dialectOf(one)).decodeResponse(await oracle.stream(one.text))
    expect(comparable(decode(one))).toEqual(comparable(theirs))
  })

  it.each(Object.entries(oracleFails))('%s: fails but isoglot does not, because of %j', async (tag, { says }) => {
    const own = streams.filter(has(tag))
    expect(own.length).toBeGreaterThan(0)
    for (const one of own) {
      await expect(oracle.stream(one.text)).rejects.toThrow(says)
      expect(decode(one).stopReason).toBe(one.expected?.stopReason ?? 'tool_calls')
    }
  })

  it.each(Object.entries(oracleDiffers))('%s: reads a different result: %s', async (tag) => {
    const own = streams.filter(has(tag))
    expect(own.length).toBeGreaterThan(0)
    for (const one of own) expect(JSON.stringify(await oracle.stream(one.text))).toContain('[object Object]')
  })

  it.each(streams.filter((one) => !isOdd(one)))(
    '$id: reads the stream that we write to the same message',
    async (one) => {
      const { events, response } = decodeText(createClientCodec(dialectOf(one)), one.text)
      const theirs = decodeResponse(await oracle.stream(encodeEvents(events)))
      expect(rewritten(theirs, one)).toEqual(rewritten(response, one))
    },
  )

  it.each(wholes)('$id: reads the answer that we write to the same message', async (one) => {
    const response = decode(one)
    const { body } = createServerCodec().encodeResponse(response)
    expect(rewritten(decodeResponse(await oracle.response(body)), one)).toEqual(rewritten(response, one))
  })
})

/** Our answers have a finish reason of this wire, every call has an id and arguments, and every citation its place. */
function rewritten(response: ChatResponse | undefined, one: CorpusCase) {
  const { raw: _, source: said, ...rest } = comparable(response)
  const source = isForeign(one) ? {} : said // such an answer has no id: we make one
  const { provider: _p, ...named } = source as typeof said
  const content = rest.content.map((block) => {
    if (block.type === 'text' && block.citations !== undefined) {
      const whole = { startIndex: 0, endIndex: block.text.length }
      return { ...block, citations: block.citations.map((one) => ({ ...whole, ...one })) }
    }
    if (block.type !== 'tool_call') return block
    const { providerData: _d, generatedId: _g, argumentsText, ...call } = block
    return { ...call, argumentsText: argumentsText || '{}' }
  })
  return { ...rest, content, named }
}
