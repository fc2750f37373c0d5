/**
 * The pages that may call. The list has exact origins: no patterns or suffixes. There are no cookies, so no `allow-credentials`.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 *
 * @module
 */
import type { GatewayOptions } from './types.ts'

type Origins = GatewayOptions['origins']

/** Headers of an answer that a page of another origin may read: all that a client of ours or of a provider looks at. */
export const exposed: string = [
  'retry-after, retry-after-ms, x-request-id, request-id, x-amzn-requestid, x-amzn-errortype, x-should-retry, x-token-count',
  'x-isoglot-answer, x-isoglot-refusal, x-isoglot-stream',
].join(', ')

/** The id of a request, under each name by which an official client looks for it. */
export function idHeaders(id: string): Record<string, string> {
  return { 'x-request-id': id, 'request-id': id, 'x-amzn-requestid': id }
}

/** The headers that allow another origin to read the answer. Empty if no other origin may. */
export function corsHeaders(request: Request, origins: Origins): Record<string, string> {
  if (origins === undefined) return {}
  const origin = request.headers.get('origin')
  if (origins === '*') return { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed }
  if (origin === null || !origins.includes(origin)) return { vary: 'Origin' }
  return { vary: 'Origin', 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed }
}

/** Answers a preflight request. It allows every header that the page asks for, because the gateway passes none of them on. */
export function preflight(request: Request, origins: Origins, method: string): Response {
  const cors = corsHeaders(request, origins)
  const isAllowed = 'access-control-allow-origin' in cors
  const asked = request.headers.get('access-control-request-headers') ?? ''
  const names = asked.split(',').map((name) => name.trim())
  const headers = {
    ...cors,
    ...(isAllowed && {
      'access-control-allow-methods': method,
      'access-control-allow-headers': names.filter((name) => /^[\w-]{1,64}$/.test(name)).join(', '),
      'access-control-max-age': '600',
    }),
  }
  return new Response(null, { status: isAllowed ? 204 : 403, headers })
}

/** The response, whose headers can be changed: a copy only if it comes from `fetch`. Its content type is what it says. */
export function withOwnHeaders(response: Response): Response {
  try {
    response.headers.set('x-content-type-options', 'nosniff')
    return response
  } catch {
    const copy = new Response(response.body, response)
    copy.headers.set('x-content-type-options', 'nosniff')
    return copy
  }
}
