/**
 * The accounts: what each user, and the Worker as a whole, may still spend today. Money is reserved before a request goes out and settled
 * when it has ended.
 *
 * @see https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/ (read 2026-11)
 * @module
 */
import { DurableObject } from 'cloudflare:workers'
import type { Env } from './config.ts'

/** What the operator sees of an account. Money is in micro-USD. */
export interface LedgerSummary {
  readonly live: readonly LiveRequest[]
  readonly days: readonly DayRow[]
  readonly errors: readonly { readonly day: string; readonly kind: string; readonly count: number }[]
  readonly limits: { readonly dailyBudget: number; readonly totalDailyBudget: number; readonly liveStreams: number }
}

/** A request that has not ended. */
export interface LiveRequest {
  readonly requestId: string
  readonly user: string
  readonly model: string
  readonly wire: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
}

/** What one user spent on one model in one day. */
export interface DayRow {
  /** In UTC, such as `2026-11-21`. */
  readonly day: string
  readonly user: string
  readonly model: string
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** In micro-USD. */
  readonly spent: number
}

/** One account: of a user, by the name `user:<sub>`, or of the whole Worker, by the name `all`. */
export class UserLedger extends DurableObject<Env> {}

/** The name of the account of the whole Worker; a user's is `user:` and the id. */
export const wholeWorker = 'all'
