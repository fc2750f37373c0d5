/**
 * Bedrock Converse: reads streams. Calls and results have a start event. Text, reasoning and citations start with their first delta.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html (read 2026-11)
 *
 * @module
 */
import type { DecodeStreamOptions, Fragment, Frame } from '../../core/codec.ts'
import { DecodeError } from '../../core/errors.ts'
import { arrayOf, field, isObject, numberOr, textOr } from '../../core/lookup.ts'
import type { Json, JsonObject } from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import { decodeBlock, decodeCitation, decodeServerResult, objectAt, proof, stringAt } from './content.ts'
import { decodeException } from './errors.ts'
import { endFragment, type LastText, readExtra } from './response.ts'
import { readCallFragment } from './tools.ts'

/** State that is kept from event to event. */
interface DecodeState {
  isStarted: boolean
  /** The text that is still open, and its length in UTF-16 units. It stays open because its citations may be in the next block. */
  text: { readonly key: number; length: number } | undefined
  /** Citations by the key of their block. They are stored until their text is complete. */
  citations: { readonly key: number; readonly citation: JsonObject }[]
  /** The keys of reasoning blocks that have started. */
  readonly reasoning: Set<number>
  /** Results of tools that Bedrock ran. They are stored until they are complete. */
  readonly results: Map<number, JsonObject>
  /** Blocks of all other types, such as images. They are stored until they are complete. */
  readonly others: Map<number, JsonObject>
  stopReason: string | undefined
  isEnded: boolean
}

/**
 * Decodes one answer.
 *
 * @throws {ApiError} if an exception arrives, which can come after status 200 and part of the answer.
 * @throws {DecodeError} if an event is not a JSON object, or does not have a required field.
 */
export function decodeStream({ parse = JSON.parse }: DecodeStreamOptions = {}): Machine<Frame, Fragment> {
  const state: DecodeState = {
    isStarted: false,
    text: undefined,
    citations: [],
    reasoning: new Set(),
    results: new Map(),
    others: new Map(),
    stopReason: undefined,
    isEnded: false,
  }
  return {
    push({ event = '', data }, out) {
      const body = parseEvent(parse, data)
      if (event.startsWith('exception:')) throw decodeException(event.slice('exception:'.length), body)
      readEvent(state, event, body, out)
    },
    end(out) {
      endBlocks(state, out)
      end(state, out)
    },
  }
}

function parseEvent(parse: (text: string) => unknown, data: string): JsonObject {
  let event: unknown
  try {
    event = data === '' ? {} : parse(data)
  } catch (cause) {
    throw new DecodeError('Cannot decode Bedrock stream: an event is not JSON', { cause })
  }
  if (!isObject(event)) throw new DecodeError('Cannot decode Bedrock stream: an event is not an object')
  return event
}

function readEvent(state: DecodeState, type: string, event: JsonObject, out: Fragment[]): void {
  const key = numberOr(field(event, 'contentBlockIndex'), 0)
  switch (type) {
    case 'contentBlockDelta':
      readDelta(state, key, objectAt(field(event, 'delta'), 'delta', 'stream'), out)
      return
    case 'messageStart':
      if (!state.isStarted) out.push({ type: 'start' })
      state.isStarted = true
      return
    case 'contentBlockStart':
      readStart(state, key, field(event, 'start'), out)
      return
    case 'contentBlockStop':
      readStop(state, key, out)
      return
    case 'messageStop': {
      endBlocks(state, out)
      const { stopReason, ...more } = event
      readExtra(more, out)
      state.stopReason = stringAt(stopReason, 'stopReason', 'stream')
      return
    }
    case 'metadata':
      readExtra(event, out)
      end(state, out)
  }
  // `initial-response` and unknown types are ignored.
}

/** Ends the answer. Bedrock sends the usage after the stop reason. An answer without usage is still complete. */
function end(state: DecodeState, out: Fragment[]): void {
  if (state.stopReason === undefined || state.isEnded) return
  state.isEnded = true
  out.push(endFragment(state.stopReason))
}

/** Ends all open blocks at the end of the answer, in case their own end event did not arrive. */
function endBlocks(state: DecodeState, out: Fragment[]): void {
  const [lone] = state.citations
  if (lone !== undefined && state.text === undefined) {
    state.text = { key: lone.key, length: 0 } // no text came before its citations
    out.push({ type: 'text', key: lone.key, text: '' })
  }
  for (const key of [...state.results.keys(), ...state.others.keys()]) readStop(state, key, out)
  closeText(state, -1, out)
}

/** Ends the open text when the block `key` starts. The text gets the stored citations, except those of the block `key`. */
function closeText(state: DecodeState, key: number, out: Fragment[]): void {
  closeCitations(state, (at) => at !== key, out)
  if (state.text !== undefined) out.push({ type: 'close', key: state.text.key })
  state.text = undefined
}

function readStart(state: DecodeState, key: number, start: Json | undefined, out: Fragment[]): void {
  const use = field(start, 'toolUse')
  const result = field(start, 'toolResult')
  if (isObject(use)) {
    closeText(state, key, out)
    out.push({ ...readCallFragment(use), key })
  } else if (isObject(result)) {
    closeText(state, key, out)
    state.results.set(key, { ...result, content: [] })
  } else addOther(state, key, start, out)
}

function readDelta(state: DecodeState, key: number, delta: JsonObject, out: Fragment[]): void {
  const { text, toolUse, reasoningContent, citation, toolResult } = delta
  if (typeof text === 'string') addText(state, key, text, out)
  else if (toolUse !== undefined && toolUse !== null) {
    const piece = field(toolUse, 'input')
    const args = isObject(piece) ? piece : stringAt(piece, 'delta.toolUse.input', 'stream')
    if (args !== '') out.push({ type: 'call', key, arguments: args })
  } else if (isObject(reasoningContent)) addReasoning(state, key, reasoningContent, out)
  else if (isObject(citation)) state.citations.push({ key, citation })
  else if (Array.isArray(toolResult)) {
    const before = state.results.get(key) ?? {}
    state.results.set(key, { ...before, content: [...arrayOf(before.content), ...toolResult] })
  } else if (isObject(delta.image) || state.others.has(key)) addOther(state, key, delta, out)
}

/** Adds a part to a block of another type, such as an image. Strings, such as base64, are appended. An empty start event is ignored. */
function addOther(state: DecodeState, key: number, part: Json | undefined, out: Fragment[]): void {
  if (!isObject(part) || !Object.values(part).some(isObject)) return
  closeText(state, key, out)
  state.others.set(key, grown(state.others.get(key), part) as JsonObject)
}

function grown(before: Json | undefined, part: Json): Json {
  if (typeof before === 'string' && typeof part === 'string') return before + part
  if (!isObject(before) || !isObject(part)) return part
  return {
    ...before,
    ...Object.fromEntries(Object.entries(part).map(([name, one]) => [name, grown(field(before, name), one)])),
  }
}

/** Adds a piece of text. Empty deltas are common, so they are ignored. A block that has only empty deltas is not reported. */
function addText(state: DecodeState, key: number, text: string, out: Fragment[]): void {
  if (text === '') return
  if (state.text?.key !== key) {
    closeText(state, key, out)
    state.text = { key, length: 0 }
  }
  state.text.length += text.length
  out.push({ type: 'text', key, text })
}

function addReasoning(state: DecodeState, key: number, content: JsonObject, out: Fragment[]): void {
  const { text, signature, redactedContent } = content
  closeText(state, key, out)
  if (typeof redactedContent === 'string') {
    if (redactedContent === '') return
    out.push({ type: 'block', block: { type: 'reasoning', text: '', opaque: proof({ redactedContent }) } })
    return
  }
  if (!state.reasoning.has(key)) out.push({ type: 'block', key, open: true, block: { type: 'reasoning', text: '' } })
  state.reasoning.add(key)
  if (typeof text === 'string' && text !== '') out.push({ type: 'reasoning', key, text })
  const whole = textOr(signature, undefined) // a later signature replaces an earlier one
  if (whole !== undefined) out.push({ type: 'patch', key, opaque: proof({ signature: whole }) })
}

/** Emits the stored citations of the blocks that `isDue` selects. A block without text has citations for the text before it. */
function closeCitations(state: DecodeState, isDue: (key: number) => boolean, out: Fragment[]): void {
  const last: LastText | undefined = state.text
  const due = state.citations.filter(({ key }) => isDue(key))
  if (due.length === 0 || last === undefined) return
  state.citations = state.citations.filter(({ key }) => !isDue(key))
  out.push({
    type: 'patch',
    key: last.key,
    citations: due.map(({ citation }) => decodeCitation(citation, last.length)),
  })
}

function readStop(state: DecodeState, key: number, out: Fragment[]): void {
  closeCitations(state, () => true, out)
  const result = state.results.get(key)
  const other = state.others.get(key)
  state.results.delete(key)
  state.others.delete(key)
  if (other !== undefined) out.push({ type: 'block', block: decodeBlock(other) })
  else if (result !== undefined) out.push({ type: 'block', block: decodeServerResult(result) })
  else if (state.text?.key !== key) out.push({ type: 'close', key })
}
