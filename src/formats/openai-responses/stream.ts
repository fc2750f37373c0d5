/**
 * OpenAI Responses: turns its stream events into fragments of blocks.
 *
 * `output_index` links the events of an item, because some hosts change the item's id from event to event. Deltas are passed on
 * unchanged. When an item is complete, the rest that the deltas did not have is read from it. So the decoder stores only the length of
 * each text, not the text.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 *
 * @module
 */
import type { DecodeStreamOptions, Fragment, Frame } from '../../core/codec.ts'
import { DecodeError } from '../../core/errors.ts'
import { arrayOf, field, isObject, lookup, numberOr, stringOr, textOr } from '../../core/lookup.ts'
import type { Json, JsonObject } from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import { keeping, readAnnotation } from './content.ts'
import { openaiDialect, type ResponsesDialect } from './dialect.ts'
import { midStreamError } from './errors.ts'
import {
  isServerCall,
  newProgress,
  newReading,
  type Progress,
  partBreak,
  type Reading,
  readItem,
  textKey,
} from './items.ts'
import { readEnd, readStart } from './response.ts'
import { hostedId, hostedOf, target } from './tables.ts'
import { argumentsOf, customCall, customOpening, customPiece, wrapperName } from './tools.ts'

/** State between two events. */
interface StreamState extends Reading {
  isStarted: boolean
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

/**
 * Creates a decoder for one answer.
 *
 * @throws {ApiError} at an `error` event, flat or nested, and at `response.failed`. Both can come after half an answer.
 * @throws {DecodeError} at an event that is not a JSON object.
 */
export function decodeStream({
  parse = JSON.parse,
  dialect = openaiDialect,
}: DecodeStreamOptions<ResponsesDialect> = {}): Machine<Frame, Fragment> {
  const state: StreamState = {
    ...newReading(dialect, ''),
    isStarted: false,
    isEnded: false,
    last: 0,
    count: 0,
    highest: -1,
    items: new Map(),
  }
  return {
    push(frame, out) {
      if (state.isEnded || frame.data === '' || frame.data.trim() === '[DONE]') return
      const event = readEvent(parse, frame)
      const type = stringOr(event.type, frame.event ?? (event.error ? 'error' : ''))
      if (type === 'response.output_text.delta') return addText(state, event, 'output_text', out)
      lookup(steps, type)?.(state, event, out) // skips unknown events, `keepalive` and the progress of hosted tools
    },
    end() {},
  }
}

function readEvent(parse: (text: string) => unknown, { data }: Frame): JsonObject {
  let event: unknown
  try {
    event = parse(data)
  } catch (cause) {
    throw new DecodeError(`Cannot decode ${target} event: its data is not JSON`, { cause })
  }
  if (isObject(event)) return event
  throw new DecodeError(`Cannot decode ${target} event: its data is not an object`)
}

type Step = (state: StreamState, event: JsonObject, out: Fragment[]) => void

const steps: Readonly<Record<string, Step>> = {
  'response.created': start,
  'response.queued': start,
  'response.in_progress': start,
  'response.output_item.added': addItem,
  'response.output_item.done': finishItem,
  'response.content_part.added': addPart,
  'response.refusal.delta': (state, event, out) => addText(state, event, 'refusal', out),
  'response.output_text.annotation.added': addAnnotation,
  'response.reasoning_summary_text.delta': (state, event, out) => addReasoning(state, event, 'summary_index', out),
  'response.reasoning_text.delta': (state, event, out) => addReasoning(state, event, 'content_index', out),
  'response.function_call_arguments.delta': addArguments,
  'response.function_call_arguments.done': finishArguments,
  'response.mcp_call_arguments.delta': addArguments,
  'response.mcp_call_arguments.done': finishArguments,
  'response.custom_tool_call_input.delta': addCustomInput,
  'response.completed': finish,
  'response.incomplete': finish,
  'response.cancelled': finish,
  'response.failed': fail,
  error: fail,
}

// ---- the answer -------------------------------------------------------------------------------

function start(state: StreamState, event: JsonObject, out: Fragment[]): void {
  if (state.isStarted) return
  state.isStarted = true
  state.model = textOr(field(event.response, 'model'), '')
  readStart(event.response, out)
}

function finish(state: StreamState, event: JsonObject, out: Fragment[]): void {
  start(state, event, out)
  const response = isObject(event.response) ? event.response : {}
  if (field(response, 'status') === 'failed') fail(state, event, out)
  finishFromOutput(state, arrayOf(field(response, 'output')), out)
  const status = field(response, 'status') ?? String(event.type).slice('response.'.length)
  state.isEnded = true
  readEnd({ ...response, status }, state, out)
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

function fail(state: StreamState, event: JsonObject, _out: Fragment[]): never {
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
    item = newProgress(type, state.count++)
    state.items.set(state.last, item)
  }
  return item
}

function addItem(state: StreamState, event: JsonObject, out: Fragment[]): void {
  if (!isObject(event.item)) return
  const { item } = event
  const progress = itemOf(state, event, stringOr(field(item, 'type'), ''))
  const key = state.last
  if (progress.type === 'reasoning') out.push({ type: 'reasoning', key, text: '' })
  const hosted = hostedOf(item)
  const isCustom = progress.type === customCall
  if (progress.type !== 'function_call' && !isCustom && !hosted) return
  if (field(item, 'name') === wrapperName) {
    progress.part = wrapperName // its calls are known only when it is complete
    return
  }
  const id = hosted ? hostedId(item, hosted) : textOr(field(item, 'call_id'), null)
  const server = (hosted || isServerCall(item, state.dialect)) && { server: true as const }
  const name = textOr(field(item, 'name'), hosted?.name ?? null)
  const given = hosted || isCustom ? '' : argumentsOf(item)
  out.push({ type: 'call', key, id, name, arguments: given, ...server })
}

function finishItem(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const { item } = event
  const type = stringOr(field(item, 'type'), '')
  const progress = itemOf(state, event, type)
  readItem(item as Json, state.last, progress, state, out)
  state.items.delete(state.last)
}

// ---- text and reasoning -----------------------------------------------------------------------

function addText(state: StreamState, event: JsonObject, type: 'output_text' | 'refusal', out: Fragment[]): void {
  const { delta } = event
  if (typeof delta !== 'string' || delta === '') return // some gateways send null
  const { lengths } = itemOf(state, event, 'message')
  const index = numberOr(event.content_index, 0)
  lengths.set(index, (lengths.get(index) ?? 0) + delta.length)
  const key = textKey(state.last, index)
  out.push(type === 'refusal' ? { type: 'text', key, text: delta, refusal: true } : { type: 'text', key, text: delta })
}

/** Opens a text, so that an empty text becomes a block too. */
function addPart(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const type = field(event.part, 'type')
  if (type !== 'output_text' && type !== 'refusal') return
  const { lengths } = itemOf(state, event, 'message')
  const index = numberOr(event.content_index, 0)
  if (!lengths.has(index)) lengths.set(index, 0)
  const refusal = type === 'refusal' && { refusal: true as const }
  out.push({ type: 'text', key: textKey(state.last, index), text: '', ...refusal })
}

function addAnnotation(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const { annotations } = itemOf(state, event, 'message')
  const index = numberOr(event.content_index, 0)
  annotations.set(index, (annotations.get(index) ?? 0) + 1)
  const citations = [readAnnotation(event.annotation ?? null)]
  out.push({ type: 'patch', key: textKey(state.last, index), citations })
}

function addReasoning(
  state: StreamState,
  event: JsonObject,
  indexName: 'summary_index' | 'content_index',
  out: Fragment[],
): void {
  const { delta } = event
  if (typeof delta !== 'string' || delta === '') return
  const progress = itemOf(state, event, 'reasoning')
  const part = `${indexName} ${numberOr(event[indexName], 0)}`
  const length = progress.lengths.get(0) ?? 0
  const text = progress.part !== part && length > 0 ? partBreak + delta : delta
  progress.part = part
  progress.lengths.set(0, length + text.length)
  out.push({ type: 'reasoning', key: state.last, text })
}

// ---- arguments --------------------------------------------------------------------------------

function addArguments(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const { delta } = event
  if (typeof delta !== 'string' || delta === '') return
  if (itemOf(state, event, 'function_call').part === wrapperName) return
  out.push({ type: 'call', key: state.last, arguments: delta })
}

function finishArguments(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const given = event.arguments
  if (typeof given !== 'string') return
  if (itemOf(state, event, 'function_call').part === wrapperName) return
  out.push({ type: 'call', key: state.last, arguments: given, final: true })
}

/** Passes on the free text of a custom call as JSON: it is the value of the argument `input`. */
function addCustomInput(state: StreamState, event: JsonObject, out: Fragment[]): void {
  const { delta } = event
  if (typeof delta !== 'string' || delta === '') return
  const progress = itemOf(state, event, customCall)
  const isFirst = progress.lengths.size === 0
  progress.lengths.set(0, 1)
  out.push({
    type: 'call',
    key: state.last,
    arguments: (isFirst ? customOpening : '') + customPiece(delta),
    ...(isFirst && keeping({ type: customCall })),
  })
}
