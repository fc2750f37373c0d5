/** An answer cut short is an error, keeps what came, and none of its calls may run. */
import { describe, expect, it } from 'vitest'
import { readBody } from '../../src/client/transport.ts'
import { canRunTools } from '../../src/content.ts'
import type { AssistantMessage } from '../../src/model.ts'
import { casesOf } from '../support/corpus.ts'
import { cutsTimeout, framesOf, hold, placesOf, shapeOf } from '../support/cuts.ts'
import { type Decoded, decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'

describe.each(formats)('$folder', ({ folder, client }) => {
  const cases = casesOf(folder)

  it.each(cases.filter((one) => one.kind !== 'json'))(
    '$name: cut at any byte it is an error with what came before, or the whole answer',
    (stream) => {
      const { kind, bytes, meta } = stream
      const wholeFrames = framesOf(kind, [bytes]).flat()
      const cuts = new Map<string, number>()
      for (const at of placesOf(stream)) {
        const batches = framesOf(kind, [bytes.subarray(0, at)])
        const frames = batches.flat()
        if (!hold(batches, wholeFrames.slice(0, frames.length))) expect(frames, `cut at ${at}`).toEqual(wholeFrames)
        cuts.set(shapeOf(batches), at)
      }
      expect(cuts.size).toBeGreaterThan(1)
      const whole = decodeChunks(client, [bytes])
      // Nothing tells the end of such a stream from a cut: each of its chunks names the reason why it ends.
      const endsAnywhere = meta.quirks.includes('finish-repeated')
      for (const at of cuts.values()) {
        const cut = decodeChunks(client, [bytes.subarray(0, at)])
        if (cut.response === undefined) checkBrokenOff(cut, whole, `cut at ${at}`)
        else if (endsAnywhere)
          expect(textOf(whole.response?.message ?? whole.error?.partial)).toContain(textOf(cut.response.message))
        // The wire's own end had come: what follows it are figures and marks.
        else expect(cut.response.message.content, `cut at ${at}`).toEqual(whole.response?.message.content)
      }
    },
    cutsTimeout,
  )

  it.each(cases.filter((one) => one.kind === 'json'))('$name: cut at any byte it is no answer', ({ text }) => {
    const body = text.trim()
    for (let at = 1; at < body.length; at++) {
      expect(() =>
        client.decodeResponse(readBody(body.slice(0, at), { codec: client, model: '', baseUrl: '' }), 0),
      ).toThrow('it is no JSON')
    }
  })
})

/** An error of its own in the whole stream may have come before the cut; else the cut is what is told. */
function checkBrokenOff({ events, error }: Decoded, whole: Decoded, where: string): void {
  const codes = whole.error === undefined ? ['interrupted'] : ['interrupted', whole.error.code]
  expect(codes, where).toContain(error?.code)
  const partial = error?.partial
  expect(partial, where).toBeDefined()
  if (partial === undefined) return
  expect(canRunTools(partial), where).toBe(false)
  const told = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []))
  expect(textOf(partial), where).toBe(told.join(''))
}

function textOf(message: AssistantMessage | undefined): string {
  const content = message?.content ?? []
  if (typeof content === 'string') return content
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
}
