/**
 * `node bench/workerd.mjs`: what streams cost in workerd itself, in CPU and memory of its process, and what the Worker of the example
 * weighs and takes to start. Reads `/proc`, so it runs on Linux. Prints JSON.
 */
import { median } from './lib/measure.mjs'
import { contents, cutStream, wires, writeEvents } from './lib/streams.mjs'
import { nameOf, root } from './lib/subject.mjs'
import { bundleOf, bundleOfExample, resourcesOf, startWorkerd } from './lib/workerd.mjs'

const events = 2_000
/** The classes that the configuration of the example names. */
const objects = 'export class UserAccount {}\nexport class StreamRun {}\n'

/**
 * Runs in workerd: `/?case=…&rounds=…` reads streams to their end, one after another; `&held=…` leaves this number of streams open in the
 * middle.
 */
const worker = `
${objects}import { decodeAnswer } from './src/ask/http-model.ts'
import { translateStream } from './src/gateway/translate.ts'
${wires.map((wire) => `import * as ${nameOf(wire)} from './src/formats/${wire}/index.ts'`).join('\n')}
const formats = { ${wires.map((wire) => `'${wire}': ${nameOf(wire)}`).join(', ')} }
const chunksOf = {}
for (const [wire, chunks] of Object.entries(STREAMS)) {
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

const pairs = wires.flatMap((from) => [[from], ...wires.filter((to) => to !== from).map((to) => [from, to])])
console.log(JSON.stringify({ cpu: await measureCpu(), memory: await measureMemory(), ...(await measureWorker()) }))

async function measureCpu() {
  const { ask, cpuMs, stop } = await serve(await bundleOfStreams())
  const rows = []
  for (const [from, to] of pairs) {
    await ask(from, to, { rounds: 20 })
    const rounds = 60
    const each = []
    for (let sample = 0; sample < 3; sample++) {
      const before = cpuMs()
      if ((await ask(from, to, { rounds })) !== rounds) throw new Error(`${from} to ${to}: streams without an end`)
      each.push((cpuMs() - before) / rounds / (events / 1000))
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
    const { ask, rssKiB, stop } = await serve(code)
    await ask(from, to, { rounds: 50, held: 50 })
    const before = rssKiB()
    await ask(from, to, { held: 500 })
    rows.push({ from, to, bytes: ((rssKiB() - before) * 1024) / 500 })
    await stop()
  }
  return rows
}

async function measureWorker() {
  const code = await bundleOfExample()
  const startOf = async (code) => {
    const times = []
    for (let round = 0; round < 5; round++) {
      const { cpuMs, stop } = await serve(code)
      times.push(cpuMs())
      await stop()
    }
    return median(times)
  }
  const empty = `${objects}export default { fetch: () => new Response('0') }`
  return { bundleBytes: code.length, startMs: (await startOf(code)) - (await startOf(empty)) }
}

// ---- workerd ----------------------------------------------------------------------------------

function bundleOfStreams() {
  const streams = Object.fromEntries(
    wires.map((wire) => {
      const chunks = cutStream(writeEvents(wire, contents.text(events)).join(''), 16 * 1024)
      return [wire, chunks.map((chunk) => Buffer.from(chunk).toString('base64'))]
    }),
  )
  return bundleOf({
    stdin: { contents: worker, resolveDir: root, loader: 'js' },
    define: { STREAMS: JSON.stringify(streams) },
  })
}

async function serve(code) {
  const { url, pid, stop } = await startWorkerd(code)
  return {
    stop,
    cpuMs: () => resourcesOf(pid).cpuMs,
    rssKiB: () => resourcesOf(pid).rssKiB,
    async ask(from, to, counts) {
      const query = new URLSearchParams({ from, ...(to && { to }), ...counts })
      return Number(await (await fetch(`${url}/?${query}`)).text())
    },
  }
}
