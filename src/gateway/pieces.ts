/**
 * Pieces of an answer: each is the text of one event, in which keys are searched for, until it goes out as bytes.
 *
 * @module
 */
import type { Frame, ServerCodec } from '../core/codec.ts'
import { encodeNdjson } from '../framing/ndjson.ts'
import { encodeSse } from '../framing/sse.ts'

/** Returns a function that writes an event as text. For a binary framing, the text is the event's name and its data, on two lines. */
export function pieceWriter(framing: ServerCodec['framing']): (frame: Frame) => string {
  switch (framing) {
    case 'sse':
      return encodeSse
    case 'ndjson':
      return encodeNdjson
    case 'event-stream':
      return ({ event = '', data }) => `${event}\n${data}`
  }
}

/** Makes bytes of pieces. */
export interface PieceEncoder {
  more(pieces: readonly string[]): Uint8Array
  /** The last pieces, and what closes the stream. */
  end(pieces: readonly string[]): Uint8Array
}

const encoder = /* @__PURE__ */ new TextEncoder()
const encodeText = (pieces: readonly string[]) => encoder.encode(pieces.join(''))

/** For a wire whose pieces are what travels. */
export const textPieces: PieceEncoder = { more: encodeText, end: encodeText }

/** For a wire with a binary framing. */
export function binaryPieces(encodeFrame: (frame: Frame) => Uint8Array): PieceEncoder {
  function encode(pieces: readonly string[]): Uint8Array {
    const messages = pieces.map((piece) => {
      const [event] = piece.split('\n', 1) as [string]
      return encodeFrame({ event, data: piece.slice(event.length + 1) })
    })
    const bytes = new Uint8Array(messages.reduce((length, message) => length + message.length, 0))
    let at = 0
    for (const message of messages) {
      bytes.set(message, at)
      at += message.length
    }
    return bytes
  }
  return { more: encode, end: encode }
}

/** One JSON array, written in pieces. */
export function arrayPieces(): PieceEncoder {
  let isBegun = false
  const write = (pieces: readonly string[]) => {
    let text = ''
    for (const piece of pieces) {
      text += (isBegun ? ',' : '[') + piece
      isBegun = true
    }
    return text
  }
  return {
    more: (pieces) => encoder.encode(write(pieces)),
    end: (pieces) => encoder.encode(`${write(pieces)}${isBegun ? '' : '['}]`),
  }
}
