/** Messages that ask to be split, split. @module */
import { splitMessage } from '../split-message.ts'
import { type Item, note, type Task } from './task.ts'

export function splitLongMessages(items: readonly Item[], task: Task): readonly Item[] {
  return items.flatMap((item) => {
    if (!('split' in item.message)) return [item]
    const pieces = splitMessage(item.message, task)
    note(task, 'changed', item.path, `it asks to be split, and goes as ${pieces.length}`)
    return pieces.map((message) => ({ path: item.path, message }))
  })
}
