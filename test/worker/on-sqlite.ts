/** The accounts of the Worker in this process, on SQLite as Node has it. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Account } from '../../src/worker/accounts/accounts.ts'
import { UserLedger } from '../../src/worker/accounts/ledger.ts'

/** On that database, as another object before it may have left it. `hear` is called with each query. */
export function openLedger(
  database: DatabaseSync = new DatabaseSync(':memory:'),
  abort = () => {},
  hear: (query: string) => void = () => {},
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
  return new UserLedger({ storage: { sql: { exec }, transactionSync }, abort } as never, {})
}
