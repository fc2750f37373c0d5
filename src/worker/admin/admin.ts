/**
 * The operator's pages, for requests with the admin token: the sums of the accounts, without prompts, answers and headers, and a self-test
 * of the platform.
 *
 * @module
 */
import { compact } from '../../core/json.ts'
import { keptDays, mostRows, type SummaryKey, type SummaryQuery, wholeWorker } from '../accounts/accounts.ts'
import type { Setup } from '../config.ts'
import { isSecret } from '../option-kinds.ts'
import { isSame, shownBearer } from '../session/bearer.ts'
import { streamCsv } from './csv.ts'
import { runSelfTest } from './self-test.ts'

/** These routes take only `GET`. */
const views: Readonly<Record<string, (setup: Setup, query: URLSearchParams) => Promise<Response>>> = {
  '/admin/summary': answerSummary,
  '/admin/self-test': answerSelfTest,
  '/admin/usage.csv': answerCsv,
}

/**
 * `GET /admin/summary` (with `by`, `span`, `limit` and `after` of {@link SummaryQuery} in its query), `GET /admin/usage.csv` (with `span`)
 * and `GET /admin/self-test`, with `Authorization: Bearer <token>`. All other paths below `/admin/` are 404. If the token is missing or too
 * short, all of them are 404.
 */
export async function answerAdmin(request: Request, setup: Setup): Promise<Response> {
  const view = viewOf(request)
  if (view === undefined || !isSecret(tokenOf(setup))) return refuse(404, 'There is no such route')
  if (request.method !== 'GET') return refuse(405, 'This route takes only GET', { allow: 'GET' })
  if (!(await isOperator(request, setup))) {
    return refuse(401, 'The admin token is missing or wrong', { 'www-authenticate': 'Bearer' })
  }
  return view(setup, new URL(request.url).searchParams)
}

/** The answer of a Worker whose options have problems: the operator gets the self-test, others get an error. */
export async function answerMisconfigured(request: Request, setup: Setup): Promise<Response | undefined> {
  const isAsked = viewOf(request) === answerSelfTest && request.method === 'GET'
  return isAsked && (await isOperator(request, setup)) ? answerSelfTest(setup) : undefined
}

function viewOf({ url }: Request): (typeof views)[string] | undefined {
  const { pathname } = new URL(url)
  return Object.hasOwn(views, pathname) ? views[pathname] : undefined
}

function tokenOf({ given }: Setup): string | undefined {
  return given.admin?.token
}

async function isOperator(request: Request, setup: Setup): Promise<boolean> {
  const expected = tokenOf(setup)
  return isSecret(expected) && isSame(shownBearer(request), expected)
}

async function answerSummary({ config }: Setup, query: URLSearchParams): Promise<Response> {
  const { accounts, dailyBudget, totalDailyBudget, liveStreams } = config?.spending ?? {}
  if (accounts === undefined) return refuse(404, 'There are no accounts')
  const wrong = wrongIn(query, Object.keys(queries))
  if (wrong !== undefined) return wrong
  const text = (name: string) => query.get(name) ?? undefined
  const number = (name: string) => (query.has(name) ? Number(query.get(name)) : undefined)
  const asked: SummaryQuery = compact({
    span: number('span'),
    limit: number('limit'),
    by: text('by') as SummaryKey | undefined,
    after: text('after'),
  })
  const summary = await accounts.getByName(wholeWorker).summary(asked)
  return Response.json({ ...summary, limits: { dailyBudget, totalDailyBudget, liveStreams } }, { headers })
}

/** Each stored row of the last days. It reads a page when the client has read the previous one, so only one page is in memory. */
async function answerCsv({ config }: Setup, query: URLSearchParams): Promise<Response> {
  const accounts = config?.spending.accounts
  if (accounts === undefined) return refuse(404, 'There are no accounts')
  const wrong = wrongIn(query, ['span'])
  if (wrong !== undefined) return wrong
  const account = accounts.getByName(wholeWorker)
  const rows = streamCsv((after) => account.page(Number(query.get('span') ?? 7), after))
  const file = { 'content-type': 'text/csv; charset=utf-8', 'content-disposition': 'attachment; filename="usage.csv"' }
  return new Response(rows, { headers: { ...headers, ...file } })
}

function wrongIn(query: URLSearchParams, known: readonly string[]): Response | undefined {
  const wrong = [...query.keys()].find((name) => !known.includes(name) || !queries[name]?.(query.get(name) ?? ''))
  if (wrong === undefined) return undefined
  return refuse(400, `"${wrong.slice(0, 20)}" is an unknown parameter, or its value is invalid`)
}

const isCount = (text: string, most: number) => /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= most

/** The parameters of the summary, and a check of their values. */
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

async function answerSelfTest(setup: Setup): Promise<Response> {
  const result = await runSelfTest(setup)
  return Response.json(result, { status: result.ok ? 200 : 503, headers })
}

const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

function refuse(status: number, message: string, more: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ error: { message } }, { status, headers: { ...headers, ...more } })
}
