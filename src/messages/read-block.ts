/**
 * Blocks from elsewhere: provider-native parts, other libraries' blocks, data URLs, and our own read back from storage.
 *
 * @module
 */
import { DecodeError } from '../core/errors.ts'
import { compact, field, isObject, lookup } from '../core/json.ts'
import type { ContentBlock, InvalidToolCall, Json, JsonObject } from '../core/messages.ts'
import { proofInOptions } from './ai-sdk-parts.ts'
import { blockOfDataUrl } from './data-url.ts'
import { type Place, shapes, types } from './foreign-blocks.ts'
import { check, contentBlock, fieldsOfBlock, isBlockType } from './schema.ts'
import { unknownFieldsToMetadata } from './unknown-fields.ts'

/** Calls and results share one message there, in forms that change with its versions. */
export const uiMessage =
  "it is a message of the AI SDK's pages; its `convertToModelMessages` makes messages that can be read"

/** Limit nesting of tool results. */
const maxDepth = 8

/**
 * Reads a block of any form: text or a data URL, one of our blocks, or a part of a provider or another library. An unknown type makes an
 * `unknown` block, with everything in it; unknown fields go to `metadata`.
 *
 * @throws {DecodeError} if it is not a block, lacks what its type needs, or is a call whose arguments are not an object.
 */
export function readBlock(value: unknown): ContentBlock {
  const block = readPart(value, { path: '', depth: 0, nextCall: 0 })
  if (block.type !== 'invalid_tool_call') return block
  throw new DecodeError(`Cannot read block: ${block.error}`, { cause: block })
}

/** The same, but an invalid call is kept as an `invalid_tool_call`. */
export function readPart(value: unknown, place: Place): ContentBlock | InvalidToolCall {
  if (place.depth > maxDepth) {
    throw new DecodeError(`Cannot read block: results are nested deeper than ${maxDepth} levels`, { path: place.path })
  }
  if (typeof value === 'string') return blockOfDataUrl(value, place.path) ?? { type: 'text', text: value }
  if (!isObject(value)) {
    throw new DecodeError(`Cannot read block: ${at(place)}text or an object is expected`, { path: place.path })
  }
  const block = translate(value, place)
  if (block.type === 'invalid_tool_call') return block as unknown as InvalidToolCall
  const read = block.type === 'tool_result' ? { ...block, content: readResultContent(block.content, place) } : block
  const tidy = isBlockType(read.type) ? unknownFieldsToMetadata(read, fieldsOfBlock(read.type)) : read
  return check(contentBlock, tidy, 'read block', place.path)
}

/** The content of a result: text, blocks, or a value, which becomes JSON. */
export function readResultContent(value: Json | undefined, place: Place): Json {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (!Array.isArray(value) || !value.every(isForeignPart)) return jsonOf(value, place.path)
  const inside = (at: number): Place => ({
    path: joined(place.path, `content[${at}]`),
    depth: place.depth + 1,
    nextCall: 0,
  })
  return value.map((part, at) => readPart(part, inside(at)) as unknown as Json)
}

function isForeignPart(value: Json): boolean {
  return typeof value === 'string' || typeof field(value, 'type') === 'string'
}

/** A path and what is in it. */
export function joined(path: string, inside: string): string {
  return path === '' ? inside : `${path}.${inside}`
}

/** Renames the fields to ours. Their values are checked afterwards. */
function translate(value: JsonObject, place: Place): JsonObject {
  const { type } = value
  if (typeof type !== 'string') {
    const shape = shapes.find(([key]) => Object.hasOwn(value, key))
    if (shape !== undefined) return shape[1](value, place)
    throw new DecodeError(`Cannot read block: ${at(place)}"type" is missing`, { path: place.path })
  }
  if (type.startsWith('tool-') && value.state !== undefined) {
    const where = at(place)
    throw new DecodeError(`Cannot read block: ${where}${uiMessage}`, { path: place.path })
  }
  const read = lookup(types, type)
  if (read !== undefined) return { ...read(value, place), ...proofInOptions(value.providerOptions) }
  if (isBlockType(type)) return value
  if (type.endsWith('_tool_result')) return serverResult(value, type)
  return { type: 'unknown', format: '', providerType: type, value }
}

/** Anthropic has a type of result for each of its own tools. */
function serverResult(value: JsonObject, type: string): JsonObject {
  const { tool_use_id, content, ...rest } = value
  return {
    ...rest,
    type: 'server_tool_result',
    name: type.slice(0, -'_tool_result'.length),
    ...compact({ toolCallId: tool_use_id, output: content as Json | undefined }),
  }
}

function at({ path }: Place): string {
  return path === '' ? '' : `"${path}": `
}

/** The JSON of a value. A value that is too deep or cyclic has none. */
function jsonOf(value: Json, path: string): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new DecodeError('Cannot read block: a result is not JSON', { path, cause })
  }
}
