/**
 * The page's files, and the Content-Security-Policy that they get.
 *
 * @see https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Content-Security-Policy
 * @module
 */
import type { Config, Turnstile } from '../config.ts'

const turnstileOrigin = 'https://challenges.cloudflare.com'

/** Only scripts and styles from our own files, and only requests to this Worker. Turnstile is also allowed, if it is used. */
export function addPageHeaders(headers: Headers, { minting }: Pick<Config, 'minting'>): void {
  const more = minting.turnstile === undefined ? '' : ` ${turnstileOrigin}`
  const policy = [
    "default-src 'none'",
    `script-src 'self'${more}`,
    `frame-src${more || " 'none'"}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  headers.set('content-security-policy', policy.join('; '))
  for (const [name, value] of Object.entries(fixed)) headers.set(name, value)
}

const fixed = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=15552000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
}

/** A file of the page; `undefined` if there is no file with that name. */
export async function findFile(request: Request, { assets, minting }: Config): Promise<Response | undefined> {
  const widget = minting.turnstile
  const isPage = widget?.siteKey !== undefined && new URL(request.url).pathname === '/'
  const file = await assets?.fetch(isPage ? unconditional(request) : request)
  if (file === undefined || file.status === 404) return undefined
  // A copy, since the headers of a binding's answer cannot be changed.
  return isPage ? withWidget(file, widget) : new Response(file.body, file)
}

/** A class of the platform. @see https://developers.cloudflare.com/workers/runtime-apis/html-rewriter/ (read 2026-11) */
declare class HTMLRewriter {
  on(
    selector: string,
    handlers: { element(element: { append(text: string, how: { html: boolean }): unknown }): void },
  ): this
  transform(response: Response): Response
}

/** Adds the widget's key and action to the head of the page, in a `meta` element. */
function withWidget(page: Response, { siteKey, action }: Turnstile): Response {
  const said = `<meta name="turnstile-site-key" content="${siteKey}" data-action="${action}">`
  const rewritten = new HTMLRewriter()
    .on('head', { element: (head) => void head.append(said, { html: true }) })
    .transform(page)
  const headers = new Headers(rewritten.headers)
  headers.delete('etag')
  return new Response(rewritten.body, { status: rewritten.status, headers })
}

/** The page differs by site key, but its ETag is that of the file. */
function unconditional(request: Request): Request {
  const headers = new Headers(request.headers)
  for (const name of ['if-none-match', 'if-modified-since']) headers.delete(name)
  return new Request(request, { headers })
}
