/**
 * For pages: reads the run that a server sends with `toResponse`, as if it ran in the page.
 *
 * @module
 */

import { chunksOf, type Deadline, startDeadline } from '../ask/transport.ts'
import { applyEvent } from '../client/apply-event.ts'
import type { RunResult, StreamEvent } from '../client/result.ts'
import { left, type Run, readOnce, withResolvers } from '../client/run.ts'
import { follow } from '../core/abort.ts'
import { DecodeError, InterruptedError, IsoglotError, TimeoutError } from '../core/errors.ts'
import type { AssistantMessage, Message } from '../core/model.ts'
import type { AnyTools } from '../tools/model.ts'
import { cutOff } from './blocks-so-far.ts'
import { notOurs, readData, readEvent } from './event-data.ts'
import { answerOf, thrownBy } from './page-answer.ts'
import type { PageError } from './page-error.ts'
import { withRepeats } from './repeats.ts'
import type { Resuming } from './resuming.ts'

export { type Cut, type Resuming, resuming } from './resuming.ts'

/** An event of `toResponse`, or the end of them. */
type PageEvent =
  | StreamEvent
  | { readonly type: 'end'; readonly sealed?: string }
  | { readonly type: 'error'; readonly error: PageError }

/** Options for reading a server's run. */
export interface ReadOptions {
  /** Cancels the reading, which then rejects with the signal's own reason. */
  readonly signal?: AbortSignal
  /** The longest silence, including heartbeats, in milliseconds. Default 45,000. */
  readonly idleMs?: number
  /** The maximum size of a single event, in bytes. Default 8 MiB. */
  readonly maxEventBytes?: number
  /** For a server that answers with `keepRun`: `resuming()`. If the connection breaks, the run continues by itself. */
  readonly resume?: Resuming
  /** The name that the page gave to the run: `stop()` then ends the run before the response has arrived. Needs `resume`. */
  readonly streamId?: string
}

/**
 * A run that a server sends, for code that can read a {@link Run}. Its `messages` are the answers and tool messages of the run, without the
 * prompt. Its events and its result do not have the data that the server hides from the page.
 */
export interface PageRun<Tools extends AnyTools = AnyTools> extends Run<Tools> {
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
export function readEvents<Tools extends AnyTools = AnyTools>(
  response: Response | Promise<Response>,
  options?: ReadOptions,
): PageRun<Tools>
export function readEvents(response: Response | Promise<Response>, options: ReadOptions = {}): PageRun {
  const { idleMs = 45_000, maxEventBytes = 8 * 1024 * 1024 } = options
  const given = Promise.resolve(response).then((found) => {
    if (!found?.headers) throw new TypeError('readEvents takes the Response of fetch, or its promise')
    streamId = /^[\w-]{1,128}$/.exec(found.headers.get('x-isoglot-stream') ?? '')?.[0]
    url = found.url
    return found
  })
  given.catch(() => {}) // it is thrown where the run is read
  const stopping = new AbortController()
  const settled = withResolvers<RunResult>()
  settled.promise.catch(() => {})
  let shown: readonly Message[] = []
  let streamId: string | undefined
  let url = ''
  /** The number of events that have arrived, including the end. */
  let taken = 0
  let isEnded = false
  let isUnderway = false
  let partial: AssistantMessage | undefined
  let result: RunResult | undefined
  let sealed: string | undefined

  async function* batches(): AsyncGenerator<StreamEvent[]> {
    const { signal } = stopping
    const unfollow = follow(options.signal, stopping)
    let failure: unknown = left
    try {
      yield* connections(signal)
      failure = undefined
    } catch (cause) {
      if (signal.reason === left) return
      failure = cause
      throw cause
    } finally {
      unfollow()
      if (failure !== undefined) breakOff(failure)
      if (result !== undefined && failure === undefined) settled.resolve(result)
      else settled.reject(failure ?? new DecodeError('Cannot read the result of the run: the server sent no "done"'))
    }
  }

  /** The events of the run, over as many connections as needed. */
  async function* connections(signal: AbortSignal): AsyncGenerator<StreamEvent[]> {
    const timeouts = { firstByteMs: idleMs, idleMs, totalMs: Number.POSITIVE_INFINITY }
    let connection = given
    for (let failures = 0; ; ) {
      const before = taken
      const deadline = startDeadline(timeouts, signal)
      let cause: unknown
      try {
        yield* eventsOf(connection, deadline)
        return
      } catch (error) {
        cause = error
      } finally {
        deadline.clear()
      }
      failures = taken > before ? 0 : failures + 1
      const name = streamId
      const canGoOn = name !== undefined && !isEnded && !signal.aborted
      const rest = canGoOn ? await options.resume?.rest({ cause, failures, taken, name, url, signal }) : undefined
      if (rest === undefined) throw connection === given ? cause : cutFor(cause)
      connection = rest.response
      connection.catch(() => {})
    }
  }

  /** An answer that was cut off counts as cut off, even if the server later reports another error. */
  function cutFor(cause: unknown): unknown {
    const isOfRest = cause instanceof IsoglotError && !isEnded
    return isOfRest
      ? new InterruptedError('Cannot finish the run: the server does not have the rest of it', { cause })
      : cause
  }

  async function* eventsOf(connection: Promise<Response>, deadline: Deadline): AsyncGenerator<StreamEvent[]> {
    deadline.enter('first_byte')
    const answer = await answerOf(connection, deadline.signal)
    let batch: StreamEvent[] = []
    const takeData = (data: string) => {
      const event = readEvent<PageEvent>(data)
      taken++
      isEnded = event.type === 'error' || event.type === 'end'
      if (event.type === 'error') throw thrownBy(event.error)
      if (event.type === 'end') {
        sealed = event.sealed
        return
      }
      const whole = grown(event, data)
      if (whole.type === 'message_start') isUnderway = true
      if (whole.type === 'message_end') isUnderway = false
      if (whole.type === 'done') result = whole.result
      batch.push(whole)
    }
    const lines = readData(maxEventBytes, takeData)
    for await (const chunk of chunksOf(answer, deadline)) {
      try {
        lines.push(chunk)
      } catch (cause) {
        if (batch.length > 0) yield batch
        throw cause
      }
      if (batch.length > 0) yield batch
      if (isEnded) return
      batch = []
    }
    throw new InterruptedError('Cannot finish the run: the response ended too early')
  }

  /** The event with its repeated fields restored. It is part of the conversation from now on. */
  function grown(event: StreamEvent, data: string): StreamEvent {
    try {
      const whole = withRepeats(event, shown)
      shown = applyEvent(shown, whole)
      return whole
    } catch {
      throw notOurs(data)
    }
  }

  /** Keeps the received part of an answer that did not end. */
  function breakOff(failure: unknown): void {
    const last = shown.at(-1)
    if (last?.role !== 'assistant') return
    if (isUnderway) {
      const isOurs = failure instanceof IsoglotError && !(failure instanceof TimeoutError)
      partial = cutOff(last, isOurs ? 'interrupted' : 'aborted')
      shown = [...shown.slice(0, -1), partial]
    }
    if (failure instanceof IsoglotError) failure.partial ??= partial ?? last
  }

  return {
    ...readOnce(batches, settled, stopping),
    get messages() {
      return shown
    },
    get partial() {
      return partial
    },
    get sealed() {
      return sealed
    },
    get streamId() {
      return streamId
    },
    async stop() {
      stopping.abort(new DOMException('The run was stopped', 'AbortError'))
      const { resume, streamId: own } = options
      const end = async () => {
        if (streamId) await resume?.stop(url, streamId)
      }
      if (streamId || !resume) return end()
      // The server may give the run another name, or receive its request after the stop.
      const rest = given.then(end, () => {})
      if (!own) return rest
      rest.catch(() => {})
      return resume.stop(url, own)
    },
  }
}
