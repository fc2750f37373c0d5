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
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { gemini } from '../../src/formats/gemini/index.ts'
import { ollama } from '../../src/formats/ollama/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'
import {
  ApiError,
  generate,
  InterruptedError,
  type Model,
  type RunRequest,
  type RunResult,
  stream,
  tool,
} from '../../src/index.ts'
import type { JsonObject } from '../../src/messages/index.ts'
import type { Turn } from '../formats/client.ts'
import { facts } from '../formats/index.ts'
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

/** A wire, and how each thing that a tool round needs is written in it. */
interface Wire {
  readonly name: string
  readonly model: () => Model
  readonly path: (streaming: boolean) => string
  /** `stream` in the body; a wire that says it in the path has none. */
  readonly switch: boolean
  /** What the second request says behind the user's words: the turn of calls and their results. */
  readonly round: (ids: readonly (string | undefined)[], cities: readonly string[]) => unknown
  /** The messages of a body, and the ids of the calls in them, in order. */
  readonly read: (body: JsonObject) => {
    readonly said: readonly unknown[]
    readonly ids: readonly (string | undefined)[]
  }
  readonly tools: unknown
  /** aimock gives calls no ids here, and then none may go back: they would not be the provider's. */
  readonly withoutIds?: true
  /** aimock sends no thoughts in the wire's own field. */
  readonly withoutThoughts?: true
}

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const described = { name: 'get_weather', description: 'Current weather in a city' }
const textOf = (city: string) => JSON.stringify({ city })

/** The fields of a message, an item or a part that are read; all of it is compared. */
interface Said {
  readonly id: string
  readonly type?: string
  readonly call_id: string
  readonly tool_calls?: readonly Said[]
  readonly content?: readonly Said[]
  readonly parts?: readonly { readonly functionCall?: Partial<Said> }[]
}
/** Everything after the user's text. */
const saidIn = (body: JsonObject, field: string) => (body[field] as unknown as readonly Said[]).slice(1)

const wires: readonly Wire[] = [
  {
    name: 'openai-chat',
    model: () => openaiChat('gpt-5', { baseUrl: `${provider.url}/v1` }),
    path: () => '/v1/chat/completions',
    switch: true,
    tools: [{ type: 'function', function: { ...described, parameters } }],
    // openai-chat.md §2.1: calls with arguments as text, then a message for each result.
    round: (ids, cities) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: cities.map((city, at) => ({
          id: ids[at],
          type: 'function',
          function: { name: 'get_weather', arguments: textOf(city) },
        })),
      },
      ...cities.map((city, at) => ({ role: 'tool', tool_call_id: ids[at], content: weatherIn(city) })),
    ],
    read: (body) => {
      const said = saidIn(body, 'messages')
      return { said, ids: (said[0]?.tool_calls ?? []).map(({ id }) => id) }
    },
  },
  {
    name: 'openai-responses',
    model: () => openaiResponses('gpt-5', { baseUrl: `${provider.url}/v1` }),
    path: () => '/v1/responses',
    switch: true,
    tools: [{ type: 'function', ...described, parameters, strict: false }],
    // openai-responses.md §2.1 and §2.4: items side by side; the reasoning that came before the calls goes back before them, whole. The
    // items' ids are the provider's own.
    round: (ids, cities) => [
      expect.objectContaining({ type: 'reasoning', encrypted_content: expect.stringMatching(/./), summary: [] }),
      ...cities.map((city, at) =>
        expect.objectContaining({
          type: 'function_call',
          call_id: ids[at],
          name: 'get_weather',
          arguments: textOf(city),
        }),
      ),
      ...cities.map((city, at) => ({ type: 'function_call_output', call_id: ids[at], output: weatherIn(city) })),
    ],
    read: (body) => {
      const said = saidIn(body, 'input')
      return { said, ids: said.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : [])) }
    },
  },
  {
    name: 'anthropic',
    model: () => anthropic('claude-sonnet-5', { baseUrl: `${provider.url}/v1` }),
    path: () => '/v1/messages',
    switch: true,
    tools: [{ ...described, input_schema: parameters }],
    // anthropic.md §2.4: all results of parallel calls in one user message.
    round: (ids, cities) => [
      {
        role: 'assistant',
        content: cities.map((city, at) => ({ type: 'tool_use', id: ids[at], name: 'get_weather', input: { city } })),
      },
      {
        role: 'user',
        content: cities.map((city, at) => ({ type: 'tool_result', tool_use_id: ids[at], content: weatherIn(city) })),
      },
    ],
    read: (body) => {
      const said = saidIn(body, 'messages')
      return { said, ids: (said[0]?.content ?? []).map(({ id }) => id) }
    },
  },
  {
    name: 'gemini',
    withoutIds: true,
    model: () => gemini('gemini-3-flash', { baseUrl: `${provider.url}/v1beta` }),
    path: (streaming) =>
      `/v1beta/models/gemini-3-flash:${streaming ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    switch: false,
    tools: [{ functionDeclarations: [{ ...described, parametersJsonSchema: parameters }] }],
    // gemini.md §2.1 and §2.4: as many responses as calls in one user content, each an object. aimock signs no call, so the first goes
    // with the word that §6 has for that.
    round: (_, cities) => [
      {
        role: 'model',
        parts: cities.map((city, at) => ({
          functionCall: { name: 'get_weather', args: { city } },
          ...(at === 0 && { thoughtSignature: 'skip_thought_signature_validator' }),
        })),
      },
      {
        role: 'user',
        parts: cities.map((city) => ({
          functionResponse: {
            name: 'get_weather',
            response: { output: weatherIn(city) },
          },
        })),
      },
    ],
    read: (body) => {
      const said = saidIn(body, 'contents')
      return { said, ids: (said[0]?.parts ?? []).map(({ functionCall }) => functionCall?.id) }
    },
  },
  {
    name: 'ollama',
    model: () => ollama('qwen3:8b', { baseUrl: provider.url }),
    path: () => '/api/chat',
    switch: true,
    tools: [{ type: 'function', function: { ...described, parameters } }],
    // ollama.md §2: arguments are an object, results name their tool.
    round: (_, cities) => [
      {
        role: 'assistant',
        content: '',
        tool_calls: cities.map((city) => ({
          function: { name: 'get_weather', arguments: { city } },
        })),
      },
      ...cities.map((city) => ({
        role: 'tool',
        tool_name: 'get_weather',
        content: weatherIn(city),
      })),
    ],
    read: (body) => {
      const said = saidIn(body, 'messages')
      return { said, ids: (said[0]?.tool_calls ?? []).map(({ id }) => id) }
    },
    withoutIds: true,
    withoutThoughts: true,
  },
]

const weather = tool({
  ...described,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
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

describe.each(wires)(
  'our client by $name',
  ({ model, path, switch: isInBody, round, read, tools, withoutIds, withoutThoughts }) => {
    describe.each(ways)('%s', (_, streaming) => {
      it('asks in the wire of its provider and gets the text of the answer', async () => {
        const result = await ask({ model: model(), prompt: 'Say hello' }, streaming)
        expect(saidBy(result)).toBe(greeting)
        expect(result.stopReason).toBe('stop')
        if (streaming) expect(result.deltas).toBeGreaterThan(4)
        expect(provider.asked.map((asked) => asked.path)).toEqual([path(streaming)])
        const body = provider.asked[0]?.body
        if (isInBody) expect(Boolean(body?.stream)).toBe(streaming)
        else expect(body).not.toHaveProperty('stream')
        expect(body).not.toHaveProperty('tools')
      })

      it('gets what the model thought apart from what it said', async () => {
        const result = await ask({ model: model(), prompt: 'Now think' }, streaming)
        expect(saidBy(result)).toBe(verdict)
        if (!withoutThoughts) expect(saidBy(result, 'reasoning')).toBe(thought)
        else expect(JSON.stringify(result.message)).toContain(streaming ? 'reasoning_content' : thought)
      })

      it.each([one, two])(
        'runs a round of calls, and sends calls and results in the shape of the wire: $cities',
        async ({ prompt, cities }) => {
          const result = await ask({ model: model(), prompt, tools: [weather] }, streaming)
          expect(saidBy(result)).toBe(reportOn(...cities))
          expect(result.rounds).toBe(2)
          expect(provider.asked).toHaveLength(2)
          const [first, second] = provider.asked.map(({ body }) => body as JsonObject)
          expect(first?.tools).toEqual(tools)
          expect(second?.tools).toEqual(tools)
          const { said, ids } = read(second ?? {})
          expect(new Set(ids).size).toBe(withoutIds ? 1 : cities.length)
          expect(ids.every((id) => typeof id === (withoutIds ? 'undefined' : 'string'))).toBe(true)
          expect(ids).toHaveLength(cities.length)
          expect(said).toEqual(round(ids, cities))
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
      const failure = await run.response.then(
        () => undefined,
        (error) => error,
      )
      expect(failure).toBeInstanceOf(InterruptedError)
      expect(run.partial).toMatchObject({ stopReason: 'interrupted' })
      expect(greeting.startsWith(saidBy({ message: run.partial } as RunResult))).toBe(true)
    })
  },
)
