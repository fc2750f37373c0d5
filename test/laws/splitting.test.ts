/**
 * However the bytes of an answer are cut, the events are the same.
 *
 * All behind framing sees frames one by one, whatever chunk they came in. So every two-way cut is tried on framing, where it is cheap
 * enough to be, and the whole way is tried on fewer.
 */
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../src/codec.ts'
import { decodeNdjson } from '../../src/framing/ndjson.ts'
import { decodeSse } from '../../src/framing/sse.ts'
import { casesOf, hasCorpus } from '../support/corpus.ts'
import { comparable, decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'
import { cut, seeded } from '../support/random.ts'

/** Streams up to this size are cut at every byte; of larger ones, whose every cut would take minutes, at this many places. */
const everyCutBytes = 10_000
const framingCuts = 1_500
const wholeWayCuts = 60

function* places(length: number, most: number): Generator<number> {
  const step = length <= everyCutBytes && most === framingCuts ? 1 : Math.max(1, length / most)
  for (let at = 1; at < length; at += step) yield Math.floor(at)
}

function framesOf(kind: string, chunks: readonly Uint8Array[]): string {
  const decoder = kind === 'ndjson' ? decodeNdjson() : decodeSse()
  const frames: Frame[] = []
  for (const chunk of chunks) decoder.push(chunk, frames)
  decoder.end(frames)
  return JSON.stringify(frames)
}

describe.skipIf(!hasCorpus).each(formats)('$folder', ({ folder, client }) => {
  const streams = casesOf(folder).filter((one) => one.kind !== 'json')

  it.each(streams)('$name: any cut gives the same frames', ({ kind, bytes }) => {
    const whole = framesOf(kind, [bytes])
    for (const at of places(bytes.length, framingCuts)) {
      const frames = framesOf(kind, [bytes.subarray(0, at), bytes.subarray(at)])
      if (frames !== whole) expect(frames, `cut at ${at}`).toBe(whole)
    }
    expect(
      framesOf(
        kind,
        Array.from(bytes, (byte) => Uint8Array.of(byte)),
      ),
      'byte by byte',
    ).toBe(whole)
  })

  it.each(streams)('$name: any cut gives the same events', ({ bytes }) => {
    const eventsOf = (chunks: readonly Uint8Array[]) => JSON.stringify(comparable(decodeChunks(client, chunks)))
    const whole = eventsOf([bytes])
    const random = seeded(bytes.length)
    for (const at of places(bytes.length, wholeWayCuts)) {
      expect(eventsOf([bytes.subarray(0, at), bytes.subarray(at)]), `cut at ${at}`).toBe(whole)
    }
    for (let round = 0; round < 20; round++) {
      const pieces = 2 + Math.floor(random() * 30)
      expect(eventsOf(cut(bytes, pieces, random)), `random cut ${round}`).toBe(whole)
    }
    expect(eventsOf(Array.from(bytes, (byte) => Uint8Array.of(byte))), 'byte by byte').toBe(whole)
  })
})
