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
import { arrayOf, compact, field, isObject, setOwn, textOr } from '../lookup.ts'
import type { Json } from '../model.ts'
import { repeatingJson } from '../repeating-json.ts'
import { createHold } from './hold.ts'
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
  const decoder = codec.decodeStream({ parse: repeatingJson() })
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
    const data = withoutCarriers(frame.data)
    hold.push({ ...frame, data }, textsOf(data), frames)
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

/** Fields of an event that say what it is, or whose it is: no client puts these together. */
const labels = new Set([
  'type',
  'id',
  'item_id',
  'object',
  'model',
  'role',
  'jsonPath',
  'finish_reason',
  'finishReason',
])

/** The texts of an event, each with its place: those at one place of several events are one text in pieces. */
function textsOf(data: string): (readonly [place: string, text: string])[] {
  const texts: [string, string][] = []
  readEvent(data, (place, text) => {
    texts.push([place, text])
    return text
  })
  return texts
}

/** The event with other texts, in the order of {@link textsOf}. */
function rewriteFrame(frame: Frame, _: readonly string[], after: readonly string[]): Frame {
  let at = 0
  const event = readEvent(frame.data, (_place, text) => after[at++] ?? text)
  return { ...frame, data: JSON.stringify(event) }
}

type Change = (place: string, text: string) => string

/** An event, with what `change` returns in the place of each of its texts. */
function readEvent(data: string, change: Change): Json {
  if (!data.startsWith('{')) return data // `[DONE]`
  const event: Json = JSON.parse(data)
  // Responses has most of its texts at one place, and its calls take turns; texts are read one after the other, whatever items they are of.
  const type = textOr(field(event, 'type'), '')
  changeTexts(event, type.includes('text') ? type : `${type} ${field(event, 'output_index') ?? ''}`, change)
  return event
}

function changeTexts(holder: Json, place: string, change: Change): void {
  if (Array.isArray(holder)) {
    for (const [at, value] of holder.entries()) {
      // Choices take turns, and so do the calls of one: each says a text of its own.
      if (typeof value === 'string') holder[at] = change(place, value)
      else changeTexts(value, `${place}[${field(value, 'index') ?? ''}]`, change)
    }
  } else if (isObject(holder)) {
    // Gemini has its thoughts and what it says at one place.
    const own = holder.thought === true ? `${place} thought` : place
    for (const [name, value] of Object.entries(holder)) {
      if (typeof value !== 'string') changeTexts(value, `${own}.${name}`, change)
      else if (!labels.has(name)) setOwn(holder, name, change(`${own}.${name}`, value))
    }
  }
}

function isUsageAlone({ data }: Frame, fragments: readonly Fragment[]): boolean {
  if (!fragments.some(({ type }) => type === 'usage')) return false
  return arrayOf(field(JSON.parse(data), 'choices')).length === 0
}
