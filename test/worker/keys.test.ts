/** Keys, in workerd: nothing of them leaves in a stream, in one that is resumed, in a whole answer, or in the log. */
import { describe, expect, it } from 'vitest'
import { speakers } from '../gateway/provider.ts'
import { disguises } from '../support/canary.ts'
import { inTurn, isExhaustive } from '../support/cuts.ts'
import {
  canary,
  holdsCanary,
  loginSecret,
  openRig,
  postByHand,
  tokenFor,
  typeOf,
  wireNames,
  wireOf,
} from './harness.ts'

const { upstream, rig } = await openRig({ LOGIN_SECRET: loginSecret, BODY_TIMEOUT_MS: '1500' })

/** Events whose text is this, in two pieces. */
function split(wire: (typeof wireNames)[number], text: string, at: number): string {
  const json = (part: string) => JSON.stringify(part)
  return speakers[wire]
    .pieces({ text: 'ÄÖ' })
    .join('')
    .replaceAll('"ÄÖ"', json(text))
    .replaceAll('"Ä"', json(text.slice(0, at)))
    .replaceAll('"Ö"', json(text.slice(at)))
}

describe.each(wireNames)('a key in two pieces, of a provider that speaks %s', (wire) => {
  const names = [
    'plain',
    'JSON with \\u002b',
    'percent-encoded in lower case',
    'hex',
    'base64, one byte on',
    'HTML entities, decimal',
  ]

  // One search reads the texts of all wires: each wire has every second disguise, and the next wire the others.
  const own = names.filter((_, at) => isExhaustive || (at + wireNames.indexOf(wire)) % 2 === 0)
  it.each(own)('leaves in no stream, no resumed stream, no whole answer: %s', async (name) => {
    const text = `It is ${disguises[name]?.(canary)}.`
    const token = await tokenFor(rig, 'u')
    const places = [7, Math.floor(text.length / 2), text.length - 2]
    const cuts = inTurn(places, 3, own.indexOf(name) + wireNames.indexOf(wire)).map(async (at) => {
      const say = `${name} ${at}`
      upstream.script(say, (asked, response) => {
        const speaker = wireOf(asked.path)
        response.writeHead(200, { 'content-type': typeOf(speaker) }).end(split(speaker, text, at))
      })
      const headers = { authorization: `Bearer ${token}` }
      const told: string[] = []
      for (const stream of [true, false]) told.push(await (await rig.ask(wire, say, { stream }, { headers })).text())
      const other = wire === 'anthropic' ? 'gemini:demo-model' : 'anthropic:demo-model'
      const client = wire === 'openai-chat' ? 'openai-responses' : 'openai-chat'
      told.push(await (await rig.ask(client, say, { stream: true, model: other }, { headers })).text())
      const key = { ...headers, 'idempotency-key': crypto.randomUUID() }
      const first = await rig.ask(wire, say, { stream: true }, { headers: key })
      told.push(await first.text())
      const run = first.headers.get('x-isoglot-stream')
      const again = await fetch(`${rig.url}/v1/streams/${run}`, { headers: { ...headers, 'last-event-id': '1' } })
      expect([first.status, again.status]).toEqual([200, 200])
      told.push(await again.text())
      expect(told.filter((answer) => holdsCanary(answer))).toEqual([])
      // A resumed stream begins after it, on some wires.
      for (const answer of told.slice(0, -1)) expect(answer).toContain('[redacted]')
    })
    await Promise.all(cuts)
  })
})

it('the hex of a key as the code of a 429 is not in the log', async () => {
  const hex = disguises.hex?.(canary) ?? ''
  upstream.script('code', (_, response) => {
    response
      .writeHead(429, { 'content-type': 'application/json' })
      .end(JSON.stringify({ error: { message: 'x', type: 'rate_limit', code: hex } }))
  })
  const answer = await rig.ask(
    'openai-chat',
    'code',
    {},
    { headers: { authorization: `Bearer ${await tokenFor(rig, 'coded')}` } },
  )
  expect(answer.status).toBe(429)
  expect(await answer.text()).not.toContain(hex)
  await expect.poll(() => rig.worker.log()).toMatch(/"status":429/)
  expect(rig.worker.log()).not.toContain(hex)
  expect(holdsCanary(rig.worker.log())).toBe(false)
})

it('a slow body is a 408 in workerd', async () => {
  const lines = [`authorization: Bearer ${await tokenFor(rig, 'slow')}`, 'content-length: 400']
  const socket = postByHand(rig.url, '/v1/chat/completions', lines, '{"model":')
  let got = ''
  socket.on('data', (bytes) => (got += bytes))
  await expect.poll(() => got.split('\r\n')[0]).toContain('HTTP/1.1')
  socket.destroy()
  expect(got.split('\r\n')[0]).toBe('HTTP/1.1 408 Request Timeout')
})
