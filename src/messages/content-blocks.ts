/** What a message holds, by kind. @module */
import { blocksOf, blocksOfTurn, toolCallsOf } from '../content.ts'
import type { ContentBlock, ServerToolCall, ServerToolResult, ToolCall } from '../model.ts'
import { type MessageLike, toMessage } from './to-message.ts'

/** The content as blocks, in order, with the calls that stand beside it behind it. */
export function contentBlocks(like: MessageLike): readonly ContentBlock[] {
  const message = toMessage(like)
  return message.role === 'assistant' ? blocksOfTurn(message) : blocksOf(message.content)
}

/** The calls of our tools, wherever they stand, each id once. */
export function toolCalls(like: MessageLike): readonly ToolCall[] {
  return toolCallsOf(toMessage(like))
}

/** The calls that the provider ran itself: nobody answers them. */
export function serverToolCalls(like: MessageLike): readonly ServerToolCall[] {
  return contentBlocks(like).filter((block) => block.type === 'server_tool_call')
}

/** What came of the calls that the provider ran. */
export function serverToolResults(like: MessageLike): readonly ServerToolResult[] {
  return contentBlocks(like).filter((block) => block.type === 'server_tool_result')
}
