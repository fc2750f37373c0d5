/** Writes the blocks of a stream one after the other, for formats with one open block at a time. @module */
import type { Frame } from '../../core/codec.ts'
import type { MessageEvent, ProviderData, ToolCallChunk } from '../../core/messages.ts'

/** An event of a block. */
export type BlockEvent = Extract<MessageEvent, { readonly index: number }>

type WriteEvent = (event: BlockEvent, out: Frame[]) => void

const ends: ReadonlySet<BlockEvent['type']> = new Set(['content_block', 'tool_call', 'invalid_tool_call'])

/** Whether an event is the last one of its block. */
export function isLast({ type }: BlockEvent): boolean {
  return ends.has(type)
}

/** Delays the events of a block until the block before it has ended. */
export function oneAtATime(write: WriteEvent): WriteEvent {
  let open: number | undefined
  const waiting = new Map<number, BlockEvent[]>()
  const take: WriteEvent = (event, out) => {
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
    take(event, out)
    if (waiting.size === 0) return
    for (const [index, events] of waiting) {
      if (open !== undefined) return
      waiting.delete(index)
      for (const one of events) take(one, out)
    }
  }
}

/** The block that is being written. */
export interface OpenBlock {
  /** Its number in the output, after it has begun there. */
  at: number | undefined
  id: string | undefined
  name: string | undefined
  /** Arguments that came before the call could begin. */
  pending: string
  /** How much of the arguments is written, in UTF-16 units. */
  sent: number
  /** Fields kept with the pieces of a call. */
  providerData: ProviderData | undefined
}

export function newBlock(): OpenBlock {
  return { at: undefined, id: undefined, name: undefined, pending: '', sent: 0, providerData: undefined }
}

/** Adds a piece of a call. Its name is whole once arguments follow: until then the call cannot begin. */
export function addPiece(open: OpenBlock, { id, name, argumentsDelta = '', providerData }: ToolCallChunk): void {
  open.id ??= id
  open.name = name ?? open.name
  open.pending += argumentsDelta
  open.providerData ??= providerData
}
