/**
 * `npm run newest-workerd`: the Worker's tests on the newest workerd of npm, in place of the one that wrangler pins. Cloudflare runs every
 * Worker on the newest one, whatever its compatibility date, so this script finds failures early.
 *
 * It is installed separately, without a change to the lock file. Arguments after `--` go to vitest, in place of `test/worker`.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { install } from './install.mjs'

install()
const { withNode } = await import('./with-node.mjs')

const folder = mkdtempSync(join(tmpdir(), 'isoglot-workerd-'))
const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
try {
  execFileSync('npm', [...args, '--prefix', folder, 'workerd@latest'], { stdio: 'inherit' })
  const newest = workerdOf(join(folder, 'node_modules'))
  const pinned = workerdOf(join(import.meta.dirname, '..', 'node_modules'))
  console.log(`workerd ${newest.version}, in place of ${pinned.version}`)
  process.exitCode = await test(newest.file)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Its version, and the path of its program for this machine. */
function workerdOf(modules) {
  const require = createRequire(join(modules, 'workerd', 'package.json'))
  return { version: require('./package.json').version, file: require('.').default }
}

/** Miniflare and wrangler start the workerd that this variable names. */
async function test(file) {
  const filters = process.argv.slice(2)
  const child = withNode('vitest', ['run', ...(filters.length > 0 ? filters : ['test/worker'])], {
    env: { MINIFLARE_WORKERD_PATH: file },
  })
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)).once('error', () => resolve(1)))
}
