/** Decides whether a request is sent again, and when. @module */
import { ApiError, ConnectionError } from '../core/errors.ts'

/** How often a request is retried, and when that is safe. */
export interface RetryOptions {
  /** The highest number of retries of a request. Default 2. */
  readonly retries?: number
  /**
   * Sent as `Idempotency-Key`. With it, isoglot also retries failures after which the provider may have done the work. Without it, isoglot
   * retries only if the provider refused because of load. The first request of a run has this key. The keys of later requests start with it.
   */
  readonly idempotencyKey?: string
}

/** Statuses with which a provider refuses a request before any work. */
const refusals: ReadonlySet<number> = new Set([429, 503, 529])
/** The longest wait that isoglot accepts from a provider. If the wait is longer, the caller gets the error, which has the wait. */
const longestWaitMs = 60_000
const firstBackoffMs = 500
const longestBackoffMs = 8_000

/** How long to wait before the next attempt, in milliseconds; `undefined` for no further attempt. `hasKey`: it has an idempotency key. */
export function retryDelayMs(
  error: unknown,
  attempt: number,
  retries: number | undefined,
  hasKey: boolean,
): number | undefined {
  if (attempt >= (retries ?? 2) || !isSafe(error, hasKey)) return undefined
  const asked = error instanceof ApiError ? error.retryAfterMs : undefined
  if (asked === undefined) return backoffMs(attempt)
  return asked <= longestWaitMs ? asked : undefined
}

/** A wait that grows with each attempt, with full jitter. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(longestBackoffMs, firstBackoffMs * 2 ** attempt)
}

function isSafe(error: unknown, hasKey: boolean): boolean {
  if (error instanceof ConnectionError) return hasKey
  if (!(error instanceof ApiError) || !error.retryable) return false
  if (hasKey) return true
  return error.status === undefined
    ? error.kind === 'overloaded' || error.kind === 'rate_limit'
    : refusals.has(error.status)
}
