/**
 * For every value in every place of a body: a result or one of our errors, which says where it is wrong; never a crash, a hang, or a change
 * to what all objects share.
 *
 * Places that the same code reads, such as those of a list's elements, are tried once for each wire.
 */
import { afterAll, describe, expect, it } from 'vitest'
import type { Frame } from '../../src/core/codec.ts'
import { DecodeError, IsoglotError } from '../../src/core/errors.ts'
import { encodeEventStream } from '../../src/framing/amazon-event-stream.ts'
import { encodeNdjson, encodeSse } from '../../src/framing/text.ts'
import { translateRequest } from '../../src/gateway/translate.ts'
import { type CorpusCase, casesOf } from '../support/corpus.ts'
import { isExhaustive } from '../support/cuts.ts'
import { decodeChunks } from '../support/decode.ts'
import { type Format, formats } from '../support/formats.ts'
import { mutations, type Path, placesOf, replaceAt, shapeOf, stringify } from '../support/mutations.ts'
import { seeded } from '../support/random.ts'
import { framingOf } from '../support/raw.ts'

const seed = 20_261_121

interface Trial {
  readonly name: string
  readonly body: unknown
  readonly path: Path
}

/** The shapes that were tried already, by wire: its dialects share its code. */
const tried = new Set<string>()

/** Each place of these bodies, once for each shape, in the first body that has it. */
function trialsOf(what: string, bodies: readonly (readonly [name: string, body: unknown])[]): readonly Trial[] {
  return bodies.flatMap(([name, body]) =>
    [...placesOf(body)].flatMap((path) => (isNew(`${what} ${shapeOf(path)}`) ? [{ name, body, path }] : [])),
  )
}

function isNew(shape: string): boolean {
  if (tried.has(shape)) return false
  tried.add(shape)
  return true
}

/** The fault of an action; `undefined` if it returns a result or throws an isoglot error. */
function fault(action: () => unknown, isBelowRoot: boolean): string | undefined {
  try {
    if (action() === undefined) return 'neither a result nor an error'
  } catch (error) {
    if (!(error instanceof IsoglotError)) return `${(error as Error).stack?.split('\n').slice(0, 4).join(' ')}`
    if (error instanceof DecodeError && isBelowRoot && error.path === '') return `no path: ${error.message}`
  }
  return undefined
}

const ways = Object.entries(mutations)
/** Any place may be used as a text or a number, and its neighbours show nothing about it: every place gets this way. */
const everywhere = 'no text and no number'
/** Depth is refused where a body comes in, before any of its places is read: only a part of the places gets it. */
const deepShare = isExhaustive ? 1 : 12

/**
 * Tries one of `share` ways to be wrong at each place, in turn: neighbours of a place are read by the same code, and get the other ways.
 * The project `exhaustive` tries all, except for streams.
 */
function tryAll<Each extends Trial>(
  trials: readonly Each[],
  act: (body: unknown, trial: Each) => unknown,
  share = isExhaustive ? 1 : 6,
): string[] {
  const random = seeded(seed)
  const faults: string[] = []
  for (const [number, trial] of trials.entries()) {
    const { name, body, path } = trial
    const isDeepsTurn = Math.floor(number / share) % deepShare === 0
    const due = ways.filter(
      ([way], at) => way === everywhere || ((at + number) % share === 0 && (isDeepsTurn || !way.startsWith('deep'))),
    )
    for (const [way, mutate] of due) {
      const wrong = replaceAt(body, path, (before) => mutate(before, random))
      if (typeof wrong === 'symbol') continue
      const found = fault(() => act(wrong, trial), path.length > 0)
      if (found !== undefined) faults.push(`${way} at ${shapeOf(path)} of ${name} (seed ${seed}): ${found}`)
    }
  }
  return faults
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** One of each wire, in turn. */
const wires = formats.filter(({ folder, client }) => folder === client.name)
let turn = 0

function nextWire({ client }: Format): Format {
  const others = wires.filter((one) => one.client.name !== client.name)
  return others[turn++ % others.length] as Format
}

// ---- streams ----------------------------------------------------------------------------------

function framesOf({ kind, bytes }: CorpusCase): Frame[] {
  const frames: Frame[] = []
  const framing = framingOf(kind)
  framing.push(bytes, frames)
  framing.end(frames)
  return frames
}

interface FrameTrial extends Trial {
  readonly frames: readonly Frame[]
  readonly at: number
}

/** Places of events, each in the shortest stream that has it. */
function frameTrialsOf(wire: string, cases: readonly CorpusCase[]): readonly FrameTrial[] {
  const streams = cases.map((one) => ({ name: one.id, frames: framesOf(one) }))
  streams.sort((one, other) => one.frames.length - other.frames.length)
  return streams.flatMap(({ name, frames }) => frames.flatMap((_, at) => trialsAt(wire, name, frames, at)))
}

function trialsAt(wire: string, name: string, all: readonly Frame[], index: number): readonly FrameTrial[] {
  const body = parse(all[index]?.data ?? '')
  if (typeof body !== 'object' || body === null) return []
  const kind = 'type' in body ? body.type : ''
  const { frames, at } = around(all, index)
  return [...placesOf(body)].flatMap((path) =>
    isNew(`${wire} stream ${kind} ${shapeOf(path)}`) ? [{ name, frames, at, body, path }] : [],
  )
}

/** Of long streams the beginning, the end, and what is near: they are decoded once for every way to be wrong. */
function around(frames: readonly Frame[], index: number): { readonly frames: readonly Frame[]; readonly at: number } {
  const isNear = (at: number) => at < 6 || at >= frames.length - 4 || Math.abs(at - index) <= 4
  const kept = frames.map((frame, at) => ({ frame, at })).filter(({ at }) => isNear(at))
  return { frames: kept.map(({ frame }) => frame), at: kept.findIndex(({ at }) => at === index) }
}

/** The bytes of frames, each written once. */
const written = new WeakMap<Frame, Uint8Array>()

/** The whole stream, with one event replaced. Frames that the framing cannot write never reach a client. */
function decodeWith({ client }: Format, { frames, at }: FrameTrial, body: unknown): unknown {
  const text = client.framing === 'sse' ? encodeSse : encodeNdjson
  const write = (frame: Frame) =>
    client.framing === 'event-stream' ? encodeEventStream(frame) : Buffer.from(text(frame))
  const pieces = frames.map((frame, other) => {
    const bytes = written.get(frame) ?? write(other === at ? { ...frame, data: stringify(body) } : frame)
    if (other !== at) written.set(frame, bytes)
    return bytes
  })
  const { response, error } = decodeChunks(client, [new Uint8Array(Buffer.concat(pieces))])
  if (error !== undefined) throw error
  return response
}

describe('wrong values in every place', () => {
  const shared = Object.getOwnPropertyNames(Object.prototype).join()
  afterAll(() => {
    expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(shared)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  describe.each(formats)('$folder', (format) => {
    const cases = casesOf(format.folder)
    const whole = cases.filter(({ kind }) => kind === 'json').map((one) => [one.id, parse(one.text)] as const)
    const asked = cases.filter(({ request }) => request !== undefined).map((one) => [one.id, one.request] as const)

    it('whole answers, which can be said in another wire', () => {
      const act = (body: unknown) => {
        const response = format.client.decodeResponse(body)
        nextWire(format).server.encodeResponse(response)
        return response
      }
      expect(tryAll(trialsOf(`${format.client.name} answer`, whole), act)).toEqual([])
    })

    it('errors', () => {
      const errors = whole.filter(([, body]) => JSON.stringify(body).includes('error'))
      const given =
        errors.length > 0 ? errors : [['made up', { error: { message: 'no', type: 'x', code: 1 } }] as const]
      const answer = (body: unknown) => ({ status: 400, headers: new Headers(), body })
      expect(
        tryAll(trialsOf(`${format.client.name} error`, given), (body) => format.client.decodeError(answer(body))),
      ).toEqual([])
    })

    it('requests, which can be asked in another wire', () => {
      const path = '/models/m:generateContent'
      const act = (body: unknown) =>
        translateRequest(body, format.server, nextWire(format).client, { path, model: 'm', strict: false })
      expect(tryAll(trialsOf(`${format.client.name} request`, asked), act)).toEqual([])
    })

    it('streams', { timeout: 120_000 }, () => {
      const trials = frameTrialsOf(
        format.client.name,
        cases.filter(({ kind }) => kind !== 'json'),
      )
      expect(tryAll(trials, (body, trial) => decodeWith(format, trial, body) ?? 'cut', isExhaustive ? 3 : 9)).toEqual(
        [],
      )
    })
  })
})
