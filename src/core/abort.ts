/**
 * Timers, and signals that end what waits.
 *
 * @module
 */

/** The longest time of `setTimeout`, in milliseconds. With a longer time it fires at once. */
export const longestMs: number = 2 ** 31 - 1

/** Calls `action` after this time, unless it is stopped before. A time over 24 days, such as `Infinity`, means never. */
export function after(ms: number, action: () => void): { stop(): void } {
  if (ms > longestMs) return { stop: () => {} }
  const timer = setTimeout(action, ms)
  return { stop: () => clearTimeout(timer) }
}

/** A timer that is often restarted and seldom fires. */
interface Alarm {
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

// ---- signals ------------------------------------------------------------------------------------

/** The value, or the signal's reason if that comes first: a callback that never settles does not hold up a run that was cancelled. */
export function unlessAborted<T>(given: T | PromiseLike<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    Promise.resolve(given)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}

/** The same for a response. One that arrives after the signal has fired is cancelled: the `fetch` of an application may not know signals. */
export function responseUnlessAborted(given: Promise<Response>, signal: AbortSignal): Promise<Response> {
  given.then(({ body }) => (signal.aborted ? body?.cancel() : undefined)).catch(() => {})
  return unlessAborted(given, signal)
}

/** Aborts the controller when the signal fires, with the signal's reason. Returns a function that removes the listener from the signal. */
export function linkAbort(signal: AbortSignal | undefined, controller: AbortController): () => void {
  const forward = () => controller.abort(signal?.reason)
  if (signal?.aborted) forward()
  signal?.addEventListener('abort', forward)
  return () => signal?.removeEventListener('abort', forward)
}

/** Calls a function of the application. An exception from it is reported as uncaught and does not reach our code. */
export function reportUncaught(call: () => void): void {
  try {
    call()
  } catch (cause) {
    queueMicrotask(() => {
      throw cause
    })
  }
}
