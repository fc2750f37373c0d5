/**
 * `node bench/workerd.mjs`: what streams cost in workerd itself, in CPU and memory of its process, and what the Worker of the example
 * weighs and takes to start. Reads `/proc`, so it runs on Linux. Prints JSON.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { median } from './lib/measure.mjs'
import { contents, cutStream, wires, writeEvents } from './lib/streams.mjs'
import { root } from './lib/subject.mjs'
import { modules } from './lib/wire-modules.mjs'

const events = 2_000
const ticksPerSecond = 100
const options = { bundle: true, write: false, minify: true, format: 'esm', target: 'es2023', platform: 'neutral' }

/**
 * Runs in workerd: `/?case=…&rounds=…` reads streams to their end, one after another; `&held=…` leaves this number of streams open in the
 * middle.
 */
const worker = `
import { decodeAnswer } from './src/ask/http-model.ts'
import { translateStream } from './src/gateway/translate.ts'
${wires.map((wire) => `import * as ${modules[wire][0]} from './src/formats/${wire}/index.ts'`).join('\n')}
import streams from 'streams'
const formats = { ${wires.map((wire) => `'${wire}': ${modules[wire][0]}`).join(', ')} }
const chunksOf = {}
for (const [wire, chunks] of Object.entries(streams)) {
  chunksOf[wire] = chunks.map((text) => Uint8Array.from(atob(text), (char) => char.charCodeAt(0)))
}
const held = []
function reader(from, to) {
  const codec = formats[from].createClientCodec()
  return to === null ? decodeAnswer(codec) : translateStream(codec, formats[to].createServerCodec())
}
function read(from, to, portion) {
  const machine = reader(from, to)
  const chunks = chunksOf[from]
  for (const chunk of chunks.slice(0, Math.ceil(chunks.length * portion))) machine.push(chunk, [])
  if (portion === 1) machine.end([])
  return machine
}
export default {
  fetch(request) {
    const { searchParams } = new URL(request.url)
    const [from, to] = [searchParams.get('from'), searchParams.get('to')]
    let whole = 0
    for (let left = Number(searchParams.get('rounds')); left > 0; left--) if (read(from, to, 1).isEnded) whole++
    for (let left = Number(searchParams.get('held')); left > 0; left--) held.push(read(from, to, 0.5))
    return new Response(String(whole + held.length))
  },
}`

const capnp = (port) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [
    (className = "UserAccount", uniqueKey = "accounts"),
    (className = "StreamRun", uniqueKey = "runs"),
  ],
  durableObjectStorage = (inMemory = void),
);`

const pairs = wires.flatMap((from) => [[from], ...wires.filter((to) => to !== from).map((to) => [from, to])])
console.log(JSON.stringify({ cpu: await measureCpu(), memory: await measureMemory(), ...(await measureWorker()) }))

async function measureCpu() {
  const { ask, pid, stop } = await serve(await bundleOfStreams())
  const rows = []
  for (const [from, to] of pairs) {
    await ask(from, to, { rounds: 20 })
    const rounds = 60
    const each = []
    for (let sample = 0; sample < 3; sample++) {
      const before = cpuMs(pid)
      if ((await ask(from, to, { rounds })) !== rounds) throw new Error(`${from} to ${to}: streams without an end`)
      each.push((cpuMs(pid) - before) / rounds / (events / 1000))
    }
    rows.push({ from, to, msPerThousand: median(each) })
  }
  await stop()
  return rows
}

/** Growth of the process by streams that are half read, in a process of its own each. */
async function measureMemory() {
  const rows = []
  const code = await bundleOfStreams()
  for (const [from, to] of [['openai-chat'], ['openai-chat', 'anthropic'], ['anthropic', 'openai-responses']]) {
    const { ask, pid, stop } = await serve(code)
    await ask(from, to, { rounds: 50, held: 50 })
    const before = residentKib(pid)
    await ask(from, to, { held: 500 })
    rows.push({ from, to, bytes: ((residentKib(pid) - before) * 1024) / 500 })
    await stop()
  }
  return rows
}

async function measureWorker() {
  const { outputFiles } = await build({
    ...options,
    entryPoints: [join(root, 'examples', 'worker', 'index.ts')],
    conditions: ['workerd', 'worker', 'browser'],
    mainFields: ['module', 'main'],
    external: ['cloudflare:*'],
  })
  const empty =
    'export class UserAccount {}; export class StreamRun {}; export default { fetch: () => new Response("0") }'
  const startOf = async (code) => {
    const times = []
    for (let round = 0; round < 5; round++) {
      const { startMs, stop } = await serve(code)
      times.push(startMs)
      await stop()
    }
    return median(times)
  }
  const workerMs = await startOf(outputFiles[0].text)
  return { bundleBytes: outputFiles[0].contents.length, startMs: workerMs - (await startOf(empty)) }
}

// ---- workerd ----------------------------------------------------------------------------------

async function bundleOfStreams() {
  const streams = Object.fromEntries(wires.map((wire) => [wire, encoded(wire)]))
  const { outputFiles } = await build({
    ...options,
    stdin: { contents: worker, resolveDir: root, loader: 'js' },
    mainFields: ['module', 'main'],
    plugins: [virtual('streams', `export default ${JSON.stringify(streams)}`)],
  })
  return outputFiles[0].text
}

function encoded(wire) {
  const text = writeEvents(wire, contents.text(events)).join('')
  return cutStream(text, 16 * 1024).map((chunk) => Buffer.from(chunk).toString('base64'))
}

function virtual(name, contents) {
  return {
    name,
    setup(builder) {
      builder.onResolve({ filter: new RegExp(`^${name}$`) }, () => ({ path: name, namespace: name }))
      builder.onLoad({ filter: /.*/, namespace: name }, () => ({ contents, loader: 'js' }))
    },
  }
}

/** Starts workerd with a module, and waits for its first answer. */
async function serve(code) {
  const folder = mkdtempSync(join(tmpdir(), 'isoglot-workerd-'))
  const port = await freePort()
  const classes = code.includes('UserAccount') ? '' : '\nexport class UserAccount {}\nexport class StreamRun {}'
  writeFileSync(join(folder, 'worker.js'), code + classes)
  writeFileSync(join(folder, 'config.capnp'), capnp(port))
  const started = performance.now()
  const child = spawn(workerdFile(), ['serve', 'config.capnp'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  let log = ''
  child.stderr.on('data', (bytes) => {
    log += bytes
  })
  const url = `http://127.0.0.1:${port}/`
  while (!(await answers(url))) {
    if (child.exitCode !== null || performance.now() - started > 20_000) throw new Error(`workerd: ${log.slice(-500)}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  return {
    pid: child.pid,
    startMs: cpuMs(child.pid),
    async ask(from, to, counts) {
      const query = new URLSearchParams({ from, ...(to && { to }), ...counts })
      return Number(await (await fetch(`${url}?${query}`)).text())
    },
    async stop() {
      child.kill()
      await gone
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function answers(url) {
  try {
    await (await fetch(url)).arrayBuffer()
    return true
  } catch {
    return false
  }
}

function workerdFile() {
  return createRequire(createRequire(import.meta.url).resolve('wrangler/package.json'))('workerd').default
}

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The time of all threads of a process, collector and compiler among them. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}

function residentKib(pid) {
  return Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+)/)[1])
}
