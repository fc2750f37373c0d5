/**
 * Runs test files against mutants, one after the other, in one vitest: `batch.mjs ROOT`, with lines `{ number, files }` on standard input
 * and a line `{ number, isKilled, by }` on standard output for each. Ends when its input ends.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createVitest } from 'vitest/node'

const root = process.argv[2]
const report = (line) => process.stdout.write(`@${JSON.stringify(line)}\n`)
const vitest = await createVitest('test', {
  root,
  config: join(root, 'vitest.config.ts'),
  watch: false,
  bail: 1,
  maxWorkers: 1,
  fileParallelism: false,
  // A mutant with many files takes long, but does not hang.
  reporters: [{ onTestModuleEnd: () => report({ isAlive: true }) }],
  silent: true,
  ...(process.env.ISOGLOT_HITS_FILE && { bail: 0 }),
})
report({ isAlive: true })
for await (const line of createInterface({ input: process.stdin })) {
  const { number, files } = JSON.parse(line)
  writeFileSync(process.env.ISOGLOT_MUTANT_FILE, `${number}`)
  const place = ({ moduleId }) => files.indexOf(moduleId)
  const found = (await vitest.globTestSpecifications(files)).filter((one) => place(one) >= 0)
  const specifications = found.sort((a, b) => place(a) - place(b))
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, false)
  // vitest also returns the modules of earlier runs, with their results.
  const own = testModules.filter((one) => place(one) >= 0)
  const failed = own.find((one) => !one.ok())
  const first = failed && [...failed.children.allTests('failed')][0]
  report({
    number,
    isKilled: failed !== undefined || unhandledErrors.length > 0,
    ran: specifications.length,
    failed: own.filter((one) => !one.ok()).map(({ moduleId }) => moduleId),
    by: first?.fullName ?? failed?.moduleId ?? unhandledErrors[0]?.message,
  })
}
await vitest.close()
process.exit()
