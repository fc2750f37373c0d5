/**
 * Passes through an answer in the client's own format. It does not change the events, but reads them.
 *
 * Only whole events are passed on, so that an error never follows half an event. The provider's own error is not passed on, because its
 * text is only for the gateway.
 *
 * @module
 */

import type { ClientCodec, Fragment, Frame, Reply } from '../core/codec.ts'
import { type ApiError, InterruptedError } from '../core/errors.ts'
import { arrayOf, compact, field, isObject, numberOr, setOwn, textOr } from '../core/json.ts'
import type { Json, JsonObject, Loss } from '../core/messages.ts'
import type { Machine } from '../core/reducer.ts'
import { withoutEnvelopes } from '../formats/shared/envelope.ts'
import type { GatewayFormat } from '../formats/shared/gateway-format.ts'
import { Hold, type Text } from './hold.ts'
import { type Seen, seeFragment } from './observe.ts'
import { pieceWriter } from './pieces.ts'
import type { Search } from './scrub.ts'
import type { StreamTranslator } from './translate.ts'

export interface PassOptions {
  readonly seen: Seen
  readonly reply: Reply
  readonly toClientError: (error: unknown) => ApiError
  /** The client did not ask for usage, but the gateway did: it drops the event that has only usage. */
  readonly hidesUsage: boolean
  /** The framing of the client's stream. */
  readonly framing: ClientCodec['framing']
  /**
   * The keys that must not be passed on. This cuts out keys that are split over several events. The writer of the text cuts out the others.
   */
  readonly search: Search
  readonly maxEventBytes?: number
}

/** Like a translated stream, but without translation. */
export class PassedStream implements StreamTranslator {
  isEnded = false
  hasStopped = false
  error: unknown
  readonly losses: readonly Loss[] = []
  readonly #wire: GatewayFormat
  readonly #options: PassOptions
  readonly #framing: Machine<Uint8Array, Frame>
  readonly #decoder: Machine<Frame, Fragment>
  readonly #write: (frame: Frame) => string
  readonly #hold: Hold<Frame>
  /** The places of all texts so far. */
  readonly #places: Place = new Map()
  /** What the client knows of the answer: an error is written as its end. */
  #reply: Reply
  /** The number of events that were passed on. */
  #passed = 0

  constructor(codec: ClientCodec, wire: GatewayFormat, options: PassOptions) {
    this.#wire = wire
    this.#options = options
    this.#framing = codec.decodeFrames(compact({ maxEventBytes: options.maxEventBytes }))
    this.#decoder = codec.decodeStream()
    this.#write = pieceWriter(options.framing)
    this.#hold = new Hold(options.search, rewriteFrame)
    this.#reply = options.reply
  }

  push(chunk: Uint8Array, out: string[]): void {
    this.#advance(out, () => {
      const frames: Frame[] = []
      try {
        this.#framing.push(chunk, frames)
      } finally {
        this.#passAll(frames, out)
      }
    })
  }

  end(out: string[]): void {
    this.#advance(out, () => {
      const frames: Frame[] = []
      this.#framing.end(frames)
      this.#passAll(frames, out)
      if (this.isEnded) return
      const fragments: Fragment[] = []
      this.#decoder.end(fragments)
      this.#note(fragments)
      this.#writeHeld(out)
      if (!this.isEnded) throw new InterruptedError('Cannot finish the answer: the stream ended before its last event')
      if (this.#wire.lastFrame !== undefined) out.push(this.#write(this.#wire.lastFrame))
    })
  }

  fail(error: unknown, out: string[]): void {
    this.#advance(out, () => {
      throw error
    })
  }

  /** Text before an error is sent before the error is reported. */
  #advance(out: string[], read: () => void): void {
    if (this.isEnded) return
    try {
      read()
    } catch (error) {
      this.#failWith(error, out)
    }
  }

  #failWith(error: unknown, out: string[]): void {
    this.isEnded = true
    this.error = error
    this.#writeHeld(out)
    const frames: Frame[] = []
    this.#wire.codec.encodeStream(this.#reply).fail(this.#options.toClientError(error), frames)
    for (const frame of this.#wire.errorFrames?.(frames, this.#passed) ?? frames) out.push(this.#write(frame))
  }

  #passAll(frames: readonly Frame[], out: string[]): void {
    for (const frame of frames) {
      if (this.isEnded) return
      this.#passOne(frame, out)
    }
  }

  #passOne(frame: Frame, out: string[]): void {
    const fragments: Fragment[] = []
    this.#decoder.push(frame, fragments)
    this.#note(fragments)
    if (this.#options.hidesUsage && isUsageAlone(frame, fragments)) return
    const frames: Frame[] = []
    const data = withoutEnvelopes(frame.data)
    this.#hold.push({ ...frame, data }, textsIn(jsonOfEvent(data), this.#places), frames)
    if (this.isEnded) this.#endHeld(data, frames)
    this.#writeAll(frames, out)
  }

  /** Reads what the gateway needs to know of the answer. */
  #note(fragments: readonly Fragment[]): void {
    for (const fragment of fragments) {
      const { type } = fragment
      seeFragment(this.#options.seen, fragment)
      this.hasStopped = type === 'stop' || (this.hasStopped && !/^(?:text|reasoning|call|block)$/.test(type))
      if (type === 'start') this.#reply = { ...this.#reply, ...compact({ id: fragment.id, model: fragment.model }) }
      if (type === 'end') this.isEnded = true
    }
  }

  /** If a stream ends before its last frame, the gateway adds that frame. */
  #endHeld(data: string, frames: Frame[]): void {
    const { lastFrame } = this.#wire
    this.#hold.end(frames)
    if (lastFrame?.data === '[DONE]' && data !== '[DONE]') frames.push(lastFrame)
  }

  #writeHeld(out: string[]): void {
    const frames: Frame[] = []
    this.#hold.end(frames)
    this.#writeAll(frames, out)
  }

  #writeAll(frames: readonly Frame[], out: string[]): void {
    this.#passed += frames.length
    for (const frame of frames) out.push(this.#write(frame))
  }
}

/** Fields of an event that are ids or labels: no client joins these texts. */
const labels = new Set('type event_type event_id id item_id object model role jsonPath'.split(' '))

/** The data of an event. `undefined` if it is not JSON, such as `[DONE]`. */
function jsonOfEvent(data: string): Json | undefined {
  try {
    return JSON.parse(data) as Json
  } catch {
    return undefined
  }
}

/** The places of texts in the events of a stream: the texts at one place are pieces of one text. */
type Place = Map<string | number, Place>

function placeIn(place: Place, name: string | number): Place {
  const known = place.get(name)
  if (known !== undefined) return known
  const made: Place = new Map()
  place.set(name, made)
  return made
}

/** The texts of an event, each with its place below `root`. */
function textsIn(event: Json | undefined, root: Place): readonly Text[] {
  const texts: Text[] = []
  walkEvent(event, root, (_holder, _name, text, place) => void texts.push([place, text]))
  return texts
}

/** The event with new texts, in the order of {@link textsIn}. */
function rewriteFrame(frame: Frame, _: readonly string[], after: readonly string[]): Frame {
  const event: Json = JSON.parse(frame.data)
  let at = 0
  walkEvent(event, new Map(), (holder, name, text) => setOwn(holder, name, after[at++] ?? text))
  return { ...frame, data: JSON.stringify(event) }
}

type Visitor = (holder: JsonObject, name: string, text: string, place: Place) => void

/** Some hosts of Gemini send several events as a list. */
function walkEvent(event: Json | undefined, root: Place, visit: Visitor): void {
  if (Array.isArray(event)) for (const one of event) walkEvent(one, root, visit)
  if (!isObject(event)) return
  // Responses has most texts at one place. Its calls take turns, so the texts of all items are read as one text.
  const type = textOr(field(event, 'type'), '')
  const place = placeIn(root, type)
  walk(event, type.includes('text') ? place : placeIn(place, numberOr(field(event, 'output_index'), 0)), visit)
}

function walk(holder: JsonObject, place: Place, visit: Visitor): void {
  const isList = Array.isArray(holder)
  // `for … in` is slower: passing a stream took 50 % longer.
  for (const name of Object.keys(holder)) {
    const value = holder[name]
    if (typeof value === 'string') {
      // Gemini has reasoning and text at one place.
      const own = name === 'text' && holder.thought === true ? 'thought' : name
      if (!labels.has(name)) visit(holder, name, value, isList ? place : placeIn(place, own))
    } else if (typeof value === 'object' && value !== null) {
      // Choices take turns, and so do the calls of one choice: each has its own text.
      walk(value as JsonObject, placeIn(place, isList ? numberOr(field(value, 'index'), 0) : name), visit)
    }
  }
}

function isUsageAlone({ data }: Frame, fragments: readonly Fragment[]): boolean {
  if (!fragments.some(({ type }) => type === 'usage')) return false
  return arrayOf(field(JSON.parse(data), 'choices')).length === 0
}
