/**
 * Fields and events that a provider adds later do not change the rest of what we read. A field that is null says as little as one that is
 * missing: gateways that read an answer into the classes of a client and write it again send null for all fields without a value.
 */
import { describe, expect, it } from 'vitest'
import type { ClientCodec, Frame } from '../../src/core/codec.ts'
import { field } from '../../src/core/json.ts'
import type { ContentBlock } from '../../src/core/messages.ts'
import { encodeEventStream } from '../../src/framing/amazon-event-stream.ts'
import { encodeNdjson, encodeSse } from '../../src/framing/text.ts'
import { type CorpusCase, casesOf } from '../support/corpus.ts'
import { type Decoded, decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'
import { type Path, placesOf, replaceAt, shapeOf } from '../support/mutations.ts'
import { framesOf } from '../support/raw.ts'

const addition = { from_next_year: { deep: [1, { more: true }] } }

/** Adds an unknown field to the top of each JSON value of a stream that stands on one line. */
function withNewFields({ kind, text, bytes }: CorpusCase): Uint8Array {
  if (kind === 'bin')
    return messages(
      framesOf(kind, [bytes])
        .flat()
        .map(({ data, ...frame }) => ({ ...frame, data: withAddition(data) })),
    )
  const json = kind === 'ndjson' ? /^()(\{[^\r\n]*)/gm : /^(data: ?)(\{[^\r\n]+)/gm
  return Buffer.from(
    text.replace(json, (line, head, value) => (value.endsWith('}') ? head + withAddition(value) : line)),
  )
}

function messages(frames: readonly Frame[]): Uint8Array {
  return new Uint8Array(Buffer.concat(frames.map((frame) => encodeEventStream(frame))))
}

/** All before the last brace stays as it was written: some formats keep the text of arguments. */
function withAddition(json: string): string {
  const isEmpty = Object.keys(JSON.parse(json)).length === 0
  return `${json.trimEnd().slice(0, -1)}${isEmpty ? '' : ','}${JSON.stringify(addition).slice(1)}`
}

/** The visible part of an answer: without kept unknown fields. */
function visible(codec: ClientCodec, bytes: Uint8Array): unknown {
  return visibleOf(decodeChunks(codec, [bytes]))
}

function visibleOf({ response, error }: Pick<Decoded, 'response' | 'error'>): unknown {
  const message = response?.message ?? error?.partial
  const blocks = typeof message?.content === 'string' ? message.content : message?.content?.map(withoutKept)
  return { blocks, stopReason: message?.stopReason, invalid: message?.invalidToolCalls, code: error?.code }
}

function withoutKept(block: ContentBlock): unknown {
  const { providerData: _, ...rest } = block
  return rest.type === 'unknown' ? rest.providerType : rest
}

describe.each(formats)('$folder', ({ folder, client }) => {
  const streams = casesOf(folder).filter((one) => one.kind !== 'json')

  it.each(streams)('$name: unknown fields change nothing', (one) => {
    expect(visible(client, withNewFields(one))).toEqual(visible(client, one.bytes))
  })

  it.each(streams)('$name: an unknown event in the middle changes nothing', (one) => {
    const unknown = { type: 'event_from_next_year', ...addition }
    const line = JSON.stringify(unknown)
    if (one.kind === 'bin') {
      const [head, ...rest] = framesOf(one.kind, [one.bytes]).flat() as [Frame, ...Frame[]]
      const strangers = messages([head, { event: unknown.type, data: line }, ...rest])
      expect(visible(client, strangers)).toEqual(visible(client, one.bytes))
      return
    }
    const strange = one.kind === 'ndjson' ? `${line}\n` : `event: ${unknown.type}\ndata: ${line}\n\n`
    const first = one.kind === 'ndjson' ? /\n/.exec(one.text) : /^data:[\s\S]*?\r?\n\r?\n/m.exec(one.text)
    const at = (first?.index ?? 0) + (first?.[0].length ?? 0)
    const patched = Buffer.from(one.text.slice(0, at) + strange + one.text.slice(at))
    expect(visible(client, patched)).toEqual(visible(client, one.bytes))
  })
})

// ---- null -------------------------------------------------------------------------------------

/** Values that are passed on as they are, with all nulls. */
const passedOn =
  /arguments|args|input|action|result|output|response|executed_tools|logprobs|content_block\.content|content\[\]\.content/i
const kept = new Set(['opaque', 'providerData', 'output'])

/** A whole answer, or one event of a stream. */
interface Body {
  readonly name: string
  readonly type: string
  readonly value: unknown
  /** Decodes the answer with another value in its place. */
  readonly decode: (value: unknown) => Pick<Decoded, 'response' | 'error'>
}

function bodiesOf(one: CorpusCase, client: ClientCodec): readonly Body[] {
  const { id: name, kind, text, bytes } = one
  if (kind === 'json')
    return [{ name, type: 'whole', value: parsed(text), decode: (body) => decodeWhole(client, body) }]
  const frames = framesOf(kind, [bytes]).flat()
  const write = { sse: encodeSse, ndjson: encodeNdjson, bin: encodeEventStream }[kind]
  return frames.map((frame, at) => {
    const value = parsed(frame.data)
    const decode = (body: unknown) =>
      decodeChunks(
        client,
        frames.map((other, index) =>
          Buffer.from(write(index === at ? { ...frame, data: JSON.stringify(body) } : other)),
        ),
      )
    return { name, type: `${(value as { type?: unknown } | undefined)?.type ?? frame.event}`, value, decode }
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function decodeWhole(client: ClientCodec, body: unknown): Pick<Decoded, 'response' | 'error'> {
  try {
    return { response: client.decodeResponse(body), error: undefined }
  } catch (error) {
    return { response: undefined, error: error as Decoded['error'] }
  }
}

function saidBy(decoded: Pick<Decoded, 'response' | 'error'>): string {
  return JSON.stringify(visibleOf(decoded), (key, value) => (kept.has(key) ? undefined : value))
}

interface Gap {
  readonly body: Body
  readonly path: Path
  readonly name: string
}

/** Where an object lacks a field that others at this place have, or has an empty text there: once for each place and set of fields. */
function gapsIn(bodies: readonly Body[]): readonly Gap[] {
  const namesAt = new Map<string, Set<string>>()
  const objects = bodies.flatMap((body) =>
    [...placesOf(body.value)].flatMap((path) => {
      const value = path.reduce((holder, step) => (holder as Record<string, unknown>)[step], body.value)
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
      const place = `${body.type} ${shapeOf(path)} ${'type' in value ? value.type : ''}`
      const names = namesAt.get(place) ?? new Set<string>()
      for (const name of Object.keys(value)) names.add(name)
      namesAt.set(place, names)
      return passedOn.test(shapeOf(path)) ? [] : [{ body, path, value, place, names }]
    }),
  )
  const tried = new Set<string>()
  return objects.flatMap(({ body, path, value, place, names }) =>
    [...names].flatMap((name) => {
      const gap = `${place}.${name} ${Object.keys(value)}`
      if ((Object.hasOwn(value, name) && field(value, name) !== '') || tried.has(gap)) return []
      tried.add(gap)
      return [{ body, path, name }]
    }),
  )
}

describe.each(formats)('$folder', ({ folder, client }) => {
  it('a field that is null changes nothing', () => {
    const bodies = casesOf(folder).flatMap((one) => bodiesOf(one, client))
    const faults = gapsIn(bodies).flatMap(({ body, path, name }) => {
      const { type, value, decode } = body
      const before = decode(value)
      if (type === 'whole' && before.error !== undefined) return [] // the body of an error
      const filled = replaceAt(value, path, (object) => ({ ...(object as object), [name]: null }))
      return saidBy(decode(filled)) === saidBy(before) ? [] : [`${body.name}: ${type} ${shapeOf(path)}.${name}`]
    })
    expect(faults).toEqual([])
  })
})
