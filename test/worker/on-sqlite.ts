/** The accounts of the Worker in this process, on SQLite as Node has it. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Account } from '../../examples/worker/accounts.ts'

/** Imported by a name the compiler does not follow: the Worker is typed for Workers, this file for Node. */
const { UserLedger } = (await import('../../examples/worker/ledger.ts' as string)) as {
  UserLedger: new (ctx: object, env: object) => Account
}

/** On that database, as another object before it may have left it. `hear` is called with each query. */
export function openLedger(
  database: DatabaseSync = new DatabaseSync(':memory:'),
  abort = () => {},
  hear: (query: string) => void = () => {},
  env: object = {},
): Account {
  const exec = (query: string, ...values: SQLInputValue[]) => {
    hear(query)
    if (query.includes('CREATE TABLE')) database.exec(query)
    const rows = query.includes('CREATE TABLE')
      ? []
      : database
          .prepare(query)
          .all(...values)
          .map((row) => ({ ...row }))
    return { toArray: () => rows, one: () => rows[0] }
  }
  const transactionSync = (write: () => void) => {
    database.exec('BEGIN')
    try {
      write()
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  }
  return new UserLedger({ storage: { sql: { exec }, transactionSync }, abort }, env)
}
