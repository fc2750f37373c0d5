/**
 * Anthropic Messages: encodes streams, for clients of this format.
 *
 * One block is open at a time, and numbers start at 0 without gaps, because clients find blocks by number. Events of a later block wait
 * until the block before it has ended.
 *
 * @module
 */

import type { Frame, Reply, StreamEncoder } from '../../core/codec.ts'
import type { ApiError } from '../../core/errors.ts'
import { compact } from '../../core/lookup.ts'
import type { ContentBlock, InvalidToolCall, MessageEvent, ToolCall, ToolCallChunk, Usage } from '../../core/model.ts'
import { isNoArguments } from '../../core/tool-call.ts'
import { cutOff } from '../../kit/api-error.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { addPiece, type BlockEvent, newBlock, type OpenBlock, oneAtATime } from '../../kit/one-at-a-time.ts'
import { citationForClient } from './citations.ts'
import { encodeError } from './errors.ts'
import { encodeAnswerBlock, encodeStopReason, encodeUsage } from './response.ts'
import { keptOf } from './scope.ts'
import { format } from './tables.ts'
import type { WireBlock } from './wire.ts'

interface EncodeState {
  readonly reply: Reply
  readonly losses: Losses
  id: string | undefined
  model: string | undefined
  usage: Usage | undefined
  isStarted: boolean
  isEnded: boolean
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
    isEnded: false,
    open: newBlock(),
    nextWire: 0,
    hasCalls: false,
    ids: new Set(),
  }
  const write = oneAtATime((event, out) => writeBlock(state, event, out))
  return {
    push(event, out) {
      if (state.isEnded) return
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
    end: (out) => fail(state, cutOff(), out),
    fail: (error, out) => fail(state, error, out),
    losses: state.losses.list,
  }
}

function fail(state: EncodeState, error: ApiError, out: Frame[]): void {
  if (state.isEnded) return
  state.isEnded = true
  out.push(frame('error', { ...encodeError(error).body }))
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
    usage: encodeUsage(state.usage),
  }
  out.push(frame('message_start', { message }))
}

function finish(state: EncodeState, event: MessageEvent & { type: 'message_end' }, out: Frame[]): void {
  begin(state, out)
  state.isEnded = true
  const { message, response } = event
  const { stop_sequence = null, stop_details, container } = keptOf(response)
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
      endCall(state, block, event.call, out)
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
  out.push(frame('content_block_delta', { index: block.at, delta }))
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

function endCall(state: EncodeState, block: OpenBlock, call: ToolCall, out: Frame[]): void {
  if (block.at === undefined) startCall(state, block, { ...encodeAnswerBlock(call, 'stream', state.losses) }, out)
  if (!isNoArguments(call.argumentsText)) writeArguments(block, call.argumentsText.slice(block.sent), out)
}

/** Reports fields of a block that arrived after the block was opened. */
function noteLateFields(state: EncodeState, path: string, whole: ContentBlock): void {
  if (Object.keys(keptOf(whole)).length === 0) return
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
  const wire =
    content.type === 'text' && content.text === '' ? undefined : encodeAnswerBlock(content, path, state.losses)
  if (wire === undefined) return
  if (block.at !== undefined) noteLateFields(state, path, content)
  if (wire.type === 'thinking') {
    startBlock(state, block, { ...wire, signature: '' }, out)
    if (wire.signature !== '') writeDelta(block, { type: 'signature_delta', signature: wire.signature }, out)
  } else if (content.type === 'text') {
    if (block.at === undefined) {
      startBlock(state, block, { type: 'text', text: '' }, out)
      writeDelta(block, { type: 'text_delta', text: content.text }, out)
    }
    for (const citation of content.citations ?? []) {
      const encoded = citationForClient(citation)
      if (encoded !== undefined) writeDelta(block, { type: 'citations_delta', citation: encoded }, out)
    }
  } else startBlock(state, block, wire, out)
}
