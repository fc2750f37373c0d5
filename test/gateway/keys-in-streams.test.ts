/** A key that a provider writes in two pieces, wherever two events of a recorded stream have a string each at one place. */
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../src/codec.ts'
import { encodeNdjson } from '../../src/framing/ndjson.ts'
import { encodeSse } from '../../src/framing/sse.ts'
import { createGateway } from '../../src/gateway/index.ts'
import { canary, holdsCanary } from '../support/canary.ts'
import { ownCorpus } from '../support/corpus.ts'
import { framesOf } from '../support/cuts.ts'
import { formats } from '../support/formats.ts'
import { type WireName, wireNames } from './provider.ts'
import { ask } from './wire.ts'

/** What comes whole, and what events are found by: with another text in it, an event would be another. */
const whole = new Set(
  'type id item_id call_id name role object event jsonPath finishReason finish_reason stop_reason status model modelVersion responseId'.split(
    ' ',
  ),
)

const streams = ownCorpus.flatMap((one) => {
  const wire = wireNames.find((name) => name === one.format)
  return wire === undefined || one.kind === 'json' ? [] : [{ ...one, wire }]
})

describe('B14: a key in two pieces', () => {
  it.each(streams)('leaves in no stream such as $id', async ({ wire, kind, bytes }) => {
    const client = formats.find(({ folder }) => folder === wire)?.client
    if (client === undefined) throw new Error(wire)
    const frames = framesOf(kind, [bytes]).flat().map(onOneLine)
    const found: string[] = []
    for (const pair of pairsIn(frames)) {
      // What stands behind a quote is written another way where JSON is in JSON.
      const text = rewrite(frames, pair, [`"${canary.slice(0, 14)}`, canary.slice(14)])
        .map(kind === 'sse' ? encodeSse : encodeNdjson)
        .join('')
      const headers = { 'content-type': kind === 'sse' ? 'text/event-stream' : 'application/x-ndjson' }
      const fetch = async () => new Response(text, { headers })
      const model = { codec: client, model: 'm', baseUrl: 'https://provider.test', apiKey: canary, fetch }
      const gateway = createGateway({ models: { m: model } })
      for (const asked of [wire, wire === 'gemini' ? 'anthropic' : 'gemini'] satisfies WireName[]) {
        const ours = (input: RequestInfo | URL, init?: RequestInit) => gateway.fetch(new Request(input, init))
        const answer = await (
          await ask('https://gateway.test', asked, 'm', 'Hello', { stream: true, fetch: ours })
        ).text()
        if (holdsCanary(answer)) found.push(`${asked}: ${pair.path} of events ${pair.at}`)
      }
    }
    expect(found).toEqual([])
  })
})

/** {@link holdsCanary} reads lines. */
function onOneLine(frame: Frame): Frame {
  return frame.data.startsWith('{') ? { ...frame, data: JSON.stringify(JSON.parse(frame.data)) } : frame
}

/** Two events next to each other of those that have a string at this place. */
interface Pair {
  readonly path: string
  readonly at: readonly [number, number]
}

function pairsIn(frames: readonly Frame[]): Pair[] {
  const last = new Map<string, number>()
  const pairs: Pair[] = []
  for (const [at, { data }] of frames.entries()) {
    if (!data.startsWith('{')) continue
    // Whose text it is: of which block, call or choice, and whether it is said or thought.
    const event = JSON.parse(data)
    const whose = JSON.stringify(event)
      .match(/"(?:type|index|output_index|content_index|thought)":[^,}]+/g)
      ?.join()
    changeTexts(event, '', (path, text) => {
      const before = last.get(`${whose} ${path}`)
      if (before !== undefined) pairs.push({ path, at: [before, at] })
      last.set(`${whose} ${path}`, at)
      return text
    })
  }
  return pairs
}

function rewrite(frames: readonly Frame[], pair: Pair, pieces: readonly string[]): Frame[] {
  return frames.map((frame, at) => {
    const piece = pieces[pair.at.indexOf(at)]
    if (piece === undefined) return frame
    const changed = changeTexts(JSON.parse(frame.data), '', (path, text) => (path === pair.path ? piece : text))
    return { ...frame, data: JSON.stringify(changed) }
  })
}

function changeTexts(value: unknown, path: string, change: (path: string, text: string) => string): unknown {
  if (typeof value === 'string') return change(path, value)
  if (Array.isArray(value)) return value.map((inner, at) => changeTexts(inner, `${path}[${at}]`, change))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).map(([name, inner]) => {
    const isWhole = whole.has(name) && typeof inner === 'string'
    return [name, isWhole ? inner : changeTexts(inner, `${path}.${name}`, change)]
  })
  return Object.fromEntries(fields)
}
