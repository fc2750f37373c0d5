/**
 * Anthropic Messages: reads an answer, whole or streamed, and its errors.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming (read 2026-11)
 * @see https://platform.claude.com/docs/en/build-with-claude/citations (read 2026-11)
 * @see https://platform.claude.com/docs/en/api/errors (read 2026-11)
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
  DecodeToolCallsOptions,
  ErrorAnswer,
  Fragment,
  Frame,
} from '../../core/codec.ts'
import { keepUnknown, keepUnknownOn } from '../../core/content.ts'
import { ApiError, type ApiErrorDetails } from '../../core/errors.ts'
import {
  arrayOf,
  bodyOf,
  compact,
  decodeErrorAt,
  field,
  isObject,
  lookup,
  numberOr,
  objectAt,
  objectIn,
  otherFields,
  parseEvent,
  setOwn,
  stringAt,
  stringOr,
  textOr,
} from '../../core/json.ts'
import type {
  ChatResponse,
  CitationBlock,
  ContentBlock,
  Json,
  JsonObject,
  Opaque,
  ReasoningBlock,
  ServerToolResult,
  TextBlock,
  UnknownBlock,
  Usage,
} from '../../core/messages.ts'
import type { Machine } from '../../core/reducer.ts'
import { countOrZero, tokenCount, validCounts } from '../../core/usage.ts'
import { prepareTools } from '../../prepare/prepare.ts'
import { inStream, readApiError } from '../shared/api-error.ts'
import { allWithOwnNames, withOwnNames } from '../shared/parameter-names.ts'
import { type AnthropicDialect, errorKinds, format, isFallback, stepsBeside, stopReasons, targetOf } from './tables.ts'

/** The provider and the model of a message that is decoded. Its proofs are theirs. */
export interface Origin {
  readonly provider: string
  readonly model: string
}

/** Decodes an unknown block. It is kept unchanged. */
export function unknownBlock(wire: JsonObject): UnknownBlock {
  return { type: 'unknown', format, providerType: stringOr(wire.type, ''), value: wire }
}

// ---- content ------------------------------------------------------------------------------------

/** Decodes a block of an answer, except a call. */
export function decodeBlock(wire: JsonObject, origin: Origin): ContentBlock {
  return decodeKnown(wire, origin) ?? unknownBlock(wire)
}

/** Each of these decoders returns `undefined` for an unknown shape. */
function decodeKnown(wire: JsonObject, origin: Origin): ContentBlock | undefined {
  switch (wire.type) {
    case 'text':
      return decodeText(wire)
    case 'thinking':
      return decodeThinking(wire, origin)
    case 'redacted_thinking':
      return decodeRedactedThinking(wire, origin)
    case 'compaction':
    case 'fallback':
    case 'mcp_tool_listing':
      return decodeNotice(wire)
  }
  // Anthropic adds new server tools often, but the types of their results have this ending.
  return stringOr(wire.type, '').endsWith('_tool_result') ? decodeServerResult(wire) : undefined
}

function decodeText({ type: _, text: given, ...rest }: JsonObject): TextBlock | undefined {
  const text = given ?? '' // some hosts start a text without it
  if (typeof text !== 'string') return undefined
  const { citations, ...others } = rest
  if (!Array.isArray(citations) || !citations.every(isObject))
    return { type: 'text', text, ...keepUnknown(rest, format) }
  return { type: 'text', text, citations: citations.map(decodeCitation), ...keepUnknown(others, format) }
}

function decodeThinking(
  { type: _, thinking, signature, ...rest }: JsonObject,
  origin: Origin,
): ReasoningBlock | undefined {
  const text = thinking ?? ''
  if (typeof text !== 'string') return undefined
  const isSigned = typeof signature === 'string' && signature !== ''
  const opaque = isSigned ? proof({ signature }, origin) : undefined
  return compact({ type: 'reasoning', text, opaque, ...keepUnknown(rest, format) })
}

function decodeRedactedThinking({ type: _, data, ...rest }: JsonObject, origin: Origin): ReasoningBlock | undefined {
  if (typeof data !== 'string') return undefined
  return { type: 'reasoning', text: '', opaque: proof({ data }, origin), ...keepUnknown(rest, format) }
}

/**
 * Decodes what the server did beside its answer: it summed up the conversation, another model went on, it listed the tools of an MCP server. The
 * block goes back unchanged, so all of it is kept.
 */
function decodeNotice(wire: JsonObject): ServerToolResult {
  const { type, ...rest } = wire
  const output = rest.content ?? rest.tools ?? rest
  const status = rest.content === null ? 'error' : 'success'
  return { type: 'server_tool_result', name: String(type), status, output, ...keepUnknown(wire, format) }
}

/** Returns the proof with a signature, or with encrypted data. */
function proof(data: JsonObject, { provider, model }: Origin): Opaque {
  return { provider, model, format, data }
}

function decodeServerResult({ tool_use_id: toolCallId, content, ...rest }: JsonObject): ServerToolResult | undefined {
  if (typeof toolCallId !== 'string') return undefined
  const isError = rest.is_error === true || stringOr(field(content, 'type'), '').endsWith('_error')
  return compact({
    type: 'server_tool_result',
    toolCallId,
    name: rest.type === 'mcp_tool_result' ? undefined : String(rest.type).replace(/_tool_result$/, ''),
    status: isError ? 'error' : 'success',
    output: content,
    ...keepUnknown(rest, format),
  })
}

// ---- a whole answer -----------------------------------------------------------------------------

/** The start of generated ids, for calls without an id. A number follows it. */
export const idPrefix = 'toolu_isoglot_'

/**
 * Decodes a complete answer.
 *
 * @throws {ApiError} if the body is an error.
 * @throws {DecodeError} if the body is not a message. `path` names the wrong field.
 * @throws {InterruptedError} if the answer has no `stop_reason`, so it is incomplete.
 */
export function decodeResponse(
  body: unknown,
  { dialect = {}, ...options }: DecodeResponseOptions<AnthropicDialect> = {},
): ChatResponse {
  const answer = bodyOf(body, 'Anthropic response')
  if (answer.type === 'error') throw decodeError(inStream(answer), { dialect })
  if (!Array.isArray(answer.content)) throw decodeErrorAt('content', 'not a list', 'Anthropic response')
  for (const [at, block] of answer.content.entries()) objectAt(block, `content[${at}]`, 'Anthropic response')
  const fragments = allWithOwnNames(readWhole(answer, dialect), options.parameterNames)
  return fold(fragments, { ...options, provider: dialect.provider ?? format, idPrefix })
}

/** Reads a body as a stream of two events. */
function readWhole(message: JsonObject, dialect: AnthropicDialect): Fragment[] {
  const out: Fragment[] = []
  const reader = new AnswerReader(dialect)
  reader.read({ message }, 'message_start', out)
  reader.read({ delta: { stop_reason: message.stop_reason ?? null } }, 'message_delta', out)
  reader.end(out)
  return out
}

/** Decodes the calls in the body of an answer. Ignores calls that the provider runs. */
export function decodeToolCalls(
  body: unknown,
  { tools = [], dialect = {} }: DecodeToolCallsOptions<AnthropicDialect> = {},
): DecodedCalls {
  const { parameterNames } = prepareTools(tools, targetOf(dialect))
  const content = arrayOf(field(body, 'content')).filter((block) => field(block, 'type') === 'tool_use')
  return foldCalls(allWithOwnNames(readWhole({ content, stop_reason: 'tool_use' }, {}), parameterNames), idPrefix)
}

// ---- a stream -----------------------------------------------------------------------------------

// The decoder stores no text, so its state stays small. Only blocks of unknown kinds are stored until they are complete.

/**
 * Decodes one answer.
 *
 * @throws {ApiError} at an `error` event. This can happen after status 200 and a part of the answer.
 * @throws {DecodeError} if an event is not a JSON object, or a required field is missing.
 */
export function decodeStream({
  dialect = {},
  parameterNames,
}: DecodeStreamOptions<AnthropicDialect> = {}): Machine<Frame, Fragment> {
  const reader = new AnswerReader(dialect)
  const decoder: Machine<Frame, Fragment> = {
    push({ data, event: name = '' }, out) {
      if (data === '[DONE]') reader.end(out)
      else if (data !== '') reader.read(objectAt(parseEvent(data, 'Anthropic event'), '', 'Anthropic event'), name, out)
    },
    end: (out) => reader.end(out),
  }
  return withOwnNames(decoder, parameterNames)
}

/** Reads the events of one answer. A whole body is read as the message of `message_start`. */
class AnswerReader {
  /** The proofs that come next are of this model: the one in `message_start`, or the one that was asked after it declined. */
  readonly #origin: { readonly provider: string; model: string }
  #isStarted = false
  #isEnded = false
  /** The usage so far, in Anthropic's fields. A later figure replaces an earlier one. */
  #usage: JsonObject = {}
  #stopReason: string | undefined
  /** The container in `message_start` or `message_delta`. */
  #container: unknown
  /** The key of the block with the index 0, and a key that no block has. */
  #firstKey = 0
  #nextKey = 0
  /** Blocks of unknown kinds, by key, until they are complete. */
  readonly #unknown = new Map<number, JsonObject>()

  constructor({ provider = format }: AnthropicDialect) {
    this.#origin = { provider, model: '' }
  }

  /** `name` is the type of an event that does not have one. */
  read(event: JsonObject, name: string, out: Fragment[]): void {
    switch (event.type ?? (name || ((event.error ?? event.detail) && 'error'))) {
      case 'content_block_delta':
        this.#readDelta(this.#keyOf(event), objectIn(event, 'delta'), out)
        break
      case 'content_block_start':
        this.#openBlock(
          objectAt(event.content_block, 'content_block', 'Anthropic event'),
          this.#keyOf(event),
          true,
          out,
        )
        break
      case 'content_block_stop':
        this.#readStop(this.#keyOf(event), out)
        break
      case 'message_start':
        this.#readMessage(objectIn(event, 'message'), out)
        break
      case 'message_delta':
        this.#readMessageDelta(event, out)
        break
      case 'message_stop':
        this.end(out)
        break
      case 'error':
        throw decodeError(inStream(event), { dialect: { provider: this.#origin.provider } })
    }
    // `ping` and unknown types, which Anthropic's documentation says to ignore
  }

  /** Ends the answer. An answer with a stop reason is complete, even if its last event is missing. */
  end(out: Fragment[]): void {
    for (const key of [...this.#unknown.keys()]) this.#readStop(key, out)
    if (this.#isEnded || this.#stopReason === undefined) return
    this.#isEnded = true
    const containerId = textOr(field(this.#container, 'id'), undefined)
    out.push({
      type: 'end',
      stopReason: lookup(stopReasons, this.#stopReason) ?? 'other',
      rawStopReason: this.#stopReason,
      ...compact({ providerState: containerId === undefined ? undefined : { containerId } }),
    })
  }

  // ---- the message ----------------------------------------------------------------------------

  /** Ignores a second message, which a proxy can insert: the blocks after it belong to the same answer. Their indexes begin again. */
  #readMessage(message: JsonObject, out: Fragment[]): void {
    if (this.#isStarted) this.#firstKey = this.#nextKey
    if (this.#isStarted || Object.keys(message).length === 0) return
    this.#isStarted = true
    const { id, type: _, role: _role, model, content, stop_reason: _reason, usage: figures, ...others } = message
    this.#origin.model = textOr(model, '')
    out.push(compact({ type: 'start', id: textOr(id, undefined), model: textOr(model, undefined) }))
    this.#readOthers(others, out)
    this.#readUsage(figures, out)
    if (!Array.isArray(content)) return
    const declined = content.find((block) => field(block, 'type') === 'fallback')
    this.#origin.model = textOr(field(field(declined, 'from'), 'model'), this.#origin.model)
    // with programmatic tool calling, `message_start` has blocks
    for (const [index, block] of content.entries())
      if (isObject(block)) this.#openBlock(block, this.#keyOf({ index }), false, out)
  }

  #readMessageDelta(event: JsonObject, out: Fragment[]): void {
    const { type: _, delta: _delta, usage: figures, ...beside } = event
    const { stop_reason: reason, ...within } = objectIn(event, 'delta')
    this.#readOthers(withoutNulls({ ...beside, ...within }), out)
    this.#readUsage(figures, out)
    if (reason && !this.#stopReason) out.push({ type: 'stop' })
    this.#stopReason = textOr(reason, this.#stopReason)
  }

  /** Reads fields that isoglot does not know. */
  #readOthers(others: JsonObject, out: Fragment[]): void {
    this.#container = others.container ?? this.#container
    keepUnknownOn('response', others, format, out)
  }

  #readUsage(figures: unknown, out: Fragment[]): void {
    if (!isObject(figures)) return
    this.#usage = { ...figures, ...this.#usage, ...withoutNulls(figures) }
    const { model } = arrayOf(this.#usage.iterations).filter(isObject).find(isFallback) ?? {}
    out.push({ type: 'usage', usage: decodeUsage(this.#usage) })
    this.#goOn(model, out)
  }

  /** Another model answers, because the one before declined. */
  #goOn(model: unknown, out: Fragment[]): void {
    if (typeof model !== 'string' || model === this.#origin.model) return
    this.#origin.model = model
    out.push({ type: 'start', model, isChange: true })
  }

  // ---- blocks ---------------------------------------------------------------------------------

  /** The key of the latest block with an index, since the last start of a message. */
  #keyOf({ index }: JsonObject): number {
    const key = this.#firstKey + numberOr(index, 0)
    this.#nextKey = Math.max(this.#nextKey, key + 1)
    return key
  }

  /** Reads a block that is complete, or that stays open for its deltas. */
  #openBlock(wire: JsonObject, key: number, isOpen: boolean, out: Fragment[]): void {
    const type = wire.type
    if (this.#unknown.has(key)) this.#readStop(key, out)
    if (type === 'tool_use' || isServerCall(type)) {
      out.push(readCall(wire, key, isOpen))
      if (!isOpen) out.push({ type: 'close', key })
      return
    }
    if (type === 'fallback') this.#goOn(field(wire.to, 'model'), out)
    const block = decodeBlock(wire, this.#origin)
    if (isOpen && (block.type === 'unknown' || type === 'compaction')) this.#unknown.set(key, wire)
    else out.push(isOpen ? { type: 'block', block, key, open: true } : { type: 'block', block, key })
  }

  #readStop(key: number, out: Fragment[]): void {
    const wire = this.#unknown.get(key)
    this.#unknown.delete(key)
    out.push(
      wire === undefined ? { type: 'close', key } : { type: 'block', block: decodeBlock(wire, this.#origin), key },
    )
  }

  #readDelta(key: number, delta: JsonObject, out: Fragment[]): void {
    const block = this.#unknown.size === 0 ? undefined : this.#unknown.get(key)
    if (block !== undefined) {
      this.#unknown.set(key, withDelta(block, delta))
      return
    }
    switch (delta.type) {
      case 'text_delta':
        out.push({ type: 'text', text: piece(delta, 'text'), key })
        return
      case 'input_json_delta': {
        const text = piece(delta, 'partial_json')
        if (text !== '') out.push({ type: 'call', key, arguments: text })
        return
      }
      case 'thinking_delta':
        out.push({ type: 'reasoning', text: piece(delta, 'thinking'), key })
        return
      case 'signature_delta': {
        const signature = piece(delta, 'signature') // complete, so it replaces an earlier one
        if (signature !== '') out.push({ type: 'patch', key, opaque: proof({ signature }, this.#origin) })
        return
      }
      case 'citations_delta': {
        const citation = delta.citation
        if (isObject(citation)) out.push({ type: 'patch', key, citations: [decodeCitation(citation)] })
      }
    }
  }
}

function readCall(wire: JsonObject, key: number, isOpen: boolean): Fragment {
  const { type = null, id, name, input: given, ...others } = wire
  const isServers = isServerCall(type)
  const input = readInput(given)
  // In a stream, `{}` is a placeholder: the deltas bring the input. Any other value is the complete input.
  const isPlaceholder = isOpen && isObject(input) && Object.keys(input).length === 0
  return compact({
    type: 'call',
    key,
    id: textOr(id, null),
    name: textOr(name, null),
    server: isServers || undefined,
    arguments: isPlaceholder ? undefined : input,
    // The type of a call that the provider runs also names its server.
    ...keepUnknown(isServers ? { ...others, type } : others, format),
  })
}

/** Whether a block of this type is a call that the provider runs: `server_tool_use`, `mcp_tool_use`. */
export function isServerCall(type: unknown): boolean {
  return stringOr(type, '').endsWith('_tool_use')
}

/** Reads the input of a call: an object, text if the host sends text, or `undefined` if it is absent. */
export function readInput(input: Json | undefined): CallFragment['arguments'] {
  if (input === undefined || input === null) return undefined
  return isObject(input) ? input : stringOr(input, JSON.stringify(input))
}

/**
 * Reads the usage, in tokens. This format counts cached input separately, and the steps of {@link stepsBeside} too. `inputTokens` and the
 * other figures of isoglot have all of them.
 */
function decodeUsage(wire: JsonObject): Usage {
  const steps = stepsBeside(wire)
  const absent = steps.length > 0 ? 0 : Number.NaN
  const count = (name: string) =>
    steps.reduce((sum, step) => sum + countOrZero(step[name]), tokenCount(wire[name]) ?? absent)
  const cacheReadTokens = count('cache_read_input_tokens')
  const cacheWriteTokens = count('cache_creation_input_tokens')
  const inputTokens = count('input_tokens') + (cacheReadTokens || 0) + (cacheWriteTokens || 0)
  const outputTokens = count('output_tokens')
  const thinking = field(wire.output_tokens_details, 'thinking_tokens')
  const counts = {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: countOrZero(thinking) <= outputTokens ? thinking : undefined,
  }
  return { ...validCounts(counts), providerData: { [format]: wire } }
}

function withoutNulls(fields: JsonObject): JsonObject {
  return otherFields(fields, { has: (name) => fields[name] === null }) ?? {}
}

function piece(delta: JsonObject, name: string): string {
  return stringAt(field(delta, name), `delta.${name}`, 'Anthropic event')
}

/** Adds a delta to a block of an unknown kind. Text is appended. Other values are replaced. */
function withDelta(block: JsonObject, { type, ...fields }: JsonObject): JsonObject {
  const grown = { ...block }
  for (const [name, value] of Object.entries(fields)) {
    const before = type === 'compaction_delta' ? undefined : field(block, name) // each of these is complete
    setOwn(grown, name, typeof before === 'string' && typeof value === 'string' ? before + value : value)
  }
  return grown
}

// ---- citations ----------------------------------------------------------------------------------

// Fields that only Anthropic has are kept.

/** Decodes a citation. Keeps Anthropic's own fields, since Anthropic checks the `encrypted_index` in later requests. */
function decodeCitation(wire: JsonObject): CitationBlock {
  const { url, title, document_title: documentTitle, cited_text: text, encrypted_index: index } = wire
  return compact({
    type: 'citation',
    url: textOr(url, undefined),
    title: textOr(title, textOr(documentTitle, undefined)),
    text: textOr(text, undefined),
    providerData: index === '' ? undefined : { [format]: wire }, // see `citationForClient`
  })
}

// ---- errors -------------------------------------------------------------------------------------

/** Reads an answer with an error status, or (with status 0) the error event of a stream. */
export function decodeError(
  answer: ErrorAnswer,
  { dialect: { provider = format } = {} }: CodecOptions<AnthropicDialect> = {},
): ApiError {
  const error = readApiError(answer, {
    provider,
    kinds: errorKinds,
    statuses: { 413: 'context_length' },
    final: new Set(),
  })
  const providerCode = stringOr(field(field(field(answer.body, 'error'), 'details'), 'error_code'), '')
  // Anthropic reports a spending limit as a rate limit, and missing credit as an invalid request. A retry helps with neither.
  const details = providerCode.includes('spend_limit')
    ? { providerCode, retryable: false }
    : /credit balance is too low/i.test(error.message) && { kind: 'permission', retryable: false }
  return details ? new ApiError(error.message, { ...error, ...details } as ApiErrorDetails) : error
}
