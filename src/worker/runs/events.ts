/**
 * Cuts the bytes of a streamed answer into its events, and numbers them. Only for streams of the gateway: their lines end in LF.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 * @module
 */

/** The framing of an answer. An answer without streaming (`whole`) is a single event without a number. */
export type RunFraming = 'sse' | 'ndjson' | 'whole'

/** Takes a chunk; chunks may be cut anywhere. */
export interface EventCutter {
  /** The events that the chunk completes. Comments and blank lines are left out. */
  push(chunk: Uint8Array): Uint8Array<ArrayBuffer>[]
  /** Whether the cutter has an incomplete event. */
  readonly isWithin: boolean
}

/** The framing of a content type; `undefined` if a model's answer never has it. */
export function framingOf(contentType: string | null): RunFraming | undefined {
  switch (contentType?.split(';')[0]?.trim().toLowerCase()) {
    case 'text/event-stream':
      return 'sse'
    case 'application/x-ndjson':
      return 'ndjson'
    case 'application/json':
      return 'whole'
    default:
      return undefined
  }
}

const lineFeed = 0x0a
const blank = 0x20
const colon = 0x3a
const none = new Uint8Array()

/** Cuts a stream into events. The joined events are the stream without its keep-alive comments. */
export function cutEvents(framing: 'sse' | 'ndjson'): EventCutter {
  const find = framing === 'sse' ? endOfBlock : endOfLine
  let held: Uint8Array = none
  /** The position in `held` up to which the search is done. */
  let seen = 0

  return {
    get isWithin() {
      return trimmed(held).length > 0
    },
    push(chunk) {
      const bytes = joined(held, chunk)
      const events: Uint8Array<ArrayBuffer>[] = []
      let start = 0
      for (let end = find(bytes, seen); end > 0; end = find(bytes, start)) {
        const event = trimmed(bytes.subarray(start, end))
        if (hasData(event, framing)) events.push(event.slice())
        start = end
      }
      held = bytes.slice(start)
      seen = Math.max(0, held.length - 1)
      return events
    },
  }
}

/** The position after the first event that ends after `from`; -1 if no event ends after it. */
function endOfBlock(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(lineFeed, from); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) {
    if (bytes[at + 1] === lineFeed) return at + 2
  }
  return -1
}

function endOfLine(bytes: Uint8Array, from: number): number {
  return bytes.indexOf(lineFeed, from) + 1 || -1
}

/** The event without leading white space, which only keeps connections open. */
function trimmed(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== blank && byte !== lineFeed)
  return start < 0 ? none : bytes.subarray(start)
}

function hasData(event: Uint8Array, framing: RunFraming): boolean {
  if (framing === 'ndjson') return event.length > 0
  for (let at = 0; at < event.length && event[at] !== lineFeed; at = event.indexOf(lineFeed, at) + 1) {
    if (event[at] !== colon) return true
  }
  return false
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  if (one.length === 0) return other
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

export const encoder: TextEncoder = new TextEncoder()

/**
 * The id line before an event, so that a client can name the last event that it received. NDJSON lines have no place for an id; clients
 * count them.
 */
export function numberBefore(framing: RunFraming, number: number): Uint8Array {
  return framing === 'sse' ? encoder.encode(`id: ${number}\n`) : none
}

/** Text that a client reads and ignores. */
export const keepAlives: Readonly<Record<RunFraming, Uint8Array>> = {
  sse: encoder.encode(': keep-alive\n\n'),
  ndjson: encoder.encode(' '),
  whole: encoder.encode(' '),
}
