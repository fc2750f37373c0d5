/**
 * Cohere Chat v2: reads an answer, whole or streamed, and its errors.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 * @see https://docs.cohere.com/docs/tool-use-overview (read 2026-11)
 * @see https://docs.cohere.com/docs/streaming (read 2026-11)
 * @see https://docs.cohere.com/docs/rag-citations (read 2026-11)
 * @see https://docs.cohere.com/reference/errors (read 2026-11)
 *
 * @module
 */

import { fold, foldCalls } from '../../assemble/assemble.ts'
import type {
  CallFragment,
  CodecOptions,
  DecodedCalls,
  DecodeResponseOptions,
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
  field,
  isObject,
  listAt,
  lookup,
  numberOr,
  objectAt,
  objectIn,
  otherFields,
  othersWithin,
  parseEvent,
  stringAt,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import type {
  ChatResponse,
  CitationBlock,
  Json,
  JsonObject,
  ProviderData,
  UnknownBlock,
  Usage,
} from '../../core/messages.ts'
import type { Machine } from '../../core/reducer.ts'
import { settleUsage, tokenCount } from '../../core/usage.ts'
import { inStream, readApiError } from '../shared/api-error.ts'
import { errorWords, format, idPrefix, stopReasons } from './tables.ts'

export function unknownPart(part: JsonObject): UnknownBlock {
  return { type: 'unknown', format, providerType: stringOr(field(part, 'type'), ''), value: part }
}

/** Keeps the fields of a part other than `type` and its `body`. */
export function restOf(part: JsonObject, body: string): { readonly providerData?: ProviderData } {
  return keepUnknown(otherFields(part, new Set(['type', body])), format)
}

// ---- tools --------------------------------------------------------------------------------------

const callFields: ReadonlySet<string> = new Set(['id', 'type', 'function'])
const untypedFields: ReadonlySet<string> = new Set(['id', 'function'])
const callFunctionFields: ReadonlySet<string> = new Set(['name', 'arguments'])

/** Reads a call, or a piece of a call, as a fragment. */
function readCallFragment(entry: Json | undefined, path: string, what: string): CallFragment {
  const call = objectAt(entry, path, what)
  const body = objectIn(call, 'function')
  const given = field(body, 'arguments')
  const known = textOr(call.type, 'function') === 'function' ? callFields : untypedFields
  return compact({
    type: 'call',
    id: textOr(field(call, 'id'), undefined),
    name: textOr(field(body, 'name'), undefined),
    arguments: isObject(given) ? given : stringAt(given, `${path}.function.arguments`, what),
    ...keepUnknown(othersWithin(call, known, 'function', callFunctionFields), format),
  })
}

/** Reads the calls of an answer or of a message. A call without an id gets a generated one. */
export function decodeToolCalls(body: unknown, _options: CodecOptions = {}): DecodedCalls {
  const message = isObject(field(body, 'message')) ? field(body, 'message') : body
  const calls = listAt(field(message, 'tool_calls'), 'tool_calls', 'Cohere response')
  const fragments = calls.map((call, key) => ({
    ...readCallFragment(call, `tool_calls[${key}]`, 'Cohere response'),
    key,
  }))
  return foldCalls(fragments, idPrefix)
}

// ---- a whole answer -----------------------------------------------------------------------------

/**
 * Reads a whole answer.
 *
 * @throws {ApiError} if the body is an error, though its status was 200.
 * @throws {DecodeError} if the body is not an answer.
 * @throws {InterruptedError} if the body does not have a `finish_reason`.
 */
export function decodeResponse(body: unknown, options: DecodeResponseOptions = {}): ChatResponse {
  const response = bodyOf(body, 'Cohere response')
  if (typeof field(response, 'message') === 'string') throw decodeError(inStream(response))
  const out: Fragment[] = [compact({ type: 'start', id: textOr(field(response, 'id'), undefined) })]
  const state = newState()
  readMessage(
    state,
    objectAt(field(response, 'message'), 'message', 'Cohere response'),
    'message',
    'Cohere response',
    out,
  )
  readEnd(state, response, out)
  return fold(out, { ...options, provider: format, idPrefix })
}

// ---- a stream -----------------------------------------------------------------------------------

// Contents, calls and citations are counted separately, each from 0.

/**
 * Decodes one answer.
 *
 * @throws {ApiError} if the answer ends with an error, which can come after status 200 and part of the answer.
 * @throws {DecodeError} if an event is not a JSON object, or does not have a required field.
 */
export function decodeStream(): Machine<Frame, Fragment> {
  const state = newState()
  return {
    push({ data }, out) {
      if (data === '' || data === '[DONE]') return
      readEvent(state, objectAt(parseEvent(data, 'Cohere event'), '', 'Cohere event'), out)
    },
    end(out) {
      endMessage(state, out) // if `message-end` did not arrive, the text so far still gets its citations
    },
  }
}

function readEvent(state: ReadState, event: JsonObject, out: Fragment[]): void {
  const type = field(event, 'type')
  const at = numberOr(field(event, 'index'), 0)
  const message = objectIn(objectIn(event, 'delta'), 'message')
  switch (type) {
    case 'content-delta':
      readContent(state, at, event, field(message, 'content'), out)
      return
    case 'message-start':
      out.push(compact({ type: 'start', id: textOr(field(event, 'id'), undefined) }))
      return
    case 'content-start':
      endTexts(state, out)
      startContent(state, at, objectAt(field(message, 'content'), 'delta.message.content', 'Cohere event'), out)
      return
    case 'content-end':
      endContent(state, at, out)
      return
    case 'tool-plan-delta':
      addPlan(state, stringAt(field(message, 'tool_plan'), 'delta.message.tool_plan', 'Cohere event'), out)
      return
    case 'tool-call-start':
      endTexts(state, out)
      readCallEvent(at, message, out)
      return
    case 'tool-call-delta':
      readCallEvent(at, message, out)
      return
    case 'tool-call-end':
      out.push({ type: 'close', key: keyOf.call(at) })
      return
    case 'citation-start': {
      const citation = field(message, 'citations')
      if (isObject(citation)) state.citations.push(citation)
      return
    }
    case 'message-end':
      endMessage(state, out)
      readEnd(state, objectIn(event, 'delta'), out)
      return
    case undefined:
      if (typeof field(event, 'message') === 'string' || field(event, 'error') || field(event, 'detail'))
        throw decodeError(inStream(event))
  }
  // `citation-end`, `debug` and unknown types are ignored.
}

function readCallEvent(at: number, message: JsonObject, out: Fragment[]): void {
  const call = readCallFragment(field(message, 'tool_calls'), 'delta.message.tool_calls', 'Cohere event')
  out.push({ ...call, key: keyOf.call(at) })
}

function readContent(state: ReadState, at: number, event: JsonObject, part: Json | undefined, out: Fragment[]): void {
  const logprobs = field(event, 'logprobs')
  if (logprobs !== undefined && logprobs !== null) state.logprobs.push(logprobs)
  const { text, thinking } = objectAt(part, 'delta.message.content', 'Cohere event')
  const unknown = state.unknown.size === 0 ? undefined : state.unknown.get(at)
  if (unknown !== undefined) state.unknown.set(at, grown(unknown, part as JsonObject))
  else if (typeof text === 'string') {
    const pieces = state.texts.get(at)
    if (pieces === undefined) state.texts.set(at, [text])
    else pieces.push(text)
    out.push({ type: 'text', text, key: keyOf.content(at) })
  } else if (typeof thinking === 'string') out.push({ type: 'reasoning', text: thinking, key: keyOf.content(at) })
}

/** Adds a delta to a content of an unknown type. Strings are appended; any other value replaces the earlier one. */
function grown(content: JsonObject, delta: JsonObject): JsonObject {
  const fields = Object.entries(delta).map(([name, value]) => {
    const before = field(content, name)
    return [name, typeof before === 'string' && typeof value === 'string' ? before + value : value] as const
  })
  return { ...content, ...Object.fromEntries(fields) }
}

// ---- an answer ----------------------------------------------------------------------------------

// A citation may follow the end of its text, so the block of a text stays open until another block begins.

/** State that is kept while an answer is read. */
interface ReadState {
  /** The pieces of each text that a citation may refer to, by the index of its content. */
  readonly texts: Map<number, string[]>
  /** Citations whose text has not ended. */
  readonly citations: JsonObject[]
  /** Citations that do not belong to a text. They are kept with the message. */
  readonly otherCitations: Json[]
  /** Contents of unknown types, by index. Each is stored until it is complete. */
  readonly unknown: Map<number, JsonObject>
  hasPlan: boolean
  /** One entry for each token, if the request asked for them. */
  readonly logprobs: Json[]
}

export function newState(): ReadState {
  return { texts: new Map(), citations: [], otherCitations: [], unknown: new Map(), hasPlan: false, logprobs: [] }
}

/** The block keys of contents, calls and the plan. Contents and calls are counted separately, so an index would not be unique. */
const keyOf = { content: (at: number) => `content ${at}`, call: (at: number) => `call ${at}`, plan: 'plan' }

const messageFields: ReadonlySet<string> = new Set(['role', 'content', 'tool_plan', 'tool_calls', 'citations'])

/** Reads a whole message: its contents, its plan and its calls. */
export function readMessage(state: ReadState, message: JsonObject, path: string, what: string, out: Fragment[]): void {
  const content = field(message, 'content')
  const parts = typeof content === 'string' ? textParts(content) : listAt(content, `${path}.content`, what)
  for (const [at, part] of parts.entries()) {
    startContent(state, at, objectAt(part, `${path}.content[${at}]`, what), out)
    endContent(state, at, out)
  }
  addPlan(state, stringAt(field(message, 'tool_plan'), `${path}.tool_plan`, what), out)
  for (const [at, call] of listAt(field(message, 'tool_calls'), `${path}.tool_calls`, what).entries()) {
    const key = keyOf.call(at)
    out.push({ ...readCallFragment(call, `${path}.tool_calls[${at}]`, what), key }, { type: 'close', key })
  }
  state.citations.push(...arrayOf(field(message, 'citations')).filter(isObject))
  keepUnknownOn('message', otherFields(message, messageFields), format, out)
  endMessage(state, out)
}

/** Emits the citations at the end of a message, and any content that did not end. */
function endMessage(state: ReadState, out: Fragment[]): void {
  for (const at of [...state.unknown.keys()]) endContent(state, at, out)
  endTexts(state, out)
  keepUnknownOn('message', compact({ citations: unlessEmpty(state.otherCitations) }), format, out)
}

function textParts(text: string): Json[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

/** Reads a whole content, or the start of a content. */
function startContent(state: ReadState, at: number, part: JsonObject, out: Fragment[]): void {
  const key = keyOf.content(at)
  const { type } = part
  if (!['', 'text', 'thinking'].includes(stringOr(type, ''))) {
    state.unknown.set(at, part)
    return
  }
  // Some hosts send only the type at the start.
  const text = part.text ?? (type === 'text' ? '' : undefined)
  const thinking = part.thinking ?? (type === 'thinking' ? '' : undefined)
  if (typeof text === 'string') {
    state.texts.set(at, [text])
    out.push({ type: 'block', key, open: true, block: { type: 'text', text, ...restOf(part, 'text') } })
  } else if (typeof thinking === 'string') {
    out.push({
      type: 'block',
      key,
      open: true,
      block: { type: 'reasoning', text: thinking, ...restOf(part, 'thinking') },
    })
  } else state.unknown.set(at, part)
}

function endContent(state: ReadState, at: number, out: Fragment[]): void {
  const unknown = state.unknown.get(at)
  state.unknown.delete(at)
  if (unknown !== undefined) out.push({ type: 'block', block: unknownPart(unknown) })
  else if (!state.texts.has(at)) out.push({ type: 'close', key: keyOf.content(at) })
}

/** Adds a piece of the plan. Cohere does not send events for its start and end, so the first piece opens the block. */
function addPlan(state: ReadState, text: string, out: Fragment[]): void {
  if (text === '') return
  const block = { type: 'reasoning', text: '', ...keepUnknown({ toolPlan: true }, format) } as const
  if (!state.hasPlan) out.push({ type: 'block', key: keyOf.plan, open: true, block })
  state.hasPlan = true
  out.push({ type: 'reasoning', key: keyOf.plan, text })
}

/**
 * Ends all texts read so far and adds their citations. A citation that arrives later is still added to its text. Citations of thinking and
 * of plans do not belong to a text block, so they are kept with the message.
 */
function endTexts(state: ReadState, out: Fragment[]): void {
  const first = [...state.texts.keys()][0] ?? 0
  const wholes = new Map<number, string>()
  for (const citation of state.citations.splice(0)) {
    const at = numberOr(field(citation, 'content_index'), first)
    const pieces = isOfText(citation) ? state.texts.get(at) : undefined
    if (pieces === undefined) {
      state.otherCitations.push(citation)
      continue
    }
    const text = wholes.get(at) ?? pieces.join('')
    wholes.set(at, text)
    out.push({ type: 'patch', key: keyOf.content(at), citations: decodeCitation(citation, text) })
  }
  for (const at of state.texts.keys()) out.push({ type: 'close', key: keyOf.content(at) })
}

/** Reads the usage of an answer, in tokens. Cohere counts image tokens separately; here they are part of `inputTokens`. */
function decodeUsage(wire: JsonObject): Usage {
  const tokens = objectIn(wire, 'tokens')
  const counted = Object.keys(tokens).length > 0 ? tokens : objectIn(wire, 'billed_units')
  const count = (name: string) => tokenCount(field(counted, name))
  const input = count('input_tokens')
  const inputTokens = input === undefined ? undefined : input + (count('image_tokens') ?? 0)
  const figures = {
    inputTokens,
    outputTokens: count('output_tokens'),
    cacheReadTokens: wire.cached_tokens,
    reasoningTokens: count('reasoning_tokens'),
  }
  return { ...settleUsage(figures), providerData: { [format]: wire } }
}

const endFields: ReadonlySet<string> = new Set(['id', 'type', 'message', 'finish_reason', 'usage', 'error'])

/**
 * Reads the end of an answer: its usage, its unknown fields and its stop reason.
 *
 * @throws {ApiError} if the answer has an `error`.
 */
function readEnd(state: ReadState, end: JsonObject, out: Fragment[]): void {
  const usage = field(end, 'usage')
  if (isObject(usage)) out.push({ type: 'usage', usage: decodeUsage(usage) })
  const { logprobs } = state
  keepUnknownOn(
    'response',
    { ...otherFields(end, endFields), ...compact({ logprobs: unlessEmpty(logprobs) }) },
    format,
    out,
  )
  const error = textOr(field(end, 'error'), undefined)
  if (error !== undefined) throw decodeError(inStream({ message: error }))
  const word = field(end, 'finish_reason')
  if (typeof word === 'string')
    out.push({ type: 'end', stopReason: lookup(stopReasons, word) ?? 'other', rawStopReason: word })
}

// ---- citations ----------------------------------------------------------------------------------

// Cohere sends one citation for each cited passage of an answer, with a list of sources. isoglot has one citation for each source.

/** Reads a citation of `text`. Returns one citation for each of its sources. */
function decodeCitation(wire: JsonObject, text: string): CitationBlock[] {
  const { sources, ...kept } = wire
  const found = arrayOf(sources).filter(isObject)
  const span = spanOf(wire, text)
  // Also without fields: it says that the citation is this format's own.
  if (found.length === 0) return [{ type: 'citation', ...span, providerData: { [format]: kept } }]
  return found.map((source) => ({
    type: 'citation',
    ...fieldsOf(source),
    ...span,
    ...keepUnknown({ ...kept, source }, format),
  }))
}

/** Returns the passage of a source, its title and its URL. */
function fieldsOf(source: JsonObject): Pick<CitationBlock, 'url' | 'title' | 'text'> {
  const data = { ...objectIn(source, 'document'), ...objectIn(source, 'tool_output') }
  const text = textOr(field(data, 'text'), textOr(field(data, 'content'), undefined))
  const title = textOr(field(data, 'title'), undefined)
  return compact({ url: textOr(field(data, 'url'), undefined), title, text })
}

/**
 * Returns the range that a citation covers, in UTF-16 units. Cohere's offsets may be UTF-16 units or code points. The quoted text of the
 * citation decides which of them it is.
 */
function spanOf(wire: JsonObject, text: string): Pick<CitationBlock, 'startIndex' | 'endIndex'> {
  const start = numberOr(field(wire, 'start'), -1)
  const end = numberOr(field(wire, 'end'), -1)
  const cited = textOr(field(wire, 'text'), undefined)
  if (start < 0 || end < start) return {}
  if (cited === undefined || text.slice(start, end) === cited) return { startIndex: start, endIndex: end }
  const points = [...text]
  const before = points.slice(0, start).join('').length
  const from = text.startsWith(cited, before) ? before : text.indexOf(cited)
  return from < 0 ? {} : { startIndex: from, endIndex: from + cited.length }
}

/** Returns whether a citation belongs to a text of the answer, and not to thinking or to a plan. */
function isOfText(citation: Json): boolean {
  const type = field(citation, 'type')
  return type !== 'THINKING_CONTENT' && type !== 'PLAN'
}

// ---- errors -------------------------------------------------------------------------------------

// An error is a status and a sentence.

/** The `error_type` of a conversation that is too long. */
export const tooManyTokens = 'TOO_MANY_TOKENS'

/** Reads an error answer, or the error at the end of a stream. The status of an error in a stream is 0. */
export function decodeError(answer: ErrorAnswer, _options: CodecOptions = {}): ApiError {
  const error = readApiError(answer, errorWords)
  const { kind, message } = error
  const type = textOr(field(answer.body, 'error_type'), undefined)
  const change: Partial<ApiErrorDetails> = {
    ...(type === tooManyTokens && { kind: 'context_length' }),
    ...(kind === 'invalid_request' && /\bmodel\b.*(?:not found|not supported)/i.test(message) && { kind: 'not_found' }),
    // A monthly limit or the limit of a trial key does not end soon, so a retry would fail.
    ...(kind === 'rate_limit' && /trial key|calls? \/ month|per month|monthly/i.test(message) && { retryable: false }),
  }
  const requestId = error.requestId ?? answer.headers.get('x-debug-trace-id') ?? undefined
  const providerCode = type ?? error.providerCode
  return new ApiError(message, { ...(error as ApiErrorDetails), ...compact({ requestId, providerCode }), ...change })
}
