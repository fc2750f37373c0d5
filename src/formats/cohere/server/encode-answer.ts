/**
 * Cohere Chat v2: encodes answers, streams and errors for a client. Half of what a server needs; no page loads it.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 * @see https://docs.cohere.com/docs/tool-use-overview (read 2026-11)
 * @see https://docs.cohere.com/docs/streaming (read 2026-11)
 * @see https://docs.cohere.com/reference/errors (read 2026-11)
 *
 * @module
 */

import type { EncodedResponse, Frame, Reply, StreamEncoder } from '../../../core/codec.ts'
import { blocksOf, settleStopReason, unknownFieldsOf } from '../../../core/content.ts'
import type { ApiError } from '../../../core/errors.ts'
import { compact, field, isObject, lookup, objectIn, unlessEmpty } from '../../../core/json.ts'
import type {
  ChatResponse,
  ContentBlock,
  InvalidToolCall,
  Metadata,
  Opaque,
  ProviderData,
  TextBlock,
  ToolCall,
  ToolCallChunk,
  Usage,
} from '../../../core/messages.ts'
import { messageWith, statusOf } from '../../shared/api-error.ts'
import { type Losses, newLosses, reportLoss } from '../../shared/losses.ts'
import { addPiece, type BlockEvent, newBlock, type OpenBlock, oneAtATime } from '../../shared/one-at-a-time.ts'
import * as lackReasons from '../../shared/reasons.ts'
import { reportStopReason } from '../../shared/stop-reason.ts'
import { streamEncoder } from '../../shared/stream-encoder.ts'
import { tooManyTokens } from '../decode-answer.ts'
import { type Encoding, encodeAssistant, encodeCall, encodeCitations, encodeTextPart } from '../encode-request.ts'
import { finishReasons, format, reasons, stopReasons } from '../tables.ts'
import type { WireCall, WireError, WireResponse, WireText, WireThinking, WireUsage } from '../wire.ts'

// ---- content ------------------------------------------------------------------------------------

/** Reports a loss of severity `info` for each proof and field of another format, since an answer of this format cannot have them. */
function noteForeign(
  value: { readonly metadata?: Metadata; readonly providerData?: ProviderData; readonly opaque?: Opaque },
  path: string,
  losses: Losses,
): void {
  if (value.opaque !== undefined) reportLoss(losses, 'dropped', `${path}.opaque`, lackReasons.foreignProof, 'info')
  for (const name of Object.keys(value.providerData ?? {})) {
    if (name !== format)
      reportLoss(losses, 'dropped', `${path}.providerData.${name}`, lackReasons.foreignFields, 'info')
  }
}

// ---- a whole answer -----------------------------------------------------------------------------

/** Writes a whole answer. The format does not have fields for the model's name and the date. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses('Cohere', false)
  const { message } = response
  for (const [at, block] of blocksOf(message.content).entries()) noteForeign(block, `message.content[${at}]`, losses)
  noteForeign(message, 'message', losses)
  const encoded = encodeAssistant(message, 'message', answering(losses))
  const body: WireResponse = {
    ...unknownFieldsOf(response, format),
    id: reply.id ?? message.response?.id ?? '',
    message: encoded,
    finish_reason: encodeStopReason(response, encoded.tool_calls !== undefined, losses),
    usage: encodeUsage(response.usage),
  }
  return { body, losses: losses.list }
}

/** Returns how an answer is encoded. Clients of this format accept thinking. Documents are written as text. */
function answering(losses: Losses): Encoding {
  return { losses, takesDocuments: false, takesThinking: true, takesImages: true, isAnswer: true }
}

/**
 * Returns the `finish_reason`. If the answer came from Cohere and its own word still means the same stop reason, that word is used.
 * Otherwise the table has the word for the stop reason.
 */
function encodeStopReason({ message, stopReason }: ChatResponse, hasCalls: boolean, losses: Losses): string {
  const { rawStopReason: raw, response } = message
  const meaning = response?.provider === format ? (lookup(stopReasons, raw) ?? 'other') : undefined
  if (raw !== undefined && meaning !== undefined && settleStopReason(meaning, hasCalls) === stopReason) return raw
  const word = stopReason === 'tool_calls' && !hasCalls ? finishReasons.stop : finishReasons[stopReason]
  if (lookup(stopReasons, word) !== stopReason) reportStopReason(losses, stopReason, word)
  return word
}

/** Writes the usage. Clients read both `tokens` and `billed_units`. If the billed units are unknown, the token counts are sent for both. */
function encodeUsage(usage: Usage = {}): WireUsage {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens, reasoningTokens } = usage
  const kept = unknownFieldsOf(usage, format)
  const { image_tokens: images, ...figures } = objectIn(kept, 'tokens')
  const imageTokens = typeof images === 'number' ? images : undefined
  const tokens = {
    ...figures,
    input_tokens: Math.max(0, inputTokens - (imageTokens ?? 0)),
    output_tokens: outputTokens,
    ...compact({ reasoning_tokens: reasoningTokens, image_tokens: imageTokens }),
  }
  const paid = field(kept, 'billed_units')
  const billed = isObject(paid)
    ? (paid as WireUsage['billed_units'])
    : { input_tokens: inputTokens, output_tokens: outputTokens }
  return { ...kept, billed_units: billed, tokens, ...compact({ cached_tokens: cacheReadTokens }) }
}

// ---- a stream -----------------------------------------------------------------------------------

// Contents, calls and citations are counted separately, each from 0. Only one of them is open at a time.

interface EncodeState {
  readonly reply: Reply
  readonly losses: Losses
  id: string | undefined
  isStarted: boolean
  open: OpenBlock
  contents: number
  calls: number
  citations: number
  hasText: boolean
}

/** Writes one answer. It ends with `message-end` and `[DONE]`. If the events end without `message_end`, `message-end` has an error. */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncodeState = {
    reply,
    losses: newLosses('Cohere', false),
    id: undefined,
    isStarted: false,
    open: newBlock(),
    contents: 0,
    calls: 0,
    citations: 0,
    hasText: false,
  }
  const write = oneAtATime((event, out) => writeBlock(state, event, out))
  return streamEncoder(
    state.losses,
    (event, out) => {
      switch (event.type) {
        case 'message_start':
          state.id = event.id
          return
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
    (error, out) => fail(state, error, out),
  )
}

function push(type: string, fields: object, out: Frame[]): void {
  out.push({ event: type, data: JSON.stringify({ type, ...fields }) })
}

function begin(state: EncodeState, out: Frame[]): void {
  if (state.isStarted) return
  state.isStarted = true
  const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] }
  push('message-start', { id: state.reply.id ?? state.id ?? '', delta: { message } }, out)
}

function fail(state: EncodeState, error: ApiError, out: Frame[]): void {
  begin(state, out)
  end({ finish_reason: 'ERROR', error: encodeError(error).body.message }, out)
}

function finish(state: EncodeState, response: ChatResponse, out: Frame[]): void {
  begin(state, out)
  const finish_reason = encodeStopReason(response, state.calls > 0, state.losses)
  end({ ...unknownFieldsOf(response, format), finish_reason, usage: encodeUsage(response.usage) }, out)
}

function end(delta: object, out: Frame[]): void {
  push('message-end', { delta }, out)
  out.push({ data: '[DONE]' })
}

function writeBlock(state: EncodeState, event: BlockEvent, out: Frame[]): void {
  switch (event.type) {
    case 'text_delta':
      writeContent(state, { type: 'text', text: '' }, { text: event.text }, out)
      return
    case 'reasoning_delta':
      writeContent(state, { type: 'thinking', thinking: '' }, { thinking: event.text }, out)
      return
    case 'tool_call_chunk': // the chunk of a call that the provider runs is skipped: the format does not support it
      if (event.chunk.type === 'tool_call_chunk') writeChunk(state, event.chunk, out)
      return
    case 'tool_call':
    case 'invalid_tool_call':
      if (event.type === 'tool_call') noteForeign(event.call, `message.content[${event.index}]`, state.losses)
      endCall(state, event.call, out)
      break
    case 'content_block':
      endContent(state, event.block, `message.content[${event.index}]`, out)
  }
  state.open = newBlock()
}

// ---- contents ---------------------------------------------------------------------------------

function startContent(state: EncodeState, content: WireText | WireThinking, out: Frame[]): number {
  if (state.open.at !== undefined) return state.open.at
  state.open.at = state.contents++
  push('content-start', { index: state.open.at, delta: { message: { content } } }, out)
  return state.open.at
}

function writeContent(state: EncodeState, start: WireText | WireThinking, content: object, out: Frame[]): void {
  const index = startContent(state, start, out)
  push('content-delta', { index, delta: { message: { content } } }, out)
}

/**
 * Ends a content. Text and thinking were already sent as deltas, so only the citations of the text are still to write. A block without
 * deltas is written completely.
 */
function endContent(state: EncodeState, block: ContentBlock, path: string, out: Frame[]): void {
  noteForeign(block, path, state.losses)
  if (block.type === 'text' && block.text !== '') endText(state, block, out)
  else if (block.type !== 'text' && block.type !== 'reasoning') {
    const part = encodeTextPart(block, path, state.losses)
    if (part !== undefined) startContent(state, part, out)
    state.hasText ||= part?.type === 'text'
  }
  if (state.open.at === undefined) return
  const isLate = (block.type === 'text' || block.type === 'reasoning') && unlessEmpty(unknownFieldsOf(block, format))
  if (isLate) reportLoss(state.losses, 'dropped', `${path}.providerData`, reasons.lateFields, 'info')
  push('content-end', { index: state.open.at }, out)
}

function endText(state: EncodeState, block: TextBlock, out: Frame[]): void {
  const contentIndex = state.open.at ?? state.contents
  if (state.open.at === undefined) writeContent(state, { type: 'text', text: '' }, { text: block.text }, out)
  for (const citations of encodeCitations(block, { contentIndex, isFirst: !state.hasText }, true)) {
    const index = state.citations++
    push('citation-start', { index, delta: { message: { citations } } }, out)
    push('citation-end', { index }, out)
  }
  state.hasText = true
}

// ---- calls ------------------------------------------------------------------------------------

/** Writes a piece of a call. The start of a call needs its complete name, which is known when the first arguments arrive. */
function writeChunk(state: EncodeState, chunk: ToolCallChunk, out: Frame[]): void {
  const { open } = state
  addPiece(open, chunk)
  const { id, name, pending } = open
  if (open.at === undefined) {
    if (pending.trim() === '' || id === undefined || name === undefined) return
    startCall(state, { id, type: 'function', function: { name, arguments: '' } }, out)
  }
  writeArguments(state, pending, out)
  open.pending = ''
}

function startCall(state: EncodeState, call: WireCall, out: Frame[]): void {
  state.open.at = state.calls++
  push('tool-call-start', { index: state.open.at, delta: { message: { tool_calls: call } } }, out)
}

function writeArguments({ open }: EncodeState, text: string, out: Frame[]): void {
  if (text === '') return
  open.sent += text.length
  const delta = { message: { tool_calls: { function: { arguments: text } } } }
  push('tool-call-delta', { index: open.at, delta }, out)
}

function endCall(state: EncodeState, call: ToolCall | InvalidToolCall, out: Frame[]): void {
  const { open } = state
  const whole = encodeCall(call)
  const args = whole.function.arguments
  if (call.name === undefined)
    reportLoss(state.losses, 'invented', `message.invalidToolCalls[${call.index}].name`, reasons.namelessCall)
  if (open.at === undefined) startCall(state, { ...whole, function: { ...whole.function, arguments: '' } }, out)
  writeArguments(state, open.sent === 0 ? args : call.argumentsText.slice(open.sent), out)
  push('tool-call-end', { index: open.at }, out)
}

// ---- errors -------------------------------------------------------------------------------------

/** Returns the status and the body of an error for a client of this format. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  const { kind } = error
  const status = kind === 'permission' && error.status === 402 ? 402 : statusOf[kind]
  const message = messageWith('too many tokens', error)
  return { status, body: kind === 'context_length' ? { message, error_type: tooManyTokens } : { message } }
}
