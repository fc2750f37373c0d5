/**
 * Every official client against every provider, through a gateway: the abilities of each pair, as a table.
 *
 * The providers are written by hand from the wires' documents, and answer 400 to what is against the rules of their wire.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { facts } from '../formats/index.ts'
import { inTurn } from '../support/cuts.ts'
import { pairsOf } from '../support/pairs.ts'
import { pause } from '../support/upstream.ts'
import { clients, type Place, type Wish } from './clients.ts'
import { conclusion, greeting, place, report, thought, weatherIn } from './dialogue.ts'
import { type WireName, wireNames } from './provider.ts'
import type { Rig } from './rig.ts'

export interface Judged {
  readonly title: string
  /** Which pairs are tried: see `pairsOf`. */
  readonly turn: 0 | 1 | 2
  /** Whole answers, streams, or both. */
  readonly modes: readonly boolean[]
  /** The providers, by the name of their model. Default: a provider for each wire, by the name of its wire. */
  readonly providers?: readonly string[]
  /** The wire in which a provider is asked by a client. Default: that of its name. */
  readonly wireOf?: (provider: string, client: WireName) => WireName
  start(): Promise<Pick<Rig, 'url' | 'providers' | 'stop'> & Place>
}

/** Defines the tests, and prints the table after them. */
export function judgeClients({ title, turn, modes, providers = wireNames, wireOf, start }: Judged): void {
  const pairs = pairsOf(wireNames, providers, turn)
  const behind = (provider: string, client: WireName) => wireOf?.(provider, client) ?? (provider as WireName)
  let rig: Awaited<ReturnType<Judged['start']>>
  beforeAll(async () => {
    rig = await start()
  })
  afterAll(async () => {
    console.log(drawTable())
    await rig.stop()
  })

  const results = new Map<string, string>()
  /** Runs a check and notes it in the table. */
  async function check(feature: string, client: WireName, provider: string, body: () => Promise<void>): Promise<void> {
    const key = `${client} > ${provider} > ${feature}`
    results.set(key, '✗')
    await body()
    results.set(key, '✓')
  }

  function drawTable(): string {
    const features = ['text', 'tool', 'parallel', 'reasoning', 'schema', 'error', 'abort']
    const rows = pairs.map(([client, provider]) => {
      const cells = features.map((feature) => {
        const marks = modes.map((stream) => results.get(`${client} > ${provider} > ${feature} ${mode(stream)}`) ?? '')
        return marks.join('').padEnd(feature.length + 2)
      })
      return `${client.padEnd(20)}${provider.padEnd(25)}${cells.join('')}`
    })
    const head = `${title}\n${'client'.padEnd(20)}${'provider'.padEnd(25)}${features.map((feature) => `${feature}  `).join('')}`
    return ['', `${head}  (${modes.map(mode).join(', then ')})`, ...rows, ''].join('\n')
  }

  const mode = (stream: boolean) => (stream ? 'streamed' : 'whole')
  const converse = (client: WireName, provider: string, wish: Omit<Wish, 'model'>) =>
    clients[client].converse(rig, { model: provider, ...wish })

  describe.each(pairs)('the client of %s, with the provider of %s', (client, provider) => {
    // In `npm test` each pair has one of the modes; each client and each provider has both, in one pair or another.
    const modesOfPair = inTurn(modes, modes.length, wireNames.indexOf(client) + providers.indexOf(provider))
    it.each(modesOfPair)('gets text, and the figures (streaming: %s)', (stream) =>
      check(`text ${mode(stream)}`, client, provider, async () => {
        const turn = await converse(client, provider, { stream }).say('Hello')
        expect(turn.text).toBe(greeting)
        expect(turn.usage).toEqual({ input: 11, output: 7 })
      }),
    )

    it.each(modesOfPair)('has a tool run and gets the report (streaming: %s)', (stream) =>
      check(`tool ${mode(stream)}`, client, provider, async () => {
        const talk = converse(client, provider, { stream, tools: true })
        const asked = await talk.say('What is the weather?')
        expect(asked.text).toBe('Let me look.')
        expect(asked.calls).toEqual([{ name: 'get_weather', args: { city: 'Tokyo' } }])
        expect((await talk.answerCalls()).text).toBe(report([weatherIn('Tokyo')]))
      }),
    )

    it.each(modesOfPair)('runs two tools at the same time, each result with its call (streaming: %s)', (stream) =>
      check(`parallel ${mode(stream)}`, client, provider, async () => {
        const talk = converse(client, provider, { stream, tools: true })
        const asked = await talk.say('The weather in Tokyo and Paris?')
        expect(asked.calls.map(({ args }) => args)).toEqual([{ city: 'Tokyo' }, { city: 'Paris' }])
        expect((await talk.answerCalls()).text).toBe(report(['Tokyo', 'Paris'].map(weatherIn)))
      }),
    )

    it.each(modesOfPair)('keeps the provider’s reasoning over turns (streaming: %s)', (stream) =>
      check(`reasoning ${mode(stream)}`, client, provider, async () => {
        const talk = converse(client, provider, { stream, think: true, tools: true })
        const first = await talk.say('Please think of the weather')
        expect(first.calls).toHaveLength(1)
        expect(first.thought).toBe(facts[behind(provider, client)].gateway.thinks ? thought : '')
        const second = await talk.answerCalls()
        const third = await talk.say('and now?')
        const isKept = facts[behind(provider, client)].gateway.signs && facts[client].answers.hasProofs
        const proved = isKept ? 'the proof came back' : 'there was no proof'
        expect([second.text, third.text]).toEqual([`${conclusion} ${proved}`, proved])
      }),
    )

    it.each(modesOfPair)('gets JSON of its schema (streaming: %s)', (stream) =>
      check(`schema ${mode(stream)}`, client, provider, async () => {
        const turn = await converse(client, provider, { stream, schema: true }).say('JSON, please')
        expect(JSON.parse(turn.text)).toEqual(place)
      }),
    )

    it.each(modesOfPair)('reads a refusal because of load as its own error class (streaming: %s)', (stream) =>
      check(`error ${mode(stream)}`, client, provider, async () => {
        const error = await converse(client, provider, { stream })
          .say('Are you busy?')
          .then(
            () => undefined,
            (thrown) => thrown,
          )
        expect(error.status ?? error.status_code ?? error.statusCode ?? error.$metadata?.httpStatusCode).toBe(429)
        expect(String(error.message)).toMatch(/rate limited/i)
        expect(String(error.message)).not.toContain('org-secret')
      }),
    )

    it('disconnects in the middle, and the provider’s connection is closed too', () =>
      check('abort streamed', client, provider, async () => {
        rig.providers.asked.length = 0
        await clients[client].leave(rig, provider, 'endless')
        const [asked] = rig.providers.asked
        await Promise.race([asked?.closed, pause(8000)])
        expect(asked?.isCancelled).toBe(true)
        if (modes.length > 1) results.set(`${client} > ${provider} > abort whole`, '·')
      }))
  })
}
