/** Changes the order of roles where a format requires it. @module */
import type { InstructionMessage, Message } from '../core/model.ts'
import { type Item, isBound, note, type Task, tagged } from './task.ts'

/**
 * Some formats take instructions only before the first message. For these, later instructions become user text between tags that name the
 * role, or move to the start. Messages with settings of the format itself, such as Anthropic's changes of tools, stay as they are.
 */
export function placeLateInstructions(items: readonly Item[], task: Task): readonly Item[] {
  const { lateInstructions } = task.rules
  const begin = items.findIndex(({ message }) => !isInstruction(message))
  if (lateInstructions === 'keep' || begin < 0) return items
  const head = items.slice(0, begin)
  const others = items.slice(begin).flatMap((item) => {
    const { message, path } = item
    if (!isInstruction(message) || isBound(message, task)) return [item]
    const { name: _, ...rest } = message
    const { role } = rest
    const isMoved = lateInstructions === 'hoist'
    const outcome = isMoved ? 'moved there' : 'became user text'
    note(task, 'changed', path, `a ${role} message that is not at the head ${outcome}`, 'minor')
    if (isMoved) head.push(item)
    const content = tagged(message.content, `<${role}>`, `</${role}>`)
    return isMoved ? [] : [{ path, message: { ...rest, role: 'user', content } satisfies Message }]
  })
  return [...head, ...others]
}

/** The text of the user message that is added if a format requires a user message first. */
export const opening = '(The conversation begins with the assistant.)'

export function startWithUser(items: readonly Item[], task: Task): readonly Item[] {
  const first = items.findIndex(({ message }) => !isInstruction(message))
  if (!task.rules.userFirst || first < 0 || items[first]?.message.role === 'user') return items
  note(task, 'invented', 'messages', 'a conversation begins with a user message here', 'minor')
  return [
    ...items.slice(0, first),
    { path: 'messages', message: { role: 'user', content: opening } },
    ...items.slice(first),
  ]
}

/** The text of the assistant message that is added if a format requires one between a result and a user message. */
export const bridge = '(The results are in.)'

export function bridgeResults(items: readonly Item[], task: Task): readonly Item[] {
  if (task.rules.bridgesResults !== true) return items
  return items.flatMap((item, at) => {
    if (items[at - 1]?.message.role !== 'tool' || item.message.role !== 'user') return [item]
    note(task, 'invented', item.path, 'an assistant speaks between a result and a user here', 'minor')
    return [{ path: item.path, message: { role: 'assistant', content: bridge } satisfies Message }, item]
  })
}

function isInstruction(message: Message): message is InstructionMessage {
  return message.role === 'system' || message.role === 'developer'
}
