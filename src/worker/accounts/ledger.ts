/**
 * The accounts: what each user, and the Worker as a whole, may still spend today. Money is reserved before a request goes out and settled
 * when it has ended, each in one step that no other request comes between: a Durable Object does one thing at a time.
 *
 * @see https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ (read 2026-11)
 * @module
 */
import { DurableObject, type ObjectState, type Sql, type SqlValue } from '../platform.ts'
import {
  type Account,
  type AccountSummary,
  alarmingShares,
  type DayPage,
  keptDays,
  type LiveRequest,
  mostRows,
  type Reservation,
  type ReserveVerdict,
  refusedKind,
  type Settlement,
  type SummaryQuery,
} from './accounts.ts'
import { dayMs, dayOf, daysAgo } from './days.ts'
import { type LedgerView, openView } from './view.ts'

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

/** Largest figure of one request: millions of them still fit into an INTEGER of SQLite. */
const largestFigure = 1e12
/** When one of too many requests may have ended, in seconds. */
const concurrencyWait = 5
/** Longest wait we tell anybody, in seconds: clients sleep for as long. */
const longestWait = 60

/**
 * How long a change waits for others, in ms, to be written with them. Each writing waits for the disk, or for Cloudflare's other places; of
 * many requests at once every one would wait for all before it.
 */
const gatheringMs = 1

type Live = LiveRequest & { readonly cost: number; readonly expiresAt: number }

/** What a day has cost so far. */
interface Spent {
  readonly day: string
  total: number
  readonly byUser: Map<string, number>
}

/**
 * The accounts of all users in one object, since what all of them spend has to be looked at for each request anyway. What decides is kept in
 * memory beside the storage, and read from there when the object begins: otherwise each request would read all rows of the day.
 */
export class UserLedger extends DurableObject implements Account {
  readonly #sql: Sql
  readonly #live: Map<string, Live>
  /** The days that requests which are live, or were just now, are booked on: today is the last. */
  #days = new Map<string, Spent>()
  /** What the operator sees of it. */
  readonly #view: LedgerView
  /** What is in memory already, and not in the storage yet. */
  #writes: (() => void)[] = []
  /** How often a request was refused, by day and reason, since the last writing. */
  readonly #refused = new Map<string, number>()
  /** Resolves when it is. */
  #written: Promise<void> | undefined

  constructor(ctx: ObjectState, env: unknown) {
    super(ctx, env)
    this.#sql = ctx.storage.sql
    this.#sql.exec(schema)
    this.#view = openView(this.#sql)
    this.#live = new Map(this.#all<Live>('SELECT * FROM live').map((live) => [live.requestId, live]))
    this.#begin(dayOf(Date.now()))
  }

  /**
   * Sets aside what a request can cost, if it and all others together stay within the day's budgets. That is decided in one step, and told
   * when it is safe in the storage.
   */
  async reserve(reservation: Reservation): Promise<ReserveVerdict> {
    const verdict = this.#reserve(reservation, Date.now())
    if (verdict.ok) await this.#write()
    return verdict
  }

  /**
   * Puts what a request did cost in the place of what was reserved. What is not reserved any more has been counted. Tells which of the
   * alarming shares of the whole budget the day has reached by it.
   */
  async settle(settlement: Settlement): Promise<number | undefined> {
    const share = this.#settle(settlement)
    await this.#write()
    return share
  }

  async summary(query: SummaryQuery = {}): Promise<AccountSummary> {
    const now = await this.#catchUp()
    return this.#view.summary(query, now, this.#live.size)
  }

  /** For an export: no sums are made. */
  async page(span: number, after?: string): Promise<DayPage> {
    return this.#view.page(daysAgo(span, await this.#catchUp()), mostRows, after)
  }

  /** Everything in memory is written, and nothing is live that has ended. Resolves to the time of it. */
  async #catchUp(): Promise<number> {
    const now = Date.now()
    this.#expire(now)
    await this.#write()
    return now
  }

  #reserve(reservation: Reservation, now: number): ReserveVerdict {
    this.#expire(now)
    const { requestId, user, model, wire, provider, leaseMs } = reservation
    // A cost that is no number is more than anybody has.
    const cost = wholeNumber(reservation.cost, Number.POSITIVE_INFINITY)
    const { liveStreams = Number.POSITIVE_INFINITY, dailyBudget, totalDailyBudget } = reservation
    if (this.#live.has(requestId)) return { ok: true }
    const { own, all, count } = this.#reserved(user)
    if (count >= liveStreams) return this.#refuse(now, 'concurrency', concurrencyWait)
    const { byUser, total } = this.#spentOn(dayOf(now))
    if ((byUser.get(user) ?? 0) + own + cost > dailyBudget || total + all + cost > totalDailyBudget) {
      return this.#refuse(now, 'budget', Math.min(longestWait, secondsLeftOfDay(now)))
    }
    const expiresAt = now + leaseMs
    this.#live.set(requestId, { requestId, user, model, wire, cost, startedAt: now, expiresAt })
    this.#change(
      'INSERT INTO live VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...[requestId, user, model, wire, provider, cost, now, expiresAt],
    )
    return { ok: true }
  }

  /** Counted in memory until something else is written: a refusal costs no writing of its own. */
  #refuse(now: number, reason: 'budget' | 'concurrency', retryAfterSeconds: number): ReserveVerdict {
    const key = JSON.stringify([dayOf(now), refusedKind + reason])
    this.#refused.set(key, (this.#refused.get(key) ?? 0) + 1)
    return { ok: false, reason, retryAfterSeconds }
  }

  #bookRefusals(): void {
    for (const [key, count] of this.#refused) this.#countError(...(JSON.parse(key) as [string, string]), count)
    this.#refused.clear()
  }

  #countError(day: string, kind: string, count: number): void {
    const query = 'INSERT INTO errors VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count'
    this.#change(query, day, kind, count)
  }

  /** Each figure becomes a whole number first: one that the storage refuses would undo all that is written with it. */
  #settle({ requestId, totalDailyBudget = Number.POSITIVE_INFINITY, ...told }: Settlement): number | undefined {
    const live = this.#live.get(requestId)
    if (live === undefined) return undefined
    const settlement = {
      ...told,
      inputTokens: wholeNumber(told.inputTokens, 0),
      outputTokens: wholeNumber(told.outputTokens, 0),
      cost: wholeNumber(told.cost, live.cost),
    }
    const spent = this.#spentOn(dayOf(live.startedAt))
    const before = spent.total
    this.#live.delete(requestId)
    addTo(spent, live.user, settlement.cost)
    this.#change('DELETE FROM live WHERE requestId = ?', requestId)
    this.#book(live, spent.day, settlement)
    const reached = alarmingShares.filter(
      (share) => before < totalDailyBudget * (share / 100) && spent.total >= totalDailyBudget * (share / 100),
    )
    return reached.at(-1)
  }

  /** Notes a change that is made in memory, for the next writing. */
  #change(query: string, ...values: SqlValue[]): void {
    this.#writes.push(() => this.#sql.exec(query, ...values))
  }

  /** Writes all changes together, all or none. An object whose storage fails ends: the next one knows what the storage knows. */
  #write(): Promise<void> {
    this.#bookRefusals()
    if (this.#writes.length === 0) return Promise.resolve()
    this.#written ??= new Promise((resolve, reject) => {
      setTimeout(() => {
        const writes = this.#writes
        this.#writes = []
        this.#written = undefined
        try {
          this.ctx.storage.transactionSync(() => {
            for (const write of writes) write()
          })
          resolve()
        } catch (error) {
          reject(error)
          this.ctx.abort('The accounts cannot be written')
        }
      }, gatheringMs)
    })
    return this.#written
  }

  /** What nobody settled counts as spent, in full. */
  #expire(now: number): void {
    if (!this.#days.has(dayOf(now))) this.#begin(dayOf(now))
    for (const { requestId, cost, expiresAt } of this.#live.values()) {
      if (expiresAt > now) continue
      this.#settle({ requestId, cost, inputTokens: 0, outputTokens: 0, outcome: 'unsettled', errorKind: 'unsettled' })
    }
  }

  /** A day begins: those that are too old are forgotten. */
  #begin(day: string): void {
    const oldest = dayOf(Date.parse(day) - keptDays * dayMs)
    this.#sql.exec('DELETE FROM days WHERE day < ?', oldest)
    this.#sql.exec('DELETE FROM errors WHERE day < ?', oldest)
    this.#days = new Map([...this.#days].slice(-1))
    this.#view.forget(oldest)
    this.#spentOn(day)
  }

  #spentOn(day: string): Spent {
    const spent = this.#days.get(day) ?? this.#read(day)
    this.#days.set(day, spent)
    return spent
  }

  #read(day: string): Spent {
    const spent: Spent = { day, total: 0, byUser: new Map() }
    const query = 'SELECT user, sum(spent) AS cost FROM days WHERE day = ? GROUP BY user'
    for (const { user, cost } of this.#all<{ user: string; cost: number }>(query, day)) addTo(spent, user, cost)
    return spent
  }

  /** What is set aside, for a user and for all of them. */
  #reserved(user: string): { readonly own: number; readonly all: number; readonly count: number } {
    let [own, all, count] = [0, 0, 0]
    for (const live of this.#live.values()) {
      all += live.cost
      if (live.user !== user) continue
      own += live.cost
      count++
    }
    return { own, all, count }
  }

  #book(
    { user, model }: Live,
    day: string,
    { inputTokens, outputTokens, cost, errorKind }: Omit<Settlement, 'requestId'>,
  ): void {
    this.#change(
      `INSERT INTO days VALUES (?, ?, ?, 1, ?, ?, ?) ON CONFLICT DO UPDATE SET requests = requests + 1,
       inputTokens = inputTokens + excluded.inputTokens, outputTokens = outputTokens + excluded.outputTokens, spent = spent + excluded.spent`,
      ...[day, user, model, inputTokens, outputTokens, cost],
    )
    if (errorKind !== undefined) this.#countError(day, errorKind, 1)
  }

  #all<Row>(query: string, ...values: SqlValue[]): Row[] {
    return this.#sql.exec(query, ...values).toArray() as Row[]
  }
}

function addTo(spent: Spent, user: string, cost: number): void {
  spent.total += cost
  spent.byUser.set(user, (spent.byUser.get(user) ?? 0) + cost)
}

/** From 0 to {@link largestFigure}; of a figure that is no number, `otherwise`. */
function wholeNumber(figure: number, otherwise: number): number {
  if (typeof figure !== 'number' || Number.isNaN(figure)) return otherwise
  return Math.min(Math.max(Math.ceil(figure), 0), largestFigure)
}

function secondsLeftOfDay(now: number): number {
  return Math.ceil((dayMs - (now % dayMs)) / 1000)
}
