/** From every wire to every other: what differs is named, with a reason, and what is lost is told. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answerRules, wires } from '../support/answers.ts'
import { hasCorpus } from '../support/corpus.ts'
import { namedRules, translateAll } from '../support/coverage.ts'
import { requestRules } from '../support/requests.ts'
import { describeCoverage } from '../support/translation-doc.ts'

describe.skipIf(!hasCorpus)('every recording in every wire', () => {
  const verdicts = hasCorpus ? translateAll() : []
  const ways = wires.flatMap((from) => wires.map((to) => ({ from, to })))

  it.each(ways)('$from to $to: an answer says the same, but for named losses', ({ from, to }) => {
    const own = verdicts.filter((one) => one.kind !== 'request' && one.from === from && one.to === to)
    expect(own.length).toBeGreaterThan(0)
    expect(own.filter(({ unnamed }) => unnamed.length > 0)).toEqual([])
  })

  it.each(ways)('$from to $to: a request asks the same, but for named losses', ({ from, to }) => {
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

  it('is what the documentation says: scripts/translation.mjs writes it', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'translation.md'), 'utf8')
    expect(page).toBe(describeCoverage(verdicts))
  })
})
