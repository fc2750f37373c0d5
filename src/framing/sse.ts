/**
 * Server-sent events, in and out. `eventsource-parser` reads the fields; what is around them is here: bytes, bounds, the end of the
 * stream, and JSON that stands in it without `data:`.
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
 * Bytes, cut anywhere, to a frame an event.
 *
 * A last event without its blank line counts only if its data is the whole JSON of an object or array, or `[DONE]`: half of one is
 * dropped, and the codec sees a stream without its end. Lines that are not fields count for nothing, with one exception: a line outside
 * any event that begins with `{`, `[` or `,` (after white space, if any) is bare JSON, which may go on over several lines. Each whole
 * object in it, also as an element of an array, is a frame.
 *
 * @throws {LimitError} at an event, or any line, of more than `maxEventBytes`; the events before it are in `out`.
 */
export function decodeSse({ maxEventBytes = defaultMaxEventBytes }: FrameLimits = {}): Machine<Uint8Array, Frame> {
  let frames: Frame[] = []
  /** Bytes so far of the event, or of the bare object. */
  let eventBytes = 0
  let hasData = false
  let isInBare = false
  let isAtEnd = false
  const bare = readBareJson()

  /** Made when the first event comes that is not plain: most streams have none. */
  let parser: EventSourceParser | undefined

  function feed(lines: string): void {
    parser ??= newParser()
    parser.feed(lines)
  }

  function newParser(): EventSourceParser {
    const created = createParser({
      // Its own limit is only the second one: it does not count an event that comes whole, nor names and ids.
      maxBufferSize: maxEventBytes,
      onError(error) {
        if (error.type === 'max-buffer-size-exceeded') throw tooLarge(maxEventBytes)
      },
      onEvent({ event, data }: EventSourceMessage) {
        if (isAtEnd && data.trim() !== '[DONE]' && !isWholeJson(data)) return
        frames.push(event === undefined ? { data } : { event, data })
      },
    })
    // The parser would drop a second BOM. After a first line it does not look for one.
    created.feed('\n')
    return created
  }

  /** Takes plain events itself; looks at each other line, and feeds the parser with as many at a time as can be. */
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
   * Takes an event of the form that nearly all have, in a third of the parser's time: `data`, perhaps after a name, and a blank line.
   * Returns where it ends; -1 if it is of another form, or so large that it must be measured.
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

  /** In the middle of bare JSON every line is, except one that JSON cannot have. */
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

  /** Adds a line to the size of its event. A blank one ends the event, and comments belong to none. */
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
      // A name that is cut looks like a name. Only data and bare JSON show by themselves whether they are whole.
      if (isInBare || startsBare(last, 0) || last.startsWith('data')) takeLines(`${last}\n`, false)
      parser?.feed('\n')
    },
  }
}

const lineFeed = 0x0a
const colon = 0x3a
const letterD = 0x64

/** No field begins so: `{`, `[` or a comma, with or without white space before it. */
function startsBare(lines: string, at: number): boolean {
  let start = at
  while (lines.charCodeAt(start) === 0x20 || lines.charCodeAt(start) === 0x09) start++
  const first = lines.charCodeAt(start)
  return first === 0x7b || first === 0x5b || first === 0x2c
}

/** No line of JSON begins so: a string has no line end in it. */
function breaksBare(lines: string, at: number): boolean {
  return lines.charCodeAt(at) === colon || lines.startsWith('data:', at) || lines.startsWith('event:', at)
}

/**
 * A frame as an event. Data of several lines travels as several `data:` lines, and every line end in it arrives as LF.
 *
 * @throws {TypeError} at a line end in the event's name, which would end the field.
 */
export function encodeSse({ event, data }: Frame): string {
  if (event !== undefined && /[\r\n]/.test(event)) {
    throw new TypeError(`Cannot encode an event: its name has a line end in it: ${JSON.stringify(event.slice(0, 80))}`)
  }
  const lines = /[\r\n]/.test(data) ? data.replace(/\r\n?|\n/g, '\ndata: ') : data
  return event === undefined ? `data: ${lines}\n\n` : `event: ${event}\ndata: ${lines}\n\n`
}
