/**
 * Writes `docs/evidence/translation.md` from all recordings, including the larger set: the losses of translations from each format to each
 * other.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { corpus, hasShared } from '../test/support/corpus.ts'
import { translateAll } from '../test/support/coverage.ts'
import { describeCoverage } from '../test/support/translation-doc.ts'

if (!hasShared) throw new Error('Cannot count translations: set ISOGLOT_CORPUS to the folder of recorded traffic')
const document = describeCoverage(translateAll(corpus))
writeFileSync(join(import.meta.dirname, '..', 'docs', 'evidence', 'translation.md'), document)
console.log(document.split('\n## Losses of answers')[0])
