/** A clock that knows "never". @module */

/** The longest that `setTimeout` can wait, in milliseconds; it fires at once when asked for more. */
const longestMs = 2 ** 31 - 1

/** Does it after so many milliseconds, unless it is stopped before. Longer than 24 days, `Infinity` for one, is never. */
export function after(ms: number, action: () => void): { stop(): void } {
  if (ms > longestMs) return { stop: () => {} }
  const timer = setTimeout(action, ms)
  return { stop: () => clearTimeout(timer) }
}
