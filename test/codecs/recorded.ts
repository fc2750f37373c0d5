/**
 * What an official client leaves to compare of an answer, and what comes back of a recording in another form, for each format, and why.
 * `corpus.test.ts` asks the same of all of them.
 */
import type { ClientCodec, ServerCodec } from '../../src/core/codec.ts'
import { blocksOf } from '../../src/core/content.ts'
import type { ChatResponse, ContentBlock, Json, JsonObject, Loss } from '../../src/core/messages.ts'
import * as anthropic from '../../src/formats/anthropic/index.ts'
import * as bedrock from '../../src/formats/bedrock-converse/index.ts'
import * as cohere from '../../src/formats/cohere/index.ts'
import * as gemini from '../../src/formats/gemini/index.ts'
import * as ollama from '../../src/formats/ollama/index.ts'
import * as chat from '../../src/formats/openai-chat/index.ts'
import * as responses from '../../src/formats/openai-responses/index.ts'
import type { CorpusCase } from '../support/corpus.ts'
import type { Oracle } from '../support/oracle.ts'
import { oracle as anthropicClient } from './anthropic/oracle.ts'
import { readSse } from './anthropic/sse.ts'
import { response as bedrockAnswer } from './bedrock-converse/oracle.ts'
import { oracle as cohereClient } from './cohere/oracle.ts'
import { oracle as geminiClient } from './gemini/oracle.ts'
import { oracle as ollamaClient } from './ollama/oracle.ts'
import { dialects } from './openai-chat/dialects.ts'
import { oracle as chatClient } from './openai-chat/oracle.ts'
import { dialects as responsesDialects } from './openai-responses/dialects.ts'
import { oracle as responsesClient } from './openai-responses/oracle.ts'
import type { Loose } from './rows.ts'

export interface Recorded {
  /** The codec of a recording: dialects have their own. */
  client(one: CorpusCase): ClientCodec
  readonly server: ServerCodec
  /** The function of the format: the server's own also seals the proofs of other providers. */
  encodeResponse(response: ChatResponse): { readonly body: unknown; readonly losses: readonly Loss[] }
  decodeRequest(body: unknown, path: string, one: CorpusCase): ReturnType<ServerCodec['decodeRequest']>
  readonly oracle: Oracle
  /** Whether the official client can follow a stream. Default: all but `every-oddity`. */
  follows?(one: CorpusCase): boolean
  /** Whether it can follow the stream that we write of one. Default: all. */
  followsAgain?(one: CorpusCase): boolean
  /** What is compared of an answer. Default: all of it. */
  said?(response: ChatResponse): unknown
  /** The same, once the answer was written by us. Default: `said`. */
  saidAgain?(response: ChatResponse, one: CorpusCase): unknown
  /** A recorded body as we write it. Default: as it came. */
  answer?(body: Loose, one: CorpusCase): unknown
  /** What is compared of a body that we wrote. Default: all of it. */
  written?(body: Loose, recorded: Loose): unknown
  request?(body: Loose, one: CorpusCase): unknown
}

export const has = (tag: string) => (one: CorpusCase) =>
  [...one.meta.features, ...one.meta.quirks].includes(tag) || one.name === tag
const hasOne = (tags: readonly string[]) => (one: CorpusCase) => tags.some((tag) => has(tag)(one))

/** Fields of a value without those that `leavesOut`, at any depth. */
const without = (value: unknown, leavesOut: (key: string, field: Loose) => boolean): Loose =>
  JSON.parse(JSON.stringify(value ?? null, (key, field) => (leavesOut(key, field) ? undefined : field)))
const withoutNulls = (value: unknown) => without(value, (_key, field) => field === null)

// ---- Anthropic ----------------------------------------------------------------------------------------

/** Streams that the official client reads differently, by their content, and why. */
const anthropicDiffers: Readonly<Record<string, string>> = {
  'every-oddity': 'its decoder needs event names and throws at unknown types',
  'duplicate-message_start': 'it throws at a second message_start; wire/anthropic.md §4 has us ignore it',
  'delta:compaction_delta': 'only its beta client knows compaction_delta; wire/anthropic.md §4',
  mcp: 'only its beta client takes the input of an mcp_tool_use; wire/anthropic.md §3',
  'tool-args-invalid-json': 'it repairs cut arguments into an object; here they are an invalid call, which never runs',
}

/** It has no text of arguments, only what they parse to, and of the figures only those that it knows. */
function ofAnthropic({ message, usage, ...rest }: ChatResponse): Loose {
  const { providerData: _, ...figures } = usage ?? {}
  const content = without(blocksOf(message.content), (key) => key === 'argumentsText')
  return withoutNulls({ ...rest, usage: figures, message: { ...message, usage: figures, content } })
}

function withoutCallers({ providerData: _, ...response }: Loose): unknown {
  const ofCall = (block: Loose) => (block.type === 'tool_call' ? without(block, isOwn) : block)
  const { message } = response
  return { ...response, message: { ...message, content: message.content.map(ofCall) } }
}

/** The steps of the usage: only its beta client keeps them. */
async function withIterations(text: string): Promise<unknown> {
  const theirs = (await anthropicClient.stream(text)) as JsonObject
  const last = readSse(text).findLast(({ event }) => event === 'message_delta')?.data ?? '{}'
  const { iterations } = JSON.parse(last).usage ?? {}
  return iterations === undefined ? theirs : { ...theirs, usage: { ...(theirs.usage as JsonObject), iterations } }
}

// ---- Gemini -------------------------------------------------------------------------------------------

/**
 * The official client drops `finishMessage`, the time and the name of recitations. It hands out arguments as objects, so their text is
 * gone.
 */
function ofGemini({ providerData: _, message, ...rest }: ChatResponse): unknown {
  const { finishMessage: _finish, citationMetadata: _cited, ...providerData } = message.providerData?.gemini ?? {}
  const { createdAt: _at, ...info } = message.response ?? {}
  const content = without(message.content, (key) => key === 'argumentsText')
  return { ...rest, message: { ...message, content, providerData, response: info } }
}

/** A signature follows a streamed text on an empty part, and the event that begins an answer does not have the time. */
function ofGeminiAgain({ message, stopReason, usage }: ChatResponse, { kind, text }: CorpusCase): unknown {
  const isSigned = kind !== 'json' && /"text":"[^"]+"[^}]*"thoughtSignature"/.test(text.replaceAll(/\s*:\s*/g, ':'))
  const content = isSigned
    ? blocksOf(message.content)
        .map((block) => 'text' in block && block.text)
        .join('')
    : message.content
  const { createdAt: _, ...info } = message.response ?? {}
  const { finishMessage: _finish, citationMetadata: _cited, ...kept } = message.providerData?.gemini ?? {}
  return { kept, content: without(content, (key) => key === 'argumentsText'), info, stopReason, usage }
}

/** We say which candidate it is and who speaks, and leave out what says nothing: parts without data, content without parts, empty lists. */
function geminiAnswer({ candidates = [], ...body }: Loose): unknown {
  const written = candidates.map(({ content, ...candidate }: Loose) => ({
    ...candidate,
    index: 0,
    ...(content?.parts && {
      content: {
        role: 'model',
        ...content,
        parts: content.parts.filter((part: object) => Object.keys(part).length > 0),
      },
    }),
  }))
  return { ...body, ...(written.length > 0 && { candidates: written }) }
}

const snakeNames =
  /"(function_call|function_response|function_declarations|system_instruction|generation_config|max_output_tokens|response_mime_type|response_schema|include_thoughts|thinking_level)":/g
/** Names in `camelCase`, roles always said. A result has the id of its call where the call has one, as the server wants it back. */
function geminiRequest(request: unknown): unknown {
  const camel = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  const body = JSON.parse(JSON.stringify(request).replaceAll(snakeNames, camel))
  for (const content of body.contents) {
    content.role ??= 'user'
    for (const { functionResponse } of content.parts)
      if (functionResponse?.name === 'get_weather') functionResponse.id ??= 'w6geog7o'
  }
  return body
}

// ---- Ollama -------------------------------------------------------------------------------------------

/** As the server of today writes it: each call has an id and a number, and arguments. Older servers and edited cases have none. */
function ollamaAnswer(body: Loose): unknown {
  const calls = body.message.tool_calls?.map((call: Loose, at: number) => ({
    id: `ollama_${at}`,
    ...call,
    function: { index: at, arguments: {}, ...call.function },
  }))
  return calls === undefined ? body : { ...body, message: { ...body.message, tool_calls: calls } }
}

const isOfToday = /^(?:index|generatedId|createdAt|created_at)$/
/** A result says its tool (decision C8), calls are in order, and the schema that is sent is of 2020-12, whatever the given one says. */
function ollamaRequest(request: Loose): unknown {
  const messages = request.messages.map((message: Loose) =>
    message.role === 'tool' ? { tool_name: 'get_current_weather', ...message } : message,
  )
  const tools = request.tools && without(request.tools, (key) => key === '$schema')
  return without({ ...request, messages, ...(tools && { tools }) }, (key) => key === 'index')
}

// ---- Chat Completions ---------------------------------------------------------------------------------

/** Where the helper of the official client cannot follow, by what the stream has, and the rule by which we do. */
export const chatFails: Readonly<Record<string, { says: RegExp; rule: string }>> = {
  'missing-tool-index': { says: /invalid tool call index/, rule: 'dialects.md §2 rule 1: no index' },
  'tool-type-absent': { says: /missing `type`/, rule: 'dialects.md §6: no type' },
  'tool-name-empty-in-deltas': { says: /missing role/, rule: 'dialects.md §2 rule 4: no role' },
  'tool-index-not-from-zero': { says: /reading 'id'/, rule: 'dialects.md §2 rule 1: the first index is 1' },
  'chunk-without-choices': { says: /choices is not iterable/, rule: 'Workers AI: figures and native frames' },
  'no-finish-reason': { says: /missing finish_reason/, rule: 'dialects.md §1 truncationPolicy' },
}
/** It joins parts as strings: "[object Object]" (dialects.md §6); and it makes one text of texts around a call. */
const chatDiffers = [...Object.keys(chatFails), 'content-is-array', 'every-oddity']

/**
 * It keeps the last piece of what it does not put together: of reasoning, which the official wire does not have (openai-chat.md §2.1), of
 * Groq's executed tools, and of `created`, which advances while the answer began once.
 */
function ofChat({ message, usage, stopReason }: ChatResponse) {
  const { providerData: _, ...figures } = usage ?? {}
  const { createdAt: _created, ...source } = message.response ?? {}
  const content = blocksOf(message.content).filter(
    ({ type }) => type !== 'reasoning' && !type.startsWith('server_tool_'),
  )
  return { content, invalid: message.invalidToolCalls, stopReason, raw: message.rawStopReason, source, figures }
}

/** Our answers have a finish reason of this wire, every call has an id and arguments, and every citation its place. */
function ofChatAgain(response: ChatResponse, one: CorpusCase) {
  const { raw: _, source, ...rest } = ofChat(response)
  // The older models of Workers AI have no id: we make one.
  const { provider: _p, ...named } = has('native-frames')(one) ? { provider: '' } : source
  const content = rest.content.map((block): ContentBlock => {
    if (block.type === 'text' && block.citations !== undefined) {
      const whole = { startIndex: 0, endIndex: block.text.length }
      return { ...block, citations: block.citations.map((one) => ({ ...whole, ...one })) }
    }
    if (block.type !== 'tool_call') return block
    const { providerData: _d, generatedId: _g, ...call } = block
    return { ...call, argumentsText: call.argumentsText || '{}' }
  })
  return { ...rest, content, named }
}

/** Nulls, empty lists and empty strings say nothing, and come back as null or not at all. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty)
  if (typeof value !== 'object' || value === null) return value
  const isSaid = (one: unknown) => one != null && one !== '' && !(Array.isArray(one) && one.length === 0)
  const said = Object.entries(value).filter(([, one]) => isSaid(one))
  return Object.fromEntries(said.map(([key, one]) => [key, withoutEmpty(one)]))
}

function chatAnswer(body: Loose, one: CorpusCase): unknown {
  const copy = structuredClone(body)
  const [choice] = copy.choices ?? []
  if (choice === undefined) return withoutEmpty(copy)
  choice.message ??= { role: 'assistant' } // a filtered prompt has none
  delete choice.delta // an empty one beside the message says nothing
  const { message } = choice
  // What a gateway says of its routing is kept with the answer, and not with the message, which is sent again.
  delete message.provider_metadata
  if (message.tool_calls?.length > 0) {
    // Calls are reported for every finish reason (openai-chat.md §6). A call has a type, and its place is its index.
    if (choice.finish_reason === 'stop') choice.finish_reason = 'tool_calls'
    for (const call of message.tool_calls) {
      delete call.index
      call.type ??= 'function'
    }
  }
  // `eos` is Together's `stop`, a word no client of OpenAI's knows.
  if (choice.finish_reason === 'eos') choice.finish_reason = 'stop'
  // Reasoning comes back in the field that most clients read, and Mistral's parts as text beside it.
  message.reasoning_content ??= message.reasoning
  delete message.reasoning
  if (Array.isArray(message.content)) {
    const parts: Loose[] = message.content
    message.reasoning_content = parts.flatMap(({ thinking = [] }) => thinking.map((part: Loose) => part.text)).join('')
    message.content = parts.flatMap(({ text }) => text ?? []).join('')
  }
  const { usage } = copy
  // xAI's output excludes reasoning; what we answer counts as OpenAI does.
  if (one.format === 'openai-chat-xai') usage.completion_tokens += usage.completion_tokens_details.reasoning_tokens
  // Workers AI parses what was to be JSON.
  if (has('content-is-object')(one)) message.content = JSON.stringify(message.content)
  // DeepSeek, Moonshot, Mistral: what is cached has the one usual place too; and what Vercel's gateway writes to the cache.
  const cached_tokens = usage?.prompt_cache_hit_tokens ?? usage?.cached_tokens ?? usage?.num_cached_tokens
  const cache_write_tokens = usage?.cache_creation_input_tokens
  const details = {
    ...(cached_tokens !== undefined && { cached_tokens }),
    ...(cache_write_tokens !== undefined && { cache_write_tokens }),
  }
  if (Object.keys(details).length > 0) usage.prompt_tokens_details = { ...usage.prompt_tokens_details, ...details }
  return withoutEmpty(copy)
}

function chatWritten(body: Loose, recorded: Loose): unknown {
  const copy = structuredClone(body)
  for (const choice of copy.choices) {
    // Perplexity's marks are said as OpenAI says citations, too: `test/providers/sources.test.ts` has what they are.
    if ('citations' in recorded) delete choice.message?.annotations
    delete choice.provider_metadata
  }
  return withoutEmpty(copy)
}

function chatRequest(body: JsonObject, { format }: CorpusCase): unknown {
  const copy: Loose = structuredClone(body)
  const dialect = dialects[format] ?? chat.compatible
  // The deprecated names have a successor.
  if (copy.functions !== undefined) {
    copy.tools = copy.functions.map((tool: Json) => ({ type: 'function', function: tool }))
    copy.tool_choice = copy.function_call
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
  if (copy.response_format?.type === 'text') delete copy.response_format
  if (!copy.tools) for (const name of ['tool_choice', 'parallel_tool_calls']) delete copy[name]
  if (copy.tool_choice === 'required' && dialect.provider === 'mistral') copy.tool_choice = 'any'
  // Hosts other than OpenAI get plain text as a string; so does everyone from the assistant.
  const isPlain = (part: object) => Object.keys(part).length === 2 && 'text' in part
  for (const message of copy.messages) {
    const isJoined = dialect.textParts !== true || message.role === 'assistant'
    if (isJoined && Array.isArray(message.content) && message.content.every(isPlain))
      message.content = message.content.map(({ text }: Loose) => text).join('')
  }
  return withoutEmpty(copy)
}

// ---- Responses ----------------------------------------------------------------------------------------

/** Fields that the official client or the schema of Open Responses demands, and some servers leave out, are filled in. */
const demanded =
  'instructions metadata parallel_tool_calls temperature tool_choice tools top_p error user access_programs background completed_at \
frequency_penalty max_output_tokens max_tool_calls text presence_penalty previous_response_id prompt_cache_key reasoning \
safety_identifier service_tier store top_logprobs truncation'.split(' ')

const responsesDialectOf = ({ format }: CorpusCase) => responsesDialects[format] ?? responses.openaiDialect
const responsesDiffers = [
  'item-id-rotates', // it throws where the ids of items change (wire document §4)
  'item:apply_patch_call', // and at types that are not in its list (§6 rule 4)
  'every-oddity',
  'vercel-openai-shell-container.1-stream', // the source repository edited its deltas and not its items
]

/** Text is encrypted again each time it is written: it differs between an item that is done and the final answer. */
export function withoutCiphers(response: ChatResponse): unknown {
  return JSON.parse(JSON.stringify(response), (key, value) =>
    (key === 'encrypted_content' || key === 'fingerprint') && typeof value === 'string' ? 'a cipher' : value,
  )
}

const ofResponses = ({ message, stopReason }: ChatResponse) => ({
  stopReason,
  blocks: (blocksOf(message.content) as readonly Loose[]).map(
    ({ opaque: _, providerData: __, metadata: ___, ...block }) => block,
  ),
})

// ---- all ----------------------------------------------------------------------------------------------

const isOwn = (key: string) => key === 'providerData'
/** No arguments are written as an empty object. */
const isNothing = (key: string, field: Loose) => key === 'argumentsText' && (field === '' || field === '{}')

export const recorded: Readonly<Record<string, Recorded>> = {
  anthropic: {
    client: () => anthropic.createClientCodec(),
    server: anthropic.createServerCodec(),
    encodeResponse: anthropic.encodeResponse,
    decodeRequest: (body, path) => anthropic.decodeRequest(body, { path }),
    oracle: { ...anthropicClient, stream: withIterations },
    follows: (one) => !hasOne(Object.keys(anthropicDiffers))(one),
    said: ofAnthropic,
    // A call that streams begins before we hand out the fields kept with it (`caller`): the losses of the encoder say so.
    saidAgain: (response) => withoutCallers(ofAnthropic(response)),
    followsAgain: (one) => !has('tool-args-invalid-json')(one),
    // `output_format` is the older name of `output_config.format`, and needs a beta header that the newer does not (§2.3).
    request: ({ output_format: format, ...body }) => ({ ...body, ...(format && { output_config: { format } }) }),
  },
  'bedrock-converse': {
    client: () => bedrock.createClientCodec(),
    server: bedrock.createServerCodec(),
    encodeResponse: bedrock.encodeResponse,
    decodeRequest: (body, path) => bedrock.decodeRequest(body, { path }),
    // It hands out the events of a stream, which `test/gateway/clients.test.ts` puts together as its documentation does.
    oracle: { stream: async () => undefined, response: bedrockAnswer },
    follows: () => false,
    // The client does not hand out fields that its types do not have.
    said: (response) => without(response, isOwn),
    // What comes in another form is read as the same.
    answer: (body) => bedrock.decodeResponse(body),
    written: (body) => bedrock.decodeResponse(JSON.parse(JSON.stringify(body))),
  },
  cohere: {
    client: () => cohere.createClientCodec(),
    server: cohere.createServerCodec(),
    encodeResponse: cohere.encodeResponse,
    decodeRequest: (body, path) => cohere.decodeRequest(body, { path }),
    oracle: cohereClient,
    saidAgain: (response) => without(response, (key, field) => isOwn(key) || isNothing(key, field)),
    answer: (body) => JSON.parse(JSON.stringify(body).replaceAll('"arguments":"null"', '"arguments":"{}"')),
  },
  gemini: {
    client: () => gemini.createClientCodec(),
    server: gemini.createServerCodec(),
    encodeResponse: gemini.encodeResponse,
    decodeRequest: (body, path) => gemini.decodeRequest(body, { path }),
    oracle: geminiClient,
    said: ofGemini,
    saidAgain: ofGeminiAgain,
    answer: geminiAnswer,
    request: geminiRequest,
  },
  ollama: {
    client: () => ollama.createClientCodec(),
    server: ollama.createServerCodec(),
    encodeResponse: ollama.encodeResponse,
    decodeRequest: (body) => ollama.decodeRequest(body),
    oracle: ollamaClient,
    // A server of today adds an id and a number to calls, and a stream of events does not say when it was begun.
    saidAgain: (response) =>
      without(response, (key, field) => isOfToday.test(key) || /^ollama_/.test(field) || isNothing(key, field)),
    followsAgain: (one) => one.name !== 'every-oddity',
    answer: ollamaAnswer,
    request: ollamaRequest,
  },
  'openai-chat': {
    client: ({ format }) => chat.createClientCodec(dialects[format] ?? chat.compatible),
    server: chat.createServerCodec(),
    encodeResponse: chat.encodeResponse,
    decodeRequest: (body) => chat.decodeRequest(body),
    oracle: chatClient,
    follows: (one) => !hasOne(chatDiffers)(one),
    followsAgain: (one) => one.name !== 'every-oddity',
    said: ofChat,
    saidAgain: ofChatAgain,
    answer: chatAnswer,
    written: chatWritten,
    request: chatRequest,
  },
  'openai-responses': {
    client: (one) => responses.createClientCodec(responsesDialectOf(one)),
    server: responses.createServerCodec(),
    encodeResponse: responses.encodeResponse,
    decodeRequest: (body, _path, one) => responses.decodeRequest(body, { dialect: responsesDialectOf(one) }),
    oracle: responsesClient,
    follows: (one) => !hasOne(responsesDiffers)(one),
    said: withoutCiphers,
    saidAgain: ofResponses,
    written: (body, from) =>
      Object.fromEntries(Object.entries(body).filter(([name]) => !demanded.includes(name) || name in from)),
    // The wire's default for `store` is written out, since ours is another; text as input is the one message that it is.
    request: ({ input = null, ...body }) => ({
      ...{ store: true, ...body, input: typeof input === 'string' ? [{ role: 'user', content: input }] : input },
    }),
  },
}
