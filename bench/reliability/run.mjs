/**
 * `npm run reliability -- [disconnect truncation keys budget scale view usage runs stalls slow bodies load throughput soak cpu]`: the named
 * rows, or all. Each runs the Worker of `examples/worker` in workerd on loopback, with a scripted provider, and prints its figures beside
 * their bars. A bar that is missed is printed, and fails nothing: on a busy machine times say little. `--write` puts the figures into the
 * guide. `--users N` sets the number of users of `scale`: default 100,000.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { bodies } from './bodies.mjs'
import { budget, prices } from './budget.mjs'
import { cpu } from './cpu.mjs'
import { disconnect, shortWindow } from './disconnect.mjs'
import { keys } from './keys.mjs'
import { load } from './load.mjs'
import { openSession, startUpstream, startWorkerd } from './rig.mjs'
import { runs } from './runs.mjs'
import { countingWorker, scale, scalePrices } from './scale.mjs'
import { shortDeadline, slow } from './slow.mjs'
import { soak } from './soak.mjs'
import { shortLimits, stalls } from './stalls.mjs'
import { throughput } from './throughput.mjs'
import { truncation } from './truncation.mjs'
import { told, usage } from './usage.mjs'
import { fillableWorker, view, viewSettings } from './view.mjs'

/** By name: what it runs, the settings of its Worker, and what makes that Worker if it is another. */
const benches = {
  disconnect: [disconnect, shortWindow],
  truncation: [truncation, {}],
  keys: [keys, {}],
  budget: [budget, prices],
  scale: [scale, scalePrices, countingWorker],
  view: [view, viewSettings, fillableWorker],
  usage: [usage, told],
  runs: [runs, {}],
  stalls: [stalls, shortLimits],
  slow: [slow, shortDeadline],
  bodies: [bodies, {}],
  load: [load, {}],
  throughput: [throughput, {}],
  soak: [soak, {}],
  cpu: [cpu, {}],
}

const { values, positionals: named } = parseArgs({
  allowPositionals: true,
  options: { write: { type: 'boolean', default: false }, users: { type: 'string', default: '100000' } },
})
const unknown = named.find((name) => !(name in benches))
if (unknown !== undefined)
  throw new Error(`There is no bench "${unknown}"; there are ${Object.keys(benches).join(', ')}`)

const rows = []
for (const [name, bench] of Object.entries(benches)) {
  if (named.length > 0 && !named.includes(name)) continue
  for (const { what, figure, bar, met } of await runOne(...bench)) {
    rows.push(`| ${[name, what, figure, bar, met ? 'met' : 'missed'].join(' | ')} |`)
    console.log(rows.at(-1))
  }
}
if (values.write) writeRows(rows)

/** Writes the figures into the guide, in place of the earlier figures of the same benches. */
function writeRows(rows) {
  const guide = join(import.meta.dirname, '..', '..', 'docs', 'evidence', 'reliability.md')
  const [before, table, after] = readFileSync(guide, 'utf8').split(
    /(?<=<!-- figures -->\n)|(?=\n<!-- end of figures -->)/,
  )
  const nameOf = (row) => row.split(' ')[1]
  const isNew = new Set(rows.map(nameOf))
  const all = [...table.split('\n').filter((row) => /^\| [a-z]/.test(row) && !isNew.has(nameOf(row))), ...rows]
  const order = ['bench', ...Object.keys(benches)]
  const sorted = all
    .filter((row) => nameOf(row) !== 'bench')
    .sort((a, b) => order.indexOf(nameOf(a)) - order.indexOf(nameOf(b)))
  const head = ['', '| bench | what | figure | bar | |', '| --- | --- | --- | --- | --- |']
  writeFileSync(guide, [before, [...head, ...sorted, ''].join('\n'), after].join(''))
}

async function runOne(run, settings, codeOf) {
  const upstream = await startUpstream()
  const worker = await startWorkerd(upstream.url, settings, await codeOf?.())
  try {
    return await run({ worker, upstream, token: await openSession(worker.url), users: Number(values.users) })
  } finally {
    await worker.stop()
    await upstream.stop()
  }
}
