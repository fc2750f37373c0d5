/** Floods, against the counters of the platform and the exact one of the accounts, in workerd itself. */
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { networkOf } from '../../src/worker/limits/limits.ts'
import { speakers } from '../gateway/provider.ts'
import { isExhaustive } from '../support/cuts.ts'
import {
  loginSecret,
  type Rig,
  startRig,
  startUpstream,
  tokenFor,
  typeOf,
  type Upstream,
  wireNames,
} from './harness.ts'

/** As `wrangler.toml` has them, in requests a minute. */
const [perUser, perNetwork] = [60, 300]
/** The platform counts to any number alike: in `npm test`, a network may ask for a fifth of what it may. */
const ofNetwork = isExhaustive ? perNetwork : perNetwork / 5

let upstream: Upstream
let rig: Rig
beforeAll(async () => {
  upstream = await startUpstream()
  const { PER_USER, PER_IP } = inject('workerOptions').ratelimits ?? {}
  expect([PER_USER?.simple, PER_IP?.simple]).toEqual([perUser, perNetwork].map((limit) => ({ limit, period: 60 })))
  const ratelimits = { PER_USER, PER_IP: { ...PER_IP, simple: { limit: ofNetwork, period: 60 } } } as never
  const settings = { LOGIN_SECRET: loginSecret, RATE_LIMITS: 'on', LIVE_STREAMS: '4' }
  rig = await startRig(upstream.url, settings, { ratelimits })
})
afterAll(() => Promise.all([rig.stop(), upstream.stop()]))

let address = 0
/** Each from a network of its own, unless it says from which. */
const from = (network = `10.0.${++address >> 8}.${address & 255}`) => ({ 'cf-connecting-ip': network })

const inBatches = async (count: number, act: (at: number) => Promise<Response>) => {
  const answers: Response[] = []
  for (let at = 0; at < count; at += 50) {
    answers.push(...(await Promise.all(Array.from({ length: Math.min(50, count - at) }, (_, more) => act(at + more)))))
  }
  return answers
}
const refusedOf = (answers: readonly Response[]) => answers.filter(({ status }) => status === 429)

// A counter resets each minute, so a burst may meet two of them, and never three.
describe('a flood', () => {
  it('of one user is stopped, from any address, and does not reach the provider', async () => {
    const token = await tokenFor(rig, 'flooder', {}, from())
    const before = upstream.asked.length
    const wire = (at: number) => wireNames[at % wireNames.length] ?? 'gemini'
    const headers = () => ({ authorization: `Bearer ${token}`, ...from() })
    const flood = isExhaustive ? 240 : 160
    const answers = await inBatches(flood, (at) => rig.ask(wire(at), 'hi', {}, { headers: headers() }))
    const refused = refusedOf(answers)
    for (const { headers } of refused) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60)
    }
    // The counter sends them away for a minute; the accounts, of too many at once, for some seconds.
    const counted = refused.filter(({ headers }) => headers.get('retry-after') === '60')
    expect(counted.length).toBeGreaterThanOrEqual(flood - 2 * perUser)
    expect(upstream.asked.length - before).toBeLessThanOrEqual(2 * perUser)
    const other = await tokenFor(rig, 'somebody-else', {}, from())
    const calm = { authorization: `Bearer ${other}`, ...from() }
    expect((await rig.ask('gemini', 'hi', {}, { headers: calm })).status).toBe(200)
  })
})

describe('a network', () => {
  it('is stopped as a whole, but other networks are not', async () => {
    const beg = (ip: string) => {
      const headers = { 'content-type': 'application/json', ...from(ip) }
      return fetch(`${rig.url}/session`, { method: 'POST', headers, body: '{}' })
    }
    const burst = isExhaustive ? 700 : 160
    const answers = await inBatches(burst, (at) => beg(`2001:db8:1:2:${at.toString(16)}::1`))
    expect(refusedOf(answers).length).toBeGreaterThanOrEqual(burst - 2 * ofNetwork)
    expect((await beg('2001:db8:1:3::1')).status).toBe(401)
  })

  it.each([
    ['1.2.3.4', '1.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1:2:3:4', 'fe80:0:0:0::/64'],
  ])('is, for %s, %s', (ip, network) => {
    expect(networkOf(ip)).toBe(network)
  })
})

describe.concurrent('concurrent answers', () => {
  it.for(wireNames)('are at most four for each user, until one has ended (%s)', async (wire, { expect }) => {
    const user = crypto.randomUUID()
    const token = await tokenFor(rig, user, {}, from())
    const open: ServerResponse[] = []
    upstream.script(user, (_, response) => {
      // As far as it says something: before that, headers wait.
      const all = speakers[wire].pieces({ text: 'Hello there' })
      const said = all.slice(0, all.findIndex((piece) => piece.includes('there')) + 1)
      response.writeHead(200, { 'content-type': typeOf(wire) }).write(said.join(''))
      open.push(response)
    })
    const ask = () =>
      rig.ask(wire, user, { stream: true }, { headers: { authorization: `Bearer ${token}`, ...from() } })
    const crowd = isExhaustive ? 20 : 10
    const answers = await Promise.all(Array.from({ length: crowd }, ask))
    const refused = refusedOf(answers)
    expect(refused).toHaveLength(crowd - 4)
    // Headers are sent before the provider has sent content, if that takes long.
    await expect.poll(() => open.length).toBe(4)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    open[0]?.destroy()
    await expect.poll(async () => (await ask()).status, { interval: 250 }).not.toBe(429)
    for (const response of open) response.destroy()
  })
})
