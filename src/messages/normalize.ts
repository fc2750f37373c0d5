/** Raw conversations, checked and in our form: what comes from a client, a file, a store or another library. @module */
import { DecodeError } from '../errors.ts'
import { isObject } from '../lookup.ts'
import type { Message } from '../model.ts'
import { type Reading, readMessage } from './read-message.ts'

/**
 * Messages from a list of whatever is meant as messages, from one of them, or from an object with a list of `messages`. Text is a
 * user's; `["user", "hi"]` is a pair inside a list, and two user messages as the list itself.
 *
 * Idempotent: what is ours already stays as it is.
 *
 * @throws {DecodeError} whose `path` says which message and field is wrong.
 */
export function normalizeMessages(value: unknown): Message[] {
  const reading: Reading = { calls: 0 }
  if (Array.isArray(value)) return value.map((one, at) => readMessage(one, `messages[${at}]`, reading))
  if (isObject(value) && Array.isArray(value.messages)) return normalizeMessages(value.messages)
  return [readMessage(value, '', reading)]
}

/** The same, with what went wrong as a value. */
export function safeNormalizeMessages(
  value: unknown,
): { readonly ok: true; readonly messages: Message[] } | { readonly ok: false; readonly error: DecodeError } {
  try {
    return { ok: true, messages: normalizeMessages(value) }
  } catch (error) {
    if (error instanceof DecodeError) return { ok: false, error }
    throw error
  }
}
