/**
 * Bytes to events and back, for the framings that are text: server-sent events and NDJSON.
 *
 * Lines are read in bounded memory, and chunks can end at any byte. The reader stores bytes between chunks, not text. A line end is never
 * inside a UTF-8 sequence, so complete lines can be decoded without the bytes after them. The decoder is called once for a chunk that has a
 * line end, and not for other chunks.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 * @see https://github.com/googleapis/js-genai/blob/main/src/_api_client.ts whose reader checks each chunk for such an error
 * @see https://github.com/ndjson/ndjson-spec
 *
 * @module
 */

import { createParser, type EventSourceParser } from 'eventsource-parser'
import type { Frame } from '../core/codec.ts'
import { tooLarge } from '../core/errors.ts'
import { endOfString } from '../core/json.ts'
import type { Machine } from '../core/reducer.ts'
import { byteLength } from '../formats/shared/utf8.ts'

export interface FrameLimits {
  /** The maximum size of an event or line, in bytes of UTF-8. Default 8 MiB. */
  readonly maxEventBytes?: number
}

export const defaultMaxEventBytes: number = 8 * 1024 * 1024

/** Receives complete lines, each ended by one LF. */
type TakeLines = (lines: string) => void

export interface LineReader {
  /**
   * Passes the lines that are complete with this chunk to `TakeLines`, then stores a copy of the rest.
   *
   * @throws {LimitError} if the rest is longer than the maximum size of an event.
   */
  push(chunk: Uint8Array): void
  /** Returns the last line if it has no line end; otherwise an empty string. */
  rest(): string
}

const LF = 0x0a
const CR = 0x0d
const noBytes = /* @__PURE__ */ new Uint8Array(0)

/**
 * One decoder for all streams, since it stores nothing between calls and creating one takes as long as reading several events. It is called
 * without `stream`, because Node's decoder is slower with it. Then each call would drop a BOM, so `ignoreBOM` keeps it.
 */
export const decoder: TextDecoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })

export function readLines(maxBytes: number, takeLines: TakeLines): LineReader {
  /** Starts with the stored bytes. The rest is free space. */
  let buffer = noBytes
  let heldLength = 0
  /** The character that is dropped if the next text starts with it: a BOM at the start, the LF of a CRLF in two chunks. */
  let dropped: string | undefined = '\ufeff'

  /** Appends bytes to the stored bytes. */
  function hold(bytes: Uint8Array): void {
    const length = heldLength + bytes.length
    if (length > buffer.length) {
      const larger = new Uint8Array(Math.max(length, Math.min(2 * buffer.length, maxBytes)))
      larger.set(buffer.subarray(0, heldLength))
      buffer = larger
    }
    buffer.set(bytes, heldLength)
    heldLength = length
  }

  /** Removes the stored bytes, and returns their text. A buffer that only a large event needed is freed. */
  function release(): string {
    const text = decode(buffer.subarray(0, heldLength))
    heldLength = 0
    if (buffer.length > roomy) buffer = noBytes
    return text
  }

  /** Decodes lines, and changes every line end to LF. */
  function decode(bytes: Uint8Array): string {
    const text = decoder.decode(bytes)
    const lines = text.slice(text[0] === dropped ? 1 : 0)
    dropped = text.endsWith('\r') ? '\n' : undefined
    // Two steps take half the time of `replaceAll` for both, and a fifth of the time of /\r\n?/g.
    return lines.includes('\r') ? lines.replace(/\r\n/g, '\n').replaceAll('\r', '\n') : lines
  }

  return {
    push(chunk) {
      const end = Math.max(chunk.lastIndexOf(LF), chunk.lastIndexOf(CR)) + 1
      let lines = ''
      if (end > 0 && heldLength > 0) {
        hold(chunk.subarray(0, end))
        lines = release()
      } else if (end > 0) lines = decode(chunk.subarray(0, end))
      takeLines(lines)
      hold(chunk.subarray(end))
      if (heldLength > maxBytes) throw tooLarge(maxBytes)
    },
    rest: release,
  }
}

/** A buffer larger than this is freed after a large event, in bytes. */
const roomy = 64 * 1024

/** Whether the text is a complete JSON object or array. Scalars return false, since a number can be incomplete and still valid. */
function isWholeJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

// ---- server-sent events -------------------------------------------------------------------------

// `eventsource-parser` reads the fields. This file reads bytes, checks limits, handles the end of the stream, and reads bare JSON: JSON
// without `data:`. For example, Gemini can send an error in this form in the middle of an answer. A complete answer is one JSON array if
// the request did not ask for events.

/**
 * Decodes bytes to one frame for each event. Chunks can end at any byte.
 *
 * A last event without a blank line after it is read only if its data is a complete JSON object or array, or `[DONE]`. Otherwise it is
 * dropped, and the codec reports an incomplete stream. Lines that are not fields are ignored, with one exception: a line outside an event
 * that starts with `{`, `[` or `,`, with or without white space before it, is bare JSON. Bare JSON can have several lines. Each complete
 * object in it is a frame, also if it is an element of an array.
 *
 * @throws {LimitError} if an event or a line is larger than `maxEventBytes`. The events before it are in `out`.
 */
export function decodeSse({ maxEventBytes = defaultMaxEventBytes }: FrameLimits = {}): Machine<Uint8Array, Frame> {
  const reader = new SseReader(maxEventBytes)
  return { push: (chunk, out) => reader.push(chunk, out), end: (out) => reader.end(out) }
}

/** The reader of one stream. A line is part of a plain event, of another event, or of bare JSON. */
class SseReader {
  readonly #maxEventBytes: number
  readonly #lines: LineReader
  /** The list of the caller, to which frames are added. */
  #frames: Frame[] = []
  /** The size so far of the event or of the bare object, in bytes. */
  #eventBytes = 0
  #hasData = false
  #isAtEnd = false
  /** The bare object that is open, and how many of its braces are. */
  #bare = ''
  #depth = 0
  /** Created for the first line that `takePlain` does not read. Most streams do not need it. */
  #parser: EventSourceParser | undefined

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes
    this.#lines = readLines(maxEventBytes, (lines) => this.#takeLines(lines))
  }

  push(chunk: Uint8Array, out: Frame[]): void {
    this.#frames = out
    this.#lines.push(chunk)
  }

  end(out: Frame[]): void {
    this.#frames = out
    this.#isAtEnd = true
    const last = this.#lines.rest()
    // An incomplete name can look like a complete one. Only for data and bare JSON can the code check that they are complete.
    if (this.#depth > 0 || startsBare.test(last) || last.startsWith('data')) this.#takeLine(`${last}\n`)
    this.#parser?.feed('\n')
  }

  /** Skips blank lines and short comments between events, since some servers send many. */
  #takeLines(lines: string): void {
    for (let at = 0; at < lines.length; ) {
      const start = at
      const isBetween = this.#eventBytes === 0
      if (isBetween) at = takePlain(lines, start, this.#maxEventBytes, this.#frames)
      if (at > start) continue
      at = lines.indexOf('\n', start) + 1
      const isIdle = lines[start] === '\n' || (lines[start] === ':' && 3 * (at - start) < this.#maxEventBytes)
      if (!(isBetween && isIdle)) this.#takeLine(lines.slice(start, at))
    }
  }

  /** Reads any other line, with its line end. A blank line ends the event. A comment is not part of an event. */
  #takeLine(line: string): void {
    if (this.#depth > 0 ? !isField.test(line) : !this.#hasData && startsBare.test(line)) {
      this.#takeBareLine(line)
      return
    }
    if (this.#depth > 0 || line === '\n') {
      this.#bare = ''
      this.#depth = 0
      this.#eventBytes = 0
      this.#hasData = false
    }
    const isComment = line.startsWith(':')
    const bytes = byteLength(line) - 1 + (isComment ? 0 : this.#eventBytes)
    if (bytes > this.#maxEventBytes) throw tooLarge(this.#maxEventBytes)
    if (isComment) return
    this.#eventBytes = bytes
    this.#hasData ||= line.startsWith('data')
    this.#parser ??= this.#newParser()
    this.#parser.feed(line)
  }

  #newParser(): EventSourceParser {
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (this.#isAtEnd && data.trim() !== '[DONE]' && !isWholeJson(data)) return
        this.#frames.push(event === undefined ? { data } : { event, data })
      },
    })
    // The parser drops a BOM before the first line. `readLines` has already dropped one, so a second BOM must stay.
    parser.feed('\n')
    return parser
  }

  /** Finds each object by its braces. Ignores text between objects. Drops an object that is not valid JSON. */
  #takeBareLine(line: string): void {
    this.#eventBytes += byteLength(line)
    if (this.#eventBytes > this.#maxEventBytes) throw tooLarge(this.#maxEventBytes)
    let start = 0
    for (let at = 0; at < line.length; at++) {
      if (line[at] === '"') at = endOfString(line, at)
      else if (line[at] === '{' && this.#depth++ === 0) start = at
      else if (line[at] === '}' && this.#depth > 0 && --this.#depth === 0) {
        const data = this.#bare + line.slice(start, at + 1)
        if (isWholeJson(data)) this.#frames.push({ data })
        this.#bare = ''
      }
    }
    if (this.#depth > 0) this.#bare += line.slice(start)
    else {
      this.#eventBytes = 0
      this.#parser?.feed('\n') // drops a name before the bare object
    }
  }
}

/**
 * Reads a plain event without the parser: a line with `data`, with or without an id and a name before it, then a blank line. Nearly all
 * events are plain, and this takes a third of the parser's time. Returns the index of the event's end. Returns `at` if the event is not
 * plain, or if it is so large that its size must be checked.
 */
function takePlain(lines: string, at: number, maxEventBytes: number, frames: Frame[]): number {
  const first = lines.startsWith('id: ', at) ? lines.indexOf('\n', at) + 1 : at
  const start = lines.startsWith('event: ', first) ? lines.indexOf('\n', first) + 1 : first
  if (!lines.startsWith('data:', start)) return at
  const end = lines.indexOf('\n', start)
  const data = lines.slice(start + (lines[start + 5] === ' ' ? 6 : 5), end)
  if (lines[end + 1] !== '\n' || data === '' || 3 * (end - at) > maxEventBytes) return at
  const event = start > first ? lines.slice(first + 7, start - 1) : ''
  frames.push(event === '' ? { data } : { event, data })
  return end + 2
}

/** No SSE field starts with these. */
const startsBare = /^[ \t]*[{[,]/

/** No line of JSON starts like this, since a JSON string cannot contain a line end. */
const isField = /^(?::|data:|event:)/

/**
 * Encodes a frame as an event. Each line of the data is written as a `data:` line. The client reads every line end in the data as LF.
 *
 * @throws {TypeError} if the event's name contains a line end, which would end the field.
 */
export function encodeSse({ event, data }: Frame): string {
  if (event !== undefined && /[\r\n]/.test(event)) {
    throw new TypeError(`Cannot encode an event: its name has a line end in it: ${JSON.stringify(event.slice(0, 80))}`)
  }
  const hasLines = data.includes('\n') || data.includes('\r') // a pattern takes several times as long
  const lines = hasLines ? data.replace(/\r\n?|\n/g, '\ndata: ') : data
  return event === undefined ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`
}

// ---- NDJSON -------------------------------------------------------------------------------------

/**
 * Decodes bytes to one frame for each line. Chunks can end at any byte. Blank lines are ignored. A last line without a line end is read
 * only if it is complete JSON. Otherwise it is dropped, and the codec reports an incomplete stream.
 *
 * @throws {LimitError} if a line is longer than `maxEventBytes`. The lines before it are in `out`.
 */
export function decodeNdjson({ maxEventBytes = defaultMaxEventBytes }: FrameLimits = {}): Machine<Uint8Array, Frame> {
  let frames: Frame[] = []

  function takeLines(lines: string): void {
    for (let at = 0; at < lines.length; ) {
      const end = lines.indexOf('\n', at)
      const data = lines.slice(at, end)
      if (3 * data.length > maxEventBytes && byteLength(data) > maxEventBytes) throw tooLarge(maxEventBytes)
      if (data.trim() !== '') frames.push({ data })
      at = end + 1
    }
  }

  const reader = readLines(maxEventBytes, takeLines)
  return {
    push(chunk, out) {
      frames = out
      reader.push(chunk)
    },
    end(out) {
      const data = reader.rest()
      if (isWholeJson(data)) out.push({ data })
    },
  }
}

/** Encodes a frame as a line. A line end inside JSON is white space, so it becomes a space. The name of the event is not written. */
export function encodeNdjson(frame: Frame): string {
  return `${frame.data.replace(/[\r\n]+/g, ' ')}\n`
}
