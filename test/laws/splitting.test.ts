/** However the bytes of an answer are cut, the events are the same. */
import { describe, expect, it } from 'vitest'
import { casesOf } from '../support/corpus.ts'
import { cutsTimeout, framesOf, hold, placesOf, shapeOf } from '../support/cuts.ts'
import { comparable, decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'
import { cut, seeded } from '../support/random.ts'

const randomCuts = 200

describe.each(formats)('$folder', ({ folder, client }) => {
  const streams = casesOf(folder).filter((one) => one.kind !== 'json')
  const eventsOf = (chunks: Iterable<Uint8Array>) => JSON.stringify(comparable(decodeChunks(client, chunks)))

  it.each(streams)(
    '$name: every cut in two gives the same frames and events',
    (stream) => {
      const { kind, bytes } = stream
      const whole = framesOf(kind, [bytes]).flat()
      const cuts = new Map<string, readonly Uint8Array[]>()
      for (const at of placesOf(stream)) {
        const halves = [bytes.subarray(0, at), bytes.subarray(at)]
        const batches = framesOf(kind, halves)
        if (!hold(batches, whole)) expect(batches.flat(), `cut at ${at}`).toEqual(whole)
        cuts.set(shapeOf(batches), halves)
      }
      expect(cuts.size).toBeGreaterThan(1)
      const events = eventsOf([bytes])
      for (const [shape, halves] of cuts) expect(eventsOf(halves), `cut into batches of ${shape}`).toBe(events)
    },
    cutsTimeout,
  )

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
