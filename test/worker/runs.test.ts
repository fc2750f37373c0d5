/** Answers that are kept, in workerd itself: one for each key, the same for all who read it, and over before they are told to be. */
import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { speakers } from '../gateway/provider.ts'
import { ended, endingOf, failed, isErrorBody } from '../gateway/wire.ts'
import { type Rig, startRig, startUpstream, type Upstream, type WireName, wireNames } from './harness.ts'

vi.setConfig({ testTimeout: 60_000 })

const loginSecret = 'what-the-server-of-the-app-shows-us-1'

let upstream: Upstream
let rig: Rig
let alice: string
let bob: string
beforeAll(async () => {
  upstream = await startUpstream()
  rig = await startRig(upstream.url, { LOGIN_SECRET: loginSecret })
  alice = await tokenFor(rig, 'alice')
  bob = await tokenFor(rig, 'bob')
}, 60_000)
afterAll(() => Promise.all([rig.stop(), upstream.stop()]))

async function tokenFor({ url }: Rig, user: string): Promise<string> {
  const answer = await fetch(`${url}/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${loginSecret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ user }),
  })
  return ((await answer.json()) as { token: string }).token
}

/** Asks by a key, for what the key is the script of too. */
const ask = (key: string, wire: WireName, more: { token?: string; say?: string; stream?: boolean; at?: Rig } = {}) => {
  const { token = alice, say = key, stream = true, at = rig } = more
  return at.ask(wire, say, { stream }, { headers: { authorization: `Bearer ${token}`, 'idempotency-key': key } })
}

function streams(
  method: 'GET' | 'DELETE',
  id: string,
  { token = alice, after, at = rig }: { token?: string; after?: number | string; at?: Rig } = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, ...(after !== undefined && { 'last-event-id': `${after}` }) }
  return fetch(`${at.url}/v1/streams/${id}`, { method, headers })
}

const idOf = (response: Response) => response.headers.get('x-isoglot-stream') ?? ''
const askedFor = (say: string) => upstream.asked.filter(({ body }) => JSON.stringify(body).includes(say))
const pieces = (wire: WireName, text = 'Hello there') => speakers[wire].pieces({ text })
const typeOf = (wire: WireName) => ({
  'content-type': wire === 'ollama' ? 'application/x-ndjson' : 'text/event-stream',
})

/** Sends some of an answer at once, and the rest when the gate opens. */
function play(wire: WireName, { now = 1000, gate = Promise.resolve(), text = 'Hello there' } = {}) {
  return async (_: unknown, response: ServerResponse) => {
    const all = pieces(wire, text)
    response.writeHead(200, typeOf(wire)).write(all.slice(0, now).join(''))
    await gate
    response.end(all.slice(now).join(''))
  }
}

/** What stands between the blank lines, or on the lines, without signs of life. */
function partsOf(wire: WireName, text: string): string[] {
  const parts = wire === 'ollama' ? text.split(/(?<=\n)/) : text.split(/(?<=\n\n)/)
  return parts.filter((part) => part.trim() !== '' && !part.startsWith(':'))
}
const untilMore = async (response: Response): Promise<string> => {
  const reader = response.body?.getReader()
  const { value } = (await reader?.read()) ?? {}
  await reader?.cancel()
  return new TextDecoder().decode(value)
}

describe.each(wireNames)('%s', (wire) => {
  it('numbers the events of a kept answer, and tells those behind any of them again', async () => {
    const key = crypto.randomUUID()
    upstream.script(key, play(wire))
    const answer = await ask(key, wire)
    expect(answer.status).toBe(200)
    const id = idOf(answer)
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    const text = await answer.text()
    expect(endingOf(wire, text)).toEqual(ended)
    const all = partsOf(wire, text)
    if (wire !== 'ollama')
      expect(all.map((part) => /^id: (\d+)\n/.exec(part)?.[1])).toEqual(all.map((_, at) => `${at + 1}`))
    for (let after = 0; after < all.length; after++) {
      const rest = await streams('GET', id, { after })
      expect(partsOf(wire, await rest.text()), `behind ${after}`).toEqual(all.slice(after))
    }
    expect((await streams('GET', id)).status).toBe(200)
    expect((await streams('GET', id, { after: all.length })).status).toBe(204)
    expect((await streams('GET', id, { after: all.length + 1 })).status).toBe(400)
    expect(askedFor(key)).toHaveLength(1)
  })

  it('asks the provider once for twenty who ask by one key at once, and for those who come later', async () => {
    const key = crypto.randomUUID()
    const gate = Promise.withResolvers<void>()
    upstream.script(key, play(wire, { now: 2, gate: gate.promise }))
    const asking = Array.from({ length: 20 }, async () => (await ask(key, wire)).text())
    await expect.poll(() => askedFor(key).length).toBe(1)
    gate.resolve()
    const texts = (await Promise.all(asking)).map((text) => partsOf(wire, text).join(''))
    const later = partsOf(wire, await (await ask(key, wire)).text()).join('')
    expect(endingOf(wire, later)).toEqual(ended)
    expect(new Set([...texts, later]).size).toBe(1)
    expect(askedFor(key)).toHaveLength(1)
  })

  it('keeps a whole answer as well', async () => {
    const key = crypto.randomUUID()
    const [one, other] = await Promise.all([ask(key, wire, { stream: false }), ask(key, wire, { stream: false })])
    const [text, same] = [await one.text(), await other.text()]
    expect(same).toBe(text)
    expect(await (await ask(key, wire, { stream: false })).text()).toBe(text)
    expect(askedFor(key)).toHaveLength(1)
  })

  it('refuses another request under the same key, and gives another user an answer of their own', async () => {
    const key = crypto.randomUUID()
    upstream.script(key, play(wire))
    upstream.script(`${key} again`, play(wire))
    const own = await ask(key, wire)
    await own.text()
    const refused = await ask(key, wire, { say: `${key} again` })
    expect(refused.status).toBe(409)
    expect(isErrorBody(wire, await refused.json())).toBe(true)
    const others = await ask(key, wire, { token: bob })
    await others.text()
    expect(idOf(others)).not.toBe(idOf(own))
    expect(askedFor(key)).toHaveLength(2)
  })

  it('goes on with the answer when its client has left, and lets others read it meanwhile', async () => {
    const key = crypto.randomUUID()
    const gate = Promise.withResolvers<void>()
    upstream.script(key, play(wire, { now: -1, gate: gate.promise }))
    const answer = await ask(key, wire)
    await untilMore(answer)
    const reading = streams('GET', idOf(answer)).then((response) => response.text())
    gate.resolve()
    expect(endingOf(wire, await reading)).toEqual(ended)
    expect(await askedFor(key)[0]?.closedEarly).toBe(false)
  })

  it('is stopped by DELETE, once and again: the provider is left, and the answer ends in an error', async () => {
    const key = crypto.randomUUID()
    upstream.script(key, play(wire, { now: -1, gate: new Promise(() => {}) }))
    const answer = await ask(key, wire)
    const reading = answer.text()
    expect((await streams('DELETE', idOf(answer))).status).toBe(204)
    expect(await askedFor(key)[0]?.closedEarly).toBe(true)
    const text = await reading
    expect(endingOf(wire, text)).toEqual(failed)
    expect((await streams('DELETE', idOf(answer))).status).toBe(204)
    expect(partsOf(wire, await (await ask(key, wire)).text())).toEqual(partsOf(wire, text))
    expect(askedFor(key)).toHaveLength(1)
  })

  it('does not keep a refusal: the next request by that key is asked anew', async () => {
    const key = crypto.randomUUID()
    upstream.script(key, (_, response) => void response.writeHead(429, { 'retry-after': '1' }).end('{}'))
    const refused = await ask(key, wire)
    expect(refused.status).toBe(429)
    expect(isErrorBody(wire, await refused.json())).toBe(true)
    upstream.script(key, play(wire))
    expect(endingOf(wire, await (await ask(key, wire)).text())).toEqual(ended)
    expect(askedFor(key)).toHaveLength(2)
  })

  it('is not held up by one who does not read', async () => {
    const key = crypto.randomUUID()
    upstream.script(key, (_, response) => {
      const [first = '', ...rest] = pieces(wire)
      const long = pieces(wire, 'x'.repeat(512 * 1024)).find((piece) => piece.length > 100_000) ?? ''
      response.writeHead(200, typeOf(wire)).write(first)
      for (let round = 0; round < 40; round++) response.write(long)
      response.end(rest.join(''))
    })
    const answer = await ask(key, wire)
    expect(await askedFor(key)[0]?.closedEarly).toBe(false)
    const replay = partsOf(wire, await (await streams('GET', idOf(answer))).text()).join('')
    expect(replay.length).toBeGreaterThan(10_000_000)
    expect(partsOf(wire, await answer.text()).join('') === replay).toBe(true)
  })
})

describe('a name that is not one’s own', () => {
  it('is answered as one that never was, whatever it is asked for', async () => {
    const key = crypto.randomUUID()
    upstream.script(key, play('openai-chat'))
    const answer = await ask(key, 'openai-chat')
    await answer.text()
    const told = async (method: 'GET' | 'DELETE', id: string) => {
      const response = await streams(method, id, { token: bob })
      const shown = [...response.headers].filter(([name]) => !['x-request-id', 'request-id', 'date'].includes(name))
      return [response.status, shown, await response.text()]
    }
    for (const method of ['GET', 'DELETE'] as const) {
      const foreign = await told(method, idOf(answer))
      expect(foreign[0]).toBe(404)
      expect(await told(method, 'f'.repeat(32))).toEqual(foreign)
      expect(await told(method, 'not-a-name')).toEqual(foreign)
    }
    expect((await streams('GET', idOf(answer))).status).toBe(200)
  })

  it('is refused without a token, and where it says no number', async () => {
    expect((await streams('GET', 'f'.repeat(32), { token: 'none' })).status).toBe(401)
    expect((await streams('DELETE', 'f'.repeat(32), { token: 'none' })).status).toBe(401)
    expect((await streams('GET', 'f'.repeat(32), { after: '-1' })).status).toBe(400)
  })
})

describe('a key', () => {
  it.each([
    ['is not of ASCII', 'é'],
    ['is empty', ''],
    ['has 256 characters', 'x'.repeat(256)],
  ])('that %s is refused', async (_, key) => {
    const say = crypto.randomUUID()
    const response = await ask(key, 'openai-chat', { say })
    expect(response.status).toBe(400)
    expect(askedFor(say)).toHaveLength(0)
  })
})
