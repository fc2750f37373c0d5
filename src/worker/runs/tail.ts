/**
 * Readers of an answer, during its writing or later. Each reads the log at its own speed, and only events that are safely stored. @module
 */
import { keepAlives, numberBefore, type RunFraming } from './events.ts'
import type { Place, RunLog } from './log.ts'

/** The progress of an answer, shared by all its readers. */
export interface Tail {
  /** The number of events that are safely stored. */
  kept: number
  /** The answer has ended. */
  isOver: boolean
  /** The events have been deleted. */
  isGone: boolean
  /** The number of current readers. */
  readers: number
  /** Wakes the readers that wait: there are new events, or it is time for a keep-alive comment. */
  notify(): void
  changed(): Promise<void>
}

export function createTail(kept: number, isOver: boolean): Tail {
  let change = createChange()
  return {
    kept,
    isOver,
    isGone: false,
    readers: 0,
    notify() {
      change.resolve()
      change = createChange()
    },
    changed: () => change.promise,
  }
}

/** A promise and its `resolve`. */
function createChange(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** The size of a batch for a reader, in bytes. A reader has at most this much in memory. */
const batchBytes = 64 * 1024
const afterAllParts = 1_000_000_000

/** Streams the events after event number `after`, to the end. It reads the log only on demand. Readers do not affect each other. */
export function followTail(log: RunLog, tail: Tail, framing: RunFraming, after: number): ReadableStream<Uint8Array> {
  let place: Place = { event: after, part: afterAllParts }
  let isLeft = false
  tail.readers++

  function leave(): void {
    if (!isLeft) tail.readers--
    isLeft = true
  }

  function next(): Uint8Array | undefined {
    const parts = log.read(place, tail.kept, batchBytes)
    place = parts.at(-1) ?? place
    const pieces = parts.flatMap(({ event, part, bytes }) =>
      part === 0 ? [numberBefore(framing, event), bytes] : bytes,
    )
    return parts.length > 0 ? concat(pieces) : undefined
  }

  async function pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    let more = tail.isGone ? undefined : next()
    if (more === undefined && !tail.isOver && !tail.isGone) {
      await tail.changed()
      more = tail.isGone ? undefined : (next() ?? (tail.isOver ? undefined : keepAlives[framing]))
    }
    if (isLeft) return
    if (more !== undefined) return controller.enqueue(more)
    leave()
    if (tail.isGone) controller.error(new Error('Cannot continue the answer: it is no longer stored'))
    else controller.close()
  }

  return new ReadableStream({ pull, cancel: leave }, { highWaterMark: 0 })
}

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
