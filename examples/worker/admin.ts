/**
 * What the operator sees: the ledger's sums, for whoever has the admin token. No prompt, no answer and no header is in them.
 *
 * @module
 */
import type { LedgerSummary } from './accounts.ts'
import { isSame, shownBearer } from './bearer.ts'

/** Of the bindings, what this needs. */
export interface AdminEnv {
  /** A secret of at least 32 bytes. Without one there is no operator's view. */
  readonly ADMIN_TOKEN?: unknown
  readonly LEDGERS?: unknown
}

/** The ledgers, as far as this reads them. */
interface Ledgers {
  getByName(name: string): { summary(): Promise<LedgerSummary> }
}

/** Shorter secrets could be guessed, and count as none. */
const minTokenBytes = 32
const path = '/admin/summary'
/** The account that has all users in it, as in `ledger.ts`. */
const wholeWorker = 'all'

/** `GET /admin/summary` with `Authorization: Bearer <ADMIN_TOKEN>`; everything else below `/admin/` is 404, and all of it if no token is set. */
export async function answerAdmin(request: Request, env: AdminEnv): Promise<Response> {
  const { ADMIN_TOKEN: expected, LEDGERS: ledgers } = env
  const isOpen = typeof expected === 'string' && encode(expected).length >= minTokenBytes
  if (!isOpen || new URL(request.url).pathname !== path) return refuse(404, 'There is no such route')
  if (request.method !== 'GET') return refuse(405, 'This route takes GET', { allow: 'GET' })
  if (!(await isSame(shownBearer(request), expected))) {
    return refuse(401, 'The admin token is missing or wrong', { 'www-authenticate': 'Bearer' })
  }
  return Response.json(await (ledgers as Ledgers).getByName(wholeWorker).summary(), { headers })
}

const headers = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

function refuse(status: number, message: string, more: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ error: { message } }, { status, headers: { ...headers, ...more } })
}

const encode = (text: string) => new TextEncoder().encode(text)
