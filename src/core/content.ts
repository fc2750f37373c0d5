/** Reads the content of a message, whether it is a string or blocks. @module */
import { checkMessage } from './check-message.ts'
import { isObject } from './lookup.ts'
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
  const message = isObject(content) ? content : { role: 'assistant', content: content ?? null }
  checkMessage(message)
  let text = ''
  for (const block of blocksOf(message.content)) {
    if (block.type === 'text' || block.type === 'plain_text') text += block.text
  }
  return text
}

/**
 * The calls of a message, in order, from its content and its `toolCalls` field; each id once.
 *
 * @throws {TypeError} for a message in the form of another library: `normalizeMessages` reads those.
 */
export function toolCallsOf(message: Message): readonly ToolCall[] {
  const blocks = blocksOfTurn(message as AssistantMessage)
  return message.role === 'assistant' ? blocks.filter((block) => block.type === 'tool_call') : []
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
  const { content, toolCalls = [] } = message
  const blocks = blocksOf(content)
  const inContent = new Set(blocks.map((block) => (block.type === 'tool_call' ? block.id : '')))
  const others = toolCalls.filter(({ id }) => !inContent.has(id))
  return others.length > 0 ? [...blocks, ...others] : blocks
}

/** Whether an answer that claims to be complete has no text and no call. */
export function isEmptyAnswer(message: AssistantMessage): boolean {
  const isSaid = (block: ContentBlock) =>
    block.type === 'text' ? block.text.trim() !== '' : block.type !== 'reasoning'
  const { stopReason } = message
  if (stopReason !== 'stop' && stopReason !== 'other') return false
  return callsOf(message).length === 0 && !blocksOf(message.content).some(isSaid)
}

/** The ids in a conversation: those of calls, invalid calls and results, and of messages and blocks that have one of their own. */
export function callIdsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => {
    const { content, toolCalls = [], invalidToolCalls = [] } = message as AssistantMessage
    const named: readonly Named[] = [message, ...blocksOf(content), ...toolCalls, ...invalidToolCalls]
    return named.flatMap(({ id, toolCallId = id }) => toolCallId ?? [])
  })
}

interface Named {
  readonly id?: string
  readonly toolCallId?: string
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
