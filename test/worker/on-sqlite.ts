/** The accounts and the kept answers of the Worker in this process, on SQLite as Node has it. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { allFormats } from '../../src/gateway/all-formats.ts'
import { isoglotFormat } from '../../src/gateway/isoglot-format.ts'
import type { Account, Reservation, Settlement } from '../../src/worker/accounts/accounts.ts'
import { UserAccount } from '../../src/worker/accounts/user-account.ts'
import { type KeptRun, openRun } from '../../src/worker/runs/run.ts'

/** On that database, as another object before it may have left it. `hear` is called with each query. */
export function openAccount(
  database: DatabaseSync = new DatabaseSync(':memory:'),
  abort = () => {},
  hear: (query: string) => void = () => {},
): Account {
  return new UserAccount(stateOn(database, abort, hear) as never, {})
}

/** The platform's state for an object of the accounts. Writes after it `isGone` are lost. `setAlarm` gets the time of each alarm. */
export function stateOn(
  database: DatabaseSync,
  abort: () => void,
  hear: (query: string) => void = () => {},
  isGone = () => false,
  setAlarm: (at: number) => void = () => {},
): object {
  const prepared = new Map<string, StatementSync>()
  const prepare = (query: string) => {
    const known = prepared.get(query) ?? database.prepare(query)
    prepared.set(query, known)
    return known
  }
  const exec = (query: string, ...values: SQLInputValue[]) => {
    hear(query)
    if (query.includes('CREATE TABLE')) database.exec(query)
    const rows = query.includes('CREATE TABLE')
      ? []
      : prepare(query)
          .all(...values)
          .map((row) => ({ ...row }))
    return { toArray: () => rows, one: () => rows[0] }
  }
  const transactionSync = (write: () => void) => {
    if (isGone()) return
    database.exec('BEGIN')
    try {
      write()
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  }
  const deleteAll = async () => {
    for (const { name } of tablesOf(database)) database.exec(`DROP TABLE ${name}`)
  }
  return { storage: { sql: { exec }, transactionSync, setAlarm: async (at: number) => setAlarm(at), deleteAll }, abort }
}

/** An empty list after `deleteAll`. */
export function tablesOf(database: DatabaseSync): { readonly name: string }[] {
  return database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[]
}

/** The platform's SQL for a kept answer. */
export function sqlOn(database: DatabaseSync) {
  const prepared = new Map<string, StatementSync>()
  return (query: string, ...values: readonly (SQLInputValue | ArrayBuffer)[]): Record<string, unknown>[] => {
    if (/CREATE TABLE|DROP TABLE/.test(query)) {
      database.exec(query)
      prepared.clear()
      return []
    }
    const statement = prepared.get(query) ?? database.prepare(query)
    prepared.set(query, statement)
    return statement.all(...values.map((value) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value)))
  }
}

/** The object of one kept answer, on that database. It asks no model. */
export function openRunOn(database: DatabaseSync): KeptRun {
  const read = sqlOn(database)
  return openRun({
    sql: { exec: (query, ...values) => read(query, ...(values as SQLInputValue[])) as never },
    formats: () => [isoglotFormat, ...allFormats],
    sync: async () => {},
    setAlarm: async () => {},
    clear: async () => {},
    waitUntil: () => {},
    answer: async () => new Response('asked for anew'),
    keptMs: () => 600_000,
  })
}

/** A request of the user ada. */
export const reservation = (requestId: string, more: Partial<Reservation> = {}): Reservation => ({
  ...{ requestId, user: 'ada', model: 'anthropic:claude-haiku-4-5', wire: 'gemini', provider: 'anthropic' },
  ...{ cost: 100, dailyBudget: 1000, totalDailyBudget: 100_000, leaseMs: 15 * 60_000 },
  ...more,
})

export const settlement = (requestId: string, cost: number, more: Partial<Settlement> = {}): Settlement => ({
  ...{ requestId, cost, inputTokens: 10, outputTokens: 5, outcome: 'answered' },
  ...more,
})
