/**
 * OpenAI Chat Completions: encodes events to chunks. This format allows several open calls, so only a call without an id or name must
 * wait.
 *
 * @module
 */
import type { Frame, Reply, StreamEncoder } from '../../core/codec.ts'
import type { ApiError } from '../../core/errors.ts'
import { arrayOf, compact, isObject, objectIn } from '../../core/lookup.ts'
import type {
  ChatResponse,
  ContentBlock,
  InvalidToolCall,
  JsonObject,
  MessageEvent,
  TextBlock,
  ToolCall,
  ToolCallChunk,
  Usage,
} from '../../core/model.ts'
import { cutOff } from '../../kit/api-error.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { kept } from './content.ts'
import type { Encoding } from './dialect.ts'
import { openai } from './dialects.ts'
import { encodeError } from './errors.ts'
import {
  checkAnswerBlock,
  encodeAnnotations,
  executedTools,
  finishReason,
  identity,
  reasoningDetails,
} from './response.ts'
import { format } from './tables.ts'
import { encodeCall } from './tools.ts'
import { encodeUsage } from './usage.ts'

/** A call that is being written. */
interface CallOut {
  /** Its index in the output. */
  readonly index: number
  isOpen: boolean
  /** Whether the call is held back until it ends, since it is not of a function and its chunks cannot be sent unchanged. */
  isHeld: boolean
  /** The arguments sent so far. Before the call is open: the arguments held back. */
  text: string
}

interface EncodeState {
  readonly reply: Reply
  readonly losses: Losses
  /** The first fields of every chunk. */
  head: JsonObject
  isStarted: boolean
  isEnded: boolean
  hasRefusal: boolean
  /** The calls by the index of their block. */
  readonly calls: Map<number, CallOut>
  /** The length of the text so far, in UTF-16 code units, for the offsets of citations. */
  said: number
  readonly saidBefore: Map<number, number>
}

/** Writes one answer as a stream. */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncodeState = {
    reply,
    losses: newLosses(openai.title, false),
    head: {},
    isStarted: false,
    isEnded: false,
    hasRefusal: false,
    calls: new Map(),
    said: 0,
    saidBefore: new Map(),
  }
  return {
    push(event, out) {
      if (state.isEnded) return
      switch (event.type) {
        case 'message_start':
          return begin(state, event, out)
        case 'text_delta':
          return sendText(state, event, out)
        case 'reasoning_delta':
          return send(state, { reasoning_content: event.text }, out)
        case 'tool_call_chunk':
          if (event.chunk.type === 'tool_call_chunk') sendChunk(state, event.index, event.chunk, out)
          return
        case 'tool_call':
        case 'invalid_tool_call':
          return sendRest(state, event.index, event.call, out)
        case 'content_block':
          return sendBlock(state, event.index, event.block, out)
        case 'message_end':
          return finish(state, event.response, out)
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
  out.push({ data: JSON.stringify(encodeError(error).body) })
}

function begin(state: EncodeState, head: { readonly id?: string; readonly model?: string }, out: Frame[]): void {
  if (state.isStarted) return
  state.isStarted = true
  const { id, model } = head
  const response = compact({ id, model })
  state.head = {
    ...identity({ role: 'assistant', content: null, response }, state.reply),
    object: 'chat.completion.chunk',
  }
  pushChunk(state, { role: 'assistant', content: '' }, out)
}

function send(state: EncodeState, delta: JsonObject, out: Frame[]): void {
  if (!state.isStarted) begin(state, {}, out)
  pushChunk(state, delta, out)
}

function pushChunk(state: EncodeState, delta: JsonObject, out: Frame[]): void {
  const choices = [{ index: 0, delta, finish_reason: null }]
  out.push({ data: JSON.stringify({ ...state.head, choices }) })
}

// ---- text and other blocks --------------------------------------------------------------------

function sendText(state: EncodeState, event: MessageEvent & { type: 'text_delta' }, out: Frame[]): void {
  const { index, text, refusal } = event
  if (refusal) {
    state.hasRefusal = true
    send(state, { refusal: text }, out)
    return
  }
  if (!state.saidBefore.has(index)) state.saidBefore.set(index, state.said)
  state.said += text.length
  send(state, { content: text }, out)
}

function sendBlock(state: EncodeState, index: number, block: ContentBlock, out: Frame[]): void {
  const path = `message.content[${index}]`
  checkAnswerBlock(block, path, state)
  switch (block.type) {
    case 'text':
      sendCitations(state, index, block, out)
      return
    case 'reasoning': {
      const details = reasoningDetails(block)
      if (details.length > 0) send(state, { reasoning_details: details }, out)
      return
    }
    case 'audio': {
      const { id = '', data = '', transcript = '' } = block
      send(state, { audio: { expires_at: 0, ...kept(block), id, data, transcript } }, out)
      return
    }
    case 'image': {
      const url = block.data === undefined ? block.url : `data:${block.mimeType ?? 'image/png'};base64,${block.data}`
      if (url !== undefined) send(state, { images: [{ type: 'image_url', image_url: { url } }] }, out)
      return
    }
    case 'server_tool_call': {
      const executed = executedTools(block)
      if (executed.length > 0) send(state, { executed_tools: [...executed] }, out)
      return
    }
    case 'unknown':
      if (block.format === format) {
        reportLoss(state.losses, 'dropped', path, 'a stream has only text where a whole answer may have parts')
      }
  }
}

function sendCitations(state: EncodeState, index: number, block: TextBlock, out: Frame[]): void {
  const before = state.saidBefore.get(index) ?? 0
  const annotations = encodeAnnotations([{ type: 'text', text: '' }, block]).map(({ type, url_citation: citation }) => {
    const { start_index: start, end_index: end } = citation
    return { type, url_citation: { ...citation, start_index: start + before, end_index: end + before } }
  })
  if (annotations.length > 0) send(state, { annotations }, out)
}

// ---- calls ------------------------------------------------------------------------------------

function callOut(state: EncodeState, index: number): CallOut {
  let call = state.calls.get(index)
  if (call === undefined) {
    call = { index: state.calls.size, isOpen: false, isHeld: false, text: '' }
    state.calls.set(index, call)
  }
  return call
}

/** Clients read id, type and name once. So the first chunk of a call is sent with its first arguments, when the name is complete. */
function sendChunk(state: EncodeState, index: number, chunk: ToolCallChunk, out: Frame[]): void {
  const call = callOut(state, index)
  const { id, name, argumentsDelta = '' } = chunk
  if (kept(chunk)?.type !== undefined) call.isHeld = true
  if (argumentsDelta === '' || call.isHeld) return
  call.text += argumentsDelta
  if (call.isOpen) {
    sendCall(state, call, { function: { arguments: argumentsDelta } }, out)
    return
  }
  if (id === undefined || name === undefined) return
  call.isOpen = true
  sendCall(state, call, { id, type: 'function', function: { name, arguments: call.text } }, out)
}

/** Sends the rest of a call: everything that its chunks did not have. */
function sendRest(state: EncodeState, index: number, ended: ToolCall | InvalidToolCall, out: Frame[]): void {
  const call = callOut(state, index)
  const whole = encodeCall(ended, wire(state))
  const proof = ended.opaque?.format === format ? ended.opaque.data : {}
  if (!call.isOpen) {
    if (ended.name === undefined) {
      reportLoss(state.losses, 'invented', `message.invalidToolCalls[${ended.index}].name`, 'a call must have a name')
    }
    sendCall(state, call, { ...whole, ...proof }, out)
    return
  }
  const text = ended.argumentsText
  const rest = text.startsWith(call.text) ? text.slice(call.text.length) : ''
  const { type: _, ...own } = kept(ended) ?? {}
  const more = { ...own, ...proof }
  if (rest !== '' || Object.keys(more).length > 0) {
    sendCall(state, call, { ...more, function: { ...objectIn(own, 'function'), arguments: rest } }, out)
  }
}

function sendCall(state: EncodeState, call: CallOut, fields: JsonObject, out: Frame[]): void {
  send(state, { tool_calls: [{ index: call.index, ...fields }] }, out)
}

function wire({ losses }: EncodeState): Encoding {
  return { dialect: openai, model: '', losses }
}

// ---- the end ----------------------------------------------------------------------------------

function finish(state: EncodeState, response: ChatResponse, out: Frame[]): void {
  begin(state, response.message.response ?? {}, out)
  state.isEnded = true
  const { choices, ...own } = kept(response) ?? {}
  const choice = arrayOf(choices)[0]
  const last = {
    ...(isObject(choice) ? choice : {}),
    index: 0,
    delta: {},
    finish_reason: finishReason(response, state.calls.size > 0, state.losses),
  }
  out.push({ data: JSON.stringify({ ...own, ...state.head, choices: [last] }) })
  if (response.usage !== undefined && state.reply.includeUsage !== false) sendUsage(state, response.usage, out)
  out.push({ data: '[DONE]' })
}

function sendUsage(state: EncodeState, usage: Usage, out: Frame[]): void {
  out.push({ data: JSON.stringify({ ...state.head, choices: [], usage: encodeUsage(usage) }) })
}
