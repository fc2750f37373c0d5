/** Reads the content of a message, whether it is a string or blocks. @module */
import { checkMessage, findingInBlocks } from './check-message.ts'
import type { AssistantMessage, Content, ContentBlock, Message, StopReason, ToolCall } from './model.ts'
import type { AnyCall } from './tool-call.ts'

/** The content as blocks. An empty string has no blocks. */
export function blocksOf(content: Content | null): readonly ContentBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return content ?? []
}

/** Whether the content is only text, and not an empty list. */
export function isText(content: Content | null): boolean {
  if (typeof content === 'string' || content === null) return true
  return content.length > 0 && content.every((block) => block.type === 'text')
}

/**
 * The text of a message or of content: its `text` and `plain_text` blocks, joined without separators. Reasoning is left out.
 *
 * @throws {TypeError} for a message or blocks in the form of another library: `normalizeMessages` reads those.
 */
export function textOf(content: Content | null | Message): string {
  if (typeof content === 'object' && content !== null && !Array.isArray(content)) {
    checkMessage(content)
    return textOf(content.content)
  }
  if (typeof content === 'string') return content
  const finding = findingInBlocks(content)
  if (finding !== undefined)
    throw new TypeError(`Cannot read the text: ${finding}; normalizeMessages of isoglot/import reads other forms`)
  let text = ''
  for (const block of content ?? []) if (block.type === 'text' || block.type === 'plain_text') text += block.text
  return text
}

/**
 * The calls of a message, in order, from its content and its `toolCalls` field; each id once.
 *
 * @throws {TypeError} for a message in the form of another library: `normalizeMessages` reads those.
 */
export function toolCallsOf(message: Message): readonly ToolCall[] {
  checkMessage(message)
  if (message.role !== 'assistant') return []
  return blocksOfTurn(message).filter((block) => block.type === 'tool_call')
}

/** All calls of a turn, valid or not, in the model's order. */
export function callsOf(message: AssistantMessage): readonly AnyCall[] {
  return [...toolCallsOf(message), ...(message.invalidToolCalls ?? [])].sort((a, b) => a.index - b.index)
}

export function isCall(call: AnyCall): call is ToolCall {
  return call.type === 'tool_call'
}

/**
 * The blocks of an assistant's turn, followed by the calls that stand only in its `toolCalls` field.
 *
 * @throws {TypeError} for a message in the form of another library: `normalizeMessages` reads those.
 */
export function blocksOfTurn(message: AssistantMessage): readonly ContentBlock[] {
  checkMessage(message)
  const blocks = blocksOf(message.content)
  if (message.toolCalls === undefined || message.toolCalls.length === 0) return blocks
  const inContent = new Set(blocks.map((block) => (block.type === 'tool_call' ? block.id : '')))
  return [...blocks, ...message.toolCalls.filter((call) => !inContent.has(call.id))]
}

/** Whether an answer that claims to be complete has no text and no call. */
export function isEmptyAnswer(message: AssistantMessage): boolean {
  const { stopReason, content } = message
  if ((stopReason !== 'stop' && stopReason !== 'other') || callsOf(message).length > 0) return false
  if (typeof content === 'string') return content === ''
  return (content ?? []).every(({ type, ...block }) => {
    return type === 'reasoning' || (type === 'text' && String((block as { text?: string }).text).trim() === '')
  })
}

/** The ids of all calls of a conversation, of invalid calls and of results too. */
export function callIdsOf(messages: readonly Message[]): readonly (string | undefined)[] {
  return messages.flatMap((message) => {
    if (message.role === 'tool') return [message.toolCallId]
    const invalid = message.role === 'assistant' ? (message.invalidToolCalls ?? []).map(({ id }) => id) : []
    const results = blocksOf(message.content).flatMap((block) =>
      block.type === 'tool_result' ? [block.toolCallId] : [],
    )
    return [...toolCallsOf(message).map(({ id }) => id), ...invalid, ...results]
  })
}

const improperEnds: ReadonlySet<StopReason> = new Set(['interrupted', 'error', 'aborted', 'length', 'content_filter'])

/**
 * Whether the calls of a message may run. They may if the message is complete. An answer that failed, was cut off, cancelled or filtered,
 * or reached its length limit, may have unfinished calls. A message without `stopReason` was written by hand, so its calls may run.
 *
 * @throws {TypeError} for a message in the form of another library: `normalizeMessages` reads those.
 */
export function canRunTools(message: AssistantMessage): boolean {
  checkMessage(message)
  return message.stopReason === undefined || !improperEnds.has(message.stopReason)
}
