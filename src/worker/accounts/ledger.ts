/**
 * Spending and reservations in one object of the accounts. The sums that decide are kept in memory, and read from the storage when the
 * object starts: otherwise each request would read all rows of the day.
 *
 * @module
 */
import type { Sql, SqlValue } from '../platform.ts'
import {
  alarmingShares,
  type DayReport,
  keptDays,
  type LiveRequest,
  type ModelSums,
  type Reservation,
  type ReserveVerdict,
  refusedKind,
  type Settlement,
} from './accounts.ts'
import { dayMs, dayOf, daysAgo } from './days.ts'
import type { Writer } from './writer.ts'

const schema = `
  CREATE TABLE IF NOT EXISTS live (
    requestId TEXT PRIMARY KEY, user TEXT NOT NULL, model TEXT NOT NULL, wire TEXT NOT NULL, provider TEXT NOT NULL,
    cost INTEGER NOT NULL, startedAt INTEGER NOT NULL, expiresAt INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS days (
    day TEXT NOT NULL, user TEXT NOT NULL, model TEXT NOT NULL, requests INTEGER NOT NULL,
    inputTokens INTEGER NOT NULL, outputTokens INTEGER NOT NULL, spent INTEGER NOT NULL, PRIMARY KEY (day, user, model)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS errors (
    day TEXT NOT NULL, kind TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (day, kind)
  ) STRICT;`

/** The largest figure of one request: the sum of millions of them still fits into an INTEGER of SQLite. */
const largestFigure = 1e12
/** `retry-after` for a user with too many concurrent requests, in seconds. */
const concurrencyWait = 5
/** The longest `retry-after`, in seconds: clients sleep for that long. */
const longestWait = 60
/** The number of days whose sums are kept in memory: a live request may be booked on the previous day. */
const rememberedDays = 2

/** A request that has a reservation or waits for one. */
export interface LiveReservation extends LiveRequest {
  readonly provider: string
  readonly cost: number
  readonly expiresAt: number
}

/** The spending of a day so far. */
interface Spent {
  readonly day: string
  total: number
  readonly byUser: Map<string, number>
}

/** The limits of a request. Money in micro-USD. */
export interface Budgets extends Pick<Reservation, 'dailyBudget' | 'totalDailyBudget' | 'liveStreams'> {
  readonly elsewhere: number
  readonly leased: number
}

/** The functions that the ledger calls on a change. */
export interface LedgerListeners {
  /** A new day begins. Days before `oldest` are deleted. */
  hearOfDay(oldest: string, now: number): void
  /** A cost is booked. */
  hearOfCost(day: string, user: string, added: ModelSums): void
}

/** The spending and the reservations that are stored in `sql`. Sums in micro-USD. */
export class Ledger {
  readonly #sql: Sql
  readonly #writer: Writer
  readonly #listeners: LedgerListeners
  /** Requests that have not ended, by their ids. */
  readonly #live: Map<string, LiveReservation>
  /** Requests that wait for a lease. */
  readonly #waiting = new Set<LiveReservation>()
  /** The spending of the remembered days. */
  readonly #days = new Map<string, Spent>()
  /** The number of refusals since the last write, by day and reason. */
  readonly #refused = new Map<string, number>()
  #today = ''

  constructor(sql: Sql, writer: Writer, listeners: LedgerListeners) {
    this.#sql = sql
    this.#writer = writer
    this.#listeners = listeners
    sql.exec(schema)
    this.#live = new Map(this.#all<LiveReservation>('SELECT * FROM live').map((one) => [one.requestId, one]))
    this.#begin(Date.now())
  }

  /** Requests that have not ended. */
  get live(): ReadonlyMap<string, LiveReservation> {
    return this.#live
  }

  // ---- requests -------------------------------------------------------------------------------

  /** The request, with a cost that is a whole number or infinite. */
  requestOf(reservation: Reservation, now: number): LiveReservation {
    const { requestId, user, model, wire, provider, leaseMs } = reservation
    // A cost that is not a number counts as more than any budget.
    const cost = wholeNumber(reservation.cost, Number.POSITIVE_INFINITY)
    return { requestId, user, model, wire, provider, cost, startedAt: now, expiresAt: now + leaseMs }
  }

  /**
   * Whether the rest of the user's budget and the rest of the total budget both cover the request. `elsewhere` is the amount that the user
   * spent in another object, `leased` the amount that other users' objects have leased.
   */
  judge(request: LiveReservation, budgets: Budgets): ReserveVerdict {
    const { user, cost, startedAt } = request
    const { liveStreams = Number.POSITIVE_INFINITY, elsewhere, leased, dailyBudget, totalDailyBudget } = budgets
    const { own, all, count } = this.#reserved(user)
    if (count >= liveStreams) return this.refuse('concurrency', startedAt, true)
    const { byUser, total } = this.#spentOn(dayOf(startedAt))
    const ofUser = (byUser.get(user) ?? 0) + elsewhere + own + cost
    const ofAll = total + leased + all + cost
    const isOver = ofUser > dailyBudget
    if (isOver || ofAll > totalDailyBudget) return this.refuse('budget', startedAt, isOver)
    return { ok: true }
  }

  /** Returns the refusal, and counts it. `isOfUser`: only this user is over a limit. The count stays in memory until the next write: a refusal causes no write. */
  refuse(reason: 'budget' | 'concurrency', now: number, isOfUser = false): ReserveVerdict {
    const key = JSON.stringify([dayOf(now), refusedKind + reason])
    this.#refused.set(key, (this.#refused.get(key) ?? 0) + 1)
    const wait = reason === 'budget' ? Math.min(longestWait, secondsLeftOfDay(now)) : concurrencyWait
    return { ok: false, reason, isOfUser, retryAfterSeconds: wait }
  }

  /** Reserves the request. */
  admit(request: LiveReservation): void {
    const { requestId, user, model, wire, provider, cost, startedAt, expiresAt } = request
    if (this.#live.has(requestId)) return
    this.#live.set(requestId, request)
    this.#writer.change(
      'INSERT INTO live VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...[requestId, user, model, wire, provider, cost, startedAt, expiresAt],
    )
  }

  /** Counts a request that waits as reserved by its user. Returns a function that ends this. */
  wait(request: LiveReservation): () => void {
    this.#waiting.add(request)
    return () => void this.#waiting.delete(request)
  }

  /**
   * Replaces the reserved amount by the actual cost. Returns the alarming share that the day has reached with it. Each figure becomes a
   * whole number first: the storage refuses other figures, and that would undo all changes of the same write.
   */
  settle(settlement: Settlement): number | undefined {
    const { requestId, totalDailyBudget = Number.POSITIVE_INFINITY, ...actual } = settlement
    const request = this.#live.get(requestId)
    if (request === undefined) return undefined
    const day = dayOf(request.startedAt)
    const before = this.#spentOn(day).total
    this.#live.delete(requestId)
    this.#writer.change('DELETE FROM live WHERE requestId = ?', requestId)
    this.book(day, request.user, {
      model: request.model,
      requests: 1,
      inputTokens: wholeNumber(actual.inputTokens, 0),
      outputTokens: wholeNumber(actual.outputTokens, 0),
      spent: wholeNumber(actual.cost, request.cost),
    })
    if (actual.errorKind !== undefined) this.countError(day, actual.errorKind, 1)
    return shareReached(before, this.#spentOn(day).total, totalDailyBudget)
  }

  /** The reserved amounts, for a user and for all users. A user's waiting requests count only for that user. */
  #reserved(user: string): { readonly own: number; readonly all: number; readonly count: number } {
    let [own, all, count] = [0, 0, 0]
    for (const request of this.#live.values()) {
      all += request.cost
      if (request.user !== user) continue
      own += request.cost
      count++
    }
    for (const { cost } of this.#waiting) own += cost
    return { own, all, count: count + this.#waiting.size }
  }

  // ---- days -----------------------------------------------------------------------------------

  /** Forgets days that are too old. Counts reservations that were never settled as spent in full. */
  catchUp(now: number): void {
    if (dayOf(now) !== this.#today) this.#begin(now)
    for (const { requestId, cost, expiresAt } of this.#live.values()) {
      if (expiresAt > now) continue
      this.settle({ requestId, cost, inputTokens: 0, outputTokens: 0, outcome: 'unsettled', errorKind: 'unsettled' })
    }
  }

  #begin(now: number): void {
    this.#today = dayOf(now)
    const oldest = dayOf(now - keptDays * dayMs)
    this.#sql.exec('DELETE FROM days WHERE day < ?', oldest)
    this.#sql.exec('DELETE FROM errors WHERE day < ?', oldest)
    for (const day of this.#days.keys()) if (day < daysAgo(rememberedDays, now)) this.#days.delete(day)
    this.#spentOn(this.#today)
    this.#listeners.hearOfDay(oldest, now)
  }

  /** The amount spent and reserved on a day. */
  used(day: string): number {
    let used = this.#spentOn(day).total
    for (const { startedAt, cost } of this.#live.values()) if (dayOf(startedAt) === day) used += cost
    return used
  }

  /** The amount spent on a day and reserved on any day, by all users or by one. */
  committed(day: string, user?: string): number {
    const { byUser, total } = this.#spentOn(day)
    const { own, all } = this.#reserved(user ?? '')
    return user === undefined ? total + all : (byUser.get(user) ?? 0) + own
  }

  book(day: string, user: string, added: ModelSums): void {
    const { model, requests, inputTokens, outputTokens, spent } = added
    addTo(this.#spentOn(day), user, spent)
    this.#listeners.hearOfCost(day, user, added)
    this.#writer.change(
      `INSERT INTO days VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET requests = requests + excluded.requests,
       inputTokens = inputTokens + excluded.inputTokens, outputTokens = outputTokens + excluded.outputTokens, spent = spent + excluded.spent`,
      ...[day, user, model, requests, inputTokens, outputTokens, spent],
    )
  }

  countError(day: string, kind: string, count: number): void {
    const query = 'INSERT INTO errors VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count'
    this.#writer.change(query, day, kind, count)
  }

  report(day: string): DayReport {
    const columns = 'model, requests, inputTokens, outputTokens, spent'
    return {
      day,
      rows: this.#all<ModelSums>(`SELECT ${columns} FROM days WHERE day = ?`, day),
      errors: this.#all('SELECT kind, count FROM errors WHERE day = ?', day),
    }
  }

  /** Writes the counts that are only in memory. */
  flush(): void {
    for (const [key, count] of this.#refused) this.countError(...(JSON.parse(key) as [string, string]), count)
    this.#refused.clear()
  }

  #spentOn(day: string): Spent {
    const known = this.#days.get(day)
    if (known !== undefined) return known
    const spent: Spent = { day, total: 0, byUser: new Map() }
    const query = 'SELECT user, sum(spent) AS cost FROM days WHERE day = ? GROUP BY user'
    for (const { user, cost } of this.#all<{ user: string; cost: number }>(query, day)) addTo(spent, user, cost)
    this.#days.set(day, spent)
    return spent
  }

  #all<Row>(query: string, ...values: SqlValue[]): Row[] {
    return this.#sql.exec(query, ...values).toArray() as Row[]
  }
}

/** The largest of the alarming shares of a budget that a sum has reached. */
export function shareReached(before: number, after: number, budget: number): number | undefined {
  return alarmingShares.filter((share) => before < budget * (share / 100) && after >= budget * (share / 100)).at(-1)
}

function addTo(spent: Spent, user: string, cost: number): void {
  spent.total += cost
  spent.byUser.set(user, (spent.byUser.get(user) ?? 0) + cost)
}

/** From 0 to {@link largestFigure}; if the figure is not a number, `otherwise`. */
function wholeNumber(figure: number, otherwise: number): number {
  if (typeof figure !== 'number' || Number.isNaN(figure)) return otherwise
  return Math.min(Math.max(Math.ceil(figure), 0), largestFigure)
}

function secondsLeftOfDay(now: number): number {
  return Math.ceil((dayMs - (now % dayMs)) / 1000)
}
