/** `generate` and `stream`: the two ways to ask. @module */
import type { AssistantMessage, Message } from '../model.ts'
import { streamAnswer, wholeAnswer } from './answer.ts'
import { type RunResult, type RunState, runLoop, type StreamEvent } from './loop.ts'
import type { RunRequest } from './request.ts'

/**
 * A run that streams. It begins when it is read, or when its `response` is asked for; it can be read once. Leaving the iteration cancels
 * the request; no tool runs after.
 */
export interface Run extends AsyncIterable<StreamEvent> {
  /** The same events as they came, a batch for each chunk of the network. */
  batches(): AsyncIterable<readonly StreamEvent[]>
  /** The text alone. */
  text(): AsyncIterable<string>
  /** How it ended. Rejects with what the iteration throws. Without an iteration, asking for it runs the run. */
  readonly response: Promise<RunResult>
  /** What was said so far, the prompt first; also after a failure, when the last is what there is of the answer that failed. */
  readonly messages: readonly Message[]
  /** What there is of an answer that did not end properly; its `stopReason` says how it ended. */
  readonly partial: AssistantMessage | undefined
}

/**
 * Asks a model for a whole answer, runs the tools that it calls, and asks again until it is done.
 *
 * @example
 * ```ts
 * const { message, messages } = await generate({ model: anthropic('claude-sonnet-5', { apiKey }), prompt: 'Hello' })
 * ```
 * @throws {ApiError} what the provider answered; {@link ConnectionError}, {@link TimeoutError}, {@link DecodeError},
 * {@link LimitError}, {@link UnsupportedError}; the signal's reason if it fires.
 */
export async function generate(request: RunRequest): Promise<RunResult> {
  const { signal, end } = linked(request.signal)
  try {
    const loop = runLoop(request, { stream: false, ask: wholeAnswer }, { signal, messages: [], onPartial: () => {} })
    for (;;) {
      const { done, value } = await loop.next()
      if (done) return value
    }
  } finally {
    end()
  }
}

/**
 * The same as {@link generate}, told as it happens.
 *
 * @example
 * ```ts
 * const run = stream({ model: openaiChat('gpt-5', { apiKey }), prompt: 'Weather in Tokyo?', tools: [weather] })
 * for await (const event of run) if (event.type === 'text_delta') write(event.text)
 * const { message, usage, messages } = await run.response
 * ```
 * @throws {InterruptedError} while it is read, if the stream is cut short, beside what {@link generate} throws. Each of our errors has
 * in `partial` what came before.
 */
export function stream(request: RunRequest): Run {
  let partial: AssistantMessage | undefined
  const messages: Message[] = []
  let isTaken = false
  const settled = withResolvers<RunResult>()
  settled.promise.catch(() => {})

  async function* batches(): AsyncGenerator<StreamEvent[]> {
    const { signal, leave, end } = linked(request.signal)
    const state: RunState = {
      signal,
      messages,
      onPartial: (message) => {
        partial = message
        messages.push(message)
      },
    }
    try {
      const result = yield* runLoop(request, { stream: true, ask: streamAnswer }, state)
      settled.resolve(result)
    } catch (error) {
      settled.reject(error)
      throw error
    } finally {
      leave()
      end()
      settled.reject(signal.reason)
    }
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
    get response() {
      if (!isTaken) drain(take())
      return settled.promise
    },
    messages,
    get partial() {
      return partial
    },
  }
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}

/** A signal that fires with the caller's, or when the run is left. */
function linked(caller: AbortSignal | undefined) {
  const controller = new AbortController()
  const forward = () => controller.abort(caller?.reason)
  if (caller?.aborted) forward()
  else caller?.addEventListener('abort', forward, { once: true })
  return {
    signal: controller.signal,
    leave: () => controller.abort(new DOMException('The run was left before its end', 'AbortError')),
    end: () => caller?.removeEventListener('abort', forward),
  }
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
  try {
    for await (const _ of batches);
  } catch {
    // `response` rejects with it
  }
}
