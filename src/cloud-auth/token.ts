/**
 * Gets a token from a token endpoint, and keeps it until shortly before it expires.
 *
 * @see https://datatracker.ietf.org/doc/html/rfc6749#section-5 (read 2026-11)
 * @module
 */

import { after } from '../core/abort.ts'
import { ApiError, ConnectionError, TimeoutError } from '../core/errors.ts'
import { compact, field, textOr } from '../core/json.ts'

/** The time limit of a token endpoint, in ms. */
const timeoutMs = 5_000
/** A token is renewed this long before it expires, in ms, because a request with it must arrive in time. */
const earlyMs = 60_000
const statusOfLoad: ReadonlySet<number> = /* @__PURE__ */ new Set([429, 503])

/** A token, and its lifetime from now on. */
export interface Token {
  readonly token: string
  readonly expiresInMs: number
}

/** A token endpoint, and the name of its owner. */
export interface TokenEndpoint {
  /** A name for error messages. */
  readonly title: string
  readonly url: string
  readonly fetch: typeof fetch | undefined
  /** Texts that must not appear in an error. */
  readonly secret: string
}

/**
 * A cloud's secret must not be in a page, because every visitor could read it. This is the only place in the library that detects its
 * runtime, and only to refuse.
 *
 * @throws {TypeError} in a page.
 */
export function refusePage(title: string): void {
  if (!('document' in globalThis)) return
  throw new TypeError(
    `Cannot sign in to ${title}: this is a web page, whose visitors could read the secret. Sign in on a server or in a Worker`,
  )
}

/**
 * A function that returns the token, and renews it shortly before it expires. Concurrent callers share one request. A failure is not
 * cached: the next call tries again.
 */
export function cachedToken(title: string, ask: () => Promise<Token>): () => Promise<string> {
  let held: { readonly token: string; readonly from: number; readonly until: number } | undefined
  let pending: Promise<string> | undefined
  async function renew(): Promise<string> {
    const from = Date.now()
    const { token, expiresInMs } = await ask()
    held = { token, from, until: from + expiresInMs - earlyMs }
    return token
  }
  return async () => {
    const now = Date.now()
    // A clock that was set back does not show the age of the token.
    if (held !== undefined && now >= held.from && now < held.until) return held.token
    pending ??= renew()
    const shared = pending
    try {
      return await inTime(shared, title)
    } finally {
      if (pending === shared) pending = undefined
    }
  }
}

/**
 * Each caller has its own timer: in a Worker, the request that made the shared fetch can end without an error, and its timers end with it.
 */
function inTime(token: Promise<string>, title: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const message = `Cannot sign in to ${title}: its token endpoint did not answer within ${timeoutMs} ms`
    const timer = after(timeoutMs, () => reject(new TimeoutError(message, 'total', timeoutMs)))
    token.then(resolve, reject).finally(() => timer.stop())
  })
}

/**
 * Requests a token.
 *
 * @throws {ConnectionError} if there is no answer.
 * @throws {ApiError} if the answer is an error or has no token. If the credentials were refused, its `kind` is `authentication`.
 */
export async function requestToken(
  { title, url, fetch = globalThis.fetch, secret }: TokenEndpoint,
  form: Readonly<Record<string, string>>,
): Promise<Token> {
  const init: RequestInit = { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' }
  let status = 0
  let body: unknown
  try {
    const response = await fetch(url, init)
    status = response.status
    body = await response.json().catch(() => undefined)
  } catch (cause) {
    throw new ConnectionError(`Cannot sign in to ${title}: its token endpoint does not answer`, { cause })
  }
  const token = textOr(field(body, 'access_token'), '')
  // Some endpoints write the number as text.
  const seconds = Number(field(body, 'expires_in'))
  if (status === 200 && token !== '' && seconds > 0) return { token, expiresInMs: seconds * 1000 }
  const code = textOr(field(body, 'error'), undefined)
  const words = [code, textOr(field(body, 'error_description'), undefined)].filter((word) => word !== undefined)
  // Redacted before it is cut: otherwise part of a secret could be left.
  const redacted = words.join(': ').replaceAll(secret, '[redacted]')
  const finding = redacted.slice(0, 500) || 'the answer has no token'
  const isRefusal = status >= 400 && status < 500 && !statusOfLoad.has(status)
  throw new ApiError(`Cannot sign in to ${title}: ${finding} (status ${status})`, {
    kind: isRefusal ? 'authentication' : status === 429 ? 'rate_limit' : 'server',
    status,
    ...compact({ providerCode: code }),
    provider: title,
  })
}
