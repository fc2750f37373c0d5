/** One signal of several. @module */

export interface Linked {
  readonly signal: AbortSignal
  abort(reason: unknown): void
  /** Removes the listeners from the callers' signals. */
  end(): void
}

/** A signal that fires when a caller's signal fires, or when `abort` is called. */
export function linked(...callers: readonly (AbortSignal | undefined)[]): Linked {
  const controller = new AbortController()
  const abort = (reason: unknown) => controller.abort(reason)
  const forward = () => {
    for (const caller of callers) if (caller?.aborted) abort(caller.reason)
  }
  forward()
  for (const caller of callers) caller?.addEventListener('abort', forward)
  return {
    signal: controller.signal,
    abort,
    end() {
      for (const caller of callers) caller?.removeEventListener('abort', forward)
    },
  }
}
