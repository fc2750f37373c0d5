/** Providers that fail in every known way, with clients of every format: W12 to W15 of `security.md`. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { bedrockLine } from '../formats/bedrock-converse/provider.ts'
import { facts } from '../formats/index.ts'
import { inTurn, isExhaustive } from '../support/cuts.ts'
import { clients } from '../support/formats.ts'
import { pairsOf } from '../support/pairs.ts'
import { hang, json, until } from '../support/upstream.ts'
import { greeting } from './dialogue.ts'
import { chunks, speakers, type WireName, wireNames, wireOf } from './provider.ts'
import { type Rig, startRig } from './rig.ts'
import { ask, ended, endingOf, failed, type Hearing, hear, isErrorBody } from './wire.ts'

const firstByteMs = 250
const idleMs = 250
const commitMs = 50
const keepAliveMs = 50

/** Has long time limits. */
let rig: Rig
/** Has short time limits. */
let strict: Rig
/** Has short time limits, and sends keep-alive comments before the provider answers. */
let hasty: Rig
/** Has a short time limit for content. */
let eager: Rig
beforeAll(async () => {
  const timeouts = { firstByteMs, idleMs }
  rig = await startRig()
  strict = await startRig({ limits: { timeouts } })
  hasty = await startRig({ limits: { timeouts, commitMs, keepAliveMs } })
  eager = await startRig({ limits: { firstContentMs: firstByteMs } })
})
afterAll(async () => {
  await rig.stop()
  await strict.stop()
  await hasty.stop()
  await eager.stop()
})

const pairs = pairsOf(wireNames, wireNames, 1)
const piecesOf = (provider: WireName) => speakers[provider].pieces({ text: greeting })

/** All that comes until the provider has said something, at once. */
const firstWords = (provider: WireName): string =>
  piecesOf(provider)
    .slice(0, facts[provider].gateway.silentPieces + 1)
    .join('')

function isWhole(provider: WireName, pieces: readonly string[]): boolean {
  const reason = facts[provider].gateway.reasonPiece
  if (reason !== undefined) return pieces.some((piece) => piece.includes(reason))
  return pieces.length === piecesOf(provider).length
}

/** How an answer ended: with an error before the stream, or with the end of the stream. */
async function outcomeOf(client: WireName, hearing: Hearing): Promise<unknown> {
  await hearing.over
  const { status, text } = hearing
  return status === 200 ? endingOf(client, text) : { status, isError: isErrorBody(client, JSON.parse(text)) }
}

const refused = (status: number) => ({ status, isError: true })

it.each(wireNames)('facts of %s: the text comes directly after `silentPieces`', (provider) => {
  expect(firstWords(provider)).toContain('Gr')
  expect(piecesOf(provider).slice(0, facts[provider].gateway.silentPieces).join('')).not.toContain('Gr')
})

describe.each(pairs)('a client of %s, with a provider of %s', (client, provider) => {
  const pieces = piecesOf(provider)
  const outcome = () => outcomeOf(client, hear(ask(rig.url, client, provider)))

  it('gets exactly one end in its own format, without faults', async () => {
    rig.providers.answer(chunks(pieces))
    expect(await outcome()).toEqual(ended)
  })

  it('gets a real status for an error at the beginning of a 200, as an event or as a body', async () => {
    const speaker = speakers[provider]
    rig.providers.answer(chunks([speaker.errorPiece('Overloaded')]), json(speaker.error(503, 'Overloaded')))
    for (const _ of [1, 2]) expect(await outcome()).toMatchObject({ status: expect.any(Number), isError: true })
  })

  /**
   * Where a provider is cut is read by its codec, and how that ends is written by the client's: of long answers, each client has a fourth of
   * the places, and the next client others. The project `exhaustive` tries all, and `laws/cut-off.test.ts` each place of each codec.
   */
  const isDue = (at: number) => isExhaustive || pieces.length <= 5 || (at + wireNames.indexOf(client)) % 4 === 0

  it('gets one error for an error after any event, and the text before the error', async () => {
    for (let at = facts[provider].gateway.silentPieces + 1; at < pieces.length; at++) {
      if (!isDue(at)) continue
      rig.providers.answer(chunks([...pieces.slice(0, at), speakers[provider].errorPiece('Overloaded')]))
      const text = await (await ask(rig.url, client, provider)).text()
      expect(endingOf(client, text)).toEqual(failed)
      expect(text).toContain('Grüß Gott')
      expect(text).not.toContain('Overloaded')
    }
  })

  it.each(['end', 'reset'] as const)(
    'gets one error when the connection is cut after any event (by %s)',
    async (after) => {
      for (let at = 0; at < pieces.length; at++) {
        if (!isDue(at)) continue
        const sent = pieces.slice(0, at)
        const isSilent = at <= facts[provider].gateway.silentPieces
        // A reset may overtake what was written before it, so it waits until that has arrived.
        const before = () => until(() => isSilent || hearing.text.includes('Grüß Gott'))
        rig.providers.answer(chunks(sent, { after, before }))
        const hearing = hear(ask(rig.url, client, provider))
        const expected = isSilent ? refused(502) : after === 'end' && isWhole(provider, sent) ? ended : failed
        expect([at, await outcomeOf(client, hearing)]).toEqual([at, expected])
      }
    },
  )

  it('disconnects before the provider has answered, and the provider’s connection is closed immediately', async () => {
    const reported = rig.reports.length
    rig.providers.answer(hang)
    const left = new AbortController()
    const asking = ask(rig.url, client, provider, 'Hello', { signal: left.signal })
    await until(() => rig.providers.asked.length > 0)
    left.abort()
    await expect(asking).rejects.toThrow()
    await rig.providers.asked[0]?.closed
    await until(() => rig.reports.length > reported)
    expect(rig.reports.at(-1)).toMatchObject({ outcome: 'left', wire: client, model: provider })
  })
})

/** All providers at once, by clocks that the test moves: then no network is too slow for them. */
describe.each(wireNames)('a client of %s', (client) => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })

  /** In `npm test` each client has half of the providers, and each provider half of the clients: they never meet. */
  const providers = inTurn(wireNames, 2, wireNames.indexOf(client) >> 1)
  const askAll = (of: Rig): Hearing[] => providers.map((provider) => hear(ask(of.url, client, provider)))
  const areAsked = (of: Rig): Promise<void> => until(() => of.providers.asked.length === providers.length)
  const haveAnswered = (all: Hearing[]): Promise<void> => until(() => all.every(({ status }) => status !== undefined))
  const haveSpoken = (all: Hearing[]): Promise<void> => until(() => all.every(({ text }) => text.includes('Grüß Gott')))
  const outcomes = (all: Hearing[]): Promise<unknown[]> => Promise.all(all.map((hearing) => outcomeOf(client, hearing)))
  const areLeft = async (of: Rig): Promise<boolean[]> => {
    await Promise.all(of.providers.asked.map(({ closed }) => closed))
    return of.providers.asked.map(({ isCancelled }) => isCancelled)
  }
  const all = <T>(value: T): T[] => providers.map(() => value)

  it('gets a 504 in time when nothing arrives, and the provider’s connection is closed', async () => {
    strict.providers.answer(hang)
    const answers = askAll(strict)
    await areAsked(strict)
    await vi.advanceTimersByTimeAsync(firstByteMs)
    expect(await outcomes(answers)).toEqual(all(refused(504)))
    expect(await areLeft(strict)).toEqual(all(true))
  })

  async function expectSign(answers: Hearing[]): Promise<void> {
    const before = answers.map(({ text }) => text.length)
    await vi.advanceTimersByTimeAsync(keepAliveMs)
    await until(() => answers.every(({ text }, at) => text.length > (before[at] ?? 0)))
  }

  it('gets one error when the provider stops sending, in time, and keep-alive comments until then', async () => {
    hasty.providers.answer((response, asked) => {
      const provider = wireOf(asked.path) as WireName
      return chunks([firstWords(provider)], { after: 'hang' })(response, asked)
    })
    const answers = askAll(hasty)
    await haveSpoken(answers)
    for (const _ of [1, 2, 3]) await expectSign(answers)
    expect(answers.map(({ text }) => /: keep-alive\n\n|event: ping\n| {3}|:event-type keepAlive /.test(text))).toEqual(
      all(true),
    )
    await vi.advanceTimersByTimeAsync(idleMs)
    expect(await outcomes(answers)).toEqual(all(failed))
    expect(await areLeft(hasty)).toEqual(all(true))
  })

  it('gets the end when the provider says why the model stopped, and then neither ends nor closes', async () => {
    strict.providers.answer((response, asked) => {
      const pieces = piecesOf(wireOf(asked.path) as WireName)
      const { reasonPiece = pieces.at(-1) as string } = facts[wireOf(asked.path) as WireName].gateway
      const end = 1 + pieces.findIndex((piece) => piece.includes(reasonPiece))
      return chunks([pieces.slice(0, end).join('')], { after: 'hang' })(response, asked)
    })
    const answers = askAll(strict)
    await haveSpoken(answers)
    await vi.advanceTimersByTimeAsync(2000)
    expect(await outcomes(answers)).toEqual(all(ended))
    expect(await areLeft(strict)).toEqual(all(true))
  })

  const gapMs = 20
  /** Keep-alive comments of a provider, for longer than it may say nothing. */
  const keepAlive = { sse: ': still here\n\n', ndjson: '\n', 'event-stream': bedrockLine('keepAlive', {}) }
  const keepAlives = (provider: WireName) =>
    Array.from({ length: (2 * firstByteMs) / gapMs }, () => keepAlive[clients[provider].framing])

  it('gets a 504 when the provider sends only keep-alive comments', async () => {
    eager.providers.answer((response, asked) => {
      const provider = wireOf(asked.path) as WireName
      const pieces = [...piecesOf(provider).slice(0, facts[provider].gateway.silentPieces), ...keepAlives(provider)]
      return chunks(pieces, { gapMs, after: 'hang' })(response, asked)
    })
    const answers = askAll(eager)
    await areAsked(eager)
    await vi.advanceTimersByTimeAsync(firstByteMs)
    expect(await outcomes(answers)).toEqual(all(refused(504)))
    expect(await areLeft(eager)).toEqual(all(true))
  })

  it('gets the whole answer of a provider that sends content, and then nothing for as long', async () => {
    eager.providers.answer((response, asked) => {
      const provider = wireOf(asked.path) as WireName
      const rest = piecesOf(provider).slice(facts[provider].gateway.silentPieces + 1)
      return chunks([firstWords(provider), ...keepAlives(provider), ...rest], { gapMs })(response, asked)
    })
    const answers = askAll(eager)
    await haveSpoken(answers)
    await vi.advanceTimersByTimeAsync(4 * firstByteMs)
    expect(await outcomes(answers)).toEqual(all(ended))
  })

  it('gets headers before a slow provider sends content, and one error if it never does', async () => {
    hasty.providers.answer(hang)
    const answers = askAll(hasty)
    await areAsked(hasty)
    await vi.advanceTimersByTimeAsync(commitMs)
    await haveAnswered(answers)
    await vi.advanceTimersByTimeAsync(firstByteMs)
    expect(await outcomes(answers)).toEqual(all(failed))
  })
})
