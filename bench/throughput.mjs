/**
 * `node bench/throughput.mjs <subject> <wire>`: decoding to the final message with parsed arguments, as ratio to the floor. One wire a
 * process, as a program that uses one provider has it. Prints JSON.
 */
import { floorOf } from './lib/floor.mjs'
import { compare } from './lib/measure.mjs'
import { contents, cutStream, cuts, recordedStreams, variants, writeEvents } from './lib/streams.mjs'
import { nameOf } from './lib/subject.mjs'

const [subject, wire, only] = process.argv.slice(2)
const { decodeAnswer, ...formats } = await import(subject)

const codec = formats[nameOf(wire)].createClientCodec()

const streams = {
  ...recordedStreams(wire),
  '20,000 events of text': writeEvents(wire, contents.text(20_000)).join(''),
  'long arguments': writeEvents(wire, contents.arguments(8_000)).join(''),
  '64 parallel calls': writeEvents(wire, contents.parallel(6_400)).join(''),
}

const rows = []
for (const [kind, stream] of Object.entries(streams)) {
  if (only !== undefined && !kind.includes(only)) continue
  for (const [cut, size] of Object.entries(cuts)) {
    const answers = (typeof stream === 'string' ? [stream] : variants(stream)).map((one) => cutStream(one, size))
    const floor = floorOf(wire, stream)
    if (answers.some((chunks) => decode(chunks) === undefined)) throw new Error(`${wire}, ${kind}: no end`)
    const { floor: base, isoglot } = compare({ floor: inTurn(answers, floor), isoglot: inTurn(answers, decode) })
    rows.push({ wire, kind, cut, floorMs: base.ms, ratio: isoglot.ratio })
  }
}
console.log(JSON.stringify(rows))

function inTurn(answers, read) {
  let at = 0
  return () => read(answers[at++ % answers.length])
}

function decode(chunks) {
  const decoder = decodeAnswer(codec)
  let message
  for (const chunk of chunks) {
    const events = []
    decoder.push(chunk, events)
    for (const event of events) if (event.type === 'message_end') message = event.message
  }
  const events = []
  decoder.end(events)
  for (const event of events) if (event.type === 'message_end') message = event.message
  return message
}
