/**
 * Gemini: decodes the `contents` of a request into messages.
 *
 * @see https://ai.google.dev/api/caching#Content (read 2026-11)
 *
 * @module
 */
import { DecodeError } from '../../core/errors.ts'
import { compact, field, isObject, otherFields, textOr } from '../../core/lookup.ts'
import type {
  Content,
  ContentBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  ToolMessage,
} from '../../core/model.ts'
import { readCall, textOfArguments } from '../../core/tool-call.ts'
import { nextNumber } from '../../kit/ids.ts'
import { decodePart } from './content.ts'
import { camelNames, camelPart, listOf } from './names.ts'
import { keptFields, type Origin } from './part.ts'
import { knownFields } from './tables.ts'
import { decodeResult, readCallPart } from './tools.ts'

/** The state that is kept from one content to the next. */
interface Reading {
  readonly origin: Origin
  readonly messages: Message[]
  /** Calls of the last model turn that have no result yet. A result without an id belongs to the first of them with its name. */
  pending: { readonly id: string; readonly name: string }[]
  /** The number in the next generated id. */
  nextId: number
  wasModel: boolean
}

/**
 * Reads contents: a list, or a single content. A string is text of the user.
 *
 * @throws {DecodeError} if a value is not a content; the error has its path.
 */
export function decodeContents(contents: Json | undefined, origin: Origin): readonly Message[] {
  const list = typeof contents === 'string' ? [contents] : listOf(contents)
  if (list.length === 0) throw invalid('contents', contents === undefined ? 'it is missing' : 'there is nothing in it')
  const reading: Reading = {
    origin,
    messages: [],
    pending: [],
    nextId: nextNumber(idPrefix, idsIn(list)),
    wasModel: false,
  }
  for (const [at, content] of list.entries()) readContent(reading, content, `contents[${at}]`)
  return reading.messages
}

const roles: Readonly<Record<string, 'user' | 'assistant' | 'system'>> = {
  user: 'user',
  function: 'user', // old clients send results with this role
  tool: 'user',
  model: 'assistant',
  assistant: 'assistant',
  system: 'system',
}

function readContent(reading: Reading, content: Json, path: string): void {
  const given = typeof content === 'string' ? { parts: [{ text: content }] } : content
  if (!isObject(given)) throw invalid(path, 'it is not an object')
  const wire = camelNames(given)
  const name = field(wire, 'role') ?? 'user'
  const role = typeof name === 'string' && Object.hasOwn(roles, name) ? roles[name] : undefined
  if (role === undefined) throw invalid(`${path}.role`, `there is no role ${JSON.stringify(name).slice(0, 40)}`)
  const parts = decodeParts(field(wire, 'parts'), `${path}.parts`)
  const rest = otherFields(wire, knownFields.content)
  const kept = compact({ providerData: rest && keptFields({ content: rest }) })
  if (role === 'assistant') readModelTurn(reading, parts, kept)
  else if (role === 'user') readUserTurn(reading, parts, kept)
  else
    reading.messages.push({ role, content: contentOf(parts.map((part) => decodePart(part, reading.origin))), ...kept })
  reading.wasModel = role === 'assistant'
}

/** Reads the parts of a content, with field names in `camelCase`. Empty parts are left out: they have no meaning. */
export function decodeParts(parts: Json | undefined, path: string): readonly Json[] {
  if (parts !== undefined && parts !== null && typeof parts !== 'object' && typeof parts !== 'string') {
    throw invalid(path, 'it is not an array')
  }
  const list = typeof parts === 'string' ? [parts] : listOf(parts ?? undefined)
  return list
    .map((part) => (typeof part === 'string' ? { text: part } : camelPart(part)))
    .filter((part) => !isObject(part) || Object.keys(part).length > 0)
}

type Kept = Pick<Message, 'providerData'>

function readModelTurn(reading: Reading, parts: readonly Json[], kept: Kept): void {
  if (!reading.wasModel) reading.pending = []
  const content: ContentBlock[] = []
  const invalidToolCalls: InvalidToolCall[] = []
  let index = 0
  for (const part of parts) {
    const wire = field(part, 'functionCall')
    if (!isObject(part) || !isObject(wire)) {
      content.push(decodePart(part, reading.origin))
      continue
    }
    const call = readRequestCall(reading, part, wire, index++)
    if (call.type === 'tool_call') content.push(call)
    else invalidToolCalls.push(call)
  }
  const calls = invalidToolCalls.length > 0 ? { invalidToolCalls } : {}
  reading.messages.push({ role: 'assistant', content: contentOf(content), ...calls, ...kept })
}

function readRequestCall(reading: Reading, part: JsonObject, wire: JsonObject, index: number) {
  const { id: given, name, arguments: args, opaque, providerData } = readCallPart(part, wire, reading.origin)
  const id = given ?? makeId(reading)
  if (name) reading.pending.push({ id, name })
  const argumentsText = typeof args === 'object' ? (textOfArguments(args) ?? '{'.repeat(100)) : (args ?? '')
  return readCall({
    id,
    generatedId: given === undefined,
    name: name ?? undefined,
    argumentsText,
    index,
    opaque,
    providerData,
  })
}

const idPrefix = 'gemini_'

function makeId(reading: Reading): string {
  return `${idPrefix}${reading.nextId++}`
}

function idsIn(contents: readonly Json[]): string[] {
  const parts = contents.flatMap((content) => listOf(field(content, 'parts') ?? undefined))
  const named = ['functionCall', 'function_call', 'functionResponse', 'function_response']
  const ids = parts.flatMap((part) => named.map((name) => field(field(part, name), 'id')))
  return ids.filter((id) => typeof id === 'string')
}

function readUserTurn(reading: Reading, parts: readonly Json[], kept: Kept): void {
  const content: ContentBlock[] = []
  const results: ToolMessage[] = []
  for (const part of parts) {
    const result = field(part, 'functionResponse')
    if (isObject(part) && isObject(result)) results.push(readResult(reading, part, result))
    else content.push(decodePart(part, reading.origin))
  }
  const messages: Message[] = [...results]
  if (content.length > 0 || results.length === 0) messages.push({ role: 'user', content: contentOf(content) })
  for (const [at, message] of messages.entries()) {
    reading.messages.push(at > 0 ? message : { ...message, ...joinKept(message, kept) })
  }
}

function joinKept({ providerData }: Message, kept: Kept): Kept {
  if (kept.providerData === undefined || providerData === undefined) return kept
  return { providerData: { gemini: { ...providerData.gemini, ...kept.providerData.gemini } } }
}

/** Reads a result. It belongs to the call with its id, otherwise to the first open call with its name, otherwise to a call with a new id. */
function readResult(reading: Reading, part: JsonObject, result: JsonObject): ToolMessage {
  const id = textOr(field(result, 'id'), undefined)
  const name = field(result, 'name')
  const at = reading.pending.findIndex((call) => (id === undefined ? call.name === name : call.id === id))
  const [call] = at < 0 ? [] : reading.pending.splice(at, 1)
  const toolCallId = id ?? call?.id ?? makeId(reading)
  return decodeResult(part, result, toolCallId, (media) => decodePart(camelPart(media), reading.origin))
}

/** Returns a string for a single text block without other fields; returns any other blocks unchanged. */
export function contentOf(blocks: readonly ContentBlock[]): Content {
  const [first, second] = blocks
  const isPlain = first?.type === 'text' && second === undefined && Object.keys(first).length === 2
  return isPlain ? first.text : blocks
}

/** @returns the error for an invalid request. `path` is the place in the request, `finding` what is wrong there. */
export function invalid(path: string, finding: string): DecodeError {
  return new DecodeError(`Cannot decode Gemini request: "${path}": ${finding}`, { path })
}
