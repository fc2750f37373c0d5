/** The blocks of a stream one behind the other, for wires that have one open at a time. @module */
import type { Frame } from '../core/codec.ts'
import type { MessageEvent } from '../core/model.ts'

/** An event of a block. */
export type BlockEvent = Extract<MessageEvent, { readonly index: number }>

/** What takes the events of a block: the last of them is a `content_block`, a `tool_call` or an `invalid_tool_call`. */
type WriteEvent = (event: BlockEvent, out: Frame[]) => void

const ends: ReadonlySet<BlockEvent['type']> = new Set(['content_block', 'tool_call', 'invalid_tool_call'])

/** Events of a block wait until the block before has ended, so that the events of each stand together. */
export function oneAtATime(write: WriteEvent): WriteEvent {
  let open: number | undefined
  const waiting = new Map<number, BlockEvent[]>()
  const take: WriteEvent = (event, out) => {
    open = ends.has(event.type) ? undefined : event.index
    write(event, out)
  }
  return (event, out) => {
    if (open !== undefined && open !== event.index) {
      const queue = waiting.get(event.index)
      if (queue === undefined) waiting.set(event.index, [event])
      else queue.push(event)
      return
    }
    take(event, out)
    for (const [index, events] of waiting) {
      if (open !== undefined) return
      waiting.delete(index)
      for (const one of events) take(one, out)
    }
  }
}
