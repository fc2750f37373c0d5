/** Writes `docs/translation.md` from the recordings: what survives a translation from each wire to each other, and what does not. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { translateAll } from '../test/support/coverage.ts'
import { describeCoverage } from '../test/support/translation-doc.ts'

const document = describeCoverage(translateAll())
writeFileSync(join(import.meta.dirname, '..', 'docs', 'translation.md'), document)
console.log(document.split('\n## Losses of answers')[0])
