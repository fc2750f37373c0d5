/** Sends an encoded request, and returns the answer's body or throws an error. @module */
import type { ClientCodec, EncodedRequest, Model } from '../core/codec.ts'
import {
  ApiError,
  type ApiErrorDetails,
  ConnectionError,
  DecodeError,
  InterruptedError,
  IsoglotError,
  LimitError,
} from '../core/errors.ts'
import { compact, isObject } from '../core/lookup.ts'
import type { Deadline } from './deadline.ts'
import type { RetryOptions } from './retry.ts'
import { scrubber, scrubError } from './secrets.ts'

/** How much of an error answer is read, in bytes. */
const maxErrorBytes = 64 * 1024

/** A request whose body is text already. */
export interface WrittenRequest extends Pick<EncodedRequest, 'path' | 'headers'> {
  readonly text: string
}

/**
 * Sends one request, once.
 *
 * @throws {ApiError} if the answer's status is not 2xx, a redirect included: it is never followed, since a key would go along.
 * @throws {ConnectionError} if there was no answer.
 */
export function send(
  model: Model,
  request: EncodedRequest,
  signal: AbortSignal,
  options: Pick<RetryOptions, 'idempotencyKey'>,
): Promise<Response> {
  const body = model.body ? { ...(request.body as object), ...model.body } : request.body
  return sendText(model, { ...request, text: JSON.stringify(body) }, signal, options)
}

/** As {@link send}, with the body as it stands: the model's own `body` is not added to it. */
export async function sendText(
  model: Model,
  request: WrittenRequest,
  signal: AbortSignal,
  options: Pick<RetryOptions, 'idempotencyKey'>,
): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...request.headers,
    ...compact({ 'idempotency-key': options.idempotencyKey }),
  }
  return call(model, urlOf(model, request), { method: 'POST', headers, body: request.text, signal })
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
 * One call, with the model's key.
 *
 * @throws as {@link send} does; {@link TypeError} before anything is sent, if the address is not one or its provider needs a key.
 */
export async function call(
  model: Model,
  url: string,
  init: RequestInit & { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Response> {
  if (!isAddress(model.baseUrl)) {
    throw new TypeError(`Cannot ask ${titleOf(model)}: its "baseUrl" has no "http://" or "https://" in front`)
  }
  const apiKey = (typeof model.apiKey === 'function' ? await model.apiKey() : model.apiKey) || undefined
  if (apiKey === undefined ? needsKey(model) : typeof apiKey !== 'string' || /[\u0100-\uffff]/.test(apiKey)) {
    throw new TypeError(
      `Cannot ask ${titleOf(model)}: its setting "apiKey" is missing, empty, not text, or has a letter like "…"`,
    )
  }
  const headers = { ...model.codec.headers(apiKey), ...init.headers, ...model.headers }
  const response = await connect(model, url, { ...init, headers, redirect: 'manual' })
  if (response.ok) return response
  throw await readFailure(model, response, scrubber(secretsOf(model, apiKey)))
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

/** Secrets that no error may show: the key, and those in the model's headers. */
export function secretsOf({ headers = {} }: Model, apiKey: string | undefined): readonly string[] {
  const values = Object.entries(headers).flatMap(([name, value]) => (isSecretName(name) ? [value] : []))
  return [...(apiKey === undefined ? [] : [apiKey]), ...values.flatMap((value) => [value.replace(/^\w+ /, ''), value])]
}

/** The provider's name for people. */
export function titleOf({ codec }: Model): string {
  return codec.title ?? codec.provider
}

async function connect(model: Model, url: string, init: RequestInit & { signal: AbortSignal }): Promise<Response> {
  const fetch = model.fetch ?? globalThis.fetch
  try {
    init.signal.throwIfAborted()
    return await fetch(url, init)
  } catch (cause) {
    if (init.signal.aborted) throw init.signal.reason
    const source = URL.canParse(url) ? new URL(url).origin : withoutSecrets(url)
    // Deno names the URL once more.
    const reason = reasonIn(cause)?.replace(/https?:\/\/[^\s"'()<>]+/g, withoutSecrets)
    const finding = reason ?? `the network failed, or the answer had no CORS headers${model.codec.pageHint ?? ''}`
    throw new ConnectionError(`Cannot reach ${source}: ${finding}`, { cause })
  }
}

/** The code of a network error, such as `ECONNREFUSED`, or the words of its cause: Node has it two causes down, a page nowhere, and Deno in the error of its permissions. */
function reasonIn(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 4) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  const inner = 'errors' in error && Array.isArray(error.errors) ? error.errors[0] : error.cause
  return reasonIn(inner, depth + 1) ?? (depth > 0 || error.name === 'NotCapable' ? error.message : undefined)
}

async function readFailure(model: Model, response: Response, scrub: (text: string) => string): Promise<ApiError> {
  const { status } = response
  const type: string = response.type // workerd's types lack the method that workerd lacks
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    await response.body?.cancel()
    const message = `${titleOf(model)} answered with a redirect, which is not followed; check "baseUrl"`
    return new ApiError(message, { kind: 'server', status, retryable: false, provider: model.codec.provider })
  }
  const headers = { get: (name: string) => scrub(response.headers.get(name) ?? '') || null }
  // Scrubbed before it is read: of what is cut to its length, part of a key could be left.
  return model.codec.decodeError({ status, headers, body: parsed(scrub(await readText(response, maxErrorBytes))) })
}

/**
 * The error as the caller of the model gets it: without the model's secrets, and an {@link ApiError} with the provider and its status in
 * front of the provider's words. A 404 that does not name the model, and a body that is not JSON, often mean a wrong `baseUrl`: the message
 * then has the address.
 */
export function errorFor(model: Model, error: unknown, secrets: readonly string[], address: string): unknown {
  if (!(error instanceof IsoglotError)) return error
  let described: IsoglotError = error
  if (error instanceof ApiError && error.providerMessage === undefined && error.body !== undefined) {
    const { message, cause, status, body } = error
    const source = [titleOf(model), status].join(' ').trim()
    const isForeign = status === 404 ? !message.includes(model.model) : typeof body === 'string'
    const place = isForeign ? `; asked ${address}, check "baseUrl"` : ''
    const providerMessage = body ? message : ''
    described = new ApiError(`${source}: ${message}${place}`, { ...(error as ApiErrorDetails), cause, providerMessage })
  }
  scrubError(described, scrubber(secrets))
  return described
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The chunks of a body, until it ends, the signal fires, or the reader leaves. Each of these closes the connection. */
export async function* chunksOf(
  { body }: Pick<Response, 'body'>,
  deadline?: Deadline,
): AsyncGenerator<Uint8Array, void> {
  const reader = body?.getReader()
  if (reader === undefined) return
  // Cancelling the reader ends a pending read even where a custom `fetch` does not know signals.
  const cancel = () => void reader.cancel().catch(() => {})
  deadline?.signal.addEventListener('abort', cancel, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      deadline?.pause()
      deadline?.signal.throwIfAborted()
      if (done) return
      yield value
      deadline?.enter('idle')
    }
  } catch (cause) {
    if (deadline?.signal.aborted || cause instanceof IsoglotError) throw cause
    throw new InterruptedError('Cannot finish the answer: the connection broke', { cause })
  } finally {
    deadline?.pause()
    deadline?.signal.removeEventListener('abort', cancel)
    cancel()
  }
}

/** The text of a body, up to this length. If the body is cut off, the part that arrived. */
export async function readText(response: Pick<Response, 'body'>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for await (const chunk of chunksOf(response)) {
      bytes += chunk.byteLength
      text += decoder.decode(chunk, { stream: true })
      if (bytes >= maxBytes) return text
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
  const text = await readText(response, maxBytes)
  if (signal.aborted) {
    cancel()
    throw signal.reason
  }
  if (text.length >= maxBytes) {
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
  if (typeof body === 'string') {
    throw new DecodeError(`Cannot decode the answer of ${titleOf(model)}: it is not JSON`, {
      cause: body.slice(0, 1000),
    })
  }
  if (isErrorBody(body)) throw model.codec.decodeError({ status: 0, headers: new Headers(), body })
  return body
}

/** Whether the answer has the content type of the format's streams. */
export function isStream({ framing }: ClientCodec, { headers }: Response): boolean {
  const type = headers.get('content-type') ?? ''
  if (framing === 'event-stream') return /^application\/vnd\.amazon\.eventstream\b/i.test(type)
  return framing === 'sse' ? /^text\/event-stream\b/i.test(type) : /\b(?:x-)?(?:ndjson|jsonl)\b/i.test(type)
}

/**
 * The same error with the address, status and type of an answer that could not be read, such as an HTML page at a wrong base URL. An answer
 * of another type without any event of the format is not a stream that was cut.
 */
export function withSource(
  error: unknown,
  isRead: boolean,
  { model, encoded }: { readonly model: Model; readonly encoded: EncodedRequest },
  response: Response,
): unknown {
  const isForeign = isRead && error instanceof InterruptedError && !isStream(model.codec, response)
  if (!isForeign && !(error instanceof DecodeError)) return error
  const finding = isForeign ? `Cannot decode the answer of ${titleOf(model)}: it is not an answer` : error.message
  const type = response.headers.get('content-type')
  const source = `${addressOf(model, encoded)} answered ${response.status} with ${type ?? 'no content-type'}`
  const described = new DecodeError(`${finding}; ${source}`, { cause: error.cause ?? error })
  const { partial, path = '' } = error as Partial<DecodeError>
  return Object.assign(described, compact({ partial, path }))
}

/** A URL without its query, user name and password, which can be secret. */
function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url.replace(/[?#].*/, '')
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

function isErrorBody(body: unknown): boolean {
  const first = Array.isArray(body) ? body[0] : body
  if (!isObject(first) || 'choices' in first || 'output' in first) return false
  return first.type === 'error' || isObject(first.error) || typeof first.error === 'string'
}
