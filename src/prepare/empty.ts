/** Drops messages without content. @module */
import { type Item, isBound, note, type Task } from './task.ts'

/**
 * Drops empty assistant messages, and other empty messages if the format refuses them. Keeps empty results, since each call needs one, and
 * system messages that have only settings of the format.
 */
export function dropEmptyMessage(item: Item, task: Task): Item | readonly Item[] {
  const { role, content } = item.message
  const mayBeEmpty =
    role === 'tool' || (role !== 'assistant' && !task.rules.refusesEmpty) || isBound(item.message, task)
  if (mayBeEmpty || (content !== null && content.length > 0)) return item
  note(task, 'dropped', item.path, 'there is nothing in it')
  return []
}
