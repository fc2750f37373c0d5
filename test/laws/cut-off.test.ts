/** An answer cut short is an error, keeps the received part, and none of its calls may run. */

import { describe, expect, it } from 'vitest'
import { decodeAnswer, httpModel } from '../../src/ask/http-model.ts'
import { parseAnswer } from '../../src/ask/transport.ts'
import { canRunTools } from '../../src/core/content.ts'
import type { AssistantMessage } from '../../src/core/messages.ts'
import { encodeEventStream } from '../../src/framing/amazon-event-stream.ts'
import { type CorpusCase, casesOf } from '../support/corpus.ts'
import {
  allPlacesOf,
  cutsTimeout,
  hold,
  isExhaustive,
  outlineOf,
  partsOf,
  placesOf,
  placesOfPart,
  segmentsOf,
  turnsOf,
} from '../support/cuts.ts'
import { type Decoded, decodeChunks } from '../support/decode.ts'
import { formats } from '../support/formats.ts'
import { framesOf } from '../support/raw.ts'

/** Which events were cut, by what framing sees of them. */
const tried = new Set<string>()

describe.each(formats)('$folder', ({ folder, client }) => {
  const cases = casesOf(folder)
  const streams = cases.filter((one) => one.kind !== 'json')
  const shortest = streams.toSorted((one, other) => one.bytes.length - other.bytes.length)[0]

  /** Decodes what comes before each of these places. */
  function checkCuts({ bytes, meta }: CorpusCase, places: Iterable<number>): void {
    const whole = decodeChunks(client, [bytes])
    // The end of such a stream looks the same as a cut: each of its chunks names the reason why it ends.
    const endsAnywhere = meta.quirks.includes('finish-repeated')
    for (const at of places) {
      const cut = decodeChunks(client, [bytes.subarray(0, at)])
      if (cut.response === undefined) checkBrokenOff(cut, whole, `cut at ${at}`)
      else if (endsAnywhere)
        expect(textOf(whole.response?.message ?? whole.error?.partial)).toContain(textOf(cut.response.message))
      // The wire's own end had come: what follows it are figures and marks.
      else expect(cut.response.message.content, `cut at ${at}`).toEqual(whole.response?.message.content)
    }
  }

  it.each(streams)(
    '$name: cut where it can matter it is an error with the part before it, or the whole answer',
    (stream) => {
      const segments = segmentsOf(stream)
      for (const segment of segments) {
        const outline = outlineOf(stream.kind, segment)
        if (stream !== shortest && tried.has(outline)) continue
        tried.add(outline)
        const whole = framesOf(stream.kind, [segment]).flat()
        for (const at of stream === shortest ? allPlacesOf(segment) : placesOf(segment)) {
          const frames = framesOf(stream.kind, [segment.subarray(0, at)]).flat()
          if (!hold([frames], whole.slice(0, frames.length))) expect(frames, `cut at ${at}`).toEqual(whole)
        }
      }
      checkCuts(stream, turnsOf(segments))
      // In the middle of its last event, and of the one before.
      checkCuts(
        stream,
        [-1, -2].map((last) => stream.bytes.length - Math.ceil((segments.at(last)?.length ?? 0) / 2)),
      )
    },
  )

  if (isExhaustive) {
    it.each(streams)(
      '$name: cut at any byte it is an error with the part before it, or the whole answer',
      (stream) => {
        const { kind } = stream
        /** By how many frames come before the cut, and by it. */
        const cuts = new Map<string, number>()
        let before = 0
        for (const { start, part } of partsOf(stream)) {
          const whole = framesOf(kind, [part]).flat()
          for (const at of placesOfPart(part)) {
            const batches = framesOf(kind, [part.subarray(0, at)])
            const frames = batches.flat()
            if (!hold(batches, whole.slice(0, frames.length))) expect(frames, `cut at ${start + at}`).toEqual(whole)
            cuts.set(`${before + (batches[0]?.length ?? 0)} ${batches.at(-1)?.length}`, start + at)
          }
          before += whole.length
        }
        expect(cuts.size).toBeGreaterThan(1)
        // Most of a long stream are deltas of one text, one like the other. Between two kinds of event, the test above cuts it.
        const step = Math.ceil(cuts.size / 100)
        checkCuts(
          stream,
          [...cuts.values()].filter((_, at) => at % step === 0),
        )
      },
      cutsTimeout,
    )
  }

  it.each(streams.filter(({ isOwn }) => isOwn || isExhaustive))(
    '$name: cut off after any event, it keeps what the events said, whatever ended it',
    (stream) => {
      const { kind, bytes } = stream
      const whole = decodeChunks(client, [bytes])
      // Responses: items of hosted tools are read when they are complete. Perplexity: a source is cited where its mark has come.
      const isLate = client.name === 'openai-responses' || client.provider === 'perplexity'
      const strings = isLate ? [] : stringsIn(stream)
      const all = contentOf(whole)
      const said = strings.filter(({ text }) => all.includes(text))
      for (const at of turnsOf(segmentsOf(stream))) {
        const cut = decodeChunks(client, [bytes.subarray(0, at)])
        if (cut.error?.code !== 'interrupted') continue // its reason had come, so that its calls are whole; or its own error
        const kept = contentOf(cut)
        const missing = said.filter(({ text, end }) => end <= at && !kept.includes(text))
        expect(missing, `cut at ${at}`).toEqual([])
        const { content } = cut.error.partial as AssistantMessage
        const decoder = decodeAnswer(client)
        decoder.push(bytes.subarray(0, at), [])
        expect(decoder.stop('aborted', []).content, `stopped at ${at}`).toEqual(content)
        const junk =
          kind === 'bin' ? encodeEventStream({ event: 'messageStart', data: '{' }) : Buffer.from('data: {\n\n')
        const spoilt = decodeChunks(client, [bytes.subarray(0, at), junk])
        if (spoilt.error?.code === 'decode') expect(spoilt.error.partial?.content, `spoilt at ${at}`).toEqual(content)
      }
    },
  )

  it.each(cases.filter((one) => one.kind === 'json'))('$name: cut off it is not an answer', ({ text }) => {
    const body = text.trim()
    // A shorter text is not JSON at any length; which is the grammar of JSON and not ours to prove.
    for (const at of [1, Math.floor(body.length / 2), body.length - 1]) {
      const read = () => client.decodeResponse(parseAnswer(body.slice(0, at), httpModel(client, '', { baseUrl: '' })))
      expect(read, `cut at ${at}`).toThrow('it is not JSON')
    }
  })
})

/** An error of its own in the whole stream may have come before the cut; otherwise the cut is reported. */
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

/** The strings in the events of a stream that are more than a word, as JSON has them, and where their events end in its bytes. */
function stringsIn(stream: CorpusCase): readonly { readonly text: string; readonly end: number }[] {
  let end = 0
  return segmentsOf(stream).flatMap((segment) => {
    end += segment.length
    const values = framesOf(stream.kind, [segment])
      .flat()
      .flatMap(({ data }) => (data.startsWith('{') ? [JSON.parse(data)] : []))
    const texts: { text: string; end: number }[] = []
    JSON.stringify(values, (_key, value) => {
      if (typeof value === 'string' && /\w\W+\w/.test(value))
        texts.push({ text: JSON.stringify(value).slice(1, -1), end })
      return value
    })
    return texts
  })
}

/** The content of an answer or of its part, without values for its maker. */
function contentOf({ response, error }: Decoded): string {
  const { content, invalidToolCalls } = response?.message ?? error?.partial ?? {}
  const isKept = (key: string) => key === 'opaque' || key === 'providerData'
  return JSON.stringify([content, invalidToolCalls], (key, value) => (isKept(key) ? undefined : value))
}
