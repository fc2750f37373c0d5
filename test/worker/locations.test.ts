/**
 * Two of Cloudflare's places, as far as they can be had here: Workers of one workerd, each with counters of its own, and one set of
 * accounts for all. A third has a counter that lets everybody through, since the platform's count roughly.
 */
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ask, isErrorBody } from '../gateway/wire.ts'
import { loginSecret, settingsAt, startUpstream, tokenFor, type Upstream, wireNames } from './harness.ts'
import { headersOf, pieces } from './kept.ts'
import { type LocalWorkers, startWorkers } from './local.ts'

const places = ['east', 'west', 'rough'] as const
type Place = (typeof places)[number]

let upstream: Upstream
let workers: LocalWorkers
let urls: Record<Place, string>
let limits: Record<string, number>
beforeAll(async () => {
  const counters = Object.entries(inject('workerOptions').ratelimits ?? {})
  limits = Object.fromEntries(counters.map(([name, { simple }]) => [name, simple.limit]))
  upstream = await startUpstream()
  const settings = { ...settingsAt(upstream.url, 'http://127.0.0.1:1'), LOGIN_SECRET: loginSecret }
  workers = await startWorkers(
    places.map((name) => ({
      name,
      bindings: { ...settings, RATE_LIMITS: 'on', LIVE_STREAMS: '4' },
      durableObjects: {
        ACCOUNTS: { className: 'UserAccount', scriptName: 'east', useSQLite: true },
        RUNS: { className: 'StreamRun', scriptName: 'east', useSQLite: true },
      },
      ratelimits: Object.fromEntries(
        counters.map(([counter, { simple }]) => [
          counter,
          {
            namespace_id: `${counter} of ${name}`,
            simple: { ...simple, limit: name === 'rough' ? 1_000_000 : (limits[counter] as number) },
          },
        ]),
      ),
    })),
  )
  const found = places.map((place, at) => [place, workers.urls[at]])
  urls = Object.fromEntries(found) as Record<Place, string>
})
afterAll(async () => {
  await workers.stop()
  await upstream.stop()
})

let address = 0
/** A new address for each call. */
const freshAddress = () => `10.1.${++address >> 8}.${address & 255}`

async function inBatches<T>(count: number, act: (at: number) => Promise<T>): Promise<T[]> {
  const found: T[] = []
  while (found.length < count) {
    const next = Array.from({ length: Math.min(50, count - found.length) }, (_, at) => act(found.length + at))
    found.push(...(await Promise.all(next)))
  }
  return found
}

interface Verdict {
  readonly isBraked: boolean
  readonly retryAfter: number
}

async function verdictOf(answer: Response): Promise<Verdict> {
  const isBraked = (await answer.text()).includes('too many requests')
  expect(isBraked && answer.status !== 429).toBe(false)
  return { isBraked, retryAfter: Number(answer.headers.get('retry-after')) }
}

/** Sends a multiple of the allowed requests. Returns how many were refused; each refusal must have a `retry-after`. */
async function flood(limit: number, act: (at: number) => Promise<Response>): Promise<void> {
  const minute = () => Math.floor(Date.now() / 60_000)
  const first = minute()
  const verdicts = await inBatches(times * limit, async (at) => verdictOf(await act(at)))
  // The counters reset each minute.
  const minutes = minute() - first + 1
  const braked = verdicts.filter(({ isBraked }) => isBraked)
  expect(verdicts.length - braked.length).toBeGreaterThanOrEqual(limit)
  expect(verdicts.length - braked.length).toBeLessThanOrEqual(limit * minutes)
  expect(braked.every(({ retryAfter }) => retryAfter >= 1 && retryAfter <= 60)).toBe(true)
}

/** The requests to the provider meanwhile. */
async function heardDuring(act: () => Promise<unknown>): Promise<number> {
  const before = upstream.asked.length
  await act()
  return upstream.asked.length - before
}

const times = 10

describe(`a flood, ${times} times what may pass`, () => {
  it('of one user is stopped in each place by itself', async () => {
    const authorization = `Bearer ${await tokenFor({ url: urls.rough }, 'flooder')}`
    for (const place of ['east', 'west'] as const) {
      let passed = 0
      const heard = await heardDuring(() =>
        flood(limits.PER_USER as number, async () => {
          const headers = { authorization, 'cf-connecting-ip': freshAddress() }
          const answer = await ask(urls[place], 'openai-chat', 'openai-chat:demo-model', 'hi', {
            stream: false,
            headers,
          })
          if (answer.status === 200) passed++
          return answer
        }),
      )
      expect(heard).toBe(passed)
    }
  })

  it.each([
    ['one address', () => '203.0.113.5'],
    ['one /64', (at: number) => `2001:db8:1:2:${at.toString(16)}::1`],
  ])('from %s is stopped in each place by itself', async (_, addressOf) => {
    for (const place of ['east', 'west'] as const) {
      const heard = await heardDuring(() =>
        flood(limits.PER_IP as number, (at) => {
          const headers = { 'content-type': 'application/json', 'cf-connecting-ip': addressOf(at) }
          return fetch(`${urls[place]}/session`, { method: 'POST', headers, body: '{}' })
        }),
      )
      expect(heard).toBe(0)
    }
  })
})

describe.concurrent('answers at once', () => {
  // The accounts count answers and know no format: `limits.test.ts` has each format in one place.
  it.for(wireNames)('are four for a user in all places together, to the one (%s)', async (wire, { expect }) => {
    const user = crypto.randomUUID()
    const authorization = `Bearer ${await tokenFor({ url: urls.rough }, user)}`
    const open: ServerResponse[] = []
    upstream.script(user, (_, response) => {
      // As far as it says something: before that, headers wait.
      const all = pieces(wire)
      const said = all.slice(0, all.findIndex((piece) => piece.includes('there')) + 1)
      response.writeHead(200, headersOf(wire)).write(said.join(''))
      open.push(response)
    })
    const askAt = (place: Place) =>
      ask(urls[place], wire, 'demo-model', user, { headers: { authorization, 'cf-connecting-ip': freshAddress() } })
    // The rough counter refuses none, so most of them reach the accounts.
    const asked = [...Array(15).fill('east'), ...Array(15).fill('west'), ...Array(170).fill('rough')] as Place[]
    const answers = await Promise.all(asked.map(askAt))
    const refused = answers.filter(({ status }) => status === 429)
    const others = answers.filter(({ status }) => status !== 429)
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    // On a busy machine an answer begins before its provider is asked: its headers wait for some seconds only.
    await expect.poll(() => open.length).toBe(4)
    for (const { headers } of refused) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
    }
    expect(isErrorBody(wire, await refused[0]?.json())).toBe(true)
    open[0]?.destroy()
    await expect.poll(async () => (await askAt('rough')).status, { interval: 100 }).not.toBe(429)
    await expect.poll(() => open.length).toBe(5)
    expect([(await askAt('east')).status, (await askAt('west')).status]).toEqual([429, 429])
    for (const response of open) response.destroy()
  })
})
