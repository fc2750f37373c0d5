/**
 * What this Worker does with a request, in order: settings, route, origin, token, counters, and then the one who answers. A plain function,
 * without a framework.
 *
 * @module
 */
import { answerError, type ExecutionContextLike, findRoute, readJson } from 'isoglot/gateway'
import { answerAdmin, answerMisconfigured } from './admin.ts'
import { answerModel, log } from './answer.ts'
import { type Config, type Env, readConfig } from './config.ts'
import { limitNetwork, limitUser } from './limits.ts'
import { login } from './login.ts'
import { addCorsHeaders, checkOrigin, preflight } from './origins.ts'
import { refuse } from './refusal.ts'
import { ownsRun, resumeRun, startRun, stopRun } from './runs.ts'
import { mintSession, readSession, type Session } from './session.ts'

/** What a route has to work with. */
interface Visit {
  readonly request: Request
  readonly env: Env
  readonly config: Config
  readonly ctx: ExecutionContextLike
}

/** A route: the methods it takes, and what it does. */
interface Route {
  readonly methods: readonly string[]
  readonly answer: (visit: Visit) => Promise<Response>
}

function routeOf(request: Request): Route | undefined {
  const { pathname } = new URL(request.url)
  if (pathname === '/session') return { methods: ['POST'], answer: openSession }
  if (pathname.startsWith('/admin/')) return { methods: ['GET'], answer: ({ env }) => answerAdmin(request, env) }
  const stream = /^\/v1\/streams\/([\w-]{1,128})$/.exec(pathname)?.[1]
  if (stream !== undefined) return { methods: ['GET', 'DELETE'], answer: withSession(goOn(stream)) }
  const asked = findRoute(request)
  if (asked === undefined) return undefined
  const owned = asked.kind === 'answer' && ownsRun(request)
  return { methods: [asked.method], answer: withSession(owned ? beginRun : answerNow) }
}

/** Answers one request. It never rejects. */
export async function handle(request: Request, env: Env, ctx: ExecutionContextLike): Promise<Response> {
  const requestId = crypto.randomUUID()
  const config = readConfig(env)
  const response = await serve(request, env, config, ctx).catch((error: unknown) => {
    const refused = answerError(request, error)
    const code = error instanceof Object && 'providerCode' in error ? error.providerCode : 'internal'
    const line = { requestId, status: refused.status, outcome: String(code) }
    if ('models' in config) log(line, config)
    else console.log(JSON.stringify({ ...line, problems: config }))
    return refused
  })
  return finish(request, response, requestId, config)
}

async function serve(
  request: Request,
  env: Env,
  config: Config | readonly string[],
  ctx: ExecutionContextLike,
): Promise<Response> {
  if (!('models' in config)) {
    const told = await answerMisconfigured(request, env)
    if (told === undefined) throw refuse('misconfigured')
    return told
  }
  const route = routeOf(request)
  if (route === undefined) throw refuse('unknown_route')
  const { methods } = route
  checkOrigin(request, config, request.method === 'OPTIONS')
  if (request.method === 'OPTIONS') return preflight(request, methods)
  if (!methods.includes(request.method)) return refuseMethod(request, methods)
  return route.answer({ request, env, config, ctx })
}

function refuseMethod(request: Request, methods: readonly string[]): Response {
  const response = answerError(request, refuse('method_not_allowed'))
  response.headers.set('allow', [...methods, 'OPTIONS'].join(', '))
  return response
}

/** A copy with the headers that every answer has, since those of some cannot be changed; an error goes through the scrubber once more. */
async function finish(
  request: Request,
  response: Response,
  requestId: string,
  config: Config | readonly string[],
): Promise<Response> {
  const isKnown = 'models' in config
  const { status, ok } = response
  const isError = !ok && response.body !== null
  const body = isError && isKnown ? config.secrets.scrub(await response.text()) : response.body
  const headers = new Headers(response.headers)
  const id = headers.get('x-request-id') ?? requestId
  const fixed = {
    'cache-control': 'no-store, no-transform',
    'x-content-type-options': 'nosniff',
    'x-request-id': id,
    'request-id': id,
  }
  for (const [name, value] of Object.entries(fixed)) headers.set(name, value)
  if (status === 401) headers.set('www-authenticate', 'Bearer')
  if (isKnown) addCorsHeaders(headers, request, config)
  return new Response(body, { status, headers })
}

async function openSession({ request, env, config }: Visit): Promise<Response> {
  await limitNetwork(request, env, config)
  const { value } = await readJson(request, config.limits)
  const session = await mintSession(await login(request, value, config), config)
  log({ status: 200, outcome: 'session' }, config)
  return Response.json(session)
}

type Answering = (visit: Visit, session: Session) => Promise<Response>

/** A token that is good, and not too many requests with it. */
function withSession(answer: Answering): Route['answer'] {
  return async (visit) => {
    const { request, env, config } = visit
    const session = await readSession(request, config)
    await limitNetwork(request, env, config)
    await limitUser(session.sub, env, config)
    return answer(visit, session)
  }
}

const answerNow: Answering = ({ request, env, ctx }, session) => answerModel(request, session, env, ctx)

const beginRun: Answering = ({ request, env }, session) => startRun(request, session, env)

function goOn(id: string): Answering {
  return ({ request, env }, session) =>
    request.method === 'DELETE' ? stopRun(id, session, env) : resumeRun(id, request, session, env)
}
