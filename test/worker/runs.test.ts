/** Stored answers, in workerd itself: one for each key, the same for all readers, and stored before their end is sent. */
import { describe, expect, it } from 'vitest'
import { ended, endingOf, failed, isErrorBody } from '../gateway/wire.ts'
import { isExhaustive } from '../support/cuts.ts'
import { loginSecret, openRig, tokenFor, wireNames } from './harness.ts'
import { headersOf, idOf, partsOf, pieces, play, userWith } from './kept.ts'

const { upstream, rig } = await openRig({ LOGIN_SECRET: loginSecret, MAX_OUTPUT_TOKENS: '100000' })
const alice = userWith(rig, await tokenFor(rig, 'alice'))
const bob = userWith(rig, await tokenFor(rig, 'bob'))

describe.each(wireNames)('%s', (wire) => {
  it('numbers the events of a stored answer, and sends the events after any number again', async () => {
    const key = crypto.randomUUID()
    upstream.script(key, play(wire))
    const answer = await alice.ask(key, wire)
    expect(answer.status).toBe(200)
    const id = idOf(answer)
    expect(id).toMatch(/^[0-9a-f]{32}$/)
    const text = await answer.text()
    expect(endingOf(wire, text)).toEqual(ended)
    const all = partsOf(wire, text)
    if (wire !== 'ollama')
      expect(all.map((part) => /^id: (\d+)\n/.exec(part)?.[1])).toEqual(all.map((_, at) => `${at + 1}`))
    for (let after = 0; after < all.length; after += isExhaustive ? 1 : 2) {
      const rest = await alice.read(id, after)
      expect(partsOf(wire, await rest.text()), `behind ${after}`).toEqual(all.slice(after))
    }
    expect((await alice.read(id)).status).toBe(200)
    expect((await alice.read(id, all.length)).status).toBe(204)
    expect((await alice.read(id, all.length + 1)).status).toBe(400)
    expect(upstream.askedFor(key)).toHaveLength(1)
  })

  it('asks the provider once for many concurrent requests with one key, and for later ones', async () => {
    const key = crypto.randomUUID()
    const gate = Promise.withResolvers<void>()
    upstream.script(key, play(wire, { now: 2, gate: gate.promise }))
    const asking = Array.from({ length: isExhaustive ? 20 : 8 }, async () => (await alice.ask(key, wire)).text())
    await expect.poll(() => upstream.askedFor(key).length).toBe(1)
    gate.resolve()
    const texts = (await Promise.all(asking)).map((text) => partsOf(wire, text).join(''))
    const later = partsOf(wire, await (await alice.ask(key, wire)).text()).join('')
    expect(endingOf(wire, later)).toEqual(ended)
    expect(new Set([...texts, later]).size).toBe(1)
    expect(upstream.askedFor(key)).toHaveLength(1)
  })

  it('stores a whole answer as well', async () => {
    const key = crypto.randomUUID()
    const asked = [1, 2].map(async () => (await alice.ask(key, wire, { stream: false })).text())
    const [text, same] = await Promise.all(asked)
    expect([same, await (await alice.ask(key, wire, { stream: false })).text()]).toEqual([text, text])
    expect(upstream.askedFor(key)).toHaveLength(1)
  })

  it('refuses another request under the same key, and gives another user an answer of their own', async () => {
    const key = crypto.randomUUID()
    upstream.script(key, play(wire))
    upstream.script(`${key} again`, play(wire))
    const own = await alice.ask(key, wire)
    await own.text()
    const refused = await alice.ask(key, wire, { say: `${key} again` })
    expect(refused.status).toBe(409)
    expect(isErrorBody(wire, await refused.json())).toBe(true)
    const others = await bob.ask(key, wire)
    await others.text()
    expect(idOf(others)).not.toBe(idOf(own))
    expect(upstream.askedFor(key)).toHaveLength(2)
  })

  it('continues with the answer when its client has left, and lets others read it meanwhile', async () => {
    const key = crypto.randomUUID()
    const gate = Promise.withResolvers<void>()
    upstream.script(key, play(wire, { now: -1, gate: gate.promise }))
    const answer = await alice.ask(key, wire)
    await answer.body?.getReader().cancel()
    const reading = alice.read(idOf(answer)).then((response) => response.text())
    gate.resolve()
    expect(endingOf(wire, await reading)).toEqual(ended)
    expect(await upstream.askedFor(key)[0]?.closedEarly).toBe(false)
  })

  it('is stopped by DELETE, once and again: the provider is left, and the answer ends in an error', async () => {
    const key = crypto.randomUUID()
    upstream.script(key, play(wire, { now: -1, gate: new Promise(() => {}) }))
    const answer = await alice.ask(key, wire)
    const reading = answer.text()
    expect((await alice.stop(idOf(answer))).status).toBe(204)
    expect(await upstream.askedFor(key)[0]?.closedEarly).toBe(true)
    const text = await reading
    expect(endingOf(wire, text)).toEqual(failed)
    expect((await alice.stop(idOf(answer))).status).toBe(204)
    expect(partsOf(wire, await (await alice.ask(key, wire)).text())).toEqual(partsOf(wire, text))
    expect(upstream.askedFor(key)).toHaveLength(1)
  })

  it('does not keep a refusal: the next request by that key is sent to the provider again', async () => {
    const key = crypto.randomUUID()
    upstream.script(key, (_, response) => void response.writeHead(429, { 'retry-after': '1' }).end('{}'))
    const refused = await alice.ask(key, wire)
    expect(refused.status).toBe(429)
    expect(isErrorBody(wire, await refused.json())).toBe(true)
    upstream.script(key, play(wire))
    expect(endingOf(wire, await (await alice.ask(key, wire)).text())).toEqual(ended)
    expect(upstream.askedFor(key)).toHaveLength(2)
  })

  // Megabytes for each wire: in `npm test` for one of each framing.
  const isLongTried = isExhaustive || wire === 'openai-chat' || wire === 'ollama'
  if (isLongTried)
    it('is not delayed by a client that does not read', async () => {
      const key = crypto.randomUUID()
      upstream.script(key, (_, response) => {
        const [first = '', ...rest] = pieces(wire)
        const long = pieces(wire, 'x'.repeat(512 * 1024)).find((piece) => piece.length > 100_000) ?? ''
        response.writeHead(200, headersOf(wire)).write(first)
        for (let round = 0; round < 40; round++) response.write(long)
        response.end(rest.join(''))
      })
      // As many tokens as such an answer takes: a longer one is cut off.
      const answer = await alice.ask(key, wire, { body: wire === 'anthropic' ? { max_tokens: 100_000 } : {} })
      expect(await upstream.askedFor(key)[0]?.closedEarly).toBe(false)
      const replay = partsOf(wire, await (await alice.read(idOf(answer))).text()).join('')
      expect(replay.length).toBeGreaterThan(10_000_000)
      expect(partsOf(wire, await answer.text()).join('') === replay).toBe(true)
    })
})

describe('a name that is not the user’s own', () => {
  it('is answered like an unknown name, for any method', async () => {
    const key = crypto.randomUUID()
    upstream.script(key, play('openai-chat'))
    const answer = await alice.ask(key, 'openai-chat')
    await answer.text()
    const told = async (method: 'GET' | 'DELETE', id: string) => {
      const response = await (method === 'GET' ? bob.read(id) : bob.stop(id))
      const shown = [...response.headers].filter(
        ([name]) => !['x-request-id', 'request-id', 'x-amzn-requestid', 'date'].includes(name),
      )
      return [response.status, shown, await response.text()]
    }
    for (const method of ['GET', 'DELETE'] as const) {
      const foreign = await told(method, idOf(answer))
      expect(foreign[0]).toBe(404)
      expect(await told(method, 'f'.repeat(32))).toEqual(foreign)
      expect(await told(method, 'not-a-name')).toEqual(foreign)
    }
    expect((await alice.read(idOf(answer))).status).toBe(200)
  })

  it('is refused without a token, and without a number', async () => {
    expect((await userWith(rig, 'none').read('f'.repeat(32))).status).toBe(401)
    expect((await userWith(rig, 'none').stop('f'.repeat(32))).status).toBe(401)
    expect((await alice.read('f'.repeat(32), '-1')).status).toBe(400)
  })
})

describe('a key', () => {
  it.each([
    ['is not of ASCII', 'é'],
    ['is empty', ''],
    ['has 256 characters', 'x'.repeat(256)],
  ])('that %s is refused', async (_, key) => {
    const say = crypto.randomUUID()
    const response = await alice.ask(key, 'openai-chat', { say })
    expect(response.status).toBe(400)
    expect(upstream.askedFor(say)).toHaveLength(0)
  })

  it('is refused for an array that is streamed, whose pieces no client could continue', async () => {
    const path = '/v1beta/models/demo-model:streamGenerateContent'
    const authorization = `Bearer ${await tokenFor(rig, 'alice')}`
    const headers = { authorization, 'idempotency-key': 'k', 'content-type': 'application/json' }
    const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] })
    const answer = await fetch(rig.url + path, { method: 'POST', headers, body })
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('alt=sse')])
  })
})
