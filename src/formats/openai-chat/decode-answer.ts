/**
 * OpenAI Chat Completions: reads an answer, whole or streamed, and its errors.
 *
 * @module
 */

import { fold, foldCalls } from '../../assemble/assemble.ts'
import type {
  CallFragment,
  CodecOptions,
  DecodedCalls,
  DecodeResponseOptions,
  DecodeStreamOptions,
  ErrorAnswer,
  Fragment,
  Frame,
} from '../../core/codec.ts'
import { keepUnknown, keepUnknownOn } from '../../core/content.ts'
import type { ApiError } from '../../core/errors.ts'
import {
  arrayOf,
  compact,
  decodeErrorAt,
  field,
  findLastIndex,
  isObject,
  lookup,
  numberOr,
  objectIn,
  otherFields,
  othersWithin,
  parseEvent,
  refuseDeep,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import { readDataUrl } from '../../core/media.ts'
import type {
  ChatResponse,
  CitationBlock,
  ContentBlock,
  Json,
  JsonObject,
  ProviderData,
  Usage,
} from '../../core/messages.ts'
import type { Machine } from '../../core/reducer.ts'
import { besideOutput, settleUsage } from '../../core/usage.ts'
import { inStream, readApiError } from '../shared/api-error.ts'
import type { ChatDialect } from './dialect.ts'
import { openai } from './openai.ts'
import {
  answerFields,
  audioFields,
  bodyFields,
  bookkeeping,
  callFields,
  choiceFields,
  citationFields,
  errorKinds,
  finalErrors,
  format,
  functionFields,
  generalErrorKinds,
  proofNames,
  stopReasons,
} from './tables.ts'

/**
 * Decodes an answer.
 *
 * @throws {ApiError} if the body is an error with status 200.
 * @throws {DecodeError} if the answer has no choices.
 * @throws {InterruptedError} if the answer has no finish reason and the host always sends one.
 */
export function decodeResponse(
  body: unknown,
  { dialect = openai, ...options }: DecodeResponseOptions<ChatDialect> = {},
): ChatResponse {
  const { provider, idPrefix = 'call_' } = dialect
  return fold(readWhole(body, dialect, options.request), { ...options, provider, idPrefix })
}

function readWhole(body: unknown, dialect: ChatDialect, request?: unknown): Fragment[] {
  const what = `${dialect.title} response`
  refuseDeep(body, what)
  const answer = objectOf(adapted(body, dialect), dialect, what)
  if (!isObject(arrayOf(answer.choices)[0])) throw decodeErrorAt('choices', 'missing', what)
  const reader = new AnswerReader(dialect, true, request)
  const fragments: Fragment[] = []
  reader.read(answer, fragments)
  reader.end(fragments, true)
  return fragments
}

/** Returns the calls of a complete answer, with or without a finish reason. */
export function decodeToolCalls(body: unknown, { dialect = openai }: CodecOptions<ChatDialect> = {}): DecodedCalls {
  return foldCalls(readWhole(body, dialect), dialect.idPrefix ?? 'call_')
}

// ---- a stream -----------------------------------------------------------------------------------

/**
 * Decodes one answer.
 *
 * The answer ends at `[DONE]`. If `[DONE]` is missing, it ends at the end of the stream if there was a finish reason.
 *
 * @throws {ApiError} if a chunk is an error. This can happen after status 200 and a part of the answer.
 * @throws {DecodeError} if a chunk is not a JSON object.
 */
export function decodeStream({
  dialect = openai,
  request,
}: DecodeStreamOptions<ChatDialect> = {}): Machine<Frame, Fragment> {
  const reader = new AnswerReader(dialect, false, request)
  return {
    push(frame, out) {
      const data = frame.data.trim()
      if (reader.isEnded || data === '') return
      if (data === '[DONE]') return reader.end(out, true)
      const what = `${dialect.title} event`
      const chunk = adapted(parseEvent(data, what), dialect)
      if (frame.event === 'error') throw errorOf(chunk, dialect)
      reader.read(objectOf(chunk, dialect, what), out)
    },
    end: (out) => reader.end(out, false),
  }
}

/** The chunk or body in the form of this format. */
function adapted(body: unknown, { adaptAnswer }: ChatDialect): unknown {
  return adaptAnswer === undefined ? body : adaptAnswer(body)
}

/**
 * Returns a chunk or body as an object.
 *
 * @throws {ApiError} if it is an error.
 * @throws {DecodeError} if it is not an object.
 */
function objectOf(body: unknown, dialect: ChatDialect, what: string): JsonObject {
  if (isError(body)) throw errorOf(body, dialect)
  if (!isObject(body)) throw decodeErrorAt('', 'not an object', what)
  return body
}

// ---- an answer ----------------------------------------------------------------------------------

/** A call fragment with writable fields. Setting the fields one by one is ten times as fast as spreading optional fields. */
type CallPiece = { -readonly [Key in keyof CallFragment]: CallFragment[Key] }

/**
 * Reads the chunks of one answer, or its complete body like one large chunk. It stores text only of proofs, since a proof must be sent back
 * complete.
 */
export class AnswerReader {
  isEnded = false
  readonly #dialect: ChatDialect
  readonly #isWhole: boolean
  readonly #reasoning: ReasoningReader
  /** The model's name in the answer. Proofs belong to it. */
  model = ''
  #isStarted = false
  /** The last finish reason that was sent. */
  #finish: string | undefined
  /** Whether generated audio is complete. Such an answer ends without a finish reason. */
  #isAudioDone = false
  #hasRefusal = false
  #hasAudio = false
  /** Whether the last part read was text. Annotations belong to this text. */
  #isCited = false
  #isText = false
  /** The keys of custom calls whose text is not complete yet. */
  readonly #openCustom = new Set<CallPiece['key']>()
  /** How many answers were asked for; `undefined` if that is not known. */
  readonly #asked: number | undefined
  /** The index of the choice that is read: the first one. */
  #index: number | undefined
  /** Whether that choice has calls. Copilot has those of its one answer in choices of their own. */
  #hasOwnCalls = false
  #calls = 0
  #hasDelta = false
  #hasOtherChoices = false
  readonly #otherChoices: JsonObject[] = []
  /** Unknown fields of the answer. */
  readonly #extra: JsonObject = Object.create(null)
  /** Unknown fields of the choice, and its log probabilities. */
  readonly #choice: JsonObject = Object.create(null)

  /** `isWhole`: the body is complete, and not a chunk. `request`: the body that was sent, if it is known. */
  constructor(dialect: ChatDialect, isWhole: boolean, request?: unknown) {
    this.#asked = isObject(request) ? numberOr(request.n, 1) : undefined
    this.#dialect = dialect
    this.#isWhole = isWhole
    this.#reasoning = reasoningReader(dialect.reasoningFields)
  }

  /** Reads a chunk or a complete body. */
  read(body: JsonObject, out: Fragment[]): void {
    const choices = arrayOf(body.choices)
    // Azure and Copilot send a first chunk without choices and without an id.
    if (!this.#isStarted && (choices.length > 0 || body.id)) {
      const model = textOr(body.model, undefined)
      this.#isStarted = true
      this.model = model ?? ''
      const createdAt = numberOr(body.created, undefined)
      out.push(compact({ type: 'start', id: textOr(body.id, undefined), model, createdAt }))
    }
    keepOthers(this.#extra, body, bodyFields)
    let own: JsonObject | undefined
    for (const choice of choices) {
      if (!isObject(choice)) continue
      if (this.#isOwn(choice)) {
        own = choice
        this.#readChoice(choice, out)
      } else this.#readOtherChoice(choice, out)
    }
    const usage = readUsage(body, own, this.#dialect)
    if (usage !== undefined) out.push({ type: 'usage', usage })
  }

  /** Whether a choice is part of the answer. Where the first index is not 0, it may be another one in each chunk (Foundry Local). */
  #isOwn({ index: given, delta, message }: JsonObject): boolean {
    const index = numberOr(given, 0)
    this.#index ??= index
    const hasCalls = arrayOf(field(delta ?? message, 'tool_calls')).length > 0
    if (index === this.#index || (this.#index !== 0 && (this.#asked ?? 1) === 1)) {
      this.#hasOwnCalls ||= hasCalls
      return true
    }
    return hasCalls && this.#asked === 1 && !this.#hasOwnCalls
  }

  #readChoice(choice: JsonObject, out: Fragment[]): void {
    const { finish_reason: finish, delta, message, logprobs } = choice
    keepOthers(this.#choice, choice, choiceFields)
    if (isObject(logprobs)) this.#addLogprobs(logprobs)
    // Perplexity sends both fields: a complete body also has an empty `delta`, and a chunk also has a `message` with all text so far.
    this.#hasDelta ||= !this.#isWhole && isObject(delta)
    const said = this.#hasDelta ? delta : (message ?? delta)
    if (isObject(said)) this.readMessage(said, out)
    if (finish && !this.#finish) out.push({ type: 'stop' })
    this.#finish = textOr(finish, this.#finish)
  }

  #readOtherChoice(choice: JsonObject, out: Fragment[]): void {
    if (this.#isWhole) this.#otherChoices.push(choice)
    if (this.#hasOtherChoices) return
    this.#hasOtherChoices = true
    const reason = `only the first of several choices is read${this.#isWhole ? '; the others are kept' : ''}`
    const warning = { path: 'choices[1]', action: 'dropped', reason, severity: 'minor' } as const
    out.push({ type: 'warning', warning })
  }

  /** Appends log probabilities. All are kept, since they are sent only if the request asks for them. */
  #addLogprobs(logprobs: JsonObject): void {
    this.#choice.logprobs ??= {}
    const kept = this.#choice.logprobs as JsonObject
    for (const [name, added] of Object.entries(logprobs)) {
      const before = kept[name]
      if (Array.isArray(before) && Array.isArray(added)) for (const one of added) before.push(one)
      else if (added !== null || before === undefined) kept[name] = Array.isArray(added) ? [...added] : added
    }
  }

  // ---- the message ----------------------------------------------------------------------------

  /** Reads a delta or a complete message. The order is: reasoning, text with its citations, refusal, media, calls. */
  readMessage(delta: JsonObject, out: Fragment[]): void {
    for (const name in delta) {
      if (answerFields.has(name) || !Object.hasOwn(delta, name)) continue
      const value = delta[name] as Json
      if (bookkeeping.has(name)) this.#choice[name] = value
      else keepOnMessage(name, value, out)
    }
    const reasoning = this.#reasoning.read(delta)
    if (reasoning !== undefined) {
      this.#isText = false
      out.push(reasoning)
    }
    this.#readContent(delta.content, out)
    if (delta.annotations) this.#readAnnotations(delta.annotations, out)
    const refusal = textOr(delta.refusal, undefined)
    if (refusal !== undefined) this.#push({ type: 'text', text: refusal, refusal: true }, out)
    this.#isAudioDone = isFilled(delta.audio) && delta.audio.expires_at !== undefined
    if (isFilled(delta.audio)) this.#readAudio(delta.audio, out)
    for (const image of arrayOf(delta.images)) this.#pushPart(image, 'images', out)
    if (isFilled(delta.function_call)) {
      const providerData = { [format]: { type: 'function_call' } }
      this.#pushCall({ type: 'call', key: 'function_call', providerData }, delta.function_call, out)
    }
    const calls = arrayOf(delta.tool_calls)
    for (let at = 0; at < calls.length; at++) {
      const call = calls[at] ?? null
      if (isObject(call)) this.#readCall(call, out)
      else if (call !== null) this.#pushPart(call, 'tool_calls', out)
    }
  }

  /** Appends the fragments that are complete only at the end of the message. */
  endMessage(out: Fragment[]): void {
    this.#endReasoning(out)
    for (const key of this.#openCustom) out.push(compact({ type: 'call', key, arguments: '"}' }))
  }

  /** Ends the reasoning block. Any other piece ends it, so that formats with one open block at a time can write at once. */
  #endReasoning(out: Fragment[]): void {
    this.#reasoning.end(this.#dialect.provider, this.model, out)
  }

  // ---- text -----------------------------------------------------------------------------------

  /** Appends a fragment that is not reasoning. */
  #push(fragment: Fragment, out: Fragment[]): void {
    this.#endReasoning(out)
    const piece = fragment.type === 'block' ? fragment.block : fragment
    this.#isText = piece.type === 'text'
    if (piece.type === 'text' && piece.refusal) this.#hasRefusal = true
    out.push(fragment)
  }

  /** Reads content: a string, a part or an array of these. */
  #readContent(content: Json | undefined, out: Fragment[]): void {
    if (typeof content === 'string') {
      if (content !== '') this.#push({ type: 'text', text: content }, out)
      return
    }
    for (const part of isObject(content) ? [content] : arrayOf(content)) {
      const isPlain = isObject(part) && part.type === 'text' && Object.keys(part).length === 2
      const text = isPlain ? part.text : part
      if (typeof text === 'string') this.#readContent(text, out)
      else this.#pushPart(part, 'content', out)
    }
  }

  /** Reads a part with the dialect's `readPart`, then with the common one. A value that is not an object is kept under its field's name. */
  #pushPart(value: Json, name: string, out: Fragment[]): void {
    const part = isObject(value) ? value : { type: name, value }
    const read = this.#dialect.readPart?.(part) ?? [{ type: 'block' as const, block: readPart(part) }]
    for (const fragment of read) this.#push(fragment, out)
  }

  /** Reads OpenAI's citations, which belong to the text before them. Keeps other annotations, such as OpenRouter's file annotations. */
  #readAnnotations(annotations: Json, out: Fragment[]): void {
    const citations: CitationBlock[] = []
    const others: Json[] = []
    for (const annotation of arrayOf(annotations)) {
      const wire = field(annotation, 'url_citation')
      if (!isObject(wire)) others.push(annotation)
      else if (isFilled(wire)) citations.push(readCitation(wire))
    }
    if (citations.length > 0) this.#isCited = true
    if (others.length > 0) keepOnMessage('annotations', others, out)
    if (citations.length === 0) return
    if (this.#isText) out.push({ type: 'patch', citations })
    else for (const block of citations) out.push({ type: 'block', block })
  }

  /** Reads generated audio. Only its id is sent back in later requests. `expires_at` comes in the last chunk. */
  #readAudio(audio: JsonObject, out: Fragment[]): void {
    const added = compact({
      id: textOr(audio.id, undefined),
      data: textOr(audio.data, undefined),
      transcript: textOr(audio.transcript, undefined),
      ...keepUnknown(otherFields(audio, audioFields), format),
    })
    if (this.#hasAudio) out.push({ type: 'patch', key: 'audio', ...added })
    else out.push({ type: 'block', key: 'audio', open: true, block: { type: 'audio', ...added } })
    this.#hasAudio = true
  }

  // ---- calls ----------------------------------------------------------------------------------

  #readCall(call: JsonObject, out: Fragment[]): void {
    const { custom, function: body } = call
    const type = textOr(call.type, 'function')
    const isCustom = isObject(custom) && isCustomCall(call, custom)
    if (!isCustom && type !== 'function' && body === undefined) {
      out.push({ type: 'block', block: { type: 'unknown', format, providerType: `tool_calls:${type}`, value: call } })
      return
    }
    const position = numberOr(call.index, undefined)
    const found = otherFields(call, callFields)
    const proofs = found && otherFields(found, { has: (name) => !proofNames.has(name) || found[name] === null })
    const others = found && otherFields(found, proofNames)
    const inFunction = isObject(body) ? otherFields(body, functionFields) : undefined
    const piece: CallPiece = { type: 'call' }
    if (this.#isWhole) piece.key = `call:${this.#calls++}`
    else if (isCustom) piece.key = `custom:${position}`
    else if (position !== undefined) piece.position = position
    if (typeof call.id === 'string') piece.id = call.id
    if (proofs) piece.opaque = { provider: this.#dialect.provider, model: this.model, format, data: proofs }
    if (others || inFunction || isCustom) {
      const own = isCustom ? { type: 'custom' } : compact({ function: inFunction })
      piece.providerData = { [format]: { ...others, ...own } }
    }
    if (isCustom) piece.arguments = this.#customInput(stringOr(custom.input, ''), piece.key)
    this.#pushCall(piece, isCustom ? { name: custom.name } : body, out)
  }

  /** Free text becomes the argument `input`. In a stream, `endMessage` adds the closing `"}`. */
  #customInput(input: string, key: CallPiece['key']): string | JsonObject {
    if (this.#isWhole) return { input }
    const text = JSON.stringify(input).slice(1, -1)
    if (this.#openCustom.has(key)) return text
    this.#openCustom.add(key)
    return `{"input":"${text}`
  }

  /** Adds the fields of a function to a call. Some hosts send the arguments as an object. Skips a piece that has no values. */
  #pushCall(piece: CallPiece, body: unknown, out: Fragment[]): void {
    const name = field(body, 'name')
    const args = field(body, 'arguments')
    if (typeof name === 'string') piece.name = name
    if (typeof args === 'string' || isObject(args)) piece.arguments = args
    else if (args !== undefined && args !== null) piece.arguments = JSON.stringify(args)
    const { id, opaque, providerData } = piece
    if (id || piece.name || piece.arguments || opaque || providerData) this.#push(piece, out)
  }

  // ---- the end --------------------------------------------------------------------------------

  /**
   * Appends the end of the answer. Without a finish reason the answer is incomplete, except generated audio, and except for hosts that are
   * known to omit it. `isDone`: the body is complete, or `[DONE]` came.
   */
  end(out: Fragment[], isDone: boolean): void {
    if (this.isEnded) return
    this.isEnded = true
    const { stopReasons: own = {}, endsWithoutReason } = this.#dialect
    const finish = this.#finish
    const isComplete =
      finish !== undefined || this.#isAudioDone || (isDone && endsWithoutReason === true && this.#isStarted)
    if (isComplete) this.endMessage(out)
    const citations = this.#isText && !this.#isCited ? this.#dialect.sourcesIn?.(this.#extra) : undefined
    if (citations !== undefined) out.push({ type: 'patch', citations })
    // `choices` has the unknown fields of each choice.
    const choices = [{ ...this.#choice }, ...this.#otherChoices]
    const isSaid = choices.length > 1 || unlessEmpty(this.#choice)
    keepUnknownOn('response', { ...this.#extra, ...(isSaid && { choices }) }, format, out)
    if (!isComplete) return
    const word = finish ?? 'stop'
    const reason = lookup(own, word) ?? lookup(stopReasons, word) ?? 'other'
    const isRefusal = finish !== undefined && this.#hasRefusal && reason === 'stop'
    out.push(compact({ type: 'end', stopReason: isRefusal ? 'refusal' : reason, rawStopReason: finish }))
  }
}

/** Keeps unknown fields. A later null does not replace an earlier value. */
function keepOthers(kept: JsonObject, from: JsonObject, known: ReadonlySet<string>): void {
  for (const name in from) {
    if (known.has(name) || !Object.hasOwn(from, name)) continue
    const value = from[name] as Json
    if (value !== null || !(name in kept)) kept[name] = value
  }
}

function keepOnMessage(name: string, value: Json, out: Fragment[]): void {
  if (value !== null) keepUnknownOn('message', { [name]: value }, format, out)
}

function readCitation(wire: JsonObject): CitationBlock {
  return compact({
    type: 'citation',
    url: textOr(wire.url, undefined),
    title: stringOr(wire.title, undefined),
    startIndex: numberOr(wire.start_index, undefined),
    endIndex: numberOr(wire.end_index, undefined),
    ...keepUnknown(otherFields(wire, citationFields), format),
  })
}

/** Whether a call is of a custom tool. Later pieces of a call have no type: if both fields are set, the non-empty one decides. */
function isCustomCall({ type, function: body }: JsonObject, custom: JsonObject): boolean {
  if (type === 'custom') return true
  if (!isObject(body)) return !type || type === 'function'
  return type !== 'function' && !isFilled(body) && isFilled(custom)
}

// ---- parts --------------------------------------------------------------------------------------

const details = ['auto', 'low', 'high', 'original'] as const

/** Decodes a part. A part of an unknown type is kept unchanged. */
export function readPart(part: JsonObject): ContentBlock {
  const type = textOr(field(part, 'type'), '')
  const body = field(part, type)
  if (typeof body === 'string' && (type === 'text' || type === 'refusal')) {
    return { type: 'text', text: body, ...compact({ refusal: type === 'refusal' || undefined }), ...unread(part, type) }
  }
  // OpenAI sends an object with the URL. Mistral sends only the URL.
  const url = textOr(body, textOr(field(body, 'url'), undefined))
  if (type !== 'image_url' || url === undefined) return { type: 'unknown', format, providerType: type, value: part }
  const detail = details.find((one) => one === field(body, 'detail'))
  const read = ['url', ...(detail ? ['detail'] : [])]
  return { type: 'image', ...mediaOf(url), ...compact({ detail }), ...unread(part, type, read) }
}

/** Returns the data and media type of a base64 data URL. Returns any other URL unchanged. */
export function mediaOf(url: string): { url: string } | { data: string; mimeType: string } {
  const read = readDataUrl(url)
  return read?.base64 ? { data: read.data, mimeType: read.mimeType } : { url }
}

/** Returns the unread fields of a part and of its body, which are stored with the block. */
export function unread(part: JsonObject, type: string, read: readonly string[] = []): { providerData?: ProviderData } {
  return keepUnknown(othersWithin(part, new Set(['type', type]), type, new Set(read)), format)
}

/** Whether a value has fields that are not empty. Snowflake sends every field of an answer, and gives empty values to the unused ones. */
function isFilled(value: unknown): value is JsonObject {
  return isObject(value) && !Object.values(value).every((one) => one === '' || one === 0 || one === null)
}

// ---- reasoning ----------------------------------------------------------------------------------

// OpenRouter and gateways also send its proofs, in the field `reasoning_details`.

/** Reads the reasoning of one answer. It stores the pieces of proofs until the block of reasoning ends. */
interface ReasoningReader {
  /** Reads a delta; `undefined` if it has no reasoning. */
  read(delta: JsonObject): Fragment | undefined
  /** Ends the block, if one with proofs is open. Its proof is of this provider and model. */
  end(provider: string, model: string, out: Fragment[]): void
}

/** `fields` can have the text. Some hosts send the same text in two fields: the first non-empty field is read. */
function reasoningReader(fields: readonly string[]): ReasoningReader {
  let details: JsonObject[] = []
  let block = 0
  /** Whether text came without proofs. Proofs after it repeat the text. */
  let hasPlainText = false
  return {
    read(delta) {
      let text = ''
      for (const name of fields) text ||= stringOr(delta[name], '')
      const pieces = arrayOf(delta.reasoning_details).filter(isFilled)
      if (text === '' && pieces.length === 0) return undefined
      for (const piece of pieces) addPiece(details, piece)
      if (text === '' && !hasPlainText) {
        text = pieces.map((piece) => stringOr(piece.text, stringOr(piece.summary, ''))).join('')
      }
      if (details.length > 0) return { type: 'reasoning', text, key: `reasoning_details:${block}` }
      hasPlainText = true
      return { type: 'reasoning', text }
    },
    end(provider, model, out) {
      if (details.length === 0) return
      const key = `reasoning_details:${block++}`
      const opaque = { provider, model, format, data: { reasoning_details: details } }
      out.push({ type: 'patch', key, opaque }, { type: 'close', key })
      details = []
    },
  }
}

/**
 * Appends a piece to its detail. Pieces of one detail have the same index and type. Vercel's gateway gives each detail the index 0: there,
 * another id or text after the signature starts the next one.
 */
function addPiece(details: JsonObject[], piece: JsonObject): void {
  const { index, type, id, signature, text } = piece
  const detail =
    details[findLastIndex(details, (one) => index !== undefined && one.index === index && one.type === type)]
  const isNext = (detail?.id && id && detail.id !== id) || (detail?.signature && text && detail.signature !== signature)
  if (detail === undefined || isNext) details.push({ ...piece })
  else {
    for (const [name, added] of Object.entries(piece)) {
      const before = detail[name]
      const grows = /^(?:text|summary|data)$/.test(name) && typeof before === 'string' && typeof added === 'string'
      if (grows) detail[name] = before + added
      else if (added !== null) detail[name] = added
    }
  }
}

// ---- usage --------------------------------------------------------------------------------------

/**
 * Reads the usage of a chunk or body, in tokens. Groq also sends it in `x_groq`, and Moonshot in the choice. `providerData` has the usage
 * as it was sent.
 */
function readUsage(body: JsonObject, choice: JsonObject | undefined, dialect: ChatDialect): Usage | undefined {
  const wire = body.usage ?? field(body.x_groq, 'usage') ?? choice?.usage
  if (!isObject(wire)) return undefined
  // Some hosts have at the top what others have in `prompt_tokens_details` or `completion_tokens_details`.
  const details = ['prompt_tokens_details', 'prompt_token_details', 'completion_tokens_details']
  const all: JsonObject = Object.assign({}, wire, ...details.map((name) => wire[name]))
  const figures = {
    inputTokens: all.prompt_tokens,
    outputTokens: all.completion_tokens,
    totalTokens: all.total_tokens,
    cacheReadTokens: all.cached_tokens ?? all.prompt_cache_hit_tokens ?? all.num_cached_tokens, // or DeepSeek, or Mistral
    cacheWriteTokens: all.cache_write_tokens ?? all.cache_creation_input_tokens, // or Alibaba, Vercel's gateway
    reasoningTokens: all.reasoning_tokens,
  }
  return {
    ...settleUsage(figures, dialect.countsReasoningApart ? besideOutput : 0),
    providerData: { [format]: wire },
  }
}

// ---- errors -------------------------------------------------------------------------------------

// An error can come with an error status, with status 200, or inside a stream.

/** Decodes an error answer of any host of this format. */
export function decodeError(answer: ErrorAnswer, { dialect = openai }: CodecOptions<ChatDialect> = {}): ApiError {
  const { kinds, statuses, emptyStatuses } = dialect.errors ?? {}
  const { body } = answer
  const isEmpty = body === '' || body === undefined
  const error = errorBeside(body)
  return readApiError(error ? { ...answer, body: { error } } : answer, {
    provider: dialect.provider,
    kinds: { ...errorKinds, ...kinds },
    general: generalErrorKinds,
    final: finalErrors,
    statuses: { ...statuses, ...(isEmpty && emptyStatuses) },
  })
}

/** Decodes an error with status 200. */
function errorOf(body: unknown, dialect: ChatDialect): ApiError {
  return decodeError(inStream(body), { dialect })
}

/** Whether a body or chunk with status 200 is an error. Most hosts send `error`, Mistral and old vLLM `object`, Gemini an array, FastAPI `detail`. */
function isError(body: unknown): boolean {
  if (Array.isArray(body)) return isObject(field(body[0], 'error'))
  if (field(body, 'error') || field(body, 'object') === 'error') return true
  return !field(body, 'choices') && (errorBeside(body) ?? field(body, 'detail')) !== undefined
}

/** Returns an error that is not in the field `error`. Cloudflare sends `errors`, MiniMax `base_resp`. */
function errorBeside(body: unknown): JsonObject | undefined {
  const [first] = arrayOf(field(body, 'errors'))
  if (first !== undefined && !isObject(first)) return { message: first }
  if (first !== undefined) return typeof first.code === 'number' ? { ...first, code: `${first.code}` } : first
  const { status_code, status_msg: message = '' } = objectIn(body, 'base_resp')
  const code = numberOr(status_code, 0)
  return code === 0 ? undefined : { message, code: `minimax_${code}` }
}
