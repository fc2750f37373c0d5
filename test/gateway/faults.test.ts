/** Providers that fail in every way that providers do, in front of clients of every wire: W12 to W15 of `security.md`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chunks, hang, json, pause } from '../support/upstream.ts'
import { greeting } from './dialogue.ts'
import { speakers, type WireName, wireNames, wireOf } from './provider.ts'
import { type Rig, startRig } from './rig.ts'
import { ask, ended, endingOf, failed, isErrorBody } from './wire.ts'

/** As short as a busy machine lets them be. */
const firstByteMs = 250
const idleMs = 250

/** Waits for long. */
let rig: Rig
/** Gives up soon. */
let strict: Rig
/** Gives up soon, and says something to the client before the provider does. */
let hasty: Rig
/** Gives up soon on who says nothing. */
let eager: Rig
beforeAll(async () => {
  const timeouts = { firstByteMs, idleMs }
  rig = await startRig()
  strict = await startRig({ limits: { timeouts } })
  hasty = await startRig({ limits: { timeouts, commitMs: 50, keepAliveMs: 50 } })
  eager = await startRig({ limits: { firstContentMs: firstByteMs } })
})
afterAll(async () => {
  await rig.stop()
  await strict.stop()
  await hasty.stop()
  await eager.stop()
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
async function outcome(client: WireName, provider: WireName): Promise<unknown> {
  const response = await ask(rig.url, client, provider)
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

  it('leaves before the provider has answered, and the provider is left at once', { retry: 2 }, async () => {
    rig.providers.answer(hang)
    const left = new AbortController()
    const asking = ask(rig.url, client, provider, 'Hello', { signal: left.signal })
    while (rig.providers.asked.length === 0) await pause(5)
    left.abort()
    await expect(asking).rejects.toThrow()
    await rig.providers.asked[0]?.closed
    await pause(5)
    expect(rig.reports.at(-1)).toMatchObject({ outcome: 'left', wire: client, model: provider })
  })
})

/** All providers at once, since it takes its time. */
describe.each(wireNames)('a client of %s', (client) => {
  const askAll = async (of: Rig): Promise<{ responses: Response[]; texts: string[] }> => {
    const responses = await Promise.all(wireNames.map((provider) => ask(of.url, client, provider)))
    const texts = await Promise.all(responses.map((response) => response.text()))
    return { responses, texts }
  }
  const areLeft = async (of: Rig): Promise<boolean[]> => {
    await Promise.all(of.providers.asked.map(({ closed }) => closed))
    return of.providers.asked.map(({ isCancelled }) => isCancelled)
  }
  const all = <T>(value: T): T[] => wireNames.map(() => value)

  it('gets a 504 when nothing comes, in time, and the provider is left', { retry: 2 }, async () => {
    strict.providers.answer(hang)
    const { responses, texts } = await askAll(strict)
    expect(responses.map(({ status }) => status)).toEqual(all(504))
    expect(texts.map((text) => isErrorBody(client, JSON.parse(text)))).toEqual(all(true))
    expect(await areLeft(strict)).toEqual(all(true))
  })

  it('gets one error when the provider falls silent, in time, and signs of life until then', { retry: 2 }, async () => {
    hasty.providers.answer((response, asked) => {
      const provider = wireOf(asked.path) as WireName
      return chunks(piecesOf(provider).slice(0, silent[provider] + 1), { after: 'hang' })(response, asked)
    })
    const { texts } = await askAll(hasty)
    expect(texts.map((text) => endingOf(client, text))).toEqual(all(failed))
    for (const text of texts) expect(text).toMatch(/: keep-alive\n\n|event: ping\n| {3}/)
    expect(await areLeft(hasty)).toEqual(all(true))
  })

  /** Signs of life of a provider, for longer than it may say nothing. */
  const signsOfLife = (provider: WireName) =>
    Array.from({ length: 40 }, () => (provider === 'ollama' ? '\n' : ': still here\n\n'))

  it('gets a 504 when the provider shows that it lives and says nothing', async () => {
    eager.providers.answer((response, asked) => {
      const provider = wireOf(asked.path) as WireName
      const pieces = [...piecesOf(provider).slice(0, silent[provider]), ...signsOfLife(provider)]
      return chunks(pieces, { gapMs: 20, after: 'hang' })(response, asked)
    })
    const { responses, texts } = await askAll(eager)
    expect(responses.map(({ status }) => status)).toEqual(all(504))
    expect(texts.map((text) => isErrorBody(client, JSON.parse(text)))).toEqual(all(true))
    expect(await areLeft(eager)).toEqual(all(true))
  })

  it('gets the whole answer of a provider that says something, and then nothing for as long', async () => {
    eager.providers.answer((response, asked) => {
      const provider = wireOf(asked.path) as WireName
      const pieces = piecesOf(provider).toSpliced(silent[provider] + 1, 0, ...signsOfLife(provider))
      return chunks(pieces, { gapMs: 20 })(response, asked)
    })
    const { texts } = await askAll(eager)
    expect(texts.map((text) => endingOf(client, text))).toEqual(all(ended))
  })

  it('is let in before a slow provider says anything, and gets one error when it never does', async () => {
    hasty.providers.answer(hang)
    const { responses, texts } = await askAll(hasty)
    expect(responses.map(({ status }) => status)).toEqual(all(200))
    expect(texts.map((text) => endingOf(client, text))).toEqual(all(failed))
  })
})
