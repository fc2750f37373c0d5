/** The Worker of `examples/worker` in workerd itself, without wrangler's own proxy in front, and a scripted provider. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { freePort, workerdFile } from '../../scripts/worker.mjs'

const root = join(import.meta.dirname, '..', '..')
/** Not words that stand in messages too: those would be searched for at every error. */
export const secret = (name) => `7Hq2Lw9Zx4-${name}-that-is-long-enough`

/** The keys, each unlike any other text, and where they are in every disguise. */
export const canaries = {
  OPENAI: 'sk-canary-openai/7Hq2Lw9Zx4+Tm8=',
  ANTHROPIC: 'sk-ant-canary/4Rf6Yp1Jc9+Vb3=',
  GEMINI: 'AIza-canary/2Gs9Nk7Wq3+Kd6=',
  XAI: 'xai-canary/8Bv5Xz2Mh6+Qe1=',
  OLLAMA: 'ol-canary/3Jt5Pn8Ds2+Yw7=',
}
export const loginSecret = secret('login')

/** Where each provider is, below the one server that plays them all, and what its model is called. */
export const models = {
  'openai-chat': 'chat-model',
  'openai-responses': 'chat-model',
  anthropic: 'claude-model',
  gemini: 'gemini-model',
  ollama: 'ollama-model',
}

function settingsFor(upstream) {
  const of = (prefix, model, path) => ({
    [`${prefix}_MODELS`]: model,
    [`${prefix}_BASE_URL`]: `${upstream}${path}`,
    [`${prefix}_API_KEY`]: canaries[prefix],
  })
  return {
    SESSION_SECRET: secret('session'),
    LOGIN_SECRET: loginSecret,
    ALLOWED_ORIGINS: 'http://127.0.0.1:1',
    RATE_LIMITS: 'off',
    LIVE_STREAMS: '5000',
    DAILY_BUDGET_USD: '900000',
    TOTAL_DAILY_BUDGET_USD: '900000',
    ...of('OPENAI', models['openai-chat'], '/openai/v1'),
    ...of('ANTHROPIC', models.anthropic, '/anthropic/v1'),
    ...of('GEMINI', models.gemini, '/gemini/v1beta'),
    ...of('OLLAMA', models.ollama, '/ollama'),
  }
}

/** The bundle, as wrangler makes it but smaller, since it is weighed. */
export async function bundle() {
  const { outputFiles } = await build({
    entryPoints: [join(root, 'examples', 'worker', 'index.ts')],
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2023',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:workers'],
    logLevel: 'silent',
  })
  return outputFiles[0].contents
}

const capnp = (port, settings) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private", "public"])),
    (name = "disk", disk = (path = "disk", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  compatibilityFlags = ["enable_request_signal", "global_fetch_strictly_public"],
  durableObjectNamespaces = [
    (className = "UserAccount", uniqueKey = "accounts", enableSql = true),
    (className = "StreamRun", uniqueKey = "runs", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "ACCOUNTS", durableObjectNamespace = "UserAccount"),
    (name = "RUNS", durableObjectNamespace = "StreamRun"),
${Object.entries(settings)
  .map(([name, value]) => `    (name = "${name}", text = ${JSON.stringify(value)}),`)
  .join('\n')}
  ],
);`

/** Starts it; `settings` go before those above. With another `code`, it is that which is started. */
export async function startWorkerd(upstreamUrl, settings = {}, code = undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-reliability-'))
  mkdirSync(join(folder, 'disk'))
  const port = await freePort()
  writeFileSync(join(folder, 'worker.js'), code ?? (await bundle()))
  writeFileSync(join(folder, 'config.capnp'), capnp(port, { ...settingsFor(upstreamUrl), ...settings }), {
    mode: 0o600,
  })
  const startedAt = performance.now()
  const inspector = `127.0.0.1:${await freePort()}`
  const child = spawn(workerdFile(), ['serve', 'config.capnp', `--inspector-addr=${inspector}`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (log += bytes))
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    if (child.exitCode === null && child.kill('SIGKILL')) await gone
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await untilAnswers(url, child)
  } catch (error) {
    await stop()
    throw new Error(`Cannot start workerd: ${error.message}\n${log}`)
  }
  return {
    url,
    pid: child.pid,
    startMs: performance.now() - startedAt,
    log: () => log,
    heldKiB: () => heldKiB(inspector, url),
    stop,
  }
}

/** The memory of V8 after its garbage is collected, in KiB. The isolate listens only while it has something to do. */
async function heldKiB(inspector, url) {
  const [{ webSocketDebuggerUrl }] = await (await fetch(`http://${inspector}/json`)).json()
  const socket = new WebSocket(webSocketDebuggerUrl)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const poke = setInterval(
    () =>
      void fetch(`${url}/v1`)
        .then((answer) => answer.text())
        .catch(() => {}),
    50,
  )
  const call = (id, method) =>
    new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => {
        const said = JSON.parse(data)
        if (said.id === id) resolve(said.result)
      })
      socket.send(JSON.stringify({ id, method }))
    })
  await call(1, 'HeapProfiler.enable')
  await call(2, 'HeapProfiler.collectGarbage')
  const { usedSize, embedderHeapUsedSize, backingStorageSize } = await call(3, 'Runtime.getHeapUsage')
  clearInterval(poke)
  socket.close()
  return (usedSize + embedderHeapUsedSize + backingStorageSize) / 1024
}

async function untilAnswers(url, child) {
  for (let tries = 0; tries < 2000; tries++) {
    if (child.exitCode !== null) throw new Error('it ended')
    try {
      const { status } = await fetch(`${url}/v1`)
      if (status === 404) return
      throw new Error(`it is not configured (${status})`)
    } catch (error) {
      if (error.cause === undefined) throw error
      await pause(5)
    }
  }
  throw new Error('it does not answer')
}

/** A token for a user of that name. */
export async function openSession(url, user = 'bench', more = {}) {
  const answer = await fetch(`${url}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${loginSecret}` },
    body: JSON.stringify({ user, ...more }),
  })
  if (!answer.ok) throw new Error(`Cannot open a session: ${answer.status} ${await answer.text()}`)
  return (await answer.json()).token
}

/** The resources of a process: kilobytes of memory, open files, and CPU time in ms. */
export function measure(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return {
    rssKiB: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]),
    files: readdirSync(`/proc/${pid}/fd`).length,
    cpuMs: (Number(fields[11]) + Number(fields[12])) * 10,
  }
}

/**
 * All providers on one server. `play(asked, response)` answers; `asked` has `wire`, `body`, `closed` (a promise of the time at which its
 * connection closed) and `isEarly` (whether that was before its end).
 */
export async function startUpstream() {
  const upstream = { asked: [], open: 0, play: () => {} }
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const closed = new Promise((resolve) =>
      response.once('close', () => {
        upstream.open--
        one.isEarly = !response.writableFinished
        resolve(performance.now())
      }),
    )
    upstream.open++
    const one = { wire: wireOf(request.url), path: request.url, headers: request.headers, closed, isEarly: false }
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    one.text = Buffer.concat(chunks).toString()
    upstream.asked.push(one)
    await upstream.play(one, response)
  })
  server.maxConnections = 100_000
  await new Promise((resolve) => server.listen(0, '127.0.0.1', 4096, resolve))
  return Object.assign(upstream, {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Connections, in use or kept. */
    sockets: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    stop: () => new Promise((resolve) => void server.close(resolve).closeAllConnections()),
  })
}

function wireOf(path) {
  if (path.startsWith('/openai')) return path.includes('/responses') ? 'openai-responses' : 'openai-chat'
  return path.split('/')[1]
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** The value below which that share of them lies. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/** Calls the function for all items, this number at the same time. */
export async function eachOf(items, atOnce, work) {
  const results = []
  let at = 0
  async function go() {
    for (let mine = at++; mine < items.length; mine = at++) results[mine] = await work(items[mine], mine)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, go))
  return results
}
