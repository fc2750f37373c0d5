/**
 * OpenAI Responses: reads an answer, whole or streamed, and its errors.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 * @see https://platform.openai.com/docs/guides/function-calling?api-mode=responses
 * @see https://platform.openai.com/docs/api-reference/responses/object
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 * @see https://platform.openai.com/docs/api-reference/responses/object#responses/object-output
 * @see https://platform.openai.com/docs/guides/error-codes
 *
 * @module
 */

import { fold, foldCalls, type Growing, grow } from '../../assemble/assemble.ts'
import type {
  CodecOptions,
  DecodedCalls,
  DecodeResponseOptions,
  DecodeStreamOptions,
  ErrorAnswer,
  Fragment,
  Frame,
  Offered,
} from '../../core/codec.ts'
import { keepUnknown, keepUnknownOn, parseArguments, textOfArguments } from '../../core/content.ts'
import type { ApiError } from '../../core/errors.ts'
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
  parseEvent,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import type {
  ChatResponse,
  CitationBlock,
  ContentBlock,
  Json,
  JsonObject,
  Opaque,
  StopReason,
  UnknownBlock,
  Usage,
} from '../../core/messages.ts'
import type { Machine } from '../../core/reducer.ts'
import { settleUsage } from '../../core/usage.ts'
import { inStream, readApiError } from '../shared/api-error.ts'
import { checkEnded } from '../shared/background.ts'
import { openaiDialect, type ResponsesDialect } from './dialect.ts'
import {
  clientField,
  clientItems,
  customCall,
  errorWords,
  format,
  type Hosted,
  hostedId,
  hostedName,
  hostedOf,
  idPrefix,
  partBreak,
  reasoningText,
  stopReasons,
  title,
  wrapperName,
} from './tables.ts'

/** Makes a block that holds a value of an unknown type, unchanged. */
export function unknownBlock(value: Json, kept?: JsonObject): UnknownBlock {
  return {
    type: 'unknown',
    format,
    providerType: stringOr(field(value, 'type'), ''),
    value,
    ...keepUnknown(kept, format),
  }
}

// ---- annotations ------------------------------------------------------------------------------

/** Decodes an annotation of any type. Its type and its unknown fields are kept. They also mark the citation as one from this wire. */
function readAnnotation(annotation: Json): CitationBlock {
  const { url, title, start_index, end_index, ...rest } = isObject(annotation) ? annotation : {}
  const fields = {
    url: stringOr(url, undefined),
    title: stringOr(title, undefined),
    startIndex: numberOr(start_index, undefined),
    endIndex: numberOr(end_index, undefined),
  }
  return { type: 'citation', ...compact(fields), providerData: { [format]: rest } }
}

// ---- tools --------------------------------------------------------------------------------------

/** Returns the arguments as text, or as an object if the server sends an object. */
function argumentsOf(item: JsonObject): string | JsonObject {
  const given = field(item, 'arguments')
  return typeof given === 'string' || isObject(given) ? given : ''
}

/** Returns the calls in a wrapper, each with the data to write the wrapper again. Returns no calls for any other item or form. */
function wrappedCalls(
  item: JsonObject,
): readonly { id: string; name: string; arguments: JsonObject; wrapper: JsonObject }[] {
  if (item.name !== wrapperName) return []
  const given = argumentsOf(item)
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  const parsed = parseArguments(text)
  const uses = 'value' in parsed ? arrayOf(parsed.value.tool_uses) : []
  const call_id = stringOr(item.call_id, '')
  const wrapper = { call_id, arguments: text }
  const calls = uses.flatMap((use, at) => {
    const name = stringOr(field(use, 'recipient_name'), '').replace(/^functions\./, '')
    const parameters = field(use, 'parameters') ?? {}
    return name !== '' && isObject(parameters) ? [{ id: `${call_id}_${at}`, name, arguments: parameters, wrapper }] : []
  })
  return call_id !== '' && calls.length === uses.length ? calls : []
}

// ---- a whole answer -----------------------------------------------------------------------------

/**
 * Decodes a whole answer.
 *
 * @throws {ApiError} if the status of the answer is `failed`, or the body is an error.
 * @throws {DecodeError} if the body is not an answer, or if it is a background answer that is still `queued` or `in_progress`.
 */
export function decodeResponse(
  body: unknown,
  { dialect = openaiDialect, ...options }: DecodeResponseOptions<ResponsesDialect> = {},
): ChatResponse {
  const answer = bodyOf(body, `${title} answer`)
  const { error } = answer
  if (!Array.isArray(answer.output)) {
    if ((error ?? undefined) !== undefined) throw midStreamError(answer, dialect)
    throw decodeErrorAt('output', 'not a list', `${title} answer`)
  }
  checkEnded(answer, 'responses', `${title} answer`)
  return fold(readWhole(answer, dialect, options), { ...options, provider: dialect.provider, idPrefix })
}

/** Reads the tool calls of an answer. */
export function decodeToolCalls(
  body: unknown,
  { dialect = openaiDialect }: CodecOptions<ResponsesDialect> = {},
): DecodedCalls {
  return foldCalls(readWhole(isObject(body) ? body : {}, dialect), idPrefix)
}

// ---- a stream -----------------------------------------------------------------------------------

// The wire sends each item two or three times: in pieces, whole, and in the answer at the end. In between, hosts change the marks of an item,
// give two items the same mark, or leave marks out: the id (Copilot), the `call_id` and the index (vLLM, SGLang), all except the type (llama.cpp). So
// each event is matched with the items that began before it. The text that an item has so far is stored with it: it is a mark too, and
// shows the rest that a whole item adds.

/** State between two events. */
interface StreamState extends Reading {
  isEnded: boolean
  /** The items received, in order. */
  readonly items: Progress[]
  /** Those that are not complete. */
  open: Progress[]
  /** The first item with each type and `call_id`. Any other item with them is not a call of its own. */
  readonly first: Map<string, Progress>
  /** The item that a piece with these marks was found to be of, by its id, or by its index if it has none. Forgotten when an item begins. */
  readonly found: Map<unknown, Pick<Described, 'type' | 'id' | 'index'> & { readonly item: Progress }>
}

function newState(dialect: ResponsesDialect, offered?: Offered): StreamState {
  const reading = newReading(dialect, '', true, offered?.toolNames)
  return { ...reading, isEnded: false, items: [], open: [], first: new Map(), found: new Map() }
}

/**
 * Creates a decoder for one answer.
 *
 * @throws {ApiError} at an `error` event, flat or nested, and at `response.failed`. Both can come after half an answer.
 * @throws {DecodeError} at an event that is not a JSON object.
 */
export function decodeStream({
  dialect = openaiDialect,
  ...offered
}: DecodeStreamOptions<ResponsesDialect> = {}): Machine<Frame, Fragment> {
  const state = newState(dialect, offered)
  return {
    push({ data, event: name }, out) {
      if (state.isEnded || data === '' || data.trim() === '[DONE]') return
      const event = objectAt(parseEvent(data, `${title} event`), '', `${title} event`)
      const type = stringOr(event.type, name ?? ((event.error ?? event.detail) ? 'error' : ''))
      // The most frequent event needs no lookup. Unknown events, `keepalive` and the progress of hosted tools are skipped.
      const step = type === 'response.output_text.delta' ? addText : lookup(steps, type)
      step?.(state, event, out, type)
    },
    end(out) {
      if (!state.isEnded) endOpen(state, out)
    },
  }
}

/** Reads an answer that is not streamed: it is the last event of a stream without other events. */
function readWhole(response: JsonObject, dialect: ResponsesDialect, offered?: Offered): Fragment[] {
  const out: Fragment[] = []
  finish(newState(dialect, offered), { response }, out, 'response.completed')
  return out
}

type Step = (state: StreamState, event: JsonObject, out: Fragment[], type: string) => void

const steps: Readonly<Record<string, Step>> = {
  'response.refusal.delta': addText,
  'response.output_text.annotation.added': addCitation,
  'response.reasoning_summary_text.delta': addReasoning,
  'response.reasoning_text.delta': addReasoning,
  'response.function_call_arguments.delta': addArguments,
  'response.function_call_arguments.done': addArguments,
  'response.mcp_call_arguments.delta': addArguments,
  'response.mcp_call_arguments.done': addArguments,
  'response.custom_tool_call_input.delta': addArguments,
  'response.code_interpreter_call_code.delta': addPiece,
  'response.shell_call_command.added': addPiece,
  'response.shell_call_command.delta': addPiece,
  'response.apply_patch_call_operation_diff.delta': addPiece,
  'response.output_text.done': readPart,
  'response.refusal.done': readPart,
  'response.content_part.added': readPart,
  'response.content_part.done': readPart,
  'response.output_item.added': addItem,
  'response.output_item.done': finishItem,
  'response.created': start,
  'response.in_progress': start,
  'response.completed': finish,
  'response.incomplete': finish,
  'response.cancelled': finish,
  'response.failed': fail,
  error: fail,
}

// ---- the answer -------------------------------------------------------------------------------

/** Reads the id, the model and the time of the answer. Several events have them, and a gateway may leave out some of these events. */
function start(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const { id, model, created_at } = objectIn(event, 'response')
  state.model ||= stringOr(model, '')
  out.push(
    compact({
      type: 'start',
      id: textOr(id, undefined),
      model: textOr(model, undefined),
      createdAt: numberOr(created_at, undefined),
    }),
  )
}

function finish(state: StreamState, event: JsonObject, out: Fragment[], type: string): void {
  start(state, event, out)
  const response = objectIn(event, 'response')
  const { id, object, created_at, model, status, output, usage, error, incomplete_details, ...extra } = response
  if (status === 'failed') fail(state, event)
  finishFromOutput(state, arrayOf(output), out)
  state.isEnded = true
  if (isObject(usage)) out.push({ type: 'usage', usage: readUsage(usage) })
  keepUnknownOn('response', extra, format, out)
  const rawStopReason = textOr(field(incomplete_details, 'reason'), textOr(status, type.slice('response.'.length)))
  const stopReason = lookup(stopReasons, rawStopReason) ?? 'other'
  // Only a stored answer has a state that the next request continues from: `store` is true, or it belongs to a conversation.
  const conversationId = textOr(field(extra.conversation, 'id'), undefined)
  const isStored = state.dialect.stores && (conversationId !== undefined || extra.store === true)
  const previousResponseId = isStored ? textOr(id, undefined) : undefined
  const providerState = previousResponseId === undefined ? undefined : compact({ previousResponseId, conversationId })
  out.push(
    compact({
      type: 'end',
      stopReason: stopReason === 'stop' ? stopReasonOf(state) : stopReason,
      rawStopReason,
      providerState,
    }),
  )
}

/** Returns the stop reason of an answer with the status `completed`. Its items decide, because the wire has only this status. */
function stopReasonOf({ waiting, hasRefusal, hasText }: Reading): StopReason {
  if (waiting.size > 0) return 'pause'
  return hasRefusal && !hasText ? 'refusal' : 'stop'
}

/** Reads the usage, in tokens. `input_tokens` includes cached tokens, and `output_tokens` includes reasoning tokens. */
function readUsage(usage: JsonObject): Usage {
  const all: JsonObject = Object.assign({}, usage, usage.input_tokens_details, usage.output_tokens_details)
  const figures = settleUsage({
    inputTokens: all.input_tokens,
    outputTokens: all.output_tokens,
    totalTokens: all.total_tokens,
    cacheReadTokens: all.cached_tokens,
    cacheWriteTokens: all.cache_write_tokens ?? all.cache_creation_input_tokens, // or Alibaba
    reasoningTokens: all.reasoning_tokens,
  })
  return { ...figures, providerData: { [format]: usage } }
}

/**
 * Reads missing items from the whole answer in the last event. Some gateways stream only some items, such as texts, or none, or do not
 * complete all of them. A missing item is read only if it comes after all streamed ones: an earlier one, such as reasoning, would be out of
 * order. A call is always read.
 */
function finishFromOutput(state: StreamState, output: readonly Json[], out: Fragment[]): void {
  const described = output.flatMap((item, at) => (isObject(item) ? describe(item, at) : []))
  const itemOfEntry = new Map<Described, Progress>()
  const items = new Set(state.items)
  const free = [...described]
  let last = -1
  // First the pairs that have most in common, last those that have nothing: the answer repeats the items, whatever their marks are now.
  for (const least of [10, 8, 6, 1, 0.5 + cannotBe]) {
    for (const item of items) {
      const isNext = free[0] !== undefined && likenessOf(item, free[0]) >= 10 // as it is in most answers
      const [entry] = isNext ? free : mostLike(free, (one) => likenessOf(item, one), least)
      if (entry === undefined) continue
      itemOfEntry.set(entry, item)
      items.delete(item)
      free.splice(free.indexOf(entry), 1)
      last = Math.max(last, entry.index as number)
    }
  }
  for (const entry of described) {
    const item = itemOfEntry.get(entry)
    if (item?.isOpen) endItem(state, item, entry, out)
    else if (item === undefined && ((entry.index as number) > last || clientCalls.has(entry.type))) {
      readWholeItem(state, entry, out)
    }
  }
  for (const item of items) item.isUnclear ||= described.some(({ type }) => type === item.type)
  endOpen(state, out)
}

function fail(state: StreamState, event: JsonObject): never {
  state.isEnded = true
  throw midStreamError(isObject(event.response) ? event.response : event, state.dialect)
}

// ---- which item an event is of ------------------------------------------------------------------

/** The marks of an item, as the server sent them. */
interface Marks {
  readonly type: string
  readonly id: Mark
  readonly call_id: Mark
  readonly index: Mark
  readonly name: Mark
}

/** Anything else marks nothing. */
type Mark = string | number | undefined

function markOf(value: unknown): Mark {
  return stringOr(value, numberOr(value, undefined))
}

/** A whole item. */
interface Described extends Marks {
  readonly item: JsonObject
  /** Its text, its thought or its arguments. Empty for other items. */
  readonly content: string
}

function describe(item: JsonObject, index: unknown): Described {
  const { id, call_id, name, role } = item
  return {
    type: stringOr(item.type, role === 'assistant' ? 'message' : ''),
    id: markOf(id),
    call_id: markOf(call_id),
    index: markOf(index),
    name: markOf(name),
    item,
    content: contentOf(item),
  }
}

/** The marks of its item in an event. llama.cpp names calls by their `call_id`. */
function describeEvent(item: JsonObject, type: string, content = ''): Described {
  const id = markOf(item.item_id)
  return { type, id, call_id: id, index: markOf(item.output_index), name: '', item, content }
}

function contentOf(item: JsonObject): string {
  const { type, content, encrypted_content, action, queries, code } = item
  if (type === 'reasoning') return reasoningText(item) || stringOr(encrypted_content, '')
  if (content) return stringOr(content, arrayOf(content).map(textOfPart).join(''))
  const given = item.arguments ?? item.input ?? action ?? queries ?? code ?? ''
  return stringOr(given, JSON.stringify(given))
}

/** The text that an item has so far. */
function saidBy({ text, parts }: Progress): string {
  return text || parts.map((part) => part.text).join('')
}

/** Less than any item has in common with itself. */
const cannotBe = -4

/** How much an item has in common with one that began: its marks and its text. Only a call with the same ids can have another name. */
function likenessOf(one: Progress, { type, id, call_id, index, name, content }: Described): number {
  if (one.type !== type) return cannotBe
  const marks = 10 * isSame(call_id, one.call_id) + 3 * isSame(id, one.id) + 2 * isSame(index, one.index)
  const said = content && saidBy(one)
  const words = said && (said === content ? 8 : content.startsWith(said) ? 6 : -3)
  return marks + (words || 0) - (isOther(name, one.name) ? 15 : 0)
}

const isMark = (mark: unknown) => mark === 0 || Boolean(mark)

function isSame(mark: unknown, other: unknown): 0 | 1 {
  return isMark(mark) && mark === other ? 1 : 0
}

function isOther(mark: unknown, other: unknown): boolean {
  return isMark(mark) && isMark(other) && mark !== other
}

/** Those that are most like something, if they are at least that much. */
function mostLike<T>(all: readonly T[], likeness: (one: T) => number, least = 0.5 + cannotBe): T[] {
  let most = least
  let found: T[] = []
  for (const one of all) {
    const much = likeness(one)
    if (much > most) [most, found] = [much, []]
    if (much === most) found.push(one)
  }
  return found
}

/** The open items that a piece may be of: those with its id, else those with its index, else all of its type. */
function findOpen({ open }: StreamState, described: Described): Progress[] {
  return mostLike(open, (one) => likenessOf(one, described))
}

/** Whether more than the index shows the item of an event: some hosts raise the index before an item is complete. */
function isSure(state: StreamState, described: Described): boolean {
  const open = state.open.filter(({ type }) => type === described.type)
  return (open.filter((one) => likenessOf(one, described) > 2).length || open.length) === 1
}

/**
 * Returns the open item of a piece. A piece of no item begins one. Returns `undefined` if several items may have it: then it and all later pieces
 * of these items are held back until an item is complete. Arguments are also held back if only an index shows their item, because a client
 * cannot take a piece back.
 */
function itemOf(state: StreamState, event: JsonObject, type: string, piece: string): Progress | undefined {
  const [id, index] = [markOf(event.item_id), markOf(event.output_index)]
  const known = state.found.get(id ?? index)
  const isSameItem = known && known.type === type && known.id === id && known.index === index
  if (isSameItem && known.item.isOpen && known.item.held === undefined) return known.item
  const described = describeEvent(event, type)
  const found = findOpen(state, described)
  const [first, other] = found
  // An item that was not announced has only the marks of its first event.
  const isAnother =
    first?.isInferred &&
    likenessOf(first, described) < 1 &&
    (isOther(described.id, first.id) || isOther(described.index, first.index))
  if (first === undefined || isAnother) return begin(state, { ...described, call_id: undefined }, true)
  if (other === undefined && first.held === undefined && (isText(type) || isSure(state, described))) {
    state.found.set(id ?? index, { type, id, index, item: first })
    return first
  }
  for (const one of found) {
    one.held ??= ''
    one.isUnclear ||= other !== undefined
  }
  first.held += piece
  return undefined
}

function begin(state: StreamState, marks: Marks, isInferred = false): Progress {
  state.found.clear()
  const item = { ...newProgress(state.items.length), ...marks, isInferred, isOpen: true }
  state.items.push(item)
  state.open.push(item)
  return item
}

const isText = (type: string) => type === 'message' || type === 'reasoning'
const clientCalls: ReadonlySet<unknown> = new Set(['function_call', customCall, ...Object.keys(clientItems)])

/** Opens reasoning, so that it has its place in the answer, and calls. The wrapper of parallel calls is read only when it is complete. */
function addItem(state: StreamState, { item: wire, output_index }: JsonObject, out: Fragment[]): void {
  if (!isObject(wire)) return
  const described = describe(wire, output_index)
  const { type, call_id } = described
  const late = state.open.find((one) => one.isInferred && likenessOf(one, described) > 1)
  if (late !== undefined) {
    state.found.clear()
    Object.assign(late, described)
    return
  }
  const item = begin(state, described)
  const { key } = item
  if (type === 'reasoning') out.push({ type, key, text: '' })
  const hosted = hostedOf(wire)
  const isCustom = type === customCall
  const clients = clientField(wire)
  const isCall = hosted ? hosted.input !== undefined : clientCalls.has(type)
  item.isCall = isCall && wire.name !== wrapperName && firstWith(state, item) === item
  item.part = openingOf(wire)
  if (!item.isCall) return
  item.toldId = hosted ? hostedId(wire, hosted) : textOr(call_id, undefined)
  const given = hosted || clients ? '' : argumentsOf(wire)
  const isServer = hosted !== undefined || isServerCall(wire, state)
  item.text = stringOr(given, '')
  out.push(
    compact({
      type: 'call',
      key,
      id: item.toldId ?? null,
      name: hosted || clients ? hostedName(wire) : textOr(wire.name, null),
      arguments: isCustom ? customOpening : given,
      server: isServer || undefined,
      // Items with a link may have sealed values.
      announced: isServer && !hosted?.link ? { [format]: wire } : undefined,
      ...(!isServer && (isCustom || clients) && keepUnknown({ type }, format)),
    }),
  )
}

function firstWith({ first }: StreamState, item: Progress): Progress {
  const { type, call_id } = item
  const mark = `${type} ${call_id}`
  if (isMark(call_id) && !first.has(mark)) first.set(mark, item)
  return first.get(mark) ?? item
}

function finishItem(state: StreamState, { item: wire, output_index }: JsonObject, out: Fragment[]): void {
  if (!isObject(wire)) return
  const described = describe(wire, output_index)
  const [item] = findOpen(state, described)
  if (item !== undefined) endItem(state, item, described, out)
  else readWholeItem(state, described, out)
}

/** Reads an item that did not begin before, unless it repeats a complete one. `endItem` compares items that have a `call_id`. */
function readWholeItem(state: StreamState, described: Described, out: Fragment[]): void {
  const { call_id, content } = described
  const isThere = state.items.some(
    (one) => !one.isOpen && !(call_id && one.call_id) && likenessOf(one, described) >= (content ? 10 : 3),
  )
  if (!isThere) endItem(state, begin(state, described), described, out)
}

/** Reads a complete item. A second call with the same `call_id` is left out if it repeats the first, and otherwise invalid. */
function endItem(state: StreamState, item: Progress, described: Described, out: Fragment[]): void {
  const { type, content } = described
  item.call_id ??= described.call_id
  item.isOpen = false
  state.open = state.open.filter((one) => one !== item)
  const first = firstWith(state, item)
  item.isUnclear = first !== item && clientCalls.has(type)
  if (item.isUnclear && !item.isCall && first.text === content) return
  readItem(described.item, item, state, out)
  Object.assign(item, { text: content, held: undefined, parts: [] })
}

/** Ends the open items of the answer, and passes on the pieces that were held back. */
function endOpen(state: StreamState, out: Fragment[]): void {
  for (const item of state.open.splice(0)) {
    const { type, key, held = '', isCall, call_id, name } = item
    if (type === 'reasoning' && held) out.push({ type, key, text: held })
    if (type === 'message' && held) sayText(addPart(item, 0), held, false, out)
    if (!clientCalls.has(type) || !name || name === wrapperName) continue
    const first = firstWith(state, item)
    const unclear = item.isUnclear || first !== item
    const given = item.text + held
    if (isCall && (unclear || held)) out.push({ type: 'call', key, arguments: escaped(type, held), unclear })
    if (isCall || (unclear && (given === '' || first.text === given))) continue
    // This call was not passed on, because it was announced late or has the `call_id` of another call.
    const all = type === customCall ? `${customOpening}${escaped(type, given)}"}` : given
    out.push({ type: 'call', key, id: textOr(call_id, null), name: textOr(name, null), arguments: all, unclear })
  }
}

/** The text of arguments: the free text of a custom call becomes JSON. It is the value of the argument `input`. */
function escaped(type: unknown, text: string): string {
  return type === customCall ? JSON.stringify(text).slice(1, -1) : text
}

// ---- deltas. Some gateways send `null` ---------------------------------------------------------

function addText(state: StreamState, event: JsonObject, out: Fragment[], type: string): void {
  const text = stringOr(event.delta, '')
  const item = text && itemOf(state, event, 'message', text)
  if (!item) return
  const index = numberOr(event.content_index, 0)
  sayText(findPart(item, index) ?? addPart(item, index), text, type === 'response.refusal.delta', out)
}

function sayText(part: Part, text: string, refusal: boolean, out: Fragment[]): void {
  grow(part, text)
  const { key } = part
  out.push(refusal ? { type: 'text', key, text, refusal } : { type: 'text', key, text })
}

function addCitation(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const item = itemOf(state, event, 'message', '')
  if (item === undefined) return
  const index = numberOr(event.content_index, 0)
  const part = findPart(item, index) ?? addPart(item, index)
  const { key } = part
  part.cited++
  out.push({ type: 'text', key, text: '' }) // it may come before the text
  out.push({ type: 'patch', key, citations: [readAnnotation(event.annotation ?? null)] })
}

/** Returns the open text of an event. If the server announces each text, the index may grow with each delta (vLLM). */
function findPart({ parts, hasMarks }: Progress, index: number): Part | undefined {
  const open = parts.filter(({ isOpen }) => isOpen)
  return open.find((part) => part.index === index) ?? (hasMarks ? open.at(-1) : undefined)
}

function addPart({ key, parts }: Progress, index: number): Part {
  const part = { key: textKey(key, parts.length), index, text: '', pieces: 0, cited: 0, isOpen: true }
  parts.push(part)
  return part
}

/** Reads the beginning or the end of a text. The end has the whole text, which some hosts send without deltas. */
function readPart(state: StreamState, event: JsonObject, out: Fragment[], type: string): void {
  const part = isObject(event.part) ? event.part : event
  const content = stringOr(part.text ?? part.refusal, '')
  const index = numberOr(event.content_index, 0)
  const described = describeEvent(event, 'message', content)
  let [item] = findOpen(state, described)
  if (type.endsWith('added')) {
    if (item === undefined) return // vLLM announces parts of thoughts as texts
    item.hasMarks = true
    addPart(item, index)
    return
  }
  if (content === '' || part.type === 'reasoning_text') return
  const isLate = state.items.some((one) => isSame(described.id, one.id)) // or of a thought, on vLLM
  if (item === undefined && !isLate) item = begin(state, { ...described, call_id: undefined }, true)
  if (!item || item.held !== undefined) return
  const ended = findPart(item, index) ?? (saidBy(item).endsWith(content) ? undefined : addPart(item, index))
  if (ended === undefined) return
  const rest = restOf(content, ended.text)
  if (rest !== '') sayText(ended, rest, part.refusal !== undefined, out)
  ended.isOpen = false
}

/** Returns the rest of a text after its beginning. Returns an empty text if it begins differently. */
function restOf(whole: string, beginning: string): string {
  return whole.startsWith(beginning) ? whole.slice(beginning.length) : ''
}

/** Adds a piece of reasoning. A new index begins a new part of a summary. For other reasoning, vLLM raises the index with each delta. */
function addReasoning(state: StreamState, event: JsonObject, out: Fragment[], type: string): void {
  const delta = stringOr(event.delta, '')
  const item = delta && itemOf(state, event, 'reasoning', delta)
  if (!item) return
  const part = type.includes('summary') ? `${markOf(event.summary_index)}` : ''
  const text = item.text !== '' && item.part !== part ? partBreak + delta : delta
  item.part = part
  grow(item, text)
  out.push({ type: 'reasoning', key: item.key, text })
}

/** The start of the JSON arguments of a custom call. */
const customOpening = '{"input":"'

/** Passes on arguments: a delta, or all. */
function addArguments(state: StreamState, event: JsonObject, out: Fragment[], name: string): void {
  const { arguments: whole } = event
  const given = stringOr(whole ?? event.delta, '')
  if (given === '') return
  const type = name.slice('response.'.length, name.lastIndexOf('_'))
  if (whole === undefined) {
    const item = itemOf(state, event, type, given)
    if (item === undefined) return
    grow(item, given)
    if (item.isCall) out.push({ type: 'call', key: item.key, arguments: escaped(type, given) })
    return
  }
  const described = describeEvent(event, type, given)
  const [item] = findOpen(state, described)
  if (item === undefined) return
  const { key, isCall, text } = item
  if (isSure(state, described) && given.startsWith(text)) {
    Object.assign(item, { text: given, held: undefined, isUnclear: false })
    if (isCall) out.push({ type: 'call', key, arguments: given, final: true })
  } else if (text === '') item.held = given
}

/** The start of the arguments of an item, as JSON, before the code or the diff that comes in pieces. */
function openingOf({ type, operation }: JsonObject): string {
  if (type === 'code_interpreter_call') return '{"code":"'
  return field(operation, 'diff') === '' ? argumentsIn(operation).slice(0, -2) : ''
}

/** Passes on a piece of a text within the arguments: of code, of the next command, of a diff. */
function addPiece(state: StreamState, event: JsonObject, out: Fragment[], type: string): void {
  const text = stringOr(event.delta ?? event.command, '')
  const item = itemOf(state, event, type.slice('response.'.length).replace(/_call_.*/, '_call'), text)
  if (!item?.isCall) return
  const next = event.command_index === 0 ? '{"commands":["' : '","'
  const before = type.endsWith('.added') ? next : (item.part ?? '')
  const piece = JSON.stringify(text).slice(1, -1)
  item.part = ''
  out.push({ type: 'call', key: item.key, arguments: before + piece })
}

/** Arguments as JSON. What comes in pieces is first or last: commands and code, or a diff. Text that is not JSON if they are too deep. */
function argumentsIn(given: unknown): string {
  const { commands, diff, ...rest } = isObject(given) ? given : {}
  return textOfArguments({ ...compact({ commands }), ...rest, ...compact({ diff }) }) ?? '['
}

// ---- items --------------------------------------------------------------------------------------

// The decoders of streams, of whole answers and of the assistant's items in a request use it.

/** State of an answer while its items are read. */
export interface Reading extends Offered {
  readonly dialect: ResponsesDialect
  model: string
  /** The id of the last reasoning item. The items after it belong to it: the server refuses them without it. */
  after: string | undefined
  /** These three decide the stop reason. `waiting` has the ids of items that the client must answer, such as a request for an approval. */
  hasText: boolean
  hasRefusal: boolean
  readonly waiting: Set<string>
  /** Whether a wrapper of parallel calls is split into its calls. Not in a history: there, the output answers the wrapper itself. */
  readonly opensWrappers: boolean
}

export function newReading(
  dialect: ResponsesDialect,
  model: string,
  opensWrappers = true,
  toolNames?: Offered['toolNames'],
): Reading {
  const state = { after: undefined, hasText: false, hasRefusal: false, waiting: new Set<string>() }
  return { dialect, model, ...state, opensWrappers, toolNames }
}

/** A text of a message, as far as it was streamed. */
interface Part extends Growing {
  readonly key: string
  /** As the server has it: it need not be the position in the whole item. */
  readonly index: number
  /** The number of citations received. */
  cited: number
  isOpen: boolean
}

/** The part of an item that a stream has already sent. Empty if the item was not streamed. `text` has a thought or arguments. */
interface Progress extends Growing, Partial<Marks> {
  /** Identifies the block of the item in fragments. */
  readonly key: number
  /** Whether it began with a delta, and was not announced. */
  readonly isInferred?: boolean
  isOpen?: boolean
  call_id?: Mark
  /** The id that was passed on. */
  toldId?: string | undefined
  readonly parts: Part[]
  /** Whether the server announces each of its texts. */
  hasMarks?: boolean
  /** The part of reasoning that the last delta belongs to. Of other items, what stands before the next piece of their arguments. */
  part?: string
  /** Whether it was announced as a call. Only then its arguments are passed on before it is complete. */
  isCall?: boolean
  /** Pieces that were not passed on, since they may be of another item. */
  held?: string | undefined
  /** Whether its arguments may belong to another call. */
  isUnclear?: boolean
}

export function newProgress(key: number): Progress {
  return { key, text: '', pieces: 0, parts: [] }
}

/** Matches ids that a gateway made for its client (see `makeId`). No server knows them, so they are not sent back. */
const madeId: RegExp = /^[a-z]+_iso_/

/** Items that the client must answer, beside calls. In isoglot they are `unknown` blocks. */
export const asksClient: ReadonlySet<string> = new Set(['mcp_approval_request', 'computer_call'])

/** Adds fragments, and returns the block of the item if it is a whole one. */
type ItemReader = (item: JsonObject, progress: Progress, reading: Reading, out: Fragment[]) => ContentBlock | undefined

const readers: Readonly<Record<string, ItemReader>> = {
  message: readMessage,
  reasoning: readReasoning,
  function_call: readCall,
  [customCall]: readCall,
  image_generation_call: readImage,
}

/** Reads a complete item. An item of an unknown type becomes an `unknown` block, which is sent back unchanged. */
export function readItem(item: Json, progress: Progress, reading: Reading, out: Fragment[]): void {
  if (!isObject(item)) return
  const type = stringOr(item.type, item.role === 'assistant' ? 'message' : '')
  const isClients = item.execution === 'client'
  const id = textOr(item.call_id, stringOr(item.id, ''))
  if (asksClient.has(type) || (isClients && type === 'tool_search_call')) reading.waiting.add(id)
  else if (type.endsWith('_output')) reading.waiting.delete(id) // the server ran the call itself
  if (type === 'mcp_list_tools' && item.error) {
    const reason = `the tools of the MCP server "${textOr(item.server_label, '')}" could not be listed`
    out.push({ type: 'warning', warning: { path: 'response', action: 'dropped', reason, severity: 'minor' } })
  }
  const read = lookup(readers, type) ?? (clientField(item) ? readClientCall : hostedOf(item) && readHosted)
  const block = read && !isClients ? read(item, progress, reading, out) : unknownBlock(item)
  if (block !== undefined) out.push({ type: 'block', block })
}

// ---- messages ---------------------------------------------------------------------------------

/** Returns the key of a text. An item can have several texts, so the key has the index of the text. */
function textKey(item: number, index: number): string {
  return `${item}/${index}`
}

/**
 * Reads the texts of a message. Usually a text has the same index in the stream and in the item. Some hosts count other parts too, or each
 * delta: then the texts are matched in order, and the last ones that are too many in the stream are pieces of one.
 */
function readMessage(
  item: JsonObject,
  progress: Progress,
  reading: Reading,
  out: Fragment[],
): ContentBlock | undefined {
  const { type: _type, id: _id, status: _status, role, content, ...message } = item
  const parts: readonly Json[] =
    typeof content === 'string' ? [{ type: 'output_text', text: content }] : arrayOf(content)
  const streamed = progress.parts
    .filter(({ text, cited }) => text !== '' || cited > 0)
    .sort((one, other) => one.index - other.index)
  if ((role ?? 'assistant') !== 'assistant' || parts.length + streamed.length === 0) return unknownBlock(item)
  const opaque = proofOf(item, reading)
  const isShifted = streamed.some(
    ({ index }, at) => textOfPart(parts[index]) === undefined || streamed[at + 1]?.index === index,
  )
  let left = parts.filter((part) => textOfPart(part) !== undefined).length
  for (const [at, part] of parts.entries()) {
    const text = textOfPart(part)
    if (!isObject(part) || text === undefined) {
      out.push({ type: 'block', block: unknownBlock(part, { part: true, proof: opaque.data }) })
      continue
    }
    const own = isShifted
      ? streamed.splice(0, left-- > 1 ? 1 : streamed.length)
      : streamed.filter(({ index }) => index === at)
    const { key } = own.at(-1) ?? addPart(progress, at)
    const { type, text: _text, refusal: _refusal, annotations, logprobs, ...kept } = part
    const refusal = type === 'refusal' && { refusal: true as const }
    if (refusal) reading.hasRefusal = true
    else if (text !== '') reading.hasText = true
    const fields = compact({
      ...kept,
      logprobs: unlessEmpty(arrayOf(logprobs)) as Json, // every answer has the field, and it is rarely filled
      message: unlessEmpty(message),
    })
    const cited = own.reduce((sum, one) => sum + one.cited, 0)
    const citations = unlessEmpty(arrayOf(annotations).slice(cited).map(readAnnotation))
    out.push(
      { type: 'text', key, text: restOf(text, own.map((one) => one.text).join('')), ...refusal },
      compact({ type: 'patch', key, opaque, citations, ...keepUnknown(fields, format) }),
    )
    for (const { key } of own.slice(0, -1)) out.push({ type: 'patch', key, opaque }, { type: 'close', key })
    out.push({ type: 'close', key })
  }
}

const textFields: Readonly<Record<string, string>> = { output_text: 'text', refusal: 'refusal' }

function textOfPart(part: unknown): string | undefined {
  const name = lookup(textFields, field(part, 'type'))
  return name && stringOr(field(part, name) ?? '', undefined)
}

function readReasoning(
  item: JsonObject,
  { key, text: streamed }: Progress,
  reading: Reading,
  out: Fragment[],
): undefined {
  const text = reasoningText(item)
  const { type: _, id: given, summary: parts, ...rest } = item
  const id = ownId(item)
  const [part, second] = arrayOf(parts)
  // The summary can be written again from its text if it has no part, or one part without other fields.
  const isPlain = Object.keys(part ?? {}).length === (text === '' ? 0 : 2) && second === undefined
  const isWritable = isPlain && text === textOr(field(part, 'text'), '')
  const data = compact({ id, ...rest, summary: isWritable ? undefined : (parts ?? []) }) as JsonObject
  reading.after = undefined
  const isProof = id === given || typeof data.encrypted_content === 'string'
  out.push(
    { type: 'reasoning', key, text: restOf(text, streamed) },
    compact({ type: 'patch', key, opaque: isProof ? proof(data, reading) : undefined }),
    { type: 'close', key },
  )
  reading.after = id
}

// ---- calls ------------------------------------------------------------------------------------

/** Reads a complete call. It replaces the pieces of the same call. */
function readCall(item: JsonObject, progress: Progress, reading: Reading, out: Fragment[]): undefined {
  const { key, toldId, isUnclear: unclear } = progress
  const server = isServerCall(item, reading)
  const opaque = server ? proof(item, reading) : proofOf(item, reading)
  const wrapped = reading.opensWrappers ? wrappedCalls(item) : []
  for (const { wrapper, ...call } of wrapped) {
    const part = `${key}/${call.id}`
    out.push(
      { type: 'call', key: part, ...call, opaque, ...keepUnknown({ wrapper }, format) },
      { type: 'close', key: part },
    )
  }
  if (wrapped.length > 0) return
  const { type, id: _id, status, call_id, name, arguments: _arguments, input, ...kept } = item
  const isCustom = type === customCall
  const given = isCustom ? JSON.stringify({ input: stringOr(input, '') }) : argumentsOf(item)
  out.push({
    type: 'call',
    key,
    id: toldId ?? textOr(call_id, null),
    name: progress.isCall && progress.name ? null : textOr(name, null),
    unclear,
    ...(given !== '' && { arguments: given, final: true }), // some hosts send empty arguments at the end, after the real ones
    opaque,
    ...keepUnknown(isCustom ? { ...kept, type } : kept, format),
    ...(server && { server }),
  })
  // A call that was cut off stays open. The end of the answer decides whether it is a valid call.
  if (status !== 'incomplete') out.push({ type: 'close', key })
}

/** Reads a complete call of a tool that only this format has, and that the client runs. */
function readClientCall(
  item: JsonObject,
  { key, toldId, isUnclear: unclear }: Progress,
  reading: Reading,
  out: Fragment[],
): undefined {
  const name = clientField(item) as string
  const { type, id: _id, status, call_id, [name]: given = {}, ...kept } = item
  out.push({
    type: 'call',
    key,
    id: toldId ?? textOr(call_id, null),
    name: hostedName(item),
    unclear,
    arguments: argumentsIn(given),
    final: true,
    opaque: proofOf(item, reading),
    ...keepUnknown({ ...kept, type: type as string }, format),
  })
  if (status !== 'incomplete') out.push({ type: 'close', key })
}

/** Whether the server runs this call itself. xAI reports such calls as calls of custom tools that nobody offered. */
function isServerCall({ type, name }: JsonObject, { dialect, toolNames }: Reading): boolean {
  return dialect.runsCustomCalls === true && type === customCall && !toolNames?.has(stringOr(name, ''))
}

/** Reads an item of a tool that the server ran: the call, its result, or both. The proof keeps the other fields of the item. */
function readHosted(
  item: JsonObject,
  { key, toldId }: Progress,
  reading: Reading,
  out: Fragment[],
): ContentBlock | undefined {
  const hosted = hostedOf(item) as Hosted
  const { input, output = 'error' } = hosted
  const name = hostedName(item)
  const isSet = (field: string) => (item[field] ?? null) !== null
  const fields = [input ?? []].flat().filter(isSet)
  const given = typeof input === 'string' ? item[input] : Object.fromEntries(fields.map((one) => [one, item[one]]))
  const isTaken = isObject(given) && unlessEmpty(given) !== undefined
  const resultField = isSet('error') ? 'error' : output
  const result = item[resultField] ?? undefined
  const data = { ...item }
  for (const field of isTaken ? fields : []) delete data[field]
  if (result !== undefined && resultField === output) delete data[output]
  const opaque = proof(data, reading)
  const isFailed = resultField === 'error' || item.status === 'failed' || item.status === 'incomplete'
  const block = { type: 'server_tool_result', name, status: isFailed ? 'error' : 'success', output: result } as const
  if (input === undefined) return compact({ ...block, toolCallId: textOr(item.call_id, undefined), opaque })
  const id = toldId || hostedId(item, hosted)
  // A text stays in the proof too. It shows that the wire has these arguments as text.
  const value = typeof given === 'string' ? given : argumentsIn(isTaken ? given : {})
  out.push({ type: 'call', key, id, name, arguments: value, final: true, server: true, opaque }, { type: 'close', key })
  return result === undefined ? undefined : { ...block, toolCallId: id }
}

function readImage(item: JsonObject, _progress: Progress, reading: Reading): ContentBlock {
  const { result: data, ...rest } = item
  if (typeof data !== 'string' || data === '') return unknownBlock(item)
  return { type: 'image', data, mimeType: `image/${textOr(item.output_format, 'png')}`, opaque: proof(rest, reading) }
}

// ---- proofs -----------------------------------------------------------------------------------

/** Makes a proof. It also names the reasoning item that came before, if there is one. */
function proof(data: JsonObject, { dialect, model, after }: Reading): Opaque {
  const { provider } = dialect
  return { provider, model, format, data: after === undefined ? data : { ...data, reasoningId: after } }
}

/** Makes a proof of the id and the status of an item. */
function proofOf(item: JsonObject, reading: Reading): Opaque {
  return proof(compact({ id: ownId(item), status: item.status }) as JsonObject, reading)
}

/** Returns the id of an item. An id that a gateway made is left out. */
function ownId({ id }: JsonObject): string | undefined {
  return typeof id === 'string' && !madeId.test(id) ? id : undefined
}

// ---- errors -------------------------------------------------------------------------------------

/** Reads an error answer. Servers of this format have several forms of it; all are accepted. */
export function decodeError(
  answer: ErrorAnswer,
  { dialect = openaiDialect }: CodecOptions<ResponsesDialect> = {},
): ApiError {
  return readApiError(answer, errorWords(dialect.provider))
}

/** Codes of requests that are refused each time, such as `invalid_prompt`, `bio_policy` and `image_too_large`. */
const refused = /^invalid_|_policy|image|mismatch/

/**
 * Reads an error that comes after the HTTP status 200. Its body is an `error` event, flat or nested, or a `response` that failed. Without a
 * status, its code or its type gives the kind.
 */
function midStreamError(body: JsonObject, { provider }: ResponsesDialect): ApiError {
  const code = stringOr(field(body.error ?? body, 'code'), '')
  const words = errorWords(provider, {
    ...(refused.test(code) && { [code]: 'invalid_request' as const }),
    invalid_request_error: 'invalid_request',
    server_error: 'server',
  })
  return readApiError(inStream(body), words)
}
