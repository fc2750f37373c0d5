/** Splits messages that request it. @module */
import { type Item, note, type Task } from './task.ts'

/** @throws {TypeError} if a message requests to be split and the `split` option is not set. */
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
