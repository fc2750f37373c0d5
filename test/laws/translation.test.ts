/** From every wire to every other: every difference has a named rule with a reason, and every loss is reported. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answerRules, wires } from '../support/answers.ts'
import { corpus, hasShared } from '../support/corpus.ts'
import { namedRules, translateAll } from '../support/coverage.ts'
import { requestRules } from '../support/requests.ts'
import { describeCoverage } from '../support/translation-doc.ts'

describe('every recording in every wire', () => {
  const verdicts = translateAll(corpus)
  const ways = wires.flatMap((from) => wires.map((to) => ({ from, to })))

  it.each(ways)('$from to $to: an answer says the same, except for named losses', ({ from, to }) => {
    const own = verdicts.filter((one) => one.kind !== 'request' && one.from === from && one.to === to)
    expect(own.length).toBeGreaterThan(0)
    expect(own.filter(({ unnamed }) => unnamed.length > 0)).toEqual([])
  })

  it.each(ways)('$from to $to: a request asks the same, except for named losses', ({ from, to }) => {
    const own = verdicts.filter((one) => one.kind === 'request' && one.from === from && one.to === to)
    expect(own.length).toBeGreaterThan(0)
    expect(own.filter(({ unnamed }) => unnamed.length > 0)).toEqual([])
  })

  it('needs every rule that it has, and each has a name of its own', () => {
    const all = [...answerRules, ...requestRules].map(({ name }) => name)
    expect(new Set(all).size).toBe(all.length)
    const used = new Set(verdicts.flatMap(({ named }) => named))
    expect([...namedRules.keys()].filter((name) => !used.has(name))).toEqual([])
  })

  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'evidence', 'translation.md'), 'utf8')

  it('loses only what the documentation names', () => {
    const rows = new Set(page.split('\n').map((line) => line.split(' | ')[0]?.slice('| '.length)))
    const used = new Set(verdicts.flatMap(({ named }) => named))
    expect([...used].filter((name) => !rows.has(name))).toEqual([])
  })

  // The page counts the larger set too, so that it can be counted again only where that is.
  if (hasShared)
    it('is counted in the documentation: scripts/translation.mjs writes it', () => {
      expect(page).toBe(describeCoverage(verdicts))
    })
})
