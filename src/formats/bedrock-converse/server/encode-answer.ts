/**
 * Bedrock Converse: encodes answers, streams and errors for a client. Half of what a server needs; no page loads it.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors (read 2026-11)
 *
 * @module
 */

import type { EncodedResponse, Frame, Reply, StreamEncoder } from '../../../core/codec.ts'
import { isNoArguments, settleStopReason, unknownFieldsOf } from '../../../core/content.ts'
import type { ApiError } from '../../../core/errors.ts'
import { compact, field, lookup, objectIn, textOr } from '../../../core/json.ts'
import type {
  AssistantMessage,
  ChatResponse,
  ContentBlock,
  InvalidToolCall,
  JsonObject,
  StopReason,
  ToolCall,
  ToolCallChunk,
  Usage,
} from '../../../core/messages.ts'
import { messageWith } from '../../shared/api-error.ts'
import { type ProofField, signatureField } from '../../shared/foreign-proofs.ts'
import { type Losses, newLosses, reportLoss } from '../../shared/losses.ts'
import { addPiece, type BlockEvent, newBlock, type OpenBlock, oneAtATime } from '../../shared/one-at-a-time.ts'
import { reportStopReason } from '../../shared/stop-reason.ts'
import { streamEncoder } from '../../shared/stream-encoder.ts'
import { encodeBlock, encodeCall, encodeCitation, encodeTurnBlocks, type Scope } from '../encode-request.ts'
import { tooLong } from '../errors.ts'
import { format, provider, stopReasons, wireErrors, wireStopReasons } from '../tables.ts'
import type { WireError, WireResponse, WireUsage } from '../wire.ts'

// ---- a whole answer -----------------------------------------------------------------------------

/** Writes a whole answer. The format does not have fields for an id, the model's name and the date. */
export function encodeResponse(response: ChatResponse, _reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses('Bedrock', false)
  const { message } = response
  const content = encodeTurnBlocks(message, 'message', answering(losses))
  noteInvalidCalls(message, losses)
  const hasCalls = content.some((block) => 'toolUse' in block && block.toolUse.type !== 'server_tool_use')
  const body: WireResponse = {
    metrics: { latencyMs: 0 },
    ...unknownFieldsOf(response, format),
    output: { message: { role: 'assistant', content } },
    stopReason: encodeStopReason(response, hasCalls, losses),
    usage: encodeUsage(response.usage),
  }
  return { body, losses: losses.list }
}

/** Returns the scope for an answer. Clients of this format accept its proofs. */
function answering(losses: Losses): Scope {
  return { losses, model: '', place: 'answer', names: new Set() }
}

/** Reports a loss for each invalid call. The call is omitted, since a client would run it without arguments. */
function noteInvalidCalls({ invalidToolCalls = [] }: AssistantMessage, losses: Losses): void {
  for (const at of invalidToolCalls.keys())
    reportLoss(losses, 'dropped', `message.invalidToolCalls[${at}]`, 'its arguments are not an object')
}

/**
 * Returns the `stopReason` to write. If the answer came from Bedrock and its own word still means the same stop reason, that word is used.
 * Otherwise the table has the word for the stop reason.
 */
function encodeStopReason({ message, stopReason }: ChatResponse, hasCalls: boolean, losses: Losses): string {
  const raw = textOr(message.rawStopReason, undefined)
  const meaning = message.response?.provider === provider ? (lookup(stopReasons, raw) ?? 'other') : undefined
  if (raw !== undefined && meaning !== undefined && settleStopReason(meaning, hasCalls) === stopReason) return raw
  const reason: StopReason = stopReason === 'tool_calls' && !hasCalls ? 'stop' : stopReason
  const word = wireStopReasons[reason]
  if (lookup(stopReasons, word) !== reason) reportStopReason(losses, reason, word)
  return word
}

/** Writes the usage. Clients require all three counts: input, output and total. */
function encodeUsage(usage: Usage = {}): WireUsage {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens, cacheWriteTokens } = usage
  return {
    ...unknownFieldsOf(usage, format),
    inputTokens: Math.max(0, inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...compact({ cacheReadInputTokens: cacheReadTokens, cacheWriteInputTokens: cacheWriteTokens }),
  }
}

// ---- a stream -----------------------------------------------------------------------------------

// Each block has an index. A block starts after the previous block has ended.

interface EncodeState {
  readonly losses: Losses
  isStarted: boolean
  hasCalls: boolean
  open: OpenBlock
  blocks: number
}

/** Writes one answer. It ends with `metadata`. If the events end without `message_end`, it ends with an exception. */
export function encodeStream(_reply: Reply = {}): StreamEncoder {
  const state: EncodeState = {
    losses: newLosses('Bedrock', false),
    isStarted: false,
    hasCalls: false,
    open: newBlock(),
    blocks: 0,
  }
  const write = oneAtATime((event, out) => writeBlock(state, event, out))
  return streamEncoder(
    state.losses,
    (event, out) => {
      switch (event.type) {
        case 'message_start':
        case 'usage':
        case 'warning':
          return
        case 'message_end':
          return finish(state, event.response, out)
        default:
          begin(state, out)
          write(event, out)
      }
    },
    fail,
  )
}

function push(event: string, body: object, out: Frame[]): void {
  out.push({ event, data: JSON.stringify(body) })
}

function begin(state: EncodeState, out: Frame[]): void {
  if (!state.isStarted) push('messageStart', { role: 'assistant' }, out)
  state.isStarted = true
}

/** Ends the stream with an exception. In streams, the name of an exception starts with a lower-case letter. */
function fail(error: ApiError, out: Frame[]): void {
  const { headers, body } = encodeError(error)
  const name = headers['x-amzn-errortype'] ?? ''
  push(`exception:${name.charAt(0).toLowerCase()}${name.slice(1)}`, body, out)
}

function finish(state: EncodeState, response: ChatResponse, out: Frame[]): void {
  begin(state, out)
  const { additionalModelResponseFields: fields, ...kept } = unknownFieldsOf(response, format)
  const stopReason = encodeStopReason(response, state.hasCalls, state.losses)
  push('messageStop', { stopReason, ...compact({ additionalModelResponseFields: fields }) }, out)
  push('metadata', { metrics: { latencyMs: 0 }, ...kept, usage: encodeUsage(response.usage) }, out)
}

function writeBlock(state: EncodeState, event: BlockEvent, out: Frame[]): void {
  switch (event.type) {
    case 'text_delta':
      writeDelta(state, { text: event.text }, out)
      return
    case 'reasoning_delta':
      writeDelta(state, { reasoningContent: { text: event.text } }, out)
      return
    case 'tool_call_chunk': // a call that the provider runs is written later, as one block
      if (event.chunk.type === 'tool_call_chunk') writeChunk(state, event.chunk, out)
      return
    case 'tool_call':
    case 'invalid_tool_call':
      endCall(state, event.call, out)
      break
    case 'content_block':
      endContent(state, event.block, `message.content[${event.index}]`, out)
  }
  if (state.open.at !== undefined) push('contentBlockStop', { contentBlockIndex: state.open.at }, out)
  state.open = newBlock()
}

function writeDelta(state: EncodeState, delta: object, out: Frame[]): void {
  state.open.at ??= state.blocks++
  push('contentBlockDelta', { contentBlockIndex: state.open.at, delta }, out)
}

function writeStart(state: EncodeState, start: object, out: Frame[]): void {
  state.open.at ??= state.blocks++
  push('contentBlockStart', { contentBlockIndex: state.open.at, start }, out)
}

// ---- calls ------------------------------------------------------------------------------------

/** Writes a piece of a call. The start of a call needs its complete name, which is known when the first arguments arrive. */
function writeChunk(state: EncodeState, chunk: ToolCallChunk, out: Frame[]): void {
  const { open } = state
  addPiece(open, chunk)
  const { id, name, pending } = open
  if (open.at === undefined) {
    if (pending.trim() === '' || id === undefined || name === undefined) return
    startCall(state, { toolUseId: id, name }, out)
  }
  writeArguments(state, pending, out)
  open.pending = ''
}

function startCall(state: EncodeState, toolUse: object, out: Frame[]): void {
  state.hasCalls = true
  writeStart(state, { toolUse }, out)
}

function writeArguments(state: EncodeState, input: string, out: Frame[]): void {
  if (input === '') return
  state.open.sent += input.length
  writeDelta(state, { toolUse: { input } }, out)
}

/**
 * Ends a call. If the call is invalid, the pieces that were already sent are not corrected. Clients cannot parse them, so they do not run
 * the call.
 */
function endCall(state: EncodeState, call: ToolCall | InvalidToolCall, out: Frame[]): void {
  const { open, losses } = state
  if (call.type === 'invalid_tool_call') {
    const path = `message.invalidToolCalls[${call.index}]`
    if (open.at === undefined) {
      reportLoss(losses, 'dropped', path, `an invalid call was left out: ${call.error}`)
      return
    }
    reportLoss(losses, 'changed', path, `the pieces of an invalid call were sent already: ${call.error}`, 'info')
  }
  if (call.type === 'tool_call' && open.at === undefined) {
    const { input: _, ...start } = encodeCall(call)
    startCall(state, start, out)
  }
  if (!isNoArguments(call.argumentsText)) writeArguments(state, call.argumentsText.slice(open.sent), out)
}

// ---- everything else --------------------------------------------------------------------------

/** Ends a content block. Text and reasoning were already sent as deltas, so only the citations and the signature are still to write. */
function endContent(state: EncodeState, block: ContentBlock, path: string, out: Frame[]): void {
  const wire = encodeBlock(block, path, answering(state.losses)) as JsonObject | undefined
  if (wire === undefined) return
  if (block.type === 'text') {
    if (state.open.at === undefined) writeDelta(state, { text: block.text }, out)
    for (const citation of block.citations ?? []) writeDelta(state, { citation: encodeCitation(citation) }, out)
    return
  }
  const { reasoningText, redactedContent } = objectIn(wire, 'reasoningContent')
  if (redactedContent !== undefined) writeDelta(state, { reasoningContent: { redactedContent } }, out)
  else if (reasoningText !== undefined) {
    if (state.open.at === undefined)
      writeDelta(state, { reasoningContent: { text: field(reasoningText, 'text') } }, out)
    const signature = field(reasoningText, 'signature')
    if (signature !== undefined) writeDelta(state, { reasoningContent: { signature } }, out)
  } else writeWhole(state, wire, path, out)
}

/** Writes a block without deltas of its own: a call that Bedrock ran, its result, or a block that becomes text. */
function writeWhole(state: EncodeState, wire: JsonObject, path: string, out: Frame[]): void {
  const { input, ...use } = objectIn(wire, 'toolUse')
  const { content, ...result } = objectIn(wire, 'toolResult')
  if (input !== undefined) {
    writeStart(state, { toolUse: use }, out)
    writeDelta(state, { toolUse: { input: JSON.stringify(input) } }, out)
  } else if (content !== undefined) {
    writeStart(state, { toolResult: result }, out)
    writeDelta(state, { toolResult: content }, out)
  } else if (typeof wire.text === 'string') writeDelta(state, { text: wire.text }, out)
  else reportLoss(state.losses, 'dropped', path, 'a stream has no place for a block of this kind')
}

// ---- errors -------------------------------------------------------------------------------------

/** Returns the status, the headers and the body of an error for a client of this format. */
export function encodeError(error: ApiError): {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: WireError
} {
  const [name, status] = wireErrors[error.kind]
  return {
    status,
    headers: { 'x-amzn-errortype': name },
    body: { message: messageWith('Input is too long', error, tooLong) },
  }
}

// ---- proofs -------------------------------------------------------------------------------------

/** The proof field of this format: the signature of a reasoning text. */
export const proofField: ProofField = /* @__PURE__ */ signatureField(format, provider, { maxCallId: 64 })
