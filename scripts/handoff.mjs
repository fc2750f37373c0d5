/** Writes `docs/handoff.md` anew: `node scripts/with-node.mjs scripts/handoff.mjs`. It needs the recorded traffic; see `CONTRIBUTING.md`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeReport } from '../test/handoff/report.ts'

writeFileSync(join(import.meta.dirname, '..', 'docs', 'handoff.md'), writeReport())
