/**
 * Gemini: reads an answer, whole or streamed, and its errors.
 *
 * A signature must stay on the part that it was received with. So a signed part is a block of its own, even if its text is empty.
 *
 * @see https://ai.google.dev/api/caching#Part (read 2026-11)
 * @see https://ai.google.dev/api/caching#Blob (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/file-input-methods (read 2026-11)
 * @see https://ai.google.dev/api/caching#Tool (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/function-calling (read 2026-11)
 * @see https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse (read 2026-11)
 * @see https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures (read 2026-11)
 * @see https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling#streaming-fc (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/google-search (read 2026-11)
 * @see https://ai.google.dev/api/generate-content#UsageMetadata (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/troubleshooting (read 2026-11)
 * @see https://cloud.google.com/apis/design/errors#error_details (read 2026-11)
 *
 * @module
 */

import { addArgumentsText, checkLength, fold, foldCalls } from '../../assemble/assemble.ts'
import type {
  BlockKey,
  CallFragment,
  CodecOptions,
  DecodedCalls,
  DecodeResponseOptions,
  DecodeStreamOptions,
  DecodeToolCallsOptions,
  ErrorAnswer,
  Fragment,
  Frame,
  Offered,
} from '../../core/codec.ts'
import { keepUnknown, keepUnknownOn } from '../../core/content.ts'
import type { ApiError } from '../../core/errors.ts'
import {
  arrayOf,
  compact,
  decodeErrorAt,
  field,
  isObject,
  listAt,
  lookup,
  numberOr,
  objectAt,
  objectIn,
  otherFields,
  parseEvent,
  refuseDeep,
  setOwn,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import type { ChatResponse, CitationBlock, ContentBlock, Json, JsonObject, Opaque, Usage } from '../../core/messages.ts'
import type { Machine } from '../../core/reducer.ts'
import { besideOutput, countOrZero, settleUsage, tokenCount } from '../../core/usage.ts'
import { prepareTools } from '../../prepare/prepare.ts'
import { type ErrorWords, inStream, readApiError } from '../shared/api-error.ts'
import { isKeyInvalid, place } from '../shared/google.ts'
import { allWithOwnNames, withOwnNames } from '../shared/parameter-names.ts'
import { countText, type Lengths, newLengths, unitsAt } from '../shared/utf8.ts'
import {
  errorKinds,
  format,
  type GeminiDialect,
  geminiDialect,
  jsonText,
  type Kept,
  knownFields,
  type Reader,
  ranPrefix,
  serverParts,
  stopReasons,
  stringIn,
  targetOf,
} from './tables.ts'

/** Reads a part, except calls and results of functions. A part that isoglot does not know becomes an `unknown` block. */
export function decodePart(part: Json, origin: Origin): ContentBlock {
  if (!isObject(part)) return unknownBlock(part, 'part')
  const names = Object.keys(part)
  for (const name of names) {
    const block = readData(part, name, origin)
    if (block !== undefined) return block
  }
  const rest = otherFields(part, textFields)
  const opaque = proofOf(part, origin)
  const text = field(part, 'text') ?? (opaque && rest === undefined ? '' : undefined)
  if (typeof text !== 'string') return unknownBlock(part, names[0])
  const type = field(part, 'thought') === true ? 'reasoning' : 'text'
  return compact({ type, text, opaque, ...keepUnknown(rest, format) })
}

const textFields: ReadonlySet<string> = new Set(['text', 'thought', 'thoughtSignature'])

function unknownBlock(value: Json, providerType = 'part'): ContentBlock {
  return { type: 'unknown', format, providerType, value }
}

/** Reads the data field `name` of a part; `undefined` if it is not known, or has the wrong form. */
function readData(part: JsonObject, name: string, origin: Origin): ContentBlock | undefined {
  const data = part[name]
  const serverPart = lookup(serverParts, name)
  const read = serverPart?.read ?? lookup(mediaReaders, name)
  const found = isObject(data) ? read?.(data, stringIn(data, 'id')) : undefined
  if (found === undefined) return undefined
  const { rest, ...block } = found
  // Image blocks are the only media blocks with a field for a proof. Only the name of its data field says what a part of a server tool is.
  const isSigned = serverPart !== undefined || block.type === 'image'
  const kept = serverPart === undefined ? unlessEmpty(rest) : rest
  return compact({ ...block, ...keptOf(part, name, kept, isSigned ? origin : undefined) }) as unknown as ContentBlock
}

// ---- media --------------------------------------------------------------------------------------

/** Reads `inlineData`. Returns `undefined` if it does not contain data. */
const readBlob: Reader = ({ mimeType, data, ...rest }) =>
  typeof data === 'string' ? { ...typesOf(mimeType), data, rest } : undefined

/** Reads `fileData`. Returns `undefined` if it does not contain a URI. */
const readFile: Reader = ({ mimeType, fileUri, ...rest }) =>
  typeof fileUri === 'string' ? { ...typesOf(mimeType), ...place(fileUri), rest } : undefined

const mediaReaders: Readonly<Record<string, Reader>> = { inlineData: readBlob, fileData: readFile }

/** The type of the block for a MIME type: image, audio or video by its first half, otherwise file. */
function typesOf(given: Json | undefined) {
  const mimeType = stringOr(given, undefined)
  return { type: /^(?:image|audio|video)(?=\/)/.exec(mimeType ?? '')?.[0] ?? 'file', mimeType }
}

// ---- tools --------------------------------------------------------------------------------------

/** Reads a call from its part. `ranId` is the id of a call that Google ran itself, on a server of MCP. */
export function readCallPart(
  part: JsonObject,
  wire: JsonObject,
  origin: Origin,
  key?: number,
  ranId?: string,
): CallFragment {
  const { id, name, args: given, partialArgs: _pieces, willContinue: _more, ...rest } = wire
  const args = given ?? undefined
  return compact({
    type: 'call' as const,
    key,
    id: ranId ?? textOr(id, undefined),
    name: textOr(name, undefined),
    server: ranId === undefined ? undefined : (true as const),
    // Arguments of another type become their JSON text, so that the call is reported as invalid.
    arguments: args === undefined || isObject(args) || typeof args === 'string' ? args : (jsonText(args) ?? '['),
    ...keptOf(part, 'functionCall', ranId === undefined ? unlessEmpty(rest) : rest, origin),
  })
}

/**
 * The ids of calls among the parts of an answer that have a result there, by their parts and by those of their results. Google ran these calls
 * itself, on a server of MCP. An id that is not on the wire is made of `place`.
 */
export function ranIds(parts: readonly Json[], place: BlockKey): ReadonlyMap<Json, string> {
  const ids = new Map<Json, string>()
  for (const part of parts) {
    const result = field(part, 'functionResponse')
    const call = isObject(result) && parts.find((one) => !ids.has(one) && isOf(result, field(one, 'functionCall')))
    if (!call) continue
    const id = ranId(field(call, 'functionCall'), `${place}_${ids.size}`)
    ids.set(call, id).set(part, id)
  }
  return ids
}

/** Whether a result is of this call: it has its name, and its id if both have one. */
function isOf(result: JsonObject, call: Json | undefined): boolean {
  const [id, callId] = [stringIn(result, 'id'), stringIn(call, 'id')]
  return isObject(call) && call.name === result.name && (!id || !callId || id === callId)
}

/** The id of a call that Google ran, or one that is made of its place. */
function ranId(call: Json | undefined, place: BlockKey): string {
  return textOr(field(call, 'id'), `${ranPrefix}${place}`)
}

// ---- a whole answer -----------------------------------------------------------------------------

/**
 * Decodes a whole answer: an object, or the JSON array of a stream without `alt=sse`.
 *
 * @throws {DecodeError} if the body has neither candidates nor a blocked prompt, or a field has the wrong type.
 * @throws {ApiError} if the body is an error.
 * @throws {InterruptedError} if the body has no `finishReason`; `partial` has the answer so far.
 */
export function decodeResponse(
  body: unknown,
  { dialect = geminiDialect, ...options }: DecodeResponseOptions<GeminiDialect> = {},
): ChatResponse {
  refuseDeep(body, 'Gemini response')
  const fragments: Fragment[] = []
  if (!readBody(body, dialect, fragments, options)) throw decodeErrorAt('candidates', 'missing', 'Gemini response')
  const own = allWithOwnNames(fragments, options.parameterNames)
  return fold(own, { ...options, provider: dialect.provider, idPrefix: 'gemini_' })
}

/** Decodes the calls of a body, even if the body does not report a complete answer. */
export function decodeToolCalls(
  body: unknown,
  { tools = [], dialect = geminiDialect }: DecodeToolCallsOptions<GeminiDialect> = {},
): DecodedCalls {
  const fragments: Fragment[] = []
  readBody(body, dialect, fragments)
  const { parameterNames } = prepareTools(tools, targetOf(dialect, ''))
  const calls = fragments.filter(({ type }) => type !== 'end')
  return foldCalls(allWithOwnNames(calls, parameterNames), 'gemini_')
}

/** Returns whether the body is an answer. */
function readBody(body: unknown, dialect: GeminiDialect, out: Fragment[], offered?: Offered): boolean {
  const reader = new AnswerReader(dialect, offered)
  reader.read(body, out)
  reader.end(out)
  return reader.isAnswer
}

// ---- a stream -----------------------------------------------------------------------------------

// Each chunk is a whole response object, whose parts continue those before.

/**
 * Decodes one answer. The answer ends at the end of the stream, if it had a `finishReason` or a `blockReason`. A `finishReason` does not end
 * it: old servers repeat it in every chunk, and usage may follow it.
 *
 * @throws {ApiError} at an `error`, which can come after status 200 and part of an answer.
 * @throws {DecodeError} if a frame is not valid JSON, or one of its fields has the wrong type.
 */
export function decodeStream({
  dialect = geminiDialect,
  ...offered
}: DecodeStreamOptions<GeminiDialect> = {}): Machine<Frame, Fragment> {
  const reader = new AnswerReader(dialect, offered)
  const decoder: Machine<Frame, Fragment> = {
    push({ data }, out) {
      const text = data.trim()
      if (text === '' || text === '[DONE]') return
      addArgumentsText(reader.read(parseEvent(text, 'Gemini event'), out), 0, text, 'args')
    },
    end: (out) => reader.end(out),
  }
  return withOwnNames(decoder, offered.parameterNames)
}

/** Reads the chunks of one answer. */
class AnswerReader {
  readonly #dialect: GeminiDialect
  readonly #toolNames: Offered['toolNames']
  /** Whether Google can run calls on a server of MCP. It reports them as calls of functions. `undefined` if the tools are not known. */
  readonly #runsCalls: boolean | undefined
  /** Whether the client has to run calls of names that it did not offer. */
  readonly #drivesComputer: boolean | undefined
  /** Calls and results that follow each other. Google ran the calls that have a result. */
  readonly #held: [part: JsonObject, call: CallFragment | undefined][] = []
  /** The calls of the current chunk. */
  #calls: CallFragment[] = []
  /** Whether there was a candidate, or the prompt was blocked. */
  isAnswer = false
  /** The provider and the model, which made the proofs. */
  #origin: Origin
  #isStarted = false
  /** The number of wire parts so far, as `partIndex` counts them: text that continues in the next chunk counts once. It makes keys of blocks. */
  #partCount = 0
  /** One entry for each text block. */
  readonly #tracks: Track[] = []
  /** The text block that the next unsigned text continues. */
  #openText: Track | undefined
  /** The ends of text blocks. The next chunk closes them, because the chunk that ends them may also contain their citations. */
  readonly #ends: Fragment[] = []
  #partialCall: PartialCall | undefined
  #finishReason: string | undefined
  /** Why the prompt was blocked; empty if the wire does not say why. */
  #blockReason: string | undefined
  /** The usage so far. */
  #allUsage: JsonObject = {}
  /** The text of the last usage snapshot. */
  #lastUsage: string | undefined
  /** The fragment for the usage so far. */
  #figures: Fragment | undefined
  /** Fields of the candidate that isoglot has no field for. */
  #candidateFields: JsonObject = {}
  /** The index of the candidate that is read: the first one. */
  #answerIndex: number | undefined
  /** The other candidates. isoglot has only one answer, but a request can ask for several. */
  readonly #others: Json[] = []
  /** Fields of the response that isoglot has no field for. */
  #responseFields: JsonObject = {}

  constructor(dialect: GeminiDialect, { toolNames, offeredTools }: Offered = {}) {
    const has = (name: string) => offeredTools?.some((tool) => 'value' in tool && Object.hasOwn(tool.value, name))
    this.#dialect = dialect
    this.#toolNames = toolNames
    this.#runsCalls = has('mcpServers')
    this.#drivesComputer = has('computerUse')
    this.#origin = { provider: dialect.provider, model: '' }
  }

  /**
   * Reads a chunk, a whole body, or a list of chunks. The API sends a list if the request did not ask for SSE.
   *
   * @returns the calls that it read. They may come to `out` later.
   */
  read(value: unknown, out: Fragment[]): Fragment[] {
    this.#calls = []
    if (!Array.isArray(value)) this.#readChunk(value, '', out)
    else for (const [at, chunk] of value.entries()) this.#readChunk(chunk, `[${at}]`, out)
    return this.#calls
  }

  /** Adds the citations and the other fields, and the end if the wire reported that the answer is complete. */
  end(out: Fragment[]): void {
    this.#release(out)
    this.#endCall(false, out)
    for (const [at, citations] of readCitations(this.#candidateFields, this.#tracks).entries()) {
      if (citations.length > 0) out.push({ type: 'patch', key: this.#tracks[at]?.key as number, citations })
    }
    keepUnknownOn('message', this.#candidateFields, format, out)
    keepUnknownOn(
      'response',
      { ...this.#responseFields, ...compact({ candidates: unlessEmpty(this.#others) }) },
      format,
      out,
    )
    const rawStopReason = this.#finishReason ?? this.#blockReason
    if (rawStopReason === undefined) return
    const stopReason =
      this.#finishReason === undefined ? 'content_filter' : (lookup(stopReasons, rawStopReason) ?? 'other')
    const continuationToken = textOr(this.#candidateFields.continuationToken, undefined)
    const isPaused = stopReason === 'pause' && continuationToken !== undefined
    const providerState = isPaused ? { continuationToken } : undefined
    out.push(compact({ type: 'end', stopReason, rawStopReason: rawStopReason || undefined, providerState }))
  }

  // ---- chunks ---------------------------------------------------------------------------------

  #readChunk(value: unknown, path: string, out: Fragment[]): void {
    const chunk = objectAt(value, path, 'Gemini response')
    const { error, promptFeedback, usageMetadata } = chunk
    if ((error ?? (chunk.candidates ? undefined : chunk.detail) ?? undefined) !== undefined) {
      throw decodeError(inStream(chunk), { dialect: this.#dialect })
    }
    if (!this.#isStarted) this.#begin(chunk, out)
    if (this.#ends.length > 0) out.push(...this.#ends.splice(0))
    const candidates = listAt(chunk.candidates, 'candidates', 'Gemini response')
    for (let at = 0; at < candidates.length; at++) this.#readCandidate(candidates[at] as Json, at, out)
    // A blocked prompt has no candidates. Some hosts send a message instead of the reason.
    const reason = textOr(field(promptFeedback, 'blockReason'), undefined)
    const message = textOr(field(promptFeedback, 'blockReasonMessage'), undefined)
    if (reason !== undefined || message !== undefined) {
      this.#blockReason = reason ?? this.#blockReason ?? ''
      this.isAnswer = true
    }
    if (isObject(usageMetadata)) this.#readUsage(usageMetadata, out)
    this.#responseFields = addFields(this.#responseFields, otherFields(chunk, knownFields.response))
  }

  #begin({ modelVersion, responseId, createTime }: JsonObject, out: Fragment[]): void {
    this.#isStarted = true
    const model = textOr(modelVersion, undefined)
    const createdAt = numberOr(Math.floor(Date.parse(textOr(createTime, '')) / 1000), undefined)
    this.#origin = { ...this.#origin, model: model ?? '' }
    out.push(compact({ type: 'start', id: textOr(responseId, undefined), model, createdAt }))
  }

  /** Reads the usage, which most streams repeat unchanged in every chunk. If it is unchanged, the same fragment is sent again. */
  #readUsage(snapshot: JsonObject, out: Fragment[]): void {
    const text = JSON.stringify(snapshot)
    if (this.#figures === undefined || text !== this.#lastUsage) {
      this.#allUsage = isComplete(snapshot) ? snapshot : addFields(this.#allUsage, snapshot)
      this.#figures = { type: 'usage', usage: decodeUsage(this.#allUsage) }
      this.#lastUsage = text
    }
    out.push(this.#figures)
  }

  #readCandidate(value: Json, index: number, out: Fragment[]): void {
    const candidate = objectAt(value, `candidates[${index}]`, 'Gemini response')
    this.isAnswer = true
    const place = numberOr(candidate.index, 0)
    this.#answerIndex ??= place
    if (place !== this.#answerIndex) {
      this.#others.push(candidate)
      return
    }
    const content = objectAt(candidate.content ?? {}, `candidates[${index}].content`, 'Gemini response')
    const parts = listAt(content.parts, `candidates[${index}].content.parts`, 'Gemini response')
    for (let at = 0; at < parts.length; at++) this.#readPart(parts[at] as Json, at > 0, out)
    if (candidate.finishReason && !this.#finishReason) out.push({ type: 'stop' })
    this.#finishReason = textOr(candidate.finishReason, this.#finishReason)
    if (this.#finishReason !== undefined && !this.#runsCalls) this.#release(out)
    const rest = otherFields(content, knownFields.content)
    this.#candidateFields = addFields(this.#candidateFields, otherFields(candidate, knownFields.candidate))
    this.#candidateFields = addFields(this.#candidateFields, rest && { content: rest })
  }

  // ---- parts ----------------------------------------------------------------------------------

  #readPart(given: Json, isNext: boolean, out: Fragment[]): void {
    const text = isObject(given) ? plainText(given) : undefined
    if (text !== undefined) {
      this.#release(out)
      this.#readText(text, isNext, out)
      return
    }
    const part = isObject(given) ? addFields({}, given) : given
    const call = field(part, 'functionCall')
    if (isObject(part) && isObject(call)) {
      this.#readCall(part, call, out)
      return
    }
    if (isObject(part) && isObject(part.functionResponse)) {
      this.#endText()
      this.#held.push([part, undefined])
      return
    }
    this.#release(out)
    // Image models send parts without fields between images, and the server refuses them in a request.
    if (!isObject(part) || Object.keys(part).length > 0) this.#readBlock(decodePart(part, this.#origin), out)
  }

  /** Adds text to the open text block. If it is not the first part of its chunk, citations count it as a part of its own. */
  #readText(text: string, isNext: boolean, out: Fragment[]): void {
    if (text === '') return
    if (isNext) this.#openText?.parts.push({ part: this.#partCount++, byte: this.#openText.bytes })
    const track = this.#openText ?? this.#startText()
    countText(track, text)
    out.push({ type: 'text', text, key: track.key })
  }

  #startText(): Track {
    this.#openText = newTrack(this.#partCount++)
    this.#tracks.push(this.#openText)
    return this.#openText
  }

  #endText(): void {
    if (this.#openText !== undefined) this.#ends.push({ type: 'close', key: this.#openText.key })
    this.#openText = undefined
  }

  /** Reads a block. A thought without a proof continues the one before; every other block is complete. */
  #readBlock(block: ContentBlock, out: Fragment[]): void {
    this.#endText()
    if (block.type === 'text') {
      const track = this.#startText()
      countText(track, block.text)
      out.push({ type: 'block', block, key: track.key, open: true })
      this.#endText()
    } else if (block.type === 'reasoning' && block.opaque === undefined && block.providerData === undefined) {
      out.push({ type: 'reasoning', text: block.text })
    } else {
      this.#partCount++
      out.push({ type: 'block', block })
    }
  }

  /** Reads a call. It is whole, or its arguments follow in parts without a name. */
  #readCall(part: JsonObject, call: JsonObject, out: Fragment[]): void {
    this.#endText()
    const willContinue = call.willContinue === true
    if (this.#partialCall === undefined || textOr(call.name, undefined) !== undefined) {
      this.#endCall(false, out)
      const key = this.#partCount++
      const isRun = this.#runsCalls && !this.#drivesComputer && this.#toolNames?.has(stringOr(call.name, '')) === false
      const read = readCallPart(part, call, this.#origin, key, isRun ? ranId(call, key) : undefined)
      this.#calls.push(read)
      if (!willContinue && arrayOf(call.partialArgs).length === 0) {
        this.#held.push([part, read])
        // Without such a server, no result can follow.
        if (this.#runsCalls === false) this.#release(out)
        return
      }
      this.#release(out)
      out.push(read)
      this.#partialCall = newPartialCall(key)
    }
    this.#partialCall.add(call.partialArgs)
    if (!willContinue) this.#endCall(true, out)
  }

  /** Reads what was held, now that it is known which calls Google ran. */
  #release(out: Fragment[]): void {
    const ids = ranIds(
      this.#held.map(([part]) => part),
      this.#partCount,
    )
    for (const [part, call] of this.#held.splice(0)) {
      const id = ids.get(part)
      if (call === undefined) {
        this.#readBlock({ ...decodePart(part, this.#origin), ...compact({ toolCallId: id }) } as ContentBlock, out)
        continue
      }
      const key = call.key as number
      if (id !== undefined)
        Object.assign(call, readCallPart(part, objectIn(part, 'functionCall'), this.#origin, key, id))
      out.push(call, { type: 'close', key })
    }
  }

  #endCall(isFinished: boolean, out: Fragment[]): void {
    if (this.#partialCall === undefined) return
    const { key } = this.#partialCall
    out.push({ type: 'call', key, arguments: this.#partialCall.end(isFinished) }, { type: 'close', key })
    this.#partialCall = undefined
  }
}

/** Returns the text of a part that has no other value. Most parts are like that. */
function plainText(part: JsonObject): string | undefined {
  for (const key in part) if (key !== 'text' && part[key] !== null) return undefined
  return typeof part.text === 'string' ? part.text : undefined
}

/** Objects and lists that are spread over several chunks: later chunks add fields and entries. */
const growing = new Set(['groundingMetadata', 'citationMetadata', 'citationSources', 'citations', 'content'])

/** Adds fields to those of earlier chunks. A field replaces an earlier value, unless it grows; null adds nothing. */
function addFields(before: JsonObject, added: JsonObject | undefined): JsonObject {
  if (added === undefined) return before
  const merged = { ...before }
  for (const [name, value] of Object.entries(added)) {
    const old = growing.has(name) ? before[name] : undefined
    if (isObject(old) && isObject(value)) merged[name] = addFields(old, value)
    else if (Array.isArray(old) && Array.isArray(value)) merged[name] = [...old, ...value]
    else if (value !== null) setOwn(merged, name, value)
  }
  return merged
}

// ---- parts --------------------------------------------------------------------------------------

/** The provider and the model that made the input. */
export interface Origin {
  readonly provider: string
  readonly model: string
}

/** Reads the signature of a part. It is valid for this part only. */
function proofOf(part: JsonObject, { provider, model }: Origin): Opaque | undefined {
  const thoughtSignature = field(part, 'thoughtSignature')
  if (typeof thoughtSignature !== 'string') return undefined
  return { provider, model, format, data: { thoughtSignature } }
}

/**
 * Reads the signature of a part, and keeps the fields that isoglot has no field for: those of the part, and `rest`, those of its data field
 * `name`. Without an origin, the block has no field for a proof, and the signature is kept as any other field.
 */
export function keptOf(part: JsonObject, name: string, rest: JsonObject | undefined, origin?: Origin): Kept {
  const opaque = origin && proofOf(part, origin)
  const others = otherFields(part, {
    has: (key) => key === name || (opaque !== undefined && key === 'thoughtSignature'),
  })
  return compact({ opaque, ...keepUnknown({ ...others, ...(rest && { [name]: rest }) }, format) })
}

// ---- calls in pieces ----------------------------------------------------------------------------

/** A call whose arguments are not complete yet. */
interface PartialCall {
  readonly key: BlockKey
  /**
   * Adds the values of `partialArgs`, each at its path.
   *
   * @throws {LimitError} if they are longer than the arguments of a call may be by default.
   */
  add(partialArgs: Json | undefined): void
  /**
   * Returns the arguments. If a value had no valid path, or the call did not finish, returns text that is not a JSON object, so that the call is
   * reported as invalid.
   */
  end(isFinished: boolean): JsonObject | string
}

/** Starts to read the arguments of a call. */
export function newPartialCall(key: BlockKey): PartialCall {
  const args: JsonObject = {}
  /** The path of a string that the next piece continues. */
  let openPath: string | undefined
  /** Values without a valid place. With any of them, the call is invalid. */
  const misplaced: Json[] = []
  let length = 0
  return {
    key,
    add(partialArgs) {
      for (const piece of arrayOf(partialArgs)) {
        const value = readValue(piece)
        if (value === undefined) continue
        const path = stringIn(piece, 'jsonPath')
        length += JSON.stringify(piece).length
        checkLength(length)
        if (path === undefined || !placeValue(args, path, value, openPath === path)) misplaced.push(piece)
        openPath = field(piece, 'willContinue') === true ? path : undefined
      }
    },
    end(isFinished) {
      if (misplaced.length > 0) return JSON.stringify(misplaced)
      return isFinished ? args : JSON.stringify(args).slice(0, -1)
    },
  }
}

function readValue(piece: Json): Json | undefined {
  const isNull = field(piece, 'nullValue') !== undefined
  return (
    field(piece, 'stringValue') ??
    field(piece, 'numberValue') ??
    field(piece, 'boolValue') ??
    (isNull ? null : undefined)
  )
}

/** The maximum number of steps in a path. Deeper arguments could overflow the stack of recursive code that reads them later. */
const maxSteps = 64

/**
 * Writes a value at a path such as `$.a.b[0]['c']`. If `goesOn` is true, appends text to the text there. Returns false if the path is not
 * valid or does not fit the arguments: an index may be at most the next free one, because the array would have a gap.
 */
function placeValue(args: JsonObject, path: string, value: Json, goesOn: boolean): boolean {
  let holder: JsonObject = { $: args } // or an array, whose indexes are written as its keys
  let key = '$'
  const pattern = /\.([^.[\]]+)|\[(\d+)\]|\[(['"])(.*?)\3\]/y
  pattern.lastIndex = 1
  let steps = 0
  for (; pattern.lastIndex < path.length; steps++) {
    const step = pattern.exec(path)
    if (step === null || steps === maxSteps) return false
    const [, name, index, , quoted] = step
    const isIndex = index !== undefined
    if (!Object.hasOwn(holder, key)) setOwn(holder, key, isIndex ? [] : {})
    const inner = holder[key] as Json
    if (isIndex ? !Array.isArray(inner) || Number(index) > inner.length : !isObject(inner)) return false
    holder = inner as JsonObject
    key = isIndex ? String(Number(index)) : (name ?? (quoted as string))
  }
  const before = Object.hasOwn(holder, key) ? holder[key] : undefined
  const isJoined = goesOn && typeof before === 'string' && typeof value === 'string'
  setOwn(holder, key, isJoined ? before + value : value)
  return steps > 0 && path.startsWith('$')
}

// ---- citations ----------------------------------------------------------------------------------

// The wire counts offsets in UTF-8 bytes; isoglot counts UTF-16 code units.

/** The lengths of one text block, and its position in the answer. */
interface Track extends Lengths {
  /** The key of its block: the index of its first part. */
  readonly key: number
  /** The wire parts that the text consists of. `part` is the index of the part in the answer, `byte` its first UTF-8 byte in the text. */
  readonly parts: { readonly part: number; readonly byte: number }[]
}

export function newTrack(part: number, byte = 0): Track {
  return { key: part, parts: [{ part, byte }], ...newLengths() }
}

/** Reads the citations of a candidate. Returns one list for each text, in the order of `tracks`. */
export function readCitations(candidate: Json | undefined, tracks: readonly Track[]): readonly CitationBlock[][] {
  const cited = new Map<Track | undefined, CitationBlock[]>(tracks.map((track) => [track, []]))
  const add = (segment: Json | undefined, source: Json | undefined, text?: string) => {
    const { track, ...range } = locate(segment, tracks)
    const found = compact({ url: stringIn(source, 'uri'), title: stringIn(source, 'title'), text })
    cited.get(track)?.push({ type: 'citation', ...found, ...range })
  }
  const { groundingChunks, groundingSupports } = objectIn(candidate, 'groundingMetadata')
  const chunks = arrayOf(groundingChunks)
  for (const support of arrayOf(groundingSupports)) {
    const segment = field(support, 'segment')
    const indices = arrayOf(field(support, 'groundingChunkIndices'))
    const named = indices.map((index) => (typeof index === 'number' ? chunks[index] : undefined)).filter(isObject)
    // The field of a chunk is `web`, `maps`, `retrievedContext` or `image`.
    const sources = named.length > 0 ? named.map((chunk) => Object.values(chunk).find(isObject)) : [undefined]
    for (const source of sources) add(segment, source, stringIn(segment, 'text'))
  }
  const { citationSources, citations } = objectIn(candidate, 'citationMetadata')
  for (const source of arrayOf(citationSources ?? citations)) add(source, source)
  return [...cited.values()]
}

/** A text, and the range in it in UTF-16 units. Without a range if the offsets are absent, or outside all texts. */
interface Place extends Pick<CitationBlock, 'startIndex' | 'endIndex'> {
  readonly track: Track | undefined
}

/**
 * Finds the text that a segment refers to. The offsets normally count within the part that the segment names. If they do not fit there, they
 * count over all text of the answer, as in recorded streams.
 */
function locate(segment: Json | undefined, tracks: readonly Track[]): Place {
  const start = numberOr(field(segment, 'startIndex'), 0)
  const end = numberOr(field(segment, 'endIndex'), Number.NaN)
  const part = numberOr(field(segment, 'partIndex'), 0)
  for (const track of tracks) {
    const begin = track.parts.find((one) => one.part === part)?.byte ?? Number.NaN
    if (begin + start >= 0 && begin + end <= track.bytes) return placeIn(track, begin + start, begin + end)
  }
  let before = 0
  for (const track of tracks) {
    const isInside = start >= before && start < before + track.bytes && !Number.isNaN(end)
    if (isInside) return placeIn(track, start - before, end - before)
    before += track.bytes
  }
  return { track: tracks.at(-1) }
}

function placeIn(track: Track, start: number, end: number): Place {
  return { track, startIndex: unitsAt(track, start), endIndex: unitsAt(track, end) }
}

// ---- usage --------------------------------------------------------------------------------------

// The prompt count includes cached tokens, but not the input that tools added. The candidates count does not include thoughts.

/** Whether the counts of a snapshot give its total, so that it replaces the one before. In others, counts can be missing that one has. */
function isComplete(wire: JsonObject): boolean {
  const { promptTokenCount, toolUsePromptTokenCount, candidatesTokenCount, thoughtsTokenCount, totalTokenCount } = wire
  const counts = [promptTokenCount, toolUsePromptTokenCount, candidatesTokenCount, thoughtsTokenCount]
  return counts.map(countOrZero).reduce((sum, count) => sum + count) === totalTokenCount
}

/** Reads the usage, in tokens. If the prompt or the candidates are reported, but no total, an absent count is 0. */
function decodeUsage(wire: JsonObject): Usage {
  const { promptTokenCount: prompt, candidatesTokenCount: candidates, totalTokenCount: totalTokens } = wire
  const omitsZeros =
    tokenCount(totalTokens) === undefined && (tokenCount(prompt) ?? tokenCount(candidates)) !== undefined
  const count = omitsZeros ? countOrZero : (value: unknown) => tokenCount(value) ?? Number.NaN
  const usage = settleUsage(
    {
      inputTokens: count(prompt) + countOrZero(wire.toolUsePromptTokenCount),
      outputTokens: count(candidates),
      totalTokens,
      cacheReadTokens: wire.cachedContentTokenCount,
      reasoningTokens: wire.thoughtsTokenCount,
    },
    besideOutput,
  )
  return { ...usage, ...keepUnknown(wire, format) }
}

// ---- errors -------------------------------------------------------------------------------------

// An error is a `google.rpc.Status` in the field `error`. The body may be an array with such an object.

/** Decodes an error answer: one with an HTTP status, or one in the middle of a stream (status 0). */
export function decodeError(
  answer: ErrorAnswer,
  { dialect: { provider } = geminiDialect }: CodecOptions<GeminiDialect> = {},
): ApiError {
  const kinds = isKeyInvalid(answer.body) ? { ...errorKinds, INVALID_ARGUMENT: 'authentication' as const } : errorKinds
  const words: ErrorWords = { provider, kinds, final: new Set() }
  return readApiError(answer, words)
}
