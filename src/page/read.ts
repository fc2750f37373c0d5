/**
 * For pages: reads the run that a server sends by `toResponse`, as if it ran here.
 *
 * @module
 */
import { applyEvent } from '../client/apply-event.ts'
import { type Deadline, startDeadline } from '../client/deadline.ts'
import type { RunResult, StreamEvent } from '../client/result.ts'
import { drain, flatten, linked, type Run, textIn, whenAwaited, withResolvers } from '../client/run.ts'
import { chunksOf, readText } from '../client/transport.ts'
import {
  ApiError,
  ConnectionError,
  DecodeError,
  InterruptedError,
  IsoglotError,
  LimitError,
  TimeoutError,
} from '../core/errors.ts'
import { compact, isObject, lookup } from '../core/lookup.ts'
import type { AssistantMessage, ContentBlock, InvalidToolCall, Message } from '../core/model.ts'
import { readData } from './event-data.ts'
import type { PageError } from './page-error.ts'
import { withRepeats } from './repeats.ts'

/** How a server's run is read. */
export interface ReadOptions {
  /** Cancels the reading. It rejects with the signal's own reason then. */
  readonly signal?: AbortSignal
  /** So long may nothing come, heartbeats included, in milliseconds. Default 45,000. */
  readonly idleMs?: number
  /** Largest single event, in bytes. Default 8 MiB. */
  readonly maxEventBytes?: number
}

/**
 * A run that a server sends: what can read a {@link Run} can read it. Its `messages` are the answers and tool messages of the run, without
 * the prompt, and what the server withholds is missing from its events and its result.
 */
export interface PageRun extends Run {
  /** The history, sealed by the server's `seal`, to send with the next request. There once the run has ended. */
  readonly sealed: string | undefined
}

/**
 * Reads the answer of a server that answers by `toResponse`.
 *
 * @example
 * ```ts
 * const run = readEvents(fetch('/chat', { method: 'POST', body: JSON.stringify({ messages }) }))
 * for await (const event of run) if (event.type === 'text_delta') show(event.text)
 * const { outcome } = await run.response
 * ```
 * @throws while it is read: what the run threw on the server, as an error of the same class; {@link ApiError} for a status that is not ok;
 * {@link InterruptedError} if the body ends without the run's end; {@link TimeoutError} if nothing comes for `idleMs`;
 * {@link ConnectionError} if there is no answer; {@link DecodeError} for an answer of another kind. Each has in `partial` what came before.
 */
export function readEvents(response: Response | Promise<Response>, options: ReadOptions = {}): PageRun {
  const { idleMs = 45_000, maxEventBytes = 8 * 1024 * 1024 } = options
  const given = Promise.resolve(response)
  given.catch(() => {}) // it is thrown where the run is read
  const stopping = new AbortController()
  const settled = withResolvers<RunResult>()
  settled.promise.catch(() => {})
  let shown: readonly Message[] = []
  let isUnderway = false
  let partial: AssistantMessage | undefined
  let result: RunResult | undefined
  let sealed: string | undefined
  let isTaken = false

  async function* batches(): AsyncGenerator<StreamEvent[]> {
    const { signal, end } = linked(options.signal, stopping.signal)
    const timeouts = { firstByteMs: idleMs, idleMs, totalMs: Number.POSITIVE_INFINITY }
    const deadline = startDeadline(timeouts, signal)
    let failure: unknown = new DOMException('The run was left before its end', 'AbortError')
    try {
      yield* eventsOf(deadline)
      failure = undefined
    } catch (cause) {
      failure = cause
      throw cause
    } finally {
      deadline.clear()
      end()
      if (failure !== undefined) breakOff(failure)
      if (result !== undefined && failure === undefined) settled.resolve(result)
      else settled.reject(failure ?? new DecodeError('Cannot tell how the run ended: the server sent no "done"'))
    }
  }

  async function* eventsOf(deadline: Deadline): AsyncGenerator<StreamEvent[]> {
    deadline.enter('first_byte')
    const answer = await answerOf(given, deadline.signal)
    let isEnded = false
    let batch: StreamEvent[] = []
    const take = (data: string) => {
      const event = parsed(data)
      if (event.type === 'error') throw thrownBy(event.error)
      if (event.type === 'end') {
        isEnded = true
        sealed = event.sealed
        return
      }
      const whole = withRepeats(event, shown)
      shown = applyEvent(shown, whole)
      if (whole.type === 'message_start') isUnderway = true
      if (whole.type === 'message_end') isUnderway = false
      if (whole.type === 'done') result = whole.result
      batch.push(whole)
    }
    const lines = readData(maxEventBytes, take)
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
    throw new InterruptedError('Cannot finish the run: the response ended before it')
  }

  /** Keeps what there is of an answer that did not end. */
  function breakOff(failure: unknown): void {
    const last = shown.at(-1)
    if (last?.role !== 'assistant') return
    if (isUnderway) {
      const isOurs = failure instanceof IsoglotError && !(failure instanceof TimeoutError)
      partial = closed(last, isOurs ? 'interrupted' : 'aborted')
      shown = [...shown.slice(0, -1), partial]
    }
    if (failure instanceof IsoglotError) failure.partial ??= partial ?? last
  }

  /** @throws {TypeError} if the run is read for a second time. */
  function take(): AsyncGenerator<StreamEvent[]> {
    if (isTaken) throw new TypeError('Cannot read the run: it is being read, or has been')
    isTaken = true
    return batches()
  }

  return {
    batches: take,
    [Symbol.asyncIterator]: () => flatten(take()),
    text: () => textIn(take()),
    response: whenAwaited(() => {
      queueMicrotask(() => {
        if (!isTaken) drain(take()).catch(() => {}) // it rejects with the same
      })
      return settled.promise
    }),
    get messages() {
      return shown
    },
    get partial() {
      return partial
    },
    get sealed() {
      return sealed
    },
    streamId: undefined,
    async stop() {
      stopping.abort(new DOMException('The run was stopped', 'AbortError'))
    },
  }
}

type WireEvent =
  | StreamEvent
  | { readonly type: 'end'; readonly sealed?: string }
  | { readonly type: 'error'; readonly error: PageError }

function parsed(data: string): WireEvent {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {}
  if (isObject(value) && typeof value.type === 'string') return value as unknown as WireEvent
  throw new DecodeError('Cannot read the run: an event is not one of isoglot; does the server answer by toResponse?', {
    cause: data.slice(0, 1000),
  })
}

/** The response, if it is a stream of ours. */
async function answerOf(given: Promise<Response>, signal: AbortSignal): Promise<Response> {
  const response = await unlessAborted(given, signal)
  const { status, ok, headers } = response
  const type = headers.get('content-type') ?? 'no content-type'
  const isStream = /^text\/event-stream\b/i.test(type)
  if (ok && isStream) return response
  const text = await unlessAborted(readText(response, 64 * 1024), signal)
  const source = `${response.url || 'the server'} answered ${status}`
  if (!ok) throw failureOf(status, source, text)
  const start = JSON.stringify(text.slice(0, 80))
  throw new DecodeError(`Cannot read the run: ${source} with ${type}, which begins with ${start}`, { cause: text })
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise
      .then(resolve, (cause) => {
        // What `fetch` rejects with where the network failed.
        reject(
          cause instanceof TypeError
            ? new ConnectionError(`Cannot reach the server: ${cause.message}`, { cause })
            : cause,
        )
      })
      .finally(() => signal.removeEventListener('abort', stop))
  })
}

const kinds: Readonly<Record<string, ApiError['kind']>> = {
  401: 'authentication',
  403: 'permission',
  404: 'not_found',
  408: 'timeout',
  429: 'rate_limit',
  503: 'overloaded',
  504: 'timeout',
}

/** A status that is not ok: of `toResponse`, or of what stands before it. */
function failureOf(status: number, source: string, text: string): unknown {
  let said: PageError | undefined
  try {
    said = JSON.parse(text).error
  } catch {}
  if (typeof said?.code === 'string') return thrownBy({ ...said, status, message: `${said.message}; ${source}` })
  const kind = lookup(kinds, `${status}`) ?? (status >= 400 && status < 500 ? 'invalid_request' : 'server')
  return new ApiError(`Cannot read the run: ${source}`, { kind, status, body: text })
}

/** The error that was thrown on the server, as far as a page may know it. */
function thrownBy({ code, message, ...details }: PageError): unknown {
  switch (code) {
    case 'timeout':
      return new TimeoutError(message, details.phase ?? 'total', details.timeoutMs ?? 0)
    case 'limit':
      return new LimitError(message, details.limit ?? '', details.max ?? 0)
    case 'interrupted':
      return new InterruptedError(message)
    case 'decode':
      return new DecodeError(message)
    case 'connection':
      return new ConnectionError(message)
    case 'aborted':
      return new DOMException(message, 'AbortError')
    default: {
      const { kind = 'server', status, retryable, retryAfterMs } = details
      return new ApiError(message, compact({ kind, status, retryable, retryAfterMs }))
    }
  }
}

/** What was said of an answer that broke off. Its open calls never were calls. */
function closed(answer: AssistantMessage, stopReason: 'interrupted' | 'aborted'): AssistantMessage {
  const content: ContentBlock[] = []
  const invalid: InvalidToolCall[] = [...(answer.invalidToolCalls ?? [])]
  const known = new Set(invalid.map(({ id }) => id))
  for (const block of answer.content as readonly ContentBlock[]) {
    if (block.type === 'tool_call_chunk') {
      const { id, name, index = content.length, argumentsDelta: argumentsText = '' } = block
      if (known.has(id)) continue
      const error = 'The answer ended before the arguments did'
      invalid.push(compact({ type: 'invalid_tool_call', id, name, index, argumentsText, reason: 'truncated', error }))
    } else if (block.type !== 'server_tool_call_chunk') content.push(block)
  }
  return { ...answer, content, ...(invalid.length > 0 && { invalidToolCalls: invalid }), stopReason }
}
