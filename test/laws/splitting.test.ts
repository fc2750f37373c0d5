/** However the bytes of an answer are cut, the events are the same. */
import { describe, expect, it } from 'vitest'
import { casesOf, hasCorpus } from '../support/corpus.ts'
import { comparable, decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'
import { cut, seeded } from '../support/random.ts'

/** Every two-way cut of a large stream is thousands of decodings of it: those above this size are cut at every nth byte. */
const fullCutBytes = 6_000
const mostCuts = 400

describe.skipIf(!hasCorpus).each(formats)('$folder', ({ folder, client }) => {
  const streams = casesOf(folder).filter((one) => one.kind !== 'json')

  it.each(streams)('$name: any cut gives the same events', ({ bytes }) => {
    const whole = comparable(decodeChunks(client, [bytes]))
    const step = bytes.length <= fullCutBytes ? 1 : Math.ceil(bytes.length / mostCuts)
    for (let at = 1; at < bytes.length; at += step) {
      expect(comparable(decodeChunks(client, [bytes.subarray(0, at), bytes.subarray(at)])), `cut at ${at}`).toEqual(
        whole,
      )
    }
    expect(
      comparable(
        decodeChunks(
          client,
          Array.from(bytes, (byte) => Uint8Array.of(byte)),
        ),
      ),
      'byte by byte',
    ).toEqual(whole)
    const random = seeded(bytes.length)
    for (let round = 0; round < 20; round++) {
      const pieces = 2 + Math.floor(random() * 30)
      expect(comparable(decodeChunks(client, cut(bytes, pieces, random))), `random cut ${round}`).toEqual(whole)
    }
  })
})
