/** A take: the frames of a wire, and the events that the SDK made from them. It has the same form for a live stream and for a recording. */
import { decodeAnswer } from './isoglot/codec.js'
import { tapReader } from './tap.js'
import { modelOf, wireAt, wires } from './wires.js'

/**
 * @typedef {import('./isoglot/messages.js').MessageEvent} MessageEvent
 * @typedef {import('./isoglot/index.js').StreamEvent} StreamEvent
 * @typedef {import('./wires.js').WireName} WireName
 */

/**
 * One frame of the wire, or one event of a tool.
 *
 * @typedef {object} Entry
 * @property {number} at Milliseconds since the beginning; in a recording, which has no clock, the number of the frame.
 * @property {string} raw The raw frame, with one character for each byte if it is binary; empty for an event of a tool.
 * @property {readonly StreamEvent[]} events
 * @property {number} round The index of its answer in the run, from 0.
 */

/**
 * How a take ended. `cut`: the format's own end is missing. `stopped`: the user stopped it.
 *
 * @typedef {object} Ending
 * @property {'proper' | 'cut' | 'error' | 'stopped'} kind
 * @property {string} text
 */

/**
 * One request of the page, and the request to the provider that follows.
 *
 * @typedef {object} Exchange
 * @property {string} asked The body of the page's request.
 * @property {import('./tap.js').Sent | undefined} sent Absent if the Worker does not tell, or has not asked yet.
 *
 * @typedef {object} Take
 * @property {string} title
 * @property {WireName | undefined} wire The provider's format. Absent as long as its frames are not known, and for the browser's own model.
 * @property {boolean} isLive Whether its times are real.
 * @property {readonly Entry[]} entries
 * @property {Ending | undefined} ending Absent until the end.
 * @property {readonly Exchange[]} exchanges Those of the answers, by their `round`.
 * @property {(body: string) => void} ask The page sends a question.
 * @property {(wire: WireName, sent?: import('./tap.js').Sent) => Answer} answer Begins an answer in this format.
 * @property {(events: readonly StreamEvent[], raw?: string) => void} add
 * @property {(error?: unknown) => void} finish The error, if there is one.
 * @property {(listener: () => void) => void} onChange
 */

/**
 * The bytes of one answer, in any chunks.
 *
 * @typedef {object} Answer
 * @property {(bytes: Uint8Array) => void} push
 * @property {() => unknown} end The error at its end, if there is one.
 */

/**
 * @param {{ title: string, isLive?: boolean, callsBefore?: (wire: WireName) => number }} about `callsBefore` returns the number from which the SDK counts its generated ids, so that the take has the same ids.
 * @returns {Take}
 */
export function createTake({ title, isLive = false, callsBefore = () => 0 }) {
  const startedAt = performance.now()
  /** @type {Entry[]} */
  const entries = []
  /** @type {Set<() => void>} */
  const listeners = new Set()
  /** @type {Ending | undefined} */
  let ending
  /** @type {WireName | undefined} */
  let wire
  /** @type {Answer | undefined} */
  let current
  /** Whether a question was sent whose request to the provider is not known yet. */
  let isAsked = false
  /** @type {Exchange[]} */
  const exchanges = []

  const tell = () => {
    for (const listener of listeners) listener()
  }
  /** @type {Take['add']} */
  const add = (events, raw = '') => {
    const at = isLive ? performance.now() - startedAt : entries.length
    entries.push({ at, raw, events, round: Math.max(0, exchanges.length - 1) })
    tell()
  }
  return {
    title,
    get wire() {
      return wire
    },
    isLive,
    entries,
    exchanges,
    get ending() {
      return ending
    },
    ask(asked) {
      exchanges.push({ asked, sent: undefined })
      isAsked = true
      tell()
    },
    answer(format, sent) {
      wire = format
      const { asked = '' } = exchanges.at(-1) ?? {}
      // A server may ask again by itself.
      exchanges.splice(isAsked ? -1 : exchanges.length, 1, { asked, sent })
      isAsked = false
      current = createAnswer(wire, callsBefore(wire), add)
      return current
    },
    add,
    finish(error) {
      // The reader may have left the stream at the last event that it needs.
      current?.end()
      ending ??= endingOf(error)
      tell()
    },
    onChange: (listener) => void listeners.add(listener),
  }
}

/** @param {unknown} error @returns {Ending} */
function endingOf(error) {
  if (error === undefined) return { kind: 'proper', text: 'Complete' }
  if (!(error instanceof Error)) return { kind: 'error', text: String(error) }
  if (error.name === 'AbortError') return { kind: 'stopped', text: 'Stopped' }
  return { kind: error.name === 'InterruptedError' ? 'cut' : 'error', text: error.message }
}

/**
 * @param {WireName} wire
 * @param {number} callsBefore
 * @param {Take['add']} add
 * @returns {Answer}
 */
function createAnswer(wire, callsBefore, add) {
  const { codec } = modelOf(wire)
  const decoder = decodeAnswer(codec, { callsBefore })
  const cutter = frameCutter(codec.framing)
  const text = codec.framing === 'event-stream' ? byteText : new TextDecoder()
  let isOver = false
  /** @type {unknown} */
  let failure

  /** @param {string} raw */
  function take(raw) {
    /** @type {MessageEvent[]} */
    const events = []
    attempt(() => decoder.push(bytesOf(wire, raw), events))
    add(events, raw)
  }

  /** @param {() => void} action */
  function attempt(action) {
    if (failure !== undefined) return
    try {
      action()
    } catch (error) {
      failure = error
    }
  }

  return {
    push(chunk) {
      for (const raw of cutter.push(text.decode(chunk, { stream: true }))) take(raw)
    },
    end() {
      if (isOver) return failure
      isOver = true
      for (const raw of cutter.end(text.decode())) take(raw)
      /** @type {MessageEvent[]} */
      const events = []
      attempt(() => decoder.end(events))
      if (events.length > 0) add(events)
      return failure
    },
  }
}

/** Binary frames as text, with one character for each byte. */
const byteText = {
  /** @param {Uint8Array} [bytes] @param {TextDecodeOptions} [_options] */
  decode: (bytes = new Uint8Array(), _options = {}) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''),
}

/** The bytes of a frame. @param {WireName | undefined} wire @param {string} raw */
export function bytesOf(wire, raw) {
  const isBinary = wire !== undefined && wires[wire].ending === 'bin'
  return isBinary ? Uint8Array.from(raw, (one) => one.charCodeAt(0)) : new TextEncoder().encode(raw)
}

/**
 * Splits a stream into its frames, to show them one by one. The SDK reads their meaning.
 *
 * @param {'sse' | 'ndjson' | 'event-stream'} framing
 */
export function frameCutter(framing) {
  return framing === 'event-stream' ? messageCutter() : lineCutter(framing)
}

/** Each message of Amazon's event stream begins with its length, in four bytes. */
function messageCutter() {
  let rest = ''
  /** @param {string} text */
  function push(text) {
    rest += text
    const frames = []
    while (rest.length >= 4) {
      const [a = 0, b = 0, c = 0, d = 0] = Array.from(rest.slice(0, 4), (one) => one.charCodeAt(0))
      const length = Math.max(4, ((a << 24) | (b << 16) | (c << 8) | d) >>> 0)
      if (rest.length < length) break
      frames.push(rest.slice(0, length))
      rest = rest.slice(length)
    }
    return frames
  }
  return { push, end: (text = '') => [...push(text), rest].filter((frame) => frame !== '') }
}

/** @param {'sse' | 'ndjson'} framing */
function lineCutter(framing) {
  let rest = ''
  let ends = framing === 'ndjson' ? /\n/g : /\r\n\r\n|\n\n|\r\r/g
  let isBegun = false
  /** @param {string} text */
  function push(text) {
    rest += text
    // JSON that is not an event (Gemini without `alt=sse`) is shown line by line.
    if (!isBegun && /^\s*[[{]/.test(rest)) ends = /\n/g
    isBegun ||= rest.trim() !== ''
    const frames = []
    let from = 0
    for (const { index, 0: mark } of rest.matchAll(ends)) {
      frames.push(rest.slice(from, index + mark.length))
      from = index + mark.length
    }
    rest = rest.slice(from)
    return frames
  }
  return {
    push,
    /** @param {string} text */
    end: (text = '') => [...push(text), rest].filter((frame) => frame !== ''),
  }
}

/**
 * The take of a recording: raw bytes of one streamed answer.
 *
 * @param {{ title: string, wire: WireName, bytes: Uint8Array }} recording
 */
export function readRecording({ title, wire, bytes }) {
  const take = createTake({ title })
  const answer = take.answer(wire)
  answer.push(bytes)
  take.finish(answer.end())
  return take
}

/**
 * A `fetch` for the own wire, which also passes to a take what the page asks, and what the server tells of the provider.
 *
 * @param {Take} take
 * @param {typeof fetch} send
 * @returns {typeof fetch}
 */
export function watched(take, send) {
  return async (input, init) => {
    take.ask(`${init?.body ?? ''}`)
    const response = await send(input, init)
    if (!response.ok || response.body === null) return response
    /** @type {Answer | undefined} */
    let answer
    const read = tapReader((told) => {
      if ('bytes' in told) return answer?.push(Uint8Array.from(atob(told.bytes), (one) => one.charCodeAt(0)))
      answer?.end()
      const wire = wireAt(told.sent.path)
      answer = wire && take.answer(wire, told.sent)
    })
    const through = new TransformStream({
      transform(chunk, controller) {
        read(chunk)
        controller.enqueue(chunk)
      },
      flush: () => void answer?.end(),
    })
    return new Response(response.body.pipeThrough(through), response)
  }
}
