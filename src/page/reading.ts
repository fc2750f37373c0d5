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
  const { idleMs = 45_000, maxEventBytes = 8 * 1024 * 1024 } = options
  const given = Promise.resolve(response).then((found) => {
    streamId = /^[\w-]{1,128}$/.exec(found.headers.get('x-isoglot-stream') ?? '')?.[0]
    url = found.url
    return found
  })
  given.catch(() => {}) // it is thrown where the run is read
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
    const unfollow = linkAbort(options.signal, stopping)
    let connection = given
    let isWhole = false
    let failure: unknown
    try {
      for (let failures = 0; ; ) {
        const before = taken
        const silence = startSilence(idleMs, signal)
        try {
          yield* eventsOf(connection, silence)
          isWhole = true
          return
        } catch (cause) {
          failure = cause
        } finally {
          silence.clear()
        }
        failures = taken > before ? 0 : failures + 1
        const [name, cause] = [streamId, failure]
        const canGoOn = name !== undefined && !isEnded && !signal.aborted
        const rest = canGoOn ? await options.resume?.rest({ cause, failures, taken, name, url, signal }) : undefined
        if (rest === undefined) {
          failure = connection === given ? cause : cutFor(cause)
          throw failure
        }
        connection = rest.response
        connection.catch(() => {})
      }
    } finally {
      unfollow()
      if (!isWhole) breakOff(failure)
    }
  }

  /** An answer that was cut off counts as cut off, even if the server later reports another error. */
  function cutFor(cause: unknown): unknown {
    const isOfRest = cause instanceof IsoglotError && !isEnded
    return isOfRest
      ? new InterruptedError('Cannot finish the run: the server does not have the rest of it', { cause })
      : cause
  }

  async function* eventsOf(connection: Promise<Response>, silence: Silence): AsyncGenerator<StreamEvent[]> {
    const answer = await checkedResponse(connection, silence.signal)
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
    for await (const chunk of chunksOf(answer, silence)) {
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
    batches,
    get messages() {
      return shown
    },
    get result() {
      return result
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
