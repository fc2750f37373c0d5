/**
 * Which pages may call. The list is exact: no patterns, no suffixes, no `*`, and no cookies, so no `allow-credentials`.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 * @module
 */
import { Refusal } from './refusal.ts'

/** What official SDKs and ours send; `x-stainless-*` besides, which the official ones add by the dozen. */
const allowedHeaders = new Set([
  'accept',
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
  'anthropic-version',
  'authorization',
  'content-type',
  'idempotency-key',
  'openai-organization',
  'openai-project',
  'x-api-key',
])

/** @throws {Refusal} if there is an origin and it is not on the list, or if there is none and there must be. */
export function checkOrigin(request: Request, allowed: ReadonlySet<string>, required: boolean): void {
  const origin = request.headers.get('origin')
  if (origin === null ? required : !allowed.has(origin)) throw new Refusal('origin_not_allowed')
}

/** Lets an allowed page read the answer, errors too. */
export function addCorsHeaders(headers: Headers, request: Request, allowed: ReadonlySet<string>): void {
  headers.append('vary', 'origin')
  const origin = request.headers.get('origin')
  if (origin === null || !allowed.has(origin)) return
  headers.set('access-control-allow-origin', origin)
  headers.set('access-control-expose-headers', 'retry-after, x-request-id, x-should-retry')
}

/** The answer to a preflight of an allowed page. */
export function preflight(request: Request): Response {
  const asked = request.headers.get('access-control-request-headers')?.toLowerCase().split(',') ?? []
  const granted = asked
    .map((name) => name.trim())
    .filter((name) => allowedHeaders.has(name) || name.startsWith('x-stainless-'))
  const headers = {
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': granted.join(', '),
    'access-control-max-age': '600',
    vary: 'access-control-request-headers',
  }
  return new Response(null, { status: 204, headers })
}
