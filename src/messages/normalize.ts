/** Raw conversations, checked and in our form: what comes from a client, a file, a store or another library. @module */
import { blocksOf } from '../core/content.ts'
import { arrayOf, field, isObject } from '../core/json.ts'
import type { Json, Message } from '../core/messages.ts'
import { type Reading, readMessage } from './read-message.ts'
import { type Safe, safely } from './safe.ts'

/** Where the bodies of requests have their conversation, and where their system text. */
const bodies: readonly (readonly [messages: string, system: string])[] = [
  ['messages', 'system'],
  ['contents', 'systemInstruction'],
  ['input', 'instructions'],
]

/**
 * Messages from a list of whatever is meant as messages, from one of them, or from the body of a request, whose system text comes
 * first and whose other fields are not messages. Text is a user's; `["user", "hi"]` is a pair inside a list, and two user messages as
 * the list itself.
 *
 * Idempotent: what is ours already stays as it is.
 *
 * @throws {DecodeError} whose `path` says which message and field is wrong.
 */
export function normalizeMessages(value: unknown): Message[] {
  const reading: Reading = { calls: 0 }
  if (Array.isArray(value)) return readList(value, 'messages', reading)
  if (!isObject(value)) return [readMessage(value, '', reading)]
  const body = bodies.find(([messages]) => Array.isArray(field(value, messages)))
  if (body === undefined) return [readMessage(value, '', reading)]
  const [messages, system] = body
  return [
    ...readSystem(field(value, system), system, reading),
    ...readList(arrayOf(field(value, messages)), messages, reading),
  ]
}

function readList(list: readonly unknown[], path: string, reading: Reading): Message[] {
  const messages: Message[] = []
  for (const [at, one] of list.entries()) {
    const read = readMessage(one, `${path}[${at}]`, reading)
    const last = messages.at(-1)
    if (read.role !== 'assistant' || last?.role !== 'assistant' || !isReasoningItem(list[at - 1])) messages.push(read)
    else messages[messages.length - 1] = { ...read, content: [...blocksOf(last.content), ...blocksOf(read.content)] }
  }
  return messages
}

/** OpenAI Responses has reasoning in an item of its own, which belongs to the item after it. */
function isReasoningItem(value: unknown): boolean {
  return isObject(value) && value.type === 'reasoning' && value.role === undefined
}

/** Text, a list of blocks, or Gemini's content. */
function readSystem(system: Json | undefined, path: string, reading: Reading): Message[] {
  if (system === undefined || system === null || system === '') return []
  const fields = isObject(system) && system.type === undefined ? system : { content: system }
  return [readMessage({ ...fields, role: 'system' }, path, reading)]
}

/** The same, with what went wrong as a value. */
export function safeNormalizeMessages(value: unknown): Safe<Message[]> {
  return safely(() => normalizeMessages(value))
}
