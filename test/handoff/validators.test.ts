/** Each validator finds violations of each rule of its wire document: a validator that accepts everything proves nothing. */
import { describe, expect, it } from 'vitest'
import { facts } from '../formats/index.ts'

const bodies = Object.values(facts).flatMap(({ validatorOf, refusals }) =>
  refusals.map((one) => ({ ...one, validate: validatorOf(one.provider, one.model) })),
)

describe.each(bodies)('$title', ({ validate, good, cases }) => {
  it('finds nothing in a good body', () => {
    expect(validate(good)).toEqual([])
  })

  it.each(cases)('refuses %s', (_, what, change) => {
    const found = validate({ ...good, ...change })
    expect(found.join('\n')).toMatch(what)
  })
})
