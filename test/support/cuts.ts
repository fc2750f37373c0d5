/**
 * Every place at which a recorded stream can be cut, and what framing makes of the cut.
 *
 * All behind framing sees frames, in one batch for each chunk of the network. So framing is given every cut there is; and of the cuts of
 * which it makes the same batches one goes the whole way, since nothing behind it can tell them apart.
 */
import type { Frame } from '../../src/codec.ts'
import { decodeNdjson } from '../../src/framing/ndjson.ts'
import { decodeSse } from '../../src/framing/sse.ts'
import type { CorpusCase } from './corpus.ts'

/** Streams up to this size are cut at every byte wherever the tests run; larger ones take minutes, so only in CI or when asked for. */
const largestBytes = 40_000
const cutsAll = process.env.CI === 'true' || process.env.CI === '1' || process.env.ISOGLOT_CUTS === 'all'
/** At how many places a larger stream is cut elsewhere. */
const fewCuts = 1_500

/** A test over the cuts of a stream may take this long, in milliseconds. */
export const cutsTimeout: number = 20 * 60_000

/** The places of a stream to cut at, from 0 to its length. */
export function* placesOf({ bytes }: CorpusCase): Generator<number> {
  const step = cutsAll || bytes.length <= largestBytes ? 1 : bytes.length / fewCuts
  for (let at = 0; at < bytes.length; at += step) yield Math.floor(at)
  yield bytes.length
}

/** The frames of a stream that arrives in these chunks: a batch for each, and the last of what only its end brings. */
export function framesOf(kind: CorpusCase['kind'], chunks: Iterable<Uint8Array>): Frame[][] {
  const decoder = kind === 'ndjson' ? decodeNdjson() : decodeSse()
  const batches: Frame[][] = []
  const batch = (take: (out: Frame[]) => void) => {
    const frames: Frame[] = []
    take(frames)
    batches.push(frames)
  }
  for (const chunk of chunks) batch((out) => decoder.push(chunk, out))
  batch((out) => decoder.end(out))
  return batches
}

/** Whether these batches hold those frames, one after the other. */
export function hold(batches: readonly (readonly Frame[])[], whole: readonly Frame[]): boolean {
  let at = 0
  for (const batch of batches) {
    for (const frame of batch) {
      const expected = whole[at++]
      if (frame.data !== expected?.data || frame.event !== expected.event) return false
    }
  }
  return at === whole.length
}

/** What tells the batches of two cuts apart, given that both hold the same frames. */
export function shapeOf(batches: readonly (readonly Frame[])[]): string {
  return batches.map((batch) => batch.length).join()
}
