/** Reads the short forms of messages. @module */
import { checkMessage } from '../core/check-message.ts'
import type { Content, Message } from '../core/model.ts'
import { type RoleAlias, roleOf } from './roles.ts'

/**
 * A message, the text of a user, or a role and content. Raw JSON is not accepted: read it with `normalizeMessages`, which checks it. A
 * result must name its call, so a pair cannot be one.
 */
export type MessageLike = string | Message | readonly [role: Exclude<RoleAlias, 'tool' | 'function'>, content: Content]

/**
 * Reads a message in any of its forms.
 *
 * @param place what it is called in an error
 * @throws {TypeError} for any other value, such as a message in the form of another library.
 */
export function messageOf(like: MessageLike, place: string): Message {
  if (typeof like === 'string') return { role: 'user', content: like }
  if (isPair(like)) return messageOfPair(like, place)
  checkMessage(like, place)
  return like
}

function isPair(like: Exclude<MessageLike, string>): like is Extract<MessageLike, readonly unknown[]> {
  return Array.isArray(like)
}

function messageOfPair([name, content]: Extract<MessageLike, readonly unknown[]>, place: string): Message {
  const role = roleOf(name)
  if (role === undefined) throw new TypeError(`Cannot make a message: the role "${name}" is not known`)
  if (role === 'tool')
    throw new TypeError('Cannot make a message: a result has to name its call, as `message.tool` does')
  const message = { role, content }
  checkMessage(message, place)
  return message
}

/** The same for a list. @param place what the list is called in an error */
export function messagesOf(likes: readonly MessageLike[], place = 'messages'): Message[] {
  if (!Array.isArray(likes)) throw new TypeError(`Cannot read "${place}": it is not a list`)
  return likes.map((like, at) => messageOf(like, `${place}[${at}]`))
}
