/** The answers of a bench's provider: its format by hand, as in the gateway's tests, and faulty answers. */
import { speakers } from '../../test/gateway/provider.ts'
import { pause } from './rig.mjs'

const types = { ollama: 'application/x-ndjson' }

export function begin(response, wire) {
  response.writeHead(200, { 'content-type': types[wire] ?? 'text/event-stream' })
  response.flushHeaders()
}

/** The events of a streamed answer. */
export const piecesOf = (wire, said) => speakers[wire].pieces(said)

/** Answers in pieces or whole, as it is asked. */
export const answering = (said) => (asked, response) => {
  const { wire, path, text } = asked
  if (!speakers[wire].isStream({ path, body: JSON.parse(text) })) {
    response.writeHead(200, { 'content-type': 'application/json' })
    return response.end(JSON.stringify(speakers[wire].whole(said)))
  }
  begin(response, wire)
  response.end(piecesOf(wire, said).join(''))
}

/** The events of an answer whose text comes in these pieces: those before them, one for each, and those after them. */
export function longPieces(wire, texts) {
  const mark = 'one piece of text'
  const pieces = piecesOf(wire, { text: `${mark}${mark}` })
  const first = pieces.findIndex((piece) => piece.includes(mark))
  const quoted = (text) => JSON.stringify(text).slice(1, -1)
  const said = texts.map((text, at) =>
    number(
      pieces[first].replace(mark, () => quoted(text)),
      first + at,
    ),
  )
  const whole = quoted(texts.join(''))
  const after = pieces.slice(first + 2).map((piece, at) =>
    number(
      piece.replaceAll(`${mark}${mark}`, () => whole),
      first + texts.length + at,
    ),
  )
  return { before: pieces.slice(0, first), said, after }
}

/** Responses numbers its events, and one that comes twice counts once. */
function number(piece, count) {
  return piece.replace(/"sequence_number":\d+/, `"sequence_number":${count}`)
}

/** Says everything and ends. */
export function answerWith(pieces) {
  return (asked, response) => {
    begin(response, asked.wire)
    for (const piece of pieces(asked.wire)) response.write(piece)
    response.end()
  }
}

/** Says a piece now and then until the other side goes. */
export async function talkForever(asked, response, gapMs) {
  const { before, said } = longPieces(asked.wire, ['word '])
  begin(response, asked.wire)
  response.write(before.join(''))
  for (let count = before.length; !response.destroyed && !response.closed; count++) {
    response.write(number(said[0], count))
    await pause(gapMs)
  }
}

/** Begins to speak, and then says nothing more. */
export function fallSilent(asked, response) {
  const { before, said } = longPieces(asked.wire, ['word '])
  begin(response, asked.wire)
  response.write([...before, said[0]].join(''))
}
