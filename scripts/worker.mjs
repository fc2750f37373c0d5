/**
 * Runs the Worker of `examples/worker` in workerd on loopback, through `wrangler dev`, and removes all its files and processes when it
 * stops.
 *
 * Settings are in a file that only this user can read, because other users can see a command line, and wrangler prints it.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { modernNode } from './modern-node.mjs'

const root = join(import.meta.dirname, '..')
/** The folder in which wrangler.toml expects the page's files. */
export const siteFolder = join(root, '.wrangler', 'site')

/** A temporary file that `prepare.mjs` will rename. */
const isDraft = /\.\d+$/

/**
 * The port, if it is free; for 0, any free port. Only below 32,768: the system uses higher ports for outgoing connections, so a free one
 * may be taken before the server listens.
 */
export async function freePort(port = 0) {
  if (port === 0) {
    const found = 10_000 + Math.floor(Math.random() * 22_000)
    return freePort(found).catch(() => freePort())
  }
  const server = createServer()
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  const found = server.address().port
  await new Promise((resolve) => server.close(resolve))
  return found
}

/**
 * Starts it and waits until it answers.
 *
 * `settings` are its variables and secrets; `envFiles` are read before them, only `.dev.vars` if there is neither. With `follows`, it
 * restarts and drops its requests whenever its source changes. The storage of its objects is removed at the end, unless there is a
 * `stateFolder`. The platform's settings are those of `wrangler.toml`, except for `compatibility`.
 */
export async function startWorker({
  port,
  settings = {},
  envFiles = [],
  readyWithinMs = 60_000,
  follows = false,
  stateFolder,
  compatibility = {},
}) {
  mkdirSync(siteFolder, { recursive: true })
  const home = mkdtempSync(join(tmpdir(), 'isoglot-worker-'))
  const settingsFile = join(home, 'settings.env')
  writeFileSync(settingsFile, toEnvFile(settings), { mode: 0o600 })
  // A copy, since wrangler restarts the Worker, and drops its requests, when the folder that it serves changes.
  const site = join(home, 'site')
  cpSync(siteFolder, site, { recursive: true, filter: (name) => !isDraft.test(name) })
  const node = modernNode()
  const args = [
    'dev',
    ...(follows
      ? [join(root, demoWorker)]
      : [await bundleWorker(join(home, 'bundle')), '--no-bundle', '--config', join(root, 'wrangler.toml')]),
    '--local',
    '--ip',
    '127.0.0.1',
    '--port',
    `${port}`,
    '--inspector-port',
    '0',
    '--show-interactive-dev-session=false',
    ...(compatibility.date ? ['--compatibility-date', compatibility.date] : []),
    ...(
      compatibility.flags ?? (follows ? ['enable_request_signal', 'global_fetch_strictly_public', demoFlag] : [])
    ).flatMap((flag) => ['--compatibility-flags', flag]),
  ]
  const files = [...envFiles, settingsFile].flatMap((file) => ['--env-file', file])
  // Wrangler needs no provider keys, so it gets none.
  const rest = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_KEY$|_SECRET$|_TOKEN$/.test(name)))
  const guard = ['--import', pathToFileURL(join(import.meta.dirname, 'wrangler-guard.mjs')).href]
  // Without its launcher, which would be another process between this one and wrangler.
  const wrangler = join(root, 'node_modules', 'wrangler', 'wrangler-dist', 'cli.js')
  const child = spawn(
    node,
    [...guard, wrangler, ...args, ...files, '--assets', site, '--persist-to', stateFolder ?? join(home, 'state')],
    {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        ...rest,
        PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
        ISOGLOT_WORKER_HOME: home,
        CI: '1',
        NO_COLOR: '1',
        WRANGLER_SEND_METRICS: 'false',
        WRANGLER_LOG_PATH: join(home, 'logs'),
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      },
    },
  )
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (log += bytes))
  const gone = new Promise((resolve) => child.once('exit', resolve).once('error', resolve))

  async function stop() {
    if (child.connected) child.disconnect()
    const timer = setTimeout(killGroup, 5000, child.pid)
    await gone
    clearTimeout(timer)
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }

  const url = `http://127.0.0.1:${port}`
  try {
    await untilAnswers(url, child, readyWithinMs)
  } catch (cause) {
    await stop()
    throw new Error(`Cannot start the Worker: ${cause.message}\n${log.slice(-4000)}`, { cause })
  }
  return { url, pid: child.pid, log: () => log, stop, gone }
}

/** The Worker of `npm start`, which shows the page what it sends. */
export const demoWorker = 'scripts/demo-worker.mjs'
/** The flag of the platform that it needs. */
export const demoFlag = 'nodejs_als'

/**
 * Bundles the Worker into a folder of its own, since wrangler looks at all that is beside it.
 *
 * @param {string} folder
 * @param {{ readonly plugins?: import('esbuild').Plugin[], readonly entry?: string }} [options]
 */
export async function bundleWorker(folder, { plugins = [], entry = 'examples/worker/index.ts' } = {}) {
  const outfile = join(folder, 'worker.js')
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker'],
    external: ['cloudflare:*', 'node:async_hooks'],
    plugins,
    logLevel: 'silent',
  })
  return outfile
}

/** The path of wrangler's program. */
export function workerdFile() {
  const ofWrangler = createRequire(createRequire(import.meta.url).resolve('wrangler/package.json'))
  return ofWrangler('workerd').default
}

function toEnvFile(settings) {
  return Object.entries(settings)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('')
}

/** For a wrangler that does not end after SIGTERM. */
function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process group has already ended.
  }
}

async function untilAnswers(url, child, withinMs) {
  const deadline = Date.now() + withinMs
  for (;;) {
    if (child.exitCode !== null) throw new Error(`wrangler ended with code ${child.exitCode}`)
    if (Date.now() > deadline) throw new Error(`no answer within ${withinMs} ms`)
    try {
      await (await fetch(`${url}/v1`, { signal: AbortSignal.timeout(2000) })).arrayBuffer()
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
