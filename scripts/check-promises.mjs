/**
 * `node scripts/with-node.mjs scripts/check-promises.mjs REPORT.json …`: checks that each promise of `docs/evidence/promises.md` has a
 * test that passed in one of these reports (vitest's `json` reporter). Prints one line for each promise without one, and then exits with 1.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { problemsOf, readPromises, shownIn } from '../test/support/promises.ts'

const root = join(import.meta.dirname, '..')
const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')))
const promises = readPromises(readFileSync(join(root, 'docs', 'evidence', 'promises.md'), 'utf8'))
const shown = shownIn({ testResults: reports.flatMap(({ testResults }) => testResults) }, root)
const problems = problemsOf(promises, shown)
for (const problem of problems) console.log(problem)
const numbers = promises.filter(({ isWaived }) => !isWaived).flatMap((promised) => promised.numbers)
console.log(`${numbers.length} promises, ${problems.length} problems`)
process.exitCode = problems.length > 0 ? 1 : 0
