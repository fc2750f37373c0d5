/** Publishes a state, immediately or after a short time that joins several changes. @module */
import { after, reportUncaught } from '../core/abort.ts'

/** A state for readers, and its subscribers. */
export interface Publisher<T> {
  readonly shown: T
  /** Publishes the current state immediately. */
  now(): void
  /** Publishes the current state soon, at most once in `throttleMs`. */
  soon(): void
  subscribe(listener: () => void): () => void
  /** Removes the timer and the listeners. */
  end(): void
}

/** @param read makes the new state from the shown one */
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
      const notify = () => reportUncaught(listener)
      listeners.add(notify)
      return () => listeners.delete(notify)
    },
    end() {
      timer?.stop()
      listeners.clear()
    },
  }
}
