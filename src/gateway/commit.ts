/**
 * The commit window: the time for which the gateway holds its headers back, so that an early failure still gets a real status.
 *
 * It ends with the provider's first real event, or after two seconds: a client without any bytes gives up, and a runtime notices a client's
 * disconnect only when it writes.
 *
 * @module
 */
import { after, alarm } from '../core/abort.ts'
import type { AnswerText } from './ask-model.ts'

/** The next batch of a stream. */
export type NextBatch = ReturnType<AnswerText['next']>

/** A text whose first batch has been requested. */
export interface Begun {
  readonly next: NextBatch
  /** The batch, if it arrived in time. */
  readonly first: Awaited<NextBatch> | 'late'
}

/** @throws the error of the first batch, if it failed in that time. */
export async function openWindow(text: AnswerText, commitMs: number): Promise<Begun> {
  const next = text.next()
  return { next, first: await settledWithin(commitMs, next) }
}

/** Waits for one promise after another, each with the same time limit. */
export interface Timeout {
  /** The promise's value, or `late`. The promise itself goes on. */
  within<T>(promise: Promise<T>): Promise<T | 'late'>
  /** Clears the timer. */
  end(): void
}

/** Waits at most this many milliseconds for each promise. */
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

function settledWithin<T>(ms: number, promise: Promise<T>): Promise<T | 'late'> {
  return new Promise((resolve, reject) => {
    const timer = after(ms, () => resolve('late'))
    promise.then(resolve, reject).finally(() => timer.stop())
  })
}
