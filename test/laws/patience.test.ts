/** Fields and events that a provider adds later do not change the rest of what we read. */
import { describe, expect, it } from 'vitest'
import type { ClientCodec, Frame } from '../../src/core/codec.ts'
import type { ContentBlock } from '../../src/core/model.ts'
import { encodeEventStream } from '../../src/framing/event-stream.ts'
import { type CorpusCase, casesOf } from '../support/corpus.ts'
import { decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'
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

function withAddition(json: string): string {
  return JSON.stringify({ ...JSON.parse(json), ...addition })
}

/** The visible part of an answer: without kept unknown fields. */
function visible(codec: ClientCodec, bytes: Uint8Array): unknown {
  const { response, error } = decodeChunks(codec, [bytes])
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
