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

import { fold, foldCalls } from '../../assemble/assemble.ts'
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
import { keeping, keepOn, parseArguments, textOfArguments } from '../../core/content.ts'
import type { ApiError } from '../../core/errors.ts'
import {
  arrayOf,
  bodyOf,
  compact,
  field,
  isObject,
  lookup,
  misfit,
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
} from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import { settleUsage } from '../../core/usage.ts'
import { inStream, readApiError } from '../../kit/api-error.ts'
import { checkEnded } from '../../kit/background.ts'
import { openaiDialect, type ResponsesDialect } from './dialect.ts'
import {
  clientField,
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
  target,
  wrapperName,
} from './words.ts'

/** Makes a block that holds a value of an unknown type, unchanged. */
export function unknownBlock(value: Json, kept?: JsonObject): UnknownBlock {
  return { type: 'unknown', format, providerType: stringOr(field(value, 'type'), ''), value, ...keeping(kept, format) }
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
  const answer = bodyOf(body, `${target} answer`)
  const { error } = answer
  if (!Array.isArray(answer.output)) {
    if ((error ?? undefined) !== undefined) throw midStreamError(answer, dialect)
    throw misfit('output', 'not a list', `${target} answer`)
  }
  checkEnded(answer, 'responses', `${target} answer`)
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

// `output_index` links the events of an item, because some hosts change the item's id from event to event. Deltas are passed on unchanged.
// When an item is complete, the rest that the deltas did not have is read from it. So the decoder stores only the length of each text, not
// the text.

/** State between two events. */
interface StreamState extends Reading {
  isEnded: boolean
  /** The `output_index` of the last event, for events without one. */
  last: number
  /** The number of items received. */
  count: number
  /** The highest `output_index` received; -1 without any. */
  highest: number
  /** Items that are not complete yet, by `output_index`. */
  readonly items: Map<number, Progress>
}

function newState(dialect: ResponsesDialect, offered?: Offered): StreamState {
  return {
    ...newReading(dialect, '', true, offered?.toolNames),
    isEnded: false,
    last: 0,
    count: 0,
    highest: -1,
    items: new Map(),
  }
}

/**
 * Creates a decoder for one answer.
 *
 * @throws {ApiError} at an `error` event, flat or nested, and at `response.failed`. Both can come after half an answer.
 * @throws {DecodeError} at an event that is not a JSON object.
 */
export function decodeStream({
  parse = JSON.parse,
  dialect = openaiDialect,
  ...offered
}: DecodeStreamOptions<ResponsesDialect> = {}): Machine<Frame, Fragment> {
  const state = newState(dialect, offered)
  return {
    push({ data, event: name }, out) {
      if (state.isEnded || data === '' || data.trim() === '[DONE]') return
      const event = objectAt(parseEvent(parse, data, `${target} event`), '', `${target} event`)
      const type = stringOr(event.type, name ?? ((event.error ?? event.detail) ? 'error' : ''))
      // The most frequent event needs no lookup. Unknown events, `keepalive` and the progress of hosted tools are skipped.
      const step = type === 'response.output_text.delta' ? addText : lookup(steps, type)
      step?.(state, event, out, type)
    },
    end() {},
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
  keepOn('response', extra, format, out)
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
 * complete all of them. An item is read only if it comes after all streamed ones: an earlier one, such as reasoning, would be out of order.
 */
function finishFromOutput(state: StreamState, output: readonly Json[], out: Fragment[]): void {
  const isWhole = output.length === state.count
  let next = state.highest + 1
  if (!isWhole && next < state.count) return // some hosts give several items one index, or none
  for (const [index, progress] of state.items) {
    const item = output[isWhole ? progress.order : index]
    if (field(item, 'type') === progress.type) finishItem(state, { output_index: index, item: item as Json }, out)
  }
  if (isWhole) return
  for (; next < output.length; next++) finishItem(state, { output_index: next, item: output[next] as Json }, out)
}

function fail(state: StreamState, event: JsonObject): never {
  state.isEnded = true
  throw midStreamError(isObject(event.response) ? event.response : event, state.dialect)
}

// ---- items ------------------------------------------------------------------------------------

/** Returns the item of an event, by its index. Without an index, it is the last item. An item that was not announced begins here. */
function itemOf(state: StreamState, event: JsonObject, type: string): Progress {
  state.last = numberOr(event.output_index, state.last)
  state.highest = Math.max(state.highest, numberOr(event.output_index, -1))
  let item = state.items.get(state.last)
  if (item === undefined) {
    item = newProgress(state.last, type, state.count++)
    state.items.set(state.last, item)
  }
  return item
}

/** Opens reasoning, so that it has its place in the answer, and calls. The wrapper of parallel calls is read only when it is complete. */
function addItem(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const { item } = event
  if (!isObject(item)) return
  const { type } = item
  const progress = itemOf(state, event, stringOr(type, ''))
  const { key } = progress
  if (type === 'reasoning') out.push({ type, key, text: '' })
  const hosted = hostedOf(item)
  const isCustom = type === customCall
  const clients = clientField(item)
  const isCall = hosted ? hosted.input !== undefined : isCustom || clients || type === 'function_call'
  progress.isCall = Boolean(isCall) && item.name !== wrapperName
  progress.part = openingOf(item)
  if (!progress.isCall) return
  out.push({
    type: 'call',
    key,
    id: hosted ? hostedId(item, hosted) : textOr(item.call_id, null),
    name: hosted || clients ? hostedName(item) : textOr(item.name, null),
    arguments: isCustom ? customOpening : hosted || clients ? '' : argumentsOf(item),
    ...((hosted || isServerCall(item, state)) && { server: true }),
    ...((isCustom || clients) && keeping({ type: type as string }, format)),
  })
}

function finishItem(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const { item = null } = event
  readItem(item, itemOf(state, event, stringOr(field(item, 'type'), '')), state, out)
  state.items.delete(state.last)
}

// ---- deltas. Some gateways send `null` ---------------------------------------------------------

function addText(state: StreamState, event: JsonObject, out: Fragment[], type: string): void {
  const text = stringOr(event.delta, '')
  if (text === '') return
  const { key: item, lengths } = itemOf(state, event, 'message')
  const index = numberOr(event.content_index, 0)
  lengths.set(index, (lengths.get(index) ?? 0) + text.length)
  const key = textKey(item, index)
  out.push(type === 'response.refusal.delta' ? { type: 'text', key, text, refusal: true } : { type: 'text', key, text })
}

function addCitation(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const { key, cited } = itemOf(state, event, 'message')
  const index = numberOr(event.content_index, 0)
  cited.set(index, (cited.get(index) ?? 0) + 1)
  out.push({ type: 'patch', key: textKey(key, index), citations: [readAnnotation(event.annotation ?? null)] })
}

function addReasoning(state: StreamState, event: JsonObject, out: Fragment[], type: string): void {
  const delta = stringOr(event.delta, '')
  if (delta === '') return
  const progress = itemOf(state, event, 'reasoning')
  const part = `${type} ${event.summary_index ?? event.content_index}`
  const length = progress.lengths.get(0) ?? 0
  const text = progress.part !== part && length > 0 ? partBreak + delta : delta
  progress.part = part
  progress.lengths.set(0, length + text.length)
  out.push({ type: 'reasoning', key: progress.key, text })
}

/** The start of the JSON arguments of a custom call. */
const customOpening = '{"input":"'

/** Passes on arguments: a delta, or all. The free text of a custom call becomes JSON: it is the value of the argument `input`. */
function addArguments(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const given = stringOr(event.delta ?? event.arguments, '')
  if (given === '') return
  const { key, type, isCall } = itemOf(state, event, 'function_call')
  if (!isCall) return
  if (event.arguments !== undefined) out.push({ type: 'call', key, arguments: given, final: true })
  else out.push({ type: 'call', key, arguments: type === customCall ? JSON.stringify(given).slice(1, -1) : given })
}

/** The start of the arguments of an item, as JSON, before the code or the diff that comes in pieces. */
function openingOf({ type, operation }: JsonObject): string {
  if (type === 'code_interpreter_call') return '{"code":"'
  return field(operation, 'diff') === '' ? argumentsIn(operation).slice(0, -2) : ''
}

/** Passes on a piece of a text within the arguments: of code, of the next command, of a diff. */
function addPiece(state: StreamState, event: JsonObject, out: Fragment[], type: string): void {
  const item = itemOf(state, event, type.slice('response.'.length).replace(/_call_.*/, '_call'))
  if (!item.isCall) return
  const next = event.command_index === 0 ? '{"commands":["' : '","'
  const before = type.endsWith('.added') ? next : item.part
  const piece = JSON.stringify(stringOr(event.delta ?? event.command, '')).slice(1, -1)
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

/** The part of an item that a stream has already sent. Empty if the item was not streamed. */
interface Progress {
  /** Identifies the block of the item in fragments. */
  readonly key: number
  readonly type: string
  /** The position of the item among those received. */
  readonly order: number
  /** The length of each text received so far, by its index. The complete item then shows the text that the deltas did not have. */
  readonly lengths: Map<number, number>
  /** The number of citations of each text received so far. */
  readonly cited: Map<number, number>
  /** The part of reasoning that the last delta belongs to. */
  part: string
  /** Whether it was announced as a call. Only then its arguments are passed on before it is complete. */
  isCall: boolean
}

export function newProgress(key: number, type = '', order = 0): Progress {
  return { key, type, order, lengths: new Map(), cited: new Map(), part: '', isCall: false }
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
    const reason = `the tools of the MCP server "${item.server_label}" could not be listed`
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
 * Reads the texts of a message. Usually a text has the same index in the stream and in the item. Bedrock and vLLM count reasoning parts in
 * the stream but not in the item: then the texts are matched in order.
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
  if ((role ?? 'assistant') !== 'assistant' || parts.length + progress.lengths.size === 0) return unknownBlock(item)
  const opaque = proofOf(item, reading)
  const streamed = [...progress.lengths.keys()].sort((one, other) => one - other)
  const isShifted = streamed.some((index) => textOfPart(parts[index]) === undefined)
  for (const [at, part] of parts.entries()) {
    const text = textOfPart(part)
    if (!isObject(part) || text === undefined) {
      out.push({ type: 'block', block: unknownBlock(part, { part: true, proof: opaque.data }) })
      continue
    }
    const index = isShifted ? (streamed.shift() ?? -1 - at) : at
    const key = textKey(progress.key, index)
    const { type, text: _text, refusal: _refusal, annotations, logprobs, ...kept } = part
    const refusal = type === 'refusal' && { refusal: true as const }
    if (refusal) reading.hasRefusal = true
    else if (text !== '') reading.hasText = true
    const fields = compact({
      ...kept,
      logprobs: unlessEmpty(arrayOf(logprobs)) as Json, // every answer has the field, and it is rarely filled
      message: unlessEmpty(message),
    })
    const citations = unlessEmpty(
      arrayOf(annotations)
        .slice(progress.cited.get(index) ?? 0)
        .map(readAnnotation),
    )
    out.push(
      { type: 'text', key, text: text.slice(progress.lengths.get(index) ?? 0), ...refusal },
      compact({ type: 'patch', key, opaque, citations, ...keeping(fields, format) }),
      { type: 'close', key },
    )
  }
}

const textFields: Readonly<Record<string, string>> = { output_text: 'text', refusal: 'refusal' }

function textOfPart(part: unknown): string | undefined {
  const name = lookup(textFields, field(part, 'type'))
  return name && stringOr(field(part, name) ?? '', undefined)
}

function readReasoning(item: JsonObject, { key, lengths }: Progress, reading: Reading, out: Fragment[]): undefined {
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
    { type: 'reasoning', key, text: text.slice(lengths.get(0) ?? 0) },
    compact({ type: 'patch', key, opaque: isProof ? proof(data, reading) : undefined }),
    { type: 'close', key },
  )
  reading.after = id
}

// ---- calls ------------------------------------------------------------------------------------

/** Reads a complete call. It replaces the pieces of the same call. */
function readCall(item: JsonObject, { key }: Progress, reading: Reading, out: Fragment[]): undefined {
  const server = isServerCall(item, reading)
  const opaque = server ? proof(item, reading) : proofOf(item, reading)
  const wrapped = reading.opensWrappers ? wrappedCalls(item) : []
  for (const { wrapper, ...call } of wrapped) {
    const part = `${key}/${call.id}`
    out.push(
      { type: 'call', key: part, ...call, opaque, ...keeping({ wrapper }, format) },
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
    id: textOr(call_id, null),
    name: textOr(name, null),
    ...(given !== '' && { arguments: given, final: true }), // some hosts send empty arguments at the end, after the real ones
    opaque,
    ...keeping(isCustom ? { ...kept, type } : kept, format),
    ...(server && { server }),
  })
  // A call that was cut off stays open. The end of the answer decides whether it is a valid call.
  if (status !== 'incomplete') out.push({ type: 'close', key })
}

/** Reads a complete call of a tool that only this format has, and that the client runs. */
function readClientCall(item: JsonObject, { key }: Progress, reading: Reading, out: Fragment[]): undefined {
  const name = clientField(item) as string
  const { type, id: _id, status, call_id, [name]: given = {}, ...kept } = item
  out.push({
    type: 'call',
    key,
    id: textOr(call_id, null),
    name: hostedName(item),
    arguments: argumentsIn(given),
    final: true,
    opaque: proofOf(item, reading),
    ...keeping({ ...kept, type: type as string }, format),
  })
  if (status !== 'incomplete') out.push({ type: 'close', key })
}

/** Whether the server runs this call itself. xAI reports such calls as calls of custom tools that nobody offered. */
function isServerCall({ type, name }: JsonObject, { dialect, toolNames }: Reading): boolean {
  return dialect.runsCustomCalls === true && type === customCall && !toolNames?.has(stringOr(name, ''))
}

/** Reads an item of a tool that the server ran: the call, its result, or both. The proof keeps the other fields of the item. */
function readHosted(item: JsonObject, { key }: Progress, reading: Reading, out: Fragment[]): ContentBlock | undefined {
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
  const id = hostedId(item, hosted)
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
