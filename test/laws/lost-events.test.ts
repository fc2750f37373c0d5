/** A proxy may lose any event of a stream. The rest may have less in it, but never a call that was not made. */
import { describe, expect, it } from 'vitest'
import { toolCallsOf } from '../../src/core/content.ts'
import type { ToolCall } from '../../src/core/messages.ts'
import { casesOf, ownCorpus } from '../support/corpus.ts'
import { isExhaustive, segmentsOf } from '../support/cuts.ts'
import { type Decoded, decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'

const callsIn = ({ response, error }: Decoded): readonly ToolCall[] => {
  const message = response?.message ?? error?.partial
  return message === undefined ? [] : toolCallsOf(message)
}

describe.each(formats)('$folder', ({ folder, client }) => {
  const streams = casesOf(folder).filter((one) => one.kind !== 'json' && (isExhaustive || ownCorpus.includes(one)))

  it.each(streams)('$name: without any one of its events it makes no call for us that it did not make', (stream) => {
    const segments = segmentsOf(stream)
    const known = new Set(callsIn(decodeChunks(client, segments)).map(({ name }) => name))
    const found = segments.flatMap((_, lost) => {
      const calls = callsIn(
        decodeChunks(
          client,
          segments.filter((_segment, at) => at !== lost),
        ),
      )
      const strange = calls.filter(({ name }) => !known.has(name)).map(({ name }) => name)
      return strange.length > 0 ? [`without event ${lost}: ${strange}`] : []
    })
    expect(found).toEqual([])
  })
})
