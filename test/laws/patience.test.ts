/** What a provider adds next month changes nothing of what we read today. */
import { describe, expect, it } from 'vitest'
import type { ClientCodec } from '../../src/core/codec.ts'
import type { ContentBlock } from '../../src/core/model.ts'
import { type CorpusCase, casesOf } from '../support/corpus.ts'
import { decodeText } from '../support/decode.ts'
import { formats } from '../support/formats.ts'

const addition = { from_next_year: { deep: [1, { more: true }] } }

/** Adds a field that nobody knows to the top of each JSON value of a stream that stands on one line. */
function withNewFields({ kind, text }: CorpusCase): string {
  const json = kind === 'ndjson' ? /^()(\{[^\r\n]*)/gm : /^(data: ?)(\{[^\r\n]+)/gm
  return text.replace(json, (line, head, value) => (value.endsWith('}') ? head + withAddition(value) : line))
}

function withAddition(json: string): string {
  return JSON.stringify({ ...JSON.parse(json), ...addition })
}

/** What a user sees of an answer: kept unknown fields aside. */
function visible(codec: ClientCodec, text: string): unknown {
  const { response, error } = decodeText(codec, text)
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
    expect(visible(client, withNewFields(one))).toEqual(visible(client, one.text))
  })

  it.each(streams)('$name: an unknown event in the middle changes nothing', (one) => {
    const unknown = { type: 'event_from_next_year', ...addition }
    const line = JSON.stringify(unknown)
    const strange = one.kind === 'ndjson' ? `${line}\n` : `event: ${unknown.type}\ndata: ${line}\n\n`
    const first = one.kind === 'ndjson' ? /\n/.exec(one.text) : /^data:[\s\S]*?\r?\n\r?\n/m.exec(one.text)
    const at = (first?.index ?? 0) + (first?.[0].length ?? 0)
    expect(visible(client, one.text.slice(0, at) + strange + one.text.slice(at))).toEqual(visible(client, one.text))
  })
})
