/** Each runtime: whether it is here, which version it is, and how to run the suite in it. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { bunFile, denoFile, nodeFile } from '../../scripts/install-runtimes.mjs'
import { browserNames, hasBrowser, openBrowser } from './browsers.mjs'

const longestRunMs = 180_000
/** A timer or a socket that stays open keeps a process from ending. */
const longestEndMs = 5_000

const nodes = [20, 22, 24, 26].map((major) =>
  plain(`node ${major}`, nodeOf(major), ['test/runtimes/plain.mjs'], (text) => text.replace(/^v/, '')),
)

/**
 * All of them. `missing` says why one cannot run here; `run(server, folder)` gives its version and results; `folder` holds the files
 * under test.
 */
export const hosts = [
  ...nodes,
  plain(
    'deno',
    denoFile,
    [
      'run',
      '--no-remote',
      '--no-prompt',
      '--no-config',
      '--allow-env=BASE',
      '--allow-read=.',
      '--allow-net=127.0.0.1',
      'test/runtimes/plain.mjs',
    ],
    (text) => /deno (\S+)/.exec(text)?.[1],
  ),
  plain('bun', bunFile, ['run', 'test/runtimes/plain.mjs'], (text) => text),
  workerd(),
  ...browserNames.map(page),
]

/** One from npm, else the one that runs this, where it is of that version. */
function nodeOf(major) {
  const file = nodeFile(major)
  return existsSync(file) || !process.versions.node.startsWith(`${major}.`) ? file : process.execPath
}

function plain(name, file, args, readVersion) {
  return {
    name,
    missing: existsSync(file) ? undefined : 'it comes from npm, for Linux on x64 alone',
    async run(server, folder) {
      const version = readVersion(execFileSync(file, ['--version'], { encoding: 'utf8' }).trim())
      const { results, endedMs } = await runProcess(file, args, folder, { BASE: server.base })
      return { version, results: [...results, endsByItself(endedMs)] }
    },
  }
}

function endsByItself(endedMs) {
  const message = `it took ${endedMs} ms to end`
  return { name: 'nothing is left behind: the process ends', ms: endedMs, ...(endedMs > longestEndMs && { message }) }
}

function runProcess(file, args, folder, env) {
  return new Promise((resolve, reject) => {
    const { PATH, HOME, TMPDIR } = process.env
    const child = spawn(file, args, {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH, HOME, ...(TMPDIR && { TMPDIR }), NO_COLOR: '1', ...env },
      timeout: longestRunMs,
    })
    let [out, log, reportedAt] = ['', '', 0]
    child.stderr.on('data', (bytes) => (log += bytes))
    child.stdout.on('data', (bytes) => {
      out += bytes
      if (reportedAt === 0 && /^@@.*\n/m.test(out)) reportedAt = Date.now()
    })
    child.once('error', reject)
    child.once('close', () => {
      const report = /^@@(.*)$/m.exec(out)?.[1]
      if (report === undefined) return reject(new Error(`no results\n${out.slice(-2000)}${log.slice(-2000)}`))
      resolve({ results: JSON.parse(report), endedMs: Date.now() - reportedAt })
    })
  })
}

/** workerd as wrangler brings it, with the modules as they are and no compatibility flag. */
function workerd() {
  const require = createRequire(import.meta.url)
  const file = binaryOfWorkerd(require)
  return {
    name: 'workerd',
    missing: file === undefined ? 'npm has none for this machine' : undefined,
    async run(server, folder) {
      const config = join(folder, 'workerd.capnp')
      writeFileSync(config, configOf(folder, server.base))
      const child = spawn(file, ['serve', '--control-fd=3', config], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
      let log = ''
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => (log += bytes))
      try {
        const port = await portOf(child, () => log)
        const response = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(longestRunMs) })
        const text = await response.text()
        if (!response.ok) throw new Error(`${text}\n${log.slice(-4000)}`)
        return { version: require('workerd/package.json').version, results: JSON.parse(text) }
      } finally {
        child.removeAllListeners('exit').kill()
      }
    },
  }
}

function binaryOfWorkerd(require) {
  try {
    const file = createRequire(require.resolve('workerd/package.json'))('workerd').default
    return existsSync(file) ? file : undefined
  } catch {
    return undefined
  }
}

function portOf(child, log) {
  return new Promise((resolve, reject) => {
    let text = ''
    child.once('exit', () => reject(new Error(`workerd ended\n${log()}`)))
    child.stdio[3].on('data', (bytes) => {
      text += bytes
      const port = /"port":(\d+)/.exec(text)?.[1]
      if (port) resolve(port)
    })
  })
}

function configOf(folder, base) {
  const files = ['test/runtimes', 'dist'].flatMap((under) =>
    readdirSync(join(folder, under), { recursive: true }).map((name) => `${under}/${name}`),
  )
  // The first module is the Worker.
  const modules = files.filter((name) => /\.m?js$/.test(name)).sort((name) => (name.endsWith('/worker.mjs') ? -1 : 1))
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["public", "private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const main :Workerd.Worker = (
  compatibilityDate = "2026-11-01",
  bindings = [(name = "BASE", text = "${base}")],
  modules = [${modules.map((name) => `(name = "${name}", esModule = embed "${name}")`).join(', ')}]
);
`
}

function page(name) {
  return {
    name,
    missing: hasBrowser(name) ? undefined : 'it is not installed',
    async run(server) {
      const reported = server.reportOf(name)
      const browser = openBrowser(name, `${server.base}/page/${name}`)
      let timer
      const late = new Promise((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no report\n${browser.log().slice(-2000)}`)), longestRunMs)
      })
      try {
        const { results, agent } = await Promise.race([reported, late])
        return { version: versionIn(agent), results }
      } finally {
        clearTimeout(timer)
        await browser.stop()
      }
    },
  }
}

function versionIn(agent) {
  return /(?:Chrome|Firefox|Version)\/(\S+)/.exec(agent)?.[1] ?? agent
}
