/**
 * Runs the Worker of `examples/worker` in workerd on loopback, through `wrangler dev`, with nothing left behind when it stops.
 *
 * Settings go in by a file only this user can read: a command line is for all to see, and wrangler prints it.
 */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { modernNode } from './modern-node.mjs'

const root = join(import.meta.dirname, '..')
/** Where wrangler.toml looks for the page's files. */
export const siteFolder = join(root, '.wrangler', 'site')

/** Whether nobody listens there; port 0 is always free. */
export async function freePort(port = 0) {
  const server = createServer()
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve))
  const found = server.address().port
  await new Promise((resolve) => server.close(resolve))
  return found
}

/**
 * Starts it and waits until it answers.
 *
 * `settings` are its variables and secrets; `envFiles` are read before them, `.dev.vars` alone if there is neither.
 */
export async function startWorker({ port, settings = {}, envFiles = [], readyWithinMs = 30_000 }) {
  mkdirSync(siteFolder, { recursive: true })
  const home = mkdtempSync(join(tmpdir(), 'isoglot-worker-'))
  const settingsFile = join(home, 'settings.env')
  writeFileSync(settingsFile, toEnvFile(settings), { mode: 0o600 })
  const node = modernNode()
  const args = [
    'dev',
    '--local',
    '--ip',
    '127.0.0.1',
    '--port',
    `${port}`,
    '--inspector-port',
    '0',
    '--show-interactive-dev-session=false',
  ]
  const files = [...envFiles, settingsFile].flatMap((file) => ['--env-file', file])
  // Wrangler needs no provider's key of ours, so it gets none.
  const { ISOGLOT_DEMO_KEY, OPENAI_API_KEY, ANTHROPIC_API_KEY, ...rest } = process.env
  const child = spawn(
    node,
    [join(root, 'node_modules', '.bin', 'wrangler'), ...args, ...files, '--persist-to', join(home, 'state')],
    {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...rest,
        PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
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
  const gone = new Promise((resolve) => child.once('close', resolve).once('error', resolve))

  async function stop() {
    await endGroup(child.pid)
    await gone
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

function toEnvFile(settings) {
  return Object.entries(settings)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('')
}

/**
 * Ends wrangler and all it started, children before parents: so each is seen off by its own parent, and none is left to process 1.
 * They have nothing to save, their state being thrown away.
 */
async function endGroup(group) {
  for (let round = 0; round < 80; round++) {
    const members = processesOf(group)
    const living = members.filter(({ dead }) => !dead)
    if (!living.length) break
    for (const { pid } of living) if (!members.some(({ parent }) => parent === pid)) kill(pid)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  kill(-group)
}

function processesOf(group) {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' })
  return (stdout ?? '')
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , pgid]) => pgid === `${group}`)
    .map(([pid, parent, , state]) => ({ pid: Number(pid), parent: Number(parent), dead: state.startsWith('Z') }))
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone already.
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
