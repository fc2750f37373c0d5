/**
 * An answer whose wire is the client's own: its events go on as they came, and are read on their way.
 *
 * Only whole events go on, so that an error never follows half of one. The provider's own error does not: its words are for the gateway.
 *
 * @module
 */
import { withoutCarriers } from '../carrier.ts'
import type { ClientCodec, Fragment, Frame, Reply } from '../codec.ts'
import { type ApiError, InterruptedError } from '../errors.ts'
import { decodeNdjson, encodeNdjson } from '../framing/ndjson.ts'
import { decodeSse, encodeSse } from '../framing/sse.ts'
import { arrayOf, compact, field } from '../lookup.ts'
import { createHold, textOf } from './hold.ts'
import { type Seen, seeFragment } from './observe.ts'
import type { Search } from './scrub.ts'
import type { StreamTranslator } from './translate.ts'
import type { Wire } from './wires.ts'

export interface PassOptions {
  readonly seen: Seen
  readonly reply: Reply
  readonly tellError: (error: unknown) => ApiError
  /** The client did not ask for figures, and we did: the event that has nothing else stays here. */
  readonly hidesUsage: boolean
  /** How the client's stream is framed. */
  readonly framing: ClientCodec['framing']
  /** The keys that may not go on: here those that come in pieces. Who writes the text sees to the others. */
  readonly search: Search
  readonly maxEventBytes?: number
}

/** As {@link StreamTranslator}, with nothing to translate. */
export function passStream(codec: ClientCodec, wire: Wire, options: PassOptions): StreamTranslator {
  const { seen, tellError, hidesUsage } = options
  const limits = compact({ maxEventBytes: options.maxEventBytes })
  const framing = codec.framing === 'sse' ? decodeSse(limits) : decodeNdjson(limits)
  const write = options.framing === 'sse' ? encodeSse : encodeNdjson
  const decoder = codec.decodeStream()
  const hold = createHold<Frame>(options.search, rewriteFrame)
  let reply = options.reply
  let passed = 0
  let isEnded = false
  let failure: unknown

  function note(fragments: readonly Fragment[]): void {
    for (const fragment of fragments) {
      seeFragment(seen, fragment)
      if (fragment.type === 'start') reply = { ...reply, ...compact({ id: fragment.id, model: fragment.model }) }
      if (fragment.type === 'end') isEnded = true
    }
  }

  function passOne(frame: Frame, out: string[]): void {
    const fragments: Fragment[] = []
    decoder.push(frame, fragments)
    note(fragments)
    if (hidesUsage && isUsageAlone(frame, fragments)) return
    const frames: Frame[] = []
    hold.push(
      { ...frame, data: withoutCarriers(frame.data) },
      fragments.flatMap((fragment) => {
        const text = textOf(fragment)
        return text === undefined ? [] : [text]
      }),
      frames,
    )
    if (isEnded) hold.end(frames)
    writeAll(frames, out)
  }

  function writeAll(frames: readonly Frame[], out: string[]): void {
    passed += frames.length
    for (const frame of frames) out.push(write(frame))
  }

  function writeHeld(out: string[]): void {
    const frames: Frame[] = []
    hold.end(frames)
    writeAll(frames, out)
  }

  function passAll(frames: readonly Frame[], out: string[]): void {
    for (const frame of frames) {
      if (isEnded) return
      passOne(frame, out)
    }
  }

  function failWith(error: unknown, out: string[]): void {
    isEnded = true
    failure = error
    writeHeld(out)
    const frames: Frame[] = []
    wire.codec.encodeStream(reply).fail(tellError(error), frames)
    for (const frame of wire.errorFrames(frames, passed)) out.push(write(frame))
  }

  /** What came before something went wrong goes out before it is told. */
  function advance(out: string[], read: () => void): void {
    if (isEnded) return
    try {
      read()
    } catch (error) {
      failWith(error, out)
    }
  }

  return {
    get isEnded() {
      return isEnded
    },
    get error() {
      return failure
    },
    losses: [],
    push: (chunk, out) =>
      advance(out, () => {
        const frames: Frame[] = []
        try {
          framing.push(chunk, frames)
        } finally {
          passAll(frames, out)
        }
      }),
    end: (out) =>
      advance(out, () => {
        const frames: Frame[] = []
        framing.end(frames)
        passAll(frames, out)
        if (isEnded) return
        const fragments: Fragment[] = []
        decoder.end(fragments)
        note(fragments)
        writeHeld(out)
        if (!isEnded) throw new InterruptedError('Cannot finish the answer: it ended before its own end')
        if (wire.lastFrame !== undefined) out.push(write(wire.lastFrame))
      }),
    fail: (error, out) =>
      advance(out, () => {
        throw error
      }),
  }
}

/** Fields of an event that say what it is. */
const labels = new Set(['type', 'id', 'item_id', 'object', 'model', 'role', 'index'])
/** Fields that have a text where the codec reads another out of them, such as one that it escapes. */
const sayings = new Set(['delta', 'text', 'content', 'arguments', 'input', 'stringValue'])

/** The event with other texts: wherever the whole of one stands in it. */
function rewriteFrame(frame: Frame, before: readonly string[], after: readonly string[]): Frame {
  const changes = new Map(before.flatMap((text, at) => (text === after[at] ? [] : [[text, after[at] as string]])))
  let isFound = false
  const replace = (name: string, value: unknown) => {
    if (typeof value !== 'string' || labels.has(name)) return value
    const text = changes.get(value)
    isFound ||= text !== undefined
    return text ?? value
  }
  const value = JSON.parse(frame.data)
  const data = JSON.stringify(value, replace)
  if (isFound) return { ...frame, data }
  const all = after.join('')
  return {
    ...frame,
    data: JSON.stringify(value, (name, inner) => (sayings.has(name) && typeof inner === 'string' ? all : inner)),
  }
}

function isUsageAlone({ data }: Frame, fragments: readonly Fragment[]): boolean {
  if (!fragments.some(({ type }) => type === 'usage')) return false
  return arrayOf(field(JSON.parse(data), 'choices')).length === 0
}
