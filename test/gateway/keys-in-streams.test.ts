/** A key that a provider writes in two pieces, wherever two events of a recorded stream have a string each at one place. */

import { describe, expect, it } from 'vitest'
import { httpModel } from '../../src/ask/http-model.ts'
import type { ClientCodec, Frame } from '../../src/core/codec.ts'
import { encodeEventStream } from '../../src/framing/amazon-event-stream.ts'
import { encodeNdjson, encodeSse } from '../../src/framing/text.ts'
import { canary, holdsCanary } from '../support/canary.ts'
import { ownCorpus } from '../support/corpus.ts'
import { inTurn } from '../support/cuts.ts'
import { formats } from '../support/formats.ts'
import { framesOf } from '../support/raw.ts'
import { gatewayOf } from './gateway-of.ts'
import { type WireName, wireNames } from './provider.ts'

/** Fields that come whole, and that identify events: with another text, it would be another event. */
const whole = new Set(
  'type event_type event_id id item_id call_id toolUseId name role object event jsonPath finishReason finish_reason stop_reason status model modelVersion responseId'.split(
    ' ',
  ),
)

const streams = ownCorpus.flatMap((one) => {
  const wire = wireNames.find((name) => name === one.format)
  return wire === undefined || one.kind === 'json' ? [] : [{ ...one, kind: one.kind, wire }]
})

type Recorded = (typeof streams)[number]

describe('a key in two pieces', () => {
  it.each(inTurn(streams, 3))('leaves in no stream such as $id', async (recorded) => {
    const other = recorded.wire === 'gemini' ? 'anthropic' : 'gemini'
    expect(await leaksOf(recorded, clientOf(recorded), [recorded.wire, other])).toEqual([])
  })

  it.each(inTurn(streams, 3, 1))(
    'leaves in no stream such as $id where the codec parses events by itself',
    async (recorded) => {
      const client = clientOf(recorded)
      const own: ClientCodec = { ...client, decodeStream: () => client.decodeStream() }
      expect(await leaksOf(recorded, own, [recorded.wire])).toEqual([])
    },
  )

  it.each(streams.filter(({ wire }) => wire === 'gemini'))(
    'leaves in no stream such as $id in lists',
    async (recorded) => {
      const inList = (frame: Frame) => ({ ...frame, data: `[${frame.data}]` })
      expect(await leaksOf(recorded, clientOf(recorded), ['gemini'], inList)).toEqual([])
    },
  )
})

function clientOf({ wire }: Recorded): ClientCodec {
  const found = formats.find(({ folder }) => folder === wire)
  if (found === undefined) throw new Error(`There is no codec of ${wire}`)
  return found.client
}

/** Where the key leaves, for a client of each of these wires. */
async function leaksOf(
  { kind, bytes }: Recorded,
  codec: ClientCodec,
  clients: readonly WireName[],
  wrap = (frame: Frame) => frame,
): Promise<string[]> {
  const frames = framesOf(kind, [bytes]).flat().map(onOneLine)
  const { type, write } = framings[kind]
  const headers = { 'content-type': type }
  const found: string[] = []
  for (const pair of pairsIn(frames)) {
    // Text after a quote is escaped differently where JSON is in JSON.
    const pieces = [`"${canary.slice(0, 14)}`, canary.slice(14)]
    const written = Buffer.concat(rewrite(frames, pair, pieces).map((frame) => Buffer.from(write(wrap(frame)))))
    const fetch = async () => new Response(written, { headers })
    const model = httpModel(codec, 'm', { baseUrl: 'https://provider.test', apiKey: canary, fetch })
    const gateway = gatewayOf({ models: { m: model } })
    for (const client of clients) {
      const answer = await gateway.ask(client, 'm')
      const said = (await answer.text()).replaceAll(/^data: \[(\{.*\})\]$/gm, 'data: $1')
      if (holdsCanary(said)) found.push(`${client}: ${pair.path} of events ${pair.at}`)
    }
  }
  return found
}

const framings = {
  sse: { type: 'text/event-stream', write: encodeSse },
  ndjson: { type: 'application/x-ndjson', write: encodeNdjson },
  bin: {
    type: 'application/vnd.amazon.eventstream',
    write: encodeEventStream as (frame: Frame) => string | Uint8Array,
  },
} as const

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
    // The owner of the text: its block, call or choice, and whether it is text or reasoning.
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
