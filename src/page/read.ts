/**
 * For pages: reads the run that a server sends with `toResponse`, as if it ran in the page.
 *
 * @module
 */

import type { RunResult, StreamEvent } from '../client/result.ts'
import { type Run, readOnce, runLeft, withResolvers } from '../client/run.ts'
import { checkOptions } from '../core/checks.ts'
import { DecodeError } from '../core/errors.ts'
import type { AnyData, AnyTools, DataOf } from '../tools/types.ts'
import { type ReadOptions, readingOf } from './reading.ts'

export type { ReadOptions } from './reading.ts'
export { type Cut, type Resuming, resuming } from './resuming.ts'

/**
 * A run that a server sends, for code that can read a {@link Run}. Its `messages` are the answers and tool messages of the run, without the
 * prompt. Its events and its result do not have the data that the server hides from the page.
 */
export interface PageRun<Tools extends AnyTools = AnyTools, Data extends object = AnyData> extends Run<Tools, Data> {
  /** The history that the server's `seal` sealed, to send with the next request. It is set once the run has ended. */
  readonly sealed: string | undefined
}

/**
 * Reads the answer of a server that uses `toResponse`.
 *
 * @example
 * ```ts
 * const body = JSON.stringify({ chatId: 'c1', messages: [message.user('Hello')] })
 * const run = readEvents(fetch('/chat', { method: 'POST', body }))
 * for await (const event of run) if (event.type === 'text_delta') write(event.text)
 * const { outcome } = await run.response
 * ```
 * @throws while it is read: the error of the run on the server, as an error of the same class; `ApiError` for a status that is not ok;
 * `InterruptedError` if the body ends without the run's end; `TimeoutError` if nothing arrives for `idleMs`;
 * `ConnectionError` if there is no answer; `DecodeError` for an answer in another format. `partial` of each error has the part that arrived before it.
 */
export function readEvents<Tools extends AnyTools = AnyTools, Data extends object = AnyData>(
  response: Response | Promise<Response>,
  options?: ReadOptions,
): PageRun<Tools, DataOf<Data>>
export function readEvents(response: Response | Promise<Response>, options: ReadOptions = {}): PageRun {
  checkOptions('readEvents', options)
  const stopping = new AbortController()
  const settled = withResolvers<RunResult>()
  settled.promise.catch(() => {})
  const given = Promise.resolve(response).then((found) => {
    if (found?.headers) return found
    throw new DecodeError('Cannot read the run: readEvents takes the Response of fetch, or its promise')
  })
  const reading = readingOf(given, options, stopping)

  async function* batches(): AsyncGenerator<StreamEvent[]> {
    let failure: unknown = runLeft
    try {
      yield* reading.batches()
      failure = undefined
    } catch (cause) {
      if (stopping.signal.reason === runLeft) return
      failure = cause
      throw cause
    } finally {
      if (reading.result !== undefined && failure === undefined) settled.resolve(reading.result)
      else settled.reject(failure ?? new DecodeError('Cannot read the result of the run: the server sent no "done"'))
    }
  }

  return {
    ...readOnce(batches, settled, stopping),
    get messages() {
      return reading.messages
    },
    get partial() {
      return reading.partial
    },
    get sealed() {
      return reading.sealed
    },
    get streamId() {
      return reading.streamId
    },
    stop: () => reading.stop(),
  }
}
