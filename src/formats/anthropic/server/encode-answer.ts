/**
 * Anthropic Messages: encodes answers, streams and errors for a client. Half of what a server needs; no page loads it.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 * @see https://platform.claude.com/docs/en/build-with-claude/citations (read 2026-11)
 * @see https://platform.claude.com/docs/en/api/errors (read 2026-11)
 *
 * @module
 */

import type { EncodedResponse, Frame, Reply, StreamEncoder } from '../../../core/codec.ts'
import { blocksOfTurn, isNoArguments, ownProof, settleStopReason, unknownFieldsOf } from '../../../core/content.ts'
import type { ApiError } from '../../../core/errors.ts'
import { compact, field, isObject, lookup } from '../../../core/json.ts'
import type {
  AssistantMessage,
  ChatResponse,
  CitationBlock,
  ContentBlock,
  InvalidToolCall,
  MessageEvent,
  Opaque,
  ReasoningBlock,
  StopReason,
  ToolCall,
  ToolCallChunk,
  Usage,
} from '../../../core/messages.ts'
import { tokenCount } from '../../../core/usage.ts'
import { messageWith } from '../../shared/api-error.ts'
import { type ProofField, signatureField } from '../../shared/foreign-proofs.ts'
import { unsupportedThread } from '../../shared/gateway-format.ts'
import { type Losses, newLosses, reportForeignFields, reportLoss } from '../../shared/losses.ts'
import { addPiece, type BlockEvent, newBlock, type OpenBlock, oneAtATime } from '../../shared/one-at-a-time.ts'
import * as reasons from '../../shared/reasons.ts'
import { reportStopReason } from '../../shared/stop-reason.ts'
import { streamEncoder } from '../../shared/stream-encoder.ts'
import { drop, encodeCall, encodeCitation, encodeOwnBlock } from '../encode-request.ts'
import { format, stepsBeside, stopReasons, wireErrors, wireStopReasons } from '../tables.ts'
import type { WireBlock, WireError, WireResponse, WireUsage } from '../wire.ts'

// ---- a whole answer -----------------------------------------------------------------------------

/** Encodes an answer as this API sends it. Never throws for content: parts that the format cannot express are losses. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses('Anthropic', false)
  const { message } = response
  const content = blocksOfTurn(message).flatMap(
    (block, at) => encodeAnswerBlock(block, `message.content[${at}]`, losses) ?? [],
  )
  noteInvalidCalls(message, losses)
  const hasCalls = content.some(({ type }) => type === 'tool_use')
  const body: WireResponse = {
    stop_sequence: null,
    ...unknownFieldsOf(response, format),
    id: reply.id ?? message.response?.id ?? 'msg_0',
    type: 'message',
    role: 'assistant',
    model: reply.model ?? message.response?.model ?? '',
    content,
    stop_reason: encodeStopReason(message, response.stopReason, hasCalls, losses),
    usage: encodeUsage(response.usage),
  }
  return { body, losses: losses.list }
}

/** Encodes a block of an answer. Returns `undefined` and reports a loss if an answer of this format cannot have it. */
function encodeAnswerBlock(given: ContentBlock, path: string, losses: Losses): WireBlock | undefined {
  reportForeign(given, path, losses)
  // Cache hints are for requests, and proofs only for reasoning.
  const { metadata: _, opaque, ...rest } = given as ContentBlock & { readonly opaque?: Opaque }
  const block = rest as ContentBlock
  switch (block.type) {
    case 'text': {
      const { text, citations } = block
      const encoded = citations?.flatMap((citation) => citationForClient(citation) ?? [])
      const isLost = citations !== undefined && encoded !== undefined && encoded.length < citations.length
      if (isLost) drop(`${path}.citations`, reasons.citations, { losses })
      const sent = encoded?.length === 0 && isLost ? undefined : encoded
      return { ...unknownFieldsOf(block, format), type: 'text', text, ...compact({ citations: sent }) }
    }
    case 'plain_text':
      if (block.title !== undefined) drop(`${path}.title`, reasons.title, { losses }, 'info')
      return { type: 'text', text: block.text }
    case 'reasoning':
      return encodeReasoning(compact({ ...block, opaque }), path, losses)
    case 'tool_call':
      return encodeCall(block, path, { losses })
    case 'server_tool_call':
    case 'server_tool_result':
      return encodeOwnBlock(block, path, { losses })
    case 'unknown':
      if (block.format === format) return encodeOwnBlock(block, path, { losses })
      return drop(path, reasons.foreignBlock, { losses })
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return drop(path, `an answer here has no place for ${block.type}`, { losses }, 'major')
    default:
      return drop(path, `an answer here has no place for ${block.type}`, { losses })
  }
}

/** Encodes reasoning. A proof of this format is valid, since clients of this format send it back. Clients can show the text without one. */
function encodeReasoning(block: ReasoningBlock, path: string, losses: Losses): WireBlock | undefined {
  const { text, opaque } = block
  const { data, signature } = ownProof(opaque, { format, provider: format, model: '' }) ?? {}
  const kept = unknownFieldsOf(block, format)
  if (typeof data === 'string') return { ...kept, type: 'redacted_thinking', data }
  if (typeof signature === 'string') return { ...kept, type: 'thinking', thinking: text, signature }
  if (text === '') return drop(path, 'reasoning without its own signature is refused', { losses }, 'info')
  if (opaque !== undefined) drop(`${path}.opaque`, reasons.foreignProof, { losses }, 'info')
  return { ...kept, type: 'thinking', thinking: text, signature: '' }
}

/** Reports the loss of fields and proofs of other formats. */
function reportForeign(block: ContentBlock, path: string, losses: Losses): void {
  if ('opaque' in block && block.opaque !== undefined && block.type !== 'reasoning')
    drop(`${path}.opaque`, reasons.foreignProof, { losses }, 'info')
  reportForeignFields(block, format, path, losses)
}

/** Reports invalid calls, which are not sent. With empty arguments, a client could run such a call. */
function noteInvalidCalls(message: AssistantMessage, losses: Losses): void {
  for (const at of (message.invalidToolCalls ?? []).keys()) {
    reportLoss(losses, 'dropped', `message.invalidToolCalls[${at}]`, 'its arguments are not an object')
  }
}

/**
 * Returns the message's own stop reason, if this format has it with the same meaning. Otherwise returns this format's value for `reason`.
 * Anthropic's own `end_turn` in a message with calls is kept: the calls ran during the answer.
 */
function encodeStopReason(
  message: AssistantMessage,
  reason: StopReason,
  hasCalls: boolean,
  losses: Losses,
): string | null {
  const { rawStopReason: raw, response } = message
  const isOwn = response?.provider === format
  const meaning = lookup(stopReasons, raw) ?? (isOwn ? 'other' : undefined)
  const settled = meaning !== undefined && isOwn ? settleStopReason(meaning, hasCalls) : meaning
  if (raw !== undefined && settled === reason) return raw
  if (reason === 'tool_calls' && !hasCalls) return 'end_turn' // the loss of the call is already reported
  const word = wireStopReasons[reason]
  if (word !== null && lookup(stopReasons, word) !== reason) reportStopReason(losses, reason, word)
  return word
}

/** Encodes usage. Every figure is present and at least 0, since clients calculate with them. */
function encodeUsage(usage: Usage = {}): WireUsage {
  const kept = unknownFieldsOf(usage, format)
  const steps = stepsBeside(kept)
  const beside = (name: string) => steps.reduce((sum, step) => sum + (tokenCount(step[name]) ?? 0), 0)
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
  const uncached = inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)
  const details = field(kept, 'output_tokens_details')
  const thinking = reasoningTokens === undefined ? undefined : { thinking_tokens: reasoningTokens }
  return {
    ...kept,
    input_tokens: Math.max(0, uncached - beside('input_tokens')),
    output_tokens: Math.max(0, outputTokens - beside('output_tokens')),
    ...compact({
      cache_read_input_tokens: cacheReadTokens && Math.max(0, cacheReadTokens - beside('cache_read_input_tokens')),
      cache_creation_input_tokens:
        cacheWriteTokens && Math.max(0, cacheWriteTokens - beside('cache_creation_input_tokens')),
      output_tokens_details: thinking && { ...(isObject(details) && details), ...thinking },
    }),
  }
}

// ---- a stream -----------------------------------------------------------------------------------

// One block is open at a time, and numbers start at 0 without gaps, because clients find blocks by number. Events of a later block wait
// until the block before it has ended.

interface EncodeState {
  readonly reply: Reply
  readonly losses: Losses
  id: string | undefined
  model: string | undefined
  usage: Usage | undefined
  isStarted: boolean
  open: OpenBlock
  nextWire: number
  hasCalls: boolean
  readonly ids: Set<string>
}

/** Writes one answer. It ends with `message_stop`, or with an error if the events are incomplete. */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncodeState = {
    reply,
    losses: newLosses('Anthropic', false),
    id: undefined,
    model: undefined,
    usage: undefined,
    isStarted: false,
    open: newBlock(),
    nextWire: 0,
    hasCalls: false,
    ids: new Set(),
  }
  const write = oneAtATime((event, out) => writeBlock(state, event, out))
  return streamEncoder(
    state.losses,
    (event, out) => {
      switch (event.type) {
        case 'message_start':
          state.id = event.id
          state.model = event.model
          return
        case 'usage': // figures that come before the first block are sent with `message_start`
          state.usage = event.usage
          return
        case 'warning':
          return
        case 'message_end':
          return finish(state, event, out)
        default:
          begin(state, out)
          write(event, out)
      }
    },
    (error, out) => out.push(frame('error', { ...encodeError(error).body })),
  )
}

function frame(type: string, fields: object): Frame {
  return { event: type, data: JSON.stringify({ type, ...fields }) }
}

function begin(state: EncodeState, out: Frame[]): void {
  if (state.isStarted) return
  state.isStarted = true
  const message = {
    id: state.reply.id ?? state.id ?? 'msg_0',
    type: 'message',
    role: 'assistant',
    model: state.reply.model ?? state.model ?? '',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: encodeUsage(state.usage ?? compact({ inputTokens: state.reply.inputTokens })),
  }
  out.push(frame('message_start', { message }))
}

function finish(state: EncodeState, event: MessageEvent & { type: 'message_end' }, out: Frame[]): void {
  begin(state, out)
  const { message, response } = event
  const { stop_sequence = null, stop_details, container } = unknownFieldsOf(response, format)
  const delta = compact({
    stop_reason: encodeStopReason(message, response.stopReason, state.hasCalls, state.losses),
    stop_sequence,
    stop_details,
    container,
  })
  out.push(
    frame('message_delta', { delta, usage: encodeUsage(response.usage ?? state.usage) }),
    frame('message_stop', {}),
  )
}

// ---- one block at a time ----------------------------------------------------------------------

function writeBlock(state: EncodeState, event: BlockEvent, out: Frame[]): void {
  const block = state.open
  switch (event.type) {
    case 'text_delta':
      startBlock(state, block, { type: 'text', text: '' }, out)
      writeDelta(block, { type: 'text_delta', text: event.text }, out)
      return
    case 'reasoning_delta':
      startBlock(state, block, { type: 'thinking', thinking: '', signature: '' }, out)
      writeDelta(block, { type: 'thinking_delta', thinking: event.text }, out)
      return
    case 'tool_call_chunk': // a call that the provider runs is written when it is complete, since its kind is known only then
      if (event.chunk.type === 'tool_call_chunk') writeChunk(state, block, event.chunk, out)
      return
    case 'tool_call':
      endCall(state, block, event.call, `message.content[${event.index}]`, out)
      break
    case 'invalid_tool_call':
      endInvalidCall(state, block, event.call, out)
      break
    case 'content_block':
      endContent(state, block, event.block, `message.content[${event.index}]`, out)
  }
  if (block.at !== undefined) out.push(frame('content_block_stop', { index: block.at }))
  state.open = newBlock()
}

function startBlock(state: EncodeState, block: OpenBlock, start: WireBlock | object, out: Frame[]): void {
  if (block.at !== undefined) return
  block.at = state.nextWire++
  out.push(frame('content_block_start', { index: block.at, content_block: start }))
}

function writeDelta(block: OpenBlock, delta: object, out: Frame[]): void {
  // Written in parts: a stream has thousands of them.
  const data = `{"type":"content_block_delta","index":${block.at},"delta":${JSON.stringify(delta)}}`
  out.push({ event: 'content_block_delta', data })
}

// ---- calls ------------------------------------------------------------------------------------

/** Writes a chunk of a call. The call's block starts with the id and the complete name. The name is complete when arguments follow. */
function writeChunk(state: EncodeState, block: OpenBlock, chunk: ToolCallChunk, out: Frame[]): void {
  addPiece(block, chunk)
  const { id, name, pending } = block
  if (pending.trim() === '' && block.at === undefined) return
  if (block.at === undefined && (id === undefined || name === undefined || state.ids.has(id))) return
  if (block.at === undefined)
    startCall(state, block, { ...block.providerData?.[format], type: 'tool_use', id, name }, out)
  writeArguments(block, pending, out)
  block.pending = ''
}

function startCall(
  state: EncodeState,
  block: OpenBlock,
  start: { readonly id?: string | undefined; readonly [field: string]: unknown },
  out: Frame[],
): void {
  if (start.id !== undefined) state.ids.add(start.id)
  state.hasCalls = true
  startBlock(state, block, { ...start, input: {} }, out)
}

function writeArguments(block: OpenBlock, text: string, out: Frame[]): void {
  if (text === '') return
  block.sent += text.length
  writeDelta(block, { type: 'input_json_delta', partial_json: text }, out)
}

function endCall(state: EncodeState, block: OpenBlock, call: ToolCall, path: string, out: Frame[]): void {
  const start = encodeAnswerBlock(call, path, state.losses)
  if (block.at === undefined) startCall(state, block, { ...start }, out)
  else reportLateFields(state, path, call, block)
  if (!isNoArguments(call.argumentsText)) writeArguments(block, call.argumentsText.slice(block.sent), out)
}

/** Reports the fields that a block could not begin with. */
function reportLateFields(state: EncodeState, path: string, whole: ContentBlock, begun: OpenBlock): void {
  const sent = unknownFieldsOf(begun, format)
  if (Object.keys(unknownFieldsOf(whole, format)).every((name) => Object.hasOwn(sent, name))) return
  reportLoss(state.losses, 'dropped', `${path}.providerData`, 'they came when the block had begun', 'info')
}

/** Ends an invalid call. The chunks that were sent do not change. Clients cannot parse them, so no client runs the call. */
function endInvalidCall(state: EncodeState, block: OpenBlock, call: InvalidToolCall, out: Frame[]): void {
  const path = `message.invalidToolCalls[${call.index}]`
  if (block.at === undefined) reportLoss(state.losses, 'dropped', path, `an invalid call is left out: ${call.error}`)
  else {
    writeArguments(block, call.argumentsText.slice(block.sent), out)
    reportLoss(state.losses, 'changed', path, `the pieces of an invalid call were sent already: ${call.error}`, 'info')
  }
}

// ---- everything else --------------------------------------------------------------------------

/** Writes the end of a block. Citations and the signature come after the text. A block without deltas is written complete. */
function endContent(state: EncodeState, block: OpenBlock, content: ContentBlock, path: string, out: Frame[]): void {
  const wire = encodeAnswerBlock(content, path, state.losses)
  if (wire === undefined || (content.type === 'text' && content.text === '')) return
  if (block.at !== undefined) reportLateFields(state, path, content, block)
  if (wire.type === 'thinking') {
    startBlock(state, block, { ...wire, signature: '' }, out)
    if (wire.signature !== '') writeDelta(block, { type: 'signature_delta', signature: wire.signature }, out)
  } else if (content.type === 'text') {
    if (block.at === undefined) {
      startBlock(state, block, { ...unknownFieldsOf(content, format), type: 'text', text: '' }, out)
      writeDelta(block, { type: 'text_delta', text: content.text }, out)
    }
    for (const citation of content.citations ?? []) {
      const encoded = citationForClient(citation)
      if (encoded !== undefined) writeDelta(block, { type: 'citations_delta', citation: encoded }, out)
    }
  } else startBlock(state, block, wire, out)
}

// ---- citations ----------------------------------------------------------------------------------

/** Encodes any citation for a client that shows it. The empty index means that no server made it: it is never sent to Anthropic. */
function citationForClient(citation: CitationBlock): object | undefined {
  const { url, title = null, text = '' } = citation
  const made = { type: 'web_search_result_location', url, title, cited_text: text, encrypted_index: '' }
  return encodeCitation(citation) ?? (url === undefined ? undefined : made)
}

// ---- errors -------------------------------------------------------------------------------------

/** Clients look for this text to detect a conversation that is too long. */
const tooLong = /prompt is too long|exceed context limit/i

/** Error types for two statuses of kinds that have another type too. */
const typesByStatus: Readonly<Record<string, string>> = { 402: 'billing_error', 413: 'request_too_large' }

/** Encodes an error as this API reports it: the body and the HTTP status. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  const own = lookup(typesByStatus, `${error.status}`)
  const [type, status] = own === undefined ? wireErrors[error.kind] : [own, error.status as number]
  const message = error.status === 413 ? error.message : messageWith('prompt is too long', error, tooLong)
  // The official client asks again with all of its conversation.
  const details = error.providerCode === unsupportedThread ? { error_code: unsupportedThread } : undefined
  return {
    status,
    body: compact({ type: 'error', error: compact({ type, message, details }), request_id: error.requestId }),
  }
}

// ---- proofs -------------------------------------------------------------------------------------

/** The signature of a thinking block. */
export const proofField: ProofField = /* @__PURE__ */ signatureField(format, format, {
  // Some clients, such as pi, do not send back thinking without a text. They send back what they cannot read.
  write: (envelope, text) => (text === '' ? { data: envelope } : { signature: envelope }),
})
