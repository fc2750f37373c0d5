/** Timers that also take `Infinity`. @module */

/** The longest time of `setTimeout`, in milliseconds. With a longer time it fires at once. */
const longestMs = 2 ** 31 - 1

/** Calls `action` after this time, unless it is stopped before. A time over 24 days, such as `Infinity`, means never. */
export function after(ms: number, action: () => void): { stop(): void } {
  if (ms > longestMs) return { stop: () => {} }
  const timer = setTimeout(action, ms)
  return { stop: () => clearTimeout(timer) }
}

/** A timer that is often restarted and seldom fires. */
export interface Alarm {
  /** Restarts the timer with this time. `Infinity` stops it. */
  wind(ms: number): void
  /** Stops and releases the timer. */
  stop(): void
}

/**
 * Calls `action` when the last time has passed. It uses one timer for all restarts: a new timer for each event of a stream costs as much as
 * reading the event.
 */
export function alarm(action: () => void): Alarm {
  let dueAt = Number.POSITIVE_INFINITY
  let lookAt = dueAt
  let timer: ReturnType<typeof after> | undefined
  function lookIn(ms: number): void {
    timer?.stop()
    lookAt = performance.now() + ms
    timer = after(ms, look)
  }
  function look(): void {
    lookAt = Number.POSITIVE_INFINITY
    const leftMs = dueAt - performance.now()
    if (leftMs > 0) lookIn(leftMs)
    else {
      dueAt = lookAt
      action()
    }
  }
  return {
    wind(ms) {
      dueAt = performance.now() + ms
      if (dueAt < lookAt) lookIn(ms)
    },
    stop() {
      timer?.stop()
      lookAt = dueAt = Number.POSITIVE_INFINITY
    },
  }
}
