/**
 * Runs: `stream` and `generate`.
 *
 * @module
 */

import { linkAbort } from '../core/abort.ts'
import { checkOptions } from '../core/checks.ts'
import { IsoglotError } from '../core/errors.ts'
import { compact } from '../core/json.ts'
import type { AssistantMessage, Message } from '../core/messages.ts'
import type { AnyData, AnyTools, ToolResult, ToolVerdict } from '../tools/types.ts'
import { eventsOf, type Loop, newLoop } from './loop.ts'
import { checkRequest, type RunRequest } from './request.ts'
import type { RunResult, StreamEvent } from './result.ts'

/**
 * A streaming run. It starts when you iterate over it, or when you await its `response`, and it can be read once. If you leave the loop, the
 * request is cancelled, and no more tools run.
 */
export interface Run<Tools extends AnyTools = AnyTools, Data extends object = AnyData>
  extends AsyncIterable<StreamEvent<Tools, Data>> {
  /** The same events in batches, one for each chunk from the network. */
  batches(): AsyncIterable<readonly StreamEvent<Tools, Data>[]>
  /** Only the text. */
  text(): AsyncIterable<string>
  /** The result. It rejects with the error that the iteration throws. Without an iteration, awaiting it starts the run. */
  readonly response: Promise<RunResult<Tools>>
  /** The new messages so far, the prompt first. After a failure, the last one is the part of the failed answer that arrived. */
  readonly messages: readonly Message[]
  /** The part of an answer that arrived before it failed or was cancelled. Its `stopReason` says how it ended. */
  readonly partial: AssistantMessage | undefined
  /** The server's name for the stored answer, for `resumable(name)`; `undefined` if the server stores none. */
  readonly streamId: string | undefined
  /**
   * Ends the run, which rejects with an `AbortError`. If the server stores the answer, it also ends the answer there; leaving the loop only
   * closes the connection. If the server has not named the answer yet, this happens as soon as it does.
   *
   * @throws {ApiError} or `ConnectionError` if the request to stop fails.
   */
  stop(): Promise<void>
}

/**
 * Asks a model, runs the tools that it calls, and asks again until it has answered. Returns the whole result.
 *
 * @example
 * ```ts
 * const { text, messages } = await generate({
 *   model: anthropic('claude-sonnet-5', { apiKey }),
 *   prompt: 'Weather in Tokyo?',
 *   tools: [weather],
 * })
 * ```
 * @throws {ApiError} if the provider answers with an error. Other failures: {@link ConnectionError}, {@link TimeoutError},
 * {@link DecodeError}, {@link LimitError}, {@link InterruptedError}, {@link UnsupportedError}; the signal's reason if it fires. `TypeError`
 * for an invalid request, such as one without a key. Such a request is not sent.
 */
export async function generate<const Tools extends AnyTools = AnyTools>(
  request: RunRequest<Tools>,
): Promise<RunResult<Tools>>
export async function generate(request: RunRequest): Promise<RunResult> {
  const run = newRun(() => checkedRequest(request), true)
  try {
    return await finish(run)
  } catch (error) {
    if (error instanceof IsoglotError)
      Object.defineProperty(error, 'messages', { value: run.messages, configurable: true })
    throw error
  }
}

/**
 * Asks a model as {@link generate} does, and returns at once. Iterate over the run for its events, or over `run.text()` for its text. The
 * iteration throws the errors of {@link generate}, also for an invalid request.
 *
 * @example
 * ```ts
 * const run = stream({ model: anthropic('claude-sonnet-5', { apiKey }), prompt: 'Weather in Tokyo?', tools: [weather] })
 * for await (const event of run) {
 *   if (event.type === 'text_delta') write(event.text)
 *   if (event.type === 'tool_result') console.log(event.result)
 * }
 * const { messages, usage } = await run.response
 * ```
 */
export function stream<const Tools extends AnyTools = AnyTools>(request: RunRequest<Tools>): Run<Tools>
export function stream(request: RunRequest): Run {
  return newRun(() => checkedRequest(request))
}

function checkedRequest(request: RunRequest): Begun {
  checkRequest(request)
  return { request }
}

type Batches = AsyncIterable<readonly StreamEvent[]>

/** A run that is about to start, and the callbacks of its chat. */
export interface Begun {
  readonly request: RunRequest
  /** Wraps the events of the run, in batches. */
  readonly around?: (events: Batches) => Batches
  /** Called once, when the run ends: with all new messages, and with its result or its error. */
  readonly onEnd?: (messages: readonly Message[], result: RunResult | undefined, cause: unknown) => void
}

/** Makes a run that starts when it is read: then it calls `begin`. @param onlyWhole whether the caller gets only whole answers. */
export function newRun(begin: () => Begun, onlyWhole = false): Run {
  const added: Message[] = []
  const stopping = new AbortController()
  let loop: Loop | undefined
  const settled = withResolvers<RunResult>()
  settled.promise.catch(() => {})

  async function* batches(): AsyncGenerator<readonly StreamEvent[]> {
    let begun: Begun
    try {
      begun = begin()
    } catch (cause) {
      settled.reject(cause)
      throw cause
    }
    const { request, around, onEnd } = begun
    const { signal } = stopping
    const unfollow = linkAbort(request.signal, stopping)
    let failure: { readonly error: unknown } | undefined
    try {
      loop = newLoop(request, onlyWhole, signal, added)
      loop.report('onRun', {})
      const own = eventsOf(loop)
      const events = request.data?.weave(own, loop) ?? own
      yield* around === undefined ? events : around(events)
    } catch (error) {
      if (signal.reason === runLeft) return
      failure = { error }
      throw error
    } finally {
      const result = failure === undefined ? loop?.result : undefined
      loop?.report('onEnd', failure ?? compact({ result }))
      stopping.abort(runLeft)
      unfollow()
      onEnd?.(added, result, failure?.error)
      if (result === undefined) settled.reject(failure === undefined ? signal.reason : failure.error)
      else settled.resolve(result)
    }
  }

  const run: Run = {
    ...readOnce(batches, settled, stopping),
    messages: added,
    get partial() {
      return loop?.partial
    },
    get streamId() {
      return loop?.streamId
    },
    async stop() {
      await loop?.headersArrived // an answer without a name cannot be ended
      stopping.abort(new DOMException('The run was stopped', 'AbortError'))
      await loop?.stopKept?.()
    },
  }
  checkOptions('run', run)
  return run
}

/** Runs a run from now on, and waits for its end. */
export async function finish({ batches, response }: Run): Promise<RunResult> {
  await drain(batches())
  return response
}

/** The reason of a run whose reader left. */
export const runLeft: DOMException = /* @__PURE__ */ new DOMException('The run was left before its end', 'AbortError')

/** The ways to read a run. One of them can be used, once. A reader that leaves aborts `stopping`. */
export function readOnce(
  begin: () => AsyncGenerator<readonly StreamEvent[]>,
  settled: Resolvers<RunResult>,
  stopping: AbortController,
): Pick<Run, 'batches' | 'text' | 'response' | typeof Symbol.asyncIterator> {
  let isTaken = false
  /** @throws {TypeError} if the run is read for a second time. */
  function take<T>(read: (batches: AsyncGenerator<readonly StreamEvent[]>) => AsyncGenerator<T>): AsyncGenerator<T> {
    if (isTaken) throw new TypeError('Cannot read the run twice; await its "response"')
    isTaken = true
    return leavable(read(begin()), (ended) => {
      stopping.abort(runLeft)
      return ended.finally(() => settled.reject(runLeft)) // of a run that has not begun
    })
  }
  const batches = () => take((events) => events)

  return {
    batches,
    [Symbol.asyncIterator]: () => take(flatten),
    text: () => take(textIn),
    response: whenAwaited(() => {
      queueMicrotask(() => {
        if (!isTaken) drain(batches()).catch(() => {}) // it rejects with the same
      })
      return settled.promise
    }),
  }
}

/**
 * Calls `leave` when a reader leaves. A generator by itself waits for its next event before it ends, and does nothing if it has not
 * begun.
 */
export function leavable<T>(
  events: AsyncGenerator<T>,
  leave: (ended: Promise<IteratorResult<T>>) => Promise<IteratorResult<T>>,
): AsyncGenerator<T> {
  const end = events.return.bind(events)
  events.return = (value) => leave(end(value))
  events.throw = async (error) => {
    await events.return(undefined)
    throw error
  }
  return events
}

/** A promise that starts its work when it is first awaited. */
export function whenAwaited<T>(begin: () => Promise<T>): Promise<T> {
  return {
    // biome-ignore lint/suspicious/noThenProperty: a promise that begins when it is awaited must define `then`
    then: (onValue, onError) => begin().then(onValue, onError),
    catch: (onError) => begin().catch(onError),
    finally: (onEnd) => begin().finally(onEnd),
    [Symbol.toStringTag]: 'Promise',
  }
}

interface Resolvers<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(reason: unknown): void
}

/** `Promise.withResolvers`, which Node 20 lacks. */
export function withResolvers<T>(): Resolvers<T> {
  let resolve: (value: T) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

async function* flatten<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch
}

async function* textIn(batches: AsyncIterable<readonly StreamEvent[]>): AsyncGenerator<string> {
  for await (const batch of batches) {
    for (const event of batch) if (event.type === 'text_delta') yield event.text
  }
}

async function drain(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of batches);
}

// ---- callbacks ----------------------------------------------------------------------------------

export type OnToolRequest = NonNullable<RunRequest['onToolRequest']>
export type OnResult = (result: ToolResult) => void | Promise<void>

/** A function that is registered twice is called twice. */
export interface Registered<T> {
  readonly callback: T
}

/** @throws {TypeError} for what is not a function. */
export function register<T>(all: Registered<T>[], callback: T): () => void {
  if (typeof callback !== 'function')
    throw new TypeError(`Cannot listen: the listener is ${typeof callback} and not a function`)
  const entry = { callback }
  all.push(entry)
  return () => {
    const at = all.indexOf(entry)
    if (at >= 0) all.splice(at, 1)
  }
}

/** The turn's own, then the others, last registered first. */
export function latestFirst<T>(registered: readonly Registered<T>[], own: T | undefined): readonly T[] {
  return [...(own === undefined ? [] : [own]), ...registered.map(({ callback }) => callback).reverse()]
}

export async function firstRefusal(
  callbacks: readonly OnToolRequest[],
  ...[call, tool]: Parameters<OnToolRequest>
): Promise<ToolVerdict> {
  for (const callback of callbacks) {
    const verdict = await callback(call, tool)
    if (verdict) return verdict
  }
}

export async function callAll(callbacks: readonly OnResult[], result: ToolResult): Promise<void> {
  for (const callback of callbacks) await callback(result)
}
