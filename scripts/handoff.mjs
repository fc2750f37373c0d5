/**
 * Writes `docs/evidence/handoff.md`: `node scripts/with-node.mjs scripts/handoff.mjs`. It needs the recorded traffic; see
 * `CONTRIBUTING.md`.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeReport } from '../test/handoff/report.ts'
import { hasShared } from '../test/support/corpus.ts'

if (!hasShared) throw new Error('Cannot count hand-offs: set ISOGLOT_CORPUS to the folder of recorded traffic')
writeFileSync(join(import.meta.dirname, '..', 'docs', 'evidence', 'handoff.md'), writeReport())
