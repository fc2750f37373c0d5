/** Messages with nothing in them. @module */
import { type Item, note, type Task } from './task.ts'

/** Drops empty turns of the assistant, and other empty messages where the wire refuses them. A result may be empty: it is an answer. */
export function dropEmptyMessage(item: Item, task: Task): Item | readonly Item[] {
  const { role, content } = item.message
  const mayBeEmpty = role === 'tool' || (role !== 'assistant' && !task.rules.refusesEmpty)
  if (mayBeEmpty || (content !== null && content.length > 0)) return item
  note(task, 'dropped', item.path, 'there is nothing in it')
  return []
}
