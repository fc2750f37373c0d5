/** Waits for a value or a signal. @module */

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
