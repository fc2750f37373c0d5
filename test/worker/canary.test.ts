/**
 * Every way in which a provider may reveal the key. The key must not reach the client, the log or another host. Each leak is tried once in
 * each wire, streamed and whole, and once in each disguise; the project `exhaustive` tries 1,000 at random, or as many as `ISOGLOT_CANARY`
 * says.
 */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, expect, inject, it, vi } from 'vitest'
import { speakers } from '../gateway/provider.ts'
import { disguises } from '../support/canary.ts'
import { seeded } from '../support/random.ts'
import {
  type Asked,
  canary,
  everythingOf,
  holdsCanary,
  type Rig,
  startRig,
  startUpstream,
  throughGateway,
  type WireName,
  wireNames,
  wireOf,
} from './harness.ts'
import { headersOf } from './kept.ts'

const times = inject('isExhaustive') ? Number(process.env.ISOGLOT_CANARY ?? 1000) : 120
vi.setConfig({ testTimeout: 60_000 + times * 60 })

const [upstream, elsewhere] = await Promise.all([startUpstream(), startUpstream()])
afterAll(() => Promise.all([upstream.stop(), elsewhere.stop()]))

let rig: Rig | undefined
afterEach(() => rig?.stop())

/** Less than the two seconds after which the gateway sends its headers: until then a timeout is a status. */
const shortTimeouts = { IDLE_TIMEOUT_MS: '1600', HEADERS_TIMEOUT_MS: '1600', TOTAL_TIMEOUT_MS: '3000' }

const random = seeded(8)
const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)] as T

const spellings = Object.values(disguises).map((disguise) => disguise(canary))

/** The behaviour of the provider, which has the key. */
type Leak = (response: ServerResponse, key: string, wire: WireName) => void

const piecesWith = (wire: WireName, key: string) =>
  speakers[wire].pieces({ text: 'Hé' }).map((piece) => piece.replaceAll('Hé', key))

const leaks: Readonly<Record<string, Leak>> = {
  'an error that repeats the key': (response, key, wire) =>
    response
      .writeHead(pick([400, 401, 403, 404, 413, 429, 500, 503, 529]), { 'content-type': 'application/json' })
      .end(JSON.stringify(speakers[wire].error(400, `Incorrect API key provided: ${key}`))),
  'an error page': (response, key) =>
    response.writeHead(502, { 'content-type': 'text/html' }).end(`<html>${key}<pre>Error: at ${key}</pre></html>`),
  'an error of half a megabyte': (response, key) => response.writeHead(500).end(`${key} `.repeat(500_000 / key.length)),
  'headers that repeat it': (response, key) => {
    const leaking = ['set-cookie', 'x-request-id', 'request-id', 'retry-after', 'www-authenticate', 'x-should-retry']
    response.writeHead(
      pick([200, 401, 429, 500]),
      Object.fromEntries(leaking.map((name) => [name, encodeURIComponent(key)])),
    )
    response.end('{}')
  },
  'a redirect that takes it along': (response, key) =>
    response
      .writeHead(pick([301, 302, 303, 307, 308]), { location: `${elsewhere.url}/?key=${encodeURIComponent(key)}` })
      .end(key),
  'an answer that says it': (response, key, wire) =>
    response.writeHead(200, headersOf(wire)).end(piecesWith(wire, key).join('')),
  'an answer that says it, cut anywhere': (response, key, wire) => {
    response.writeHead(200, headersOf(wire))
    const text = piecesWith(wire, key).join('')
    const cut = Math.floor(random() * text.length)
    response.write(text.slice(0, cut))
    setTimeout(() => (random() < 0.5 ? response.end(text.slice(cut)) : response.destroy()), 5)
  },
  'an error in the middle': (response, key, wire) =>
    response
      .writeHead(200, headersOf(wire))
      .end(speakers[wire].pieces({ text: 'Hi' })[0] + speakers[wire].errorPiece(`of ${key}`)),
  'an answer that is none': (response, key) => response.writeHead(200, { 'content-type': 'application/json' }).end(key),
  'an answer in gzip': (response, key, wire) =>
    response
      .writeHead(200, { ...headersOf(wire), 'content-encoding': 'gzip' })
      .end(gzipSync(piecesWith(wire, key).join(''))),
  'a line that breaks': (response, key) => {
    response.writeHead(200, { 'x-key': encodeURIComponent(key) }).write(key)
    response.destroy()
  },
  silence: () => {},
}

interface Case {
  readonly leak: Leak
  readonly disguise: string
  readonly wire: WireName
  readonly stream: boolean
}

const anyCase = (): Case => ({
  leak: pick(Object.values(leaks)),
  disguise: pick(spellings),
  wire: pick(wireNames),
  stream: random() < 0.7,
})
const allPairs: readonly Case[] = Object.values(leaks).flatMap((leak, at) =>
  wireNames.flatMap((wire, other) =>
    [true, false].map((stream, last) => ({
      leak,
      wire,
      stream,
      disguise: spellings[(at + 2 * other + last) % spellings.length] as string,
    })),
  ),
)
const casesOf = (count: number): readonly Case[] =>
  inject('isExhaustive') ? Array.from({ length: count }, anyCase) : allPairs.filter((_, at) => at % (times / count) < 1)

it.each([
  ['the key', 'asks each provider by itself', times],
  ['the token', 'asks an AI Gateway', Math.ceil(times / 4)],
])('does not reveal %s, if the provider %s, in %i ways', async (secret, _how, count) => {
  const settings = secret === 'the token' ? throughGateway(upstream.url) : {}
  const asking = await startRig(upstream.url, { ...shortTimeouts, ...settings })
  rig = asking
  const cases = casesOf(count)
  for (const [at, { leak, disguise }] of cases.entries())
    upstream.script(`leak ${at}`, (asked: Asked, response) => leak(response, disguise, wireOf(asked.path)))
  const statuses = new Map<number | string, number>()
  const found: string[] = []
  async function askOnce(at: number, { wire, stream }: Case): Promise<void> {
    const answer = await asking.ask(wire, `leak ${at}`, { stream }).catch(String)
    const all = typeof answer === 'string' ? answer : await everythingOf(answer).catch(String)
    const status = typeof answer === 'string' ? answer : answer.status
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (holdsCanary(all)) found.push(all.slice(0, 2000))
  }
  const waiting = cases.entries()
  const client = async () => {
    for (const [at, one] of waiting) await askOnce(at, one)
  }
  await Promise.all(Array.from({ length: inject('isExhaustive') ? 25 : 8 }, client))
  expect(found).toEqual([])
  // It was not refused at the door: answers of all kinds came, as far as so many cases must have each.
  const expected = count >= 1000 ? [200, 400, 404, 429, 502, 503, 504] : [200, 502, 504]
  expect([...statuses.keys()]).toEqual(expect.arrayContaining(expected))
  expect(elsewhere.asked).toEqual([])
  expect(holdsCanary(asking.worker.log())).toBe(false)
})
