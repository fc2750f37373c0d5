/**
 * Calls and results as text, for a host that has no tools: a conversation that ran some elsewhere goes on there.
 *
 * @module
 */
import { blocksOf } from '../../content.ts'
import { lose } from '../../losses.ts'
import type { AssistantMessage, ContentBlock, Message, ToolMessage, UserMessage } from '../../model.ts'
import type { Encoding } from './content.ts'
import { callsInOrder } from './response.ts'

/** The same conversation without calls and results: what was called stands in the turn, and what came of it is said by the user. */
export function spellCalls(messages: readonly Message[], to: Encoding): readonly Message[] {
  return messages.map((message, at) => {
    if (message.role !== 'tool' && (message.role !== 'assistant' || callsInOrder(message).length === 0)) return message
    lose(to.ledger, 'changed', `messages[${at}]`, `${to.dialect.title} takes no tools: it goes as text`, 'minor')
    return message.role === 'tool' ? spellResult(message) : spellTurn(message)
  })
}

function spellTurn(turn: AssistantMessage): AssistantMessage {
  const { toolCalls: _, invalidToolCalls: __, ...message } = turn
  const said = blocksOf(message.content).filter((block) => block.type !== 'tool_call')
  const calls = callsInOrder(turn).map(({ name, argumentsText }) =>
    text(`<tool_call${nameOf(name)}>${argumentsText}</tool_call>`),
  )
  return { ...message, content: [...said, ...calls] }
}

function spellResult({ name, content, status }: ToolMessage): UserMessage {
  const tag = status === 'error' ? 'tool_error' : 'tool_result'
  return { role: 'user', content: [text(`<${tag}${nameOf(name)}>`), ...blocksOf(content), text(`</${tag}>`)] }
}

function nameOf(name: string | undefined): string {
  return name === undefined ? '' : ` name=${JSON.stringify(name)}`
}

function text(value: string): ContentBlock {
  return { type: 'text', text: value }
}
