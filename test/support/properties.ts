/** Properties of thousands of values, in the time that their checks take. */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect } from 'vitest'

/** Expects that a property holds. Without an `expect` in the property: one for each of thousands of values takes longer than what it checks. */
export function expectHolds<Values>(property: fc.IProperty<Values>, parameters: fc.Parameters<Values>): void {
  const details = fc.check(property, parameters)
  expect(details.failed, fc.defaultReportMessage(details)).toBe(false)
}

/** Throws unless two values are equal; says how they differ. */
export function checkSame(actual: unknown, expected: unknown, where?: string): void {
  if (JSON.stringify(actual) === JSON.stringify(expected) || isDeepStrictEqual(actual, expected)) return
  expect(actual, where).toEqual(expected)
}

/** Throws if something was found. */
export function checkNone(found: readonly unknown[] | undefined): void {
  if (found?.length !== 0) expect(found).toEqual([])
}
