/** Events of blocks for a wire that has one block open at a time. @module */
import type { Frame } from '../core/codec.ts'
import type { MessageEvent } from '../core/model.ts'

/** An event of one block. */
export type BlockEvent = Extract<MessageEvent, { readonly index: number }>

const last: ReadonlySet<BlockEvent['type']> = new Set(['content_block', 'tool_call', 'invalid_tool_call'])

/** Whether an event is the last one of its block. */
export function isLast({ type }: BlockEvent): boolean {
  return last.has(type)
}

/** Passes events on one block after the other: those of a later block wait until the one before has ended. */
export function inTurn(write: (event: BlockEvent, out: Frame[]) => void): typeof write {
  const waiting = new Map<number, BlockEvent[]>()
  let open: number | undefined
  const pass = (event: BlockEvent, out: Frame[]) => {
    open = isLast(event) ? undefined : event.index
    write(event, out)
  }
  return (event, out) => {
    if (open !== undefined && open !== event.index) {
      const queue = waiting.get(event.index)
      if (queue === undefined) waiting.set(event.index, [event])
      else queue.push(event)
      return
    }
    pass(event, out)
    for (const [index, events] of waiting) {
      if (open !== undefined) return
      waiting.delete(index)
      for (const one of events) pass(one, out)
    }
  }
}
