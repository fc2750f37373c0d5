/** Passes an abort on. @module */

/** Aborts the controller when the signal fires, with the signal's reason. Returns a function that removes the listener from the signal. */
export function follow(signal: AbortSignal | undefined, controller: AbortController): () => void {
  const forward = () => controller.abort(signal?.reason)
  if (signal?.aborted) forward()
  signal?.addEventListener('abort', forward)
  return () => signal?.removeEventListener('abort', forward)
}
