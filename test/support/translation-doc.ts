/** `docs/evidence/translation.md`, from what came of every recording in every wire. */
import { facts } from '../formats/index.ts'
import { type Wire, wires } from './answers.ts'
import { namedRules, type Verdict } from './coverage.ts'

/** The formats by the names that tables of the guides have room for. */
export const titles = Object.fromEntries(wires.map((wire) => [wire, facts[wire].title])) as Readonly<
  Record<Wire, string>
>

/** The whole document. */
export function describeCoverage(verdicts: readonly Verdict[]): string {
  const requests = verdicts.filter(({ kind }) => kind === 'request')
  const answers = verdicts.filter(({ kind }) => kind !== 'request')
  return `# Translation: what survives

What is lost when a request or an answer is translated from one wire to another? This page counts it for every pair of wires, and names
every loss.

Every answer, whole or streamed, and every request of the recordings is translated from its wire to each of the ${wires.length}. The result is
read as that wire's own clients or servers read it, and compared with the original. The recordings are those of \`test/recordings\`, written
by hand from the documents of the providers, and a larger set of recorded traffic, which is not part of the repository.
\`node scripts/with-node.mjs scripts/translation.mjs\` writes this page from both; \`test/laws/translation.test.ts\` checks the code with the
recordings that are there.

Each cell has the number of cases, then how many are **exact**, how many differ by losses that are *named* below, and how many by anything
else, which has to be 0. All fields of the neutral model are compared. Two kinds of fields are not: those kept for only one wire
(\`providerData\`, ids of items, \`rawStopReason\`, \`providerState\`), and those that the gateway writes itself (provider, id and time of an
answer). On the diagonal, a wire with its dialects is read into the neutral model and written again.

## Answers: ${summary(answers)}

${table(answers)}

## Requests: ${summary(requests)}

${table(requests)}

## Losses of answers

The formats are described by their owners: ${wires.map((wire) => `[${titles[wire]}](${facts[wire].reference})`).join(', ')}.

${losses(answers)}

## Losses of requests

${losses(requests)}
`
}

function summary(verdicts: readonly Verdict[]): string {
  const { cases, exact, named, unnamed } = count(verdicts)
  return `${cases} cases, ${exact} exact, ${named} with named losses, ${unnamed} unnamed`
}

function count(verdicts: readonly Verdict[]) {
  const unnamed = verdicts.filter((one) => one.unnamed.length > 0).length
  const named = verdicts.filter((one) => one.unnamed.length === 0 && one.named.length > 0).length
  return { cases: verdicts.length, exact: verdicts.length - named - unnamed, named, unnamed }
}

function table(verdicts: readonly Verdict[]): string {
  const head = ['from ↓ to →', ...wires.map((wire) => titles[wire])]
  const rows = wires.map((from) => [`**${titles[from]}**`, ...wires.map((to) => cell(verdicts, from, to))])
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

function cell(verdicts: readonly Verdict[], from: Wire, to: Wire): string {
  const { cases, exact, named, unnamed } = count(verdicts.filter((one) => one.from === from && one.to === to))
  return `${cases}: **${exact}** · *${named}* · ${unnamed}`
}

function losses(verdicts: readonly Verdict[]): string {
  const lines = [...namedRules.values()].flatMap(({ name, reason, severity }) => {
    const hit = verdicts.filter(({ named }) => named.includes(name))
    if (hit.length === 0) return []
    const where = wires.filter((wire) => hit.some(({ to }) => to === wire)).map((wire) => titles[wire])
    return [`| ${name} | ${where.join(', ')} | ${hit.length} | ${severity} | ${reason} |`]
  })
  return ['| Loss | To | Cases | Severity | Reason |', '| --- | --- | --- | --- | --- |', ...lines].join('\n')
}
