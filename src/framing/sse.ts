/**
 * Decodes and encodes server-sent events. `eventsource-parser` reads the fields. This file reads bytes, checks limits, handles the end of
 * the stream, and reads bare JSON (JSON without `data:`).
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 *
 * @module
 */
import { createParser, type EventSourceMessage, type EventSourceParser } from 'eventsource-parser'
import type { Frame } from '../core/codec.ts'
import type { Machine } from '../core/reducer.ts'
import { readBareJson } from './bare-json.ts'
import { byteLength, defaultMaxEventBytes, type FrameLimits, isWholeJson, readLines, tooLarge } from './lines.ts'

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
  let frames: Frame[] = []
  /** The size so far of the event or of the bare object, in bytes. */
  let eventBytes = 0
  let hasData = false
  let isInBare = false
  let isAtEnd = false
  const bare = readBareJson()

  /** Created for the first event that `takePlain` does not read. Most streams do not need it. */
  let parser: EventSourceParser | undefined

  function feed(lines: string): void {
    parser ??= newParser()
    parser.feed(lines)
  }

  function newParser(): EventSourceParser {
    const created = createParser({
      // `fits` checks the limit first. The parser's limit does not count complete events, names and ids.
      maxBufferSize: maxEventBytes,
      onError(error) {
        if (error.type === 'max-buffer-size-exceeded') throw tooLarge(maxEventBytes)
      },
      onEvent({ event, data }: EventSourceMessage) {
        if (isAtEnd && data.trim() !== '[DONE]' && !isWholeJson(data)) return
        frames.push(event === undefined ? { data } : { event, data })
      },
    })
    // The parser drops a BOM before the first line. `readLines` has already dropped one, so a second BOM must stay.
    created.feed('\n')
    return created
  }

  /** Reads plain events without the parser. Checks every other line, and passes as many lines as possible to the parser at once. */
  function takeLines(lines: string, isNarrow: boolean): void {
    let fed = 0
    for (let at = 0; at < lines.length; ) {
      const next = eventBytes === 0 && !isInBare ? takePlain(lines, at, fed) : -1
      if (next > 0) {
        fed = next
        at = next
        continue
      }
      const end = lines.indexOf('\n', at)
      if (isBareLine(lines, at)) {
        feed(lines.slice(fed, at))
        takeBareLine(lines.slice(at, end), isNarrow)
        fed = end + 1
      } else if (!fits(lines, at, end, isNarrow)) {
        feed(lines.slice(fed, at))
        throw tooLarge(maxEventBytes)
      }
      at = end + 1
    }
    if (fed < lines.length) feed(fed === 0 ? lines : lines.slice(fed))
  }

  /**
   * Reads a plain event: a line with `data`, with or without a name before it, then a blank line. Nearly all events are plain, and this
   * takes a third of the parser's time. Returns the index of the event's end. Returns -1 if the event is not plain, or if it is so large
   * that its size must be checked.
   */
  function takePlain(lines: string, at: number, fed: number): number {
    const start = lines.startsWith('event: ', at) ? lines.indexOf('\n', at) + 1 : at
    if (!lines.startsWith('data: ', start)) return -1
    const end = lines.indexOf('\n', start)
    const data = lines.slice(start + 6, end)
    if (lines.charCodeAt(end + 1) !== lineFeed || data === '' || 3 * (end - at) > maxEventBytes) return -1
    const event = start === at ? undefined : lines.slice(at + 7, start - 1)
    if (event === '') return -1
    if (fed < at) feed(lines.slice(fed, at))
    frames.push(event === undefined ? { data } : { event, data })
    return end + 2
  }

  /** Whether a line is bare JSON. After bare JSON has started, every line is, until a line that cannot be JSON. */
  function isBareLine(lines: string, at: number): boolean {
    if (!isInBare) return !hasData && startsBare(lines, at)
    if (!breaksBare(lines, at)) return true
    bare.reset()
    isInBare = false
    eventBytes = 0
    return false
  }

  function takeBareLine(line: string, isNarrow: boolean): void {
    eventBytes += byteLength(line, isNarrow)
    if (eventBytes > maxEventBytes) throw tooLarge(maxEventBytes)
    isInBare = bare.push(`${line}\n`, frames)
    if (!isInBare) eventBytes = 0
  }

  /** Adds a line to the size of its event. Returns whether the size is within the limit. A blank line ends the event. */
  function fits(lines: string, at: number, end: number, isNarrow: boolean): boolean {
    if (at === end) {
      eventBytes = 0
      hasData = false
      return true
    }
    const bytes = isNarrow ? end - at : byteLength(lines.slice(at, end), false)
    const first = lines.charCodeAt(at)
    if (first === colon) return bytes <= maxEventBytes
    if (first === letterD && !hasData) hasData = lines.startsWith('data', at)
    eventBytes += bytes
    return eventBytes <= maxEventBytes
  }

  const reader = readLines(maxEventBytes, takeLines)
  return {
    push(chunk, out) {
      frames = out
      reader.push(chunk)
    },
    end(out) {
      frames = out
      isAtEnd = true
      const last = reader.rest()
      // An incomplete name can look like a complete one. Only for data and bare JSON can the code check that they are complete.
      if (isInBare || startsBare(last, 0) || last.startsWith('data')) takeLines(`${last}\n`, false)
      parser?.feed('\n')
    },
  }
}

const lineFeed = 0x0a
const colon = 0x3a
const letterD = 0x64

/** Whether a line starts with `{`, `[` or a comma, with or without white space before it. No SSE field starts with these. */
function startsBare(lines: string, at: number): boolean {
  let start = at
  while (lines.charCodeAt(start) === 0x20 || lines.charCodeAt(start) === 0x09) start++
  const first = lines.charCodeAt(start)
  return first === 0x7b || first === 0x5b || first === 0x2c
}

/** Whether a line starts like a comment, `data:` or `event:`. No line of JSON does, since a JSON string cannot contain a line end. */
function breaksBare(lines: string, at: number): boolean {
  return lines.charCodeAt(at) === colon || lines.startsWith('data:', at) || lines.startsWith('event:', at)
}

/**
 * Encodes a frame as an event. Each line of the data is written as a `data:` line. The client reads every line end in the data as LF.
 *
 * @throws {TypeError} if the event's name contains a line end, which would end the field.
 */
export function encodeSse({ event, data }: Frame): string {
  if (event !== undefined && /[\r\n]/.test(event)) {
    throw new TypeError(`Cannot encode an event: its name has a line end in it: ${JSON.stringify(event.slice(0, 80))}`)
  }
  const lines = /[\r\n]/.test(data) ? data.replace(/\r\n?|\n/g, '\ndata: ') : data
  return event === undefined ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`
}
