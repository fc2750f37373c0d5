/**
 * One answer that survives a lost connection. The first request writes it into a log, event by event. All readers read the log, including
 * the first one.
 *
 * @module
 */

import type { GatewayFormat } from '../../formats/shared/gateway-format.ts'
import { answerError } from '../../gateway/errors.ts'
import type { Sql } from '../platform.ts'
import { refuse } from '../refusal.ts'
import type { Session } from '../session/session.ts'
import { endOf, interruption, stop } from './end.ts'
import { cutEvents, framingOf, type RunFraming } from './events.ts'
import { RunLog, type RunRow } from './log.ts'
import { createTail, followTail, type Tail } from './tail.ts'

/** A request with a key. */
export interface RunCall {
  /** The id of the answer. */
  readonly id: string
  readonly url: string
  readonly body: string
  /** The digest of the path and the body. */
  readonly digest: string
  readonly session: Session
}

/** The platform's functions that a run needs. */
export interface RunHost {
  readonly sql: Sql
  /** Resolves when all writes are safely stored. */
  sync(): Promise<void>
  /** Makes the platform call `wake` at this time, in ms since 1970, even if the object has been unloaded before. */
  setAlarm(at: number): Promise<void>
  /** Empties the storage. */
  clear(): Promise<void>
  waitUntil(work: Promise<unknown>): void
  /** The formats in which the Worker answers. */
  formats(): readonly GatewayFormat[]
  /** Sends the request to the model. */
  answer(request: Request, session: Session): Promise<Response>
  /** The time that an answer is stored after its end, in ms. `undefined` while an option of the Worker is wrong. */
  keptMs(): number | undefined
}

/** A run. Its functions never reject: errors are answers in the client's format. */
export interface KeptRun {
  /** The answer from its beginning. Sends the request to the model if there is no answer yet. */
  start(call: RunCall): Promise<Response>
  /** The events that follow this number of events. */
  resume(after: number): Promise<Response>
  /** Stops the answer, if there is one. Resolves when the connection to the provider is closed. */
  stop(): Promise<boolean>
  /** Called by the alarm: keeps a running answer alive, or deletes an old one. */
  wake(): Promise<void>
}

/** An answer while it is written. */
interface Live {
  readonly stopping: AbortController
  /** Resolves when the beginning of the answer is known: to an error, if it is refused. */
  readonly begun: Promise<Refused | undefined>
  /** Resolves when the writing has ended. */
  readonly ended: Promise<void>
}

/** What came of a request to the model: `refused`, or the `copying` of its stream; neither after a whole answer, which is stored already. */
interface Asked {
  readonly refused?: Refused
  readonly copying?: Promise<void>
}

interface Refused {
  readonly status: number
  readonly headers: [string, string][]
  readonly text: string
}

type EndState = 'done' | 'failed' | 'stopped'

/** The interval of alarms during a run, in ms. Without alarms or requests, the platform unloads an object after a minute or two. */
const heartbeatMs = 30_000
/** The time for which the Worker remembers that there was an answer, after its events are deleted. */
const rememberedMs = 24 * 60 * 60 * 1000
/** The interval of alarms while an option of the Worker is wrong, in ms. */
const retryMs = 60 * 60 * 1000

/** The maximum number of concurrent readers of one answer: enough for a page that is open in several places. */
const maxReaders = 32
/** `retry-after` for a reader over that limit, in seconds. */
const readersWait = 5

interface StreamHead {
  readonly url: string
  readonly framing: Exclude<RunFraming, 'whole'>
}

/** The headers of an answer that later readers also get. */
const keptHeaders = ['content-type', 'x-request-id']

/** The run in this storage: the stored one, or a new one. */
export function openRun(host: RunHost): KeptRun {
  return new StoredRun(host)
}

class StoredRun implements KeptRun {
  readonly #host: RunHost
  readonly #log: RunLog
  /** The progress of the answer, for its readers. */
  #tail: Tail
  /** The answer, while it is written. */
  #live: Live | undefined

  constructor(host: RunHost) {
    this.#host = host
    this.#log = new RunLog(host.sql)
    this.#tail = createTail(this.#log.last(), true)
  }

  // ---- the client's requests ------------------------------------------------------------------

  start(call: RunCall): Promise<Response> {
    return withErrorAnswer(call.url, this.#host, async () => {
      const row = this.#find()
      if (row === undefined || row.state === 'gone') this.#begin(call)
      else if (row.digest !== call.digest) throw refuse('key_reused')
      return this.#send(0)
    })
  }

  resume(after: number): Promise<Response> {
    return withErrorAnswer(this.#log.find()?.url, this.#host, () => this.#send(after))
  }

  async #send(after: number): Promise<Response> {
    const refused = await this.#live?.begun
    if (refused !== undefined) return new Response(refused.text, refused)
    const row = this.#find()
    if (row === undefined) throw refuse('unknown_stream')
    if (row.state === 'gone') throw refuse('stream_gone')
    if (row.framing === null) throw interruption
    const tail = this.#tail
    if (after > tail.kept) throw refuse('invalid_request', 'Last-Event-ID is larger than the number of events')
    const headers = [
      ...(JSON.parse(row.headers) as [string, string][]),
      ['x-isoglot-stream', row.id] as [string, string],
    ]
    if (tail.isOver && after > 0 && after === tail.kept) return new Response(null, { status: 204, headers })
    if (tail.readers >= maxReaders) throw refuse('too_many_live', 'too many readers of this answer', readersWait)
    return new Response(followTail(this.#log, tail, row.framing, after), { headers })
  }

  async stop(): Promise<boolean> {
    const row = this.#find()
    this.#live?.stopping.abort(new DOMException('The answer was stopped', 'AbortError'))
    await this.#live?.ended
    return row !== undefined
  }

  /** The stored answer. If it is unfinished and no longer written, it is ended now. */
  #find(): RunRow | undefined {
    const row = this.#log.find()
    if (row?.state !== 'running' || this.#live !== undefined) return row
    this.#finish(row, 'failed')
    this.#tail = createTail(this.#log.last(), true)
    return this.#log.find()
  }

  // ---- the writing of the answer --------------------------------------------------------------

  #begin(call: RunCall): void {
    this.#abandonReaders()
    this.#log.begin(call)
    this.#tail = createTail(0, false)
    const stopping = new AbortController()
    const writing = this.#ask(call, stopping.signal)
    const begun = writing.then(({ refused }) => refused)
    const ended = writing.then(({ copying }) => copying)
    this.#live = { stopping, begun, ended }
    this.#host.waitUntil(ended)
    this.#host.waitUntil(this.#host.setAlarm(Date.now() + heartbeatMs))
  }

  /** A response that is not a model's answer is not stored, so the key can be used again. */
  async #ask({ url, body, session }: RunCall, signal: AbortSignal): Promise<Asked> {
    const request = new Request(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal })
    try {
      // The model is asked only after the row is safely stored.
      await this.#host.sync()
      const response = await this.#host.answer(request, session)
      const framing = response.ok ? framingOf(response.headers.get('content-type')) : undefined
      if (framing === undefined || response.body === null) return { refused: await this.#giveUp(response) }
      const headers = JSON.stringify([...response.headers].filter(([name]) => keptHeaders.includes(name)))
      if (framing === 'whole') {
        const bytes = new Uint8Array(await response.arrayBuffer())
        this.#log.setHead(framing, headers)
        this.#log.append([bytes])
        await this.#end({ url, framing }, 'done')
        return {}
      }
      this.#log.setHead(framing, headers)
      await this.#host.sync()
      return { copying: this.#copy(response.body, { url, framing }, signal) }
    } catch (error) {
      return { refused: await this.#giveUp(answerError(request, error, this.#host.formats())) }
    }
  }

  async #giveUp(response: Response): Promise<Refused> {
    this.#live = undefined
    this.#log.forget()
    return { status: response.status, headers: [...response.headers], text: await response.text() }
  }

  async #copy(body: ReadableStream<Uint8Array>, head: StreamHead, signal: AbortSignal): Promise<void> {
    const keep = (events: readonly Uint8Array<ArrayBuffer>[]) => this.#keep(events)
    const isWhole = await copyEvents(body, head.framing, signal, keep).catch(() => false)
    await this.#end(head, signal.aborted ? 'stopped' : isWhole ? 'done' : 'failed')
  }

  /** The event is stored first, then sent. */
  async #keep(events: readonly Uint8Array<ArrayBuffer>[]): Promise<void> {
    if (events.length > 0) {
      this.#log.append(events)
      await this.#host.sync()
      this.#tail.kept = this.#log.last()
    }
    this.#tail.notify()
  }

  async #end(head: Pick<RunRow, 'url' | 'framing'>, state: EndState): Promise<void> {
    try {
      this.#finish(head, state)
      await this.#host.sync()
      this.#tail.kept = this.#log.last()
      this.#tail.isOver = true
      this.#tail.notify()
    } catch {
      // The storage failed. No reader may take the stored part for the whole answer.
      this.#abandonReaders()
    } finally {
      this.#live = undefined
    }
  }

  #finish({ url, framing }: Pick<RunRow, 'url' | 'framing'>, state: EndState): void {
    const log = this.#log
    if (state !== 'done' && framing !== null) {
      const count = log.last()
      const sent = { first: log.text(1), last: log.text(count), count }
      log.append(endOf(url, this.#host.formats(), state === 'stopped' ? stop : interruption, sent))
    }
    const now = Date.now()
    log.end(state, now)
    this.#host.waitUntil(this.#host.setAlarm(now + (this.#host.keptMs() ?? retryMs)))
  }

  #abandonReaders(): void {
    this.#tail.isGone = true
    this.#tail.notify()
  }

  // ---- the alarm ------------------------------------------------------------------------------

  async wake(): Promise<void> {
    const row = this.#find()
    const host = this.#host
    const now = Date.now()
    if (this.#live !== undefined) return host.setAlarm(now + heartbeatMs)
    if (row === undefined) return this.#clear()
    const keptMs = host.keptMs()
    // An alarm that fails is repeated six times only, and the answer would then stay forever.
    if (keptMs === undefined) return host.setAlarm(now + retryMs)
    const due = (row.endedAt ?? now) + keptMs
    if (now < due) return host.setAlarm(due)
    if (row.state !== 'gone') {
      this.#abandonReaders()
      this.#log.dropEvents()
    }
    return now < due + rememberedMs ? host.setAlarm(due + rememberedMs) : this.#clear()
  }

  #clear(): Promise<void> {
    this.#log.drop()
    return this.#host.clear()
  }
}

/** Returns whether the answer is complete. When the signal fires, the connection to the provider is closed immediately. */
async function copyEvents(
  body: ReadableStream<Uint8Array>,
  framing: StreamHead['framing'],
  signal: AbortSignal,
  keep: (events: readonly Uint8Array<ArrayBuffer>[]) => Promise<void>,
): Promise<boolean> {
  const cutter = cutEvents(framing)
  const reader = body.getReader()
  const leave = () => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', leave, { once: true })
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read()
      if (done) return !cutter.isWithin
      await keep(cutter.push(value))
    }
    return false
  } finally {
    signal.removeEventListener('abort', leave)
    leave()
  }
}

/** Answers an exception in the format of the request. */
async function withErrorAnswer(
  url: string | undefined,
  { formats }: Pick<RunHost, 'formats'>,
  answer: () => Promise<Response>,
): Promise<Response> {
  try {
    return await answer()
  } catch (error) {
    return answerError(new Request(url ?? 'https://run/'), error, formats())
  }
}
