/** Random histories of a kept answer, ten thousand times by chance, and over a day. SQLite is Node's; no workerd is asked. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { describe, expect, inject, it, vi } from 'vitest'
import { allFormats } from '../../src/gateway/all-formats.ts'
import { openRun as open } from '../../src/worker/runs/run.ts'
import { facts } from '../formats/index.ts'
import { speakers } from '../gateway/provider.ts'
import { ended, endingOf, failed } from '../gateway/wire.ts'
import { seeded } from '../support/random.ts'
import { type WireName, wireNames } from './harness.ts'
import { headersOf, partsOf } from './kept.ts'
import { sqlOn } from './on-sqlite.ts'

interface Run {
  start(call: object): Promise<Response>
  resume(after: number): Promise<Response>
  stop(): Promise<boolean>
  wake(): Promise<void>
}

/** A host by hand has what a run asks of it, and no more. */
const openRun = open as (host: object) => Run

type Random = () => number
const below = (random: Random, limit: number) => Math.floor(random() * limit)

/** A moment, of any length: some turns of the promises, or of the whole loop. */
async function pause(random: Random): Promise<void> {
  for (let turns = below(random, 6); turns > 0; turns--) await undefined
  if (random() < 0.1) await new Promise(setImmediate)
}

/** One life of an object, until it is killed without a word. */
interface Life {
  readonly run: Run
  readonly death: Promise<undefined>
  kill(): void
}

/** A storage that outlives its objects, except for writes that were not safely stored yet. */
function openStorage(answer: () => Promise<Response>, random: Random) {
  const database = new DatabaseSync(':memory:')
  database.exec('BEGIN')
  const exec = sqlOn(database)
  const alarms: number[] = []
  let isCleared = false

  function live(keptMs: () => number | undefined = () => 600_000): Life {
    const death = Promise.withResolvers<undefined>()
    let isDead = false
    const run = openRun({
      sql: {
        exec(query: string, ...values: SQLInputValue[]) {
          if (isDead) throw new Error('There is nobody to write')
          return exec(query, ...values)
        },
      },
      async sync() {
        await pause(random)
        if (isDead) return new Promise(() => {})
        database.exec('COMMIT; BEGIN')
      },
      formats: () => allFormats,
      setAlarm: async (at: number) => void alarms.push(at),
      clear: async () => {
        isCleared = true
      },
      waitUntil: (work: Promise<unknown>) => void work.catch(() => {}),
      answer,
      keptMs,
    })
    const kill = () => {
      isDead = true
      database.exec('ROLLBACK; BEGIN')
      death.resolve(undefined)
    }
    return { run, death: death.promise, kill }
  }

  return { live, alarms, isCleared: () => isCleared }
}

const callOf = (wire: WireName) => ({
  id: '0123456789abcdef0123456789abcdef',
  url: `https://worker.test${facts[wire].gateway.minimal('demo-model', '', true).path}`,
  body: '{}',
  digest: 'of it all',
  session: {},
})

/**
 * An answer as the gateway gives it, keep-alive comments between its events, cut anywhere; if `events` are fewer than all, it is cut off
 * after the last.
 */
function answerIn(wire: WireName, events: readonly string[], count: number, random: Random): Response {
  const alive = wire === 'ollama' ? ' ' : ': keep-alive\n\n'
  const said = events.slice(0, count).flatMap((event) => (random() < 0.2 ? [alive, event] : [event]))
  const half = events[count]?.slice(0, below(random, 20))
  let rest = new TextEncoder().encode(said.join('') + (half ?? ''))
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await pause(random)
        const size = 1 + below(random, random() < 0.5 ? 60 : 2000)
        if (rest.length > 0) controller.enqueue(rest.slice(0, size))
        else if (half === undefined) controller.close()
        else controller.error(new TypeError('It broke off'))
        rest = rest.slice(size)
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: headersOf(wire) })
}

/** The events of one client, over all its connections. */
interface Had {
  readonly parts: string[]
  connections: number
  isRefused: boolean
}

/** Listens until there is no more, on connections that break at any byte, and with any object that dies. */
async function listen(wire: WireName, now: () => Life, random: Random): Promise<Had> {
  const had: Had = { parts: [], connections: 0, isRefused: false }
  let hasBegun = false
  for (;;) {
    const { run, death } = now()
    had.connections++
    const response = await Promise.race([hasBegun ? run.resume(had.parts.length) : run.start(callOf(wire)), death])
    if (response === undefined) continue
    had.isRefused = response.status === 502
    if (response.status !== 200) return had
    hasBegun = true
    const { text, isAll } = await readSome(
      response,
      random() < 0.4 ? Number.POSITIVE_INFINITY : below(random, 900),
      death,
    )
    const end = wire === 'ollama' ? '\n' : '\n\n'
    had.parts.push(...partsOf(wire, text).filter((part) => part.endsWith(end)))
    if (isAll) return had
    await pause(random)
  }
}

async function readSome(response: Response, maxLength: number, death: Promise<undefined>) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  while (text.length < maxLength) {
    const next = await Promise.race([reader.read().catch(() => undefined), death])
    if (next === undefined) return { text, isAll: false }
    if (next.done) return { text, isAll: true }
    text += decoder.decode(next.value, { stream: true })
  }
  void reader.cancel()
  return { text: text.slice(0, maxLength), isAll: false }
}

/** The outcome of one answer. */
interface Fate {
  readonly wire: WireName
  readonly events: readonly string[]
  readonly had: readonly Had[]
  readonly asked: number
  readonly kills: number
  /** It was stopped, or cut off. */
  readonly isHurt: boolean
}

async function live(seed: number): Promise<Fate> {
  const random = seeded(seed)
  const wire = wireNames[seed % wireNames.length] as WireName
  const text = 'Hé 👋 there'
  const calls = [{ id: 'call_1', name: 'get_weather', args: { city: 'Rome' } }] as const
  const events = speakers[wire].pieces(random() < 0.5 ? { text, calls } : { text })
  const count = random() < 0.2 ? 1 + below(random, events.length - 1) : events.length
  let asked = 0
  const storage = openStorage(async () => {
    asked++
    await pause(random)
    return answerIn(wire, events, count, random)
  }, random)
  let now = storage.live()
  const kills = random() < 0.4 ? 1 + below(random, 2) : 0
  const isStopped = random() < 0.2
  async function meddle(): Promise<void> {
    for (let kill = 0; kill < kills; kill++) {
      for (let moments = below(random, 20); moments > 0; moments--) await pause(random)
      now.kill()
      now = storage.live()
    }
    for (let moments = below(random, 20); moments > 0; moments--) await pause(random)
    if (isStopped) await now.run.stop()
  }
  const clients = Array.from({ length: 1 + below(random, 3) }, () => listen(wire, () => now, random))
  const [had] = await Promise.all([Promise.all(clients), meddle()])
  return { wire, events, had, asked, kills, isHurt: isStopped || count < events.length }
}

const withoutId = (part: string) => part.replace(/^id: \d+\n/, '')
const idsOf = (parts: readonly string[]) => parts.flatMap((part) => /^id: (\d+)\n/.exec(part)?.[1] ?? [])

/** All of it, or what came before it was hurt, and one error: each event once, in order, and the same for all. */
function judge({ wire, events, had, asked, kills, isHurt }: Fate, why: string): 'whole' | 'cut' | 'refused' {
  expect(asked, why).toBe(1)
  const [first] = had as [Had]
  for (const { parts, isRefused } of had) {
    expect(parts, why).toEqual(first.parts)
    expect(isRefused, why).toBe(first.isRefused)
  }
  if (first.isRefused) {
    expect(kills, why).toBeGreaterThan(0)
    expect(first.parts, why).toEqual([])
    return 'refused'
  }
  const told = first.parts.map(withoutId)
  if (wire !== 'ollama') expect(idsOf(first.parts), why).toEqual(told.map((_, at) => `${at + 1}`))
  const ending = endingOf(wire, told.join(''))
  if (ending.ends === 1 || (kills === 0 && !isHurt)) {
    expect(ending, why).toEqual(ended)
    expect(told, why).toEqual(events)
    return 'whole'
  }
  expect(ending, why).toEqual(failed)
  const same = told.findIndex((event, at) => event !== events[at])
  expect(
    told.slice(same).every((event) => /error|response\.failed/.test(event)),
    why,
  ).toBe(true)
  return 'cut'
}

const fates = inject('isExhaustive') ? 10_000 : 250

it(`loses no event, and sends none twice or out of order, in ${fates} random histories`, async () => {
  const seen = { whole: 0, cut: 0, refused: 0, connections: 0, clients: 0 }
  for (let seed = 1; seed <= fates; seed++) {
    const fate = await live(seed)
    seen[judge(fate, `seed ${seed}`)]++
    seen.clients += fate.had.length
    seen.connections += fate.had.reduce((sum, { connections }) => sum + connections, 0)
  }
  console.log(`${fates} fates`, seen)
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(fates / 100)
}, 300_000)

describe('an answer that is over', () => {
  it('is stored for its time, then remembered for a day, and then unknown', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] })
    const random = seeded(1)
    const events = speakers.anthropic.pieces({ text: 'Hi' })
    const storage = openStorage(async () => answerIn('anthropic', events, events.length, random), random)
    const { run } = storage.live()
    const partsIn = async (response: Response) => partsOf('anthropic', await response.text())
    const parts = await partsIn(await run.start(callOf('anthropic')))
    const statusAt = async (minutes: number) => {
      vi.setSystemTime(minutes * 60_000)
      await run.wake()
      return (await run.resume(0)).status
    }
    expect(await statusAt(9.9)).toBe(200)
    expect(await partsIn(await storage.live().run.resume(0))).toEqual(parts)
    expect(await statusAt(10)).toBe(410)
    expect(storage.alarms.at(-1)).toBe((24 * 60 + 10) * 60_000)
    expect((await storage.live().run.resume(0)).status).toBe(410)
    expect(await statusAt(24 * 60 + 9)).toBe(410)
    expect(storage.isCleared()).toBe(false)
    expect(await statusAt(24 * 60 + 10)).toBe(404)
    expect(storage.isCleared()).toBe(true)
    expect((await run.start(callOf('anthropic'))).status).toBe(200)
  })

  it('stays while an option of the Worker is wrong, and is deleted after that', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] })
    const random = seeded(1)
    const events = speakers.anthropic.pieces({ text: 'Hi' })
    const storage = openStorage(async () => answerIn('anthropic', events, events.length, random), random)
    await (await storage.live().run.start(callOf('anthropic'))).text()
    for (const [minutes, keptMs, status, alarm] of [
      [10, undefined, 200, 70],
      [70, undefined, 200, 130],
      [130, 600_000, 410, 24 * 60 + 10],
    ] as const) {
      vi.setSystemTime(minutes * 60_000)
      const { run } = storage.live(() => keptMs)
      await run.wake()
      expect([(await run.resume(0)).status, storage.alarms.at(-1)]).toEqual([status, alarm * 60_000])
    }
  })

  it('does not look complete to a reader that is too slow', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] })
    const random = seeded(1)
    const events = speakers['openai-chat'].pieces({ text: 'x'.repeat(400_000) })
    const storage = openStorage(async () => answerIn('openai-chat', events, events.length, () => 0.9), random)
    const { run } = storage.live()
    const slow = await run.start(callOf('openai-chat'))
    await (await run.resume(0)).text()
    vi.setSystemTime(600_000)
    await run.wake()
    await expect(slow.text()).rejects.toThrow('it is no longer stored')
  })

  it('keeps its object awake while it is written', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['Date'] })
    const storage = openStorage(() => new Promise(() => {}), seeded(1))
    const { run } = storage.live()
    void run.start(callOf('gemini'))
    expect(storage.alarms).toEqual([30_000])
    vi.setSystemTime(30_000)
    await run.wake()
    expect(storage.alarms).toEqual([30_000, 60_000])
  })
})

it('writes nothing for a request for an unknown answer', async () => {
  const queries: string[] = []
  const sql = {
    exec(query: string) {
      queries.push(query)
      return []
    },
  }
  const run = openRun({ sql, formats: () => allFormats })
  expect((await run.resume(0)).status).toBe(404)
  expect(await run.stop()).toBe(false)
  expect(queries.filter((query) => !query.startsWith('SELECT'))).toEqual([])
})
