/**
 * `npm test`: installs missing packages, builds, and checks format and lint, types, and the tests of four vitest projects.
 * `npm run test:all` (`--all`) adds the other checks, which take longer. Both list the skipped tests at their end. With `CI=true`, a
 * skipped test is an error.
 *
 * Arguments after `--` go to vitest: `npm test -- test/framing`.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { findChromium } from './chromium.mjs'
import { install } from './install.mjs'
import { installRuntimes } from './install-runtimes.mjs'
import { findNginx } from './nginx.mjs'

const root = join(import.meta.dirname, '..')
const isAll = process.argv[2] === '--all'
const filters = process.argv.slice(isAll ? 3 : 2)
const isCi = process.env.CI === 'true' || process.env.CI === '1'
const folder = mkdtempSync(join(tmpdir(), 'isoglot-test-'))
/** The reports of vitest. */
const reports = []
const runtimesReport = join(folder, 'runtimes.json')
const failures = []

/** The projects of `vitest.config.ts`: those that compute, and those that wait for processes most of the time. */
const computing = ['core']
const waiting = ['worker', 'page', 'examples']
const rest = ['exhaustive', 'exhaustive-apart', 'behind', 'machines']
/** The other checks, one line for each. */
const added = [
  'every cut of every recorded stream, all cases of the other laws, every client with every provider, the gateway in workerd, the AI SDK and the official clients with the Worker, stored answers and killed processes, the page and the bindings of every framework, all recipes and examples in one, the programs of the examples, the views of the playground and of the operator, the model of the browser, the attack on a server with each leak, what the public paths and the built files hold, and the larger set of recordings where it is (projects exhaustive and exhaustive-apart)',
  'every test of the client that has a model, with the model behind a gateway (project behind)',
  'npm start on wrangler dev, wrangler deploy, the packed package in twelve kinds of project, and the page in Firefox and WebKit (project machines)',
  'the built files in ten runtimes: Node 20 to 26, Deno, Bun, workerd, three browsers',
  'three coding agents of npm behind the gateway, where `npm run agents` has installed them',
  'the types of the page and of packages, the sizes of the built files, and the package as it is published',
]

install()
const { withNode } = await import('./with-node.mjs')
const { prepare } = await import('./prepare.mjs')

if (filters.length > 0) {
  await step('tests', 'vitest', testing(isAll ? rest : [...computing, ...waiting, 'machines'], filters))
} else if (isAll) {
  await step('build', 'tsup', ['--silent'])
  // Two of the next steps need them.
  installRuntimes()
  // Beside the others: each of them computes in one process after the other.
  const packed = stepAside('package', 'scripts/check-package.mjs', [])
  await step(...types('.'))
  // The page uses the types of the built files.
  await step(...types('examples/playground'))
  await step('sizes', 'scripts/sizes.mjs', [])
  prepare()
  await step('runtimes', 'scripts/runtimes.mjs', [`--report=${runtimesReport}`])
  await packed
  await step('tests', 'vitest', testing(rest))
  // They are 730 MB, so only `npm run agents` installs them: without them, nothing counts as skipped.
  await step('agents', 'scripts/agents.mjs', ['--if-installed'])
} else {
  const aside = lintAndTypes()
  await step('build', 'tsup', ['--silent', '--no-dts'])
  // Removes the chunks of an older build from the page's folder, because tests copy that folder at the same time.
  prepare()
  // Beside the others, since they would leave the processors idle.
  const others = stepAside('tests of the Worker, pages and examples', 'vitest', testing(waiting))
  await step('tests', 'vitest', testing(computing))
  await Promise.all([aside, others])
  await step('promises', 'scripts/check-promises.mjs', reports)
}
conclude()

async function lintAndTypes() {
  await stepAside('lint', 'biome', ['check', '.'])
  for (const project of ['.', 'test', 'examples/worker', 'examples/worker-minimal']) await stepAside(...types(project))
}

function testing(projects, words = []) {
  const chosen = projects.map((name) => `--project=${name}`)
  const report = join(folder, `${projects[0]}.json`)
  reports.push(report)
  return ['run', ...chosen, '--reporter=default', '--reporter=json', `--outputFile=${report}`, ...words]
}

function types(project) {
  // Two packages have a `tsc`. This one has no API and takes a fifth of the time. Its checkers beside one another would each find the types of
  // the same files, while the tests need the other cores. The declarations of packages and of the language, half of the work, change only
  // with their versions: `npm run test:all` checks them too.
  const args = [
    '-p',
    join(project, 'tsconfig.json'),
    '--noEmit',
    '--singleThreaded',
    ...(isAll ? [] : ['--skipLibCheck']),
  ]
  return [`types of ${project}`, 'typescript-native/bin/tsc', args]
}

/** Runs a tool to its end, and continues if it fails, so that one run reports all problems. */
async function step(name, tool, args) {
  console.log(`== ${name}`)
  await run(name, tool, args, 'inherit')
}

/** Runs a tool while another step prints. Its output is printed in one piece at its end. */
async function stepAside(name, tool, args) {
  await run(name, tool, args, 'pipe')
}

async function run(name, tool, args, output) {
  const started = Date.now()
  const child = withNode(tool, args, {
    // The compiler is a program in Go and short-lived: to collect its garbage more often takes a fourth of its time.
    env: {
      NO_COLOR: '1',
      GOGC: '400',
      ISOGLOT_CORPUS: sharedCorpus(),
      ...(isAll && { ISOGLOT_EXHAUSTIVE: '1' }),
      ...(filters.length > 0 && { ISOGLOT_EVERY_FILE: '1' }),
    },
    stdio: ['inherit', output, output],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (text += bytes))
  const code = await new Promise((resolve) =>
    child.once('close', (exit) => resolve(exit ?? 1)).once('error', () => resolve(1)),
  )
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  console.log(`${code === 0 && !isAll ? '' : text}== ${name}: ${code === 0 ? 'ok' : 'FAILED'}, ${seconds} s`)
  if (code !== 0) failures.push(name)
}

function conclude() {
  const ofVitest = reports.map(readReport)
  const [numPassedTests, numFailedTests, numPendingTests] = ['Passed', 'Failed', 'Pending'].map((kind) =>
    ofVitest.reduce((sum, report) => sum + (report[`num${kind}Tests`] ?? 0), 0),
  )
  const inRuntimes = { passed: 0, failed: 0, skipped: 0, missing: [], ...readReport(runtimesReport) }
  rmSync(folder, { recursive: true, force: true })
  console.log(`Recorded answers: ${countRecordings()}`)
  if (isAll && !hasSharedCorpus())
    console.log('Set ISOGLOT_CORPUS to a folder with more of them; CONTRIBUTING.md says how it is laid out')
  const skipped = [
    ...(findChromium() ? [] : ['the page in a browser: no Chromium is installed; set CHROMIUM to one']),
    ...(findNginx() ? [] : ['the proxy before workerd: no nginx is installed; set NGINX to one']),
    ...inRuntimes.missing.map((name) => `the suite of all runtimes in ${name}: it is not here`),
  ]
  for (const what of skipped) console.log(`SKIPPED ${what}`)
  if (isCi && skipped.length + numPendingTests > 0) failures.push('nothing is skipped in CI')
  for (const name of failures) console.log(`FAILED ${name}`)
  if (!isAll) for (const what of added) console.log(`npm run test:all adds: ${what}`)
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

/** The larger set of recordings, for `npm run test:all`. `test/recordings` has every feature and every quirk once. */
function sharedCorpus() {
  return process.env.ISOGLOT_CORPUS ?? (isAll ? join(root, '..', 'shared', 'corpus') : 'none')
}

function hasSharedCorpus() {
  return existsSync(join(sharedCorpus(), 'index.json'))
}

/** Finds recordings like `test/support/corpus.ts`: `<format>/<case>/response.*`. */
function countRecordings() {
  const folders = [join(root, 'test', 'recordings'), ...(hasSharedCorpus() ? [sharedCorpus()] : [])]
  const counts = folders.map((folder) => {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    return `${files.filter((file) => /response\.(json|sse|ndjson)$/.test(file)).length} of ${relative(root, folder)}`
  })
  return counts.join(', ')
}
