/** A stream whose connection is cut continues at the next event, if the server stores it: each event arrives once, in order. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { decodeAnswer } from '../../src/ask/http-model.ts'
import type { StreamEvent } from '../../src/client/result.ts'
import type { Frame } from '../../src/core/codec.ts'
import type { MessageEvent } from '../../src/core/messages.ts'
import { createClientCodec } from '../../src/formats/openai-chat/index.ts'
import { isoglotFormat } from '../../src/gateway/index.ts'
import {
  ConnectionError,
  InterruptedError,
  type Run,
  type RunRequest,
  resumable,
  stream,
  t,
  tool,
} from '../../src/index.ts'
import { remote } from '../../src/remote/index.ts'
import { isExhaustive, placesOf } from '../support/cuts.ts'
import { checkSame } from '../support/properties.ts'
import { seeded } from '../support/random.ts'
import { type TestWire, wires } from '../support/wires.ts'
import { type Cut, type Kept, keep, streamId } from './kept.ts'

const origin = 'https://worker.example'

function ask(wire: Pick<TestWire, 'model'>, kept: Kept, more: Partial<RunRequest> = {}): Run {
  const model = { ...wire.model(`${origin}/v1`), fetch: kept.fetch }
  return stream({ model, prompt: 'Hi', retries: 0, resume: resumable(), ...more })
}

async function read(run: Run): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

const lengthOf = (events: readonly string[]) => new TextEncoder().encode(events.join('')).length
/** With its numbers. */
const bytesOf = (events: readonly string[]) =>
  events.reduce((sum, event, at) => sum + lengthOf([event]) + (event.startsWith('{') ? 0 : `id: ${at + 1}\n`.length), 0)
/**
 * The positions of cuts: in the project `exhaustive`, each byte where a cut can matter and each seventh of the others, since no part of an event is
 * read; otherwise one in `few` of the bytes where a cut can matter. That framing keeps nothing of a part, wherever it ends, is the subject of
 * `laws/cut-off.test.ts`.
 */
function placesIn(events: readonly string[], few: number): readonly number[] {
  const numbered = events.map((event, at) => (event.startsWith('{') ? event : `id: ${at + 1}\n${event}`)).join('')
  const length = bytesOf(events)
  const places = placesOf(new TextEncoder().encode(numbered)).filter((at) => at < length)
  if (!isExhaustive) return places.filter((_, index) => index % few === 0)
  const others = Array.from({ length: Math.ceil(length / 7) }, (_, index) => index * 7)
  return [...new Set([...places, ...others])]
}
/** Without what follows the end of the answer: a cut before it loses nothing, and causes no request. */
const answerOf = (wire: Pick<TestWire, 'text' | 'piecesAfterEnd'>) => {
  const events = wire.text('Grüße, ', '世界', ' 👋', ' and', ' farewell')
  return events.slice(0, events.length - wire.piecesAfterEnd)
}

// Waits between attempts are a share of what they may be: here, none of it.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))

/** isoglot's own wire: what a server of ours writes of an answer. */
const [first] = wires as readonly [TestWire]
const ownPieces = (pieces: readonly string[]): string[] => {
  const events: MessageEvent[] = []
  const decoder = decodeAnswer(createClientCodec())
  decoder.push(new TextEncoder().encode(pieces.join('')), events)
  const frames: Frame[] = []
  const writer = isoglotFormat.codec.encodeStream({})
  for (const event of events) writer.push(event, frames)
  return frames.map(({ data }) => `data: ${data}\n\n`)
}
const own: Omit<TestWire, 'name'> & { readonly name: string } = {
  ...first,
  name: 'isoglot',
  model: (url) => remote('openai-chat:m', { url: url.replace(/\/v1$/, '/answer') }) as never,
  text: (...parts) => ownPieces(first.text(...parts)),
  calls: (...calls) => ownPieces(first.calls(...calls)),
  piecesAfterEnd: 0,
  isLastPieceEmpty: false,
}
const allWires: readonly (typeof own)[] = [...wires, own]

describe.each(allWires)('$name', (wire) => {
  it.each(['broken', 'closed'] as const)('continues wherever it is cut: %s', async (how) => {
    const answer = answerOf(wire)
    const whole = await read(ask(wire, keep(answer)))
    const places = placesIn(answer, how === 'broken' ? 13 : 19)
    expect(places.length).toBeGreaterThan(1)
    for (const bytes of places) {
      const kept = keep(answer, [{ bytes, how }])
      checkSame(await read(ask(wire, kept)), whole, `${how} after ${bytes} bytes`)
      checkSame(kept.asked.filter((one) => one === 'POST').length, 1)
    }
  })

  it('requests the events after the last complete one, with the key, at the model’s address', async () => {
    const answer = answerOf(wire)
    const [first = '', second = ''] = answer
    const kept = keep(answer, [{ bytes: bytesOf([first, second]) + 3, how: 'broken' }])
    await read(ask(wire, kept))
    expect(kept.asked.slice(0, 2)).toEqual(['POST', 'GET 2'])
    const [asked, again] = kept.requests
    expect(again?.url).toBe(`${origin}/v1/streams/${streamId}`)
    for (const name of ['authorization', 'x-api-key', 'x-goog-api-key']) {
      expect(again?.headers.get(name)).toBe(asked?.headers.get(name))
    }
  })

  it('runs each tool once, wherever the answer that calls it is cut', async () => {
    const calls = wire.calls(['call_a', 'weather', '{"city":"Oslo"}'], ['call_b', 'weather', '{"city":"Rome"}'])
    const places = placesIn(calls, 19)
    expect(places.length).toBeGreaterThan(1)
    for (const bytes of places) {
      const ran: unknown[] = []
      const weather = tool({
        name: 'weather',
        parameters: t.object({ city: t.string() }),
        execute: ({ city }) => {
          ran.push(city)
          return 'Sunny'
        },
      })
      const kept = keep(calls, [{ bytes, how: 'broken' }])
      const { outcome } = await ask(wire, kept, { tools: [weather], maxRounds: 2, stopWhen: () => true }).response
      checkSame([outcome, ...ran.sort()], ['stop_condition', 'Oslo', 'Rome'], `after ${bytes} bytes`)
    }
  })

  it('reads a stored answer from its beginning, by its name', async () => {
    const whole = await read(ask(wire, keep(answerOf(wire))))
    const kept = keep(answerOf(wire))
    const run = ask(wire, kept, { resume: resumable(streamId) })
    expect(await read(run)).toEqual(whole)
    expect(kept.asked[0]).toBe('GET 0')
    expect(kept.asked).not.toContain('POST')
    expect(run.streamId).toBe(streamId)
  })
})

const schedules = isExhaustive ? 10_000 : 100

it(`loses and doubles nothing in ${schedules} schedules of cuts`, async () => {
  const random = seeded(21)
  const upTo = (limit: number) => Math.floor(random() * limit)
  const wholes = new Map<string, StreamEvent[]>()
  for (const wire of allWires) wholes.set(wire.name, await read(ask(wire, keep(answerOf(wire)))))
  const failed: unknown[] = []
  async function play(round: number): Promise<void> {
    const wire = allWires[round % allWires.length] as typeof own
    const answer = answerOf(wire)
    const cuts = Array.from({ length: 1 + upTo(5) }, (): Cut | Response => {
      if (random() < 0.1) return Response.json({ error: { message: 'Overloaded' } }, { status: 503 })
      return { bytes: upTo(bytesOf(answer)), how: random() < 0.5 ? 'broken' : 'closed' }
    })
    while (cuts[0] instanceof Response) cuts.shift() // there must be an answer to continue
    const events = await read(ask(wire, keep(answer, cuts))).catch((error: unknown) => error)
    if (JSON.stringify(events) !== JSON.stringify(wholes.get(wire.name))) failed.push({ round, cuts, events })
  }
  // A hundred at once, since each of them is mostly waiting for its next attempt.
  for (let round = 0; round < schedules; round += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, at) => play(round + at)))
  }
  expect(failed).toEqual([])
}, 600_000)

it('continues over another connection if one stops sending', async () => {
  const wire = wires[0] as TestWire
  const answer = answerOf(wire)
  const whole = await read(ask(wire, keep(answer)))
  const kept = keep(answer)
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await kept.fetch(input, init)
    return kept.asked.length > 1 ? response : silentAfter(response, bytesOf(answer.slice(0, 2)) + 5)
  }
  expect(await read(ask(wire, { ...kept, fetch }, { timeouts: { idleMs: 20 } }))).toEqual(whole)
  expect(kept.asked).toEqual(['POST', 'GET 2'])
})

/** The same answer, without its end. */
async function silentAfter(response: Response, bytes: number): Promise<Response> {
  const start = new Uint8Array(await response.arrayBuffer()).slice(0, bytes)
  const body = new ReadableStream({ start: (controller) => controller.enqueue(start) })
  return new Response(body, { headers: response.headers })
}

describe('an answer that cannot continue', () => {
  const wire = wires[0] as TestWire
  const answer = answerOf(wire)
  const half: Cut = { bytes: bytesOf(answer.slice(0, 3)), how: 'broken' }

  it.each([404, 410, 401])('is an interruption that keeps the received part, when the rest is a %i', async (status) => {
    const run = ask(wire, keep(answer, [half, Response.json({ error: { message: 'Gone' } }, { status })]))
    const error = await read(run).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(InterruptedError)
    expect(error).toMatchObject({ cause: { status }, partial: { stopReason: 'interrupted' } })
    expect(run.partial?.content).toEqual([{ type: 'text', text: 'Grüße, 世界' }])
  })

  it('fails after five connections in a row without a new event', async () => {
    const nothing: Cut = { bytes: 0, how: 'broken' }
    const kept = keep(answer, [half, ...Array.from({ length: 10 }, () => nothing)])
    await expect(read(ask(wire, kept))).rejects.toBeInstanceOf(InterruptedError)
    expect(kept.asked).toEqual(['POST', ...Array.from({ length: 6 }, () => 'GET 3')])
  })

  it('fails when the network does not come back', async () => {
    const kept = keep(answer, [half])
    const fetch: typeof globalThis.fetch = (input, init) =>
      kept.asked.length === 0 ? kept.fetch(input, init) : Promise.reject(new TypeError('Failed to fetch'))
    const error = await read(ask(wire, { ...kept, fetch })).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(InterruptedError)
    expect((error as Error).cause).toBeInstanceOf(ConnectionError)
  })

  it('fails when connections end before they have begun', async () => {
    const nothing: Cut = { bytes: 0, how: 'closed' }
    const kept = keep(
      answer,
      Array.from({ length: 10 }, () => nothing),
    )
    await expect(read(ask(wire, kept))).rejects.toBeInstanceOf(InterruptedError)
    expect(kept.asked).toEqual(['POST', ...Array.from({ length: 5 }, () => 'GET 0')])
  })

  it('fails immediately if the server stores nothing, or sends no name', async () => {
    for (const name of [undefined, '', '../../admin', 'a b', 'x'.repeat(200)]) {
      const kept = keep(answer, [half])
      const fetch: typeof globalThis.fetch = async (input, init) => {
        const { body } = await kept.fetch(input, init)
        return new Response(body, name === undefined ? {} : { headers: { 'x-isoglot-stream': name } })
      }
      await expect(read(ask(wire, { ...kept, fetch }))).rejects.toBeInstanceOf(InterruptedError)
      expect(kept.asked).toEqual(['POST'])
    }
  })
})

describe('keys', () => {
  const wire = wires[0] as TestWire
  const weather = tool({ name: 'weather', parameters: t.object({}), execute: () => 'Sunny' })

  async function keysOf(more: Partial<RunRequest>): Promise<(string | null)[]> {
    const answers = [wire.calls(['call_a', 'weather', '{}']), wire.text('Bye')]
    const keys: (string | null)[] = []
    const fetch: typeof globalThis.fetch = async (_, init) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'))
      return new Response(answers.shift()?.join(''))
    }
    await stream({ model: { ...wire.model(origin), fetch }, prompt: 'Hi', tools: [weather], ...more }).response
    return keys
  }

  it('are sent with `resume`, another for each request', async () => {
    const [first, second] = await keysOf({ resume: resumable() })
    expect(first).toMatch(/^[\da-f-]{36}$/)
    expect(second).toMatch(/^[\da-f-]{36}$/)
    expect(second).not.toBe(first)
    expect((await keysOf({ resume: resumable() }))[0]).not.toBe(first)
  })

  it('are the caller’s own key, if there is one, with a hash of the request in later rounds, and absent if not requested', async () => {
    expect(await keysOf({ idempotencyKey: 'mine' })).toEqual(['mine', expect.stringMatching(/^mine-1-[a-z\d]{9}$/)])
    expect(await keysOf({})).toEqual([null, null])
  })
})

describe('an end before the end', () => {
  const wire = wires[0] as TestWire
  const slow = () => keep(answerOf(wire), [{ bytes: bytesOf(answerOf(wire).slice(0, 2)), how: 'broken' }])

  it('by stop() ends the stored answer and the run', async () => {
    const kept = slow()
    const run = ask(wire, kept, { resume: resumable() })
    const seen: StreamEvent[] = []
    const reading = (async () => {
      for await (const event of run) {
        seen.push(event)
        if (event.type === 'text_delta' && seen.length < 10) await run.stop()
      }
    })()
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
    expect(kept.asked).toContain('DELETE')
    expect(kept.requests.find(({ method }) => method === 'DELETE')?.url).toBe(`${origin}/v1/streams/${streamId}`)
    expect(run.partial?.stopReason).toBe('aborted')
    await expect(run.response).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('by leaving it only closes the connection', async () => {
    const kept = slow()
    const run = ask(wire, kept, { resume: resumable() })
    for await (const event of run) if (event.type === 'text_delta') break
    expect(kept.asked).not.toContain('DELETE')
    expect(run.streamId).toBe(streamId)
    expect(run.partial).toMatchObject({ stopReason: 'aborted', content: [{ type: 'text', text: 'Grüße, ' }] })
  })

  it('by stop() waits for the name of a requested answer', async () => {
    const kept = slow()
    const gate = Promise.withResolvers<void>()
    const isAsked = Promise.withResolvers<void>()
    const fetch: typeof globalThis.fetch = async (input, init) => {
      isAsked.resolve()
      await gate.promise
      return kept.fetch(input, init)
    }
    const run = ask(wire, { ...kept, fetch }, { resume: resumable() })
    const reading = read(run).catch((cause: unknown) => cause)
    await isAsked.promise
    const stopping = run.stop()
    gate.resolve()
    await stopping
    expect(await reading).toMatchObject({ name: 'AbortError' })
    expect(kept.asked).toEqual(['POST', 'DELETE'])
  })

  it('by stop() before it begins sends no request', async () => {
    const kept = slow()
    const run = ask(wire, kept)
    await run.stop()
    await expect(read(run)).rejects.toMatchObject({ name: 'AbortError' })
    expect(kept.asked).toEqual([])
  })
})

describe.each(allWires)('a server below a path, by $name', (wire) => {
  it.each(['/v1', '/ai/v1', '/deep/er/v1'])('continues and ends its answers there: %s', async (path) => {
    const answer = answerOf(wire)
    const kept = keep(answer, [{ bytes: bytesOf(answer.slice(0, 2)) + 3, how: 'broken' }])
    const model = { ...wire.model(`${origin}${path}`), fetch: kept.fetch }
    const run = stream({ model, prompt: 'Hi', retries: 0, resume: resumable() })
    await run.response
    await run.stop()
    const urls = kept.requests.filter(({ method }) => method !== 'POST').map(({ url }) => url)
    expect(urls.length).toBeGreaterThan(0)
    expect(new Set(urls)).toEqual(new Set([`${origin}${path.replace(/v1$/, '')}v1/streams/${streamId}`]))
  })
})
