/** workerd itself on loopback, with the configuration of `examples/worker`, and what its process takes. Reads `/proc`, so it runs on Linux. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { workerdFile } from '../../scripts/worker.mjs'
import { root } from './subject.mjs'

const ticksPerSecond = 100

/** A Worker in one file, minified. `options` are those of esbuild. */
export async function bundleOf(options) {
  const { outputFiles } = await build({
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2023',
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['module', 'main'],
    external: ['cloudflare:*'],
    logLevel: 'silent',
    ...options,
  })
  return outputFiles[0].contents
}

/** The bundle of `examples/worker`. */
export const bundleOfExample = () => bundleOf({ entryPoints: [join(root, 'examples', 'worker', 'index.ts')] })

/** Starts workerd with the code and these variables, and waits for its first answer. `heldKiB` needs `isInspected`. */
export async function startWorkerd(code, { settings = {}, isInspected = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-workerd-'))
  mkdirSync(join(folder, 'state'))
  writeFileSync(join(folder, 'worker.js'), code)
  writeFileSync(join(folder, 'config.capnp'), configWith(settings), { mode: 0o600 })
  const inspecting = isInspected ? ['--inspector-addr=127.0.0.1:0'] : []
  const child = spawn(workerdFile(), ['serve', 'config.capnp', '--control-fd=3', ...inspecting], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  let log = ''
  child.stderr.on('data', (bytes) => (log += bytes))
  const ports = {}
  for await (const line of createInterface({ input: child.stdio[3] })) {
    const { event, port } = JSON.parse(line)
    ports[event] = port
    if (event === 'listen') break
  }
  if (ports.listen === undefined) throw new Error(`Cannot start workerd: ${log.slice(-2000)}`)
  const url = `http://127.0.0.1:${ports.listen}`
  await (await fetch(url)).arrayBuffer()
  return {
    url,
    pid: child.pid,
    heldKiB: () => heldKiB(ports['listen-inspector'], url),
    async stop() {
      child.kill('SIGKILL')
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The configuration of the example, at any free port, with other variables, and with providers on loopback. */
function configWith(settings) {
  const bindings = Object.entries(settings).map(
    ([name, value]) => `    (name = "${name}", text = ${JSON.stringify(value)}),\n`,
  )
  return readFileSync(join(root, 'examples', 'worker', 'workerd.capnp'), 'utf8')
    .replace('127.0.0.1:8788', '127.0.0.1:0')
    .replace('  services = [\n', '$&    (name = "internet", network = (allow = ["private"])),\n')
    .replace(/ {4}\(name = "RATE_LIMITS".*(?= {2}\],\n\);)/s, bindings.join(''))
}

/** The memory of V8 after its garbage is collected, in KiB. The isolate listens only while it has something to do. */
async function heldKiB(port, url) {
  const [{ webSocketDebuggerUrl }] = await (await fetch(`http://127.0.0.1:${port}/json`)).json()
  const socket = new WebSocket(webSocketDebuggerUrl)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const poke = setInterval(() => void fetch(url).then((answer) => answer.text()), 50)
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

/** What a process takes: KiB of memory, open files, and the CPU time of all its threads in ms. */
export function resourcesOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return {
    rssKiB: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]),
    files: readdirSync(`/proc/${pid}/fd`).length,
    cpuMs: ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond,
  }
}
