/**
 * OpenAI Responses: the items of an answer as a gateway streams it. Each has an index and an id, is announced once and done once.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 *
 * @module
 */
import type { Frame, Reply } from '../../core/codec.ts'
import type { ContentBlock, InvalidToolCall, JsonObject, ServerToolCall } from '../../core/model.ts'
import type { Losses } from '../../kit/losses.ts'
import { idOf, makeId } from './response.ts'
import { format } from './tables.ts'
import { encodeTurn, type TurnScope } from './turns.ts'

/** An item that was announced and is not done. */
export interface OpenItem {
  readonly item: JsonObject
  readonly index: number
  /** The part of it that deltas belong to was announced. */
  hasPart: boolean
  /** Arguments that came, or that wait for the call to have a name. */
  text: string
}

/** State between two events. */
export interface EncoderState {
  readonly reply: Reply
  readonly into: Losses
  /** The fields of the answer in every event that repeats them. */
  identity: Reply
  sequence: number
  isStarted: boolean
  isEnded: boolean
  /** Items that are done, by their index: the last event repeats them. */
  readonly output: JsonObject[]
  readonly open: Map<number, OpenItem>
  /** Arguments of calls that have no name yet, by block. */
  readonly waiting: Map<number, string>
  /** Blocks that are custom calls: their pieces are JSON, and the wire has the free text in it, so they go out when they are whole. */
  readonly custom: Set<number>
  /** A call that the server ran, until its result is known. */
  held: ServerToolCall | undefined
  count: number
}

/** Sends an event under the next number. */
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

/** Says of an announced item that it is done: with the id it was announced with. */
export function closeItem(state: EncoderState, block: number, opened: OpenItem, item: JsonObject, out: Frame[]): void {
  const whole = { ...item, id: opened.item.id ?? null }
  state.open.delete(block)
  state.output[opened.index] = whole
  send(state, 'response.output_item.done', { output_index: opened.index, item: whole }, out)
}

/** Sends an event of an announced item. */
export function sendPart(
  state: EncoderState,
  { item, index }: OpenItem,
  type: string,
  fields: JsonObject,
  out: Frame[],
): void {
  send(state, type, { item_id: item.id ?? null, output_index: index, ...fields }, out)
}

/** An item that comes whole. */
export function sendWhole(state: EncoderState, item: JsonObject, out: Frame[]): void {
  const index = state.count++
  const whole = { id: makeId(String(item.type), responseId(state), index), ...item }
  state.output[index] = whole
  send(state, 'response.output_item.added', { output_index: index, item: whole }, out)
  send(state, 'response.output_item.done', { output_index: index, item: whole }, out)
}

/** The blocks as the items that a whole answer has. */
export function itemsOf(
  state: EncoderState,
  blocks: readonly ContentBlock[],
  invalid: readonly InvalidToolCall[] = [],
): JsonObject[] {
  const scope: TurnScope = {
    into: state.into,
    reader: 'answer',
    proof: (opaque) => (opaque?.format === format ? opaque.data : undefined),
    isOwn: true,
  }
  return encodeTurn(blocks, invalid, 'message', scope)
}

/** Lets go of a call whose result did not follow it. */
export function release(state: EncoderState, out: Frame[]): void {
  if (state.held === undefined) return
  const call = state.held
  state.held = undefined
  for (const item of itemsOf(state, [call])) sendWhole(state, item, out)
}
