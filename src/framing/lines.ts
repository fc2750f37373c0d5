/**
 * From bytes, cut anywhere, to whole lines of text, in bounded memory: what both framings stand on.
 *
 * Bytes are held between chunks, not text. No line end lies inside a UTF-8 sequence, so each run of whole lines decodes by itself: one call
 * of the decoder for a chunk that ends a line, none for one that does not, however small the chunks are.
 *
 * @module
 */
import { LimitError } from '../core/errors.ts'

export interface FrameLimits {
  /** Largest event or line, in bytes of UTF-8 on the wire. Default 8 MiB. */
  readonly maxEventBytes?: number
}

export const defaultMaxEventBytes: number = 8 * 1024 * 1024

/** Takes whole lines, each of them ended by one LF. `isNarrow`: each of its units was one byte. */
export type TakeLines = (lines: string, isNarrow: boolean) => void

export interface LineReader {
  /**
   * Hands on the lines that the chunk completes, then keeps a copy of the rest.
   *
   * @throws {LimitError} if the rest is longer than an event may be.
   */
  push(chunk: Uint8Array): void
  /** The last line, if it has no end. */
  rest(): string
}

const LF = 0x0a
const CR = 0x0d
const nothing = new Uint8Array(0)

/**
 * One for all streams, since it keeps nothing between calls: each of them would cost as much as some events. Without `stream`, which
 * would cost Node its fast decoder, each call would drop a BOM: so none does.
 */
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

export function readLines(maxBytes: number, takeLines: TakeLines): LineReader {
  /** Begins with what is held; the rest of it is room. */
  let buffer = nothing
  let heldLength = 0
  let isFirst = true
  let endedInCr = false

  /** Appends bytes to those that are held. */
  function add(bytes: Uint8Array): void {
    const length = heldLength + bytes.length
    if (length > buffer.length) {
      const larger = new Uint8Array(Math.max(length, Math.min(2 * buffer.length, maxBytes)))
      larger.set(buffer.subarray(0, heldLength))
      buffer = larger
    }
    if (bytes.length === 1) buffer[heldLength] = bytes[0] as number
    else buffer.set(bytes, heldLength) // which for one byte takes four times as long
    heldLength = length
  }

  /** Lets go of the first bytes, and of room that only a large event needed. */
  function keepFrom(start: number): void {
    if (buffer.length > roomy && heldLength - start < roomy) buffer = buffer.slice(start, heldLength)
    else buffer.copyWithin(0, start, heldLength)
    heldLength -= start
  }

  function take(bytes: Uint8Array): void {
    const text = decode(bytes)
    const lines = unifyLineEnds(text)
    if (lines !== '') takeLines(lines, text.length === bytes.length)
  }

  function decode(bytes: Uint8Array): string {
    const text = decoder.decode(bytes)
    const start = isFirst && text.charCodeAt(0) === 0xfeff ? 1 : 0
    isFirst = false
    return start === 0 ? text : text.slice(start)
  }

  /** Makes every line end an LF, also where a CRLF was cut in two. */
  function unifyLineEnds(text: string): string {
    const start = endedInCr && text.charCodeAt(0) === LF ? 1 : 0
    endedInCr = text.charCodeAt(text.length - 1) === CR
    const lines = start === 0 ? text : text.slice(start)
    if (!lines.includes('\r')) return lines
    const unified = lines.replace(/\r\n/g, '\n') // in half the time of `replaceAll`, and a fifth of that of /\r\n?/g
    return unified.includes('\r') ? unified.replaceAll('\r', '\n') : unified
  }

  return {
    push(chunk) {
      const end = endOfLastLine(chunk)
      if (end === chunk.length && heldLength === 0) {
        if (end > 0) take(chunk)
        return
      }
      if (end === 0 && heldLength + chunk.length > maxBytes) throw tooLarge(maxBytes)
      const wholeLength = end === 0 ? 0 : heldLength + end
      add(chunk)
      if (end === 0) return
      take(buffer.subarray(0, wholeLength))
      keepFrom(wholeLength)
      if (heldLength > maxBytes) throw tooLarge(maxBytes)
    },
    rest: () => (heldLength === 0 ? '' : decode(buffer.subarray(0, heldLength))),
  }
}

/** More room than this is let go when an event is over, in bytes. */
const roomy = 64 * 1024

function endOfLastLine(bytes: Uint8Array): number {
  return Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1
}

/** The bytes of a text that is valid UTF-8 on the wire. */
export function byteLength(text: string, isNarrow: boolean): number {
  if (isNarrow) return text.length
  let bytes = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0x800 && (unit < 0xd800 || unit > 0xdfff)) bytes += 2
    else if (unit >= 0x80) bytes += 1
  }
  return bytes
}

export function tooLarge(maxBytes: number): LimitError {
  const message = `Cannot read the stream: an event is larger than ${maxBytes} bytes`
  return new LimitError(message, 'maxEventBytes', maxBytes)
}

/** Whether the text is the whole JSON of an object or array. A number might go on, so scalars never count. */
export function isWholeJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
