/** Whole answers that are asked for as streams: C8 of `security.md`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EndReport, GatewayOptions } from '../../src/gateway/index.ts'
import { inTurn } from '../support/cuts.ts'
import { pairsOf } from '../support/pairs.ts'
import { type Answering, type Asked, hang, json, until } from '../support/upstream.ts'
import { greeting } from './dialogue.ts'
import { gatewayOf } from './gateway-of.ts'
import { modelsAt } from './models.ts'
import { answerAll, chunks, speakers, toWire, type WireName, wireNames, wireOf } from './provider.ts'
import { type Rig, startRig } from './rig.ts'
import { ask, type Hearing, hear, isErrorBody } from './wire.ts'

type Body = ReturnType<typeof JSON.parse>

/** Asks as it is asked. */
let plain: Rig
/** Asks for streams. */
let piecewise: Rig
/** And says something to the client soon. */
let warm: Rig
beforeAll(async () => {
  const wholeAnswers = 'stream'
  const start = (limits?: GatewayOptions['limits']) => startRig({ wholeAnswers, ...(limits && { limits }) })
  plain = await startRig()
  piecewise = await start()
  warm = await start({ wholeCommitMs: 50, keepAliveMs: 20 })
})
afterAll(() => Promise.all([plain, piecewise, warm].map((rig) => rig.stop())))

const pairs = pairsOf(wireNames, wireNames, 2)
const piecesOf = (provider: WireName) => speakers[provider].pieces({ text: greeting })
const wanted = { stream: false } as const

const ofTheMoment = new Set(['id', 'item_id', 'responseId', 'created', 'created_at', 'completed_at', 'updated'])

/** Without what is of the moment. A wire may have more fields than the script says. */
function comparable(body: Body): Body {
  const text = JSON.stringify(body, (key, value) => {
    return ofTheMoment.has(key) ? undefined : value
  })
  return JSON.parse(text)
}

async function answerOf(rig: Rig, client: WireName, provider: WireName, prompt: string): Promise<Body> {
  const response = await ask(rig.url, client, provider, prompt, wanted)
  expect(response.headers.get('content-type')).toBe('application/json')
  return response.json()
}

describe.each(pairs)('a client of %s that wants a whole answer, with a provider of %s', (client, provider) => {
  const pieces = piecesOf(provider)

  // Each provider has them all, with one client or another.
  const prompts = inTurn(['Hello', 'weather', 'Tokyo and Paris', 'think'], 2, wireNames.indexOf(client))
  it.each(prompts)('gets the same of a stream (%s)', async (prompt) => {
    for (const { providers } of [plain, piecewise]) providers.answer(answerAll)
    const whole = await answerOf(plain, client, provider, prompt)
    const folded = await answerOf(piecewise, client, provider, prompt)
    expect(comparable(folded)).toMatchObject(comparable(whole))
    expect(piecewise.providers.asked.map(speakers[provider].isStream)).toEqual([true])
    expect(piecewise.reports.at(-1)).toMatchObject({
      outcome: 'answered',
      stream: false,
      passed: false,
      usage: { outputTokens: expect.any(Number) },
    })
    for (const { reports } of [plain, piecewise]) {
      const { firstEventMs, durationMs } = reports.at(-1) as EndReport
      expect(firstEventMs).toBeGreaterThanOrEqual(0)
      expect(firstEventMs).toBeLessThanOrEqual(durationMs)
    }
  })

  it('gets a status for a failure after any event, and no other provider is asked', async () => {
    for (let at = 0; at < pieces.length - 2; at++) {
      piecewise.providers.answer(chunks([...pieces.slice(0, at), speakers[provider].errorPiece('Overloaded')]))
      const response = await ask(piecewise.url, client, provider, 'Hello', wanted)
      expect([at, response.ok, isErrorBody(client, await response.json())]).toEqual([at, false, true])
      expect(piecewise.providers.asked).toHaveLength(1)
      expect(piecewise.reports.at(-1)).toMatchObject({ outcome: 'failed' })
    }
  })
})

// Each of these waits for two seconds, so they wait beside one another.
describe.concurrent('a client that wants a whole answer', () => {
  const all = <T>(value: T): T[] => pairs.map(() => value)

  /** Every client asks every provider at once: the limits are long enough for a busy machine. */
  async function outcomesOf(answering: (provider: WireName) => Answering) {
    const limits = { firstContentMs: 4000, timeouts: { firstByteMs: 2000, idleMs: 2000 } }
    const { url, providers, stop } = await startRig({ wholeAnswers: 'stream', limits })
    providers.answer((response, asked) => answering(wireOf(asked.path) as WireName)(response, asked))
    const outcomes = await Promise.all(
      pairs.map(async ([client, provider]) => {
        const response = await ask(url, client, provider, 'Hello', wanted)
        return [response.status, isErrorBody(client, await response.json())]
      }),
    )
    await Promise.all(providers.asked.map(({ closed }) => closed))
    const areLeft = providers.asked.map(({ isCancelled }) => isCancelled)
    await stop()
    return { outcomes, areLeft }
  }

  it('gets a 504 when nothing comes, and the provider is left', async ({ expect }) => {
    expect(await outcomesOf(() => hang)).toEqual({ outcomes: all([504, true]), areLeft: all(true) })
  })

  it('gets a 504 when the provider stops sending after some text, and the provider is left', async ({ expect }) => {
    const half = (provider: WireName) => chunks(piecesOf(provider).slice(0, -3), { after: 'hang' })
    expect(await outcomesOf(half)).toEqual({ outcomes: all([504, true]), areLeft: all(true) })
  })
})

describe.each(wireNames)('a client of %s that wants a whole answer', (client) => {
  it('waits with white space in front of the answer, which its JSON allows', async () => {
    const isWaiting = Promise.withResolvers<void>()
    warm.providers.answer(async (response, { path }) => {
      const pieces = piecesOf(wireOf(path) as WireName)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(toWire(pieces.slice(0, -2).join('')))
      await isWaiting.promise
      response.end(toWire(pieces.slice(-2).join('')))
    })
    const answers = wireNames.map((provider) => hear(ask(warm.url, client, provider, 'Hello', wanted)))
    await until(() => answers.every(({ text }) => text.length > 1))
    isWaiting.resolve()
    await Promise.all(answers.map(({ over }) => over))
    for (const { text } of answers) {
      expect(text).toMatch(/^ +\{/)
      expect(JSON.stringify(JSON.parse(text))).toContain('世界')
    }
  })

  it('is cut off where the answer is cut off after the headers, since the client could not recognise it', async () => {
    const hearings = new Map<string, Hearing>()
    warm.providers.answer((response, asked) => {
      const provider = wireOf(asked.path) as WireName
      // The provider cuts the connection when the client has the headers, however long that takes.
      const before = () => until(() => hearings.get(provider)?.status !== undefined)
      return chunks(piecesOf(provider).slice(0, -2), { after: 'reset', before })(response, asked)
    })
    for (const provider of wireNames) hearings.set(provider, hear(ask(warm.url, client, provider, 'Hello', wanted)))
    for (const hearing of hearings.values()) {
      await expect(hearing.over).rejects.toThrow()
      expect(hearing.status).toBe(200)
    }
    const reports = warm.reports.slice(-wireNames.length)
    expect(new Set(reports.map(({ model }) => model))).toEqual(new Set(wireNames))
    for (const report of reports) expect(report).toMatchObject({ outcome: 'failed', status: 200 })
  })
})

describe('a request that has no stream that says the same', () => {
  it.each<[string, WireName, object]>([
    ['several choices', 'openai-chat', { n: 2 }],
    ['several candidates', 'gemini', { generationConfig: { candidateCount: 2 } }],
    ['speech', 'openai-chat', { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }],
    ['an answer in the background', 'openai-responses', { background: true }],
  ])('is asked for whole: %s', async (_, wire, body) => {
    const answer = speakers[wire].whole({ text: greeting })
    piecewise.providers.answer(json(answer))
    const response = await ask(piecewise.url, wire, wire, 'Hello', { ...wanted, body })
    expect(await response.json()).toEqual(answer)
    expect(piecewise.providers.asked.map(speakers[wire].isStream)).toEqual([false])
    expect(piecewise.reports.at(-1)).toMatchObject({ passed: true })
  })
})

describe('an answer of the provider whose wire it is', () => {
  it('keeps the id by which it can be continued', async () => {
    piecewise.providers.answer(answerAll)
    const { id } = await answerOf(piecewise, 'openai-responses', 'openai-responses', 'Hello')
    const { providers } = piecewise
    const { path, body } = providers.asked[0] as Asked
    expect(path).toContain('/responses')
    expect(body).toMatchObject({ stream: true })
    const streamed = await (await ask(piecewise.url, 'openai-responses', 'openai-responses')).text()
    expect(streamed).toContain(`"id":${JSON.stringify(id)}`)
  })
})

describe('another model', () => {
  it('is asked as long as the first has sent nothing, and not later', async () => {
    const { providers } = piecewise
    const { anthropic, gemini } = modelsAt(providers.url)
    const models = { first: { model: anthropic, fallbacks: ['second'] }, second: gemini }
    const gateway = gatewayOf({ wholeAnswers: 'stream', models })
    const asking = async (broken: Answering) => {
      providers.answer(broken, chunks(piecesOf('gemini')))
      const { status } = await gateway.ask('openai-chat', 'first', 'Hello', wanted)
      return [status, providers.asked.length]
    }
    expect(await asking(json(speakers.anthropic.error(529, 'Overloaded'), 529))).toEqual([200, 2])
    expect(await asking(chunks([speakers.anthropic.errorPiece('Overloaded')]))).toEqual([200, 2])
    expect(await asking(chunks(piecesOf('anthropic').slice(0, 4)))).toEqual([502, 1])
  })
})
