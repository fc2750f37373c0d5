/**
 * Checks with Cloudflare's Turnstile that a request comes from a person. If the check fails, the request is refused.
 *
 * @see https://developers.cloudflare.com/turnstile/get-started/server-side-validation/ (read 2026-11)
 * @module
 */
import { compact } from '../../core/json.ts'
import type { Turnstile } from '../config.ts'
import { refuse } from '../refusal.ts'

/** The time limit for Cloudflare's answer, in ms. */
const turnstileTimeoutMs = 5000

/**
 * @throws {ApiError} `not_logged_in` if the answer is not valid for this page and this time; `login_unavailable` if the check is not
 * available.
 */
export async function checkPerson(
  { headers }: Request,
  answer: string | undefined,
  { secret, url, action }: Turnstile,
  allowedOrigins: ReadonlySet<string>,
): Promise<void> {
  if (!answer) throw refuse('not_logged_in', '"turnstile" is missing')
  const remoteip = headers.get('cf-connecting-ip') ?? undefined
  const body = compact({ secret, response: answer, remoteip })
  const said = await askTurnstile(url, body).catch(() => {
    throw refuse('login_unavailable')
  })
  const isHere = [...allowedOrigins].some((origin) => new URL(origin).hostname === said.hostname)
  // These codes are not about the visitor: Cloudflare failed, or the operator's secret is wrong.
  if (/"(?:internal-error|bad-request|\w+-input-secret)"/.test(JSON.stringify(said['error-codes'] ?? '')))
    throw refuse('login_unavailable')
  if (said.success !== true || !isHere || said.action !== action) throw refuse('not_logged_in')
}

interface Said {
  readonly success?: unknown
  readonly hostname?: unknown
  readonly action?: unknown
  readonly 'error-codes'?: unknown
}

async function askTurnstile(url: string, body: object): Promise<Said> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal: AbortSignal.timeout(turnstileTimeoutMs),
  })
  const said: unknown = await response.json()
  if (response.status !== 200 || typeof said !== 'object' || said === null) throw new TypeError('Cannot read it')
  return said
}
