/**
 * What the operator sees, for whoever has the admin token: the ledger's sums, with no prompt, answer or header in them, and whether the
 * platform is as the Worker counts on.
 *
 * @module
 */
import { wholeWorker } from './accounts.ts'
import { isSame, shownBearer } from './bearer.ts'
import type { Env } from './config.ts'
import { runSelfTest } from './self-test.ts'
import { isSecret } from './setting-kinds.ts'

/** Of `GET` alone. */
const views: Readonly<Record<string, (env: Env) => Promise<Response>>> = {
  '/admin/summary': async ({ LEDGERS }) => Response.json(await LEDGERS?.getByName(wholeWorker).summary(), { headers }),
  '/admin/self-test': answerSelfTest,
}

/**
 * `GET /admin/summary` and `GET /admin/self-test` with `Authorization: Bearer <ADMIN_TOKEN>`; everything else below `/admin/` is 404, and all
 * of it if no token is set, or a short one.
 */
export async function answerAdmin(request: Request, env: Env): Promise<Response> {
  const view = viewOf(request)
  if (view === undefined || !isSecret(env.ADMIN_TOKEN)) return refuse(404, 'There is no such route')
  if (request.method !== 'GET') return refuse(405, 'This route takes GET', { allow: 'GET' })
  if (!(await isOperator(request, env))) {
    return refuse(401, 'The admin token is missing or wrong', { 'www-authenticate': 'Bearer' })
  }
  return view(env)
}

/** What is told of a Worker whose settings are not in order: the self-test, to the operator; to everybody else nothing. */
export async function answerMisconfigured(request: Request, env: Env): Promise<Response | undefined> {
  const isAsked = viewOf(request) === answerSelfTest && request.method === 'GET'
  return isAsked && (await isOperator(request, env)) ? answerSelfTest(env) : undefined
}

function viewOf({ url }: Request): ((env: Env) => Promise<Response>) | undefined {
  const { pathname } = new URL(url)
  return Object.hasOwn(views, pathname) ? views[pathname] : undefined
}

async function isOperator(request: Request, { ADMIN_TOKEN: expected }: Env): Promise<boolean> {
  return isSecret(expected) && isSame(shownBearer(request), expected)
}

async function answerSelfTest(env: Env): Promise<Response> {
  const result = await runSelfTest(env)
  return Response.json(result, { status: result.ok ? 200 : 503, headers })
}

const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

function refuse(status: number, message: string, more: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ error: { message } }, { status, headers: { ...headers, ...more } })
}
