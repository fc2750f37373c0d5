/** Merges neighbours of one role. @module */

import { checkOptions } from '../core/checks.ts'
import { blocksOf, toolCallsOf } from '../core/content.ts'
import { compact, unlessEmpty } from '../core/json.ts'
import type { AssistantMessage, Content, ContentBlock, Message } from '../core/messages.ts'
import { addUsage } from '../core/usage.ts'
import { type MessageLike, messagesOf } from './message-like.ts'

/** The options of `mergeRuns`. */
export interface MergeOptions {
  /** Between the texts of two messages. Default a line break. */
  readonly separator?: string
}

/**
 * Merges neighbours of one role. Not merged: results, messages of different names, and two messages that both have
 * data of a provider. Usage is summed. The id and the source of the answer are those of the first.
 */
export function mergeRuns(messages: readonly MessageLike[], options: MergeOptions = {}): Message[] {
  checkOptions('mergeRuns', options)
  const { separator = '\n' } = options
  const merged: Message[] = []
  for (const message of messagesOf(messages)) {
    const last = merged.at(-1)
    if (last !== undefined && mayMerge(last, message)) merged[merged.length - 1] = merge(last, message, separator)
    else merged.push(message)
  }
  return merged
}

function mayMerge(one: Message, other: Message): boolean {
  if (one.role !== other.role || one.role === 'tool' || one.name !== other.name) return false
  return one.providerData === undefined || other.providerData === undefined
}

function merge(one: Message, other: Message, separator: string): Message {
  const metadata = (one.metadata ?? other.metadata) ? { metadata: { ...other.metadata, ...one.metadata } } : {}
  if (one.role === 'assistant' && other.role === 'assistant')
    return { ...mergeTurns(one, other, separator), ...metadata }
  const content = joined(one.content ?? '', other.content ?? '', separator)
  return { ...other, ...one, ...metadata, content } as Message
}

function mergeTurns(one: AssistantMessage, other: AssistantMessage, separator: string): AssistantMessage {
  const before = toolCallsOf(one).length + (one.invalidToolCalls?.length ?? 0)
  const later = <Call extends { readonly index: number }>(call: Call): Call => ({ ...call, index: call.index + before })
  const content =
    typeof other.content === 'string'
      ? other.content
      : blocksOf(other.content).map((block) => (block.type === 'tool_call' ? later(block) : block))
  const toolCalls = [...(one.toolCalls ?? []), ...(other.toolCalls ?? []).map(later)]
  const invalidToolCalls = [...(one.invalidToolCalls ?? []), ...(other.invalidToolCalls ?? []).map(later)]
  const usage = (one.usage ?? other.usage) ? { usage: addUsage(one.usage, other.usage) } : {}
  const { stopReason: _, rawStopReason: _raw, ...first } = one
  return {
    ...other,
    ...first,
    ...usage,
    content: joined(one.content ?? '', content, separator),
    ...compact({
      toolCalls: unlessEmpty(toolCalls),
      invalidToolCalls: unlessEmpty(invalidToolCalls),
    }),
  }
}

/** Text and text make text; blocks stay what they are, for a signed one may not be changed. */
function joined(one: Content, other: Content, separator: string): Content {
  if (typeof one === 'string' && typeof other === 'string') {
    return one === '' || other === '' ? one + other : one + separator + other
  }
  const all: readonly ContentBlock[] = [...blocksOf(one), ...blocksOf(other)]
  return all
}
