/**
 * The page's files, and what they may do.
 *
 * @see https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Content-Security-Policy
 * @module
 */
import type { MiddlewareHandler } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { type Env, readConfig, type Turnstile } from './config.ts'

const turnstile = 'https://challenges.cloudflare.com'

/** Scripts and styles from files of ours alone, and requests to nowhere but here; Turnstile's besides, if its secret is set. */
export const pageHeaders: MiddlewareHandler<{ Bindings: Env }> = (context, next) =>
  context.env.TURNSTILE_SECRET === undefined ? plain(context, next) : withTurnstile(context, next)

const plain = headersWith([])
const withTurnstile = headersWith([turnstile])

function headersWith(more: string[]): MiddlewareHandler {
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'", ...more],
      frameSrc: more.length > 0 ? more : ["'none'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
    referrerPolicy: 'no-referrer',
    xFrameOptions: 'DENY',
  })
}

/** A file of the page; `undefined` if there is none of that name. */
export async function findFile(request: Request, env: Env): Promise<Response | undefined> {
  const config = readConfig(env)
  const widget = 'models' in config ? config.minting.turnstile : undefined
  const isPage = widget?.siteKey !== undefined && new URL(request.url).pathname === '/'
  const file = await env.ASSETS?.fetch(isPage ? unconditional(request) : request)
  if (file === undefined || file.status === 404) return undefined
  // A copy, since the headers of what a binding answers cannot be changed.
  return isPage ? withWidget(file, widget) : new Response(file.body, file)
}

/** Tells the page which widget to show: its head says so, as it says whether there is a Worker. */
function withWidget(page: Response, { siteKey, action }: Turnstile): Response {
  const said = `<meta name="turnstile-site-key" content="${siteKey}" data-action="${action}">`
  const told = new HTMLRewriter()
    .on('head', { element: (head) => void head.append(said, { html: true }) })
    .transform(page)
  const headers = new Headers(told.headers)
  headers.delete('etag')
  return new Response(told.body, { status: told.status, headers })
}

/** The page is another with each site key, and its tag is of the file. */
function unconditional(request: Request): Request {
  const headers = new Headers(request.headers)
  for (const name of ['if-none-match', 'if-modified-since']) headers.delete(name)
  return new Request(request, { headers })
}
