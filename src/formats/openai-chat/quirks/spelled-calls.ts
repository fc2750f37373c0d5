/**
 * Writes calls and results as text, so that a host without tools can continue a conversation that has calls.
 *
 * @module
 */
import { blocksOf, exactArguments, toolCallsOf } from '../../../core/content.ts'
import type {
  AssistantMessage,
  ContentBlock,
  Message,
  ToolCall,
  ToolMessage,
  UserMessage,
} from '../../../core/messages.ts'
import { renumber, reportLoss } from '../../shared/losses.ts'
import * as reasons from '../../shared/reasons.ts'
import type { Encoding } from '../dialect.ts'

/** Returns the conversation without calls and results. A call becomes text in its turn. A result becomes a user message. */
export function spellCalls(messages: readonly Message[], to: Encoding): readonly Message[] {
  return messages.map((message, at) => {
    if (message.role !== 'tool' && (message.role !== 'assistant' || toolCallsOf(message).length === 0)) return message
    const path = `messages[${at}]`
    reportLoss(to.losses, 'changed', path, `${to.dialect.title} takes no tools: it goes as text`, 'minor')
    return message.role === 'tool' ? spellResult(message, path, to) : spellTurn(message, `${path}.content`, to)
  })
}

function spellTurn(turn: AssistantMessage, path: string, to: Encoding): AssistantMessage {
  const { toolCalls: _, ...message } = turn
  const blocks = blocksOf(message.content)
  const indices = [...blocks.keys()].filter((at) => blocks[at]?.type !== 'tool_call')
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'tool_call') dropFields(block, `${path}[${at}]`, to)
  }
  renumber(to.losses, path, indices)
  const calls = toolCallsOf(turn).map((call) =>
    text(`<tool_call${nameOf(call.name)}>${exactArguments(call, true)}</tool_call>`),
  )
  return { ...message, content: [...indices.map((at) => blocks[at] as ContentBlock), ...calls] }
}

function spellResult(result: ToolMessage, path: string, to: Encoding): UserMessage {
  const { name, content, status } = result
  dropFields(result, path, to)
  const tag = status === 'error' ? 'tool_error' : 'tool_result'
  const blocks = blocksOf(content)
  renumber(to.losses, `${path}.content`, [0, ...blocks.keys()]) // the tag is the first block
  return { role: 'user', content: [text(`<${tag}${nameOf(name)}>`), ...blocks, text(`</${tag}>`)] }
}

/** Reports the loss of stored provider fields, since text cannot have them. */
function dropFields({ providerData }: ToolCall | ToolMessage, path: string, to: Encoding): void {
  if (providerData !== undefined) reportLoss(to.losses, 'dropped', `${path}.providerData`, reasons.fields, 'info')
}

function nameOf(name: string | undefined): string {
  return name === undefined ? '' : ` name=${JSON.stringify(name)}`
}

function text(value: string): ContentBlock {
  return { type: 'text', text: value }
}
