/** Makes the response of a server from a run, for a page to read. @module */

import type { RunResult } from '../client/result.ts'
import type { Run } from '../client/run.ts'
import { after } from '../core/abort.ts'
import { checkOptions } from '../core/checks.ts'
import { compact } from '../core/json.ts'
import type { Message } from '../core/messages.ts'
import { bodyOf } from './body.ts'
import type { Encoder, Encoding } from './encoding.ts'
import { eventStream } from './event-stream.ts'
import { errorResponse, toPageError } from './page-error.ts'
import { pageEvents } from './page-events.ts'
import type { PageRules } from './page-rules.ts'

/** Options for the response. */
export interface ToResponseOptions {
  /**
   * `events`, the default, is for `readEvents` of `isoglot/read`. `text` is only the text, for curl: the format cannot express an error, so
   * the body fails. Other readers have their own encoders: `uiMessages()`, `agUi()`.
   */
  readonly as?: 'events' | 'text' | Encoder
  /** The parts of the run that the page may see. Default: text, reasoning, the names of tools, and the end of the run. */
  readonly page?: PageRules
  /** The interval of comments while the run is silent, in milliseconds. Default 15,000. 0: no comments. */
  readonly heartbeatMs?: number
  /** Added to the headers, once the run has begun. */
  readonly headers?: HeadersInit
  /**
   * Called once, when the run has ended. It is awaited before the page gets the end, so store the history here. If it throws, the run fails
   * with that error.
   */
  readonly onEnd?: (end: EndOfRun) => void | Promise<void>
  /** Seals the history for a page that stores it: `(said) => sealMessages([...history, ...said], secret, chatId)`. Called after `onEnd`. */
  readonly seal?: (said: readonly Message[]) => Promise<string>
  /** Keeps the platform alive until `onEnd` is done: `(promise) => ctx.waitUntil(promise)`. */
  readonly waitUntil?: (promise: Promise<unknown>) => void
}

/** The parts of a run that are sent to a page: the runs of `stream` and `streamObject` have them. */
export type SentRun = Pick<Run, 'batches' | 'messages' | 'stop'>

/** How a run for a page ended. */
export interface EndOfRun {
  /** The new messages, beginning with the prompt, also after a failure: see `messages` of a run. */
  readonly messages: readonly Message[]
  readonly result?: RunResult
  /** The error of the run. */
  readonly error?: unknown
  /** Whether the page disconnected before the end. */
  readonly left: boolean
}

/**
 * Answers with a run. It waits for the first event. If the run fails before it, the response has an error status and `{ error }` in JSON;
 * with `uiMessages()` it has the sentence, and with `agUi()` it is a stream with the error, since their readers show these. The status is
 * never 401, because pages take that as a request to log in. If nothing arrives for `heartbeatMs`, it answers 200 and
 * continues as a stream.
 *
 * When the page disconnects, the run is stopped: its request is cancelled, and no more tools run. A page that reads slowly slows the run
 * down.
 *
 * @example
 * ```ts
 * export async function POST(request: Request): Promise<Response> {
 *   const { messages } = await readChatRequest(request)
 *   return toResponse(stream({ model, messages, signal: request.signal }))
 * }
 * ```
 */
export function toResponse(run: SentRun, options: ToResponseOptions = {}): Promise<Response> {
  checkOptions('toResponse', options)
  return respond(run, options)
}

/** The same. `leaving` fires when the page leaves, also while the response waits for the first event. */
export async function respond(run: SentRun, options: ToResponseOptions, leaving?: AbortSignal): Promise<Response> {
  if (typeof run?.batches !== 'function')
    throw new TypeError('Cannot answer: expected the run of stream() or streamObject()')
  const { as = 'events', page = {}, heartbeatMs = 15_000, waitUntil } = options
  const encoding = (as === 'events' ? eventStream : as === 'text' ? textStream : as)()
  const toError = page.error ?? toPageError
  const connection = startConnection()
  waitUntil?.(connection.ended)
  const leave = () => {
    connection.isLeft = true
    // A generator that waits for an event cannot be returned before it arrives, so the run must be stopped.
    run.stop().catch(() => {})
  }
  leaving?.addEventListener('abort', leave)
  const texts = textsOf(run, encoding, options, connection)

  const first = texts.next()
  try {
    await settledWithin(heartbeatMs, first)
  } catch (cause) {
    if (encoding.failsIn !== 'events') return errorResponse(toError(cause), encoding.failsIn)
  }

  const body = bodyOf({
    texts,
    first,
    opening: encoding.begin?.(),
    heartbeat: encoding.heartbeat,
    heartbeatMs,
    endOf(cause) {
      const error = toError(cause)
      const text = encoding.end({ type: error.code === 'aborted' ? 'abort' : 'error', error })
      return { text, message: error.message }
    },
    leave,
  })
  const headers = new Headers(encoding.headers)
  for (const [name, value] of new Headers(options.headers)) headers.set(name, value)
  return new Response(body, { headers })
}

/** The page's side of a response. */
interface PageConnection {
  isLeft: boolean
  /** Resolves when `onEnd` is done. */
  readonly ended: Promise<void>
  end(settled: Promise<void>): void
}

function startConnection(): PageConnection {
  let end: PageConnection['end'] = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  ended.catch(() => {}) // the reader of the body gets the error
  return { isLeft: false, ended, end }
}

/** The texts of the body, none of them empty. Throws the error of the run. The last text is the end. */
async function* textsOf(
  run: SentRun,
  encoding: Encoding,
  { page, onEnd, seal }: ToResponseOptions,
  connection: PageConnection,
): AsyncGenerator<string> {
  const toPage = pageEvents(page)
  let result: RunResult | undefined
  let hasBegun = false
  let text = ''
  let settled: Promise<void> | undefined
  const reportEnd = (end: Pick<EndOfRun, 'result' | 'error'>) => {
    settled ??= (async () => onEnd?.({ messages: run.messages, left: connection.isLeft, ...end }))()
    connection.end(settled)
    return settled
  }
  try {
    for await (const batch of run.batches()) {
      const seen = batch.flatMap((event) => toPage(event) ?? [])
      const done = batch.find((event) => event.type === 'done')
      if (done !== undefined) result = done.result
      hasBegun ||= seen.some(({ type }) => type !== 'warning') // warnings arrive before the request is sent
      text += encoding.events(seen)
      if (!hasBegun || text === '') continue
      yield text
      text = ''
    }
    await reportEnd(compact({ result }))
    const sealed = await seal?.(run.messages)
    const end = text + (encoding.end(compact({ type: 'end', sealed })) ?? '')
    if (end !== '') yield end
  } catch (error) {
    await reportEnd(connection.isLeft ? {} : { error })
    throw error
  } finally {
    await reportEnd({})
  }
}

/** Waits for the promise, at most this long. */
export function settledWithin(ms: number, promise: Promise<unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = after(ms > 0 ? ms : Number.POSITIVE_INFINITY, resolve)
    promise.then(() => resolve(), reject).finally(() => timer.stop())
  })
}

function textStream(): Encoding {
  return {
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    },
    events: (batch) => batch.map((event) => (event.type === 'text_delta' ? event.text : '')).join(''),
    end: ({ type }) => (type === 'end' ? '' : undefined),
  }
}
