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
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  numberOr,
  objectIn,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/lookup.ts'
import type { Json, JsonObject, StopReason, Usage } from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import { settleUsage } from '../../core/usage.ts'
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
import { format, hostedId, hostedName, hostedOf, stopReasons, target } from './tables.ts'
import { argumentsOf, customCall, wrapperName } from './tools.ts'

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

function newState(dialect: ResponsesDialect): StreamState {
  return { ...newReading(dialect, ''), isEnded: false, last: 0, count: 0, highest: -1, items: new Map() }
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
  const state = newState(dialect)
  return {
    push({ data, event: name }, out) {
      if (state.isEnded || data === '' || data.trim() === '[DONE]') return
      const event = readEvent(parse, data)
      const type = stringOr(event.type, name ?? (event.error ? 'error' : ''))
      // The most frequent event needs no lookup. Unknown events, `keepalive` and the progress of hosted tools are skipped.
      const step = type === 'response.output_text.delta' ? addText : lookup(steps, type)
      step?.(state, event, out, type)
    },
    end() {},
  }
}

/** Reads an answer that is not streamed: it is the last event of a stream without other events. */
export function readWhole(response: JsonObject, dialect: ResponsesDialect): Fragment[] {
  const out: Fragment[] = []
  finish(newState(dialect), { response }, out, 'response.completed')
  return out
}

function readEvent(parse: (text: string) => unknown, data: string): JsonObject {
  let event: unknown
  let cause: unknown
  try {
    event = parse(data)
  } catch (error) {
    cause = error
  }
  if (isObject(event)) return event
  throw new DecodeError(`Cannot decode ${target} event: its data is not a JSON object`, { cause })
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
  if (unlessEmpty(extra)) out.push({ type: 'extra', providerData: { [format]: extra } })
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
  const count = (of: unknown, name: string) => field(of, name) as number | undefined // `settleUsage` checks each
  const { input_tokens_details: input, output_tokens_details: output } = usage
  const figures = settleUsage({
    inputTokens: count(usage, 'input_tokens'),
    outputTokens: count(usage, 'output_tokens'),
    totalTokens: count(usage, 'total_tokens'),
    cacheReadTokens: count(input, 'cached_tokens'),
    cacheWriteTokens: count(input, 'cache_write_tokens'),
    reasoningTokens: count(output, 'reasoning_tokens'),
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
  const isCall = hosted ? hosted.input !== undefined : isCustom || type === 'function_call'
  progress.isCall = isCall && item.name !== wrapperName
  if (!progress.isCall) return
  out.push({
    type: 'call',
    key,
    id: hosted ? hostedId(item, hosted) : textOr(item.call_id, null),
    name: hosted ? hostedName(item) : textOr(item.name, null),
    arguments: hosted ? '' : isCustom ? customOpening : argumentsOf(item),
    ...((hosted || isServerCall(item, state.dialect)) && { server: true }),
    ...(isCustom && keeping({ type })),
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
