/**
 * Runs the suite of `test/runtimes` in every installed runtime, with the same copy of the built files: Node 20 to 26, Deno, Bun, workerd,
 * Chromium, Firefox, WebKit. Prints a table and the skipped runtimes. With `CI=true`, a skipped runtime is an error.
 *
 * `node scripts/with-node.mjs scripts/runtimes.mjs [--report=file.json] [name …]`: names such as `deno`, `"node 20"`.
 */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { modulesIn } from './built-files.mjs'
import { installRuntimes } from './install-runtimes.mjs'

const root = join(import.meta.dirname, '..')
const sharedCorpus = process.env.ISOGLOT_CORPUS ?? join(root, '..', 'shared', 'corpus')
const corpora = [join(root, 'test', 'recordings'), sharedCorpus].filter((folder) => existsSync(folder))
const isCi = process.env.CI === 'true' || process.env.CI === '1'
/** Runs several at a time, since most of the time is waiting for browsers and timers. */
const atOnce = 3

const { values, positionals } = parseArgs({ options: { report: { type: 'string' } }, allowPositionals: true })
if (!existsSync(join(root, 'dist', 'index.js')))
  throw new Error('Cannot test the built files: run "npm run build" first')

installRuntimes()
const { hosts } = await import('../test/runtimes/hosts.mjs')
const { startServer } = await import('../test/runtimes/server.mjs')

const folder = copyOfFiles()
const hash = hashOf(join(folder, 'dist'))
console.log(`${modulesIn(join(folder, 'dist')).length} built files, SHA-256 ${hash}`)
const server = await startServer({ root: folder, corpora })
const wanted = hosts.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
const rows = []
try {
  const queue = [...wanted]
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let host = queue.shift(); host !== undefined; host = queue.shift()) rows.push(await runHost(host))
    }),
  )
  conclude()
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
}

/** Outside of `node_modules`, so that a bare import fails, and a build at the same time does not change the files. */
function copyOfFiles() {
  const copy = mkdtempSync(join(tmpdir(), 'isoglot-runtimes-'))
  for (const [under, isWanted] of [
    ['dist', /\.js$/],
    ['test/runtimes', /\.mjs$/],
  ]) {
    for (const name of readdirSync(join(root, under), { recursive: true })) {
      if (isWanted.test(name)) cpSync(join(root, under, name), join(copy, under, name))
    }
  }
  writeFileSync(join(copy, 'package.json'), '{ "type": "module" }\n')
  return copy
}

function hashOf(dist) {
  const hash = createHash('sha256')
  for (const name of modulesIn(dist)) hash.update(`${name}\0`).update(readFileSync(join(dist, name)))
  return hash.digest('hex')
}

async function runHost({ name, missing, run }) {
  if (missing) return { name, missing, version: '-', results: [] }
  const started = Date.now()
  const row = await run(server, folder).catch((error) => ({
    version: '?',
    results: [{ name: 'runs at all', error: String(error?.stack ?? error) }],
  }))
  return { name, ...row, seconds: (Date.now() - started) / 1000 }
}

function conclude() {
  rows.sort((one, other) => hosts.findIndex(isNamed(one)) - hosts.findIndex(isNamed(other)))
  const failures = rows.flatMap(({ name, results }) =>
    results.filter(hasFailed).map((result) => `${name}: ${result.name}\n${describe(result)}`),
  )
  failures.push(...differences())
  if (hashOf(join(folder, 'dist')) !== hash) failures.push('the built files changed while they were tested')
  for (const failure of failures) console.log(`FAILED ${failure}`)

  const absent = rows.filter(({ missing }) => missing)
  const most = Math.max(0, ...rows.map(({ results }) => results.length))
  printTable(most)
  for (const { name, missing } of absent) console.log(`SKIPPED ${name}: ${missing}`)

  const passed = rows.flatMap(({ results }) => results).filter((result) => !hasFailed(result)).length
  const skipped = absent.length * most
  const isIncomplete = isCi && absent.length > 0
  if (isIncomplete) console.log('FAILED nothing is skipped in CI')
  process.exitCode = failures.length > 0 || passed === 0 || isIncomplete ? 1 : 0
  const report = { passed, failed: failures.length, skipped, missing: absent.map(({ name }) => name) }
  if (values.report) writeFileSync(values.report, JSON.stringify(report))
  console.log(`${passed} passed, ${failures.length} failed, ${skipped} skipped`)
}

function isNamed({ name }) {
  return (host) => host.name === name
}

function hasFailed({ error, message }) {
  return error !== undefined || message !== undefined
}

/** In some engines, the stack does not begin with the message. */
function describe({ error = '', message = '' }) {
  return error.includes(message) ? error : `${message}\n${error}`
}

/** The result of a case must be the same in all runtimes. */
function differences() {
  const prints = new Map()
  for (const { name, results } of rows) {
    for (const result of results.filter(({ print }) => print !== undefined)) {
      const byPrint = prints.get(result.name) ?? new Map()
      prints.set(result.name, byPrint.set(result.print, [...(byPrint.get(result.print) ?? []), name]))
    }
  }
  return [...prints]
    .filter(([, byPrint]) => byPrint.size > 1)
    .map(
      ([name, byPrint]) =>
        `runtimes differ in "${name}": ${[...byPrint.values()].map((names) => names.join(', ')).join(' / ')}`,
    )
}

function printTable(most) {
  const line = (cells) =>
    console.log(`| ${cells.map((cell, at) => `${cell}`.padEnd([10, 16, 6, 8, 8, 8][at])).join(' | ')} |`)
  line(['runtime', 'version', 'tests', 'failures', 'skipped', 'seconds'])
  line([10, 16, 6, 8, 8, 8].map((width) => '-'.repeat(width)))
  for (const { name, version, missing, results, seconds = 0 } of rows) {
    const failed = results.filter(hasFailed).length
    line([name, version, results.length, failed, missing ? most : 0, seconds.toFixed(1)])
  }
}
