/**
 * OpenAI Responses: encodes answers, streams and errors for a client. Half of what a server needs; no page loads it.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 * @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 * @see https://platform.openai.com/docs/guides/function-calling?api-mode=responses
 * @see https://platform.openai.com/docs/api-reference/responses/object
 * @see https://platform.openai.com/docs/api-reference/responses/object#responses/object-output
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 * @see https://platform.openai.com/docs/guides/error-codes
 *
 * @module
 */

import type { EncodedResponse, Frame, Reply, StreamEncoder } from '../../../core/codec.ts'
import { blocksOf, blocksOfTurn, isNoArguments, unknownFieldsOf } from '../../../core/content.ts'
import type { ApiError } from '../../../core/errors.ts'
import { hash } from '../../../core/ids.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  numberOr,
  objectIn,
  otherFields,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../../core/json.ts'
import type {
  AssistantMessage,
  ChatResponse,
  CitationBlock,
  ContentBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  MessageEvent,
  Opaque,
  ServerToolCall,
  StopReason,
  TextBlock,
  ToolCall,
  Usage,
} from '../../../core/messages.ts'
import { tokenCount } from '../../../core/usage.ts'
import type { ProofField } from '../../shared/foreign-proofs.ts'
import { freeTextReader } from '../../shared/free-text.ts'
import { type Losses, newLosses, reportLoss } from '../../shared/losses.ts'
import * as reasons from '../../shared/reasons.ts'
import { reportStopReason } from '../../shared/stop-reason.ts'
import { placeInvalidCall, streamEncoder } from '../../shared/stream-encoder.ts'
import { asksClient } from '../decode-answer.ts'
import { encodeTurn, type TurnScope } from '../encode-request.ts'
import { clientItems, customCall, errorAnswers, format, statusOf, title } from '../tables.ts'
import type { WireResponse, WireUsage } from '../wire.ts'
import { defaults, echoOf } from './echo.ts'
import { clientItem } from './port.ts'

// ---- a whole answer -----------------------------------------------------------------------------

/** Encodes a whole answer in the form of OpenAI's server. Every item has an id: its original one, or a new one. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses(title, false)
  const body = {
    ...skeleton(response, reply),
    ...ending(response, losses, reply),
    output: encodeOutput(response, reply, losses),
    usage: encodeUsage(response.usage),
  } as WireResponse
  return { body, losses: losses.list }
}

function encodeOutput(response: ChatResponse, reply: Reply, losses: Losses): JsonObject[] {
  const { message } = response
  const { invalidToolCalls = [] } = message
  for (const [at, call] of invalidToolCalls.entries()) placeInvalidCall(losses, call, at)
  const items = encodeAnswer(blocksOfTurn(message), invalidToolCalls, losses, 0)
  const responseId = idOf(response, reply)
  return items.map((item, index) => answered(item, response, responseId, index))
}

/** Adds an id and a status to an item, because clients expect both. */
function answered(item: JsonObject, { stopReason }: ChatResponse, responseId: string, index: number): JsonObject {
  const type = stringOr(item.type, '')
  const isCut = type === 'function_call' && stopReason === 'length' && !isJson(item.arguments)
  const status = withStatus.has(type) ? { status: isCut ? 'incomplete' : 'completed' } : {}
  return { ...(typeof item.id === 'string' ? {} : { id: makeId(type, responseId, index) }), ...status, ...item }
}

/** The types of items that always have a `status`. */
const withStatus: ReadonlySet<string> = new Set(['message', 'function_call', 'custom_tool_call'])

function isJson(text: unknown): boolean {
  try {
    JSON.parse(stringOr(text, ''))
    return true
  } catch {
    return false
  }
}

/** Prefixes of ids, by the type of the item. */
const idPrefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  image_generation_call: 'ig',
}

/** Makes an id for an item without one. No server knows it, so it has a mark (`madeId`) and is removed when a client sends it back. */
function makeId(type: string, responseId: string, index: number): string {
  const prefix = Object.hasOwn(idPrefixes, type) ? idPrefixes[type] : 'item'
  return `${prefix}_iso_${hash(responseId)}_${index}`
}

function idOf({ message }: Pick<ChatResponse, 'message'>, reply: Reply): string {
  return reply.id ?? message.response?.id ?? 'resp_0'
}

type WireSkeleton = Omit<WireResponse, 'status' | 'error' | 'incomplete_details'>

/** Returns an answer without its content. A stream begins with it, too. */
function skeleton(response: Pick<ChatResponse, 'message' | 'providerData'>, reply: Reply): WireSkeleton {
  const info = response.message.response
  return {
    ...defaults,
    ...settings(unknownFieldsOf(response, format), reply),
    id: idOf(response, reply),
    object: 'response',
    created_at: reply.createdAt ?? info?.createdAt ?? 0,
    completed_at: null,
    model: reply.model ?? info?.model ?? '',
    output: [],
    usage: null,
  } as WireSkeleton
}

/**
 * Returns the settings of the client's request, and what the provider says of an answer in this format. An answer that keeps its own id came
 * for the client's own request, so the provider decides. Otherwise the provider had another request, and decides only on its service.
 */
function settings(stated: JsonObject, { id, request }: Reply): JsonObject {
  const asked = isObject(request) ? echoOf(request) : {}
  if (id === undefined) return { ...asked, ...stated }
  const known = Object.entries(stated).filter(([name, value]) => value !== null || (defaults[name] ?? null) === null)
  const said = Object.fromEntries(known)
  return { ...said, ...asked, ...compact({ service_tier: said.service_tier }) }
}

function isRefusal(block: ContentBlock): boolean {
  return block.type === 'text' && block.refusal === true
}

/** Whether `completed` and the items together express the stop reason. */
function isCompletion(stopReason: StopReason, { content }: AssistantMessage): boolean {
  if (stopReason !== 'pause') return stopReason === 'stop' || stopReason === 'tool_calls' || stopReason === 'refusal'
  return blocksOf(content).some(
    (one) => one.type === 'unknown' && (asksClient.has(one.providerType) || one.providerType === 'tool_search_call'),
  )
}

/** Encodes the stop reason. If the model refused, a part of type `refusal` shows it. Without such a part, the answer is `content_filter`. */
function ending(
  response: ChatResponse,
  losses: Losses,
  { clock }: Reply,
): Pick<WireResponse, 'status' | 'completed_at' | 'error' | 'incomplete_details'> {
  const { stopReason, message } = response
  const isFiltered = stopReason === 'refusal' && !blocksOf(message.content).some(isRefusal)
  const isOwn = unlessEmpty(unknownFieldsOf(response, format)) !== undefined
  const { status, reason } = statusOf(isFiltered ? 'content_filter' : stopReason, message.rawStopReason, isOwn)
  const isStated = status === 'completed' ? isCompletion(stopReason, message) : !isFiltered
  if (!isStated) {
    const word = reason ?? status
    reportStopReason(losses, stopReason, word)
  }
  return {
    status: status as WireResponse['status'],
    completed_at:
      status === 'completed' ? numberOr(unknownFieldsOf(response, format).completed_at, clock?.() ?? null) : null,
    error: status === 'failed' ? failure(message) : null,
    incomplete_details: reason === null ? null : { reason },
  }
}

function failure({ rawStopReason }: AssistantMessage): WireResponse['error'] {
  const why = rawStopReason === undefined ? '' : `: ${rawStopReason}`
  return { code: 'server_error', message: `The provider ended the answer with an error${why}` }
}

/** Encodes the usage, in tokens. The wire requires all numbers: an unknown one becomes 0, and a missing total becomes the sum. */
function encodeUsage(usage: Usage | undefined): WireUsage | null {
  if (usage === undefined) return null
  const kept = unknownFieldsOf(usage, format)
  const { inputTokens = 0, outputTokens = 0 } = usage
  const inner = (name: string) => objectIn(kept, name)
  // A part that does not fit into its whole is not in `usage`, but a client gets it as it was.
  const part = (count: number | undefined, details: string, name: string) =>
    count ?? tokenCount(inner(details)[name]) ?? 0
  return {
    ...kept,
    input_tokens: inputTokens,
    input_tokens_details: {
      ...inner('input_tokens_details'),
      cached_tokens: part(usage.cacheReadTokens, 'input_tokens_details', 'cached_tokens'),
      ...cacheWrites(usage, inner('input_tokens_details')),
    },
    output_tokens: outputTokens,
    output_tokens_details: {
      ...inner('output_tokens_details'),
      reasoning_tokens: part(usage.reasoningTokens, 'output_tokens_details', 'reasoning_tokens'),
    },
    total_tokens: usage.totalTokens ?? inputTokens + outputTokens,
  } as WireUsage
}

/** Encodes the tokens written to the cache. If the original usage did not have the field, as in older answers, it is left out. */
function cacheWrites({ cacheWriteTokens }: Usage, kept: JsonObject): JsonObject {
  if (cacheWriteTokens !== undefined) return { cache_write_tokens: cacheWriteTokens }
  return 'cached_tokens' in kept ? {} : { cache_write_tokens: 0 }
}

// ---- an answer ----------------------------------------------------------------------------------

/** Turns the blocks and the invalid calls of an answer into items. `first` is the index of the first block in the answer. */
function encodeAnswer(
  blocks: readonly ContentBlock[],
  invalidCalls: readonly InvalidToolCall[],
  losses: Losses,
  first: number,
): JsonObject[] {
  const answered = blocks.map((block, at) => answeredBlock(block, `message.content[${first + at}].opaque`, losses))
  for (const call of invalidCalls) {
    const { id, name } = call
    const next = answered.findIndex((block) => block.type === 'tool_call' && block.index > call.index)
    if (id === undefined || name === undefined)
      reportLoss(losses, 'dropped', `message.invalidToolCalls[${call.index}]`, reasons.namelessCall)
    else
      answered.splice(next < 0 ? answered.length : next, 0, {
        ...call,
        ...{ type: 'tool_call', id, name, arguments: {}, complete: true },
        // A client runs free text as it is. It cannot parse the arguments of a function.
        providerData: { [format]: otherFields(unknownFieldsOf(call, format), new Set(['type'])) ?? {} },
      })
  }
  const scope: TurnScope = { losses, reader: 'answer', clientTools: new Set(), proof: ownProof, isOwn: true }
  return encodeTurn(answered, 'message', scope, first)
}

function ownProof(opaque: Opaque | undefined): JsonObject | undefined {
  return opaque?.format === format ? opaque.data : undefined
}

/** Fills in the fields that clients expect, and reports a foreign proof, which they do not get. */
function answeredBlock(block: ContentBlock, path: string, losses: Losses): ContentBlock {
  if (block.type === 'reasoning' && block.opaque !== undefined && ownProof(block.opaque) === undefined)
    reportLoss(losses, 'dropped', path, reasons.foreignProof, 'info')
  if (block.type === 'tool_call') {
    const { type } = unknownFieldsOf(block, format)
    const item = lookup(clientItems, type) ? undefined : clientItem(type, block.id, block.arguments)
    if (item === undefined) return block
    return { type: 'unknown', format, providerType: stringOr(item.type, ''), value: item }
  }
  if ((block.type !== 'text' && block.type !== 'plain_text') || ('refusal' in block && block.refusal)) return block
  const { text, citations } = block as TextBlock
  const fields = { logprobs: [], ...unknownFieldsOf(block, format) }
  return {
    ...block,
    ...compact({ citations: citations?.map((citation) => answeredCitation(citation, text)) }),
    providerData: { ...block.providerData, [format]: fields },
  }
}

/** Makes a `url_citation` of a citation from another wire. It requires all its fields, so missing ones get defaults. */
function answeredCitation(citation: CitationBlock, text: string): CitationBlock {
  if (citation.providerData?.[format] !== undefined) return citation
  const providerData = { [format]: { type: 'url_citation' } }
  return { url: '', title: '', startIndex: 0, endIndex: text.length, ...citation, providerData }
}

// ---- a stream -----------------------------------------------------------------------------------

// Each block becomes an item with its own index, id and events, so the events of open blocks may alternate. The official client checks
// three things: the id of an item stays the same, each part is announced, and the last event repeats the whole answer.

/** Creates an encoder for one answer. */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncoderState = {
    reply,
    losses: newLosses(title, false),
    identity: reply,
    sequence: 0,
    isStarted: false,
    output: [],
    open: new Map(),
    announced: new Map(),
    waiting: new Map(),
    held: undefined,
    count: 0,
  }
  return streamEncoder(
    state.losses,
    (event, out) => {
      if (!state.isStarted) begin(state, event, out)
      switch (event.type) {
        case 'text_delta':
          return addText(state, event, out)
        case 'reasoning_delta':
          return addReasoning(state, event.index, event.text, out)
        case 'tool_call_chunk':
          return addChunk(state, event, out)
        case 'tool_call':
        case 'invalid_tool_call':
          return finishCall(state, event.index, event.call, out)
        case 'content_block':
          return finishBlock(state, event.index, event.block, out)
        case 'message_end':
          return finish(state, event.response, out)
        default:
          return // `message_end` repeats the usage, and clients get no warnings
      }
    },
    (error, out) => fail(state, error, out),
  )
}

// ---- the answer -------------------------------------------------------------------------------

function begin(state: EncoderState, event: MessageEvent, out: Frame[]): void {
  const { id, model } = event.type === 'message_start' ? event : {}
  state.isStarted = true
  state.identity = { id: id ?? 'resp_0', model: model ?? '', createdAt: 0, ...state.reply }
  const response = { ...emptyAnswer(state), status: 'in_progress', error: null, incomplete_details: null } as JsonObject
  send(state, 'response.created', { response }, out)
  send(state, 'response.in_progress', { response }, out)
}

function emptyAnswer({ identity }: EncoderState): JsonObject {
  return skeleton({ message: { role: 'assistant', content: [] } }, identity) as unknown as JsonObject
}

/** The end of an answer with an item that was not completed: it is not complete, and clients refuse one that says so. */
const broken = {
  status: 'incomplete',
  completed_at: null,
  incomplete_details: { reason: 'invalid_tool_call' },
} as const

function finish(state: EncoderState, response: ChatResponse, out: Frame[]): void {
  release(state, out)
  const end = ending(response, state.losses, state.identity)
  const isBroken = end.status === 'completed' && state.open.size > 0
  const whole = {
    ...skeleton(response, state.identity),
    ...end,
    ...(isBroken && broken),
    output: state.output.flat(), // without the places of items that were not completed
    usage: encodeUsage(response.usage),
  }
  const isOtherEnd = whole.status === 'incomplete' || whole.status === 'failed'
  const type = isOtherEnd ? `response.${whole.status}` : 'response.completed'
  send(state, type, { response: whole as unknown as Json }, out)
}

/** Sends an `error` event in the documented flat form. Then sends the answer so far, with the status `failed`. */
function fail(state: EncoderState, error: ApiError, out: Frame[]): void {
  if (!state.isStarted) begin(state, { type: 'message_start' }, out)
  const { message, code, param } = encodeError(error).body.error
  const failed = { code: code ?? 'server_error', message }
  send(state, 'error', { code, message, param }, out)
  const response = {
    ...emptyAnswer(state),
    status: 'failed',
    error: failed,
    incomplete_details: null,
    output: state.output.flat(),
  }
  send(state, 'response.failed', { response }, out)
}

// ---- text -------------------------------------------------------------------------------------

/** The name in the events of each type of text, and the field that holds the text. */
const textEvents = {
  output_text: { name: 'output_text', field: 'text' },
  refusal: { name: 'refusal', field: 'refusal' },
} as const

function openMessage(state: EncoderState, block: number, isRefusal: boolean, out: Frame[]): OpenItem {
  const item = { type: 'message', status: 'in_progress', role: 'assistant', content: [] }
  const opened = openItem(state, block, item, out)
  const part = isRefusal
    ? { type: 'refusal', refusal: '' }
    : { type: 'output_text', text: '', annotations: [], logprobs: [] }
  sendPart(state, opened, 'response.content_part.added', { content_index: 0, part }, out)
  return opened
}

function addText(state: EncoderState, event: MessageEvent & { type: 'text_delta' }, out: Frame[]): void {
  release(state, out)
  const opened = state.open.get(event.index) ?? openMessage(state, event.index, event.refusal === true, out)
  if (event.refusal) sendDelta(state, opened, 'response.refusal.delta', event.text, out, ',"content_index":0')
  else sendDelta(state, opened, 'response.output_text.delta', event.text, out, ',"content_index":0', ',"logprobs":[]')
}

function finishMessage(state: EncoderState, block: number, item: JsonObject, out: Frame[]): void {
  const part = arrayOf(item.content)[0] ?? {}
  const isRefusal = field(part, 'type') === 'refusal'
  const opened = state.open.get(block) ?? openMessage(state, block, isRefusal, out)
  const { name, field: textField } = textEvents[isRefusal ? 'refusal' : 'output_text']
  for (const [at, annotation] of arrayOf(field(part, 'annotations')).entries()) {
    const fields = { content_index: 0, annotation_index: at, annotation }
    sendPart(state, opened, 'response.output_text.annotation.added', fields, out)
  }
  const logprobs = isRefusal ? {} : { logprobs: field(part, 'logprobs') ?? [] }
  const whole = { [textField]: field(part, textField) ?? '', ...logprobs }
  sendPart(state, opened, `response.${name}.done`, { content_index: 0, ...whole }, out)
  sendPart(state, opened, 'response.content_part.done', { content_index: 0, part }, out)
  closeItem(state, block, opened, { ...item, status: 'completed' }, out)
}

// ---- reasoning --------------------------------------------------------------------------------

function openReasoning(state: EncoderState, block: number, out: Frame[]): OpenItem {
  return state.open.get(block) ?? openItem(state, block, { type: 'reasoning', summary: [] }, out)
}

function addReasoning(state: EncoderState, block: number, delta: string, out: Frame[]): void {
  release(state, out)
  const opened = openReasoning(state, block, out)
  if (!opened.hasPart) {
    opened.hasPart = true
    const part = { type: 'summary_text', text: '' }
    sendPart(state, opened, 'response.reasoning_summary_part.added', { summary_index: 0, part }, out)
  }
  sendDelta(state, opened, 'response.reasoning_summary_text.delta', delta, out, ',"summary_index":0')
}

/** Completes a reasoning item. Its text is a summary only if the stream sent it as a summary. */
function finishReasoning(state: EncoderState, block: number, text: string, item: JsonObject, out: Frame[]): void {
  const opened = openReasoning(state, block, out)
  const part = { type: 'summary_text', text }
  if (opened.hasPart) {
    sendPart(state, opened, 'response.reasoning_summary_text.done', { summary_index: 0, text }, out)
    sendPart(state, opened, 'response.reasoning_summary_part.done', { summary_index: 0, part }, out)
  }
  const { content: _, ...rest } = item
  closeItem(state, block, opened, { ...rest, summary: opened.hasPart ? [part] : [] }, out)
}

// ---- calls ------------------------------------------------------------------------------------

/**
 * Announces a call at its first chunk with arguments, because its name may come in several chunks. Then sends the arguments, or the free text
 * in them.
 */
function addChunk(state: EncoderState, event: MessageEvent & { type: 'tool_call_chunk' }, out: Frame[]): void {
  const { chunk, index } = event
  if (chunk.type === 'server_tool_call_chunk') {
    announce(state, event, out)
    return
  }
  release(state, out)
  const delta = chunk.argumentsDelta ?? ''
  const begun = state.open.get(index)
  if (begun !== undefined) {
    sendArguments(state, begun, delta, out)
    return
  }
  const waiting = state.waiting.get(index) ?? { text: '', kept: {} }
  waiting.text += delta
  Object.assign(waiting.kept, unknownFieldsOf(chunk, format))
  const { text, kept } = waiting
  // Items of the client's tools that came in this format are announced with their own id, which only the whole call has.
  const hasOwnId = (state.reply.format ?? format) === format && lookup(clientItems, kept.type) !== undefined
  if (text === '' || !chunk.id || !chunk.name || hasOwnId) {
    state.waiting.set(index, waiting)
    return
  }
  state.waiting.delete(index)
  sendArguments(state, openCall(state, index, { ...kept, call_id: chunk.id, name: chunk.name }, out), text, out)
}

/** Announces an item of the provider's tool as it did, so that the item keeps its place although others may end before it. */
function announce(
  state: EncoderState,
  { index, chunk }: MessageEvent & { type: 'tool_call_chunk' },
  out: Frame[],
): void {
  const item = unknownFieldsOf(chunk, format)
  const isOwn = (state.reply.format ?? format) === format && typeof item.id === 'string'
  if (!isOwn || state.announced.has(index)) return
  release(state, out)
  state.announced.set(index, openItem(state, index, item, out))
  state.open.delete(index)
}

function openCall(state: EncoderState, block: number, { type, ...call }: JsonObject, out: Frame[]): OpenItem {
  const status = 'in_progress'
  const clients = clientItem(type, stringOr(call.call_id, ''), {})
  if (clients !== undefined) {
    const opened = openItem(state, block, { ...clients, status }, out)
    opened.read = () => '' // the wire has no deltas of it
    return opened
  }
  if (type !== customCall) return openItem(state, block, { type: 'function_call', status, arguments: '', ...call }, out)
  const opened = openItem(state, block, { type, status, input: '', ...call }, out)
  opened.read = freeTextReader()
  return opened
}

function sendArguments(state: EncoderState, opened: OpenItem, given: string, out: Frame[]): void {
  const delta = opened.read?.(given) ?? given
  if (delta === '') return
  opened.text += delta
  sendDelta(state, opened, opened.read ? customEvent : 'response.function_call_arguments.delta', delta, out)
}

const customEvent = 'response.custom_tool_call_input.delta'

function finishCall(state: EncoderState, block: number, call: ToolCall | InvalidToolCall, out: Frame[]): void {
  release(state, out)
  const isValid = call.type === 'tool_call'
  const kept = state.waiting.get(block)?.kept
  state.waiting.delete(block)
  if (!isValid && lookup(clientItems, kept?.type)) openCall(state, block, { ...kept, call_id: call.id ?? '' }, out)
  const begun = state.open.get(block)
  if (!isValid && begun?.read) {
    // Clients run free text as it is, once its item is completed.
    const path = `message.invalidToolCalls[${call.index}]`
    reportLoss(state.losses, 'dropped', path, 'a call of free text that was cut off is not completed')
    return
  }
  const [item] = isValid ? itemsOf(state, block, [call]) : itemsOf(state, block, [], [call])
  if (item === undefined && begun === undefined) return // the call has no name: `itemsOf` reported the loss
  if (item?.type === customCall && (begun === undefined || begun.read)) finishCustomCall(state, block, item, out)
  else if (begun?.read && item !== undefined) closeItem(state, block, begun, item, out)
  else if (begun === undefined && item !== undefined && item.type !== 'function_call') sendWhole(state, item, out)
  else finishFunctionCall(state, block, call, item, out)
}

function finishFunctionCall(
  state: EncoderState,
  block: number,
  call: ToolCall | InvalidToolCall,
  item: JsonObject | undefined,
  out: Frame[],
): void {
  if (item !== undefined && item.type !== 'function_call') {
    const reason = 'a custom call was announced as a function call'
    reportLoss(state.losses, 'changed', `message.content[${block}]`, reason, 'info')
  }
  const isValid = call.type === 'tool_call'
  const begun = state.open.get(block)
  const announced = begun?.item ?? { call_id: item?.call_id ?? '', name: item?.name ?? '' }
  const { call_id = '', name = '' } = announced
  const opened = begun ?? openCall(state, block, compact({ namespace: item?.namespace, call_id, name }), out)
  const given = isValid && isNoArguments(call.argumentsText) ? '{}' : call.argumentsText
  const text = given.startsWith(opened.text) ? given : opened.text
  sendArguments(state, opened, text.slice(opened.text.length), out)
  sendPart(state, opened, 'response.function_call_arguments.done', { arguments: text, name }, out)
  const status = isValid ? 'completed' : 'incomplete'
  closeItem(state, block, opened, { ...item, type: 'function_call', status, call_id, name, arguments: text }, out)
}

function finishCustomCall(state: EncoderState, block: number, item: JsonObject, out: Frame[]): void {
  const given = stringOr(item.input, '')
  const opened = state.open.get(block) ?? openItem(state, block, { ...item, status: 'in_progress', input: '' }, out)
  const input = given.startsWith(opened.text) ? given : opened.text
  const rest = input.slice(opened.text.length)
  if (rest !== '') sendPart(state, opened, customEvent, { delta: rest }, out)
  sendPart(state, opened, 'response.custom_tool_call_input.done', { input }, out)
  closeItem(state, block, opened, { status: 'completed', ...item, input }, out)
}

// ---- whole blocks -----------------------------------------------------------------------------

function finishBlock(state: EncoderState, index: number, block: ContentBlock, out: Frame[]): void {
  const { held } = state
  if (block.type === 'server_tool_result' && held !== undefined && held.call.id === block.toolCallId) {
    endHeld(state, [block], out)
    return
  }
  release(state, out)
  if (block.type === 'server_tool_call') {
    state.held = { call: block, index }
    return
  }
  const [item] = itemsOf(state, index, [block])
  if (item === undefined) return
  if (block.type === 'text' || block.type === 'plain_text') finishMessage(state, index, item, out)
  else if (block.type === 'reasoning') finishReasoning(state, index, block.text, item, out)
  else sendWhole(state, item, out)
}

// ---- items of a stream --------------------------------------------------------------------------

// Each item has an index and an id. One event announces it (`output_item.added`), and one event completes it (`output_item.done`).

/** An item that was announced and is not complete yet. */
interface OpenItem {
  readonly item: JsonObject
  readonly index: number
  /** Whether the part that the deltas belong to was announced. */
  hasPart: boolean
  /** The arguments that were sent so far, as JSON text; of a custom call, its free text. */
  text: string
  /** Reads what is sent out of the pieces of the arguments, for calls that are not of functions. */
  read?: (piece: string) => string
}

/** State between two events. */
interface EncoderState {
  readonly reply: Reply
  readonly losses: Losses
  /** The id, the model and the time of the answer. Several events repeat them. */
  identity: Reply
  sequence: number
  isStarted: boolean
  /** Complete items, by their index. The last event repeats them. */
  readonly output: JsonObject[]
  /** Announced items that are not complete, by block. */
  readonly open: Map<number, OpenItem>
  /** Announced items of tools that the provider runs, by block. */
  readonly announced: Map<number, OpenItem>
  /** Arguments and kept fields of calls that are not announced yet, by block. */
  readonly waiting: Map<number, { text: string; readonly kept: JsonObject }>
  /** A call that the server ran. It waits here until its result is known: both are written as one item. */
  held: { readonly call: ServerToolCall; readonly index: number } | undefined
  /** The number of items that were announced. It is the index of the next item. */
  count: number
}

/** Sends an event with the next sequence number. */
function send(state: EncoderState, type: string, fields: JsonObject, out: Frame[]): void {
  out.push({ event: type, data: JSON.stringify({ type, sequence_number: state.sequence++, ...fields }) })
}

function responseId({ identity }: EncoderState): string {
  return idOf({ message: { role: 'assistant', content: [] } }, identity)
}

/** Announces the item of a block. */
function openItem(state: EncoderState, block: number, item: JsonObject, out: Frame[]): OpenItem {
  const index = state.count++
  const id = makeId(stringOr(item.type, ''), responseId(state), index)
  const opened: OpenItem = { item: { id, ...item }, index, hasPart: false, text: '' }
  state.open.set(block, opened)
  send(state, 'response.output_item.added', { output_index: index, item: opened.item }, out)
  return opened
}

/** Completes an announced item. The event repeats the id that the item was announced with. */
function closeItem(state: EncoderState, block: number, opened: OpenItem, item: JsonObject, out: Frame[]): void {
  const whole = { ...item, id: opened.item.id ?? null }
  state.open.delete(block)
  state.output[opened.index] = whole
  send(state, 'response.output_item.done', { output_index: opened.index, item: whole }, out)
}

/** Sends an event that belongs to an announced item. */
/** Sends a piece of text. Its other fields are few and plain, so they are written as text: a stream has thousands of such events. */
function sendDelta(
  state: EncoderState,
  { item, index }: OpenItem,
  type: string,
  delta: string,
  out: Frame[],
  before = '',
  after = '',
): void {
  const place = `"item_id":${JSON.stringify(item.id ?? null)},"output_index":${index}`
  const data = `{"type":"${type}","sequence_number":${state.sequence++},${place}${before},"delta":${JSON.stringify(delta)}${after}}`
  out.push({ event: type, data })
}

function sendPart(
  state: EncoderState,
  { item, index }: OpenItem,
  type: string,
  fields: JsonObject,
  out: Frame[],
): void {
  send(state, type, { item_id: item.id ?? null, output_index: index, ...fields }, out)
}

/** Announces and completes an item that is known as a whole. */
function sendWhole(state: EncoderState, item: JsonObject, out: Frame[]): void {
  const index = state.count++
  const whole = { id: makeId(stringOr(item.type, ''), responseId(state), index), ...item }
  state.output[index] = whole
  send(state, 'response.output_item.added', { output_index: index, item: whole }, out)
  send(state, 'response.output_item.done', { output_index: index, item: whole }, out)
}

/** Turns blocks into the same items that an answer without streaming has. */
function itemsOf(
  state: EncoderState,
  first: number,
  blocks: readonly ContentBlock[],
  invalid: readonly InvalidToolCall[] = [],
): JsonObject[] {
  return encodeAnswer(blocks, invalid, state.losses, first)
}

/** Sends the waiting server call, if there is one, without a result: something other than its result followed it. */
function release(state: EncoderState, out: Frame[]): void {
  endHeld(state, [], out)
}

function endHeld(state: EncoderState, result: readonly ContentBlock[], out: Frame[]): void {
  if (state.held === undefined) return
  const { call, index } = state.held
  state.held = undefined
  for (const [at, item] of itemsOf(state, index, [call, ...result]).entries()) {
    const announced = at === 0 ? state.announced.get(index) : undefined
    if (announced === undefined) sendWhole(state, item, out)
    else closeItem(state, index, announced, item, out)
  }
}

// ---- errors -------------------------------------------------------------------------------------

interface WireErrorBody {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

/** Encodes an error in the form of OpenAI's server. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireErrorBody } {
  const [status, type, code] = errorAnswers[error.kind]
  const isFinal = error.kind === 'rate_limit' && !error.retryable
  return {
    status: error.status ?? status,
    body: { error: { message: error.message, type, param: null, code: isFinal ? 'insufficient_quota' : code } },
  }
}

// ---- proofs -------------------------------------------------------------------------------------

/** The field is `encrypted_content` of a reasoning item. Clients send it back if the server stores no answers. */
export const proofField: ProofField = {
  format,
  owners: ['openai'],
  onCalls: false,
  maxCallId: 64,
  write: (envelope) => ({ encrypted_content: envelope }),
  read: (data) => [textOr(data.encrypted_content, '')],
}
