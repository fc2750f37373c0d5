/**
 * Sums of costs: for each day by model, and for each week by user and model. The object with the costs of all users updates them with each
 * cost. So the operator's view of 90 days reads only a fifth of the rows.
 *
 * @module
 */
import type { Sql } from '../platform.ts'
import type { ModelSums } from './accounts.ts'
import { dayMs, dayOf } from './days.ts'
import type { Writer } from './writer.ts'

/** Stores the sums. */
export interface KeptSums {
  /** Adds a cost. */
  add(day: string, user: string, added: ModelSums): void
  /** Call it before a read of the days from `since` on. Weeks without sums get them from the rows that an earlier version stored. */
  fill(since: string): void
  /** Deletes days before this one, and weeks that ended before it. */
  forget(oldest: string): void
}

const figures =
  'requests INTEGER NOT NULL, inputTokens INTEGER NOT NULL, outputTokens INTEGER NOT NULL, spent INTEGER NOT NULL'
/** Weeks are stored in the order of users, so that sums by user need no sort: there may be 200,000 users. */
const schema = `
  CREATE TABLE IF NOT EXISTS dayModels (
    day TEXT NOT NULL, model TEXT NOT NULL, ${figures}, PRIMARY KEY (day, model)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS userWeeks (
    user TEXT NOT NULL, day TEXT NOT NULL, model TEXT NOT NULL, ${figures}, PRIMARY KEY (user, day, model)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS summed (id INTEGER PRIMARY KEY, since TEXT NOT NULL) STRICT;`
const added = `ON CONFLICT DO UPDATE SET requests = requests + excluded.requests, inputTokens = inputTokens + excluded.inputTokens,
  outputTokens = outputTokens + excluded.outputTokens, spent = spent + excluded.spent`
/** The columns of a query that sums rows. */
export const sums: string =
  'sum(requests) AS requests, sum(inputTokens) AS inputTokens, sum(outputTokens) AS outputTokens, sum(spent) AS spent'

/** The first day of the week of a day, a Monday. */
export function weekOf(day: string): string {
  const at = Date.parse(day)
  return dayOf(at - ((new Date(at).getUTCDay() + 6) % 7) * dayMs)
}

/** The sums in `sql`. */
export function openSums(sql: Sql, { change }: Writer): KeptSums {
  /** A Monday: the weeks from this one on have sums. `undefined` until the tables are used. */
  let since: string | undefined
  let kept = ''

  /** Creates the tables only when they are used: the object of a single user does not need them. */
  function open(): string {
    if (since !== undefined) return since
    sql.exec(schema)
    const [row] = sql.exec('SELECT since FROM summed').toArray() as { readonly since: string }[]
    since = row?.since ?? weekOf(dayOf(Date.now() + 7 * dayMs))
    if (row === undefined) {
      // An earlier version stored its sums in another order.
      sql.exec('DELETE FROM dayModels')
      sql.exec('DROP TABLE IF EXISTS weeks')
    }
    forget(kept)
    return since
  }

  /** Week by week, the last one first: a view of some days does not wait for the sums of three months. */
  function fill(day: string): void {
    let end = open()
    for (const first = weekOf(day); end > first; end = since) {
      since = weekOf(dayOf(Date.parse(end) - dayMs))
      const rows = 'FROM days WHERE day >= ? AND day < ? GROUP BY'
      sql.exec(`INSERT INTO dayModels SELECT day, model, ${sums} ${rows} day, model`, since, end)
      sql.exec(`INSERT INTO userWeeks SELECT user, ?, model, ${sums} ${rows} user, model`, since, since, end)
      sql.exec('INSERT OR REPLACE INTO summed VALUES (1, ?)', since)
    }
  }

  function forget(oldest: string): void {
    kept = oldest
    if (since === undefined) return
    sql.exec('DELETE FROM dayModels WHERE day < ?', oldest)
    sql.exec('DELETE FROM userWeeks WHERE day < ?', weekOf(oldest))
  }

  return {
    add(day, user, { model, ...row }) {
      fill(day)
      const values = [row.requests, row.inputTokens, row.outputTokens, row.spent]
      change(`INSERT INTO dayModels VALUES (?, ?, ?, ?, ?, ?) ${added}`, day, model, ...values)
      change(`INSERT INTO userWeeks VALUES (?, ?, ?, ?, ?, ?, ?) ${added}`, user, weekOf(day), model, ...values)
    },
    fill,
    forget,
  }
}
