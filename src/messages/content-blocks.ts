/** Blocks of a message, by kind. @module */
import { blocksOf, blocksOfTurn, findingIn, toolCallsOf } from '../core/content.ts'
import { isObject } from '../core/json.ts'
import type { ContentBlock, Message, ServerToolCall, ServerToolResult, ToolCall } from '../core/messages.ts'
import type { MessageLike } from './message-like.ts'
import { readMessage } from './read-message.ts'
import { toMessage } from './to-message.ts'

/**
 * The content as blocks, in order, followed by the calls that stand beside it. A message in the form of another library is read as
 * `normalizeMessages` reads it.
 *
 * @throws {DecodeError} for a value that is not a message in any form.
 */
export function contentBlocks(like: MessageLike | object): readonly ContentBlock[] {
  const message = messageFrom(like)
  return message.role === 'assistant' ? blocksOfTurn(message) : blocksOf(message.content)
}

function messageFrom(like: MessageLike | object): Message {
  if (isObject(like) && findingIn(like) !== undefined) return readMessage(like, '', { calls: 0 })
  return toMessage(like as MessageLike)
}

/** The calls of our tools, wherever they stand, each id once. Reads what {@link contentBlocks} reads. */
export function toolCalls(like: MessageLike | object): readonly ToolCall[] {
  return toolCallsOf(messageFrom(like))
}

/** The calls that the provider ran itself: they need no result. Reads what {@link contentBlocks} reads. */
export function serverToolCalls(like: MessageLike | object): readonly ServerToolCall[] {
  return contentBlocks(like).filter((block) => block.type === 'server_tool_call')
}

/** The results of the calls that the provider ran. Reads what {@link contentBlocks} reads. */
export function serverToolResults(like: MessageLike | object): readonly ServerToolResult[] {
  return contentBlocks(like).filter((block) => block.type === 'server_tool_result')
}
