/** An answer cut short is an error, keeps what came, and none of its calls may run. */
import { describe, expect, it } from 'vitest'
import { canRunTools } from '../../src/content.ts'
import { casesOf, hasCorpus } from '../support/corpus.ts'
import { decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'

const mostCuts = 300

describe.skipIf(!hasCorpus).each(formats)('$folder', ({ folder, client }) => {
  // Old Vertex servers say `STOP` with every chunk, so that nothing in such a stream tells its end from a cut.
  const saysEndAlways = ({ meta }: { meta: { quirks: readonly string[] } }) => meta.quirks.includes('finish-repeated')
  const streams = casesOf(folder).filter(
    (one) => one.kind !== 'json' && !one.meta.features.includes('error') && !saysEndAlways(one),
  )

  it.each(streams)('$name: a cut is an error with what came before, or the whole answer', ({ bytes }) => {
    const whole = decodeChunks(client, [bytes])
    const step = Math.max(1, Math.ceil(bytes.length / mostCuts))
    for (let at = 0; at < bytes.length; at += step) {
      const { events, response, error } = decodeChunks(client, [bytes.subarray(0, at)])
      if (response !== undefined) {
        // The wire's own end had come: what follows it are figures and marks.
        expect(error, `cut at ${at}`).toBeUndefined()
        expect(response.message.content, `cut at ${at}`).toEqual(whole.response?.message.content)
        continue
      }
      expect(error?.code, `cut at ${at}`).toEqual(whole.error === undefined ? 'interrupted' : expect.any(String))
      const partial = error?.partial
      expect(partial, `cut at ${at}`).toBeDefined()
      if (partial === undefined) continue
      expect(canRunTools(partial), `cut at ${at}`).toBe(false)
      const text = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join('')
      const kept = typeof partial.content === 'string' ? [] : (partial.content ?? [])
      expect(kept.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(''), `cut at ${at}`).toBe(text)
    }
  })
})
