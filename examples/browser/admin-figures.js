/** The ledger's rows, summed for people: plain data in, plain data out. */

/**
 * What the Worker tells of its ledger, as in `examples/worker/ledger.ts`. Money is in micro-USD, days are UTC.
 *
 * @typedef {{ requestId: string, user: string, model: string, wire: string, startedAt: number }} LiveRow
 * @typedef {{ day: string, user: string, model: string, requests: number, inputTokens: number, outputTokens: number, spent: number }} DayRow
 * @typedef {{ day: string, kind: string, count: number }} ErrorRow
 * @typedef {{ dailyBudget: number, totalDailyBudget: number, liveStreams: number }} Limits
 * @typedef {{ live: LiveRow[], days: DayRow[], errors: ErrorRow[], limits: Limits }} Summary
 * @typedef {{ requests: number, inputTokens: number, outputTokens: number, spent: number }} Sums
 * @typedef {Sums & { name: string[] }} Group
 */

const dayMs = 86_400_000

/**
 * The last days, oldest first, up to and with the one of `now`: `2026-11-21`.
 *
 * @param {number} count
 * @param {number} now
 */
export function lastDays(count, now) {
  return Array.from({ length: count }, (_, at) => new Date(now - (count - 1 - at) * dayMs).toISOString().slice(0, 10))
}

/**
 * Rows summed by what they have in common, the most expensive first.
 *
 * @param {readonly DayRow[]} rows
 * @param {readonly ('user' | 'model' | 'day')[]} by
 * @returns {Group[]}
 */
export function groupRows(rows, by) {
  /** @type {Map<string, DayRow[]>} */
  const groups = new Map()
  for (const row of rows) {
    const key = JSON.stringify(by.map((field) => row[field]))
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  const sums = [...groups].map(([key, all]) => ({ name: /** @type {string[]} */ (JSON.parse(key)), ...sumRows(all) }))
  return sums.sort((one, other) => other.spent - one.spent || other.requests - one.requests)
}

/**
 * @param {readonly DayRow[]} rows
 * @returns {Sums}
 */
export function sumRows(rows) {
  const sum = (/** @type {keyof Sums} */ field) => rows.reduce((total, row) => total + row[field], 0)
  return {
    requests: sum('requests'),
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
    spent: sum('spent'),
  }
}

/**
 * How often each kind of error came, the most frequent first.
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
 * Micro-USD as dollars; less than a dollar keeps four digits behind the point.
 *
 * @param {number} microUsd
 */
export function writeMoney(microUsd) {
  const digits = Math.abs(microUsd) < 1e6 && microUsd !== 0 ? 4 : 2
  const style = { style: 'currency', currency: 'USD', minimumFractionDigits: digits, maximumFractionDigits: digits }
  return new Intl.NumberFormat('en', /** @type {Intl.NumberFormatOptions} */ (style)).format(microUsd / 1e6)
}

/** How long ago, such as `1 min 5 s`. @param {number} ms */
export function writeAge(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000))
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
