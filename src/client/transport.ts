/**
 * HTTP of one request: its address, its key, its clocks, its retries, the bytes and errors of its answer.
 *
 * @module
 */

import { after, alarm, follow, unlessAborted } from '../core/abort.ts'
import type { EncodedRequest, Model } from '../core/codec.ts'
import {
  ApiError,
  type ApiErrorDetails,
  ConnectionError,
  DecodeError,
  InterruptedError,
  IsoglotError,
  LimitError,
  TimeoutError,
} from '../core/errors.ts'
import { compact, isObject, misfit } from '../core/json.ts'

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
  model: Model,
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

function urlOf({ baseUrl }: Model, { path }: Pick<EncodedRequest, 'path'>): string {
  let end = baseUrl.length
  while (baseUrl[end - 1] === '/') end--
  return baseUrl.slice(0, end) + path
}

/** The address of a request, without secrets. */
export function addressOf(model: Model, request: Pick<EncodedRequest, 'path'>): string {
  return withoutSecrets(urlOf(model, request))
}

/**
 * Sends one HTTP request, with the model's key.
 *
 * @throws as {@link sendText} does; {@link TypeError} before anything is sent, if the address is not one or its provider needs a key.
 */
export async function sendRequest(
  model: Model,
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
export async function keyOf({ apiKey }: Model): Promise<string> {
  return (typeof apiKey === 'function' ? await apiKey() : apiKey) || ''
}

/** A path without a host is on the page's own server. */
function isAddress(baseUrl: string): boolean {
  return baseUrl === '' || /^(?:[a-z][a-z\d+.-]*:)?\/\/|^[./]/i.test(baseUrl)
}

/** Whether a key is missing: a provider's own address needs one. The key may be in a header of the model. */
function needsKey({ providerUrl, baseUrl, headers = {} }: Model): boolean {
  return baseUrl === providerUrl && baseUrl.startsWith('https:') && !Object.keys(headers).some(isSecretName)
}

function isSecretName(header: string): boolean {
  return /auth|key|token|secret|cookie/i.test(header)
}

/** Secrets that no error may show: the keys, and those in the model's headers. */
export function secretsOf({ headers = {} }: Model, ...keys: readonly string[]): readonly string[] {
  const values = Object.entries(headers).flatMap(([name, value]) =>
    isSecretName(name) ? [value.replace(/^\w+ /, ''), value] : [],
  )
  return [...keys, ...values]
}

/** The provider's name for people. */
export function titleOf({ codec }: Model): string {
  return codec.title ?? codec.provider
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

/** Where an error comes from. */
interface ErrorSource {
  readonly model: Model
  /** The address of the request. */
  readonly address: string
  /** The keys of the request and those before it. */
  readonly keys: Iterable<string>
  /** The response, if no event of an answer came from it. */
  readonly response: Response | undefined
  /** The body was read to its end. */
  readonly isRead: boolean
}

/**
 * The error as the caller of the model gets it: without the model's secrets.
 *
 * An {@link ApiError} has the provider and its status in front of the provider's words. A 404 that does not name the model, and a body that
 * is not JSON, often mean a wrong `baseUrl`: the message then has the address. A {@link DecodeError} of the first bytes, such as those of an
 * HTML page at a wrong base URL, has the address, status and type. An answer of another type without any event of the format is not a
 * stream that was cut.
 */
export function errorFor(error: unknown, { model, address, keys, response, isRead }: ErrorSource): unknown {
  if (!(error instanceof IsoglotError)) return error
  let described: IsoglotError = error
  const { message, cause } = error
  const isForeign = isRead && error instanceof InterruptedError && response !== undefined && !isStream(response)
  if (isForeign || (error instanceof DecodeError && response !== undefined)) {
    const finding = isForeign ? `Cannot decode the answer of ${titleOf(model)}: it is not an answer` : message
    const type = response.headers.get('content-type') ?? 'no content-type'
    described = new DecodeError(`${finding}; ${address} answered ${response.status} with ${type}`, {
      path: (error as Partial<DecodeError>).path ?? '',
      cause: cause ?? error,
    })
  } else if (error instanceof ApiError && error.providerMessage === undefined && error.body !== undefined) {
    const { status, body } = error
    const isElsewhere = status === 404 ? !message.includes(model.model) : typeof body === 'string'
    const place = isElsewhere ? `; asked ${address}, check "baseUrl"` : ''
    const providerMessage = body ? message : ''
    described = new ApiError(`${[titleOf(model), status].join(' ').trim()}: ${message}${place}`, {
      ...(error as ApiErrorDetails),
      cause,
      providerMessage,
    })
  }
  scrubError(described, scrubber(secretsOf(model, ...keys)))
  return described
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** How long to wait for the last mark of an answer, such as `[DONE]`, and for figures before it, in milliseconds. Some servers never send it. */
const lastMarkMs = 2000

/**
 * The chunks of a body, until it ends, the signal fires, or the reader leaves. Each of these closes the connection.
 *
 * @param hasStopped whether the answer is complete, although its end may still come. The body then ends after two seconds.
 */
export async function* chunksOf(
  { body }: Pick<Response, 'body'>,
  deadline?: Deadline,
  hasStopped?: () => boolean | undefined,
): AsyncGenerator<Uint8Array, void> {
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
  response: Pick<Response, 'body'>,
  maxBytes: number,
  onLonger?: () => void,
): Promise<string> {
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
export async function readWhole(response: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
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
export function readBody(text: string, model: Model): unknown {
  const body = parsed(text)
  if (typeof body === 'string') throw misfit('', 'not JSON', `the answer of ${titleOf(model)}`, body.slice(0, 1000))
  // A proxy may send an error with status 200, and in the form of another format.
  const first = Array.isArray(body) ? body[0] : body
  const isAnswer = !isObject(first) || 'choices' in first || 'output' in first
  if (!isAnswer && (first.type === 'error' || isObject(first.error) || typeof first.error === 'string'))
    throw model.codec.decodeError({ status: 0, headers: new Headers(), body })
  return body
}

/** Whether the answer has the content type of a stream. */
export function isStream({ headers }: Response): boolean {
  return /event-?stream|ndjson|jsonl/i.test(headers.get('content-type') ?? '')
}

/** A URL without its query, user name and password, which can be secret. */
function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url.replace(/[?#].*/, '')
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

// ---- clocks -------------------------------------------------------------------------------------

/** How long a provider may take, in milliseconds. */
export interface Timeouts {
  /** From sending until the first byte of the answer's body. Default 120,000. An answer that is not streamed begins when it is complete. */
  readonly firstByteMs?: number
  /** Between two chunks of a body. Default 60,000. */
  readonly idleMs?: number
  /** For one request with all its retries. Default 600,000. */
  readonly totalMs?: number
}

export interface Deadline {
  readonly signal: AbortSignal
  /** Starts the timer of a phase, and stops the timer of the phase before it. */
  enter(phase: 'first_byte' | 'idle'): void
  /** Stops the timer of the phase. */
  pause(): void
  /** Aborts by hand. */
  abort(reason: unknown): void
  /** Stops all timers, removes the listener from the caller's signal, and ends what is left of the request. */
  clear(): void
}

export function startDeadline(timeouts: Timeouts = {}, caller?: AbortSignal): Deadline {
  const controller = new AbortController()
  const unfollow = follow(caller, controller)
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
const refusals: ReadonlySet<number> = new Set([429, 503, 529])
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
    : refusals.has(error.status)
}

// ---- secrets in errors --------------------------------------------------------------------------

/** Shorter secrets would match ordinary text: local servers accept any word as a key. */
const shortest = 8

/** Replaces each secret of 8 characters or more: as it is, as part of a URL, in the text of JSON, and in base64. */
function scrubber(secrets: Iterable<string>): (text: string) => string {
  const needles = [...secrets].filter(({ length }) => length >= shortest).flatMap(disguises)
  return (text) => needles.reduce((clean, needle) => clean.replaceAll(needle, '[redacted]'), text)
}

function disguises(secret: string): readonly string[] {
  const escaped = JSON.stringify(secret).slice(1, -1)
  const encoded = encodeURIComponent(secret)
  const lower = encoded.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())
  const base64 = btoa(String.fromCharCode(...new TextEncoder().encode(secret))).replace(/=+$/, '')
  return [escaped.replaceAll('/', '\\/'), escaped, encoded, lower, secret, base64]
}

/** Removes the secrets from all fields of an error that are printed. The model's own text, `partial`, stays as it is. */
function scrubError(error: Error, scrub: (text: string) => string): void {
  const { message, stack, cause } = error
  for (const [name, value] of Object.entries({ ...error, partial: undefined, message, stack, cause })) {
    const clean = scrubValue(value, scrub, 0)
    if (clean !== value) Object.assign(error, { [name]: clean })
  }
}

function scrubValue(value: unknown, scrub: (text: string) => string, depth: number): unknown {
  if (typeof value === 'string') return scrub(value)
  if (typeof value !== 'object') return value
  if (value instanceof Error) {
    const { name, message, stack } = value
    const cause = depth < 5 ? scrubValue(value.cause, scrub, depth + 1) : undefined
    const isClean = cause === value.cause && scrub(message) === message && scrub(`${stack}`) === `${stack}`
    return isClean ? value : Object.assign(new Error(scrub(message), { cause }), { name })
  }
  try {
    const text = JSON.stringify(value)
    const clean = scrub(text)
    return clean === text ? value : JSON.parse(clean)
  } catch {
    return undefined // a value without JSON, such as a circle, cannot be searched
  }
}
