/**
 * Anthropic Messages: decodes streams.
 *
 * The decoder stores no text, so its state stays small. Only blocks of unknown kinds are stored until they are complete.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming (read 2026-11)
 *
 * @module
 */
import type { DecodeStreamOptions, Fragment, Frame } from '../../core/codec.ts'
import { DecodeError } from '../../core/errors.ts'
import { field, isObject, otherFields, setOwn, textOr } from '../../core/lookup.ts'
import type { Json, JsonObject } from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import { decodeCitation } from './citations.ts'
import { decodeBlock, signed } from './content.ts'
import { decodeErrorEvent } from './errors.ts'
import { decodeUsage, endFragment, isCall, readBlock, readCallStart, readHead } from './response.ts'
import { unknownBlock } from './scope.ts'
import { type AnthropicDialect, format, knownFields } from './tables.ts'
import { inputOf } from './tools.ts'

/** The decoder's state between two events. */
interface DecodeState {
  readonly provider: string
  /** The model in `message_start`. The answer's proofs are of this model. */
  model: string
  isStarted: boolean
  /** The usage so far, in Anthropic's fields. A later figure replaces an earlier one. */
  usage: JsonObject
  stopReason: string | undefined
  /** The container in `message_start` or `message_delta`. */
  container: unknown
  isEnded: boolean
  nextKey: number
  /** Keys of blocks, by their index. A stream that is joined from two streams can use an index for two blocks. */
  readonly keys: Map<unknown, number>
  /** Blocks of unknown kinds, by key, until they are complete. */
  readonly unknown: Map<number, JsonObject>
}

/**
 * Decodes one answer.
 *
 * @throws {ApiError} at an `error` event. This can happen after status 200 and a part of the answer.
 * @throws {DecodeError} if an event is not a JSON object, or a required field is missing.
 */
export function decodeStream({
  parse = JSON.parse,
  dialect = {},
}: DecodeStreamOptions<AnthropicDialect> = {}): Machine<Frame, Fragment> {
  const state: DecodeState = {
    provider: dialect.provider ?? format,
    model: '',
    isStarted: false,
    usage: {},
    stopReason: undefined,
    container: undefined,
    isEnded: false,
    nextKey: 0,
    keys: new Map(),
    unknown: new Map(),
  }
  return {
    push(frame, out) {
      const { data } = frame
      if (data === '') return
      if (data === '[DONE]') return end(state, out)
      const event = parseEvent(parse, data)
      switch (field(event, 'type') ?? frame.event ?? (event.error ? 'error' : '')) {
        case 'content_block_delta':
          return readDelta(state, event, out)
        case 'content_block_start':
          return readStart(state, event, out)
        case 'content_block_stop':
          return readStop(state, keyOf(state, field(event, 'index')), out)
        case 'message_start':
          return readMessage(state, field(event, 'message'), out)
        case 'message_delta':
          return readMessageDelta(state, event, out)
        case 'message_stop':
          return end(state, out)
        case 'error':
          throw decodeErrorEvent(event, state.provider)
      }
      // `ping` and unknown types, which Anthropic's documentation says to ignore
    },
    end: (out) => end(state, out),
  }
}

function parseEvent(parse: (text: string) => unknown, data: string): JsonObject {
  let event: unknown
  try {
    event = parse(data)
  } catch (cause) {
    throw new DecodeError('Cannot decode Anthropic stream: an event is not valid JSON', { cause })
  }
  if (!isObject(event)) throw new DecodeError('Cannot decode Anthropic stream: an event is not an object')
  return event
}

/** Ends the answer. A stream with a stop reason is complete, even if its last event is missing. */
function end(state: DecodeState, out: Fragment[]): void {
  for (const key of [...state.unknown.keys()]) readStop(state, key, out)
  if (state.isEnded || state.stopReason === undefined) return
  state.isEnded = true
  out.push(endFragment(state.stopReason, state.container))
}

/** Reads `message_start`. Ignores a second one, which a proxy can insert: the blocks after it belong to the same answer. */
function readMessage(state: DecodeState, message: unknown, out: Fragment[]): void {
  if (state.isStarted || !isObject(message)) return
  state.isStarted = true
  state.model = textOr(field(message, 'model'), '')
  readHead(message, out)
  state.container = field(message, 'container')
  readUsage(state, field(message, 'usage'), out)
  const content = field(message, 'content')
  if (!Array.isArray(content)) return
  for (const [index, block] of content.entries()) {
    if (isObject(block)) readBlock(block, openKey(state, index), state, out) // with programmatic tool calling, `message_start` has blocks
  }
}

function readUsage(state: DecodeState, usage: unknown, out: Fragment[]): void {
  if (!isObject(usage)) return
  state.usage = mergeUsage(state.usage, usage)
  out.push({ type: 'usage', usage: decodeUsage(state.usage) })
}

/** Merges usage. A field that is `null` does not remove an earlier figure. */
function mergeUsage(before: JsonObject, now: JsonObject): JsonObject {
  const merged = { ...before }
  for (const name of Object.keys(now)) {
    if (now[name] !== null || !Object.hasOwn(before, name)) setOwn(merged, name, now[name] as Json)
  }
  return merged
}

function readMessageDelta(state: DecodeState, event: JsonObject, out: Fragment[]): void {
  const delta = field(event, 'delta')
  const extra = {
    ...otherFields(event, knownFields.deltaEvent),
    ...(isObject(delta) && otherFields(delta, knownFields.delta)),
  }
  state.container = extra.container ?? state.container
  const present = otherFields(extra, { has: (name) => extra[name] === null })
  if (present !== undefined) out.push({ type: 'extra', providerData: { [format]: present } })
  readUsage(state, field(event, 'usage'), out)
  state.stopReason = textOr(field(delta, 'stop_reason'), state.stopReason)
}

// ---- blocks -----------------------------------------------------------------------------------

function openKey(state: DecodeState, index: unknown): number {
  const key = state.nextKey++
  state.keys.set(index, key)
  return key
}

function keyOf(state: DecodeState, index: unknown): number {
  return state.keys.get(index) ?? openKey(state, index)
}

function readStart(state: DecodeState, event: JsonObject, out: Fragment[]): void {
  const wire = field(event, 'content_block')
  const path = 'content_block'
  if (!isObject(wire)) throw new DecodeError(`Cannot decode Anthropic stream: "${path}" is not an object`, { path })
  const key = openKey(state, field(event, 'index'))
  if (isCall(wire)) {
    out.push(readCallStart(wire, key), ...givenInput(wire, key))
    return
  }
  const block = decodeBlock(wire, state)
  if (block.type === 'unknown') state.unknown.set(key, wire)
  else out.push({ type: 'block', block, key, open: true })
}

/** Reads the input of a block. `{}` is a placeholder: the deltas bring the input. Any other value is the complete input. */
function givenInput(wire: JsonObject, key: number): Fragment[] {
  const input = inputOf(wire)
  const isPlaceholder = input === undefined || input === '' || (isObject(input) && Object.keys(input).length === 0)
  return isPlaceholder ? [] : [{ type: 'call', key, arguments: input }]
}

function readStop(state: DecodeState, key: number, out: Fragment[]): void {
  const unknown = state.unknown.get(key)
  if (unknown === undefined) {
    out.push({ type: 'close', key })
    return
  }
  state.unknown.delete(key)
  out.push({ type: 'block', block: unknownBlock(unknown), key })
}

function readDelta(state: DecodeState, event: JsonObject, out: Fragment[]): void {
  const delta = field(event, 'delta')
  const key = keyOf(state, field(event, 'index'))
  if (!isObject(delta)) return
  const unknown = state.unknown.size === 0 ? undefined : state.unknown.get(key)
  if (unknown !== undefined) {
    state.unknown.set(key, addTo(unknown, delta))
    return
  }
  switch (field(delta, 'type')) {
    case 'text_delta':
      out.push({ type: 'text', text: piece(delta, 'text'), key })
      return
    case 'input_json_delta': {
      const text = piece(delta, 'partial_json')
      if (text !== '') out.push({ type: 'call', key, arguments: text })
      return
    }
    case 'thinking_delta':
      out.push({ type: 'reasoning', text: piece(delta, 'thinking'), key })
      return
    case 'signature_delta': {
      const signature = piece(delta, 'signature') // complete, so it replaces an earlier one
      if (signature !== '') out.push({ type: 'patch', key, opaque: signed(signature, state) })
      return
    }
    case 'citations_delta': {
      const citation = field(delta, 'citation')
      if (isObject(citation)) out.push({ type: 'patch', key, citations: [decodeCitation(citation)] })
    }
  }
}

function piece(delta: JsonObject, name: string): string {
  const text = field(delta, name)
  if (typeof text === 'string') return text
  if (text === undefined || text === null) return ''
  throw new DecodeError(`Cannot decode Anthropic stream: "delta.${name}" is not a string`, { path: `delta.${name}` })
}

/** Adds a delta to a block of an unknown kind. Text is appended. Other values are replaced. */
function addTo(block: JsonObject, delta: JsonObject): JsonObject {
  const { type, ...fields } = delta
  if (type === 'compaction_delta') return { ...block, ...fields } // complete, so it replaces earlier fields
  const grown = Object.entries(fields).map(([name, value]) => {
    const before = field(block, name)
    return [name, typeof before === 'string' && typeof value === 'string' ? before + value : value] as const
  })
  return { ...block, ...Object.fromEntries(grown) }
}
