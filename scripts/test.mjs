/**
 * `npm test`: installs what is missing, builds, and checks everything that can be checked here: format and lint, types, sizes, the package
 * as it is published, the tests themselves, and the built files in every runtime that is here. What it had to skip it says at the end; with `CI=true` nothing may be skipped.
 *
 * Words behind `--` go to vitest: `npm test -- test/framing`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findChromium } from './chromium.mjs'
import { install } from './install.mjs'
import { findNginx } from './nginx.mjs'

const filters = process.argv.slice(2)
const isCi = process.env.CI === 'true' || process.env.CI === '1'
const folder = mkdtempSync(join(tmpdir(), 'isoglot-test-'))
const report = join(folder, 'report.json')
const runtimesReport = join(folder, 'runtimes.json')
const failures = []

install()
const { withNode } = await import('./with-node.mjs')

if (filters.length === 0) {
  await step('lint', 'biome', ['check', '.'])
  await step('build', 'tsup', ['--silent'])
  for (const project of [
    'tsconfig.json',
    'test/tsconfig.json',
    'examples/worker/tsconfig.json',
    'examples/browser/tsconfig.json',
  ]) {
    await step(`types of ${project}`, 'tsc', ['-p', project, '--noEmit'])
  }
  await step('sizes', 'scripts/sizes.mjs', [])
  await step('package', 'scripts/check-package.mjs', [])
}
await step('tests', 'vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile=${report}`, ...filters])
if (filters.length === 0) await step('runtimes', 'scripts/runtimes.mjs', [`--report=${runtimesReport}`])
conclude()

/** Runs a tool to its end, and goes on if it fails: a run tells all that is wrong. */
async function step(name, tool, args) {
  const started = Date.now()
  console.log(`== ${name}`)
  const child = withNode(tool, args, { env: { NO_COLOR: '1' } })
  const code = await new Promise((resolve) =>
    child.once('exit', (exit) => resolve(exit ?? 1)).once('error', () => resolve(1)),
  )
  console.log(`== ${name}: ${code === 0 ? 'ok' : 'FAILED'}, ${((Date.now() - started) / 1000).toFixed(1)} s`)
  if (code !== 0) failures.push(name)
}

function conclude() {
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0 } = readReport(report)
  const inRuntimes = { passed: 0, failed: 0, skipped: 0, missing: [], ...readReport(runtimesReport) }
  rmSync(folder, { recursive: true, force: true })
  const skipped = [
    ...(findChromium() ? [] : ['the page in a browser: no Chromium is installed; set CHROMIUM to one']),
    ...(findNginx() ? [] : ['the proxy before workerd: no nginx is installed; set NGINX to one']),
    ...inRuntimes.missing.map((name) => `the suite of all runtimes in ${name}: it is not here`),
  ]
  const inCiAlone = [
    'cuts at every byte of recorded streams over 40 KB: 1,500 of each were tried; ISOGLOT_CUTS=all tries all',
  ]
  const cutsAll = isCi || process.env.ISOGLOT_CUTS === 'all' || !hasSharedCorpus()
  for (const what of [...skipped, ...(cutsAll ? [] : inCiAlone)]) console.log(`SKIPPED ${what}`)
  if (isCi && skipped.length + numPendingTests > 0) failures.push('nothing is skipped in CI')
  for (const name of failures) console.log(`FAILED ${name}`)
  process.exitCode = failures.length > 0 || numPassedTests === 0 ? 1 : 0
  const [passed, failed] = [numPassedTests + inRuntimes.passed, numFailedTests + inRuntimes.failed]
  console.log(`${passed} passed, ${failed} failed, ${numPendingTests + inRuntimes.skipped} skipped`)
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

/** Whether the larger set of recordings is here too; `test/recordings` always is. */
function hasSharedCorpus() {
  const root = process.env.ISOGLOT_CORPUS ?? join(import.meta.dirname, '..', '..', 'shared', 'corpus')
  try {
    return readFileSync(join(root, 'index.json')).length > 0
  } catch {
    return false
  }
}
