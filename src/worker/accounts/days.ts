/** Days of the accounts: each begins at midnight UTC. @module */

export const dayMs: number = 24 * 60 * 60 * 1000

/** The last day that was asked for. An account asks for today a dozen times a request, and a `Date` for each took 3 % of it. */
let last = { start: Number.NaN, day: '' }

/** Such as `2026-11-21`. */
export function dayOf(at: number): string {
  const start = Math.floor(at / dayMs)
  if (start !== last.start) last = { start, day: new Date(at).toISOString().slice(0, 10) }
  return last.day
}

/** The first day of a span of this many days that ends today. */
export function daysAgo(days: number, now: number): string {
  return dayOf(now - (days - 1) * dayMs)
}
