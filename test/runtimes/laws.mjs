/** Laws for every wire, however the bytes arrive: splitting, line ends, cut-off, whole. */
import { canRunTools } from '../../dist/messages.js'
import { equal, ok } from './assert.mjs'
import { bytesOf, codecs, decodeChunks, decodeText, fingerprint, summary, transcript } from './decode.mjs'
import { wires } from './wires.mjs'

/** Longer streams are cut at this many places, spread evenly: the laws on the sources cut at every byte. */
const mostCuts = 400

export const laws = wires.flatMap((wire) => {
  const codec = codecs[wire.format]
  const bytes = bytesOf(wire.stream)
  return [
    [`${wire.name}: the stream says what was written by hand`, () => says(codec, wire)],
    [`${wire.name}: the whole answer says the same`, () => wholeSays(codec, wire)],
    [`${wire.name}: any cut in two, and byte by byte, gives the same events`, () => anyCut(codec, bytes)],
    [`${wire.name}: a stream cut anywhere is an error, and its calls never run`, () => cutOff(codec, bytes)],
    ...(codec.framing === 'sse'
      ? [[`${wire.name}: line ends, marks, comments and spaces make no difference`, () => otherForms(codec, wire)]]
      : []),
  ]
})

function says(codec, { stream, says: expected }) {
  const { response, error } = decodeText(codec, stream)
  if (response === undefined) throw error
  equal(summary(response), expected)
}

function wholeSays(codec, { stream, whole, says: expected }) {
  const response = codec.decodeResponse(whole)
  equal(summary(response), expected)
  const streamed = decodeText(codec, stream).response
  equal(response.message.response?.id, streamed.message.response?.id, 'the id')
  equal(response.message.response?.model, streamed.message.response?.model, 'the model')
}

function places(length) {
  const count = Math.min(length, mostCuts)
  return Array.from({ length: count }, (_, at) => Math.floor((at * length) / count))
}

function anyCut(codec, bytes) {
  const expected = transcript(decodeChunks(codec, [bytes]))
  for (const at of places(bytes.length)) {
    const found = transcript(decodeChunks(codec, [bytes.subarray(0, at), bytes.subarray(at)]))
    if (found !== expected) equal(found, expected, `a cut at ${at}`)
  }
  const single = Array.from(bytes, (byte) => Uint8Array.of(byte))
  equal(transcript(decodeChunks(codec, single)), expected, 'byte by byte')
  const withEmpty = single.flatMap((byte) => [new Uint8Array(), byte])
  equal(transcript(decodeChunks(codec, withEmpty)), expected, 'byte by byte with empty chunks between')
  return fingerprint(expected)
}

function cutOff(codec, bytes) {
  const whole = decodeChunks(codec, [bytes]).response
  let answers = 0
  const cuts = places(bytes.length)
  for (const at of cuts) {
    const { response, error } = decodeChunks(codec, [bytes.subarray(0, at)])
    if (response === undefined) {
      equal(error?.code, 'interrupted', `the error of a cut at ${at}`)
      equal(error.partial.stopReason, 'interrupted', `the end of what came before a cut at ${at}`)
      ok(!canRunTools(error.partial), `calls would run from a stream cut at ${at}`)
    } else {
      answers++
      equal(response.message.content, whole.message.content, `the answer of a cut at ${at}`)
    }
  }
  ok(answers < cuts.length / 2, `${answers} of ${cuts.length} cuts pass for an answer`)
}

/** @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */
function otherForms(codec, { stream }) {
  const expected = transcript(decodeText(codec, stream))
  const forms = {
    CRLF: stream.replaceAll('\n', '\r\n'),
    CR: stream.replaceAll('\n', '\r'),
    'a byte order mark': `\ufeff${stream}`,
    'comments between events': stream.replaceAll('\n\n', '\n\n: keep-alive\n\n'),
    'no space behind the colon': stream.replaceAll('data: ', 'data:'),
    'ids, retries and unknown fields': stream.replaceAll('data: ', 'id: 7\nretry: 10\nfoo: bar\ndata: '),
    'no blank line at the end': stream.slice(0, -1),
    'no line end at the end': stream.slice(0, -2),
  }
  for (const [name, form] of Object.entries(forms)) {
    equal(transcript(decodeText(codec, form)), expected, name)
    const single = Array.from(bytesOf(form), (byte) => Uint8Array.of(byte))
    equal(transcript(decodeChunks(codec, single)), expected, `${name}, byte by byte`)
  }
}
