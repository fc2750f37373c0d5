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

/** The leases of one user, which are stored in `sql` of their place. */
export class Lease {
  readonly #place: LeasePlace
  /** The leases, by their days. */
  readonly #own: Map<string, Own>
  /** The days that were called back. It is stored, because an answer may outlive this object's memory. */
  readonly #recalled: Set<string>
  /** The draw that is under way. Requests that need more money than the lease has draw one after another. */
  #drawing: Promise<unknown> | undefined
  #share: number | undefined
  /** The time of the last request. */
  #lastAsked = 0

  constructor(place: LeasePlace) {
    this.#place = place
    const { sql } = place
    sql.exec(`CREATE TABLE IF NOT EXISTS lease (
      day TEXT PRIMARY KEY, user TEXT NOT NULL, amount INTEGER NOT NULL, elsewhere INTEGER NOT NULL, isOpen INTEGER NOT NULL
    ) STRICT; CREATE TABLE IF NOT EXISTS recalled (day TEXT PRIMARY KEY) STRICT`)
    const all = (query: string) => sql.exec(query).toArray() as Own[]
    this.#own = new Map(all('SELECT * FROM lease').map((lease) => [lease.day, { ...lease }]))
    this.#recalled = new Set(all('SELECT day FROM recalled').map(({ day }) => day))
  }

  /** Calls `admit` once the lease of `day` covers the reservation; that may need a draw. Does not call it if there is not enough money. */
  async take(reservation: Reservation, day: string, admit: () => void): Promise<void> {
    this.#lastAsked = Date.now()
    const { cost } = reservation
    if (this.#drawing === undefined && this.#covers(day, cost)) return admit()
    const before = this.#drawing
    const turn = (async () => {
      await before?.catch(() => {})
      if (!this.#covers(day, cost)) await this.#draw(reservation, day)
      if (this.#covers(day, cost)) admit()
    })()
    this.#drawing = turn
    try {
      await turn
    } finally {
      if (this.#drawing === turn) this.#drawing = undefined
    }
  }

  async #draw({ user, cost, dailyBudget, totalDailyBudget }: Reservation, day: string): Promise<void> {
    const need = Math.max(0, cost - this.#freeOn(day))
    const { amount = 0, elsewhere = 0 } = this.#own.get(day) ?? {}
    const want = Math.max(need, dailyBudget - elsewhere - amount)
    await this.#place.setAlarm(Date.now() + idleMs)
    const report = this.#place.use.report(day)
    const grant = await this.#place.draw({ user, day, need, want, totalDailyBudget, report })
    // Read again: meanwhile, a part may have been given back.
    const now = this.#own.get(day) ?? { user, day, amount: 0, isOpen: 0 }
    this.#keep({
      ...now,
      amount: now.amount + grant.amount,
      elsewhere: grant.elsewhere,
      isOpen: grant.isGranted ? 1 : now.isOpen,
    })
    if (grant.isGranted) this.noteHeard(day) // the other object asks again
    this.#share = grant.share ?? this.#share
  }

  /** The user's spending on that day in the object of the whole Worker, as of the last report. */
  elsewhere(day: string): number {
    return this.#own.get(day)?.elsewhere ?? 0
  }

  /**
   * Returns the spending on the days with a lease. Gives back the unused part: of `day`, of days that are over, and of all days if there
   * was no request for {@link idleMs}. `undefined` if nothing was leased.
   */
  collect(now: number, day?: string): Handback | undefined {
    const live = this.#place.use.live()
    const isIdle = live.length === 0 && this.#drawing === undefined && now - this.#lastAsked >= idleMs
    for (const { day, isOpen } of [...this.#own.values()])
      if (isOpen === 0 && day < daysAgo(keptLeaseDays, now)) this.#forget(day)
    const leases = [...this.#own.values()]
    // Closed leases too: the earlier report may not have arrived.
    const days = leases.map((lease) => {
      const isOver = lease.day < dayOf(now)
      const isWanted = lease.isOpen === 1 && (isIdle || isOver || lease.day === day)
      const returned = isWanted ? Math.max(0, this.#freeOn(lease.day)) : 0
      const hasLive = live.some(({ startedAt }) => dayOf(startedAt) === lease.day)
      const isClosed = lease.isOpen === 0 || ((isIdle || isOver) && !hasLive)
      if (isWanted) this.#keep({ ...lease, amount: lease.amount - returned, isOpen: isClosed ? 0 : 1 })
      return { report: this.#place.use.report(lease.day), returned, amount: lease.amount - returned, isClosed }
    })
    if (day !== undefined && !this.#recalled.has(day)) {
      this.#recalled.add(day)
      this.#place.writer.change('INSERT OR IGNORE INTO recalled VALUES (?)', day)
    }
    const user = leases[0]?.user
    return user === undefined ? undefined : { user, days, live }
  }

  /**
   * The user, if the unused part of that day was called back and there is an unused part again. The object of the whole Worker asks only
   * once, until it hears of that.
   */
  freedBy(day: string): string | undefined {
    return this.#recalled.has(day) && this.#freeOn(day) > 0 ? this.#own.get(day)?.user : undefined
  }

  /** The object of the whole Worker has heard of it. */
  noteHeard(day: string): void {
    if (this.#recalled.delete(day)) this.#place.writer.change('DELETE FROM recalled WHERE day = ?', day)
  }

  /** The share of the Worker's budget that a draw reached. Returns it only once. */
  takeShare(): number | undefined {
    const taken = this.#share
    this.#share = undefined
    return taken
  }

  /** Whether there is a lease that has not ended. */
  isOpen(): boolean {
    return [...this.#own.values()].some(({ isOpen }) => isOpen === 1)
  }

  /** Whether no lease is remembered or under way. */
  isForgotten(): boolean {
    return this.#own.size === 0 && this.#drawing === undefined
  }

  /** Whether that day's money is leased. */
  has(day: string): boolean {
    return this.#own.has(day)
  }

  #freeOn(day: string): number {
    return (this.#own.get(day)?.amount ?? 0) - this.#place.use.used(day)
  }

  #covers(day: string, cost: number): boolean {
    return this.#own.get(day)?.isOpen === 1 && this.#freeOn(day) >= cost
  }

  #keep(lease: Own): void {
    this.#own.set(lease.day, lease)
    this.#place.writer.change(
      'INSERT OR REPLACE INTO lease VALUES (?, ?, ?, ?, ?)',
      ...[lease.day, lease.user, lease.amount, lease.elsewhere, lease.isOpen],
    )
  }

  #forget(day: string): void {
    this.#own.delete(day)
    this.noteHeard(day)
    this.#place.writer.change('DELETE FROM lease WHERE day = ?', day)
  }
}
