/**
 * Pieces of an answer. A piece is the text of one event. The gateway searches it for keys, and then encodes it as bytes.
 *
 * @module
 */
import type { Frame, ServerCodec } from '../core/codec.ts'
import { encodeNdjson, encodeSse } from '../framing/text.ts'

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

/** Encodes pieces as bytes. */
export interface PieceEncoder {
  more(pieces: readonly string[]): Uint8Array
  /** Encodes the last pieces and the end of the stream. */
  end(pieces: readonly string[]): Uint8Array
}

const encoder = /* @__PURE__ */ new TextEncoder()
const encodeText = (pieces: readonly string[]) => encoder.encode(pieces.join(''))

/** For a format whose events are text. */
export const textPieces: PieceEncoder = { more: encodeText, end: encodeText }

/** For a format with a binary framing. */
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

/** For a stream that is one JSON array. */
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
