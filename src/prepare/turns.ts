/** Prepares assistant messages: moves calls and results to their places, replaces invalid calls, drops failed turns. @module */

import { blocksOf, blocksOfTurn } from '../core/content.ts'
import { compact, findLastIndex } from '../core/lookup.ts'
import type { AssistantMessage, InvalidToolCall, StopReason, ToolCall } from '../core/model.ts'
import { legalId } from '../kit/ids.ts'
import { type Item, note, type Task, withContent } from './task.ts'
import { wellFormed } from './well-formed.ts'

/** Moves the calls of the `toolCalls` field after the blocks, except those that are there already. */
export function foldCalls(item: Item, task: Task): Item {
  const { message, path } = item
  if (message.role !== 'assistant' || message.toolCalls === undefined) return item
  const { toolCalls: _, ...rest } = message
  note(task, 'changed', `${path}.toolCalls`, 'calls stand in the content')
  return { path, message: { ...rest, content: blocksOfTurn(message) } }
}

const failures: ReadonlySet<StopReason | undefined> = new Set(['error', 'aborted', 'interrupted'])

/** Drops a turn that failed before it had content. */
export function dropFailedTurn(item: Item, task: Task): Item | readonly Item[] {
  const { message, path } = item
  if (message.role !== 'assistant' || !failures.has(message.stopReason) || isUseful(message)) return item
  const reason = `the turn ended as "${message.stopReason}" with nothing in it that can be used`
  note(task, 'dropped', path, reason, 'minor')
  return []
}

function isUseful(message: AssistantMessage): boolean {
  return blocksOf(message.content).some((block) =>
    block.type === 'text' ? block.text.trim() !== '' : block.type !== 'reasoning',
  )
}

/** Makes a turn that can be sent: replaces invalid calls, and drops reasoning at the end. */
export function settleTurn(item: Item, task: Task): Item {
  if (item.message.role !== 'assistant') return item
  return withoutLastReasoning(withInvalidCalls(item, item.message, task), task)
}

/**
 * Replaces invalid calls with calls, since formats do not have invalid calls and the turn must stay complete. If the format has arguments
 * as text, the raw text is sent. If they are an object, an empty object is sent. These calls never run: each gets an error result.
 */
function withInvalidCalls(item: Item, message: AssistantMessage, task: Task): Item {
  const { invalidToolCalls, ...rest } = message
  if (invalidToolCalls === undefined) return item
  const blocks = [...blocksOf(message.content)]
  for (const invalid of invalidToolCalls) {
    const call = sendable(invalid, item.path, task)
    task.invalid.set(call, invalid)
    const next = blocks.findIndex((block) => block.type === 'tool_call' && block.index > call.index)
    blocks.splice(next < 0 ? blocks.length : next, 0, call)
    note(task, 'changed', `${item.path}.invalidToolCalls`, 'an invalid call goes as a call that failed', 'minor')
  }
  if (invalidToolCalls.length === 0) note(task, 'dropped', `${item.path}.invalidToolCalls`, 'it is empty')
  return { ...item, message: { ...rest, content: blocks } }
}

function sendable(invalid: InvalidToolCall, path: string, task: Task): ToolCall {
  const name = invalid.name ?? 'unnamed_tool'
  return {
    type: 'tool_call',
    id: invalid.id ?? `invalid_${path.replace(/\D+/g, '')}_${invalid.index}`,
    name: legalId(name, task.rules.toolName),
    arguments: {},
    argumentsText: wellFormed(invalid.argumentsText),
    index: invalid.index,
    complete: true,
  }
}

/**
 * Some formats bind reasoning to the block after it and refuse reasoning at the end of a turn. A format that keeps reasoning of other
 * providers does not have this rule.
 */
function withoutLastReasoning(item: Item, task: Task): Item {
  const blocks = item.message.content
  if (task.rules.foreignReasoning === 'keep' || blocks === null || typeof blocks === 'string') return item
  const end = findLastIndex(blocks, (block) => block.type !== 'reasoning') + 1
  if (end === blocks.length) return item
  note(task, 'dropped', `${item.path}.content`, 'it is reasoning that nothing follows', 'minor')
  return withContent(item, blocks.slice(0, end))
}

/** Moves each result block to a separate tool message: before the user's message, or after the assistant's message. */
export function liftResults(item: Item, task: Task): Item | readonly Item[] {
  const { content, role } = item.message
  if (content === null || typeof content === 'string' || role === 'tool') return item
  const lifted = content.flatMap((block): Item[] | Item => {
    if (block.type !== 'tool_result') return []
    const { type: _, isError, id: _id, ...fields } = block
    const status = isError === undefined ? undefined : isError ? 'error' : 'success'
    return { path: task.places.get(block) ?? item.path, message: { role: 'tool', ...fields, ...compact({ status }) } }
  })
  if (lifted.length === 0) return item
  note(task, 'changed', `${item.path}.content`, 'results that stand as blocks became messages')
  const rest = content.filter((block) => block.type !== 'tool_result')
  if (rest.length === 0) return lifted
  const kept = withContent(item, rest)
  return role === 'assistant' ? [kept, ...lifted] : [...lifted, kept]
}
