/** A run that the server keeps continues in the page over connections that break, and ends only when asked to. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { InterruptedError, LimitError } from '../../src/index.ts'
import { readEvents, resuming } from '../../src/page/read.ts'
import { answerKept, type EndOfRun, keepRun, memoryLog, type RunLog } from '../../src/page/response.ts'
import { bytesOf, outcomeOf, recorded, recordedRun, scripted, start, text } from './runs.ts'

const url = 'https://example.com/chat'

/** The page's requests to the server, by `fetch`. */
const asked: Request[] = []
let answer: (request: Request) => Promise<Response>
beforeEach(() => {
  asked.length = 0
  vi.stubGlobal('fetch', async (input: string, init: RequestInit) => {
    const request = new Request(input, init)
    asked.push(request)
    return answer(request)
  })
})
afterEach(() => vi.unstubAllGlobals())

/** The response, cut after this number of bytes. */
async function cut(response: Response, at: number): Promise<Response> {
  return new Response((await bytesOf(response)).slice(0, at), { headers: response.headers })
}

const resume = resuming({ url, headers: () => ({ authorization: 'Bearer page' }) })
const idsOf = () => asked.map(({ method, headers }) => `${method} ${headers.get('last-event-id')}`)

describe.each(recorded.filter(([id]) => /(text|tools|thinking)-stream$/.test(id)))('%s', (_, format, one) => {
  it('is complete, although every connection breaks', async () => {
    const log = memoryLog()
    const whole = await outcomeOf(readEvents(await keepRun(recordedRun(format, one), log)))
    answer = async (request) => cut(await answerKept(request, log), 600)
    const response = await cut(await keepRun(recordedRun(format, one), log), 300)
    const run = readEvents(response, { resume })
    expect(await outcomeOf(run)).toEqual(whole)
    expect(run.streamId).toMatch(/^[\w-]{36}$/)
    expect(asked.length).toBeGreaterThan(0)
  })
})

it('continues after the last received event, wherever the connection broke, and sends the headers of the page', async () => {
  const log = memoryLog()
  answer = (request) => answerKept(request, log)
  const events = [start, text('Hel'), text('lö ☂'), text('!')]
  const kept = await keepRun(scripted(events), log)
  const { headers } = kept
  const bytes = await bytesOf(kept)
  for (let at = 0; at < bytes.length; at++) {
    asked.length = 0
    const run = readEvents(new Response(bytes.slice(0, at), { headers }), { resume })
    expect((await outcomeOf(run)).events).toEqual(events)
    // An event is whole with its blank line.
    const taken = new TextDecoder().decode(bytes.slice(0, at)).match(/id: \d+\ndata: .*\n\n/g)?.length ?? 0
    expect(idsOf()).toEqual([`GET ${taken}`])
    expect(asked[0]?.headers.get('authorization')).toBe('Bearer page')
  }
})

it('can be read from its beginning, as after a reload of the page', async () => {
  const log = memoryLog()
  const response = await keepRun(scripted([start, text('Hel'), text('lo')]), log)
  const name = response.headers.get('x-isoglot-stream')
  await response.text()
  const again = readEvents(await answerKept(new Request(`${url}/${name}`), log))
  const { events } = await outcomeOf(again)
  expect(events).toEqual([start, text('Hel'), text('lo')])
  const after = (id: number) =>
    answerKept(new Request(`${url}/${name}`, { headers: { 'last-event-id': `${id}` } }), log)
  expect((await after(3)).status).toBe(200)
  expect((await after(4)).status).toBe(204)
})

describe('a run with the name of the page', () => {
  const name = 'a-name-of-the-page'
  const at = `${url}/${name}`
  const isKept = async (log: RunLog) => {
    while ((await log.read(name, 0, AbortSignal.abort())) === undefined) await undefined
  }

  it('can be read before its first event', async () => {
    const log = memoryLog()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const run = scripted([start, text('Hel')])
    const { batches } = run
    run.batches = async function* () {
      await begun
      yield* batches()
    }
    const kept = keepRun(run, log, { name, heartbeatMs: 0 })
    await isKept(log)
    const again = outcomeOf(readEvents(answerKept(new Request(at), log)))
    begin()
    expect((await kept).headers.get('x-isoglot-stream')).toBe(name)
    expect((await again).events).toEqual([start, text('Hel')])
  })

  it('is ended by DELETE before its first event, and is not stored after that', async () => {
    const log = memoryLog()
    const ends: EndOfRun[] = []
    const run = scripted([null])
    const kept = keepRun(run, log, { name, heartbeatMs: 0, onEnd: (end) => void ends.push(end) })
    const statusOf = async (method: string) => (await answerKept(new Request(at, { method }), log)).status
    await isKept(log)
    expect([await statusOf('DELETE'), await statusOf('DELETE'), await statusOf('GET')]).toEqual([204, 204, 404])
    expect((await kept).ok).toBe(false)
    expect([run.isLeft, ends]).toEqual([true, [{ messages: [], left: true }]])
  })

  it('is not stored if it fails before its first event', async () => {
    const log = memoryLog()
    expect((await keepRun(scripted([], new InterruptedError('cut')), log, { name })).ok).toBe(false)
    expect((await answerKept(new Request(at), log)).status).toBe(404)
  })

  it('gets another name if a run has that one: the page reads nothing of that run, and writes nothing to it', async () => {
    const log = memoryLog()
    const first = await keepRun(scripted([start, text('one')]), log, { name })
    const other = await keepRun(scripted([start, text('two')]), log, { name })
    expect(other.headers.get('x-isoglot-stream')).toMatch(/^[\w-]{36}$/)
    expect((await outcomeOf(readEvents(other))).events).toEqual([start, text('two')])
    expect((await outcomeOf(readEvents(first))).events).toEqual([start, text('one')])
    expect((await outcomeOf(readEvents(answerKept(new Request(at), log)))).events).toEqual([start, text('one')])
  })
})

describe('a name that was used before', () => {
  const name = 'a-name-of-the-page'
  const at = (method: string, log: RunLog) => answerKept(new Request(`${url}/${name}`, { method }), log)
  const first = async (log: RunLog) => (await keepRun(scripted([start, text('one')]), log, { name })).text()
  /** The state of the name when it is used again. */
  const uses: Readonly<Record<string, (log: RunLog) => Promise<unknown>>> = {
    'by a run that has ended': first,
    'by a run that was removed after its end': async (log) => [await first(log), await at('DELETE', log)],
    'by a run that was stopped': async (log) => {
      const kept = await keepRun(scripted([start, text('one'), null]), log, { name })
      return [await at('DELETE', log), await kept.text().catch(() => {})]
    },
    'by a run that failed before its first event': (log) =>
      keepRun(scripted([], new InterruptedError('cut')), log, { name }),
    'by a run that is past its time': async (log) => [await first(log), vi.advanceTimersByTime(1000)],
    'by a run that was removed and is past its time': async (log) => [
      await first(log),
      await at('DELETE', log),
      vi.advanceTimersByTime(1000),
    ],
  }

  it.each(Object.entries(uses))('%s: the page gets its own answer, and can read it again', async (_, use) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const log = memoryLog({ ttlMs: 1000 })
    await use(log)
    const kept = await keepRun(scripted([start, text('two')]), log, { name })
    const own = kept.headers.get('x-isoglot-stream') ?? ''
    expect((await outcomeOf(readEvents(kept))).events).toEqual([start, text('two')])
    const again = await answerKept(new Request(`${url}/${own}`), log)
    expect((await outcomeOf(readEvents(again))).events).toEqual([start, text('two')])
    if (own !== name) {
      const old = await outcomeOf(readEvents(at('GET', log)))
      expect(old.events).not.toContainEqual(text('two'))
    }
  })

  it('by a request that arrived at the same time: each page gets its own answer', async () => {
    const log = memoryLog()
    const both = ['one', 'two'].map((said) => keepRun(scripted([start, text(said)]), log, { name }))
    const read = await Promise.all(both.map(async (kept) => (await outcomeOf(readEvents(await kept))).events))
    expect(read).toEqual(['one', 'two'].map((said) => [start, text(said)]))
  })

  it('does not hide the error of a log that fails', async () => {
    const log: RunLog = { ...memoryLog(), append: () => Promise.reject(new TypeError('The database is down')) }
    await expect(keepRun(scripted([start]), log, { name })).rejects.toThrow('The database is down')
  })
})

it('a run that has ended is not stopped, whatever happens to its log', async () => {
  const log = memoryLog()
  const run = scripted([start, text('Hel')])
  const stop = vi.spyOn(run, 'stop')
  const kept: Promise<unknown>[] = []
  const response = await keepRun(run, log, { waitUntil: (one) => void kept.push(one) })
  await response.text()
  await Promise.all(kept)
  await log.remove(response.headers.get('x-isoglot-stream') ?? '')
  await new Promise((resolve) => setImmediate(resolve))
  expect(stop).not.toHaveBeenCalled()
})

describe('leaving', () => {
  it('only closes the connection: the run continues, and its end is reported', async () => {
    const log = memoryLog()
    const ends: EndOfRun[] = []
    const kept: Promise<unknown>[] = []
    const run = scripted([start, text('Hel'), text('lo')])
    const options = {
      onEnd: (end: EndOfRun) => void ends.push(end),
      waitUntil: (one: Promise<unknown>) => void kept.push(one),
    }
    const response = await keepRun(run, log, options)
    for await (const _ of readEvents(response)) break
    await Promise.all(kept)
    expect(run.isLeft).toBe(false)
    expect(ends).toEqual([{ messages: [], left: false }])
  })

  it('by stop() ends the run on the server, while no event arrives', async () => {
    const log = memoryLog()
    answer = (request) => answerKept(request, log)
    const run = scripted([start, text('Hel'), null])
    const reading = readEvents(keepRun(run, log), { resume })
    const read = outcomeOf(reading)
    while (reading.messages.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await reading.stop()
    expect((await read).error).toMatchObject({ name: 'AbortError' })
    while (!run.isLeft) await new Promise((resolve) => setImmediate(resolve))
    expect(idsOf()).toEqual(['DELETE null'])
    expect((await answerKept(new Request(`${url}/${reading.streamId}`), log)).status).toBe(404)
  })
})

describe('a rest that the server does not have', () => {
  const broken = async () => cut(await keepRun(scripted([start, text('Hel')]), memoryLog()), 110)

  it.each([
    ['is gone', 404],
    ['was never longer', 204],
    ['is forbidden', 403],
  ])('%s: the run is interrupted, with the received part', async (_, status) => {
    answer = async () => new Response(null, { status })
    const { error } = await outcomeOf(readEvents(broken(), { resume }))
    expect(error).toBeInstanceOf(InterruptedError)
    expect(error).toMatchObject({ partial: { content: [{ text: 'Hel' }] }, cause: expect.any(Error) })
    expect(asked).toHaveLength(1)
  })

  it('is requested at most five times in a row', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    answer = async () => {
      throw new TypeError('fetch failed')
    }
    const { error } = await outcomeOf(readEvents(broken(), { resume }))
    expect(error).toBeInstanceOf(InterruptedError)
    expect(asked).toHaveLength(6)
  })

  it('is not requested after an error of the run, or without resume', async () => {
    const log = memoryLog()
    const failed = await keepRun(scripted([start], new InterruptedError('cut')), log)
    expect((await outcomeOf(readEvents(failed, { resume }))).error).toMatchObject({ code: 'interrupted' })
    expect((await outcomeOf(readEvents(broken()))).error).toMatchObject({ code: 'interrupted' })
    expect(asked).toEqual([])
  })
})

describe('memoryLog', () => {
  const all = async (log: RunLog, name: string, after = 0) => {
    const events: string[] = []
    for await (const event of (await log.read(name, after, new AbortController().signal)) ?? ['gone'])
      events.push(event)
    return events
  }

  it('keeps the events of a run, and deletes it some time after its end', async () => {
    vi.useFakeTimers()
    const log = memoryLog({ ttlMs: 1000 })
    await log.append('a', ['1', '2'])
    await log.append('a', ['3'])
    await log.close('a')
    expect(await all(log, 'a', 1)).toEqual(['2', '3'])
    vi.advanceTimersByTime(1000)
    expect(await all(log, 'a')).toEqual(['gone'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('sends its readers new events, of the end, and of a removal', async () => {
    const log = memoryLog()
    await log.append('a', ['1'])
    const reading = all(log, 'a')
    await log.append('a', ['2'])
    await log.remove('a')
    expect((await reading)[0]).toBe('1')
    await expect(log.append('a', ['3'])).rejects.toThrow('it was removed')
    expect(await all(log, 'a')).toEqual(['gone'])
  })

  it('refuses a run that is too long, which ends it', async () => {
    const log = memoryLog({ maxLength: 100 })
    await expect(log.append('a', ['x'.repeat(101)])).rejects.toBeInstanceOf(LimitError)
    const run = scripted([start, text('x'.repeat(200)), null])
    const { error } = await outcomeOf(readEvents(await keepRun(run, log)))
    expect(error).toBeInstanceOf(InterruptedError)
    expect(run.isLeft).toBe(true)
  })
})
