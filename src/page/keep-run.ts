/**
 * Stores the events of a run, so that a page that lost the connection can continue at the next event. The run does not end when the page
 * disconnects.
 *
 * The answer's header `x-isoglot-stream` names the run. `GET <url>/<name>` with `Last-Event-ID: 40` sends the events after the 40th. It
 * answers 204 if there are no more, and 404 if the run is not stored. `DELETE <url>/<name>` ends the run.
 *
 * @module
 */

import { checkOptions } from '../core/checks.ts'
import { bodyOf } from './body.ts'
import type { Encoder } from './encoding.ts'
import { eventStream } from './event-stream.ts'
import { errorResponse } from './page-error.ts'
import { respond, type SentRun, settledWithin, type ToResponseOptions } from './to-response.ts'

/** The storage of the events of runs: the application's own, or {@link memoryLog}. */
export interface RunLog {
  /** Adds events to a run; the first call begins it. Throws if the run was removed. */
  append(name: string, events: readonly string[]): Promise<void>
  /**
   * The events that follow the first `after` events, including future ones, until the run is closed or removed, or the signal fires.
   * `undefined` if there is no such run.
   */
  read(name: string, after: number, signal: AbortSignal): Promise<AsyncIterable<string> | undefined>
  /** Marks the end: no more events follow. */
  close(name: string): Promise<void>
  /** Deletes the run, and ends its readers. */
  remove(name: string): Promise<void>
}

/** The header with the name of a stored run. */
const nameHeader = 'x-isoglot-stream'

/**
 * Answers like `toResponse`, and stores the run in the log. The run continues when the page disconnects. It ends early if it is removed
 * from the log, for example by {@link answerKept} when the page stops it.
 *
 * @param options Those of `toResponse`. A page reads the response with `readEvents` and `resume: resuming()`. With `as: uiMessages()`,
 * `useChat` of the AI SDK reads it, and reads it again with `resume`: answer that request with `answerKept` and the `name`. `name`: the
 * name that the page gave to the run, `streamId` of `readChatRequest`. The page can then ask for the run before it has the response. Default,
 * and if another run has that name, or had it and was stopped: a random one.
 * @throws the error of the log if it cannot begin a run.
 * @example
 * ```ts
 * const log = memoryLog()
 * const answer = () => keepRun(stream({ model, prompt: 'A long story' }), log)
 * ```
 */
export async function keepRun(
  run: SentRun,
  log: RunLog,
  options: Omit<ToResponseOptions, 'as'> & { readonly as?: Encoder; readonly name?: string | undefined } = {},
): Promise<Response> {
  checkOptions('keepRun', options)
  const { name: given, ...asked } = options
  const name = (given !== undefined && (await beginUnderName(given, log))) || crypto.randomUUID()
  if (name !== given) await log.append(name, [])
  const [removed, over] = [new AbortController(), new AbortController()]
  const watch = async () => {
    for await (const _ of (await log.read(name, Number.MAX_SAFE_INTEGER, over.signal)) ?? []);
    if (!over.signal.aborted) removed.abort()
  }
  watch().catch(() => {})
  const response = await respond(run, asked, removed.signal)
  if (!response.ok || response.body === null) {
    over.abort()
    await log.remove(name).catch(() => {}) // the error of the run is the one to report
    return response
  }
  const kept = writeLog(response.body, name, log, { removed: removed.signal, over })
  options.waitUntil?.(kept)
  return replay(name, 0, log, options.heartbeatMs, response.headers)
}

/** The names that are looked up at the moment: of two requests with one name, both would find it free. */
const beginning = new WeakMap<RunLog, Set<string>>()

/** The name, if the log begins a run under it; `undefined` if another run has it, or had it and was removed. */
async function beginUnderName(name: string, log: RunLog): Promise<string | undefined> {
  const names = beginning.get(log) ?? new Set()
  beginning.set(log, names)
  if (names.has(name)) return undefined
  names.add(name)
  try {
    if ((await log.read(name, 0, AbortSignal.abort())) !== undefined) return undefined
    await log.append(name, [])
    return name
  } catch {
    return undefined // if the storage fails, it fails for the other name too
  } finally {
    names.delete(name)
  }
}

/**
 * Answers the requests of pages for a run that is kept: the rest of it, or its end. Names are random; ask who is calling all the same.
 *
 * @param options `name`: the name of the run, for addresses that do not end with it. It is in the header `x-isoglot-stream` of `keepRun`.
 * @example
 * ```ts
 * const log = memoryLog()
 * const answer = (request: Request) => answerKept(request, log)
 * ```
 */
export async function answerKept(
  request: Request,
  log: RunLog,
  options: Pick<ToResponseOptions, 'heartbeatMs'> & { readonly name?: string } = {},
): Promise<Response> {
  checkOptions('answerKept', options)
  const name = options.name ?? new URL(request.url).pathname.split('/').at(-1) ?? ''
  if (request.method === 'DELETE') {
    await log.remove(name)
    return new Response(null, { status: 204 })
  }
  const taken = Number(request.headers.get('last-event-id') ?? 0)
  return replay(name, Number.isSafeInteger(taken) && taken > 0 ? taken : 0, log, options.heartbeatMs)
}

/** Sends the stored events of a run that follow the first `after` events, and then the new ones. */
async function replay(
  name: string,
  taken: number,
  log: RunLog,
  heartbeatMs = 15_000,
  headers: HeadersInit = {},
): Promise<Response> {
  const reading = new AbortController()
  const texts = (await log.read(name, taken, reading.signal))?.[Symbol.asyncIterator]()
  if (texts === undefined)
    return errorResponse({ code: 'api', kind: 'not_found', message: 'The run is not stored any more', status: 404 })
  const { headers: own, begin, heartbeat } = eventStream()
  const first = texts.next()
  let isOver = false
  const looked = first.then(({ done = false }) => {
    isOver = done
  })
  await settledWithin(heartbeatMs, looked)
  if (isOver) return new Response(null, { status: 204 })
  const body = bodyOf({
    texts,
    first,
    opening: begin?.(),
    heartbeat,
    heartbeatMs,
    endOf: () => ({ text: undefined, message: 'The log of the run cannot be read' }),
    leave: () => reading.abort(),
  })
  const all = new Headers(own)
  for (const [key, value] of new Headers(headers)) all.set(key, value)
  all.set(nameHeader, name)
  return new Response(body, { headers: all })
}

/** Writes the body to the log, with or without readers, until it ends or the run is removed. */
async function writeLog(
  body: ReadableStream<Uint8Array>,
  name: string,
  log: RunLog,
  { removed, over }: { readonly removed: AbortSignal; readonly over: AbortController },
): Promise<void> {
  const reader = body.getReader()
  const stop = () => void reader.cancel().catch(() => {})
  removed.addEventListener('abort', stop)
  if (removed.aborted) stop()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      // Each chunk of our own body contains only whole events.
      const events = decoder.decode(value).split(/(?<=\n\n)/)
      await log.append(
        name,
        events.filter((event) => !event.startsWith(':')), // heartbeats are comments
      )
    }
  } catch {
    await reader.cancel().catch(() => {}) // the log fails, so the readers see a cut
  } finally {
    over.abort()
    await log.close(name).catch(() => {})
  }
}
