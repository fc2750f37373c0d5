/** Writes `docs/evidence/translation.md` from all recordings, the larger set too: what survives a translation from each wire to each other, and what does not. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { corpus, hasShared } from '../test/support/corpus.ts'
import { translateAll } from '../test/support/coverage.ts'
import { describeCoverage } from '../test/support/translation-doc.ts'

if (!hasShared) throw new Error('Cannot count translations: set ISOGLOT_CORPUS to the folder of recorded traffic')
const document = describeCoverage(translateAll(corpus))
writeFileSync(join(import.meta.dirname, '..', 'docs', 'evidence', 'translation.md'), document)
console.log(document.split('\n## Losses of answers')[0])
