/** Publishes a state: at once, or a little later together with what comes until then. @module */
import { guarded } from '../core/guarded.ts'
import { after } from '../core/timer.ts'

/** A state for readers, and its subscribers. */
export interface Publisher<T> {
  readonly shown: T
  /** Publishes what there is now. */
  now(): void
  /** The same, at most once in `throttleMs`. */
  soon(): void
  subscribe(listener: () => void): () => void
  /** Drops the timer and the listeners. */
  end(): void
}

/** @param read makes the state, of what is shown */
export function publisher<T>(read: (shown: T | undefined) => T, throttleMs: number): Publisher<T> {
  const listeners = new Set<() => void>()
  let shown = read(undefined)
  let publishedAt = Number.NEGATIVE_INFINITY
  let timer: { stop(): void } | undefined
  function now(): void {
    timer?.stop()
    timer = undefined
    publishedAt = performance.now()
    shown = read(shown)
    for (const notify of [...listeners]) notify()
  }
  return {
    get shown() {
      return shown
    },
    now,
    soon() {
      const waitMs = publishedAt + throttleMs - performance.now()
      if (waitMs <= 0) now()
      else timer ??= after(waitMs, now)
    },
    subscribe(listener) {
      const notify = () => guarded(listener)
      listeners.add(notify)
      return () => listeners.delete(notify)
    },
    end() {
      timer?.stop()
      listeners.clear()
    },
  }
}
