/**
 * A user's part of the Worker's daily budget, in the object of that user. No other user can spend an amount that it leases from the object
 * of the whole Worker. So a request needs no other object while the lease lasts.
 *
 * This object stores a lease after the other object grants it. It stores a return before the other object takes the amount back. So an
 * amount that is lost on the way counts as spent until its day ends.
 *
 * @module
 */
import type { Sql } from '../platform.ts'
import type { DayReport, Draw, Handback, LeaseGrant, LiveRequest, Reservation } from './accounts.ts'
import { dayOf, daysAgo } from './days.ts'
import type { Writer } from './writer.ts'

/** The data of the user's account that a lease needs. Money is in micro-USD. */
export interface LeaseUse {
  /** The amount spent and reserved on that day. */
  used(day: string): number
  live(): readonly LiveRequest[]
  report(day: string): DayReport
}

/** The functions and storage that a lease needs. */
export interface LeasePlace {
  readonly sql: Sql
  readonly writer: Writer
  readonly use: LeaseUse
  draw(draw: Draw): Promise<LeaseGrant>
  setAlarm(at: number): Promise<void>
}

/** The leases of one user. */
export interface Lease {
  /** Calls `admit` once the lease of `day` covers the reservation; that may need a draw. Does not call it if there is not enough money. */
  take(reservation: Reservation, day: string, admit: () => void): Promise<void>
  /** The user's spending on that day in the object of the whole Worker, as of the last report. */
  elsewhere(day: string): number
  /**
   * Returns the spending on the days with a lease. Gives back the unused part: of `day`, of days that are over, and of all days if there
   * was no request for {@link idleMs}. `undefined` if nothing was leased.
   */
  collect(now: number, day?: string): Handback | undefined
  /**
   * The user, if the unused part of that day was called back and there is an unused part again. The object of the whole Worker asks only
   * once, until it hears of that.
   */
  freedBy(day: string): string | undefined
  /** The object of the whole Worker has heard of it. */
  noteHeard(day: string): void
  /** The share of the Worker's budget that a draw reached. Returns it only once. */
  takeShare(): number | undefined
  /** Whether there is a lease that has not ended. */
  isOpen(): boolean
  /** Whether no lease is remembered or under way. */
  isForgotten(): boolean
  /** Whether that day's money is leased. */
  has(day: string): boolean
}

/** A user's object gives back its lease after this time without a request, in ms. */
export const idleMs = 600_000

/** For how many days a lease is remembered, so that its spending can be reported again. */
export const keptLeaseDays = 3

interface Own {
  readonly user: string
  readonly day: string
  amount: number
  elsewhere: number
  isOpen: number
}

/** Opens the leases that are stored in `sql`. */
export function openLease({ sql, writer, use, ...place }: LeasePlace): Lease {
  sql.exec(`CREATE TABLE IF NOT EXISTS lease (
    day TEXT PRIMARY KEY, user TEXT NOT NULL, amount INTEGER NOT NULL, elsewhere INTEGER NOT NULL, isOpen INTEGER NOT NULL
  ) STRICT; CREATE TABLE IF NOT EXISTS recalled (day TEXT PRIMARY KEY) STRICT`)
  const own = new Map((sql.exec('SELECT * FROM lease').toArray() as Own[]).map((lease) => [lease.day, { ...lease }]))
  /** The days that were called back. It is stored, because an answer may outlive this object's memory. */
  const recalled = new Set((sql.exec('SELECT day FROM recalled').toArray() as Own[]).map(({ day }) => day))
  /** The draw that is under way. Requests that need more money than the lease has draw one after another. */
  let drawing: Promise<unknown> | undefined
  let share: number | undefined
  let lastAsked = 0

  const freeOn = (day: string) => (own.get(day)?.amount ?? 0) - use.used(day)
  const covers = (day: string, cost: number) => own.get(day)?.isOpen === 1 && freeOn(day) >= cost

  function keep(lease: Own): void {
    own.set(lease.day, lease)
    writer.change(
      'INSERT OR REPLACE INTO lease VALUES (?, ?, ?, ?, ?)',
      ...[lease.day, lease.user, lease.amount, lease.elsewhere, lease.isOpen],
    )
  }

  function noteHeard(day: string): void {
    if (recalled.delete(day)) writer.change('DELETE FROM recalled WHERE day = ?', day)
  }

  async function draw({ user, cost, dailyBudget, totalDailyBudget }: Reservation, day: string): Promise<void> {
    const need = Math.max(0, cost - freeOn(day))
    const { amount = 0, elsewhere = 0 } = own.get(day) ?? {}
    const want = Math.max(need, dailyBudget - elsewhere - amount)
    await place.setAlarm(Date.now() + idleMs)
    const grant = await place.draw({ user, day, need, want, totalDailyBudget, report: use.report(day) })
    // Read again: meanwhile, a part may have been given back.
    const now = own.get(day) ?? { user, day, amount: 0, isOpen: 0 }
    keep({
      ...now,
      amount: now.amount + grant.amount,
      elsewhere: grant.elsewhere,
      isOpen: grant.isGranted ? 1 : now.isOpen,
    })
    if (grant.isGranted) noteHeard(day) // the other object asks again
    share = grant.share ?? share
  }

  return {
    async take(reservation, day, admit) {
      lastAsked = Date.now()
      const { cost } = reservation
      if (drawing === undefined && covers(day, cost)) return admit()
      const before = drawing
      const turn = (async () => {
        await before?.catch(() => {})
        if (!covers(day, cost)) await draw(reservation, day)
        if (covers(day, cost)) admit()
      })()
      drawing = turn
      try {
        await turn
      } finally {
        if (drawing === turn) drawing = undefined
      }
    },
    elsewhere: (day) => own.get(day)?.elsewhere ?? 0,
    collect(now, day) {
      const live = use.live()
      const isIdle = live.length === 0 && drawing === undefined && now - lastAsked >= idleMs
      for (const { day, isOpen } of [...own.values()])
        if (isOpen === 0 && day < daysAgo(keptLeaseDays, now)) forget(day)
      const leases = [...own.values()]
      // Closed leases too: the earlier report may not have arrived.
      const days = leases.map((lease) => {
        const isOver = lease.day < dayOf(now)
        const isWanted = lease.isOpen === 1 && (isIdle || isOver || lease.day === day)
        const returned = isWanted ? Math.max(0, freeOn(lease.day)) : 0
        const hasLive = live.some(({ startedAt }) => dayOf(startedAt) === lease.day)
        const isClosed = lease.isOpen === 0 || ((isIdle || isOver) && !hasLive)
        if (isWanted) keep({ ...lease, amount: lease.amount - returned, isOpen: isClosed ? 0 : 1 })
        return { report: use.report(lease.day), returned, amount: lease.amount - returned, isClosed }
      })
      if (day !== undefined && !recalled.has(day)) {
        recalled.add(day)
        writer.change('INSERT OR IGNORE INTO recalled VALUES (?)', day)
      }
      const user = leases[0]?.user
      return user === undefined ? undefined : { user, days, live }
    },
    freedBy: (day) => (recalled.has(day) && freeOn(day) > 0 ? own.get(day)?.user : undefined),
    noteHeard,
    takeShare() {
      const taken = share
      share = undefined
      return taken
    },
    isOpen: () => [...own.values()].some(({ isOpen }) => isOpen === 1),
    isForgotten: () => own.size === 0 && drawing === undefined,
    has: (day) => own.has(day),
  }

  function forget(day: string): void {
    own.delete(day)
    noteHeard(day)
    writer.change('DELETE FROM lease WHERE day = ?', day)
  }
}
