/**
 * `node --expose-gc bench/cost.mjs <subject>`: how time grows with the stream, what the live view of arguments costs, what memory an
 * answer takes while it comes, and what a translation from wire to wire takes. Prints JSON.
 */
import { floorOf } from './lib/floor.mjs'
import { compare } from './lib/measure.mjs'
import { contents, cutStream, wires, writeEvents } from './lib/streams.mjs'
import { modules } from './lib/wire-modules.mjs'

const { decodeAnswer, translateStream, liveArguments, ...formats } = await import(process.argv[2])
const codecOf = (wire) => formats[modules[wire][0]].createClientCodec()
const streamOf = (wire, kind, size) => cutStream(writeEvents(wire, contents[kind](size)).join(''), 16 * 1024)

console.log(JSON.stringify({ growth: growth(), live: live(), memory: memory(), translation: translation() }))

function decode(codec, chunks, options) {
  const decoder = decodeAnswer(codec, options)
  let message
  const read = (action) => {
    const events = []
    action(events)
    for (const event of events) if (event.type === 'message_end') message = event.message
  }
  for (const chunk of chunks) read((events) => decoder.push(chunk, events))
  read((events) => decoder.end(events))
  return message
}

/** Time at 16 times the fragments, against that of the fewer. */
function growth() {
  const codec = codecOf('openai-chat')
  return ['text', 'arguments', 'parallel'].flatMap((kind) =>
    [undefined, liveArguments()]
      .filter((view) => view === undefined || kind !== 'text')
      .map((view) => {
        const options = view && { liveArguments: view }
        const [few, many] = [2_500, 40_000].map((size) => streamOf('openai-chat', kind, size))
        const actions = { few: () => decode(codec, few, options), many: () => decode(codec, many, options) }
        return { kind, live: view !== undefined, ratio: compare(actions, { rounds: 7, sampleMs: 30 }).many.ratio }
      }),
  )
}

/** Time with the live view, against that without. */
function live() {
  const codec = codecOf('openai-chat')
  return ['arguments', 'parallel'].map((kind) => {
    const chunks = streamOf('openai-chat', kind, 8_000)
    const without = () => decode(codec, chunks)
    const { view } = compare({ without, view: () => decode(codec, chunks, { liveArguments: liveArguments() }) })
    return { kind, ratio: view.ratio }
  })
}

/** The most that the heap grows while an answer comes, garbage aside, against the size of the final message. */
function memory() {
  return ['text', 'arguments'].flatMap((kind) =>
    [5_000, 40_000, 200_000].map((size) => {
      const codec = codecOf('openai-chat')
      const events = writeEvents('openai-chat', contents[kind](size))
      const [bytes] = cutStream(events.join(''), Number.MAX_SAFE_INTEGER) // outside the heap
      const lengths = Uint32Array.from(events, (event) => Buffer.byteLength(event))
      events.length = 0
      decode(codec, streamOf('openai-chat', kind, 5_000)) // so that the code is compiled before
      const decoder = decodeAnswer(codec)
      globalThis.gc()
      const before = process.memoryUsage().heapUsed
      let peak = 0
      let message
      let start = 0
      for (let at = 0; at < lengths.length; at++) {
        const out = []
        decoder.push(bytes.subarray(start, start + lengths[at]), out)
        start += lengths[at]
        for (const event of out) if (event.type === 'message_end') message = event.message
        if (at % Math.floor(lengths.length / 20) === 0 || message !== undefined) {
          globalThis.gc()
          peak = Math.max(peak, process.memoryUsage().heapUsed - before)
        }
        if (message !== undefined) break
      }
      return { kind, events: lengths.length, bytes: sizeOf(message.content), peak }
    }),
  )
}

/** Bytes of the strings in it, in the width in which an engine holds them. */
function sizeOf(value) {
  if (typeof value === 'string') return value.length * (/[^\0-\xff]/.test(value) ? 2 : 1)
  if (typeof value !== 'object' || value === null) return 8
  return Object.values(value).reduce((sum, entry) => sum + sizeOf(entry), 0)
}

/** Time of a translation in one pass, against the floor of the stream that is read. */
function translation() {
  const rows = []
  for (const from of wires) {
    const chunks = streamOf(from, 'text', 5_000)
    const floor = floorOf(from, '')
    for (const to of wires) {
      if (from === to) continue
      const server = formats[modules[to][0]].createServerCodec()
      const translate = () => {
        const translator = translateStream(codecOf(from), server)
        for (const chunk of chunks) translator.push(chunk, [])
        translator.end([])
        if (!translator.isEnded) throw new Error(`${from} to ${to}: no end`)
      }
      const { translated, floor: base } = compare({ floor: () => floor(chunks), translated: translate }, { rounds: 7 })
      rows.push({ from, to, ratio: translated.ratio, msPerThousand: (base.ms * translated.ratio) / 5 })
    }
  }
  return rows
}
