import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hasCorpus } from '../support/corpus.ts'
import { writeReport } from './report.ts'

it.runIf(hasCorpus)(
  'docs/handoff.md tells the losses of today; `node scripts/with-node.mjs scripts/handoff.mjs` writes it',
  () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'handoff.md'), 'utf8')
    expect(page).toBe(writeReport())
  },
)
