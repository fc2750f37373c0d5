/**
 * Which pages may call. The list is exact: no patterns, no suffixes, no `*`, and no cookies, so no `allow-credentials`.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 * @module
 */
import { refuse } from './refusal.ts'

/** What official SDKs and ours send; `x-stainless-*` besides, which the official ones add by the dozen. */
const allowedHeaders = new Set([
  'accept',
  'anthropic-beta',
  'anthropic-dangerous-direct-browser-access',
  'anthropic-version',
  'authorization',
  'content-type',
  'idempotency-key',
  'last-event-id',
  'openai-organization',
  'openai-project',
  'x-api-key',
  'x-goog-api-client',
  'x-goog-api-key',
])

/** Headers of an answer that a page may read. */
const exposedHeaders = 'retry-after, x-request-id, request-id, x-should-retry, x-isoglot-stream, x-token-count'

/** @throws {ApiError} if there is an origin and it is not on the list, or if there is none and there must be. */
export function checkOrigin(request: Request, allowed: ReadonlySet<string>, required: boolean): void {
  const origin = request.headers.get('origin')
  if (origin === null ? required : !allowed.has(origin)) throw refuse('origin_not_allowed')
}

/** Lets an allowed page read the answer, errors too. */
export function addCorsHeaders(headers: Headers, request: Request, allowed: ReadonlySet<string>): void {
  headers.append('vary', 'origin')
  const origin = request.headers.get('origin')
  if (origin === null || !allowed.has(origin)) return
  headers.set('access-control-allow-origin', origin)
  headers.set('access-control-expose-headers', exposedHeaders)
}

/** The answer to a preflight of an allowed page. */
export function preflight(request: Request, methods: readonly string[]): Response {
  const asked = request.headers.get('access-control-request-headers')?.toLowerCase().split(',') ?? []
  const granted = asked
    .map((name) => name.trim())
    .filter((name) => allowedHeaders.has(name) || name.startsWith('x-stainless-'))
  const headers = {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers': granted.join(', '),
    'access-control-max-age': '600',
    vary: 'access-control-request-headers',
  }
  return new Response(null, { status: 204, headers })
}
