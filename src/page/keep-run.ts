/**
 * Keeps a run while it is written, so that a page whose connection breaks goes on where it was. The run does not end when the page leaves.
 *
 * The answer's header `x-isoglot-stream` names the run. `GET <url>/<name>` with `Last-Event-ID: 40` sends what follows the 40th event, 204
 * says that nothing does, 404 that it is gone. `DELETE <url>/<name>` ends it.
 *
 * @module
 */
import type { Run } from '../client/run.ts'
import { bodyOf } from './body.ts'
import type { Encoder } from './encoding.ts'
import { eventStream } from './event-stream.ts'
import { errorResponse } from './page-error.ts'
import { settledWithin, type ToResponseOptions, toResponse } from './to-response.ts'

/** Where the events of runs are kept: a store of the application's, or {@link memoryLog}. */
export interface RunLog {
  /** Adds events to a run; the first call begins it. Throws if the run was removed. */
  append(name: string, events: readonly string[]): Promise<void>
  /**
   * The events after the first `after`, and those that come later, until the run is closed or removed, or the signal fires. `undefined` if
   * there is no such run.
   */
  read(name: string, after: number, signal: AbortSignal): Promise<AsyncIterable<string> | undefined>
  /** No event comes any more. */
  close(name: string): Promise<void>
  /** Forgets the run, and ends what reads it. */
  remove(name: string): Promise<void>
}

/** The header that names a run that the server keeps. */
const nameHeader = 'x-isoglot-stream'

/**
 * Answers as `toResponse` does, and keeps the run in the log. The run goes on when the page leaves; it ends early when it is removed from
 * the log, as {@link answerKept} does for a page that stops.
 *
 * @param options Those of `toResponse`. A page reads the response with `readEvents` and `resume: resuming()`. With `as: uiMessages()`,
 * `useChat` of the AI SDK reads it, and reads it again with `resume`: answer that request with `answerKept` and the `name`.
 * @example
 * ```ts
 * const log = memoryLog()
 * const answer = () => keepRun(stream({ model, prompt: 'A long story' }), log)
 * ```
 */
export async function keepRun(
  run: Run,
  log: RunLog,
  options: Omit<ToResponseOptions, 'as'> & { readonly as?: Encoder } = {},
): Promise<Response> {
  const response = await toResponse(run, options)
  if (!response.ok || response.body === null) return response
  const name = crypto.randomUUID()
  await log.append(name, [])
  const kept = writeLog(response.body, name, log)
  options.waitUntil?.(kept)
  return replay(name, 0, log, options.heartbeatMs, response.headers)
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
  const name = options.name ?? new URL(request.url).pathname.split('/').at(-1) ?? ''
  if (request.method === 'DELETE') {
    await log.remove(name)
    return new Response(null, { status: 204 })
  }
  const taken = Number(request.headers.get('last-event-id') ?? 0)
  return replay(name, Number.isSafeInteger(taken) && taken > 0 ? taken : 0, log, options.heartbeatMs)
}

/** Sends the kept events of a run after so many, and then the new ones. */
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
    return errorResponse({ code: 'api', kind: 'not_found', message: 'The run is gone', status: 404 })
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
async function writeLog(body: ReadableStream<Uint8Array>, name: string, log: RunLog): Promise<void> {
  const reader = body.getReader()
  const watching = new AbortController()
  const stop = async () => {
    for await (const _ of (await log.read(name, Number.MAX_SAFE_INTEGER, watching.signal)) ?? []);
    if (!watching.signal.aborted) await reader.cancel()
  }
  stop().catch(() => {})
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      // Each chunk of our own body is of whole events.
      const events = decoder.decode(value).split(/(?<=\n\n)/)
      await log.append(
        name,
        events.filter((event) => !event.startsWith(':')), // heartbeats are comments
      )
    }
  } catch {
    await reader.cancel().catch(() => {}) // it cannot be kept: its readers see a cut
  } finally {
    watching.abort()
    await log.close(name).catch(() => {})
  }
}
