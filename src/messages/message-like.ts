/** Reads the short forms of messages. @module */
import { checkMessage, readEach } from '../core/content.ts'
import type { Content, Message, Role } from '../core/messages.ts'
import { type RoleAlias, roleOf } from './roles.ts'

/**
 * A message, the text of a user, or a role and content. Raw JSON is not accepted: read it with `normalizeMessages`, which checks it. A
 * result must name its call, so a pair cannot be one.
 */
export type MessageLike = string | Message | readonly [role: Exclude<RoleAlias, 'tool' | 'function'>, content: Content]

type Pair = Extract<MessageLike, readonly unknown[]>

/**
 * Reads a message in any of its forms.
 *
 * @param place what it is called in an error
 * @throws {TypeError} for any other value, such as a message in the form of another library.
 */
export function messageOf(like: MessageLike, place: string): Message {
  if (typeof like === 'string') return { role: 'user', content: like }
  const message = isMessagePair(like) ? { role: roleOfPair(like), content: like[1] } : like
  checkMessage(message, place)
  return message
}

function isMessagePair(like: MessageLike): like is Pair {
  return Array.isArray(like) && like.length === 2 && typeof like[0] === 'string'
}

function roleOfPair([name]: Pair): Role {
  const role = roleOf(name)
  if (role !== undefined && role !== 'tool') return role
  const finding = role ? 'a result has to name its call, as `message.tool` does' : `the role "${name}" is not known`
  throw new TypeError(`Cannot make a message: ${finding}`)
}

/** The same for a list. @param place what the list is called in an error */
export function messagesOf(likes: readonly MessageLike[], place = 'messages'): Message[] {
  return readEach(likes, place, messageOf)
}
