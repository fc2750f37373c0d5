/** However the bytes of an answer are cut, the events are the same. */
import { describe, expect, it } from 'vitest'
import { casesOf } from '../support/corpus.ts'
import {
  allPlacesOf,
  cutsTimeout,
  farApart,
  hold,
  isExhaustive,
  outlineOf,
  partsOf,
  placesOf,
  placesOfPart,
  segmentsOf,
  shapeOf,
  turnsOf,
} from '../support/cuts.ts'
import { comparable, decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'
import { cut, seeded } from '../support/random.ts'
import { framesOf } from '../support/raw.ts'

const randomCuts = isExhaustive ? 50 : 5

/** Which events were cut, each with the one after it, by what framing sees of them. */
const tried = new Set<string>()

describe.each(formats)('$folder', ({ folder, client }) => {
  const streams = casesOf(folder).filter((one) => one.kind !== 'json')
  const shortest = streams.toSorted((one, other) => one.bytes.length - other.bytes.length)[0]
  // A cut between frames gives the decoder the same frames in other batches: what it does between two kinds of event, it does in any stream.
  const turned = new Set<string>()
  const eventsOf = (chunks: Iterable<Uint8Array>) => JSON.stringify(comparable(decodeChunks(client, chunks)))
  const cutAt = (bytes: Uint8Array, places: readonly number[]) =>
    [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length))
  const halvesAt = (bytes: Uint8Array, at: number) => [bytes.subarray(0, at), bytes.subarray(at)]

  it.each(streams)('$name: each of its events gives the same frames without those before it', (stream) => {
    const batches = segmentsOf(stream).map((segment) => framesOf(stream.kind, [segment]).flat())
    expect(batches.flat()).toEqual(framesOf(stream.kind, [stream.bytes]).flat())
    expect(Buffer.concat(partsOf(stream, 500).map(({ part }) => part)).equals(stream.bytes)).toBe(true)
  })

  it.each(streams)('$name: every cut in two where it can matter gives the same frames and events', (stream) => {
    const { kind, bytes } = stream
    const segments = segmentsOf(stream)
    let start = 0
    for (const [index, segment] of segments.entries()) {
      // The next event shows what the cut leaves.
      const window = bytes.subarray(start, start + segment.length + (segments[index + 1]?.length ?? 0))
      start += segment.length
      const outline = outlineOf(kind, window)
      if (stream !== shortest && tried.has(outline)) continue
      tried.add(outline)
      const whole = framesOf(kind, [window]).flat()
      for (const at of stream === shortest ? allPlacesOf(segment) : placesOf(segment)) {
        const batches = framesOf(kind, halvesAt(window, at))
        if (!hold(batches, whole)) expect(batches.flat(), `cut at ${at} of ${outline}`).toEqual(whole)
      }
    }
    const events = eventsOf([bytes])
    for (const at of turnsOf(segments, isExhaustive ? undefined : turned))
      expect(eventsOf(halvesAt(bytes, at)), `cut at ${at}`).toBe(events)
  })

  if (isExhaustive) {
    it.each(streams)(
      '$name: every cut in two gives the same frames and events',
      (stream) => {
        const { kind, bytes } = stream
        /** By how many frames come before the cut, and at the end of the stream. */
        const cuts = new Map<string, number>()
        let before = 0
        for (const { start, part } of partsOf(stream)) {
          const whole = framesOf(kind, [part]).flat()
          for (const at of placesOfPart(part)) {
            const batches = framesOf(kind, halvesAt(part, at))
            if (!hold(batches, whole)) expect(batches.flat(), `cut at ${start + at}`).toEqual(whole)
            cuts.set(`${before + (batches[0]?.length ?? 0)} ${batches.at(-1)?.length}`, start + at)
          }
          before += whole.length
        }
        expect(cuts.size).toBeGreaterThan(1)
        const events = eventsOf([bytes])
        for (const places of farApart([...cuts.values()]))
          expect(eventsOf(cutAt(bytes, places)), `cut at ${places}`).toBe(events)
      },
      cutsTimeout,
    )
  }

  it.each(streams)(
    '$name: any cut in many gives the same events',
    ({ kind, bytes }) => {
      const whole = framesOf(kind, [bytes]).flat()
      const events = eventsOf([bytes])
      const random = seeded(bytes.length)
      const cuts = Array.from({ length: randomCuts }, () => cut(bytes, 2 + Math.floor(random() * 30), random))
      cuts.push(Array.from(bytes, (byte) => Uint8Array.of(byte)))
      const shapes = new Map(
        cuts.map((chunks) => {
          const batches = framesOf(kind, chunks)
          if (!hold(batches, whole)) expect(batches.flat(), `cut into ${chunks.length}`).toEqual(whole)
          return [shapeOf(batches.filter((batch) => batch.length > 0)), chunks]
        }),
      )
      for (const [shape, chunks] of shapes) expect(eventsOf(chunks), `cut into batches of ${shape}`).toBe(events)
    },
    cutsTimeout,
  )
})
