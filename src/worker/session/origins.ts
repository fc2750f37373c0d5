/**
 * The pages that may call. The list has exact origins: no patterns, suffixes or `*`. There are no cookies, so no `allow-credentials`.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 * @module
 */
import { exposed } from '../../gateway/cors.ts'
import type { Config } from '../config.ts'
import { type RefusalCode, refuse } from '../refusal.ts'

/** The headers of official SDKs and of isoglot. The official SDKs also add many `x-stainless-*` headers. */
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
  'user-agent', // of a page: Firefox and Safari send it
  'x-api-key',
  'x-goog-api-client',
  'x-goog-api-key',
])

/** @throws {ApiError} if the origin is not allowed, or if it is missing but required. */
export function checkOrigin(request: Request, config: Config, required: boolean): void {
  const origin = request.headers.get('origin')
  if (origin === null ? !required : isAllowed(origin, request, config)) return
  const found = origin === null ? 'the request has no Origin' : `${JSON.stringify(origin.slice(0, 100))} is not`
  throw refuse('origin_not_allowed', `${found} in ALLOWED_ORIGINS (session.origins)`)
}

/** Whether a text is an exact origin. */
export function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text
}

/** Whether an address is on this machine. */
export function isLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname)
}

/** In a demonstration on loopback, all pages on loopback may call, because a developer's server has its own port. */
function isAllowed(origin: string, request: Request, { allowedOrigins, minting }: Config): boolean {
  return allowedOrigins.has(origin) || (isLoopbackDemo(request, minting) && isOrigin(origin) && isLoopback(origin))
}

/** Whether this is a demonstration, called at an address of this machine. */
export function isLoopbackDemo({ url }: Request, { demo }: Pick<Config['minting'], 'demo'>): boolean {
  return demo === 'loopback' && isLoopback(url)
}

/**
 * Whether a request comes from the page that got its token. Browsers leave out `Origin` if a page reads from its own server, and then send
 * `Sec-Fetch-Site: same-origin`. A request with neither header does not come from a page.
 *
 * @see https://www.w3.org/TR/fetch-metadata/
 */
function isFrom(origin: string, { headers, url }: Request): boolean {
  const shown = headers.get('origin')
  if (shown !== null) return shown === origin
  return headers.get('sec-fetch-site') === 'same-origin' && new URL(url).host === new URL(origin).host
}

/** @throws {ApiError} with this code if the request does not come from that page. `undefined`: it may come from everywhere. */
export function checkFrom(origin: string | undefined, request: Request, code: RefusalCode): void {
  if (origin === undefined || isFrom(origin, request)) return
  const isMissing = !request.headers.has('origin')
  throw refuse(code, isMissing ? 'it is valid only from a page, and the request has no "origin" header' : undefined)
}

/** Lets an allowed page read the answer, including an error. */
export function addCorsHeaders(headers: Headers, request: Request, config: Config): void {
  headers.append('vary', 'origin')
  const origin = request.headers.get('origin')
  if (origin === null || !isAllowed(origin, request, config)) return
  headers.set('access-control-allow-origin', origin)
  headers.set('access-control-expose-headers', exposed)
}

/** The answer to a preflight of an allowed page. */
export function answerPreflight(request: Request, methods: readonly string[]): Response {
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
