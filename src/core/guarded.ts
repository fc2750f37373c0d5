/** Calls of functions that the application gave. @module */

/** Calls what the application gave. What it throws is reported as uncaught, and does not break what calls it. */
export function guarded(call: () => void): void {
  try {
    call()
  } catch (cause) {
    queueMicrotask(() => {
      throw cause
    })
  }
}
