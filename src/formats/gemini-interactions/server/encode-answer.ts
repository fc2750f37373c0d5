/**
 * Gemini Interactions: encodes answers, streams and errors for a client. Half of what a server needs; no page loads it.
 *
 * @see https://ai.google.dev/api/interactions-api (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/function-calling (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/interactions/streaming (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/api-errors (read 2026-11)
 *
 * @module
 */

import type { EncodedResponse, Frame, Reply, StreamEncoder } from '../../../core/codec.ts'
import { blocksOfTurn, isNoArguments, unknownFieldsOf } from '../../../core/content.ts'
import type { ApiError } from '../../../core/errors.ts'
import { arrayOf, compact, field, otherFields, textOr } from '../../../core/json.ts'
import type {
  AssistantMessage,
  ChatResponse,
  ContentBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  MessageEvent,
  ToolCall,
  ToolCallChunk,
  Usage,
} from '../../../core/messages.ts'
import { tokenCount } from '../../../core/usage.ts'
import { messageWith } from '../../shared/api-error.ts'
import { type ProofField, signatureField } from '../../shared/foreign-proofs.ts'
import { tooLong } from '../../shared/google.ts'
import { type Losses, newLosses, reportLoss } from '../../shared/losses.ts'
import { type BlockEvent, isLast, oneAtATime } from '../../shared/one-at-a-time.ts'
import * as reasons from '../../shared/reasons.ts'
import { reportStopReason } from '../../shared/stop-reason.ts'
import { streamEncoder } from '../../shared/stream-encoder.ts'
import { encodeTurn, type TurnScope } from '../encode-request.ts'
import { blockedCodes, errorAnswers, format, provider, statusOf, title } from '../tables.ts'
import type { WireResponse, WireUsage } from '../wire.ts'

// ---- a whole answer -----------------------------------------------------------------------------

/** The scope for answers to a client, who receives everything except proofs of other formats. */
function answerScope(losses: Losses): TurnScope {
  return { losses, reader: 'client', proof: (opaque) => (opaque?.format === format ? opaque.data : undefined) }
}

/** Encodes a whole answer, as a server of this format sends it. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses(title, false)
  const { message } = response
  const steps = encodeTurn(blocksOfTurn(message), 'message', answerScope(losses))
  for (const at of (message.invalidToolCalls ?? []).keys())
    reportLoss(losses, 'dropped', `message.invalidToolCalls[${at}]`, 'the arguments are not an object')
  const body = { ...ending(response, reply, losses), steps: [...steps, ...outputError(message)] }
  return { body: body as WireResponse, losses: losses.list }
}

/** Returns a step with the error that was received in an otherwise complete answer; an empty list if there was no error. */
function outputError({ providerData }: AssistantMessage): JsonObject[] {
  const error = field(providerData?.[format], 'error')
  return error === undefined ? [] : [{ type: 'model_output', content: [], error }]
}

/** Encodes an answer without its steps. This is the last event of a stream, and part of a whole answer. */
function ending(response: ChatResponse, reply: Reply, losses: Losses): Omit<WireResponse, 'steps'> {
  const { message, stopReason, usage = message.usage } = response
  const hasCalls = blocksOfTurn(message).some(({ type }) => type === 'tool_call')
  const { status, isSaid } = statusOf(stopReason, message.rawStopReason, hasCalls)
  if (!isSaid) reportStopReason(losses, stopReason, status)
  const created = timeOf(reply.createdAt ?? message.response?.createdAt)
  return {
    ...unknownFieldsOf(response, format),
    ...identityOf(message.response ?? {}, reply),
    status,
    created,
    updated: created,
    ...compact({
      usage: usage && encodeUsage(usage),
      errors: status === 'failed' ? [failureOf(response)] : undefined,
    }),
  }
}

/** Returns the fields that identify an answer. An empty id means that the answer is not stored. */
function identityOf(
  { id, model }: { readonly id?: string; readonly model?: string },
  reply: Reply,
): Pick<WireResponse, 'id' | 'object' | 'model'> {
  return { id: reply.id ?? id ?? '', object: 'interaction', model: reply.model ?? model ?? '' }
}

function timeOf(seconds = 0): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, -'.000Z'.length)}Z`
}

function failureOf({ stopReason, message }: ChatResponse): { code: string; message: string } {
  const word = message.rawStopReason
  if (stopReason !== 'content_filter') {
    return { code: 'api_error', message: `The provider ended the answer with an error${word ? `: ${word}` : ''}` }
  }
  const code = word !== undefined && blockedCodes.has(word) ? word : 'content_blocked'
  return { code, message: 'A filter of the provider stopped the answer' }
}

/** Splits the sums of isoglot into the counts of the wire. */
function encodeUsage(usage: Usage): WireUsage {
  const { inputTokens = 0, outputTokens = 0, reasoningTokens = 0, cacheReadTokens = 0 } = usage
  const kept = unknownFieldsOf(usage, format)
  const tools = Math.min(tokenCount(field(kept, 'total_tool_use_tokens')) ?? 0, inputTokens)
  return {
    ...kept,
    total_input_tokens: inputTokens - tools,
    total_cached_tokens: cacheReadTokens,
    total_output_tokens: outputTokens - reasoningTokens,
    total_thought_tokens: reasoningTokens,
    total_tool_use_tokens: tools,
    total_tokens: usage.totalTokens ?? inputTokens + outputTokens,
  }
}

// ---- a stream -----------------------------------------------------------------------------------

// Each block is a step with a start, deltas and a stop. Steps follow each other, and their indices count from 0 without gaps.

/** The state that is kept from one event to the next. */
interface EncoderState {
  reply: Reply
  readonly losses: Losses
  isStarted: boolean
  /** The number of steps that have started. */
  count: number
  /** Whether the last step is open. */
  isOpen: boolean
  /** The arguments of the current call so far. They are sent when its id and name are known. */
  text: string
  /** The signature of the last thought. A call with the same signature does not repeat it. */
  signature: string
}

/** Encodes one answer. The stream ends with `[DONE]`, or with an `error` event. */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncoderState = {
    reply,
    losses: newLosses(title, false),
    isStarted: false,
    count: 0,
    isOpen: false,
    text: '',
    signature: '',
  }
  const pass = oneAtATime((event, out) => write(state, event, out))
  return streamEncoder(
    state.losses,
    (event, out) => {
      if (!state.isStarted) begin(state, event, out)
      if ('index' in event) pass(event, out)
      else if (event.type === 'message_end') finish(state, event.response, out)
      // usage is sent again at the end; warnings are not sent to a client
    },
    (error, out) => send('error', encodeError(error).body, out),
  )
}

// ---- the answer -------------------------------------------------------------------------------

function send(type: string, fields: object, out: Frame[]): void {
  out.push({ event: type, data: JSON.stringify({ ...fields, event_type: type }) })
}

function begin(state: EncoderState, event: MessageEvent, out: Frame[]): void {
  const { id = '', model = '' } = event.type === 'message_start' ? event : {}
  state.isStarted = true
  state.reply = { id, model, ...state.reply }
  const status = 'in_progress'
  const identity = identityOf({}, state.reply)
  send('interaction.created', { interaction: { ...identity, status } }, out)
  send('interaction.status_update', { interaction_id: identity.id, status }, out)
}

function finish(state: EncoderState, response: ChatResponse, out: Frame[]): void {
  for (const step of outputError(response.message)) sendWhole(state, step, out)
  send('interaction.completed', { interaction: ending(response, state.reply, state.losses) }, out)
  out.push({ event: 'done', data: '[DONE]' })
}

// ---- steps ------------------------------------------------------------------------------------

function write(state: EncoderState, event: BlockEvent, out: Frame[]): void {
  switch (event.type) {
    case 'text_delta':
      open(state, { type: 'model_output' }, out)
      addDelta(state, { type: 'text', text: event.text }, out)
      break
    case 'reasoning_delta':
      open(state, { type: 'thought' }, out)
      addDelta(state, { type: 'thought_summary', content: { type: 'text', text: event.text } }, out)
      break
    case 'tool_call_chunk': // a call of a server tool is written whole, at its end
      if (event.chunk.type === 'tool_call_chunk') addChunk(state, event.chunk, out)
      break
    case 'tool_call':
      endCall(state, event.call, out)
      break
    case 'invalid_tool_call':
      endInvalidCall(state, event.call, out)
      break
    case 'content_block':
      endContent(state, event.block, event.index, out)
  }
  if (isLast(event)) close(state, out)
}

function open(state: EncoderState, step: JsonObject, out: Frame[]): void {
  if (state.isOpen) return
  state.isOpen = true
  send('step.start', { index: state.count++, step }, out)
}

function addDelta(state: EncoderState, delta: JsonObject, out: Frame[]): void {
  send('step.delta', { index: state.count - 1, delta }, out)
}

function close(state: EncoderState, out: Frame[]): void {
  if (state.isOpen) send('step.stop', { index: state.count - 1 }, out)
  state.isOpen = false
  state.text = ''
}

function sendWhole(state: EncoderState, step: JsonObject, out: Frame[]): void {
  open(state, step, out)
  close(state, out)
}

// ---- calls ------------------------------------------------------------------------------------

/** Adds a chunk of a call. The step starts with the first piece of the arguments, because the name is complete only then. */
function addChunk(state: EncoderState, { id, name, argumentsDelta = '' }: ToolCallChunk, out: Frame[]): void {
  const text = state.text + argumentsDelta
  if (state.isOpen) addDelta(state, { type: 'arguments_delta', arguments: argumentsDelta }, out)
  else if (text.trim() !== '' && id && name) {
    open(state, { type: 'function_call', id, name, arguments: {} }, out)
    addDelta(state, { type: 'arguments_delta', arguments: text }, out)
  }
  state.text = text
}

/** Ends a call. If its step has already started, its id and name stay as they were sent. */
function endCall(state: EncoderState, call: ToolCall | InvalidToolCall, out: Frame[]): void {
  const sent = state.isOpen ? state.text.length : 0
  open(state, { type: 'function_call', id: call.id ?? '', name: call.name ?? '', arguments: {} }, out)
  const rest = call.argumentsText.slice(sent)
  if (!isNoArguments(rest)) addDelta(state, { type: 'arguments_delta', arguments: rest }, out)
  const signature = textOr(answerScope(state.losses).proof(call.opaque)?.signature, '')
  if (signature !== state.signature && signature !== '') addDelta(state, { type: 'thought_signature', signature }, out)
  state.signature = ''
}

/** Ends an invalid call. One without arguments is left out, because a client would read it as a valid call with no arguments. */
function endInvalidCall(state: EncoderState, call: InvalidToolCall, out: Frame[]): void {
  const path = `message.invalidToolCalls[${call.index}]`
  if (!state.isOpen && !call.name) reportLoss(state.losses, 'dropped', path, reasons.namelessCall)
  else if (!state.isOpen && isNoArguments(call.argumentsText)) reportLoss(state.losses, 'dropped', path, call.error)
  else {
    reportLoss(state.losses, 'changed', path, `it is sent unchanged, and is not a valid call: ${call.error}`, 'info')
    endCall(state, call, out)
  }
}

// ---- whole blocks -----------------------------------------------------------------------------

/** Ends a block of content. Text that was sent in deltas is not repeated; only annotations and signatures are added. */
function endContent(state: EncoderState, block: ContentBlock, index: number, out: Frame[]): void {
  const isStreamed = state.isOpen
  const [given] = encodeTurn([block], 'message', answerScope(state.losses), index)
  if (given === undefined) return
  const step = given as unknown as JsonObject
  switch (step.type) {
    case 'model_output':
      addContent(state, (arrayOf(step.content)[0] ?? {}) as JsonObject, isStreamed, out)
      break
    case 'thought':
      addThought(state, step, isStreamed, out)
      break
    default:
      if (block.type === 'unknown') open(state, step, out)
      else addHosted(state, step, out)
  }
}

function addContent(state: EncoderState, content: JsonObject, isStreamed: boolean, out: Frame[]): void {
  const { annotations, ...rest } = content
  open(state, { type: 'model_output' }, out)
  if (!isStreamed) addDelta(state, rest, out)
  else if (Object.keys(rest).length > 2) {
    reportLoss(state.losses, 'dropped', 'message.content.providerData', 'they came when the block had begun', 'info')
  }
  if (annotations !== undefined) addDelta(state, { type: 'text_annotation_delta', annotations }, out)
}

function addThought(state: EncoderState, { summary, signature }: JsonObject, isStreamed: boolean, out: Frame[]): void {
  open(state, { type: 'thought' }, out)
  for (const content of arrayOf(summary)) {
    const isRepeated = isStreamed && (content as JsonObject).type === 'text'
    if (!isRepeated) addDelta(state, { type: 'thought_summary', content }, out)
  }
  state.signature = textOr(signature, '')
  if (state.signature !== '') addDelta(state, { type: 'thought_signature', signature: state.signature }, out)
}

const shellFields = ['type', 'id', 'call_id', 'name', 'server_name'] as const

/** Writes the call or the result of a server tool. The start has the tool's name and ids, and one delta the arguments or the result. */
function addHosted(state: EncoderState, step: JsonObject, out: Frame[]): void {
  const shell = shellFields
    .filter((name) => Object.hasOwn(step, name))
    .map((name) => [name, step[name] as Json] as const)
  open(state, Object.fromEntries(shell), out)
  const rest = otherFields(step, new Set<string>(shellFields)) ?? {}
  addDelta(state, { type: step.type ?? '', ...rest }, out)
}

// ---- errors -------------------------------------------------------------------------------------

interface WireErrorBody {
  readonly error: { readonly code: string; readonly message: string }
}

/** Encodes an error as a server of this format does. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireErrorBody } {
  const [status, code] = errorAnswers[error.kind]
  const isFinal = error.kind === 'rate_limit' && !error.retryable
  return {
    status: error.status ?? status,
    body: { error: { code: isFinal ? 'quota_exceeded' : code, message: messageWith(tooLong, error) } },
  }
}

// ---- proofs -------------------------------------------------------------------------------------

/** `signature` of a thought. Calls are not used, because a stream has no field for the signature of a call. */
export const proofField: ProofField = /* @__PURE__ */ signatureField(format, provider)
