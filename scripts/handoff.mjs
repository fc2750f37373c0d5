/**
 * `node scripts/with-node.mjs scripts/handoff.mjs` writes `docs/evidence/handoff.md`, and prints every kind of loss. It needs the larger set
 * of recordings: see `test/support/corpus.ts`.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeReport } from '../test/handoff/report.ts'
import { hasShared } from '../test/support/corpus.ts'

if (!hasShared) throw new Error('Cannot count hand-offs: set ISOGLOT_CORPUS to the folder of recorded traffic')
const { summary, tables } = writeReport()
writeFileSync(join(import.meta.dirname, '..', 'docs', 'evidence', 'handoff.md'), summary)
console.log(tables)
