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
  /** Call it before a read. If there are no sums, it computes them from the rows of an earlier version. */
  fill(): void
  /** Deletes days before this one, and weeks that ended before it. */
  forget(oldest: string): void
}

const figures =
  'requests INTEGER NOT NULL, inputTokens INTEGER NOT NULL, outputTokens INTEGER NOT NULL, spent INTEGER NOT NULL'
const schema = `
  CREATE TABLE IF NOT EXISTS dayModels (
    day TEXT NOT NULL, model TEXT NOT NULL, ${figures}, PRIMARY KEY (day, model)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS weeks (
    day TEXT NOT NULL, user TEXT NOT NULL, model TEXT NOT NULL, ${figures}, PRIMARY KEY (day, user, model)
  ) STRICT, WITHOUT ROWID;`
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
  let isFilled = false
  let kept = ''

  /** Creates the tables only when they are used: the object of a single user does not need them. */
  function fill(): void {
    if (isFilled) return
    isFilled = true
    sql.exec(schema)
    forget(kept)
    if (sql.exec('SELECT 1 FROM dayModels LIMIT 1').toArray().length > 0) return
    sql.exec(`INSERT INTO dayModels SELECT day, model, ${sums} FROM days GROUP BY day, model`)
    sql.exec(
      `INSERT INTO weeks SELECT date(day, '-6 days', 'weekday 1') AS week, user, model, ${sums} FROM days GROUP BY week, user, model`,
    )
  }

  function forget(oldest: string): void {
    kept = oldest
    if (!isFilled) return
    sql.exec('DELETE FROM dayModels WHERE day < ?', oldest)
    sql.exec('DELETE FROM weeks WHERE day < ?', weekOf(oldest))
  }

  return {
    add(day, user, { model, ...row }) {
      fill()
      const values = [row.requests, row.inputTokens, row.outputTokens, row.spent]
      change(`INSERT INTO dayModels VALUES (?, ?, ?, ?, ?, ?) ${added}`, day, model, ...values)
      change(`INSERT INTO weeks VALUES (?, ?, ?, ?, ?, ?, ?) ${added}`, weekOf(day), user, model, ...values)
    },
    fill,
    forget,
  }
}
