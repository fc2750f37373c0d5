/** What the accounts keep, and how they are asked. Types and names only, so that whoever reads them needs no workerd. @module */

/** The name of the object that has the accounts of all users. */
export const wholeWorker = 'all'

/** What the operator sees of the accounts. Money is in micro-USD. */
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

/** A request that wants to go out. */
export interface Reservation {
  readonly requestId: string
  readonly user: string
  readonly model: string
  readonly wire: string
  readonly provider: string
  /** The most it can cost, in micro-USD. */
  readonly cost: number
  /** What its user may spend in a day, in micro-USD. */
  readonly dailyBudget: number
  /** What all users together may. */
  readonly totalDailyBudget: number
  /** How many requests of its user may be live at once. Default: any number. */
  readonly liveStreams?: number
  /** For how long it is kept if nothing settles it, in ms; then it counts as spent. */
  readonly leaseMs: number
}

/** Whether it may. */
export type ReserveVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: 'budget' | 'concurrency'; readonly retryAfterSeconds: number }

/** How a request ended. */
export interface Settlement {
  readonly requestId: string
  readonly inputTokens: number
  readonly outputTokens: number
  /** In micro-USD. */
  readonly cost: number
  /** Such as `answered` or `left`. */
  readonly outcome: string
  /** What went wrong, in a word, if something did. */
  readonly errorKind?: string
  /** What all users together may spend in a day, in micro-USD, if somebody wants to know how near they are. */
  readonly totalDailyBudget?: number
}

/** Shares of a day's budget, in percent, that somebody wants to hear of. */
export const alarmingShares: readonly number[] = [50, 80, 95]

/** The accounts, over the wire between Worker and Durable Object. */
export interface Account {
  reserve(reservation: Reservation): Promise<ReserveVerdict>
  /** Tells which of {@link alarmingShares} was reached by it, if one was. */
  settle(settlement: Settlement): Promise<number | undefined>
  summary(): Promise<LedgerSummary>
}

/** All accounts: the `LEDGERS` binding. */
export interface Accounts {
  getByName(name: string): Account
}
