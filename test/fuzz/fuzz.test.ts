import { expect, inject, it } from 'vitest'
import { fuzz } from './fuzz.ts'

/** The same seed in every run, so that a failure is the same too; `npm run fuzz` takes others. */
const [seed, count] = [1, inject('isExhaustive') ? 50_000 : 5_000]

it(`gives events or a typed error, and no call that was not sent, for ${count} damaged streams of seed ${seed}`, () => {
  const { failures, cases } = fuzz({ seed, count })
  expect(failures).toEqual([])
  expect(cases).toBe(count)
}, 600_000)
