/**
 * `npm run bench -- [throughput peers gateway workerd size pages playground walks] [--markdown]`: measures what is named, or all, and holds it
 * against the bars. With `--markdown` the tables go into `docs/evidence/performance.md` too. Peers are installed by this folder's own lock file.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { installAll } from '../scripts/install.mjs'
import { group, kib, table, writeSections } from './lib/report.mjs'
import { wires } from './lib/streams.mjs'
import { buildSubject } from './lib/subject.mjs'

const bench = import.meta.dirname
const named = process.argv.slice(2).filter((word) => !word.startsWith('--'))
installAll(bench)
const subject = await buildSubject()
const bars = []
const texts = {}

/** Of programs, brotli, in KiB. */
const limits = {
  'isoglot, Chat Completions': 16,
  'isoglot, Anthropic': 16,
  'isoglot, Gemini': 16,
  'isoglot, these three': 21,
  'isoglot, five wires both ways': 48,
}

const sections = { throughput, peers, gateway, workerd, size, pages, playground, walks }
for (const [name, section] of Object.entries(sections)) {
  if (named.length > 0 && !named.includes(name)) continue
  texts[name] = await section()
  console.log(`\n## ${name}\n\n${texts[name]}`)
}
const verdicts = table(['bar', 'limit', 'worst', ''], bars)
console.log(`\n## Bars\n\n${verdicts}`)
if (process.argv.includes('--markdown')) {
  // The bars are those of a whole run.
  writeSections(
    join(bench, '..', 'docs', 'evidence', 'performance.md'),
    named.length > 0 ? texts : { bars: verdicts, ...texts },
  )
}

function throughput() {
  const rows = wires.flatMap((wire) => runJson('throughput.mjs', [subject, wire]) ?? [])
  const isText = ({ kind }) => kind.includes('text')
  const isRecorded = ({ kind }) => kind.startsWith('recorded')
  const isWhole = ({ wire }) => wire === 'gemini' || wire === 'ollama'
  const ratio = ({ ratio }) => ratio
  const calls = rows.filter((row) => !isText(row) && !isRecorded(row))
  for (const [name, limit, of] of [
    ['20,000 events of text, to the floor', 2, rows.filter((row) => isText(row) && !isRecorded(row))],
    ['recorded text, to the floor', 1.25, rows.filter((row) => isText(row) && isRecorded(row))],
    ['arguments and 64 calls that come in pieces', 1.35, calls.filter((row) => !isWhole(row))],
    ['arguments and 64 calls that come whole', 1.35, calls.filter(isWhole)],
    ['recorded calls, to the floor', 1.35, rows.filter((row) => !isText(row) && isRecorded(row))],
  ]) {
    bar(name, limit, of, ratio)
  }
  return table(
    ['wire', 'stream', 'event a chunk', '1 KiB', '16 KiB'],
    group(rows, ({ wire, kind }) => `${wire}\n${kind}`).map((cuts) => [
      cuts[0].wire,
      cuts[0].kind,
      ...cuts.map((row) => row.ratio.toFixed(2)),
    ]),
  )
}

async function peers() {
  const { peerNames } = await import('./peers.mjs')
  const rows = peerNames.flatMap((peer) => runJson('peers.mjs', [subject, peer]) ?? [{ peer, error: 'it did not end' }])
  bar(
    'from `fetch` to the message: ours to each peer’s',
    1,
    rows.filter(({ error }) => !error),
    ({ isoglot, ratio }) => isoglot / ratio,
  )
  return table(
    ['peer', 'wire', 'stream', 'isoglot', 'peer'],
    rows.map(({ peer, wire, kind, isoglot, ratio, error }) => [
      peer,
      wire ?? '',
      kind ?? '',
      isoglot?.toFixed(2) ?? '',
      error ?? ratio.toFixed(2),
    ]),
  )
}

function workerd() {
  const measured = runJson('workerd.mjs', [])
  if (measured === undefined) return 'It did not end.'
  const { cpu, memory, bundleBytes, startMs } = measured
  const translated = cpu.filter(({ to }) => to !== undefined)
  bar('workerd: CPU ms of 1,000 events translated', 2, translated, ({ msPerThousand }) => msPerThousand)
  bar('the Worker of the example, minified KiB', 220, [bundleBytes], (bytes) => bytes / 1024)
  bar('its start in workerd, ms of CPU', 50, [startMs], (ms) => ms)
  return [
    'CPU of the process, in milliseconds for 1,000 events of text:',
    table(
      ['from', 'read', ...wires.map((to) => `to ${to}`)],
      wires.map((from) => [from, figure(cpu, from), ...wires.map((to) => (to === from ? '' : figure(cpu, from, to)))]),
    ),
    'Memory of the process, for each of 500 streams that are half read:',
    table(
      ['from', 'to', 'a stream'],
      memory.map(({ from, to, bytes }) => [from, to ?? 'a message', kib(bytes)]),
    ),
    `The Worker of the example has ${kib(bundleBytes)} minified, and takes ${startMs.toFixed(0)} ms of CPU more to start than an empty one.`,
  ].join('\n\n')
}

function figure(cpu, from, to) {
  return cpu.find((row) => row.from === from && row.to === to)?.msPerThousand.toFixed(1) ?? ''
}

function size() {
  const rows = runJson('size.mjs', [])
  for (const row of rows.filter(({ name }) => name in limits)) {
    bar(`brotli KiB of ${row.name}`, limits[row.name], [row], ({ brotli }) => brotli / 1024)
  }
  const weights = (isPage) =>
    table(
      ['program', 'minified', 'gzip', 'brotli'],
      rows
        .filter((row) => row.isPage === isPage)
        .map(({ name, minified, gzip, brotli, error }) =>
          error === undefined ? [name, kib(minified), kib(gzip), kib(brotli)] : [name, error, '', ''],
        ),
    )
  return [
    weights(false),
    'Pages of a server that has the key, without React:',
    weights(true),
    `Where the bytes of “${rows[0].name}” are, minified:`,
    layersOf(rows[0]),
  ].join('\n\n')
}

/** By folder, with the largest of its modules. */
function layersOf({ minified, parts }) {
  const layerOf = ([file]) =>
    /^(?:src\/formats\/shared|src\/[\w-]+(?=\/)|src|node_modules\/[^/]+)/.exec(file)?.[0] ?? file
  const layers = group(parts, layerOf)
  const sum = (files) => files.reduce((bytes, [, length]) => bytes + length, 0)
  const named = ([file, bytes]) => `\`${file.split('/').at(-1)}\` ${kib(bytes)}`
  return table(
    ['layer', 'minified', 'share', 'largest modules'],
    layers
      .sort((one, other) => sum(other) - sum(one))
      .map((files) => [
        layerOf(files[0]),
        kib(sum(files)),
        `${((100 * sum(files)) / minified).toFixed(0)} %`,
        files.slice(0, 3).map(named).join(', '),
      ]),
  )
}

function pages() {
  const rows = runJson('pages.mjs', [])
  if (rows === undefined) return 'It did not end: it needs Chromium.'
  const [ours, _remote, ...others] = rows
  bar('brotli of a page with a chat: ours to each peer’s', 1, others, (row) => ours.brotli / row.brotli)
  bar('renders of an answer: ours to each peer’s', 1, others, (row) => ours.flow.renders / row.flow.renders)
  const ofCut = ({ error, failed }) => failed ?? (error ? `an error: “${error}”` : 'no error: it looks whole')
  const said = (text = '') => (text.length > 72 ? `${text.slice(0, 70)} …` : text).replace(/[{}"]/g, '')
  const cells = {
    'lines of the route': ({ lines }) => lines.route,
    'lines of the page': ({ lines }) => lines.page,
    'the page beside React, brotli': ({ brotli }) => kib(brotli),
    'the same without zod': ({ brotliWithoutZod }) => kib(brotliWithoutZod),
    'renders of 400 deltas in 4 s': ({ flow }) => flow.renders,
    'from byte to pixel, median': ({ flow }) => `${flow.medianMs.toFixed(0)} ms`,
    'from byte to pixel, worst': ({ flow }) => `${flow.worstMs.toFixed(0)} ms`,
    'the longest task of the page while 10,000 deltas come': ({ longestTaskMs }) =>
      longestTaskMs.failed ?? `${longestTaskMs.toFixed(0)} ms of CPU`,
    'the body ends in mid-answer': ({ cut }) => ofCut(cut),
    'the connection breaks': ({ reset }) => ofCut(reset),
    'Stop: the provider’s request is cancelled': ({ stop }) =>
      stop.cancelledMs === undefined ? 'no' : `after ${stop.cancelledMs.toFixed(0)} ms`,
    'Stop: what came': ({ stop }) => (stop.answers?.length > 0 ? 'stays' : 'is gone'),
    'a second message while the first is answered': ({ twice }) =>
      twice.answers?.length === 2 ? 'both are answered' : `it is refused: ${twice.problem}`,
    'a wrong argument: the tool': ({ wrong }) => (wrong.ran?.length === 0 ? 'does not run' : 'runs with it'),
    'a wrong argument: the model reads': ({ wrong }) => said(wrong.answer?.replace('The tool said: ', '')),
  }
  return table(
    ['', ...rows.map(({ name }) => name)],
    Object.entries(cells).map(([name, cell]) => [name, ...rows.map(cell)]),
  )
}

function gateway() {
  const rows = runJson('gateway.mjs', [])
  if (rows === undefined) return 'It did not end.'
  for (const row of rows) bar(`gateway: ${row.name}`, row.bar, [row], ({ ratio }) => ratio)
  return table(
    ['', 'ratio', 'bar', 'ms of CPU'],
    rows.map(({ name, ratio, bar: most, ms }) => [name, ratio.toFixed(2), most, ms.toFixed(1)]),
  )
}

function playground() {
  const rows = runJson('playground.mjs', [])
  if (rows === undefined) return 'It did not end: it needs Chromium.'
  bar('the longest task of the playground, in ms', 50, rows, ({ longestMs }) => longestMs)
  return table(
    ['browser', 'the chat and the wire', 'the chat and the stream'],
    group(rows, ({ browser }) => browser).map((views) => [
      views[0].browser,
      ...views.map(({ longestMs }) => `${longestMs} ms`),
    ]),
  )
}

function walks() {
  const rows = runJson('walks.mjs', [])
  const most = {
    'a text delta to its event': 8,
    'the end of a call to `execute`': 12,
    'a result to the next request': 15,
  }
  for (const [walk, limit] of Object.entries(most)) {
    bar(
      `files that run from ${walk}`,
      limit,
      rows.filter((row) => row.walk === walk),
      ({ files }) => files,
    )
  }
  return table(
    ['format', 'from', 'files', 'functions'],
    rows.map(({ format, walk, files, functions }) => [format, walk, files, functions]),
  )
}

// ---- helpers ----------------------------------------------------------------------------------

/** The output of a script; `undefined` if it fails or takes more than five minutes. */
function runJson(script, args, flags = []) {
  try {
    const options = { encoding: 'utf8', timeout: 900_000, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 2 ** 26 }
    const lines = execFileSync(process.execPath, [...flags, join(bench, script), ...args], options)
      .trim()
      .split('\n')
    return JSON.parse(lines.at(-1))
  } catch (error) {
    const finding = String(error.stderr || error.message).trim()
    console.error(`${script} ${args.slice(1).join(' ')}: ${finding.split('\n').at(-1)}`)
    return undefined
  }
}

function bar(name, limit, rows, figureOf) {
  const figures = rows.map(figureOf)
  const worst = Math.max(...figures)
  const met = figures.filter((one) => one <= limit).length
  const verdict =
    met === rows.length ? 'met' : rows.length === 1 ? 'missed' : `missed: ${met} of ${rows.length} rows are within`
  bars.push([name, limit, worst.toFixed(2), verdict])
}
