/**
 * End to end over real HTTP: each official client, and our own with each codec, asks the embedded provider; what ours sends is read
 * where it arrives.
 *
 * aimock leaves the wire documents in these places, which the expectations below name: it has no thoughts of Ollama's (`thinking`,
 * ollama.md §3), which it sends as `reasoning_content`; it ends Gemini's calls with `FUNCTION_CALL`, a word that gemini.md §3 does not
 * have; it gives Gemini's and Ollama's calls no ids, as older servers do (gemini.md §2.1, ollama.md §2); the ids of its items of Responses
 * begin with `rs-` and `fc-`, not `rs_` and `fc_` (openai-responses.md §2.4); it says neither `store: true` nor `false` there.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { callsOf } from '../../src/core/content.ts'
import {
  ApiError,
  type AssistantMessage,
  generate,
  InterruptedError,
  type RunRequest,
  type RunResult,
  stream,
  tool,
} from '../../src/index.ts'
import type { Turn } from '../formats/client.ts'
import { facts } from '../formats/index.ts'
import { servers } from '../formats/servers.ts'
import { tools } from '../support/agents.ts'
import { greeting, type Provider, reportOn, startProvider, thought, verdict, weatherIn } from './provider.ts'

let provider: Provider
beforeAll(async () => {
  provider = await startProvider()
})
afterAll(() => provider.stop())
beforeEach(() => provider.forget())

const ways = [
  ['streaming', true],
  ['whole', false],
] as const
const one = { prompt: 'What is the weather in Tokyo?', cities: ['Tokyo'] }
const two = { prompt: 'What is the weather in Tokyo and Paris?', cities: ['Tokyo', 'Paris'] }

/** aimock speaks these wires. */
const formats = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'ollama'] as const

describe.each(formats)('the official client of %s', (format) => {
  describe.each(ways)('%s', (_, stream) => {
    /** Asks, and answers calls as long as there are some. */
    async function converse(prompt: string): Promise<Pick<Turn, 'text' | 'calls'>> {
      const { client } = await facts[format].client()
      const [model] = facts[format].models
      const conversation = client.converse({ url: provider.url }, { model, stream, tools: true })
      let turn = await conversation.say(prompt)
      const { calls } = turn
      while (turn.calls.length > 0) turn = await conversation.answerCalls()
      return { text: turn.text, calls }
    }

    it('gets the text of an answer', async () => {
      expect(await converse('Say hello')).toEqual({ text: greeting, calls: [] })
    })

    it.each([one, two])('runs a round of calls: $cities', async ({ prompt, cities }) => {
      expect(await converse(prompt)).toEqual({
        text: reportOn(...cities),
        calls: cities.map((city) => ({ name: 'get_weather', args: { city } })),
      })
    })

    it('gets an error with its status', async () => {
      const failure = await converse('Are you busy?').catch((error) => error)
      expect(failure).toBeInstanceOf(Error)
      expect([failure.status, failure.status_code]).toContain(429)
    })
  })
})

/** aimock gives calls no ids here, and then none may go back: they would not be the provider's. */
const withoutIds: readonly string[] = ['gemini', 'ollama']
/** aimock sends no thoughts in the wire's own field. */
const withoutThoughts: readonly string[] = ['ollama']

/** The ids of aimock's items of Responses, which go back as they are. */
const ofAimock = /\.id: "(?:rs|fc)-/

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const described = { name: 'get_weather', description: 'Current weather in a city' }
const weather = tool({
  ...described,
  parameters,
  execute: ({ city }) => weatherIn(String(city)),
})

async function ask(request: RunRequest, streaming: boolean): Promise<RunResult & { readonly deltas: number }> {
  if (!streaming) return { ...(await generate({ ...request, wholeAnswer: true })), deltas: 0 }
  const run = stream(request)
  let text = ''
  let deltas = 0
  for await (const event of run) {
    if (event.type !== 'text_delta') continue
    text += event.text
    deltas++
  }
  const result = await run.response
  expect(text).toBe(saidBy(result))
  return { ...result, deltas }
}

const saidBy = ({ message }: RunResult, type: 'text' | 'reasoning' = 'text') =>
  (message.content as readonly { type: string; text: string }[])
    .flatMap((block) => (block.type === type ? [block.text] : []))
    .join('')

describe.each(formats)('our client by %s', (format) => {
  const { path, isStream, modelAt, server } = servers[format]
  const model = () => modelAt(provider.url)

  describe.each(ways)('%s', (_, streaming) => {
    it('asks in the wire of its provider and gets the text of the answer', async () => {
      const result = await ask({ model: model(), prompt: 'Say hello' }, streaming)
      expect(saidBy(result)).toBe(greeting)
      expect(result.stopReason).toBe('stop')
      if (streaming) expect(result.deltas).toBeGreaterThan(4)
      expect(provider.asked.map((asked) => [path.test(asked.path), isStream(asked)])).toEqual([[true, streaming]])
      expect(provider.asked[0]?.body).not.toHaveProperty('tools')
    })

    it('gets what the model thought apart from what it said', async () => {
      const result = await ask({ model: model(), prompt: 'Now think' }, streaming)
      expect(saidBy(result)).toBe(verdict)
      if (!withoutThoughts.includes(format)) expect(saidBy(result, 'reasoning')).toBe(thought)
      else expect(JSON.stringify(result.message)).toContain(streaming ? 'reasoning_content' : thought)
    })

    it.each([one, two])(
      'runs a round of calls, and sends tools, calls and results as the wire has them: $cities',
      async ({ prompt, cities }) => {
        const result = await ask({ model: model(), prompt, tools: [weather] }, streaming)
        expect(saidBy(result)).toBe(reportOn(...cities))
        expect(result.rounds).toBe(2)
        const bodies = provider.asked.map(({ body }) => body)
        for (const body of bodies) {
          expect(facts[format].violations(body).filter((one) => !ofAimock.test(one))).toEqual([])
          expect(tools[format].offered(body)).toEqual([{ name: described.name, schema: parameters }])
          expect(JSON.stringify(body)).toContain(described.description)
        }
        const [, second, ...others] = bodies
        expect(others).toEqual([])
        expect(tools[format].called(second)).toEqual(cities.map((city) => ({ name: described.name, args: { city } })))
        const results = server?.resultsIn(second) ?? []
        expect(results.map(({ text }) => text)).toEqual(cities.map(weatherIn))
        const ids = results.map(({ of }) => of)
        if (withoutIds.includes(format)) expect(ids).toEqual(cities.map(() => described.name))
        else expect([...new Set(ids)]).toEqual(callsOf(result.messages[1] as AssistantMessage).map(({ id }) => id))
        for (const id of ids) expect(JSON.stringify(second).split(`"${id}"`).length).toBeGreaterThan(2)
      },
    )

    it('gets an error with its kind and status', async () => {
      const failure = await ask({ model: model(), prompt: 'Are you busy?', retries: 0 }, streaming).catch((e) => e)
      expect(failure).toBeInstanceOf(ApiError)
      expect(failure).toMatchObject({ kind: 'rate_limit', status: 429 })
      expect(failure.message).toContain('Slow down')
    })
  })

  it('gets an error for an answer that is cut off, and keeps the received part', async () => {
    const run = stream({ model: model(), prompt: 'Please hang up', retries: 0 })
    await expect(run.response).rejects.toBeInstanceOf(InterruptedError)
    expect(run.partial).toMatchObject({ stopReason: 'interrupted' })
    expect(greeting.startsWith(saidBy({ message: run.partial } as RunResult))).toBe(true)
  })
})
