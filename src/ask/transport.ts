/**
 * One answer. `answerOf` asks, asks again and yields events, for every kind of model. Above it is HTTP: addresses, keys, bytes. Below it are
 * clocks and retries.
 *
 * @module
 */

import { after, alarm, linkAbort, unlessAborted } from '../core/abort.ts'
import type { EncodedRequest } from '../core/codec.ts'
import { callIdsOf } from '../core/content.ts'
import { ApiError, ConnectionError, InterruptedError, IsoglotError, LimitError, TimeoutError } from '../core/errors.ts'
import { nextNumber } from '../core/ids.ts'
import { compact, decodeErrorAt, isObject } from '../core/json.ts'
import type { AssistantMessage, Loss, MessageEvent } from '../core/messages.ts'
import type { AttemptEnd, Call, Deadline, HttpModel, Question, Timeouts } from '../core/question.ts'
import { isSecretName, scrubber, secretsOf, titleOf } from './errors.ts'

/** How much of an error answer is read, in bytes. */
const maxErrorBytes = 64 * 1024

/** A request whose body is text already. */
interface WrittenRequest extends Pick<EncodedRequest, 'path' | 'headers'> {
  readonly text: string
}

/**
 * Sends one request, once. The body stays as it is: the model's own `body` is not added to it.
 *
 * @throws {ApiError} if the answer's status is not 2xx, a redirect included: it is never followed, since a key would go along.
 * @throws {ConnectionError} if there was no answer.
 */
export function sendText(
  model: HttpModel,
  request: WrittenRequest,
  signal: AbortSignal,
  { idempotencyKey }: Pick<RetryOptions, 'idempotencyKey'>,
): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...request.headers,
    ...compact({ 'idempotency-key': idempotencyKey }),
  }
  return sendRequest(model, urlOf(model, request), { method: 'POST', headers, body: request.text, signal })
}

function urlOf({ baseUrl }: HttpModel, { path }: Pick<EncodedRequest, 'path'>): string {
  let end = baseUrl.length
  while (baseUrl[end - 1] === '/') end--
  return baseUrl.slice(0, end) + path
}

/** The address of a request, without secrets. */
export function addressOf(model: HttpModel, request: Pick<EncodedRequest, 'path'>): string {
  return withoutSecrets(urlOf(model, request))
}

/**
 * Sends one HTTP request, with the model's key.
 *
 * @throws as {@link sendText} does; {@link TypeError} before anything is sent, if the address is not one or its provider needs a key.
 */
export async function sendRequest(
  model: HttpModel,
  url: string,
  init: RequestInit & { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Response> {
  const { codec, fetch = globalThis.fetch } = model
  const fail = (finding: string) => {
    throw new TypeError(`Cannot ask ${titleOf(model)}: its ${finding}`)
  }
  if (!isAddress(model.baseUrl)) fail('"baseUrl" has no "http://" or "https://" in front')
  const key = await keyOf(model)
  if (key === '' ? needsKey(model) : typeof key !== 'string' || /[\u0100-\uffff]/.test(key)) {
    fail('setting "apiKey" is missing, empty, not text, or has a letter like "…"')
  }
  const headers: Record<string, string> = { ...codec.headers(key || undefined), ...init.headers }
  // `fetch` would join the values of names that differ only in case. The names of codecs are in lower case.
  for (const [name, value] of Object.entries(model.headers ?? {})) headers[name.toLowerCase()] = value
  let response: Response
  try {
    init.signal.throwIfAborted()
    response = await fetch(url, { ...init, headers, redirect: 'manual' })
  } catch (cause) {
    init.signal.throwIfAborted()
    const source = URL.canParse(url) ? new URL(url).origin : withoutSecrets(url)
    // Deno names the URL once more.
    const reason = reasonIn(cause)?.replace(/https?:\/\/[^\s"'()<>]+/g, withoutSecrets)
    const finding = reason ?? `the network failed, or the answer had no CORS headers${codec.pageHint ?? ''}`
    throw new ConnectionError(`Cannot reach ${source}: ${finding}`, { cause })
  }
  const { ok, status } = response
  if (ok) return response
  // The status of a redirect is 0 in a page.
  if (status < 400) {
    await response.body?.cancel()
    const message = `${titleOf(model)} answered with a redirect, which is not followed; check "baseUrl"`
    throw new ApiError(message, { kind: 'server', status, retryable: false, provider: codec.provider })
  }
  // Scrubbed before it is read: of what is cut to its length, part of a key could be left.
  const scrub = scrubber(secretsOf(model, key))
  throw codec.decodeError({
    status,
    headers: { get: (name) => scrub(response.headers.get(name) ?? '') || null },
    body: parsed(scrub(await readText(response, maxErrorBytes))),
  })
}

/** The key of the model; empty if it has none. */
export async function keyOf({ apiKey }: HttpModel): Promise<string> {
  return (typeof apiKey === 'function' ? await apiKey() : apiKey) || ''
}

/** A path without a host is on the page's own server. */
function isAddress(baseUrl: string): boolean {
  return baseUrl === '' || /^(?:[a-z][a-z\d+.-]*:)?\/\/|^[./]/i.test(baseUrl)
}

/** Whether a key is missing: a provider's own address needs one. The key may be in a header of the model. */
function needsKey({ providerUrl, baseUrl, headers = {} }: HttpModel): boolean {
  return baseUrl === providerUrl && baseUrl.startsWith('https:') && !Object.keys(headers).some(isSecretName)
}

/** The code of a network error, such as `ECONNREFUSED`, or the words of its cause: Node has it two causes down, a page nowhere, and Deno in the error of its permissions. */
function reasonIn(error: unknown): string | undefined {
  let reason: string | undefined
  let cause = error
  for (let depth = 0; depth < 5 && cause instanceof Error; depth++) {
    const { code, errors } = cause as { readonly code?: unknown; readonly errors?: readonly unknown[] }
    if (typeof code === 'string') return code
    if (depth > 0 || cause.name === 'NotCapable') reason = cause.message
    cause = errors?.[0] ?? cause.cause
  }
  return reason
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const noBody = 'Cannot read the answer: "fetch" has no streams here; pass that of expo/fetch'

/** How long to wait for the last mark of an answer, such as `[DONE]`, and for figures before it, in milliseconds. Some servers never send it. */
const lastMarkMs = 2000

/**
 * The chunks of a body, until it ends, the signal fires, or the reader leaves. Each of these closes the connection.
 *
 * @param hasStopped whether the answer is complete, although its end may still come. The body then ends after two seconds.
 */
export async function* chunksOf(
  { body }: Pick<Response, 'body'>,
  deadline?: Pick<Deadline, 'signal' | 'enter' | 'pause'>,
  hasStopped?: () => boolean | undefined,
): AsyncGenerator<Uint8Array, void> {
  if (body === undefined) throw new TypeError(noBody)
  const reader = body?.getReader()
  if (reader === undefined) return
  const signal = deadline?.signal
  // Cancelling the reader ends a pending read even where a custom `fetch` does not know signals.
  const cancel = () => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', cancel)
  let last: ReturnType<typeof after> | undefined
  try {
    for (;;) {
      const { done, value } = await reader.read()
      deadline?.pause()
      signal?.throwIfAborted()
      if (done) return
      yield value
      if (hasStopped?.()) last ??= after(lastMarkMs, cancel)
      else {
        last?.stop()
        last = undefined
        deadline?.enter('idle')
      }
    }
  } catch (cause) {
    if (signal?.aborted || cause instanceof IsoglotError) throw cause
    throw new InterruptedError('Cannot finish the answer: the connection broke', { cause })
  } finally {
    last?.stop()
    deadline?.pause()
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

/** The text of a body, until it is longer than this: then `onLonger` is called. If the body is cut off, the part that arrived. */
export async function readText(
  response: Pick<Response, 'body' | 'text'>,
  maxBytes: number,
  onLonger?: () => void,
): Promise<string> {
  if (response.body === undefined) return response.text() // without streams, as in React Native
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for await (const chunk of chunksOf(response)) {
      bytes += chunk.byteLength
      text += decoder.decode(chunk, { stream: true })
      if (bytes > maxBytes) {
        onLonger?.()
        return text
      }
    }
    text += decoder.decode()
  } catch {
    // what came counts
  }
  return text
}

/** The text of a whole body. @throws {LimitError} if it is longer than that; the signal's reason if it fires. */
export async function readWholeText(response: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  const cancel = () => response.body?.cancel().catch(() => {})
  let isLonger = false
  const text = await readText(response, maxBytes, () => {
    isLonger = true
  })
  if (signal.aborted) {
    cancel()
    throw signal.reason
  }
  if (isLonger) {
    throw new LimitError(`Cannot read the answer: it is longer than ${maxBytes} bytes`, 'maxBodyBytes', maxBytes)
  }
  return text
}

/**
 * Reads a whole JSON body.
 *
 * @throws {ApiError} if it is an error after all, in a 200.
 * @throws {DecodeError} if it is not JSON.
 */
export function parseAnswer(text: string, model: HttpModel): unknown {
  const body = parsed(text)
  if (typeof body === 'string')
    throw decodeErrorAt('', 'not JSON', `the answer of ${titleOf(model)}`, body.slice(0, 1000))
  // A proxy may send an error with status 200, and in the form of another format.
  const first = Array.isArray(body) ? body[0] : body
  const isAnswer = !isObject(first) || 'choices' in first || 'output' in first
  if (!isAnswer && (first.type === 'error' || first.error || first.detail))
    throw model.codec.decodeError({ status: 0, headers: new Headers(), body })
  return body
}

/** A URL without its query, user name and password, which can be secret. */
export function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url.replace(/[?#].*/, '')
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

// ---- one answer ---------------------------------------------------------------------------------

/** One attempt to get an answer, which comes in pieces: the bytes of a provider, or the fragments of a function. */
export interface Attempt<Piece> {
  /** The answer is complete. */
  isEnded: boolean
  /** Of the response, if there was one. */
  status?: number
  /** It must not be repeated, since the other side does that. Default false. */
  isFinal?: boolean
  /** Asks. */
  open(deadline: Deadline): Promise<AsyncIterable<Piece>>
  /** Reads a piece. Events are added to `out`, those before an error too. */
  take(piece: Piece, out: MessageEvent[]): void
  /** No more pieces come. */
  end(out: MessageEvent[]): void
  /** Ends an incomplete answer, and appends its last events. `undefined`: nothing of it was there. */
  stop(reason: 'interrupted' | 'error' | 'aborted', out: MessageEvent[]): AssistantMessage | undefined
  /** The error as the caller gets it. `isSilent`: no event came before it. */
  explain(error: unknown, isSilent: boolean): unknown
}

/** Where an answer comes from. */
export interface Source<Piece> {
  /** For `onAttempt` only: an attempt itself knows where to ask. */
  readonly url: string
  /** With a key, a request may be repeated although the provider may have done the work. */
  readonly idempotencyKey?: string | undefined
  /** The answer is there already: the first attempt is not a request. */
  readonly isKept?: boolean
  begin(): Attempt<Piece>
}

/**
 * Yields the events of an answer in batches, one for each piece; the losses of the question come first. The question is asked again only
 * before content. One generator for all of it: each further layer costs a tenth of the speed.
 */
export async function* answerOf<Piece>(
  source: Source<Piece>,
  call: Call,
  losses: readonly Loss[],
): AsyncGenerator<readonly MessageEvent[], void> {
  if (losses.length > 0) yield losses.map((warning) => ({ type: 'warning', warning }))
  const deadline = startDeadline(call.timeouts, call.signal)
  try {
    for (let number = 0; ; number++) {
      const reportEnd = source.isKept ? undefined : call.onAttempt?.(source.url)
      const attempt = source.begin()
      let out: MessageEvent[] = []
      /** An event came, with content or not. */
      let isHeard = false
      /** Events with content came. Only from then on, the caller gets events: an answer that is asked for again begins only once. */
      let hasBegun = call.retries === 0
      /** Still true in `finally` if the reader left: neither the end nor an error was reached. */
      let isLeft = true
      let failure: unknown
      let waitMs: number | undefined
      try {
        for await (const piece of await attempt.open(deadline)) {
          attempt.take(piece, out)
          if (!isHeard && out.length > 0) call.onFirstChunk?.()
          isHeard ||= out.length > 0
          hasBegun ||= hasContent(out)
          if (hasBegun && out.length > 0) yield out
          if (attempt.isEnded) break
          if (hasBegun) out = []
        }
        if (!attempt.isEnded) {
          attempt.end(out)
          yield out
        }
        isLeft = false
        return
      } catch (error) {
        isLeft = false
        const { aborted, reason } = deadline.signal
        failure = aborted ? reason : attempt.explain(error, !isHeard && out.length === 0)
        if (!hasBegun && !hasContent(out) && !aborted && !attempt.isFinal) {
          waitMs = retryDelayMs(failure, number, call.retries, source.idempotencyKey !== undefined)
        }
        if (waitMs === undefined) {
          keepPartial(attempt, failure, call, out)
          if (out.length > 0) yield out
          throw failure
        }
      } finally {
        if (isLeft) reportPartial(attempt.stop('aborted', []), call)
        reportEnd?.(endOf(attempt, out.at(-1), failure, waitMs))
      }
      deadline.pause()
      await sleep(waitMs, deadline.signal)
    }
  } finally {
    deadline.clear()
  }
}

/** Whether there is more than the opening of an answer. If it fails before, it can be asked for again. */
function hasContent(events: readonly MessageEvent[]): boolean {
  return events.some(({ type }) => !/^(?:message_start|usage|warning)$/.test(type))
}

/** Closes open blocks, and puts the part of the answer that arrived into the error. */
function keepPartial<Piece>(attempt: Attempt<Piece>, failure: unknown, call: Call, out: MessageEvent[]): void {
  const given = failure instanceof IsoglotError ? failure : undefined
  const isCut = given !== undefined && !(given instanceof TimeoutError)
  const partial = given?.partial ?? attempt.stop(isCut ? 'interrupted' : 'aborted', out)
  if (given !== undefined && partial !== undefined) given.partial = partial
  reportPartial(partial, call)
}

function reportPartial(partial: AssistantMessage | undefined, { onPartial }: Call): void {
  if (partial !== undefined) onPartial?.(partial)
}

function endOf(
  { status }: Pick<Attempt<unknown>, 'status'>,
  last: MessageEvent | undefined,
  error: unknown,
  retryMs: number | undefined,
): AttemptEnd {
  const usage = last?.type === 'message_end' ? last.response.usage : undefined
  return compact({ status: (error instanceof ApiError ? error.status : undefined) ?? status, usage, error, retryMs })
}

// ---- clocks -------------------------------------------------------------------------------------

export type { Deadline, Timeouts }

export function startDeadline(timeouts: Timeouts = {}, caller?: AbortSignal): Deadline {
  const controller = new AbortController()
  const unfollow = linkAbort(caller, controller)
  const limits = {
    first_byte: timeouts.firstByteMs ?? 120_000,
    idle: timeouts.idleMs ?? 60_000,
    total: timeouts.totalMs ?? 600_000,
  }
  const runOut = (phase: keyof typeof limits) => {
    const ms = limits[phase]
    controller.abort(new TimeoutError(`Cannot wait any longer: ${findings[phase]} within ${ms} ms`, phase, ms))
  }
  const total = after(limits.total, () => runOut('total'))
  let current: 'first_byte' | 'idle' = 'idle'
  const clock = alarm(() => runOut(current))

  return {
    signal: controller.signal,
    enter(phase) {
      current = phase
      clock.wind(limits[phase])
    },
    pause: () => clock.wind(Number.POSITIVE_INFINITY),
    abort: (reason) => controller.abort(reason),
    clear() {
      clock.stop()
      total.stop()
      unfollow()
      controller.abort('The answer has ended') // without a reason, the platform would make an error with a stack
    },
  }
}

const findings = {
  first_byte: 'no first byte came',
  idle: 'nothing more came',
  total: 'the answer was not whole',
}

/** Waits, or rejects with the signal's reason. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return unlessAborted(over, signal).finally(() => clearTimeout(timer))
}

// ---- retries ------------------------------------------------------------------------------------

/** How often a request is retried, and when that is safe. */
export interface RetryOptions {
  /** The highest number of retries of a request. Default 2. */
  readonly retries?: number
  /**
   * Sent as `Idempotency-Key`. With it, isoglot also retries failures after which the provider may have done the work. Without it, isoglot
   * retries only if the provider refused because of load. The first request of a run has this key. The keys of later requests start with it.
   */
  readonly idempotencyKey?: string
}

/** Statuses with which a provider refuses a request before any work. */
const refusalStatuses: ReadonlySet<number> = new Set([429, 503, 529])
/** The longest wait that isoglot accepts from a provider. If the wait is longer, the caller gets the error, which has the wait. */
const longestWaitMs = 60_000
const firstBackoffMs = 500
const longestBackoffMs = 8_000

/** How long to wait before the next attempt, in milliseconds; `undefined` for no further attempt. `hasKey`: it has an idempotency key. */
export function retryDelayMs(
  error: unknown,
  attempt: number,
  retries: number | undefined,
  hasKey: boolean,
): number | undefined {
  if (attempt >= (retries ?? 2) || !isSafe(error, hasKey)) return undefined
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined
  if (asked === undefined) return backoffMs(attempt)
  return asked <= longestWaitMs ? asked : undefined
}

/** A wait that grows with each attempt, with full jitter. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(longestBackoffMs, firstBackoffMs * 2 ** attempt)
}

function isSafe(error: unknown, hasKey: boolean): boolean {
  if (error instanceof ConnectionError) return hasKey
  if (!(error instanceof ApiError) || !error.retryable) return false
  if (hasKey) return true
  return error.status === undefined
    ? error.kind === 'overloaded' || error.kind === 'rate_limit'
    : refusalStatuses.has(error.status)
}

/** The number of the first id that is made for a call. */
export function callsBefore(idPrefix: string, { context }: Question, { takenIds }: Call): number {
  return nextNumber(idPrefix, [...(takenIds?.() ?? []), ...callIdsOf(context.messages)])
}
