/** Messages in the forms in which code likes to write them. @module */
import { checkMessage } from '../check-message.ts'
import type { AssistantMessage, Content, Message } from '../model.ts'
import { finishChunk, isChunk, type MessageChunk } from './merge-chunks.ts'
import { type RoleAlias, roleOf } from './roles.ts'

/**
 * A message, the text of a user, or a role and content. Raw JSON is none of these: that goes through `normalizeMessages`, which
 * checks it. A result names its call, so that a pair cannot make one.
 */
export type MessageLike = string | Message | readonly [role: Exclude<RoleAlias, 'tool' | 'function'>, content: Content]

/**
 * A message from any of its forms; and the whole message from a chunk, when no more will come.
 *
 * @throws {TypeError} for what is not one of these: an unknown role, a pair that would be a result, and messages and blocks in the form
 * of another library, such as `tool_calls` beside the content. `normalizeMessages` reads those.
 */
export function toMessage(like: MessageChunk): AssistantMessage
export function toMessage(like: MessageLike | MessageChunk): Message
export function toMessage(like: MessageLike | MessageChunk): Message {
  return read(like, 'message')
}

/** The same for a list. @param place what the list is called in an error */
export function toMessages(likes: readonly MessageLike[], place = 'messages'): Message[] {
  return likes.map((like, at) => read(like, `${place}[${at}]`))
}

function read(like: MessageLike | MessageChunk, place: string): Message {
  if (typeof like === 'string') return { role: 'user', content: like }
  if (isPair(like)) return messageOf(like, place)
  checkMessage(like, place)
  return like.role === 'assistant' && isChunk(like) ? finishChunk(like) : like
}

function isPair(like: Exclude<MessageLike, string> | MessageChunk): like is Extract<MessageLike, readonly unknown[]> {
  return Array.isArray(like)
}

function messageOf([name, content]: Extract<MessageLike, readonly unknown[]>, place: string): Message {
  const role = roleOf(name)
  if (role === undefined) throw new TypeError(`Cannot make a message: the role "${name}" is not known`)
  if (role === 'tool')
    throw new TypeError('Cannot make a message: a result has to name its call, as `message.tool` does')
  const message = { role, content }
  checkMessage(message, place)
  return message
}
