/** The operator's view of the accounts. SQLite does the sums: rows of many users never become objects here. @module */
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
import { daysAgo } from './days.ts'

/** Reads the tables of a ledger. */
export interface LedgerView {
  /** `liveCount` requests are live here, and those of `elsewhere` in other objects. */
  summary(query: SummaryQuery, now: number, liveCount: number, elsewhere: readonly LiveRequest[]): AccountSummary
  /** The newest rows since a day, or those that follow `after`. */
  page(since: string, limit: number, after: string | undefined): DayPage
  /** Drops what it remembers of days before this one. */
  forget(oldest: string): void
}

/** Days that `totals` of a summary covers at least, and most requests that it lists as live. */
const totalDays = 14
const mostLive = 200

/** The columns by which the operator may have days summed, and the sums. */
const summaryKeys: Readonly<Record<SummaryKey, readonly ('user' | 'model' | 'day')[]>> = {
  user: ['user'],
  model: ['model'],
  day: ['day'],
  all: ['user', 'model', 'day'],
}
const sums =
  'sum(requests) AS requests, sum(inputTokens) AS inputTokens, sum(outputTokens) AS outputTokens, sum(spent) AS spent'

/** The view of the tables in `sql`. */
export function openView(sql: Sql): LedgerView {
  /** Sums of days that are over: none or one for each day. */
  const totals = new Map<string, DayTotal[]>()
  const all = <Row>(query: string, ...values: SqlValue[]) => sql.exec(query, ...values).toArray() as Row[]

  /** Read in the order of the primary key, so that no sort is needed. */
  function page(since: string, limit: number, after: string | undefined): DayPage {
    const [before, place] = after === undefined ? ['', []] : [' AND (day, user, model) < (?, ?, ?)', JSON.parse(after)]
    const rows = all<DayRow>(
      `SELECT * FROM days WHERE day >= ?${before} ORDER BY day DESC, user DESC, model DESC LIMIT ?`,
      ...[since, ...(place as string[]), limit],
    )
    const last = rows.length === limit ? rows.at(-1) : undefined
    return { rows, ...(last && { next: JSON.stringify([last.day, last.user, last.model]) }) }
  }

  /** A request is booked on the day on which it began, so days before yesterday do not change any more: each is summed once. */
  function totalsOf(days: readonly string[]): DayTotal[] {
    return days.flatMap((day, at) => {
      const known = totals.get(day)
      if (known !== undefined) return known
      const total = all<DayTotal>(`SELECT day, ${sums} FROM days WHERE day = ? GROUP BY day`, day)
      if (at < days.length - 2) totals.set(day, total)
      return total
    })
  }

  function usageOf(by: SummaryKey, span: number, limit: number, now: number): AccountSummary['usage'] {
    const keys = summaryKeys[by]
    const columns = keys.join(', ')
    const since = daysAgo(span, now)
    const rows = all<DayRow>(
      `SELECT ${columns}, ${sums} FROM days WHERE day >= ? GROUP BY ${columns} ORDER BY spent DESC, requests DESC LIMIT ?`,
      ...[since, limit],
    )
    const counting = `SELECT count(*) AS count FROM (SELECT DISTINCT ${columns} FROM days WHERE day >= ?)`
    return {
      by,
      span,
      rows: rows.map(({ day, user, model, ...row }) => ({
        ...row,
        name: keys.map((key) => ({ day, user, model })[key]),
      })),
      count: rows.length < limit ? rows.length : (all<{ count: number }>(counting, since)[0]?.count ?? 0),
    }
  }

  return {
    page,
    summary({ by = 'user', span = 7, limit = mostRows, after }, now, liveCount, elsewhere) {
      const { rows: days, next } = page('', limit, after)
      const covered = Math.max(span, totalDays)
      const kinds = all<KindCount>('SELECT * FROM errors WHERE day >= ? ORDER BY day, kind', daysAgo(covered, now))
      const isRefusal = ({ kind }: KindCount) => kind.startsWith(refusedKind)
      const live = 'SELECT requestId, user, model, wire, startedAt FROM live ORDER BY startedAt LIMIT ?'
      return {
        live: [...all<LiveRequest>(live, mostLive), ...elsewhere]
          .sort((one, other) => one.startedAt - other.startedAt)
          .slice(0, mostLive),
        liveCount: liveCount + elsewhere.length,
        days,
        ...(next !== undefined && { next }),
        totals: totalsOf(Array.from({ length: covered }, (_, ago) => daysAgo(ago + 1, now)).reverse()),
        usage: usageOf(by, span, limit, now),
        errors: kinds.filter((row) => !isRefusal(row)),
        refusals: kinds.filter(isRefusal).map((row) => ({ ...row, kind: row.kind.slice(refusedKind.length) })),
      }
    },
    forget(oldest) {
      for (const known of totals.keys()) if (known < oldest) totals.delete(known)
    },
  }
}
