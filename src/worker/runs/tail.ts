/** Those who read an answer while it is written, or later: each at its own pace, out of the log and never past what is safe in it. @module */
import { keepAlives, numberBefore, type RunFraming } from './events.ts'
import type { Place, RunLog } from './log.ts'

/** How far an answer has come, for all who read it. */
export interface Tail {
  /** How many events are safe in the log. */
  kept: number
  /** There will be no more. */
  isOver: boolean
  /** They are not to be had any more. */
  isGone: boolean
  /** How many read them now. */
  readers: number
  /** Wakes the readers that wait: there are new events, or a keep-alive comment is due. */
  ring(): void
  rung(): Promise<void>
}

export function createTail(kept: number, isOver: boolean): Tail {
  let bell = createBell()
  return {
    kept,
    isOver,
    isGone: false,
    readers: 0,
    ring() {
      bell.resolve()
      bell = createBell()
    },
    rung: () => bell.promise,
  }
}

/** A promise, and what resolves it. */
function createBell(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** How much a reader is given at a time, in bytes: it has no more than this in memory. */
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
      await tail.rung()
      more = tail.isGone ? undefined : (next() ?? (tail.isOver ? undefined : keepAlives[framing]))
    }
    if (isLeft) return
    if (more !== undefined) return controller.enqueue(more)
    leave()
    if (tail.isGone) controller.error(new Error('Cannot go on with the answer: it is not kept any more'))
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
