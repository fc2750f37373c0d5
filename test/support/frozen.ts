/** Kept apart from what needs vitest, since scripts read histories too. @module */

/** Freezes a value and all it holds, so that a write to it throws. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const entry of Object.values(value)) frozen(entry)
  }
  return value
}
