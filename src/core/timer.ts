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
  /** When the timer fires, which may be before `dueAt`. */
  let lookAt = dueAt
  let timer: ReturnType<typeof after> | undefined
  function wind(ms: number): void {
    dueAt = performance.now() + ms
    if (dueAt >= lookAt) return
    timer?.stop()
    lookAt = dueAt
    timer = after(ms, () => {
      lookAt = Number.POSITIVE_INFINITY
      const leftMs = dueAt - performance.now()
      if (leftMs > 0) wind(leftMs)
      else action()
    })
  }
  return {
    wind,
    stop() {
      timer?.stop()
      lookAt = Number.POSITIVE_INFINITY
    },
  }
}
