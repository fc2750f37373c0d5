/** Who may speak where. @module */
import type { Message } from '../core/model.ts'
import { type Item, note, type Task, tagged } from './task.ts'

/**
 * Where a wire takes instructions only at its head, later ones become user text, between tags that say what they were, or move to the
 * head.
 */
export function placeLateInstructions(items: readonly Item[], task: Task): readonly Item[] {
  if (task.rules.lateInstructions === 'keep') return items
  const begin = items.findIndex(({ message }) => !isInstruction(message))
  if (task.rules.lateInstructions === 'hoist') {
    const isLate = ({ message }: Item, at: number) => begin >= 0 && at > begin && isInstruction(message)
    const late = items.filter(isLate)
    for (const { message, path } of late)
      note(task, 'changed', path, `a ${message.role} message that is not at the head moved there`, 'minor')
    return [
      ...items.slice(0, Math.max(0, begin)),
      ...late,
      ...items.slice(Math.max(0, begin)).filter((item) => !late.includes(item)),
    ]
  }
  return items.map((item, at) => {
    const { message, path } = item
    if (begin < 0 || at < begin || (message.role !== 'system' && message.role !== 'developer')) return item
    note(task, 'changed', path, `a ${message.role} message that is not at the head became user text`, 'minor')
    const content = tagged(message.content, `<${message.role}>`, `</${message.role}>`)
    const { name: _, ...rest } = message
    return { path, message: { ...rest, role: 'user', content } }
  })
}

/** What is said where a wire wants a user to speak first, and none does. */
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

/** What is said where a wire wants an assistant to speak between a result and a user. */
export const bridge = '(The results are in.)'

export function bridgeResults(items: readonly Item[], task: Task): readonly Item[] {
  if (task.rules.bridgesResults !== true) return items
  return items.flatMap((item, at) => {
    if (items[at - 1]?.message.role !== 'tool' || item.message.role !== 'user') return [item]
    note(task, 'invented', item.path, 'an assistant speaks between a result and a user here', 'minor')
    return [{ path: item.path, message: { role: 'assistant', content: bridge } satisfies Message }, item]
  })
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}
