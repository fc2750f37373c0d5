/** A clock that knows "never". @module */

/** The longest that `setTimeout` can wait, in milliseconds; it fires at once when asked for more. */
const longestMs = 2 ** 31 - 1

/** Does it after so many milliseconds, unless it is stopped before. Longer than 24 days, `Infinity` for one, is never. */
export function after(ms: number, action: () => void): { stop(): void } {
  if (ms > longestMs) return { stop: () => {} }
  const timer = setTimeout(action, ms)
  return { stop: () => clearTimeout(timer) }
}

/** A clock that is wound again and again, and seldom runs out. */
export interface Alarm {
  /** Begins to wait, anew if it waits already. */
  wind(): void
  /** Waits no more, until it is wound again. */
  rest(): void
  /** As {@link rest}, and lets go of the timer. */
  stop(): void
}

/**
 * Does it whenever so many milliseconds went by since it was wound. One timer serves all windings: to make and drop one for each event of
 * a stream costs as much as to read the event.
 */
export function alarm(ms: number, action: () => void): Alarm {
  let dueAt = Number.POSITIVE_INFINITY
  let timer: ReturnType<typeof after> | undefined
  const rest = () => {
    dueAt = Number.POSITIVE_INFINITY
  }
  function look(): void {
    timer = undefined
    const leftMs = dueAt - performance.now()
    if (leftMs === Number.POSITIVE_INFINITY) return
    if (leftMs > 0) {
      timer = after(leftMs, look)
      return
    }
    rest()
    action()
  }
  return {
    wind() {
      dueAt = performance.now() + ms
      timer ??= after(ms, look)
    },
    rest,
    stop() {
      rest()
      timer?.stop()
      timer = undefined
    },
  }
}
