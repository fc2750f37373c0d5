/** The data of the accounts, and their methods. Types and names only, so that their readers need no workerd. @module */

/** The name of the object that has the budget of the whole Worker. */
export const wholeWorker = 'all'

/** The name of the object that has the account of one user. */
export function accountOf(user: string): string {
  return `user:${user}`
}

/** Which part of the accounts the operator asks for. */
export interface SummaryQuery {
  /** The key that groups {@link AccountSummary.usage}; `all` groups by user, model and day. Default `user`. */
  readonly by?: SummaryKey
  /** The number of days that `usage` covers, up to and including today. Default 7, at most 90. */
  readonly span?: number
  /** The maximum number of rows in `days` and in `usage`. Default and upper limit: 1000. */
  readonly limit?: number
  /** `next` of the previous page of `days`. */
  readonly after?: string
}

/** The keys that can group rows of days. */
export type SummaryKey = 'user' | 'model' | 'day' | 'all'

/** The summary of the accounts. Money is in micro-USD. No list grows with the number of users: each has a limit. */
export interface AccountSummary {
  /** The oldest requests that have not ended, at most 200. */
  readonly live: readonly LiveRequest[]
  /** The number of requests that have not ended. */
  readonly liveCount: number
  /**
   * The number of users' objects that did not report for this summary: it asks at most 500, in turns. Their figures are from their last
   * report.
   */
  readonly unheard: number
  /** The stored rows, newest day first, at most {@link SummaryQuery.limit}. */
  readonly days: readonly DayRow[]
  /** Pass this as `after` to read the rows that follow. Absent on the last page. */
  readonly next?: string
  /** One row for each of the last days that have costs, oldest first. Covers 14 days, or the span if that is longer. */
  readonly totals: readonly DayTotal[]
  /** The days of the span, summed, the most expensive first. */
  readonly usage: {
    readonly by: SummaryKey
    readonly span: number
    readonly rows: readonly (Sums & { readonly name: readonly string[] })[]
    /** The number of rows without the limit. */
    readonly count: number
  }
  /** Errors by kind, on the same days as `totals`. */
  readonly errors: readonly KindCount[]
  /** Requests that the accounts refused on the same days, because of `budget` or `concurrency`. */
  readonly refusals: readonly KindCount[]
}

/** The operator's view of the accounts: the summary, and the limits in force. */
export interface OperatorSummary extends AccountSummary {
  readonly limits: { readonly dailyBudget: number; readonly totalDailyBudget: number; readonly liveStreams: number }
}

/** The number of times that something happened on one day. */
export interface KindCount {
  readonly day: string
  readonly kind: string
  readonly count: number
}

/** The total cost of requests. */
export interface Sums {
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** In micro-USD. */
  readonly spent: number
}

/** The spending of all users on one day. */
export interface DayTotal extends Sums {
  readonly day: string
}

/** The start of the error kinds that stand for refusals. */
export const refusedKind = 'refused: '
/** The largest {@link SummaryQuery.limit}, and its default. */
export const mostRows = 1000
/** The number of days that rows are kept, and the largest {@link SummaryQuery.span}. */
export const keptDays = 90

/** A request that has not ended. */
export interface LiveRequest {
  readonly requestId: string
  readonly user: string
  readonly model: string
  readonly wire: string
  /** Milliseconds since 1970. */
  readonly startedAt: number
}

/** A page of rows of days. */
export interface DayPage {
  readonly rows: readonly DayRow[]
  /** Pass this as `after` to read the rows that follow. Absent on the last page. */
  readonly next?: string
}

/** The spending of one user on one model in one day. */
export interface DayRow extends Sums {
  /** In UTC, such as `2026-11-21`. */
  readonly day: string
  readonly user: string
  readonly model: string
}

/** A request for a reservation, before a request is sent to a provider. */
export interface Reservation {
  readonly requestId: string
  readonly user: string
  readonly model: string
  readonly wire: string
  readonly provider: string
  /** The highest possible cost, in micro-USD. */
  readonly cost: number
  /** The daily budget of its user, in micro-USD. */
  readonly dailyBudget: number
  /** The daily budget of all users together. */
  readonly totalDailyBudget: number
  /** The maximum number of concurrent requests of its user. Default: no limit. */
  readonly liveStreams?: number
  /** Lifetime of an unsettled reservation, in ms. After that, it counts as spent. */
  readonly leaseMs: number
  /** Whether the object belongs to this user only, and leases its part of `totalDailyBudget` from the object of `wholeWorker`. */
  readonly isLeased?: boolean
}

/** Whether the request may be sent; otherwise, why not. */
export type ReserveVerdict =
  | { readonly ok: true }
  | {
      readonly ok: false
      readonly reason: 'budget' | 'concurrency'
      /** Whether it is a limit of the user, or of the whole Worker. Absent: unknown. */
      readonly isOfUser?: boolean
      readonly retryAfterSeconds: number
    }

/** The actual cost and the outcome of a request that has ended. */
export interface Settlement {
  readonly requestId: string
  readonly inputTokens: number
  readonly outputTokens: number
  /** In micro-USD. */
  readonly cost: number
  /** Such as `answered` or `left` (the client disconnected). */
  readonly outcome: string
  /** The kind of the error, if there was one. */
  readonly errorKind?: string
  /** The daily budget of all users together, in micro-USD, if alarms are wanted. */
  readonly totalDailyBudget?: number
}

/** Shares of a day's budget, in percent, that raise an alarm. */
export const alarmingShares: readonly number[] = [50, 80, 95]

/** The methods of one account: a Durable Object that the Worker calls. */
export interface Account {
  reserve(reservation: Reservation): Promise<ReserveVerdict>
  /** Returns the highest share of 50, 80 and 95 % that the day's budget has just reached, if any. */
  settle(settlement: Settlement): Promise<number | undefined>
  summary(query?: SummaryQuery): Promise<AccountSummary>
  /** The rows of the last `span` days, newest first, at most 1000 at a time. `after` is the `next` of the previous page. */
  page(span: number, after?: string): Promise<DayPage>
}

/** All accounts, such as the binding `ACCOUNTS`. */
export interface Accounts {
  getByName(name: string): Account
}

/** A user's object asks for a part of the Worker's budget of a day. Money is in micro-USD. */
export interface Draw {
  readonly user: string
  readonly day: string
  /** The smallest useful amount. */
  readonly need: number
  /** The largest amount that its user could spend. */
  readonly want: number
  readonly totalDailyBudget: number
  readonly report: DayReport
}

/** The lease that a user's object gets. */
export interface LeaseGrant {
  readonly isGranted: boolean
  /** In micro-USD. From `need` to `want` if it is granted, otherwise 0. */
  readonly amount: number
  /**
   * The amount that the object of `wholeWorker` itself has spent or reserved for the user on that day. Before an upgrade, all amounts were
   * there.
   */
  readonly elsewhere: number
  /** Set if this lease made the Worker's spent or leased amount reach one of the {@link alarmingShares}. */
  readonly share?: number
}

/** The total spending of one user on one day. Each report replaces the previous one. */
export interface DayReport {
  readonly day: string
  readonly rows: readonly ModelSums[]
  /** The number of failures and refusals, by kind. */
  readonly errors: readonly { readonly kind: string; readonly count: number }[]
}

/** The spending of one user on one model. */
export interface ModelSums extends Sums {
  readonly model: string
}

/** The report of a user's object, and the part of its leases that it gives back. */
export interface Handback {
  readonly user: string
  readonly days: readonly {
    readonly report: DayReport
    /** In micro-USD. */
    readonly returned: number
    /** The leased amount that remains. It is less than the granted amount if a grant is still on its way or was lost. */
    readonly amount: number
    /** Whether the lease has no open request and gets none before the next grant. */
    readonly isClosed: boolean
  }[]
  readonly live: readonly LiveRequest[]
}

/** The calls between the objects of the accounts. */
export interface LeasingAccount extends Account {
  /** Called on the object of `wholeWorker`. */
  draw(draw: Draw): Promise<LeaseGrant>
  /** Also called there: returns a part of a lease that a user's object gives back on its own initiative. */
  takeBack(handback: Handback): Promise<void>
  /** Also called there: a user's object that was asked for the unused part of `day` has an unused part again. */
  freed(user: string, day: string): Promise<void>
  /** Called on a user's object: returns its spending. Gives back the unused part of `day`, if a day is given. */
  collect(day?: string): Promise<Handback | undefined>
}
