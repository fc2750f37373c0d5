/**
 * Anthropic Messages: decodes streams.
 *
 * The decoder stores no text, so its state stays small. Only blocks of unknown kinds are stored until they are complete.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/streaming (read 2026-11)
 *
 * @module
 */
import type { CallFragment, DecodeStreamOptions, Fragment, Frame } from '../../core/codec.ts'
import { compact, field, isObject, lookup, objectIn, otherFields, setOwn, stringOr, textOr } from '../../core/lookup.ts'
import type { Json, JsonObject, Usage } from '../../core/model.ts'
import type { Machine } from '../../core/reducer.ts'
import { addend, settleUsage } from '../../core/usage.ts'
import { decodeCitation } from './citations.ts'
import { decodeBlock, proof } from './content.ts'
import { decodeErrorEvent, wrong } from './errors.ts'
import { keptFields, unknownBlock } from './scope.ts'
import { type AnthropicDialect, format, stopReasons } from './tables.ts'

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
  const reader = answerReader(dialect)
  return {
    push({ data, event: name = '' }, out) {
      if (data === '[DONE]') reader.end(out)
      else if (data !== '') reader.read(parseEvent(parse, data), name, out)
    },
    end: reader.end,
  }
}

function parseEvent(parse: (text: string) => unknown, data: string): JsonObject {
  let event: unknown
  let cause: unknown
  try {
    event = parse(data)
  } catch (error) {
    cause = error
  }
  if (!isObject(event)) throw wrong('stream', '', 'an event is not a JSON object', cause)
  return event
}

/** Reads the events of an answer. */
export interface AnswerReader {
  /** `name` is the type of an event that does not have one. */
  read(event: JsonObject, name: string, out: Fragment[]): void
  /** Ends the answer. An answer with a stop reason is complete, even if its last event is missing. */
  end(out: Fragment[]): void
}

/** Returns a reader of one answer. A whole body is read as the message of `message_start`. */
export function answerReader({ provider = format }: AnthropicDialect): AnswerReader {
  /** The proofs of the answer are of the model in `message_start`. */
  const origin = { provider, model: '' }
  let isStarted = false
  let isEnded = false
  /** The usage so far, in Anthropic's fields. A later figure replaces an earlier one. */
  let usage: JsonObject = {}
  let stopReason: string | undefined
  /** The container in `message_start` or `message_delta`. */
  let container: unknown
  let nextKey = 0
  /** Keys of blocks, by their index. A stream that is joined from two streams can use an index for two blocks. */
  const keys = new Map<unknown, number>()
  /** Blocks of unknown kinds, by key, until they are complete. */
  const unknown = new Map<number, JsonObject>()

  return { read, end }

  function read(event: JsonObject, name: string, out: Fragment[]): void {
    switch (field(event, 'type') ?? (name || (event.error && 'error'))) {
      case 'content_block_delta':
        readDelta(keyOf(event), objectIn(event, 'delta'), out)
        break
      case 'content_block_start':
        readStart(event, out)
        break
      case 'content_block_stop':
        readStop(keyOf(event), out)
        break
      case 'message_start':
        readMessage(objectIn(event, 'message'), out)
        break
      case 'message_delta':
        readMessageDelta(event, out)
        break
      case 'message_stop':
        end(out)
        break
      case 'error':
        throw decodeErrorEvent(event, provider)
    }
    // `ping` and unknown types, which Anthropic's documentation says to ignore
  }

  function end(out: Fragment[]): void {
    for (const key of [...unknown.keys()]) readStop(key, out)
    if (isEnded || stopReason === undefined) return
    isEnded = true
    const containerId = textOr(field(container, 'id'), undefined)
    out.push({
      type: 'end',
      stopReason: lookup(stopReasons, stopReason) ?? 'other',
      rawStopReason: stopReason,
      ...compact({ providerState: containerId === undefined ? undefined : { containerId } }),
    })
  }

  // ---- the message ----------------------------------------------------------------------------

  /** Ignores a second message, which a proxy can insert: the blocks after it belong to the same answer. */
  function readMessage(message: JsonObject, out: Fragment[]): void {
    if (isStarted || Object.keys(message).length === 0) return
    isStarted = true
    const { id, type: _, role: _role, model, content, stop_reason: _reason, usage: figures, ...others } = message
    origin.model = textOr(model, '')
    out.push(compact({ type: 'start', id: textOr(id, undefined), model: textOr(model, undefined) }))
    readOthers(others, out)
    readUsage(figures, out)
    if (!Array.isArray(content)) return
    // with programmatic tool calling, `message_start` has blocks
    for (const [index, block] of content.entries()) if (isObject(block)) openBlock(block, index, false, out)
  }

  function readMessageDelta(event: JsonObject, out: Fragment[]): void {
    const { type: _, delta: _delta, usage: figures, ...beside } = event
    const { stop_reason: reason, ...within } = objectIn(event, 'delta')
    readOthers(withoutNulls({ ...beside, ...within }), out)
    readUsage(figures, out)
    stopReason = textOr(reason, stopReason)
  }

  /** Reads fields that isoglot does not know. */
  function readOthers(others: JsonObject, out: Fragment[]): void {
    container = others.container ?? container
    const { providerData } = keptFields(others)
    if (providerData !== undefined) out.push({ type: 'extra', providerData })
  }

  function readUsage(figures: unknown, out: Fragment[]): void {
    if (!isObject(figures)) return
    usage = { ...figures, ...usage, ...withoutNulls(figures) }
    out.push({ type: 'usage', usage: decodeUsage(usage) })
  }

  // ---- blocks ---------------------------------------------------------------------------------

  function keyOf(event: JsonObject): number {
    const index = field(event, 'index')
    return keys.get(index) ?? newKey(index)
  }

  function newKey(index: unknown): number {
    keys.set(index, nextKey)
    return nextKey++
  }

  function readStart(event: JsonObject, out: Fragment[]): void {
    const wire = field(event, 'content_block')
    if (!isObject(wire)) throw wrong('stream', 'content_block', 'is not an object')
    openBlock(wire, field(event, 'index'), true, out)
  }

  /** Reads a block that is complete, or that stays open for its deltas. */
  function openBlock(wire: JsonObject, index: unknown, isOpen: boolean, out: Fragment[]): void {
    const key = newKey(index)
    const type = field(wire, 'type')
    if (type === 'tool_use' || isServerCall(type)) {
      out.push(readCall(wire, key, isOpen))
      if (!isOpen) out.push({ type: 'close', key })
      return
    }
    const block = decodeBlock(wire, origin)
    if (isOpen && block.type === 'unknown') unknown.set(key, wire)
    else out.push(isOpen ? { type: 'block', block, key, open: true } : { type: 'block', block, key })
  }

  function readStop(key: number, out: Fragment[]): void {
    const wire = unknown.get(key)
    unknown.delete(key)
    out.push(wire === undefined ? { type: 'close', key } : { type: 'block', block: unknownBlock(wire), key })
  }

  function readDelta(key: number, delta: JsonObject, out: Fragment[]): void {
    const block = unknown.size === 0 ? undefined : unknown.get(key)
    if (block !== undefined) {
      unknown.set(key, withDelta(block, delta))
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
        if (signature !== '') out.push({ type: 'patch', key, opaque: proof({ signature }, origin) })
        return
      }
      case 'citations_delta': {
        const citation = field(delta, 'citation')
        if (isObject(citation)) out.push({ type: 'patch', key, citations: [decodeCitation(citation)] })
      }
    }
  }
}

function readCall(wire: JsonObject, key: number, isOpen: boolean): Fragment {
  const { type = null, id, name, input: given, ...others } = wire
  const isServers = isServerCall(type)
  const input = readInput(given)
  // In a stream, `{}` is a placeholder: the deltas bring the input. Any other value is the complete input.
  const isPlaceholder = isOpen && isObject(input) && Object.keys(input).length === 0
  return compact({
    type: 'call',
    key,
    id: textOr(id, null),
    name: textOr(name, null),
    server: isServers || undefined,
    arguments: isPlaceholder ? undefined : input,
    // The type of a call that the provider runs also names its server.
    ...keptFields(isServers ? { ...others, type } : others),
  })
}

/** Whether a block of this type is a call that the provider runs: `server_tool_use`, `mcp_tool_use`. */
export function isServerCall(type: unknown): boolean {
  return stringOr(type, '').endsWith('_tool_use')
}

/** Reads the input of a call: an object, text if the host sends text, or `undefined` if it is absent. */
export function readInput(input: Json | undefined): CallFragment['arguments'] {
  if (input === undefined || input === null) return undefined
  return isObject(input) ? input : stringOr(input, JSON.stringify(input))
}

/** Decodes usage, in tokens. This format counts cached input separately. `inputTokens` of isoglot is the sum. */
function decodeUsage(wire: JsonObject): Usage {
  const figures = wire as Readonly<Record<string, number | undefined>>
  const { cache_read_input_tokens: cacheReadTokens, cache_creation_input_tokens: cacheWriteTokens } = figures
  const { input_tokens: uncached, output_tokens: outputTokens } = figures
  // `null` counts as absent.
  const inputTokens = (uncached ?? Number.NaN) + addend(cacheReadTokens) + addend(cacheWriteTokens)
  const reasoningTokens = field(wire.output_tokens_details, 'thinking_tokens') as number | undefined
  const totalTokens = inputTokens + (outputTokens ?? Number.NaN)
  return {
    ...settleUsage({ inputTokens, outputTokens, totalTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens }),
    providerData: { [format]: wire },
  }
}

function withoutNulls(fields: JsonObject): JsonObject {
  return otherFields(fields, { has: (name) => fields[name] === null }) ?? {}
}

function piece(delta: JsonObject, name: string): string {
  const text = field(delta, name) ?? ''
  if (typeof text === 'string') return text
  throw wrong('stream', `delta.${name}`, 'is not a string')
}

/** Adds a delta to a block of an unknown kind. Text is appended. Other values are replaced. */
function withDelta(block: JsonObject, { type, ...fields }: JsonObject): JsonObject {
  const grown = { ...block }
  for (const [name, value] of Object.entries(fields)) {
    const before = type === 'compaction_delta' ? undefined : field(block, name) // each of these is complete
    setOwn(grown, name, typeof before === 'string' && typeof value === 'string' ? before + value : value)
  }
  return grown
}
