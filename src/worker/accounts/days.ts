/** Days of the accounts: each begins at midnight UTC. @module */

export const dayMs: number = 24 * 60 * 60 * 1000

/** Such as `2026-11-21`. */
export function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}

/** The first day of a span of this many days that ends today. */
export function daysAgo(days: number, now: number): string {
  return dayOf(now - (days - 1) * dayMs)
}
