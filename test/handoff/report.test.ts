import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hasShared } from '../support/corpus.ts'
import { writtenHistories } from './histories.ts'
import { rowsOf, writeReport } from './report.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'handoff.md'), 'utf8')

it('docs/handoff.md names every loss of the written histories', () => {
  const rows = rowsOf(writtenHistories())
  expect(rows.length).toBeGreaterThan(20)
  expect(rows.filter((row) => !page.includes(row))).toEqual([])
})

// The page counts the larger set too, so that it can be counted again only where that is.
if (hasShared)
  it('docs/handoff.md tells the losses of today; `node scripts/with-node.mjs scripts/handoff.mjs` writes it', () => {
    expect(page).toBe(writeReport())
  })
