/** Handles a request of a Worker, in order: options, route, origin, token, counters, and then the answer. @module */
import { idHeaders, withOwnHeaders } from '../gateway/cors.ts'
import { answerError } from '../gateway/errors.ts'
import { findRoute } from '../gateway/routes.ts'
import type { ExecutionContextLike } from '../gateway/types.ts'
import { answerAdmin, answerMisconfigured } from './admin/admin.ts'
import { answerModel, writeLogLine } from './answer.ts'
import type { Config, Setup } from './config.ts'
import { limitNetwork, limitUser } from './limits/limits.ts'
import { addPageHeaders, findFile } from './page/page.ts'
import { refuse } from './refusal.ts'
import { ownsRun, resumeRun, startRun, stopRun } from './runs/runs.ts'
import { checkUser, login } from './session/login.ts'
import { addCorsHeaders, answerPreflight, checkOrigin } from './session/origins.ts'
import { mintSession, readSession, type Session } from './session/session.ts'

/** The context of a route. */
interface RouteContext {
  readonly request: Request
  readonly setup: Setup
  readonly config: Config
  readonly ctx: ExecutionContextLike
}

/** A route: the methods it takes, and what it does. */
interface WorkerRoute {
  readonly methods: readonly string[]
  readonly answer: (context: RouteContext) => Promise<Response>
}

function routeOf(request: Request, config: Config): WorkerRoute | undefined {
  const { pathname } = new URL(request.url)
  if (pathname === '/session' && config.minting.check === undefined) return { methods: ['POST'], answer: answerSession }
  if (pathname.startsWith('/admin/')) return { methods: ['GET'], answer: ({ setup }) => answerAdmin(request, setup) }
  const stream = /^\/v1\/streams\/([\w-]{1,128})$/.exec(pathname)?.[1]
  if (stream !== undefined && config.runs !== undefined)
    return { methods: ['GET', 'DELETE'], answer: withSession(goOnWithRun(stream)) }
  const asked = findRoute(request, config.formats)
  if (asked === undefined) return undefined
  const owned = asked.kind === 'answer' && ownsRun(request, config)
  return { methods: [asked.method], answer: withSession(owned ? beginRun : answerNow) }
}

/** Answers one request. It never rejects. */
export async function handleRequest(request: Request, setup: Setup, ctx: ExecutionContextLike): Promise<Response> {
  const requestId = crypto.randomUUID()
  const { config } = setup
  const inner = config?.basePath ? withoutBase(request, config.basePath) : request
  const response = await (inner === undefined
    ? Promise.reject(refuse('unknown_route'))
    : serveRoute(inner, setup, ctx)
  ).catch((error: unknown) => {
    const refused = answerError(inner ?? request, error, setup.formats)
    const code = error instanceof Object && 'providerCode' in error ? error.providerCode : 'internal'
    const line = { requestId, status: refused.status, outcome: String(code) }
    if (config !== undefined) writeLogLine(line, config)
    else console.log(JSON.stringify({ ...line, problems: setup.problems }))
    return refused
  })
  return finish(request, response, requestId, config)
}

/** The same request, with the Worker's base path removed; `undefined` if the path is not below it. */
function withoutBase(request: Request, basePath: string): Request | undefined {
  const url = new URL(request.url)
  if (url.pathname !== basePath && !url.pathname.startsWith(`${basePath}/`)) return undefined
  url.pathname = url.pathname.slice(basePath.length)
  return new Request(url, request)
}

async function serveRoute(request: Request, setup: Setup, ctx: ExecutionContextLike): Promise<Response> {
  const { config } = setup
  if (config === undefined) {
    const answer = await answerMisconfigured(request, setup)
    if (answer === undefined) throw refuse('misconfigured')
    return answer
  }
  if (config.assets === undefined || !asksForFile(request)) return serveApi(request, setup, config, ctx)
  const file = await findFile(request, config)
  const response =
    file ?? (await serveApi(request, setup, config, ctx).catch((error) => answerError(request, error, setup.formats)))
  addPageHeaders(response.headers, config)
  return response
}

const apiPath = /^\/(?:session|admin\/[^/]+|(?:v1|v1beta|api)(?:\/.*)?)$/

/** All paths that are not routes of the API may be files of the page. */
function asksForFile({ method, url }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && !apiPath.test(new URL(url).pathname)
}

async function serveApi(request: Request, setup: Setup, config: Config, ctx: ExecutionContextLike): Promise<Response> {
  const route = routeOf(request, config)
  if (route === undefined) throw refuse('unknown_route')
  const { methods } = route
  checkOrigin(request, config, request.method === 'OPTIONS')
  if (request.method === 'OPTIONS') return answerPreflight(request, methods)
  if (!methods.includes(request.method)) return refuseMethod(request, methods, config)
  return route.answer({ request, setup, config, ctx })
}

function refuseMethod(request: Request, methods: readonly string[], { formats }: Config): Response {
  const response = answerError(request, refuse('method_not_allowed'), formats)
  response.headers.set('allow', [...methods, 'OPTIONS'].join(', '))
  return response
}

/** Adds the headers that every answer has. An error goes through the scrubber once more. */
async function finish(
  request: Request,
  response: Response,
  requestId: string,
  config: Config | undefined,
): Promise<Response> {
  const answer = withOwnHeaders(response)
  const { status, ok, headers } = answer
  const ids = idHeaders(headers.get('x-request-id') ?? requestId)
  const fixed = { 'cache-control': 'no-store, no-transform', ...ids }
  for (const [name, value] of Object.entries(fixed)) headers.set(name, value)
  if (status === 401) headers.set('www-authenticate', 'Bearer')
  if (config !== undefined) addCorsHeaders(headers, request, config)
  if (ok || answer.body === null || config === undefined) return answer
  return new Response(config.secrets.scrub(await answer.text()), { status, headers })
}

async function answerSession({ request, config }: RouteContext): Promise<Response> {
  await limitNetwork(request, config)
  const session = await mintSession(await login(request, config), config)
  writeLogLine({ status: 200, outcome: 'session' }, config)
  return Response.json(session)
}

type Answering = (context: RouteContext, session: Session) => Promise<Response>

/** Returns the session of a valid token, or the user that the operator's own check returns. Counts the request. */
function withSession(answer: Answering): WorkerRoute['answer'] {
  return async (context) => {
    const { request, config } = context
    const session = await (config.minting.check === undefined ? readSession : checkUser)(request, config)
    await limitNetwork(request, config)
    await limitUser(session.sub, config)
    return answer(context, session)
  }
}

const answerNow: Answering = ({ request, config, ctx }, session) => answerModel(request, session, config, ctx)

const beginRun: Answering = ({ request, config }, session) => startRun(request, session, config)

function goOnWithRun(id: string): Answering {
  return ({ request, config }, session) =>
    request.method === 'DELETE' ? stopRun(id, session, config) : resumeRun(id, request, session, config)
}
