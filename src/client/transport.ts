/** Sends an encoded request and hands back the answer's body, or the one error that says why there is none. @module */
import type { ClientCodec, EncodedRequest, Model } from '../codec.ts'
import { ApiError, ConnectionError, DecodeError, InterruptedError, IsoglotError } from '../errors.ts'
import { isObject } from '../lookup.ts'
import type { Deadline } from './deadline.ts'
import type { RetryOptions } from './retry.ts'

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
    ...(options.idempotencyKey !== undefined && { 'idempotency-key': options.idempotencyKey }),
  }
  return call(model, urlOf(model, request), { method: 'POST', headers, body: request.text, signal })
}

function urlOf({ baseUrl }: Model, { path }: Pick<EncodedRequest, 'path'>): string {
  let end = baseUrl.length
  while (baseUrl[end - 1] === '/') end--
  return baseUrl.slice(0, end) + path
}

/** One call, with the model's key. @throws as {@link send} does. */
export async function call(
  model: Model,
  url: string,
  init: RequestInit & { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Response> {
  const apiKey = typeof model.apiKey === 'function' ? await model.apiKey() : model.apiKey
  const headers = { ...model.codec.headers(apiKey), ...init.headers, ...model.headers }
  const response = await connect(model, url, { ...init, headers, redirect: 'manual' })
  if (response.ok) return response
  throw await readFailure(model, response)
}

async function connect(model: Model, url: string, init: RequestInit & { signal: AbortSignal }): Promise<Response> {
  const fetch = model.fetch ?? globalThis.fetch
  try {
    return await fetch(url, init)
  } catch (cause) {
    if (init.signal.aborted) throw init.signal.reason
    const { origin } = new URL(url, 'http://localhost')
    throw new ConnectionError(`Cannot reach ${origin}: the network failed, or the answer had no CORS headers`, {
      cause,
    })
  }
}

async function readFailure(model: Model, response: Response): Promise<ApiError> {
  const { status, headers } = response
  const type: string = response.type // workerd's types do not know the one that it has not
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    await response.body?.cancel()
    const message = `${model.codec.provider} answered with a redirect, which is not followed`
    return new ApiError(message, { kind: 'server', status, retryable: false, provider: model.codec.provider })
  }
  return model.codec.decodeError({ status, headers, body: parsed(await readText(response, maxErrorBytes)) })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The chunks of a body, until it ends, the signal fires, or the reader leaves: each of which lets go of the connection. */
export async function* chunksOf(response: Response, deadline: Deadline): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  // Cancelling the reader ends a pending read even where a custom `fetch` does not know signals.
  const cancel = () => void reader.cancel().catch(() => {})
  deadline.signal.addEventListener('abort', cancel, { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      deadline.pause()
      deadline.signal.throwIfAborted()
      if (done) return
      yield value
      deadline.enter('idle')
    }
  } catch (cause) {
    if (deadline.signal.aborted || cause instanceof IsoglotError) throw cause
    throw new InterruptedError('Cannot finish the answer: the connection broke', { cause })
  } finally {
    deadline.pause()
    deadline.signal.removeEventListener('abort', cancel)
    cancel()
  }
}

/** The text of a body, or its beginning if it is longer than that. A body that breaks off counts as far as it came. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text + decoder.decode()
      bytes += value.byteLength
      text += decoder.decode(value, { stream: true })
      if (bytes >= maxBytes) return text
    }
  } catch {
    return text
  } finally {
    reader.cancel().catch(() => {})
  }
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
    throw new DecodeError(`Cannot decode the answer of ${model.codec.provider}: it is not JSON`, {
      cause: body.slice(0, 1000),
    })
  }
  if (isErrorBody(body)) throw model.codec.decodeError({ status: 0, headers: new Headers(), body })
  return body
}

/** Whether the answer's type is that of the wire's streams. */
export function isStream({ framing }: ClientCodec, { headers }: Response): boolean {
  const type = headers.get('content-type') ?? ''
  return framing === 'sse' ? /^text\/event-stream\b/i.test(type) : /\b(?:x-)?(?:ndjson|jsonl)\b/i.test(type)
}

/**
 * The same error with the address, status and type of the answer of which nothing could be read: a page of HTML at a wrong base URL, for
 * one. An answer of another type that ended without a word of the wire is no stream that was cut.
 */
export function withSource(
  error: unknown,
  isRead: boolean,
  { model, encoded }: { readonly model: Model; readonly encoded: EncodedRequest },
  response: Response,
): unknown {
  const isForeign = isRead && error instanceof InterruptedError && !isStream(model.codec, response)
  if (!isForeign && !(error instanceof DecodeError)) return error
  const { provider } = model.codec
  const finding = isForeign ? `Cannot decode the answer of ${provider}: it is not an answer` : error.message
  const type = response.headers.get('content-type')
  const source = `${withoutSecrets(urlOf(model, encoded))} answered ${response.status} with ${type ?? 'no content-type'}`
  const path = error instanceof DecodeError ? error.path : ''
  const { partial } = error
  const told = new DecodeError(`${finding}; ${source}`, { path, cause: error.cause ?? error })
  if (partial !== undefined) told.partial = partial
  return told
}

/** A URL without what may be secret in it: its query, and a name and password. */
function withoutSecrets(url: string): string {
  if (!URL.canParse(url)) return url.split(/[?#]/, 1).join()
  const { origin, pathname } = new URL(url)
  return origin + pathname
}

function isErrorBody(body: unknown): boolean {
  const first = Array.isArray(body) ? body[0] : body
  if (!isObject(first) || 'choices' in first || 'output' in first) return false
  return first.type === 'error' || isObject(first.error) || typeof first.error === 'string'
}
