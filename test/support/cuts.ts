/**
 * The places at which a recorded stream can be cut, and what framing makes of a cut.
 *
 * Framing keeps nothing from one event to the next, which `segmentsOf` is there to prove: so a cut is tried in the event that it is in, and
 * not in the whole stream; and of events that framing cannot tell apart (`outlineOf`), only in the first. Everything after framing reads
 * frames, in one batch for each chunk of the network: so one of the cuts that framing turns into the same batches is decoded, and the first
 * of each kind in long runs of similar frames.
 *
 * The project `exhaustive` cuts every stream at every byte, and decodes it after every frame. Long streams are framed in parts (`partsOf`),
 * and cut at many frames at once (`farApart`).
 */
import { inject, it } from 'vitest'
import type { Frame } from '../../src/core/codec.ts'
import type { CorpusCase } from './corpus.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether a law tries every case, and not only those that can differ. */
    isExhaustive: boolean
  }
}

export const isExhaustive: boolean = inject('isExhaustive')

/** All of these in the project `exhaustive`; otherwise one of each `share`, beginning with the one at `turn`. */
export function inTurn<T>(all: readonly T[], share: number, turn = 0): readonly T[] {
  return isExhaustive ? all : all.filter((_, at) => at % share === turn % share)
}

/** A test over the cuts of a stream may take this long, in milliseconds. */
export const cutsTimeout: number = 20 * 60_000

/** A test that only the project `exhaustive` has. */
export function itIfExhaustive(title: string, body: () => void | Promise<void>): void {
  if (isExhaustive) it(title, body, cutsTimeout)
}

const [lf, cr] = [0x0a, 0x0d]

/**
 * Where a cut can matter: up to three bytes from a line end, next to a byte that is not ASCII, in the first eight bytes of a line, and in
 * the middle of it.
 */
export function placesOf(bytes: Uint8Array): readonly number[] {
  const places = new Set([0, bytes.length])
  let start = 0
  for (const [at, byte] of bytes.entries()) {
    if (byte >= 0x80 || at - start < 8) places.add(at).add(at + 1)
    if (byte !== lf && byte !== cr) continue
    for (let near = at - 3; near <= at + 4; near++) places.add(near)
    places.add(Math.floor((start + at) / 2))
    start = at + 1
  }
  return [...places].filter((at) => at >= 0 && at <= bytes.length)
}

/** Every place, from 0 to the length. */
export function allPlacesOf(bytes: Uint8Array): readonly number[] {
  return Array.from({ length: bytes.length + 1 }, (_, at) => at)
}

/** The events of a stream, or its lines, each with its end; the last may have none. */
export function segmentsOf({ kind, bytes }: Pick<CorpusCase, 'kind' | 'bytes'>): readonly Uint8Array[] {
  if (kind === 'bin') return messagesOf(bytes)
  // One character for each byte.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  const ends = kind === 'ndjson' ? /\n/g : /(?:\r\n|\n|\r(?!\n)){2}/g
  const starts = [0, ...Array.from(text.matchAll(ends), ({ 0: end, index }) => index + end.length)]
  return starts.map((start, at) => bytes.subarray(start, starts[at + 1])).filter(({ length }) => length > 0)
}

/**
 * A stream in parts of whole events, each with its start: up to `partBytes`, or one longer event. The time to cut a text at every byte grows
 * with the square of its length: a stream of 300 kB took twenty minutes. As framing keeps nothing from one event to the next, a cut among
 * a few events shows what it shows among more of them: parts of 32 KiB took five times as long.
 */
export function partsOf(
  stream: Pick<CorpusCase, 'kind' | 'bytes'>,
  partBytes = 2 * 1024,
): { start: number; part: Uint8Array }[] {
  const lengths = [0]
  for (const { length } of segmentsOf(stream)) {
    const last = lengths.at(-1) ?? 0
    if (last > 0 && last + length > partBytes) lengths.push(length)
    else lengths.splice(-1, 1, last + length)
  }
  let end = 0
  return lengths.map((length) => {
    const start = end
    end += length
    return { start, part: stream.bytes.subarray(start, end) }
  })
}

/**
 * Every place of a part. If it is one event of more than 8 KiB, most of it is one line of JSON, and a cut between two letters of a line differs
 * from the next one only in how many bytes are stored: then each seventh place, and all those where a cut can matter. There are six such events
 * in all streams; to cut them at every byte takes as long as to cut all the others.
 */
export function placesOfPart(part: Uint8Array): readonly number[] {
  const places = allPlacesOf(part)
  if (part.length <= 8 * 1024) return places
  const needed = new Set(placesOf(part))
  return places.filter((at) => at % 7 === 0 || needed.has(at))
}

/** Each begins with its length. */
function messagesOf(bytes: Uint8Array): readonly Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const messages: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += view.getUint32(at))
    messages.push(bytes.subarray(at, at + view.getUint32(at)))
  return messages
}

/**
 * An event as framing sees it: its bytes with each word as one letter, except the names of fields and `[DONE]`. All recordings share it, as
 * framing knows no format: one of the similar events is cut.
 */
export function outlineOf(kind: CorpusCase['kind'], bytes: Uint8Array): string {
  if (kind === 'bin') return `${kind} ${bytes.length}` // it sees lengths
  return `${kind}\n${new TextDecoder('latin1').decode(bytes).replace(/(?<!^)\b(?!DONE\b)\w+/gm, 'a')}`
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

/** The difference between the batches of two cuts, given that both hold the same frames. */
export function shapeOf(batches: readonly (readonly Frame[])[]): string {
  return batches.map((batch) => batch.length).join()
}

/**
 * Places in groups, so that those of one group are as far apart as the groups are many. A stream that is cut at all places of a group at once
 * is cut at each of them between two long batches, and the groups together take the time of the square root of all cuts in two.
 */
export function farApart(places: readonly number[]): readonly (readonly number[])[] {
  const count = Math.ceil(Math.sqrt(places.length))
  const inOrder = places.toSorted((one, other) => one - other)
  return Array.from({ length: count }, (_, turn) => inOrder.filter((_, at) => at % count === turn))
}

/**
 * Where to cut between frames, as places in the bytes: after each event whose kind, and the kind of the next, were not seen in this order
 * before. The kind of an event is its text without the values of its strings and numbers. Streams may share what was `seen`.
 */
export function turnsOf(segments: readonly Uint8Array[], seen = new Set<string>()): readonly number[] {
  const turns = [0]
  let at = 0
  const kinds = segments.map((segment) =>
    new TextDecoder().decode(segment).replace(/: ?("(?:[^"\\]|\\.)*"|-?[\d.eE+-]+)/g, (all, value: string) => {
      const isWord = /^"[\w.]{1,40}"$/.test(value) && all.startsWith(':"') && value.includes('_')
      return isWord ? all : value === '""' ? ':empty' : `:${value[0] === '"' ? 'text' : 'number'}`
    }),
  )
  for (const [index, segment] of segments.entries()) {
    at += segment.length
    const turn = `${kinds[index]}\n${kinds[index + 1] ?? ''}`
    if (!seen.has(turn)) turns.push(at)
    seen.add(turn)
  }
  return turns
}
