/**
 * `npm run bench -- [throughput peers cost size start types]`: measures what is named, or all, and holds it against the bars. Peers are
 * installed by this folder's own lock file. Each figure is a ratio or a size, so that it holds on any machine.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const bench = import.meta.dirname
const named = process.argv.slice(2)
if (!existsSync(join(bench, 'node_modules'))) {
  execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
    cwd: bench,
    stdio: 'inherit',
  })
}
const { buildSubject } = await import('./lib/subject.mjs')
const { wires } = await import('./lib/streams.mjs')
const subject = await buildSubject()
const bars = []

/** Of programs, brotli, in KiB. */
const limits = {
  'isoglot, Chat Completions': 6,
  'isoglot, Anthropic': 6,
  'isoglot, Gemini': 6,
  'isoglot, these three': 12,
  'isoglot, five wires both ways': 24,
}

const sections = { throughput, peers, cost, size, start, types }
for (const [name, section] of Object.entries(sections)) {
  if (named.length === 0 || named.includes(name)) await section()
}
console.log('\n## Bars\n')
table(['bar', 'limit', 'worst', ''], bars)

function throughput() {
  const rows = wires.flatMap((wire) => runJson('throughput.mjs', [subject, wire]))
  heading('Decoding to the final message, as ratio to the floor')
  table(
    ['wire', 'stream', 'event a chunk', '1 KiB', '16 KiB'],
    group(rows, ({ wire, kind }) => `${wire}\n${kind}`).map((cuts) => [
      cuts[0].wire,
      cuts[0].kind,
      ...cuts.map(({ ratio }) => ratio.toFixed(2)),
    ]),
  )
  const isText = ({ kind }) => kind.includes('text')
  bar('text streams, to the floor', 1.25, rows.filter(isText), ({ ratio }) => ratio)
  bar(
    'arguments and parallel calls, to the floor',
    1.35,
    rows.filter((row) => !isText(row)),
    ({ ratio }) => ratio,
  )
}

async function peers() {
  const { peerNames } = await import('./peers.mjs')
  const rows = peerNames.flatMap((peer) => runJson('peers.mjs', [subject, peer]) ?? [{ peer, error: 'it did not end' }])
  heading('From `fetch` to the final message, through the public API, as ratio to the floor')
  table(
    ['peer', 'wire', 'stream', 'isoglot', 'peer'],
    rows.map(({ peer, wire, kind, isoglot, ratio, error }) => [
      peer,
      wire ?? '',
      kind ?? '',
      isoglot?.toFixed(2) ?? '',
      error ?? ratio.toFixed(2),
    ]),
  )
  bar(
    'ours to each peer’s',
    1,
    rows.filter(({ error }) => !error),
    ({ isoglot, ratio }) => isoglot / ratio,
  )
}

function cost() {
  const { growth, live, memory, translation } = runJson('cost.mjs', [subject], ['--expose-gc'])
  heading('Time at 16 times the fragments')
  table(
    ['stream', 'live view', 'ratio'],
    growth.map(({ kind, live: view, ratio }) => [kind, view ? 'yes' : 'no', ratio.toFixed(1)]),
  )
  bar('16 times the fragments', 18, growth, ({ ratio }) => ratio)
  heading('The live view of arguments, to without it')
  table(
    ['stream', 'ratio'],
    live.map(({ kind, ratio }) => [kind, ratio.toFixed(2)]),
  )
  bar('the live view', 2, live, ({ ratio }) => ratio)
  heading('Heap while an answer comes')
  table(
    ['stream', 'events', 'final message', 'peak'],
    memory.map(({ kind, events, bytes, peak }) => [kind, events, kib(bytes), kib(peak)]),
  )
  bar('peak, to 3 x the message + 1 MiB', 1, memory, ({ bytes, peak }) => peak / (3 * bytes + 2 ** 20))
  heading('Translation of text in one pass, as ratio to the floor')
  table(
    ['from', 'to', 'ratio'],
    translation.map(({ from, to, ratio }) => [from, to, ratio.toFixed(2)]),
  )
  bar('translation, to the floor', 2.5, translation, ({ ratio }) => ratio)
}

function size() {
  const rows = runJson('size.mjs', [])
  heading('A program that streams a chat with a tool')
  table(
    ['program', 'minified', 'gzip', 'brotli'],
    rows.map(({ name, minified, gzip, brotli, error }) =>
      error === undefined ? [name, kib(minified), kib(gzip), kib(brotli)] : [name, error, '', ''],
    ),
  )
  for (const row of rows.filter(({ name }) => name in limits)) {
    bar(`brotli KiB of ${row.name}`, limits[row.name], [row], ({ brotli }) => brotli / 1024)
  }
}

function start() {
  const rows = runJson('size.mjs', ['--start'])
  heading('`import()` of the same programs, bundled: milliseconds of work, in a process of its own')
  table(
    ['program', 'ms'],
    rows.map(({ name, importMs, importError, error }) => [name, importMs?.toFixed(1) ?? importError ?? error]),
  )
}

function types() {
  const rows = runJson('types.mjs', [])
  heading('What the types of the same program cost the compiler')
  table(
    ['program', 'instantiations', 'types', 'errors'],
    rows.map((row) => [row.name, row.instantiations, row.types, row.errors ?? 0]),
  )
}

// ---- helpers ----------------------------------------------------------------------------------

/** What a script prints; `undefined` if it fails or takes more than five minutes. */
function runJson(script, args, flags = []) {
  try {
    const options = { encoding: 'utf8', timeout: 300_000, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 26 }
    const lines = execFileSync(process.execPath, [...flags, join(bench, script), ...args], options)
      .trim()
      .split('\n')
    return JSON.parse(lines.at(-1))
  } catch (error) {
    console.error(
      `${script} ${args.slice(1).join(' ')}: ${String(error.stderr || error.message)
        .trim()
        .split('\n')
        .at(-1)}`,
    )
    return undefined
  }
}

function heading(text) {
  console.log(`\n## ${text}\n`)
}

function table(head, rows) {
  console.log([head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n'))
}

function bar(name, limit, rows, figureOf) {
  const figures = rows.map(figureOf)
  const worst = Math.max(...figures)
  const met = figures.filter((figure) => figure <= limit).length
  const verdict =
    met === rows.length ? 'met' : rows.length === 1 ? 'missed' : `missed: ${met} of ${rows.length} rows are within`
  bars.push([name, limit, worst.toFixed(2), verdict])
}

function group(rows, keyOf) {
  const groups = new Map()
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row])
  return [...groups.values()]
}

function kib(bytes) {
  return `${(bytes / 1024).toFixed(1)} KiB`
}
