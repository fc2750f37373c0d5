/**
 * A Worker that holds the provider's key so that a page need not: `POST /session` gives a page a token for minutes, and
 * `POST /v1/chat/completions` and `POST /v1/messages` take that token in place of a key. Everything else is refused.
 *
 * @see https://hono.dev/docs/getting-started/cloudflare-workers (read 2026-11)
 * @module
 */
import { Hono } from 'hono'
import { secureHeaders } from 'hono/secure-headers'
import { readJsonBody } from './body.ts'
import { type Config, type Env, readConfig } from './config.ts'
import { addCorsHeaders, checkOrigin, preflight } from './origins.ts'
import { permit } from './policy.ts'
import { Refusal, toRefusal } from './refusal.ts'
import { createScrubber } from './scrub.ts'
import { mintSession, readSession } from './session.ts'
import { callProvider } from './upstream.ts'
import { anthropic, openaiChat, type Wire } from './wires.ts'

/** All that is ever logged of a request: no header, no body, no query. */
interface LogLine {
  readonly status?: number
  readonly outcome: string
  readonly model?: string
}

/** What a route has to work with. */
interface Visit {
  readonly request: Request
  readonly config: Config
  readonly scrub: (text: string) => string
  readonly log: (line: LogLine) => void
}

/** A route: the wire in whose words it refuses, whether a page must be asking, and what it does. */
interface Route {
  readonly wire: Wire
  readonly needsOrigin: boolean
  readonly answer: (visit: Visit) => Promise<Response>
}

const routes: Readonly<Record<string, Route>> = {
  '/session': { wire: openaiChat, needsOrigin: true, answer: openSession },
  '/v1/chat/completions': { wire: openaiChat, needsOrigin: false, answer: (visit) => proxy(visit, openaiChat) },
  '/v1/messages': { wire: anthropic, needsOrigin: false, answer: (visit) => proxy(visit, anthropic) },
}

async function openSession({ request, config, log }: Visit): Promise<Response> {
  await readJsonBody(request, config.limits)
  const session = await mintSession(config)
  log({ outcome: 'done' })
  return Response.json(session)
}

async function proxy({ request, config, scrub, log }: Visit, wire: Wire): Promise<Response> {
  const session = await readSession(request.headers, config)
  const body = await readJsonBody(request, config.limits)
  const permitted = permit(wire.name, body, config.models, session)
  const onEnd = (outcome: string) => log({ outcome, model: permitted.model.name })
  return callProvider(permitted, { wire, scrub, onEnd, limits: config.limits, client: request.signal })
}

/** The core, a plain function without hono: settings, route, origin, method, answer. A refusal comes in the words of the route's wire. */
async function handle(request: Request, env: Env, route?: Route): Promise<Response> {
  const requestId = crypto.randomUUID()
  const config = readConfig(env)
  const problems = Array.isArray(config) ? { problems: config } : {}
  const scrub = createScrubber('secrets' in config ? config.secrets : [])
  const log = (line: LogLine) => console.log(scrub(JSON.stringify({ requestId, ...line, ...problems })))
  const response = await serve(request, config, route, scrub, log).catch((thrown: unknown) => {
    const refusal = toRefusal(thrown)
    log({ status: refusal.status, outcome: refusal.code })
    return render(refusal, route?.wire ?? openaiChat, scrub)
  })
  if ('allowedOrigins' in config) addCorsHeaders(response.headers, request, config.allowedOrigins)
  for (const [name, value] of Object.entries({ ...apiHeaders, 'x-request-id': requestId, 'request-id': requestId })) {
    response.headers.set(name, value)
  }
  return response
}

const apiHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

async function serve(
  request: Request,
  config: Config | readonly string[],
  route: Route | undefined,
  scrub: Visit['scrub'],
  log: Visit['log'],
): Promise<Response> {
  if (!('models' in config)) throw new Refusal('misconfigured')
  if (!route) throw new Refusal('unknown_route')
  const preflighting = request.method === 'OPTIONS'
  checkOrigin(request, config.allowedOrigins, route.needsOrigin || preflighting)
  if (preflighting) return preflight(request)
  if (request.method !== 'POST') throw new Refusal('method_not_allowed')
  return route.answer({ request, config, scrub, log })
}

function render(refusal: Refusal, wire: Wire, scrub: Visit['scrub']): Response {
  const headers = new Headers({ 'content-type': 'application/json', 'x-should-retry': `${refusal.retryable}` })
  if (refusal.status === 401) headers.set('www-authenticate', 'Bearer')
  if (refusal.status === 405) headers.set('allow', 'POST, OPTIONS')
  if (refusal.retryAfter !== undefined) headers.set('retry-after', `${refusal.retryAfter}`)
  return new Response(scrub(JSON.stringify(wire.errorBody(refusal))), { status: refusal.status, headers })
}

/** The page's files, once the settings are in order; what is not a file is no route. */
async function servePage(request: Request, env: Env): Promise<Response> {
  if (Array.isArray(readConfig(env)) || !env.ASSETS) return handle(request, env)
  const file = await env.ASSETS.fetch(request)
  // A copy, since the headers of what a binding answers cannot be changed.
  return file.status === 404 ? handle(request, env) : new Response(file.body, file)
}

/** Scripts and styles from files of ours alone, and requests to nowhere but here. */
const pageHeaders = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
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

const app = new Hono<{ Bindings: Env }>()
for (const [path, route] of Object.entries(routes)) app.all(path, (c) => handle(c.req.raw, c.env, route))
app.get('*', pageHeaders, (c) => servePage(c.req.raw, c.env))
app.notFound((c) => handle(c.req.raw, c.env))

export default { fetch: app.fetch } satisfies ExportedHandler<Env>
export { UserLedger } from './ledger.ts'
export { StreamRun } from './runs.ts'
