/** Calls functions of the application. @module */

/** Calls a function of the application. An exception from it is reported as uncaught and does not reach our code. */
export function guarded(call: () => void): void {
  try {
    call()
  } catch (cause) {
    queueMicrotask(() => {
      throw cause
    })
  }
}
