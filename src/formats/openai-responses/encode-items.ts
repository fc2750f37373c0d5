/**
 * OpenAI Responses: writes the items of an answer that a gateway streams. Each item has an index and an id. One event announces it
 * (`output_item.added`), and one event completes it (`output_item.done`).
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 *
 * @module
 */
import type { Frame, Reply } from '../../core/codec.ts'
import type { ContentBlock, InvalidToolCall, JsonObject, ServerToolCall } from '../../core/model.ts'
import type { Losses } from '../../kit/losses.ts'
import { encodeAnswer } from './encode-answer.ts'
import { idOf, makeId } from './response.ts'

/** An item that was announced and is not complete yet. */
export interface OpenItem {
  readonly item: JsonObject
  readonly index: number
  /** Whether the part that the deltas belong to was announced. */
  hasPart: boolean
  /** The arguments that were sent so far, as JSON text. Only used for function calls. */
  text: string
}

/** State between two events. */
export interface EncoderState {
  readonly reply: Reply
  readonly losses: Losses
  /** The id, the model and the time of the answer. Several events repeat them. */
  identity: Reply
  sequence: number
  isStarted: boolean
  isEnded: boolean
  /** Complete items, by their index. The last event repeats them. */
  readonly output: JsonObject[]
  /** Announced items that are not complete, by block. */
  readonly open: Map<number, OpenItem>
  /** Arguments of calls that have no id or no name yet, by block. */
  readonly waiting: Map<number, string>
  /** The indexes of blocks that are custom calls. Their chunks are JSON, but the wire needs free text. So they are sent when complete. */
  readonly custom: Set<number>
  /** A call that the server ran. It waits here until its result is known: both are written as one item. */
  held: ServerToolCall | undefined
  /** The number of items that were announced. It is the index of the next item. */
  count: number
}

/** Sends an event with the next sequence number. */
export function send(state: EncoderState, type: string, fields: JsonObject, out: Frame[]): void {
  out.push({ event: type, data: JSON.stringify({ type, sequence_number: state.sequence++, ...fields }) })
}

function responseId({ identity }: EncoderState): string {
  return idOf({ message: { role: 'assistant', content: [] } }, identity)
}

/** Announces the item of a block. */
export function openItem(state: EncoderState, block: number, item: JsonObject, out: Frame[]): OpenItem {
  const index = state.count++
  const id = makeId(String(item.type), responseId(state), index)
  const opened: OpenItem = { item: { id, ...item }, index, hasPart: false, text: '' }
  state.open.set(block, opened)
  send(state, 'response.output_item.added', { output_index: index, item: opened.item }, out)
  return opened
}

/** Completes an announced item. The event repeats the id that the item was announced with. */
export function closeItem(state: EncoderState, block: number, opened: OpenItem, item: JsonObject, out: Frame[]): void {
  const whole = { ...item, id: opened.item.id ?? null }
  state.open.delete(block)
  state.output[opened.index] = whole
  send(state, 'response.output_item.done', { output_index: opened.index, item: whole }, out)
}

/** Sends an event that belongs to an announced item. */
export function sendPart(
  state: EncoderState,
  { item, index }: OpenItem,
  type: string,
  fields: JsonObject,
  out: Frame[],
): void {
  send(state, type, { item_id: item.id ?? null, output_index: index, ...fields }, out)
}

/** Announces and completes an item that is known as a whole. */
export function sendWhole(state: EncoderState, item: JsonObject, out: Frame[]): void {
  const index = state.count++
  const whole = { id: makeId(String(item.type), responseId(state), index), ...item }
  state.output[index] = whole
  send(state, 'response.output_item.added', { output_index: index, item: whole }, out)
  send(state, 'response.output_item.done', { output_index: index, item: whole }, out)
}

/** Turns blocks into the same items that an answer without streaming has. */
export function itemsOf(
  state: EncoderState,
  blocks: readonly ContentBlock[],
  invalid: readonly InvalidToolCall[] = [],
): JsonObject[] {
  return encodeAnswer(blocks, invalid, state.losses)
}

/** Sends the waiting server call, if there is one, without a result: something other than its result followed it. */
export function release(state: EncoderState, out: Frame[]): void {
  if (state.held === undefined) return
  const call = state.held
  state.held = undefined
  for (const item of itemsOf(state, [call])) sendWhole(state, item, out)
}
