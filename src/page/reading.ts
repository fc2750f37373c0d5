/** For pages: reads the events of a server's run, over as many connections as needed. @module */

import { chunksOf } from '../ask/transport.ts'
import { applyEvent } from '../client/apply-event.ts'
import type { RunResult, StreamEvent } from '../client/result.ts'
import { alarm, linkAbort } from '../core/abort.ts'
import { InterruptedError, IsoglotError, TimeoutError } from '../core/errors.ts'
import type { AssistantMessage, Message } from '../core/messages.ts'
import { cutOff } from './blocks-so-far.ts'
import { notOurs, readData, readEvent } from './event-data.ts'
import { checkedResponse, thrownBy } from './page-answer.ts'
import type { PageError } from './page-error.ts'
import { withRepeats } from './repeats.ts'
import type { Resuming } from './resuming.ts'

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

/** A run that is read: the parts of `readEvents` that a chat needs. */
export interface Reading {
  /** To be read once. */
  batches(): AsyncGenerator<StreamEvent[]>
  readonly messages: readonly Message[]
  readonly partial: AssistantMessage | undefined
  /** The result of the run, once it has arrived. */
  readonly result: RunResult | undefined
  readonly sealed: string | undefined
  readonly streamId: string | undefined
  /** Ends the run on the server, too. */
  stop(): Promise<void>
}

/** @param stopping ends the reading */
export function readingOf(
  response: Response | Promise<Response>,
  options: ReadOptions,
  stopping: AbortController = new AbortController(),
): Reading {
  return new RunReading(Promise.resolve(response), options, stopping)
}

/** The part of the run that has arrived. Its fields change while `batches` is read. */
class RunReading implements Reading {
  messages: readonly Message[] = []
  partial: AssistantMessage | undefined
  result: RunResult | undefined
  sealed: string | undefined
  streamId: string | undefined
  readonly #options: ReadOptions
  readonly #stopping: AbortController
  /** The first response. If the connection breaks, `resume` asks for others. */
  readonly #given: Promise<Response>
  #url = ''
  /** The number of events that have arrived, including the end. */
  #taken = 0
  #isEnded = false
  /** Whether the last message is an answer that has not ended. */
  #isUnderway = false

  constructor(response: Promise<Response>, options: ReadOptions, stopping: AbortController) {
    this.#options = options
    this.#stopping = stopping
    this.#given = response.then((found) => {
      this.streamId = /^[\w-]{1,128}$/.exec(found.headers.get('x-isoglot-stream') ?? '')?.[0]
      this.#url = found.url
      return found
    })
    this.#given.catch(() => {}) // it is thrown where the run is read
  }

  async *batches(): AsyncGenerator<StreamEvent[]> {
    const { idleMs = 45_000, signal: caller } = this.#options
    const { signal } = this.#stopping
    const unfollow = linkAbort(caller, this.#stopping)
    let connection = this.#given
    let isWhole = false
    let failure: unknown
    try {
      for (let failures = 0; ; ) {
        const before = this.#taken
        const silence = startSilence(idleMs, signal)
        try {
          yield* this.#eventsOf(connection, silence)
          isWhole = true
          return
        } catch (cause) {
          failure = cause
        } finally {
          silence.clear()
        }
        failures = this.#taken > before ? 0 : failures + 1
        const rest = await this.#askForRest(failure, failures)
        if (rest === undefined) {
          if (connection !== this.#given) failure = this.#cutFor(failure)
          throw failure
        }
        connection = rest.response
        connection.catch(() => {})
      }
    } finally {
      unfollow()
      if (!isWhole) this.#breakOff(failure)
    }
  }

  /** Asks for the events that have not arrived; `undefined` if the run cannot go on. */
  #askForRest(cause: unknown, failures: number): ReturnType<Resuming['rest']> | undefined {
    const { signal } = this.#stopping
    const name = this.streamId
    if (name === undefined || this.#isEnded || signal.aborted) return undefined
    return this.#options.resume?.rest({ cause, failures, taken: this.#taken, name, url: this.#url, signal })
  }

  /** An answer that was cut off counts as cut off, even if the server later reports another error. */
  #cutFor(cause: unknown): unknown {
    const isOfRest = cause instanceof IsoglotError && !this.#isEnded
    return isOfRest
      ? new InterruptedError('Cannot finish the run: the server does not have the rest of it', { cause })
      : cause
  }

  async *#eventsOf(connection: Promise<Response>, silence: Silence): AsyncGenerator<StreamEvent[]> {
    const answer = await checkedResponse(connection, silence.signal)
    let batch: StreamEvent[] = []
    const lines = readData(this.#options.maxEventBytes ?? 8 * 1024 * 1024, (data) => this.#takeData(data, batch))
    for await (const chunk of chunksOf(answer, silence)) {
      try {
        lines.push(chunk)
      } catch (cause) {
        if (batch.length > 0) yield batch
        throw cause
      }
      if (batch.length > 0) yield batch
      if (this.#isEnded) return
      batch = []
    }
    throw new InterruptedError('Cannot finish the run: the response ended too early')
  }

  /** Adds an event of the run to the batch. The end of the run, and its error, are only for this reading. */
  #takeData(data: string, batch: StreamEvent[]): void {
    const event = readEvent<PageEvent>(data)
    this.#taken++
    this.#isEnded = event.type === 'error' || event.type === 'end'
    if (event.type === 'error') throw thrownBy(event.error)
    if (event.type === 'end') {
      this.sealed = event.sealed
      return
    }
    const whole = this.#grow(event, data)
    if (whole.type === 'message_start') this.#isUnderway = true
    if (whole.type === 'message_end') this.#isUnderway = false
    if (whole.type === 'done') this.result = whole.result
    batch.push(whole)
  }

  /** The event with its repeated fields restored. It is part of the conversation from now on. */
  #grow(event: StreamEvent, data: string): StreamEvent {
    try {
      const whole = withRepeats(event, this.messages)
      this.messages = applyEvent(this.messages, whole)
      return whole
    } catch {
      throw notOurs(data)
    }
  }

  /** Keeps the received part of an answer that did not end. */
  #breakOff(failure: unknown): void {
    const last = this.messages.at(-1)
    if (last?.role !== 'assistant') return
    if (this.#isUnderway) {
      const isOurs = failure instanceof IsoglotError && !(failure instanceof TimeoutError)
      this.partial = cutOff(last, isOurs ? 'interrupted' : 'aborted')
      this.messages = [...this.messages.slice(0, -1), this.partial]
    }
    if (failure instanceof IsoglotError) failure.partial ??= this.partial ?? last
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new DOMException('The run was stopped', 'AbortError'))
    const { resume, streamId: ownName } = this.#options
    if (this.streamId || !resume) return this.#endOnServer()
    // The server may give the run another name, or receive its request after the stop.
    const rest = this.#given.then(
      () => this.#endOnServer(),
      () => {},
    )
    if (!ownName) return rest
    rest.catch(() => {})
    return resume.stop(this.#url, ownName)
  }

  async #endOnServer(): Promise<void> {
    if (this.streamId) await this.#options.resume?.stop(this.#url, this.streamId)
  }
}

type Silence = ReturnType<typeof startSilence>

/** Ends a connection on which nothing arrives for so long. */
function startSilence(idleMs: number, caller: AbortSignal) {
  const controller = new AbortController()
  const unfollow = linkAbort(caller, controller)
  let phase: 'first_byte' | 'idle' = 'first_byte'
  const clock = alarm(() => {
    controller.abort(new TimeoutError(`Cannot wait any longer: nothing came within ${idleMs} ms`, phase, idleMs))
  })
  clock.wind(idleMs)
  return {
    signal: controller.signal,
    enter() {
      phase = 'idle'
      clock.wind(idleMs)
    },
    pause: () => clock.wind(Number.POSITIVE_INFINITY),
    clear() {
      clock.stop()
      unfollow()
      controller.abort('The connection has ended') // without a reason, the platform would make an error with a stack
    },
  }
}

type PageEvent =
  | StreamEvent
  | { readonly type: 'end'; readonly sealed?: string }
  | { readonly type: 'error'; readonly error: PageError }
