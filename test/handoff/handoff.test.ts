/**
 * A conversation begun anywhere continues anywhere: every provider's own history, directly after a tool's result and between turns, on every
 * codec and dialect; judged by validators that were written only from the wire documents.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { facts } from '../formats/index.ts'
import type { Wire } from '../support/answers.ts'
import { hasShared } from '../support/corpus.ts'
import { inTurn } from '../support/cuts.ts'
import {
  allows,
  goOn,
  type History,
  kinds,
  type Moment,
  moments,
  recordedHistories,
  writtenHistories,
} from './histories.ts'
import { handOver, isHome, judge, modelFor, type Target, targets, wires } from './matrix.ts'
import { blockProofsIn, proofsIn, stringsIn } from './proofs.ts'
import { rowsOf, writeReport } from './report.ts'

const written = new Set(writtenHistories())
const histories = [...written, ...recordedHistories()]

const continuations = histories.flatMap((history) =>
  moments.filter((moment) => allows(history, moment)).map((moment) => continuationOf(history, moment)),
)

function continuationOf(history: History, moment: Moment) {
  const { format, provider, name } = history
  const context = goOn(history, moment)
  const label = `${format}/${provider}: ${name}, ${moment}`
  return { label, history, moment, context, proofs: proofsIn(context), blockProofs: blockProofsIn(context) }
}

it('has histories of every kind from every wire that can have them', () => {
  for (const { client } of wires) {
    const found = new Set(histories.filter(({ format }) => format === client.name).flatMap((one) => [...one.kinds]))
    const missing = kinds.filter((kind) => !found.has(kind) && !facts[client.name as Wire].noHistories.includes(kind))
    expect(missing, client.name).toEqual([])
  }
})

/**
 * Dialects share the code of their format: each gets the written histories, its own, and a third of the recorded ones of others, its neighbours
 * the rest.
 */
function continuationsFor(target: Target) {
  const isWire = wires.some(({ name }) => name === target.name)
  const due = new Set(inTurn(continuations, isWire ? 1 : 3, targets.indexOf(target)))
  return continuations.filter((one) => due.has(one) || written.has(one.history) || isHome(one.history, target.client))
}

describe.each(targets)('$name', (target: Target) => {
  const { client } = target

  it('takes every history from everywhere, at every moment', () => {
    const due = continuationsFor(target)
    expect(due.length).toBeGreaterThan(100)
    const found = due.flatMap(({ label, history, moment }) =>
      judge(history, moment, target).findings.map((what) => `${label}: ${what}`),
    )
    expect(found).toEqual([])
  })

  it('gets no proof that another provider, or another family of models, made', {
    meta: { promise: '0.43 0.76' },
  }, () => {
    const found: string[] = []
    let seen = 0
    for (const { label, history, context, ...its } of continuations) {
      const isOwn = isHome(history, client)
      const proofs = isOwn ? its.blockProofs : its.proofs
      if (proofs.size === 0) continue
      seen += proofs.size
      const { body } = handOver(context, target, isOwn ? 'another-family' : modelFor(history, target))
      const sent = JSON.stringify(body)
      for (const proof of proofs)
        if (sent.includes(JSON.stringify(proof).slice(1, -1))) found.push(`${label}: ${proof.slice(0, 40)}`)
    }
    expect(found).toEqual([])
    expect(seen).toBeGreaterThan(0)
  })

  it('gets its own proofs back, byte for byte', { meta: { promise: '0.43 0.76' } }, () => {
    const found: string[] = []
    let seen = 0
    for (const { label, history, context, blockProofs } of continuations) {
      // Parts of a cancelled answer without a follower are not sent back: anthropic.md and openai-responses.md §2.4.
      if (!isHome(history, client) || history.kinds.has('abort in the middle')) continue
      const { body } = handOver(context, target, modelFor(history, target))
      const sent = stringsIn(body)
      for (const proof of blockProofs) {
        seen++
        if (!sent.has(proof)) found.push(`${label}: ${proof.slice(0, 40)}`)
      }
    }
    expect(found).toEqual([])
    // wire/README.md §7: the other wires have no proofs.
    if (/^(?:anthropic|gemini|openai-responses)$/.test(target.name)) expect(seen).toBeGreaterThan(0)
  })
})

/** dialects.md §11: its `reasoning_content` must be replayed. */
it('gives Moonshot the reasoning back that came with its call', () => {
  const moonshot = targets.find(({ client }) => client.provider === 'moonshot') as Target
  const [history] = writtenHistories().filter(({ provider }) => provider === 'moonshot')
  const { body } = handOver(goOn(history as History, 'tool result'), moonshot, (history as History).model)
  expect((body as { messages: unknown[] }).messages.at(-2)).toMatchObject({
    role: 'assistant',
    reasoning_content: 'I should look at the weather.',
    tool_calls: [{ function: { name: 'get_weather' } }],
  })
})

// ---- the report -------------------------------------------------------------------------------

it('written histories lose these, and nothing else', () => {
  const lost = new Set(rowsOf(writtenHistories()))
  expect([...lost].sort()).toEqual([
    '| **major** | dropped | `messages[].content[]` | Cohere takes text and images here |',
    '| **major** | dropped | `messages[].content[]` | Ollama takes only text and images |',
    '| *minor* | changed | `messages[].content[]` | Gemini 3 refuses a round without its own signature: it goes as text |',
    '| *minor* | changed | `messages[].content[]` | it is in a user message after the results |',
    '| *minor* | changed | `messages[]` | Gemini 3 refuses a round without its own signature: it goes as text |',
    '| *minor* | dropped | `messages[].content[].citations` | the target takes no citations of other providers |',
    '| *minor* | dropped | `messages[].content[]` | another provider ran it |',
    '| *minor* | dropped | `messages[].content[]` | it is reasoning without a proof that is valid here |',
    '| *minor* | dropped | `messages[].content[]` | it is reasoning without text, and no proof of it is valid here |',
    '| info | changed | `messages[].content[]` | the call "…" goes as "…" |',
    '| info | changed | `messages[].status` | the target has no flag for a failed result: the text says it |',
    '| info | changed | `messages[].toolCallId` | its call goes as "…" |',
    '| info | dropped | `messages[].content[].citations` | the target takes no citations back |',
    '| info | dropped | `messages[].content[].filename` | the target has no names of files |',
    '| info | dropped | `messages[].content[].opaque` | it is a proof for another provider, or another of its models |',
    '| info | dropped | `messages[].content[]` | it is blank text |',
    '| info | invented | `contents` | Gemini 3 wants a signature on a call that it did not make |',
  ])
})

// The page counts the larger set too, so that it can be counted again only where that is.
if (hasShared)
  it('docs/evidence/handoff.md has the counts of today; `node scripts/with-node.mjs scripts/handoff.mjs` writes it', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'evidence', 'handoff.md'), 'utf8')
    expect(page).toBe(writeReport().summary)
  })
