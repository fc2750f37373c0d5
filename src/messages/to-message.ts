/** `toMessage`. @module */
import type { AssistantMessage, Message } from '../core/messages.ts'
import { finishChunk, isChunk, type MessageChunk } from './merge-chunks.ts'
import { type MessageLike, messageOf } from './message-like.ts'

/**
 * A message from any of its forms; and the whole message from a chunk, when no more will come.
 *
 * @throws {TypeError} for what is not one of these: an unknown role, a pair that would be a result, and messages and blocks in the form
 * of another library, such as `tool_calls` beside the content. `normalizeMessages` reads those.
 */
export function toMessage(like: MessageChunk): AssistantMessage
export function toMessage(like: MessageLike | MessageChunk): Message
export function toMessage(like: MessageLike | MessageChunk): Message {
  const message = messageOf(like as MessageLike, 'message')
  return message.role === 'assistant' && isChunk(message) ? finishChunk(message) : message
}
