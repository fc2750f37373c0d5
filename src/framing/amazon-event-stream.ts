/**
 * Decodes and encodes Amazon's event streams: binary messages with headers, a payload and two checksums.
 *
 * A frame's `event` is the `:event-type` of its message. For an exception, it is `exception:` and the exception's type. No event has such a
 * name.
 *
 * @see https://docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html (read 2026-11)
 *
 * @module
 */
import type { Frame } from '../core/codec.ts'
import { DecodeError, InterruptedError, tooLarge } from '../core/errors.ts'
import type { Machine } from '../core/reducer.ts'
import { decoder, defaultMaxEventBytes, type FrameLimits } from './text.ts'

/** The length of the prelude, in bytes: total length, length of the headers, and the checksum of these two. */
const preludeBytes = 12
const checksumBytes = 4
export const exceptionMark = 'exception:'

/**
 * Decodes bytes to one frame for each message. Chunks can end at any byte.
 *
 * @throws {LimitError} if the length of a message is more than `maxEventBytes`. The message is not stored first.
 * @throws {DecodeError} if a length or a checksum is wrong. The bytes after it cannot be decoded.
 * @throws {InterruptedError} if the stream ends in the middle of a message.
 */
export function decodeEventStream({
  maxEventBytes = defaultMaxEventBytes,
}: FrameLimits = {}): Machine<Uint8Array, Frame> {
  /** Starts with the stored bytes. The rest is free space. */
  let buffer = new Uint8Array(0)
  let held = 0

  function add(chunk: Uint8Array): void {
    const length = held + chunk.length
    if (length > buffer.length) {
      const larger = new Uint8Array(Math.max(length, 2 * buffer.length))
      larger.set(buffer.subarray(0, held))
      buffer = larger
    }
    buffer.set(chunk, held)
    held = length
  }

  return {
    push(chunk, out) {
      add(chunk)
      let at = 0
      try {
        while (held - at >= preludeBytes) {
          const length = lengthOf(buffer.subarray(at, held), maxEventBytes)
          if (held - at < length) break
          out.push(...readMessage(buffer.subarray(at, at + length)))
          at += length
        }
      } finally {
        buffer.copyWithin(0, at, held)
        held -= at
      }
    },
    end() {
      if (held > 0) throw new InterruptedError('Cannot finish the stream: it ended in the middle of a message')
    },
  }
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

function lengthOf(bytes: Uint8Array, maxBytes: number): number {
  const view = viewOf(bytes)
  const length = view.getUint32(0)
  if (view.getUint32(8) !== checksum(bytes.subarray(0, 8)))
    throw broken('the checksum of the length of a message is wrong')
  if (view.getUint32(4) + preludeBytes + checksumBytes > length) throw broken('a message is shorter than its headers')
  if (length > maxBytes) throw tooLarge(maxBytes)
  return length
}

function broken(finding: string): DecodeError {
  return new DecodeError(`Cannot read the event stream: ${finding}`)
}

/** Returns one frame, or an empty array for a message of an unknown kind. */
function readMessage(bytes: Uint8Array): Frame[] {
  const end = bytes.length - checksumBytes
  if (viewOf(bytes).getUint32(end) !== checksum(bytes.subarray(0, end)))
    throw broken('the checksum of a message is wrong')
  const start = preludeBytes + viewOf(bytes).getUint32(4)
  const headers = readHeaders(bytes.subarray(preludeBytes, start))
  const data = decoder.decode(bytes.subarray(start, end))
  switch (headers.get(':message-type')) {
    case 'event':
      return [{ event: headers.get(':event-type') ?? '', data }]
    case 'exception':
      return [{ event: exceptionMark + (headers.get(':exception-type') ?? ''), data }]
    case 'error': {
      const message = headers.get(':error-message') ?? ''
      return [{ event: exceptionMark + (headers.get(':error-code') ?? ''), data: JSON.stringify({ message }) }]
    }
    default:
      return []
  }
}

/** The length in bytes of a header's value, by the header's type. -1: the value starts with its length (text and bytes). */
const valueBytes: readonly number[] = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16]
const textType = 7

/** Returns the text headers. Skips all others. */
function readHeaders(bytes: Uint8Array): Map<string, string> {
  const headers = new Map<string, string>()
  const view = viewOf(bytes)
  let at = 0
  try {
    while (at < bytes.length) {
      const nameEnd = at + 1 + view.getUint8(at)
      const name = decoder.decode(bytes.subarray(at + 1, nameEnd))
      const type = view.getUint8(nameEnd)
      const known = valueBytes[type]
      if (known === undefined) throw broken(`a header has the type ${type}, which there is not`)
      const start = nameEnd + (known < 0 ? 3 : 1)
      const length = known < 0 ? view.getUint16(nameEnd + 1) : known
      if (start + length > bytes.length) throw broken('a header is longer than all of them')
      if (type === textType) headers.set(name, decoder.decode(bytes.subarray(start, start + length)))
      at = start + length
    }
  } catch (cause) {
    if (cause instanceof RangeError) throw broken('a header is cut')
    throw cause
  }
  return headers
}

// ---- encode -----------------------------------------------------------------------------------

const encoder = /* @__PURE__ */ new TextEncoder()

/** Encodes a frame as a message. */
export function encodeEventStream({ event = '', data }: Frame): Uint8Array {
  const isException = event.startsWith(exceptionMark)
  const headers = [
    ...(isException
      ? textHeader(':exception-type', event.slice(exceptionMark.length))
      : textHeader(':event-type', event)),
    ...textHeader(':content-type', 'application/json'),
    ...textHeader(':message-type', isException ? 'exception' : 'event'),
  ]
  const payload = encoder.encode(data)
  const bytes = new Uint8Array(preludeBytes + headers.length + payload.length + checksumBytes)
  const view = viewOf(bytes)
  const end = bytes.length - checksumBytes
  view.setUint32(0, bytes.length)
  view.setUint32(4, headers.length)
  view.setUint32(8, checksum(bytes.subarray(0, 8)))
  bytes.set(headers, preludeBytes)
  bytes.set(payload, preludeBytes + headers.length)
  view.setUint32(end, checksum(bytes.subarray(0, end)))
  return bytes
}

function textHeader(name: string, value: string): number[] {
  const bytes = encoder.encode(value)
  return [name.length, ...encoder.encode(name), textType, bytes.length >> 8, bytes.length & 0xff, ...bytes]
}

// ---- checksums --------------------------------------------------------------------------------

/** Returns the CRC-32 checksum, as used in Ethernet and zip. @see https://www.w3.org/TR/png-3/#D-CRCAppendix */
function checksum(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) sum = (crcTable[(sum ^ byte) & 0xff] as number) ^ (sum >>> 8)
  return (sum ^ 0xffffffff) >>> 0
}

const crcTable: Uint32Array = /* @__PURE__ */ Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? 0xedb88320 ^ (sum >>> 1) : sum >>> 1
  return sum
})
