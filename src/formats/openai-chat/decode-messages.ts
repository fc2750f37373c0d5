/**
 * OpenAI Chat Completions: decodes the messages of a request.
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import type { Fragment } from '../../core/codec.ts'
import { callsOf } from '../../core/content.ts'
import { DecodeError } from '../../core/errors.ts'
import { arrayOf, compact, field, isObject, lookup, otherFields, stringOr, textOr } from '../../core/lookup.ts'
import type { AssistantMessage, Content, Json, JsonObject, Message, Role, ToolMessage } from '../../core/model.ts'
import { nextNumber } from '../../kit/ids.ts'
import { unmark } from '../../kit/tool-error.ts'
import { kept } from './content.ts'
import { decodeContent } from './decode-content.ts'
import { compatible } from './dialects.ts'
import { AnswerReader } from './read.ts'
import { ownData } from './read-part.ts'
import { format, proofOwners } from './tables.ts'

/** The roles of this format. `function` is the older name of `tool`. */
const roles: Readonly<Record<string, Role>> = {
  system: 'system',
  developer: 'developer',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
}

/** The decoder's state between messages. */
interface Reading {
  /** The number in the next generated id. */
  nextId: number
  /** The id of the latest call of the deprecated form (`function_call`). Its result does not have the id. */
  legacyId: string
  readonly model: string
}

/** Decodes messages. @throws {DecodeError} if the value is not an array of objects with known roles. */
export function decodeMessages(value: unknown, model: string): Message[] {
  if (!Array.isArray(value)) {
    throw new DecodeError(`Cannot decode ${format} request: "messages" is not an array`, { path: 'messages' })
  }
  const reading: Reading = { nextId: nextNumber(idPrefix, value.flatMap(idsIn)), legacyId: '', model }
  return value.map((message, at) => decodeMessage(message, `messages[${at}]`, reading))
}

const idPrefix = 'call_'

function idsIn(message: unknown): string[] {
  const calls = arrayOf(field(message, 'tool_calls')).map((call) => field(call, 'id'))
  return [...calls, field(message, 'tool_call_id')].filter((id) => typeof id === 'string')
}

const messageFields: ReadonlySet<string> = new Set(['role', 'content', 'name', 'tool_calls'])
const resultFields: ReadonlySet<string> = new Set(['role', 'content', 'name', 'tool_call_id'])

function decodeMessage(message: unknown, path: string, reading: Reading): Message {
  const role = lookup(roles, field(message, 'role'))
  if (!isObject(message) || role === undefined) {
    const finding = isObject(message) ? `role is ${JSON.stringify(message.role)?.slice(0, 40)}` : 'it is not an object'
    throw new DecodeError(`Cannot decode ${format} request: "${path}" is not a message: ${finding}`, { path })
  }
  if (role === 'assistant') return decodeAssistant(message, path, reading)
  const content = decodeContent(message.content, `${path}.content`)
  const name = textOr(message.name, undefined)
  if (role === 'tool') return decodeResult(message, content, name, reading)
  const others = otherFields(withoutNulls(message), messageFields)
  return compact({ role, content, name, providerData: ownData(others) })
}

/** Returns the message without fields whose value is null. */
function withoutNulls(message: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null))
}

function decodeResult(message: JsonObject, content: Content, name: string | undefined, reading: Reading): ToolMessage {
  const { content: plain, isError } = unmark(content)
  const others = otherFields(withoutNulls(message), resultFields)
  return compact({
    role: 'tool',
    toolCallId: textOr(message.tool_call_id, reading.legacyId),
    name,
    content: plain,
    status: isError ? 'error' : undefined,
    providerData: ownData(others),
  })
}

/** Reads an assistant's message in the same way as an answer: calls, reasoning and unknown fields. */
function decodeAssistant(message: JsonObject, path: string, reading: Reading): AssistantMessage {
  const { name, content, ...fields } = message
  const reader = new AnswerReader(compatible, true)
  reader.model = reading.model
  const fragments: Fragment[] = []
  reader.readMessage({ ...withoutNulls(fields), content: checkedContent(content, path) }, fragments)
  reader.endMessage(fragments)
  fragments.push({ type: 'end', stopReason: 'stop' })
  const read = fold(fragments.map(owned), { callsBefore: reading.nextId, idPrefix }).message
  const { stopReason: _, ...decoded } = read
  const calls = callsOf(decoded)
  reading.nextId += calls.length
  const legacy = calls.find((call) => kept(call)?.type === 'function_call')
  if (legacy !== undefined) reading.legacyId = legacy.id ?? ''
  const isPlain =
    typeof content === 'string' && content !== '' && Array.isArray(decoded.content) && decoded.content.length === 1
  return { ...decoded, ...compact({ content: isPlain ? content : undefined, name: stringOr(name, undefined) }) }
}

function checkedContent(content: Json | undefined, path: string): Json {
  const isContent = content === undefined || content === null || typeof content === 'string' || Array.isArray(content)
  if (isContent) return content ?? null
  throw new DecodeError(`Cannot decode ${format} request: "${path}.content" is not content`, {
    path: `${path}.content`,
  })
}

/** Sets the provider of a proof by the name of its field, since a request does not name the provider. */
function owned(fragment: Fragment): Fragment {
  if (!('opaque' in fragment) || fragment.opaque === undefined) return fragment
  const word = Object.keys(fragment.opaque.data)[0]
  const provider = stringOr(lookup(proofOwners, word), fragment.opaque.provider)
  return { ...fragment, opaque: { ...fragment.opaque, provider } }
}
