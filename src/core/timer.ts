/** A clock that knows "never". @module */

/** The longest that `setTimeout` can wait, in milliseconds; it fires at once when asked for more. */
const longestMs = 2 ** 31 - 1

/** Calls the function after this number of milliseconds, unless it is stopped before. Longer than 24 days, `Infinity` for one, is never. */
export function after(ms: number, action: () => void): { stop(): void } {
  if (ms > longestMs) return { stop: () => {} }
  const timer = setTimeout(action, ms)
  return { stop: () => clearTimeout(timer) }
}

/** A clock that is wound again and again, and seldom runs out. */
export interface Alarm {
  /** Waits for this number of milliseconds from now, in place of what it waits for already. `Infinity`: for nothing. */
  wind(ms: number): void
  /** Waits for nothing, and lets go of the timer. */
  stop(): void
}

/**
 * Does it whenever the time is up for which it was wound last. One timer serves all windings: to make and drop one for each event of a
 * stream costs as much as to read the event.
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
