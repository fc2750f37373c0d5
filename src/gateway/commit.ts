/**
 * The commit window: how long the gateway keeps its own headers back, so that a failure is still a real status.
 *
 * It ends with the provider's first real event, or after two seconds, since a client that hears nothing gives up, and a runtime notices
 * one that left only by writing to it.
 *
 * @see security.md §2.4
 * @module
 */
import type { StreamedText } from './ask.ts'

/** The next batch of a stream. */
export type Next = ReturnType<StreamedText['next']>

/** The stream's first batch, begun: settled if it came in time. @throws what went wrong in that time. */
export async function openWindow(text: StreamedText, commitMs: number): Promise<{ readonly next: Next }> {
  const next = text.next()
  await within(commitMs, next)
  return { next }
}

/** The promise's value, or `late`; the promise stays good. */
export function within<T>(ms: number, promise: Promise<T>): Promise<T | 'late'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve('late'), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
