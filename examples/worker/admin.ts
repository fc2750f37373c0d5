/**
 * What the operator sees, for whoever has the admin token: the ledger's sums, with no prompt, answer or header in them, and whether the
 * platform is as the Worker counts on.
 *
 * @module
 */
import { keptDays, mostRows, type SummaryKey, type SummaryQuery, wholeWorker } from './accounts.ts'
import { isSame, shownBearer } from './bearer.ts'
import type { Env } from './config.ts'
import { runSelfTest } from './self-test.ts'
import { isSecret } from './setting-kinds.ts'

/** Of `GET` alone. */
const views: Readonly<Record<string, (env: Env, query: URLSearchParams) => Promise<Response>>> = {
  '/admin/summary': answerSummary,
  '/admin/self-test': answerSelfTest,
}

/**
 * `GET /admin/summary` (with `by`, `span`, `limit` and `after` of {@link SummaryQuery} in its query) and `GET /admin/self-test` with `Authorization: Bearer <ADMIN_TOKEN>`; everything else below `/admin/` is 404, and all
 * of it if no token is set, or a short one.
 */
export async function answerAdmin(request: Request, env: Env): Promise<Response> {
  const view = viewOf(request)
  if (view === undefined || !isSecret(env.ADMIN_TOKEN)) return refuse(404, 'There is no such route')
  if (request.method !== 'GET') return refuse(405, 'This route takes GET', { allow: 'GET' })
  if (!(await isOperator(request, env))) {
    return refuse(401, 'The admin token is missing or wrong', { 'www-authenticate': 'Bearer' })
  }
  return view(env, new URL(request.url).searchParams)
}

/** What is told of a Worker whose settings are not in order: the self-test, to the operator; to everybody else nothing. */
export async function answerMisconfigured(request: Request, env: Env): Promise<Response | undefined> {
  const isAsked = viewOf(request) === answerSelfTest && request.method === 'GET'
  return isAsked && (await isOperator(request, env)) ? answerSelfTest(env) : undefined
}

function viewOf({ url }: Request): (typeof views)[string] | undefined {
  const { pathname } = new URL(url)
  return Object.hasOwn(views, pathname) ? views[pathname] : undefined
}

async function isOperator(request: Request, { ADMIN_TOKEN: expected }: Env): Promise<boolean> {
  return isSecret(expected) && isSame(shownBearer(request), expected)
}

async function answerSummary({ LEDGERS }: Env, query: URLSearchParams): Promise<Response> {
  const wrong = [...query.keys()].find(
    (name) => !Object.hasOwn(queries, name) || !queries[name]?.(query.get(name) ?? ''),
  )
  if (wrong !== undefined)
    return refuse(400, `"${wrong.slice(0, 20)}" is not a part of this query, or has a wrong value`)
  const number = (name: string) => (query.has(name) ? { [name]: Number(query.get(name)) } : {})
  const asked: SummaryQuery = {
    ...number('span'),
    ...number('limit'),
    ...(query.has('by') && { by: query.get('by') as SummaryKey }),
    ...(query.has('after') && { after: query.get('after') as string }),
  }
  return Response.json(await LEDGERS?.getByName(wholeWorker).summary(asked), { headers })
}

const isCount = (text: string, most: number) => /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= most

/** What the query of the summary may have, and whether a value is one. */
const queries: Readonly<Record<string, (text: string) => boolean>> = {
  by: (text) => ['user', 'model', 'day', 'all'].includes(text),
  span: (text) => isCount(text, keptDays),
  limit: (text) => isCount(text, mostRows),
  after: isCursor,
}

/** Three texts in an array: the day, user and model of a row. */
function isCursor(text: string): boolean {
  try {
    const read: unknown = JSON.parse(text)
    return Array.isArray(read) && read.length === 3 && read.every((word) => typeof word === 'string')
  } catch {
    return false
  }
}

async function answerSelfTest(env: Env): Promise<Response> {
  const result = await runSelfTest(env)
  return Response.json(result, { status: result.ok ? 200 : 503, headers })
}

const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

function refuse(status: number, message: string, more: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ error: { message } }, { status, headers: { ...headers, ...more } })
}
