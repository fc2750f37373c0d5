/** Formats the accounts of the Worker for the operator: plain data in, plain data out. */

/**
 * The figures of the Worker's accounts, as in `src/worker/accounts/accounts.ts`. Money is in micro-USD, days are UTC.
 *
 * @typedef {{ requestId: string, user: string, model: string, wire: string, startedAt: number }} LiveRow
 * @typedef {{ requests: number, inputTokens: number, outputTokens: number, spent: number }} Sums
 * @typedef {Sums & { day: string }} DayTotal
 * @typedef {{ by: string, span: number, rows: (Sums & { name: string[] })[], count: number }} Usage
 * @typedef {{ day: string, kind: string, count: number }} ErrorRow
 * @typedef {{ dailyBudget: number, totalDailyBudget: number, liveStreams: number }} Limits
 * @typedef {{ live: LiveRow[], liveCount: number, totals: DayTotal[], usage: Usage, errors: ErrorRow[], refusals?: ErrorRow[], limits: Limits }} Summary
 */

const dayMs = 86_400_000

/**
 * The last days, oldest first, up to and including the day of `now`: `2026-11-21`.
 *
 * @param {number} count
 * @param {number} now
 */
export function lastDays(count, now) {
  return Array.from({ length: count }, (_, at) => new Date(now - (count - 1 - at) * dayMs).toISOString().slice(0, 10))
}

/**
 * The sums of one day: zeros if there were no requests on it.
 *
 * @param {readonly DayTotal[]} totals
 * @param {string} day
 * @returns {Sums}
 */
export function sumsOf(totals, day) {
  return totals.find((total) => total.day === day) ?? { requests: 0, inputTokens: 0, outputTokens: 0, spent: 0 }
}

/**
 * The number of errors of each kind, the most frequent kind first.
 *
 * @param {readonly ErrorRow[]} rows
 */
export function countErrors(rows) {
  /** @type {Map<string, number>} */
  const counts = new Map()
  for (const { kind, count } of rows) counts.set(kind, (counts.get(kind) ?? 0) + count)
  return [...counts].map(([kind, count]) => ({ kind, count })).sort((one, other) => other.count - one.count)
}

const counting = new Intl.NumberFormat('en')
const brief = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** @param {number} count */
export const writeCount = (count) => counting.format(count)
/** Such as `1.2M`. @param {number} count */
export const writeBrief = (count) => brief.format(count)

/**
 * Micro-USD as dollars; amounts below a dollar have four digits after the decimal point.
 *
 * @param {number} microUsd
 */
export function writeMoney(microUsd) {
  const digits = Math.abs(microUsd) < 1e6 && microUsd !== 0 ? 4 : 2
  const style = { style: 'currency', currency: 'USD', minimumFractionDigits: digits, maximumFractionDigits: digits }
  return new Intl.NumberFormat('en', /** @type {Intl.NumberFormatOptions} */ (style)).format(microUsd / 1e6)
}

/** The time since an event, such as `1 min 5 s`. @param {number} ms */
export function writeAge(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
