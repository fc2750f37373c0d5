/**
 * The page's files, and what they may do.
 *
 * @see https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Content-Security-Policy
 * @module
 */
import type { MiddlewareHandler } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import type { Env } from './config.ts'

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
export async function findFile(request: Request, { ASSETS }: Env): Promise<Response | undefined> {
  const file = await ASSETS?.fetch(request)
  // A copy, since the headers of what a binding answers cannot be changed.
  return file === undefined || file.status === 404 ? undefined : new Response(file.body, file)
}
