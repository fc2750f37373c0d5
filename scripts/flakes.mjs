/**
 * `npm run flakes -- test/gateway [file …]`: runs the test files ten times in a row beside a busy loop on every core, and reports the files
 * that failed. A test that passes only on an idle machine is wrong: it waits for a clock instead of an event.
 *
 * `ISOGLOT_RUNS`: the number of runs, default ten. `ISOGLOT_LOOPS`: the number of busy loops; 0 if the machine is busy anyway.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { withNode } from './with-node.mjs'

const root = join(import.meta.dirname, '..')
const runs = Number(process.env.ISOGLOT_RUNS ?? 10)
const loops = Number(process.env.ISOGLOT_LOOPS ?? cpus().length)
const wanted = process.argv.slice(2)
if (wanted.length === 0) throw new Error('Cannot look for flakes: name test files, or folders of them')
const folder = mkdtempSync(join(tmpdir(), 'isoglot-flakes-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1))

for (let at = 0; at < loops; at++) {
  const loop = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
  loop.unref()
  process.on('exit', () => loop.kill('SIGKILL'))
}

/** By file: the number of runs in which it passed, and its longest time in seconds. */
const files = new Map()
let failed = 0
for (let run = 1; run <= runs; run++) {
  const { code, testResults, output } = await test()
  if (code !== 0) failed++
  // For example, a run without tests.
  if (code !== 0 && testResults.every(({ status }) => status === 'passed')) console.log(output)
  for (const { name, status, startTime, endTime, message, assertionResults } of testResults) {
    const file = relative(root, name)
    const before = files.get(file) ?? { passed: 0, longest: 0 }
    const longest = Math.max(before.longest, (endTime - startTime) / 1000)
    files.set(file, { passed: before.passed + Number(status === 'passed'), longest })
    if (status === 'passed') continue
    console.log(`${file}: run ${run} failed ${message}`)
    for (const one of assertionResults.filter((result) => result.status === 'failed'))
      console.log(`  ${one.fullName}\n${one.failureMessages.join('\n')}`)
  }
  console.log(`run ${run} of ${runs}: ${code === 0 ? 'passed' : 'FAILED'}`)
}
for (const [file, { passed, longest }] of [...files].sort(([one], [other]) => one.localeCompare(other)))
  console.log(`${file}: ${passed} of ${runs} passed, ${longest.toFixed(1)} s at most`)
process.exitCode = failed > 0 ? 1 : 0

/** Runs all files once. @throws {Error} with the output of vitest, if it ended without a report. */
async function test() {
  const projects = ['core', 'worker', 'page', 'examples', 'machines'].map((name) => `--project=${name}`)
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  const child = withNode('vitest', ['run', '--reporter=json', `--outputFile=${report}`, ...projects, ...wanted], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { NO_COLOR: '1', ISOGLOT_EVERY_FILE: '1' },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (output += bytes))
  const code = await new Promise((resolve) => child.once('close', resolve).once('error', () => resolve(1)))
  if (!existsSync(report)) throw new Error(`vitest ended with code ${code} and without a report:\n${output}`)
  return { code, output, ...JSON.parse(readFileSync(report, 'utf8')) }
}
