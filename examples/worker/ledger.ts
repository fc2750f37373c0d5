/**
 * The accounts: what each user, and the Worker as a whole, may still spend today. Money is reserved before a request goes out and settled
 * when it has ended, each in one step that no other request comes between: a Durable Object does one thing at a time.
 *
 * @see https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ (read 2026-11)
 * @module
 */
import { DurableObject } from 'cloudflare:workers'
import {
  type Account,
  alarmingShares,
  type DayRow,
  type LedgerSummary,
  type LiveRequest,
  type Reservation,
  type ReserveVerdict,
  type Settlement,
} from './accounts.ts'
import { type Env, readConfig } from './config.ts'

export * from './accounts.ts'

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

/** How long days are kept. */
const keptDays = 90
const dayMs = 24 * 60 * 60 * 1000
/** When one of too many requests may have ended, in seconds. */
const concurrencyWait = 5
/** Longest wait we tell anybody, in seconds: clients sleep for as long. */
const longestWait = 60

/** What callers await, from the inside. */
type Kept<T> = {
  [Name in keyof T]: T[Name] extends (...given: infer Given) => Promise<infer Got> ? (...given: Given) => Got : never
}
type Live = LiveRequest & { readonly cost: number }

/** One account: of a user, or of the whole Worker. */
export class UserLedger extends DurableObject<Env> implements Kept<Account> {
  readonly #sql: SqlStorage

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#sql = ctx.storage.sql
    this.#sql.exec(schema)
  }

  /** Sets aside what a request can cost, if it and all others together stay within the day's budget. */
  reserve(reservation: Reservation): ReserveVerdict {
    const now = Date.now()
    this.#expire(now)
    const { live, reserved } = this.#one<{ live: number; reserved: number }>(
      'SELECT count(*) AS live, coalesce(sum(cost), 0) AS reserved FROM live',
    )
    if (live >= (reservation.liveStreams ?? Number.POSITIVE_INFINITY)) {
      return { ok: false, reason: 'concurrency', retryAfterSeconds: concurrencyWait }
    }
    if (this.#spentOn(dayOf(now)) + reserved + reservation.cost > reservation.dailyBudget) {
      return { ok: false, reason: 'budget', retryAfterSeconds: Math.min(longestWait, secondsLeftOfDay(now)) }
    }
    const { requestId, user, model, wire, provider, cost, leaseMs } = reservation
    this.#sql.exec(
      'INSERT OR IGNORE INTO live VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      ...[requestId, user, model, wire, provider, cost, now, now + leaseMs],
    )
    return { ok: true }
  }

  /**
   * Puts what a request did cost in the place of what was reserved. What is not reserved any more has been counted. Tells which of the
   * alarming shares of the budget the day has reached by it.
   */
  settle({ requestId, dailyBudget = Number.POSITIVE_INFINITY, ...settlement }: Settlement): number | undefined {
    const live = this.#take(requestId)
    if (live === undefined) return undefined
    const day = dayOf(live.startedAt)
    const before = this.#spentOn(day)
    this.#book(live, settlement)
    const after = before + settlement.cost
    return alarmingShares.findLast(
      (share) => before < dailyBudget * (share / 100) && after >= dailyBudget * (share / 100),
    )
  }

  /** Forgets a reservation that came to nothing. */
  release(requestId: string): void {
    this.#take(requestId)
  }

  /** What the operator sees. */
  summary(): LedgerSummary {
    this.#expire(Date.now())
    const config = readConfig(this.env)
    const { dailyBudget, totalDailyBudget, liveStreams } = 'models' in config ? config.spending : noLimits
    return {
      live: this.#all<LiveRequest>('SELECT requestId, user, model, wire, startedAt FROM live ORDER BY startedAt'),
      days: this.#all<DayRow>('SELECT * FROM days ORDER BY day, user, model'),
      errors: this.#all('SELECT * FROM errors ORDER BY day, kind'),
      limits: { dailyBudget, totalDailyBudget, liveStreams },
    }
  }

  /** What nobody settled counts as spent, in full. */
  #expire(now: number): void {
    for (const { requestId, cost } of this.#all<Live>('SELECT * FROM live WHERE expiresAt <= ?', now)) {
      this.settle({ requestId, cost, inputTokens: 0, outputTokens: 0, outcome: 'unsettled', errorKind: 'unsettled' })
    }
    const oldest = dayOf(now - keptDays * dayMs)
    this.#sql.exec('DELETE FROM days WHERE day < ?', oldest)
    this.#sql.exec('DELETE FROM errors WHERE day < ?', oldest)
  }

  #spentOn(day: string): number {
    return this.#one<{ spent: number }>('SELECT coalesce(sum(spent), 0) AS spent FROM days WHERE day = ?', day).spent
  }

  #take(requestId: string): Live | undefined {
    return this.#all<Live>('DELETE FROM live WHERE requestId = ? RETURNING *', requestId)[0]
  }

  #book(
    { user, model, startedAt }: Live,
    { inputTokens, outputTokens, cost, errorKind }: Omit<Settlement, 'requestId'>,
  ): void {
    const day = dayOf(startedAt)
    this.#sql.exec(
      `INSERT INTO days VALUES (?, ?, ?, 1, ?, ?, ?) ON CONFLICT DO UPDATE SET requests = requests + 1,
       inputTokens = inputTokens + excluded.inputTokens, outputTokens = outputTokens + excluded.outputTokens, spent = spent + excluded.spent`,
      ...[day, user, model, inputTokens, outputTokens, cost],
    )
    if (errorKind === undefined) return
    this.#sql.exec('INSERT INTO errors VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1', day, errorKind)
  }

  #all<Row>(query: string, ...values: SqlStorageValue[]): Row[] {
    return this.#sql.exec(query, ...values).toArray() as Row[]
  }

  #one<Row>(query: string, ...values: SqlStorageValue[]): Row {
    return this.#sql.exec(query, ...values).one() as Row
  }
}

const noLimits = { dailyBudget: 0, totalDailyBudget: 0, liveStreams: 0 }

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

function secondsLeftOfDay(now: number): number {
  return Math.ceil((dayMs - (now % dayMs)) / 1000)
}
