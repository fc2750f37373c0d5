/** The losses between every two wires, as the tests' hand-overs report them; `docs/evidence/handoff.md` has the summary. */
import type { Loss } from '../../src/core/messages.ts'
import { wires as sources } from '../support/answers.ts'
import { titles as allTitles } from '../support/translation-doc.ts'
import { allows, type History, moments, recordedHistories, writtenHistories } from './histories.ts'
import { judge, type Target, targets, wires } from './matrix.ts'

/** Hand-overs from one wire to one target. */
interface Pair {
  count: number
  refused: number
  /** Lines of a table; one for each kind of loss. */
  readonly losses: Set<string>
}

const titles: Readonly<Record<string, string>> = allTitles

/** The report over all recordings: the summary, and every kind of loss in tables. */
export function writeReport(): { readonly summary: string; readonly tables: string } {
  const histories = [...writtenHistories(), ...recordedHistories()]
  const pairs = new Map(targets.map((target) => [target, measure(target, histories)]))
  const dialects = targets.filter((target) => !wires.includes(target))
  const all = [...pairs.values()].flatMap((one) => [...one.values()])
  const total = all.reduce((sum, { count }) => sum + count, 0)
  const refused = all.reduce((sum, pair) => sum + pair.refused, 0)
  const tables = [
    ...sources.flatMap((source) => wires.map((target) => section(source, target, pairOf(pairs, target, source)))),
    '## Dialects\n\nWhat is lost on the way to a dialect beside what its wire loses.\n',
    ...dialects.map((target) => dialectSection(target, pairs)),
  ].join('\n')
  return { summary: [opening(histories.length, total, refused), matrix(pairs)].join('\n'), tables }
}

function opening(histories: number, total: number, refused: number): string {
  return `# Hand-off

Can a conversation that began with one provider continue with another, and what is lost? This page has the answer for every pair.

We took ${histories} conversations of ${sources.length} wires and their dialects, recorded or written by hand, and continued each on ${targets.length} codecs and dialects:
directly after a tool's result, in the next turn, and with a user message before the model's turn. Validators that were written only from
the wires' documents refuse ${refused === 0 ? 'none' : refused} of the ${total} requests. \`test/handoff\` also compares them with the types of the official clients, and sends them
over HTTP.

Each cell has the number of kinds of loss. A major loss is an error unless \`strict\` says otherwise; the others are in \`warnings\`.
\`node scripts/with-node.mjs scripts/handoff.mjs\` writes this page, and prints each kind of loss.
`
}

/** The rows of the tables that these histories cause on the wires. */
export function rowsOf(histories: readonly History[]): readonly string[] {
  return wires.flatMap((target) => [...measure(target, histories).values()].flatMap(({ losses }) => [...losses]))
}

type Pairs = ReadonlyMap<Target, ReadonlyMap<string, Pair>>

const pairOf = (pairs: Pairs, target: Target, source: string): Pair =>
  pairs.get(target)?.get(source) ?? { count: 0, refused: 0, losses: new Set() }

function measure(target: Target, histories: readonly History[]): ReadonlyMap<string, Pair> {
  const found = new Map<string, Pair>()
  for (const history of histories) {
    const pair = found.get(history.format) ?? { count: 0, refused: 0, losses: new Set() }
    found.set(history.format, pair)
    for (const moment of moments) {
      if (!allows(history, moment)) continue
      const { findings, losses } = judge(history, moment, target)
      pair.count++
      if (findings.length > 0) pair.refused++
      for (const loss of losses) pair.losses.add(lineOf(loss))
    }
  }
  return found
}

const severities = { major: '**major**', minor: '*minor*', info: 'info' } as const

/** The parts of a reason that only one conversation has. */
const common: readonly (readonly [RegExp, string])[] = [
  [/it is a proof for \S+ and the model ".*"/, 'it is a proof for another provider, or another of its models'],
  [/(?:is number \d+ of|goes as \d+)/, 'is counted anew in'],
  [/"[^"]*"/g, '"…"'],
]

/** One line for all losses that differ only by a place, a name or an id. */
function lineOf({ path, action, reason, severity }: Loss): string {
  const place = path.replace(/\[\d+\]/g, '[]')
  const why = common.reduce((text, [one, all]) => text.replace(one, all), reason)
  return `| ${severities[severity]} | ${action} | \`${place}\` | ${why} |`
}

function matrix(pairs: Pairs): string {
  const head = `| from, to | ${wires.map(({ client }) => titles[client.name]).join(' | ')} |`
  const rule = `| --- |${' --- |'.repeat(wires.length)}`
  const rows = sources.map((source) => {
    const cells = wires.map((target) => cell(pairOf(pairs, target, source)))
    return `| ${titles[source]} | ${cells.join(' | ')} |`
  })
  return [head, rule, ...rows, ''].join('\n')
}

/** Such as `12, 1 major`. */
function cell({ losses }: Pair): string {
  const majors = [...losses].filter((line) => line.startsWith('| **major**')).length
  return `${losses.size}${majors > 0 ? `, ${majors} major` : ''}`
}

const order = ['**major**', '*minor*', 'info']
const rank = (line: string) => order.findIndex((word) => line.startsWith(`| ${word}`))

function table(lines: Iterable<string>): string {
  const sorted = [...lines].sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1))
  if (sorted.length === 0) return 'Nothing.\n'
  return ['| severity | what | where | why |', '| --- | --- | --- | --- |', ...sorted, ''].join('\n')
}

function section(source: string, target: Target, { losses }: Pair): string {
  return `### ${titles[source]} to ${titles[target.client.name]}\n\n${table(losses)}`
}

function dialectSection(target: Target, pairs: Pairs): string {
  const parent = wires.find(({ client }) => client.name === target.client.name) as Target
  const own = new Set<string>()
  for (const source of sources) {
    const known = pairOf(pairs, parent, source).losses
    const plain = new Set([...known].map(withoutNames))
    for (const line of pairOf(pairs, target, source).losses) if (!plain.has(withoutNames(line))) own.add(line)
  }
  return `### ${target.name}\n\n${table(own)}`
}

/** Dialects give the same reasons in their own names. */
function withoutNames(line: string): string {
  return line.split(' | ').slice(0, 3).join(' | ')
}
