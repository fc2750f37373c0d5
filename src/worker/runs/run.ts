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
import { openLog, type RunRow } from './log.ts'
import { createTail, followTail } from './tail.ts'

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

interface Refused {
  readonly status: number
  readonly headers: [string, string][]
  readonly text: string
}

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
  const log = openLog(host.sql)
  let tail = createTail(log.last(), true)
  let live: Live | undefined

  /** The stored answer. If it is unfinished and no longer written, it is ended now. */
  function find(): RunRow | undefined {
    const row = log.find()
    if (row?.state !== 'running' || live !== undefined) return row
    finish(row, 'failed')
    tail = createTail(log.last(), true)
    return log.find()
  }

  function finish({ url, framing }: Pick<RunRow, 'url' | 'framing'>, state: 'done' | 'failed' | 'stopped'): void {
    if (state !== 'done' && framing !== null) {
      const count = log.last()
      const sent = { first: log.text(1), last: log.text(count), count }
      log.append(endOf(url, host.formats(), state === 'stopped' ? stop : interruption, sent))
    }
    const now = Date.now()
    log.end(state, now)
    host.waitUntil(host.setAlarm(now + (host.keptMs() ?? retryMs)))
  }

  function begin(call: RunCall): void {
    abandonReaders()
    log.begin(call)
    tail = createTail(0, false)
    const stopping = new AbortController()
    const writing = ask(call, stopping.signal)
    const begun = writing.then(({ refused }) => refused)
    const ended = writing.then(({ copying }) => copying)
    live = { stopping, begun, ended }
    host.waitUntil(ended)
    host.waitUntil(host.setAlarm(Date.now() + heartbeatMs))
  }

  function abandonReaders(): void {
    tail.isGone = true
    tail.notify()
  }

  /** A response that is not a model's answer is not stored, so the key can be used again. */
  async function ask(
    { url, body, session }: RunCall,
    signal: AbortSignal,
  ): Promise<{ readonly refused?: Refused; readonly copying?: Promise<void> }> {
    const request = new Request(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal })
    try {
      // The model is asked only after the row is safely stored.
      await host.sync()
      const response = await host.answer(request, session)
      const framing = response.ok ? framingOf(response.headers.get('content-type')) : undefined
      if (framing === undefined || response.body === null) return { refused: await giveUp(response) }
      const headers = JSON.stringify([...response.headers].filter(([name]) => keptHeaders.includes(name)))
      if (framing === 'whole') {
        const bytes = new Uint8Array(await response.arrayBuffer())
        log.setHead(framing, headers)
        log.append([bytes])
        await end({ url, framing }, 'done')
        return {}
      }
      log.setHead(framing, headers)
      await host.sync()
      return { copying: copy(response.body, { url, framing }, signal) }
    } catch (error) {
      return { refused: await giveUp(answerError(request, error, host.formats())) }
    }
  }

  async function giveUp(response: Response): Promise<Refused> {
    live = undefined
    log.forget()
    return { status: response.status, headers: [...response.headers], text: await response.text() }
  }

  async function copy(body: ReadableStream<Uint8Array>, head: StreamHead, signal: AbortSignal): Promise<void> {
    const isWhole = await copyEvents(body, head.framing, signal, keep).catch(() => false)
    await end(head, signal.aborted ? 'stopped' : isWhole ? 'done' : 'failed')
  }

  async function end(head: Pick<RunRow, 'url' | 'framing'>, state: 'done' | 'failed' | 'stopped'): Promise<void> {
    try {
      finish(head, state)
      await host.sync()
      tail.kept = log.last()
      tail.isOver = true
      tail.notify()
    } catch {
      // The storage failed. No reader may take the stored part for the whole answer.
      abandonReaders()
    } finally {
      live = undefined
    }
  }

  /** The event is stored first, then sent. */
  async function keep(events: readonly Uint8Array<ArrayBuffer>[]): Promise<void> {
    if (events.length > 0) {
      log.append(events)
      await host.sync()
      tail.kept = log.last()
    }
    tail.notify()
  }

  async function send(after: number): Promise<Response> {
    const refused = await live?.begun
    if (refused !== undefined) return new Response(refused.text, refused)
    const row = find()
    if (row === undefined) throw refuse('unknown_stream')
    if (row.state === 'gone') throw refuse('stream_gone')
    if (row.framing === null) throw interruption
    if (after > tail.kept) throw refuse('invalid_request', 'Last-Event-ID is larger than the number of events')
    const headers = [
      ...(JSON.parse(row.headers) as [string, string][]),
      ['x-isoglot-stream', row.id] as [string, string],
    ]
    if (tail.isOver && after > 0 && after === tail.kept) return new Response(null, { status: 204, headers })
    if (tail.readers >= maxReaders) throw refuse('too_many_live', 'too many readers of this answer', readersWait)
    return new Response(followTail(log, tail, row.framing, after), { headers })
  }

  return {
    start: (call) =>
      withErrorAnswer(call.url, host, async () => {
        const row = find()
        if (row === undefined || row.state === 'gone') begin(call)
        else if (row.digest !== call.digest) throw refuse('key_reused')
        return send(0)
      }),
    resume: (after) => withErrorAnswer(log.find()?.url, host, () => send(after)),
    async stop() {
      const row = find()
      live?.stopping.abort(new DOMException('The answer was stopped', 'AbortError'))
      await live?.ended
      return row !== undefined
    },
    async wake() {
      const row = find()
      const now = Date.now()
      if (live !== undefined) return host.setAlarm(now + heartbeatMs)
      if (row === undefined) return clear()
      const keptMs = host.keptMs()
      // An alarm that fails is repeated six times only, and the answer would then stay forever.
      if (keptMs === undefined) return host.setAlarm(now + retryMs)
      const due = (row.endedAt ?? now) + keptMs
      if (now < due) return host.setAlarm(due)
      if (row.state !== 'gone') {
        abandonReaders()
        log.dropEvents()
      }
      return now < due + rememberedMs ? host.setAlarm(due + rememberedMs) : clear()
    },
  }

  function clear(): Promise<void> {
    log.drop()
    return host.clear()
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
