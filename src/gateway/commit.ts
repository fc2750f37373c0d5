/**
 * The commit window: how long the gateway keeps its own headers back, so that a failure is still a real status.
 *
 * It ends with the provider's first real event, or after two seconds, since a client that hears nothing gives up, and a runtime notices
 * one that left only by writing to it.
 *
 * @module
 */
import { after, alarm } from '../core/timer.ts'
import type { AnswerText } from './ask.ts'

/** The next batch of a stream. */
export type Next = ReturnType<AnswerText['next']>

/** A text whose first batch has been asked for. */
export interface Begun {
  readonly next: Next
  /** The batch, if it came in time. */
  readonly first: Awaited<Next> | 'late'
}

/** @throws what went wrong in that time. */
export async function openWindow(text: AnswerText, commitMs: number): Promise<Begun> {
  const next = text.next()
  return { next, first: await within(commitMs, next) }
}

/** Waits for one promise after another. */
export interface Timeout {
  /** The promise's value, or `late`; the promise stays good. */
  within<T>(promise: Promise<T>): Promise<T | 'late'>
  /** Lets go of the timer. */
  end(): void
}

/** Waits so many milliseconds for each. */
export function timeoutOf(ms: number): Timeout {
  let giveUp = () => {}
  const clock = alarm(() => giveUp())
  return {
    within: (promise) =>
      new Promise((resolve, reject) => {
        giveUp = () => resolve('late')
        clock.wind(ms)
        promise.then(resolve, reject)
      }),
    end: clock.stop,
  }
}

function within<T>(ms: number, promise: Promise<T>): Promise<T | 'late'> {
  return new Promise((resolve, reject) => {
    const timer = after(ms, () => resolve('late'))
    promise.then(resolve, reject).finally(() => timer.stop())
  })
}
