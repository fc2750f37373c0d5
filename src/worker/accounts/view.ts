/** The operator's view of the accounts. SQLite computes the sums, so the rows of many users never become objects here. @module */
import { compact } from '../../core/json.ts'
import type { Sql, SqlValue } from '../platform.ts'
import {
  type AccountSummary,
  type DayPage,
  type DayRow,
  type DayTotal,
  type KindCount,
  type LiveRequest,
  mostRows,
  refusedKind,
  type SummaryKey,
  type SummaryQuery,
} from './accounts.ts'
import { dayMs, dayOf, daysAgo } from './days.ts'
import { type KeptSums, sums, weekOf } from './sums.ts'

/** The reports of other objects. */
export interface Elsewhere {
  readonly live: readonly LiveRequest[]
  /** The number of objects that have not reported. */
  readonly unheard: number
}

/** The number of days that `totals` of a summary covers at least, and the maximum number of live requests that it lists. */
const totalDays = 14
const mostLive = 200

/** The columns that can group days for the operator, and the sums. */
const summaryKeys: Readonly<Record<SummaryKey, readonly ('user' | 'model' | 'day')[]>> = {
  user: ['user'],
  model: ['model'],
  day: ['day'],
  all: ['user', 'model', 'day'],
}
type Query = readonly [query: string, ...values: SqlValue[]]

/** Reads the tables of the accounts in `sql`. */
export class AccountView {
  readonly #sql: Sql
  readonly #sums: Pick<KeptSums, 'fill'>

  constructor(sql: Sql, kept: Pick<KeptSums, 'fill'>) {
    this.#sql = sql
    this.#sums = kept
  }

  /** `liveCount` is the number of live requests in this object; `elsewhere` has those of the other objects. */
  summary(query: SummaryQuery, now: number, liveCount: number, elsewhere: Elsewhere): AccountSummary {
    const { by = 'user', span = 7, limit = mostRows, after } = query
    const since = daysAgo(Math.max(span, totalDays), now)
    this.#sums.fill(since)
    const { rows: days, next } = this.page('', limit, after)
    const kinds = this.#all<KindCount>('SELECT * FROM errors WHERE day >= ? ORDER BY day, kind', since)
    const isRefusal = ({ kind }: KindCount) => kind.startsWith(refusedKind)
    const live = 'SELECT requestId, user, model, wire, startedAt FROM live ORDER BY startedAt LIMIT ?'
    const totals = `SELECT day, ${sums} FROM dayModels WHERE day >= ? GROUP BY day ORDER BY day`
    return {
      live: [...this.#all<LiveRequest>(live, mostLive), ...elsewhere.live]
        .sort((one, other) => one.startedAt - other.startedAt)
        .slice(0, mostLive),
      liveCount: liveCount + elsewhere.live.length,
      unheard: elsewhere.unheard,
      days,
      ...compact({ next }),
      totals: this.#all<DayTotal>(totals, since),
      usage: this.#usageOf(by, span, limit, now),
      errors: kinds.filter((row) => !isRefusal(row)),
      refusals: kinds.filter(isRefusal).map((row) => ({ ...row, kind: row.kind.slice(refusedKind.length) })),
    }
  }

  /** The newest rows since a day, or those that follow `after`. Read in the order of the primary key, so that no sort is needed. */
  page(since: string, limit: number, after: string | undefined): DayPage {
    const [before, place] = after === undefined ? ['', []] : [' AND (day, user, model) < (?, ?, ?)', JSON.parse(after)]
    const rows = this.#all<DayRow>(
      `SELECT * FROM days WHERE day >= ?${before} ORDER BY day DESC, user DESC, model DESC LIMIT ?`,
      ...[since, ...(place as string[]), limit + 1], // one more shows whether a page follows
    )
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return compact({ rows: rows.slice(0, limit), next: last && JSON.stringify([last.day, last.user, last.model]) })
  }

  #usageOf(by: SummaryKey, span: number, limit: number, now: number): AccountSummary['usage'] {
    const keys = summaryKeys[by]
    const columns = keys.join(', ')
    const {
      table: [table, ...values],
      count,
    } = spanOf(by, daysAgo(span, now))
    // A row of `days` is already the sum of one user, one model and one day.
    const read =
      by === 'all' ? `SELECT * FROM ${table}` : `SELECT ${columns}, ${sums} FROM ${table} GROUP BY ${columns}`
    const rows = this.#all<DayRow>(`${read} ORDER BY spent DESC, requests DESC LIMIT ?`, ...values, limit)
    return {
      by,
      span,
      rows: rows.map(({ day, user, model, ...row }) => ({
        ...row,
        name: keys.map((key) => ({ day, user, model })[key]),
      })),
      count: rows.length < limit ? rows.length : (this.#all<{ count: number }>(...count)[0]?.count ?? 0),
    }
  }

  #all<Row>(query: string, ...values: SqlValue[]): Row[] {
    return this.#sql.exec(query, ...values).toArray() as Row[]
  }
}

/** The tables to read, and a count of the groups in them. Rows by user come from whole weeks, and from the days before the first one. */
function spanOf(by: SummaryKey, since: string): { readonly table: Query; readonly count: Query } {
  if (by !== 'user') {
    const table = `${by === 'all' ? 'days' : 'dayModels'} WHERE day >= ?`
    const count = `SELECT count(${by === 'all' ? '*' : `DISTINCT ${by}`}) AS count FROM ${table}`
    return { table: [table, since], count: [count, since] }
  }
  const monday = weekOf(dayOf(Date.parse(since) + 6 * dayMs))
  const weeks = 'FROM userWeeks WHERE day >= ?'
  const days = 'FROM days WHERE day >= ? AND day < ?'
  const columns = 'user, requests, inputTokens, outputTokens, spent'
  const others = `${days} AND NOT EXISTS (SELECT 1 ${weeks} AND userWeeks.user = days.user)`
  const count = `SELECT (SELECT count(DISTINCT user) ${weeks}) + (SELECT count(DISTINCT user) ${others}) AS count`
  return {
    table: [`(SELECT ${columns} ${weeks} UNION ALL SELECT ${columns} ${days} ORDER BY user)`, monday, since, monday],
    count: [count, monday, since, monday, monday],
  }
}
