/**
 * OpenAI Responses: turns the stream events of isoglot into the events of this format. A gateway uses it to answer.
 *
 * Each block becomes an item with its own index, id and events, so the events of open blocks may alternate. The official client checks
 * three things: the id of an item stays the same, each part is announced, and the last event repeats the whole answer.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 *
 * @module
 */
import type { Frame, Reply, StreamEncoder } from '../../core/codec.ts'
import type { ApiError } from '../../core/errors.ts'
import { arrayOf, field, stringOr } from '../../core/lookup.ts'
import type {
  ChatResponse,
  ContentBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  MessageEvent,
  ToolCall,
} from '../../core/model.ts'
import { isNoArguments } from '../../core/tool-call.ts'
import { cutOff } from '../../kit/api-error.ts'
import { newLosses, reportLoss } from '../../kit/losses.ts'
import { keptFields } from './content.ts'
import {
  closeItem,
  type EncoderState,
  itemsOf,
  type OpenItem,
  openItem,
  release,
  send,
  sendPart,
  sendWhole,
} from './encode-items.ts'
import { encodeError } from './errors.ts'
import { encodeUsage, ending, skeleton } from './response.ts'
import { target } from './tables.ts'
import { customCall } from './tools.ts'

/** Creates an encoder for one answer. */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncoderState = {
    reply,
    losses: newLosses(target, false),
    identity: reply,
    sequence: 0,
    isStarted: false,
    isEnded: false,
    output: [],
    open: new Map(),
    waiting: new Map(),
    custom: new Set(),
    held: undefined,
    count: 0,
  }
  return {
    push(event, out) {
      if (state.isEnded) return
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
    end: (out) => fail(state, cutOff(), out),
    fail: (error, out) => fail(state, error, out),
    losses: state.losses.list,
  }
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

function finish(state: EncoderState, response: ChatResponse, out: Frame[]): void {
  release(state, out)
  const whole = {
    ...skeleton(response, state.identity),
    ...ending(response, state.losses),
    output: state.output,
    usage: encodeUsage(response.usage),
  }
  const isOtherEnd = whole.status === 'incomplete' || whole.status === 'failed'
  const type = isOtherEnd ? `response.${whole.status}` : 'response.completed'
  send(state, type, { response: whole as unknown as Json }, out)
  state.isEnded = true
}

/** Sends an `error` event in the documented flat form. Then sends the answer so far, with the status `failed`. */
function fail(state: EncoderState, error: ApiError, out: Frame[]): void {
  if (state.isEnded) return
  if (!state.isStarted) begin(state, { type: 'message_start' }, out)
  const { message, code, param } = encodeError(error).body.error
  const failed = { code: code ?? 'server_error', message }
  send(state, 'error', { code, message, param }, out)
  const response = {
    ...emptyAnswer(state),
    status: 'failed',
    error: failed,
    incomplete_details: null,
    output: state.output,
  }
  send(state, 'response.failed', { response }, out)
  state.isEnded = true
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
  const type = event.refusal ? 'response.refusal.delta' : 'response.output_text.delta'
  const logprobs = event.refusal ? {} : { logprobs: [] }
  sendPart(state, opened, type, { content_index: 0, delta: event.text, ...logprobs }, out)
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
  sendPart(state, opened, 'response.reasoning_summary_text.delta', { summary_index: 0, delta }, out)
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

/** Announces a call at its first chunk with arguments, because its name may come in several chunks. Then sends the arguments. */
function addChunk(state: EncoderState, event: MessageEvent & { type: 'tool_call_chunk' }, out: Frame[]): void {
  const { chunk, index } = event
  if (chunk.type === 'server_tool_call_chunk') return
  release(state, out)
  if (keptFields(chunk).type === customCall) state.custom.add(index)
  if (state.custom.has(index)) return
  const delta = chunk.argumentsDelta ?? ''
  let opened = state.open.get(index)
  const text = (state.waiting.get(index) ?? '') + delta
  if (opened === undefined) {
    if (text === '' || !chunk.id || !chunk.name) {
      state.waiting.set(index, text)
      return
    }
    state.waiting.delete(index)
    opened = openCall(state, index, { call_id: chunk.id, name: chunk.name }, out)
  }
  sendArguments(state, opened, opened.text === '' ? text : delta, out)
}

function openCall(state: EncoderState, block: number, call: JsonObject, out: Frame[]): OpenItem {
  return openItem(state, block, { type: 'function_call', status: 'in_progress', arguments: '', ...call }, out)
}

function sendArguments(state: EncoderState, opened: OpenItem, delta: string, out: Frame[]): void {
  if (delta === '') return
  opened.text += delta
  sendPart(state, opened, 'response.function_call_arguments.delta', { delta }, out)
}

function finishCall(state: EncoderState, block: number, call: ToolCall | InvalidToolCall, out: Frame[]): void {
  release(state, out)
  const isValid = call.type === 'tool_call'
  const [item] = isValid ? itemsOf(state, [call]) : itemsOf(state, [], [call])
  const begun = state.open.get(block)
  state.waiting.delete(block)
  if (item === undefined && begun === undefined) return // the call has no name: `itemsOf` reported the loss
  if (begun === undefined && item?.type === customCall) {
    finishCustomCall(state, block, item, out)
    return
  }
  if (item !== undefined && item.type !== 'function_call') {
    reportLoss(
      state.losses,
      'changed',
      `message.content[${block}]`,
      'a custom call was announced as a function call',
      'info',
    )
  }
  const announced = begun?.item ?? { call_id: item?.call_id ?? '', name: item?.name ?? '' }
  const { call_id = '', name = '' } = announced
  const opened = begun ?? openCall(state, block, { call_id, name }, out)
  const given = isValid && isNoArguments(call.argumentsText) ? '{}' : call.argumentsText
  const text = given.startsWith(opened.text) ? given : opened.text
  sendArguments(state, opened, text.slice(opened.text.length), out)
  sendPart(state, opened, 'response.function_call_arguments.done', { arguments: text, name }, out)
  const status = isValid ? 'completed' : 'incomplete'
  closeItem(state, block, opened, { ...item, type: 'function_call', status, call_id, name, arguments: text }, out)
}

function finishCustomCall(state: EncoderState, block: number, item: JsonObject, out: Frame[]): void {
  const input = stringOr(item.input, '')
  const opened = openItem(state, block, { ...item, status: 'in_progress', input: '' }, out)
  if (input !== '') sendPart(state, opened, 'response.custom_tool_call_input.delta', { delta: input }, out)
  sendPart(state, opened, 'response.custom_tool_call_input.done', { input }, out)
  closeItem(state, block, opened, { status: 'completed', ...item }, out)
}

// ---- whole blocks -----------------------------------------------------------------------------

function finishBlock(state: EncoderState, index: number, block: ContentBlock, out: Frame[]): void {
  const call = state.held
  if (block.type === 'server_tool_result' && call !== undefined && call.id === block.toolCallId) {
    state.held = undefined
    for (const item of itemsOf(state, [call, block])) sendWhole(state, item, out)
    return
  }
  release(state, out)
  if (block.type === 'server_tool_call') {
    state.held = block
    return
  }
  const [item] = itemsOf(state, [block])
  if (item === undefined) return
  if (block.type === 'text' || block.type === 'plain_text') finishMessage(state, index, item, out)
  else if (block.type === 'reasoning') finishReasoning(state, index, block.text, item, out)
  else sendWhole(state, item, out)
}
