/** Estimates the tokens of messages, without a tokenizer. @module */

import { checkOptions } from '../core/checks.ts'
import { blocksOf, blocksOfTurn } from '../core/content.ts'
import { findLastIndex } from '../core/json.ts'
import type { ContentBlock, ContextTool, Message } from '../core/messages.ts'
import { type MessageLike, messagesOf } from './message-like.ts'

/** The options of the estimate. */
export interface CountOptions {
  /** Default 4. */
  readonly charactersPerToken?: number
  /** For a message's role and marks. Default 3. */
  readonly tokensPerMessage?: number
  /** Default 85. */
  readonly tokensPerImage?: number
  /** Count the names of speakers. Default true. */
  readonly countNames?: boolean
  /** Tools that go with the messages. */
  readonly tools?: readonly ContextTool[]
  /** Scale by the usage that the last answer reported, between 1 and 1.25 times. Default false. */
  readonly scaleByUsage?: boolean
}

/**
 * Estimates tokens: a quarter of the characters (UTF-16 units), and a few for each message. The error is up to a third for English, and
 * more for code and other scripts. Messages are split by another count: `countWords`.
 */
export function countTokensApproximately(messages: readonly MessageLike[], options: CountOptions = {}): number {
  checkOptions('countTokensApproximately', options)
  const all = messagesOf(messages)
  const count = countAll(all, options)
  return options.scaleByUsage ? Math.ceil(count * scaleOf(all, options)) : count
}

function countAll(messages: readonly Message[], options: CountOptions): number {
  const { charactersPerToken = 4, tools = [] } = options
  let count = tools.length === 0 ? 0 : Math.ceil(JSON.stringify(tools).length / charactersPerToken)
  for (const message of messages) count += countOne(message, options)
  return count
}

function countOne(message: Message, options: CountOptions): number {
  const { charactersPerToken = 4, tokensPerMessage = 3, tokensPerImage = 85, countNames = true } = options
  const blocks = message.role === 'assistant' ? blocksOfTurn(message) : blocksOf(message.content)
  const name = countNames && message.role !== 'tool' ? (message.name ?? '').length : 0
  const id = message.role === 'tool' ? message.toolCallId.length : 0
  const characters = blocks.reduce((sum, block) => sum + lengthOf(block), name + id)
  const images = blocks.reduce((sum, block) => sum + countImages(block), 0)
  return Math.ceil(characters / charactersPerToken) + images * tokensPerImage + tokensPerMessage
}

/** In characters; media count by themselves, for their base64 is not read as text. */
function lengthOf(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
    case 'plain_text':
    case 'reasoning':
      return block.text.length
    case 'tool_call':
      return block.id.length + block.name.length + block.argumentsText.length
    case 'tool_result':
      return block.toolCallId.length + blocksOf(block.content).reduce((sum, inner) => sum + lengthOf(inner), 0)
    case 'tool_call_chunk':
    case 'server_tool_call_chunk':
      return (block.name ?? '').length + (block.argumentsDelta ?? '').length
    case 'server_tool_call':
      return block.name.length + JSON.stringify(block.arguments).length
    case 'server_tool_result':
      return block.output === undefined ? 0 : (JSON.stringify(block.output) ?? '').length
    case 'unknown':
      return JSON.stringify(block.value).length
    default:
      return 0
  }
}

function countImages(block: ContentBlock): number {
  if (block.type === 'tool_result') return blocksOf(block.content).reduce((sum, inner) => sum + countImages(inner), 0)
  return block.type === 'image' ? 1 : 0
}

function scaleOf(messages: readonly Message[], options: CountOptions): number {
  const last = findLastIndex(
    messages,
    (message) => message.role === 'assistant' && message.usage?.totalTokens !== undefined,
  )
  const message = messages[last]
  const reported = message?.role === 'assistant' ? message.usage?.totalTokens : undefined
  const estimated = countAll(messages.slice(0, last + 1), options)
  return reported === undefined || estimated === 0 ? 1 : Math.min(1.25, Math.max(1, reported / estimated))
}
