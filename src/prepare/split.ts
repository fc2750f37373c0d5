/** Messages that ask to be split, split. @module */
import { type Item, note, type Task } from './task.ts'

/** @throws {TypeError} for a message that asks to be split where nothing was passed that splits. */
export function splitLongMessage(item: Item, task: Task): Item | readonly Item[] {
  const { message, path } = item
  if (!('split' in message) || message.split === undefined) return item
  if (task.splitting === undefined) {
    throw new TypeError(`Cannot send "${path}": it asks to be split, and nothing splits it; pass split: splitting()`)
  }
  const pieces = task.splitting.split(message)
  note(task, 'changed', path, `it asks to be split, and goes as ${pieces.length}`)
  return pieces.map((piece) => ({ path, message: piece }))
}
