/** Providers that fail in every way that providers do, in front of clients of every wire: W12 to W15 of `security.md`. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { chunks, hang, json, pause } from '../support/upstream.ts'
import { greeting } from './dialogue.ts'
import { answerAll, speakers, type WireName, wireNames } from './provider.ts'
import { type Rig, startRig } from './rig.ts'
import { ask, ended, endingOf, failed, isErrorBody } from './wire.ts'

const firstByteMs = 120
const idleMs = 120

let rig: Rig
/** Says something to the client before the provider does. */
let hasty: Rig
beforeAll(async () => {
  const timeouts = { firstByteMs, idleMs }
  rig = await startRig({ limits: { timeouts } })
  hasty = await startRig({ limits: { timeouts, commitMs: 30, keepAliveMs: 30 } })
})
afterEach(() => {
  rig.providers.answer(answerAll)
  hasty.providers.answer(answerAll)
})
afterAll(async () => {
  await rig.stop()
  await hasty.stop()
})

const pairs = wireNames.flatMap((client) => wireNames.map((provider): [WireName, WireName] => [client, provider]))
const piecesOf = (provider: WireName) => speakers[provider].pieces({ text: greeting })

/** How many pieces it takes until the provider has said something. */
const silent: Readonly<Record<WireName, number>> = {
  'openai-chat': 1,
  'openai-responses': 4,
  anthropic: 3,
  gemini: 0,
  ollama: 0,
}

/** Where a reason for the end is told before the end, the line may close behind it: `wire/README.md` §1. */
const reasons: Partial<Readonly<Record<WireName, string>>> = {
  'openai-chat': '"finish_reason":"stop"',
  anthropic: '"stop_reason":"end_turn"',
}

function isWhole(provider: WireName, pieces: readonly string[]): boolean {
  const reason = reasons[provider]
  if (reason !== undefined) return pieces.some((piece) => piece.includes(reason))
  return pieces.length === piecesOf(provider).length
}

/** Asks, and says how it ended: an error before the stream, or how the stream did. */
async function outcome(client: WireName, provider: WireName, of = rig): Promise<unknown> {
  const response = await ask(of.url, client, provider)
  if (!response.ok) return { status: response.status, isError: isErrorBody(client, await response.json()) }
  return endingOf(client, await response.text())
}

const refused = (status: number) => ({ status, isError: true })

describe.each(pairs)('a client of %s, with a provider of %s', (client, provider) => {
  const pieces = piecesOf(provider)

  it('gets one end of its own wire, when nothing goes wrong', async () => {
    rig.providers.answer(chunks(pieces))
    expect(await outcome(client, provider)).toEqual(ended)
  })

  it('gets a real status for an error that comes first in a 200, as an event or as a body', async () => {
    const speaker = speakers[provider]
    rig.providers.answer(chunks([speaker.errorPiece('Overloaded')]), json(speaker.error(503, 'Overloaded')))
    for (const _ of [1, 2])
      expect(await outcome(client, provider)).toMatchObject({ status: expect.any(Number), isError: true })
  })

  it('gets one error for an error behind any event, and what was said before', async () => {
    for (let at = silent[provider] + 1; at < pieces.length; at++) {
      rig.providers.answer(chunks([...pieces.slice(0, at), speakers[provider].errorPiece('Overloaded')]))
      const text = await (await ask(rig.url, client, provider)).text()
      expect(endingOf(client, text)).toEqual(failed)
      expect(text).toContain('Grüß Gott')
      expect(text).not.toContain('Overloaded')
    }
  })

  it.each(['end', 'reset'] as const)('gets one error when the line is cut behind any event (by %s)', async (after) => {
    for (let at = 0; at < pieces.length; at++) {
      const sent = pieces.slice(0, at)
      // A reset may overtake what was written before it.
      rig.providers.answer(chunks(sent, { after, gapMs: after === 'reset' ? 3 : 0 }))
      const expected =
        at <= silent[provider] ? refused(502) : after === 'end' && isWhole(provider, sent) ? ended : failed
      expect([at, await outcome(client, provider)]).toEqual([at, expected])
    }
  })

  it('gets a 504 when nothing comes, in time, and the provider is left', async () => {
    rig.providers.answer(hang)
    const started = Date.now()
    expect(await outcome(client, provider)).toEqual(refused(504))
    expect(Date.now() - started).toBeLessThan(firstByteMs + 250)
    await rig.providers.asked[0]?.closed
    expect(rig.providers.asked[0]?.isCancelled).toBe(true)
  })

  it('gets one error when the provider falls silent, in time, and signs of life until then', async () => {
    hasty.providers.answer(chunks(pieces.slice(0, silent[provider] + 1), { after: 'hang' }))
    const started = Date.now()
    const text = await (await ask(hasty.url, client, provider)).text()
    expect(endingOf(client, text)).toEqual(failed)
    expect(Date.now() - started).toBeLessThan(idleMs + 250)
    expect(text).toMatch(/: keep-alive\n\n|event: ping\n| {3}/)
    await hasty.providers.asked[0]?.closed
    expect(hasty.providers.asked[0]?.isCancelled).toBe(true)
  })

  it('is let in before a slow provider says anything, and gets one error when it never does', async () => {
    hasty.providers.answer(hang)
    const response = await ask(hasty.url, client, provider)
    expect(response.status).toBe(200)
    expect(endingOf(client, await response.text())).toEqual(failed)
  })

  it('leaves before the provider has answered, and the provider is left at once', async () => {
    rig.providers.answer(hang)
    const left = new AbortController()
    const asking = ask(rig.url, client, provider, 'Hello', { signal: left.signal })
    while (rig.providers.asked.length === 0) await pause(5)
    left.abort()
    await expect(asking).rejects.toThrow()
    const started = Date.now()
    await rig.providers.asked[0]?.closed
    expect(Date.now() - started).toBeLessThan(100)
    await pause(5)
    expect(rig.reports.at(-1)).toMatchObject({ outcome: 'left', wire: client, model: provider })
  })
})
