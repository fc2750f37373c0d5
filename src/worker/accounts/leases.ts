/**
 * The leases of users' objects on the Worker's daily budget, kept in the object of the whole Worker. A lease counts as spent until it is
 * given back, or until its day ends.
 *
 * @module
 */
import type { Sql } from '../platform.ts'
import type { DayReport, Draw, Handback, ModelSums } from './accounts.ts'
import { daysAgo } from './days.ts'
import type { Writer } from './writer.ts'

/** Books the new amounts of a report. */
export interface Bookings {
  book(day: string, user: string, added: ModelSums): void
  countError(day: string, kind: string, count: number): void
}

/** A block is this many times the amount that the request needs, so that the next requests need no draw. */
const requestsInBlock = 128
/** A block is at most this share of the day's remaining budget, so that many users get one. */
const leastBlocks = 16
/** The maximum number of users' objects that are asked at the same time. */
export const mostAsked = 500

interface Held {
  amount: number
  spent: number
  isOpen: number
  report: DayReport
}
type StoredHeld = Omit<Held, 'report'> & { readonly user: string; readonly report: string }

/** The leases of one day. */
interface LeaseDay {
  readonly byUser: Map<string, Held>
  /** The users who were asked to give back a part. */
  readonly asked: Set<string>
  /** The amount leased and not reported as spent. The sum is kept, because there may be many users. */
  outstanding: number
}

/** All leases that are stored in `sql`, by day and user. Money is in micro-USD. */
export class Leases {
  readonly #sql: Sql
  readonly #writer: Writer
  readonly #bookings: Bookings
  readonly #days = new Map<string, LeaseDay>()

  constructor(sql: Sql, writer: Writer, bookings: Bookings) {
    this.#sql = sql
    this.#writer = writer
    this.#bookings = bookings
    sql.exec(`CREATE TABLE IF NOT EXISTS leases (
      day TEXT NOT NULL, user TEXT NOT NULL, amount INTEGER NOT NULL, spent INTEGER NOT NULL, isOpen INTEGER NOT NULL, report TEXT NOT NULL,
      PRIMARY KEY (day, user)
    ) STRICT`)
  }

  /** The amount leased on that day and not reported as spent. */
  outstanding(day: string): number {
    return this.#on(day).outstanding
  }

  /** The amount that this user reported as spent on that day. */
  reported(day: string, user: string): number {
    return this.#heldBy(day, user).spent
  }

  /** Leases a block out of what is `left`. `undefined` if that is less than is needed. */
  grant({ user, day, need, want }: Draw, left: number): number | undefined {
    if (need > left) return undefined
    const block = Math.min(want, requestsInBlock * need, Math.floor(left / leastBlocks))
    const amount = Math.max(need, block)
    const held = this.#heldBy(day, user)
    this.#keep(day, user, { ...held, amount: held.amount + amount, isOpen: 1 })
    this.askAgain(day, user)
    return amount
  }

  /**
   * Books the difference between this report and the user's previous one. Reports may arrive in a different order. Figures only grow, so
   * the larger one is the later one.
   */
  takeReport(user: string, { day, rows, errors }: DayReport): void {
    const held = this.#heldBy(day, user)
    let isNew = false
    const models = new Map(held.report.rows.map((row) => [row.model, row]))
    for (const row of rows) {
      const before = models.get(row.model) ?? { requests: 0, inputTokens: 0, outputTokens: 0, spent: 0 }
      if (row.requests <= before.requests) continue
      isNew = true
      models.set(row.model, row)
      this.#bookings.book(day, user, {
        model: row.model,
        requests: row.requests - before.requests,
        inputTokens: row.inputTokens - before.inputTokens,
        outputTokens: row.outputTokens - before.outputTokens,
        spent: row.spent - before.spent,
      })
    }
    const kinds = new Map(held.report.errors.map(({ kind, count }) => [kind, count]))
    for (const { kind, count } of errors) {
      const added = count - (kinds.get(kind) ?? 0)
      if (added <= 0) continue
      isNew = true
      kinds.set(kind, count)
      this.#bookings.countError(day, kind, added)
    }
    if (!isNew) return
    const report = {
      day,
      rows: [...models.values()],
      errors: [...kinds].map(([kind, count]) => ({ kind, count })),
    }
    this.#keep(day, user, { ...held, report, spent: report.rows.reduce((sum, { spent }) => sum + spent, 0) })
  }

  /**
   * Takes back the unused part of a lease. Does not take back a grant that may still be on its way to the user; returns whether there may
   * be one.
   */
  takeBack({ user, days }: Handback): boolean {
    let isOnItsWay = false
    for (const { report, returned, isClosed, ...kept } of days) {
      this.takeReport(user, report)
      const held = this.#heldBy(report.day, user)
      const amount = held.amount - returned
      // A draw that was granted in the meantime keeps the lease open.
      const isOpen = isClosed && amount <= held.spent ? 0 : held.isOpen
      if (returned > 0 || isOpen !== held.isOpen) this.#keep(report.day, user, { ...held, amount, isOpen })
      isOnItsWay ||= kept.amount < amount
    }
    return isOnItsWay
  }

  /**
   * The users who may give back a part of that day: those with the largest leases, at most {@link mostAsked}. A user is in it once: again
   * only after a grant, or after `askAgain`.
   */
  nextHolders(day: string): readonly string[] {
    const { byUser, asked } = this.#on(day)
    const able = [...byUser].filter(([user, held]) => held.isOpen === 1 && unspent(held) > 0 && !asked.has(user))
    const largest = able.sort(([, one], [, other]) => unspent(other) - unspent(one)).slice(0, mostAsked)
    for (const [user] of largest) asked.add(user)
    return largest.map(([user]) => user)
  }

  /** The user has a free part of that day again, or did not answer. */
  askAgain(day: string, user: string): void {
    this.#on(day).asked.delete(user)
  }

  /** The users with open leases on these days, least recently returned first, at most {@link mostAsked}; and the number of the others. */
  nextOpen(days: readonly string[]): { readonly users: readonly string[]; readonly others: number } {
    const open = days.flatMap((day) => [...this.#on(day).byUser].filter(([, { isOpen }]) => isOpen === 1))
    const all = [...new Set(open.map(([user]) => user))]
    const users = all.slice(0, mostAsked)
    for (const user of users) for (const day of days) moveToEnd(this.#on(day).byUser, user)
    return { users, others: all.length - users.length }
  }

  /** Forgets all days before this one. */
  forget(oldest: string, now: number): void {
    this.#sql.exec('DELETE FROM leases WHERE day < ?', oldest)
    for (const day of this.#days.keys()) if (day < daysAgo(3, now)) this.#days.delete(day)
  }

  #on(day: string): LeaseDay {
    const known = this.#days.get(day)
    if (known !== undefined) return known
    const rows = this.#sql.exec('SELECT * FROM leases WHERE day = ?', day).toArray() as StoredHeld[]
    const byUser = new Map(rows.map(({ user, report, ...held }) => [user, { ...held, report: JSON.parse(report) }]))
    const outstanding = [...byUser.values()].reduce((sum, held) => sum + unspent(held), 0)
    const read: LeaseDay = { byUser, asked: new Set(), outstanding }
    this.#days.set(day, read)
    return read
  }

  #heldBy(day: string, user: string): Held {
    return this.#on(day).byUser.get(user) ?? { amount: 0, spent: 0, isOpen: 0, report: { day, rows: [], errors: [] } }
  }

  #keep(day: string, user: string, held: Held): void {
    const before = this.#heldBy(day, user)
    const leases = this.#on(day)
    leases.outstanding += unspent(held) - unspent(before)
    leases.byUser.set(user, held)
    this.#writer.change(
      'INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?)',
      ...[day, user, held.amount, held.spent, held.isOpen, JSON.stringify(held.report)],
    )
  }
}

/** An answer may cost more than its reservation. Then the user has spent more than the lease. */
function unspent({ amount, spent }: Held): number {
  return Math.max(0, amount - spent)
}

function moveToEnd<Value>(map: Map<string, Value>, key: string): void {
  const value = map.get(key)
  if (value === undefined) return
  map.delete(key)
  map.set(key, value)
}
