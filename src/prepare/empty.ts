/** Messages with nothing in them. @module */
import type { Message } from '../core/model.ts'
import { type Item, note, type Task } from './task.ts'

/** Drops empty turns of the assistant, and other empty messages where the wire refuses them. A result may be empty: it is an answer. */
export function dropEmptyMessages(items: readonly Item[], task: Task): readonly Item[] {
  return items.filter(({ message, path }) => {
    if (!isEmpty(message) || !(task.rules.refusesEmpty || message.role === 'assistant')) return true
    note(task, 'dropped', path, 'there is nothing in it')
    return false
  })
}

function isEmpty({ role, content }: Message): boolean {
  return role !== 'tool' && (content === null || content.length === 0)
}
