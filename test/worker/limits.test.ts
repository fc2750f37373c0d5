/**
 * Floods, against the counters of the platform and the exact one of the accounts, in workerd itself. In `exhaustive` there are two of
 * Cloudflare's places, as far as they can be had here: Workers of one workerd, each with counters of its own, and one set of accounts for
 * all. A third has counters that let everybody through, since the platform's count roughly.
 */
import type { ServerResponse } from 'node:http'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { networkOf } from '../../src/worker/limits/limits.ts'
import { ask, isErrorBody } from '../gateway/wire.ts'
import { isExhaustive } from '../support/cuts.ts'
import { loginSecret, settingsAt, startUpstream, tokenFor, wireNames } from './harness.ts'
import { headersOf, pieces } from './kept.ts'
import { startWorkers } from './local.ts'

/** As `wrangler.toml` has them, in requests a minute. */
const [perUser, perNetwork] = [60, 300]
/** The platform counts to any number alike: in `npm test`, a network may ask for a fifth of what it may. */
const ofNetwork = isExhaustive ? perNetwork : perNetwork / 5
/** How many times as much as may pass a flood sends. A burst may meet the counters of two minutes. */
const times = isExhaustive ? 10 : 3

type Place = 'rough' | 'east' | 'west'
const counters: readonly Place[] = isExhaustive ? ['east', 'west'] : ['east']
const places: readonly Place[] = ['rough', ...counters]

const upstream = await startUpstream()
const settings = { ...settingsAt(upstream.url, 'http://127.0.0.1:1'), LOGIN_SECRET: loginSecret }
const workers = await startWorkers(
  places.map((name) => ({
    name,
    bindings: { ...settings, RATE_LIMITS: 'on', LIVE_STREAMS: '4' },
    durableObjects: {
      ACCOUNTS: { className: 'UserAccount', scriptName: 'east', useSQLite: true },
      RUNS: { className: 'StreamRun', scriptName: 'east', useSQLite: true },
    },
    ratelimits: Object.fromEntries(
      Object.entries({ PER_USER: perUser, PER_IP: ofNetwork }).map(([counter, most]) => {
        const limit = name === 'rough' ? 1_000_000 : most
        return [counter, { namespace_id: `${counter} of ${name}`, simple: { limit, period: 60 } }] as const
      }),
    ),
  })),
)
afterAll(() => Promise.all([workers.stop(), upstream.stop()]))
const urlOf = (place: Place) => workers.urls[places.indexOf(place)] as string

let address = 0
/** Each from a network of its own, unless it says from which. */
const from = (network = `10.0.${++address >> 8}.${address & 255}`) => ({ 'cf-connecting-ip': network })
const tokenOf = (user: string) => tokenFor({ url: urlOf('rough') }, user, {}, from())

it('has the counters that wrangler.toml has', () => {
  const { PER_USER, PER_IP } = inject('workerOptions').ratelimits ?? {}
  expect([PER_USER?.simple, PER_IP?.simple]).toEqual([perUser, perNetwork].map((limit) => ({ limit, period: 60 })))
})

// Before the floods: after minutes without a request, the connections to the upstream would be closed by it, perhaps just as one is used.
describe.concurrent('concurrent answers', () => {
  it.for(wireNames)(
    'are four for a user in all places together, until one has ended (%s)',
    async (wire, { expect }) => {
      const user = crypto.randomUUID()
      const authorization = `Bearer ${await tokenOf(user)}`
      const open: ServerResponse[] = []
      upstream.script(user, (_, response) => {
        // As far as it says something: before that, headers wait.
        const all = pieces(wire)
        const said = all.slice(0, all.findIndex((piece) => piece.includes('there')) + 1)
        response.writeHead(200, headersOf(wire)).write(said.join(''))
        open.push(response)
      })
      const askAt = (place: Place) =>
        ask(urlOf(place), wire, 'demo-model', user, { headers: { authorization, ...from() } })
      // The rough counters refuse none, so most of a large crowd reach the accounts.
      const crowd = [
        ...counters.flatMap((place) => Array(10).fill(place)),
        ...Array(isExhaustive ? 180 : 0).fill('rough'),
      ]
      const answers = await Promise.all(crowd.map(askAt))
      const refused = answers.filter(({ status }) => status === 429)
      expect(answers.filter((one) => !refused.includes(one)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
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
      for (const place of counters) expect((await askAt(place)).status).toBe(429)
      for (const response of open) response.destroy()
    },
  )
})

/** Sends a multiple of the allowed requests: what is beyond the limit is refused, each with a `retry-after`. Returns how many passed. */
async function flood(limit: number, act: (at: number) => Promise<Response>): Promise<number> {
  const minute = () => Math.floor(Date.now() / 60_000)
  const first = minute()
  const answers: { readonly isCounted: boolean; readonly status: number }[] = []
  while (answers.length < times * limit) {
    const batch = Array.from({ length: Math.min(50, times * limit - answers.length) }, async (_, at) => {
      const answer = await act(answers.length + at)
      const isCounted = (await answer.text()).includes('too many requests')
      // The counter sends them away for a minute; the accounts, of too many at once, for some seconds.
      const seconds = Number(answer.headers.get('retry-after'))
      if (isCounted) expect([answer.status, seconds >= 1 && seconds <= 60]).toEqual([429, true])
      return { isCounted, status: answer.status }
    })
    answers.push(...(await Promise.all(batch)))
  }
  const passed = answers.filter(({ isCounted }) => !isCounted).length
  expect(passed).toBeGreaterThanOrEqual(limit)
  expect(passed).toBeLessThanOrEqual(limit * (minute() - first + 1))
  return answers.filter(({ status }) => status === 200).length
}

describe.each(counters)('a flood in a place (%s)', (place) => {
  it('of one user is stopped, from any address, and does not reach the provider', async () => {
    const authorization = `Bearer ${await tokenOf('flooder')}`
    const before = upstream.asked.length
    const askAs = (authorization: string, at: number) => {
      const wire = wireNames[at % wireNames.length] ?? 'gemini'
      return ask(urlOf(place), wire, 'demo-model', 'hi', { stream: false, headers: { authorization, ...from() } })
    }
    const answered = await flood(perUser, (at) => askAs(authorization, at))
    expect(upstream.asked.length - before).toBe(answered)
    expect((await askAs(`Bearer ${await tokenOf('somebody-else')}`, 0)).status).toBe(200)
  })

  it.each([
    ['an address', () => '203.0.113.5', '203.0.113.6'],
    ['a /64', (at: number) => `2001:db8:1:2:${at.toString(16)}::1`, '2001:db8:1:3::1'],
  ])('of %s is stopped as a whole, but other networks are not', async (_, addressOf, other) => {
    const before = upstream.asked.length
    const beg = (network: string) => {
      const headers = { 'content-type': 'application/json', ...from(network) }
      return fetch(`${urlOf(place)}/session`, { method: 'POST', headers, body: '{}' })
    }
    await flood(ofNetwork, (at) => beg(addressOf(at)))
    expect((await beg(other)).status).toBe(401)
    expect(upstream.asked.length).toBe(before)
  })
})

it.each([
  ['1.2.3.4', '1.2.3.4'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1:2:3:4', 'fe80:0:0:0::/64'],
])('the network of %s is %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network)
})
