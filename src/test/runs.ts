/** A run's events as data, and data as a run. @module */

import { sleep } from '../ask/transport.ts'
import { applyEvent } from '../client/apply-event.ts'
import type { RunResult, StreamEvent } from '../client/result.ts'
import { type Run, readOnce, runLeft, withResolvers } from '../client/run.ts'
import { checkOptions } from '../core/checks.ts'
import { InterruptedError } from '../core/errors.ts'
import type { Message } from '../core/messages.ts'

/** All results of a run, as plain data for any matcher. */
export interface Collected {
  readonly events: readonly StreamEvent[]
  /** The text of all answers. */
  readonly text: string
  /** Set if the run resolved. */
  readonly result?: RunResult
  /** Set if the run failed. */
  readonly error?: unknown
}

/**
 * Reads a run to its end, also if that is an error.
 *
 * @param run The result of `stream`, or another source of its events.
 * @example
 * ```ts
 * import { collectRun, mockModel } from 'isoglot/test'
 *
 * const { text, error } = await collectRun(stream({ model: mockModel([{ cutAfter: 3, of: 'It is sunny.' }]), prompt: 'Weather?' }))
 * ```
 */
export async function collectRun(run: AsyncIterable<StreamEvent>): Promise<Collected> {
  const events: StreamEvent[] = []
  let ending: Pick<Collected, 'result' | 'error'> = {}
  try {
    for await (const event of run) {
      events.push(event)
      if (event.type === 'done') ending = { result: event.result }
    }
  } catch (error) {
    ending = { error }
  }
  const text = events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('')
  return { events, text, ...ending }
}

/**
 * A run with these events, for tests of views and stores. With `done`, it resolves to the result in it. Otherwise it fails like an answer
 * that was cut off.
 *
 * @param options `error`: the error after the events. Default: an `InterruptedError`, if there is no `done`. `delayMs`: the pause before each event. Default 0.
 * @example
 * ```ts
 * import { runOf } from 'isoglot/test'
 *
 * const half = runOf([{ type: 'message_start' }, { type: 'text_delta', index: 0, text: 'It is' }])
 * ```
 */
export function runOf(
  events: readonly StreamEvent[],
  options: { readonly error?: unknown; readonly delayMs?: number } = {},
): Run {
  checkOptions('runOf', options)
  const { delayMs = 0, error } = options
  const stopping = new AbortController()
  const settled = withResolvers<RunResult>()
  settled.promise.catch(() => {})
  let messages: readonly Message[] = []

  async function* batches(): AsyncGenerator<readonly StreamEvent[]> {
    let failure: unknown = runLeft
    try {
      for (const event of events) {
        if (delayMs > 0) await sleep(delayMs, stopping.signal)
        stopping.signal.throwIfAborted()
        messages = applyEvent(messages, event)
        yield [event]
        if (event.type !== 'done' || error !== undefined) continue
        settled.resolve(event.result)
        return
      }
      throw error ?? new InterruptedError('Cannot finish the answer: the stream ended before its end')
    } catch (cause) {
      if (stopping.signal.reason === runLeft) return
      failure = cause
      throw cause
    } finally {
      settled.reject(failure)
    }
  }

  return {
    ...readOnce(batches, settled, stopping),
    get messages() {
      return messages
    },
    get partial() {
      const last = messages.at(-1)
      return last?.role === 'assistant' && last.stopReason === undefined ? last : undefined
    },
    streamId: undefined,
    async stop() {
      stopping.abort(new DOMException('The run was stopped', 'AbortError'))
    },
  }
}
