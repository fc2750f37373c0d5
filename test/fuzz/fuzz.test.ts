import { expect, it } from 'vitest'
import { fuzz } from './fuzz.ts'

/** One seed in `npm test`, so that a failure there is always the same one; `npm run fuzz` takes others. */
it('gives events or a typed error, and no call that was not sent, for 50,000 damaged streams', () => {
  const { failures, cases } = fuzz({ seed: 1, count: 50_000 })
  expect(failures).toEqual([])
  expect(cases).toBe(50_000)
}, 120_000)
