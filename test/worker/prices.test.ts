import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { compact } from '../../src/core/json.ts'
import type { ContentBlock, Context, Json, JsonObject, Message, RequestOptions } from '../../src/core/messages.ts'
import type { EndReport, WireName } from '../../src/gateway/index.ts'
import { translateRequest } from '../../src/gateway/translate.ts'
import { toolCall } from '../../src/messages/block.ts'
import {
  capPriceOf,
  fromLiteLLM,
  fromModelsDev,
  costOf as listCostOf,
  type Prices,
  prices,
} from '../../src/prices/index.ts'
import { costOf, mostOf, pricesSetting } from '../../src/worker/accounts/prices.ts'
import { mostTokensOf, settlementOf } from '../../src/worker/accounts/spend.ts'
import { readOptions } from '../../src/worker/read-options.ts'
import { facts } from '../formats/index.ts'
import { type Wire, wires } from '../support/answers.ts'
import { clients } from '../support/formats.ts'
import { formatsByName } from '../support/formats-by-name.ts'

const own = v.parse(pricesSetting, '{"my-model":[1,2],"anthropic:claude-*":[3,4,0.3,6],"gpt-*":[7,8],"gpt-5*":[9,10]}')

describe('the price of a model', () => {
  it.each([
    ['openai-chat:my-model', { input: 1, output: 2 }],
    ['anthropic:claude-9', { input: 3, output: 4, cacheRead: 0.3, cacheWrite: 6 }],
    ['openai-chat:gpt-5-mini', { input: 9, output: 10 }],
    ['openai-chat:gpt-4.1', { input: 7, output: 8 }],
  ])('of %s is the one of the settings', (id, price) => {
    expect(capPriceOf(id, own)).toEqual(price)
  })

  // `test/prices` has the table.
  it.each([
    ['openai-chat:gpt-5-mini-2025-08-07', { input: 0.25, output: 2, cacheRead: 0.025 }],
    ['openai-chat:gpt-5.5-pro', { input: 30, output: 180, tiers: [{ above: 272_000, input: 60, output: 270 }] }],
    ['anthropic:claude-haiku-4-5-20251001', { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 2 }],
    ['ollama:qwen3:8b', { input: 0, output: 0 }],
  ])('of %s is from the table, if the settings have none', (id, price) => {
    expect(capPriceOf(id, {})).toEqual(price)
  })

  it.each([
    ['anthropic:claude-epos-7', { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 30 }],
    ['openai-chat:gpt-5-ultra', { input: 150, output: 600, cacheRead: 150, cacheWrite: 150 }],
    ['gemini:gemini-9-pro', { input: 4, output: 18, cacheRead: 0.4, cacheWrite: 4 }],
    ['xai:constructor', { input: 6, output: 30, cacheRead: 1.5, cacheWrite: 6 }],
  ])('of %s, which is unknown, is the most expensive of its provider', (id, price) => {
    expect(capPriceOf(id, {})).toEqual(price)
  })

  it.each(['[1]', '{"m":1}', '{"m":[1]}', '{"m":[-1,1]}', '{"m":["1",1]}', '{"m":[1,1,1,1,1]}', 'free', ''])(
    'is not read from %s',
    (text) => {
      expect(v.safeParse(pricesSetting, text).success).toBe(false)
    },
  )
})

describe('prices in the options', () => {
  const sample = (name: string): unknown =>
    JSON.parse(readFileSync(new URL(`../prices/samples/${name}.json`, import.meta.url), 'utf8'))
  const everyField: Prices = {
    'anthropic:of-every-field': {
      ...{ input: 1, output: 2, cacheRead: 0.1, cacheWrite: 1.25, cacheWrite1h: 2, reasoning: 3, audioInput: 4 },
      ...{ audioOutput: 5, confirmed: false },
      tiers: [{ above: 1000, input: 2, reasoning: 7, confirmed: false }],
      modes: { batch: 0.5, priority: { input: 2 } },
      offers: [{ input: 0.5, until: '2026-12-31' }],
    },
  }
  const options = {
    session: { origins: ['https://a.example'], secret: 'a-signing-secret-for-tests-of-40-bytes!!', demo: 'open' },
    policy: { models: { ollama: ['m'] } },
    keys: {},
  }
  const readPrices = (given: object) =>
    readOptions({ ...options, accounts: { binding: { getByName() {} }, prices: given } })

  it.each([
    ['our own table', prices],
    ['models.dev', fromModelsDev(sample('models-dev'))],
    ['LiteLLM', fromLiteLLM(sample('litellm'))],
    ['a price with every field', everyField],
  ])('may be those of %s, and an answer never costs less than they say', (_, table) => {
    const { config, problems } = readPrices(table)
    expect(problems).toEqual([])
    for (const [id, price] of Object.entries(table)) {
      const [provider, model] = id.split(/:(.*)/s)
      const asked = provider === 'openai' ? `openai-chat:${model}` : id
      const cap = capPriceOf(asked, config?.spending.prices)
      const sizes = [1, 1000, ...(price.tiers ?? []).flatMap(({ above }) => [above, above + 1])]
      for (const inputTokens of sizes)
        for (const [cacheReadTokens, cacheWriteTokens] of [
          [0, 0],
          [inputTokens, 0],
          [0, inputTokens],
        ])
          for (const reasoningTokens of [0, 500]) {
            const anthropic = { cache_creation: { ephemeral_1h_input_tokens: cacheWriteTokens ?? 0 } }
            const counts = { inputTokens, outputTokens: 500, cacheReadTokens, cacheWriteTokens, reasoningTokens }
            const usage = compact({ ...counts, providerData: { anthropic } })
            const afterOffers = { prices: { [id]: price }, at: new Date('2100-01-01') }
            const list = listCostOf(usage, id, afterOffers)?.usd ?? Number.NaN
            const context = JSON.stringify({ id, ...counts })
            expect(costOf(cap, usage), context).toBeGreaterThanOrEqual(Math.floor(list * 1e6))
            expect(mostOf(cap, inputTokens, 500), context).toBeGreaterThanOrEqual(costOf(cap, usage))
          }
    }
  })

  it.each<[string, object]>([
    ['a field that no price has', { input: 1, output: 1, long: { input: 2, output: 2, above: 10 } }],
    ['a rate below zero', { input: 1, output: -1 }],
    ['a tier without its limit', { input: 1, output: 1, tiers: [{ input: 2 }] }],
  ])('are refused with %s, by the name of the option', (_, price) => {
    expect(readPrices({ m: price }).problems.join()).toContain('"accounts.prices')
  })
})

describe('what an answer costs', () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 6 }

  it.each([
    [{ inputTokens: 1000, outputTokens: 100 }, 4500],
    [{ inputTokens: 1000, outputTokens: 100, cacheReadTokens: 400, cacheWriteTokens: 100 }, 3720],
    [{ inputTokens: 1, outputTokens: 0 }, 3],
    [{ inputTokens: 0, outputTokens: 0 }, 0],
    [{}, 0],
  ])('follows from its usage %o, in micro-dollars', (usage, cost) => {
    expect(costOf(price, usage)).toBe(cost)
  })

  it('uses the rates of long prompts for the whole request, from the first token over the limit', () => {
    const tiered = {
      input: 2,
      output: 12,
      cacheRead: 0.2,
      tiers: [{ above: 200_000, input: 4, output: 18, cacheRead: 0.4 }],
    }
    expect(costOf(tiered, { inputTokens: 200_000, outputTokens: 1000 })).toBe(412_000)
    expect(costOf(tiered, { inputTokens: 200_001, outputTokens: 1000 })).toBe(818_004)
    // From a cache or not: 100,001 × 4 + 100,000 × 0.4.
    expect(costOf(tiered, { inputTokens: 200_001, outputTokens: 0, cacheReadTokens: 100_000 })).toBe(440_004)
    expect(mostOf(tiered, 200_000, 1000)).toBe(412_000)
    expect(mostOf(tiered, 200_001, 1000)).toBe(818_004)
  })

  const report = (more: Partial<EndReport>): EndReport => ({
    requestId: 'r',
    outcome: 'answered',
    wire: 'gemini',
    caller: undefined,
    asked: 'm',
    model: 'm',
    provider: 'anthropic',
    stream: true,
    passed: false,
    attempts: 1,
    status: 200,
    outputBytes: 0,
    losses: [],
    durationMs: 1,
    ...more,
  })
  // At most 3000 × 6 and 500 × 15 micro-dollars: input may be written to a cache, which is the dearest.
  const reserved = { price, inputTokens: 3000, outputTokens: 500 }
  const all = [3000, 500, 25_500]

  const [failed, left] = [{ outcome: 'failed' }, { outcome: 'left' }] as const
  const told = (inputTokens: number, outputTokens: number, totalTokens?: number) => ({
    outputBytes: 30,
    usage: { inputTokens, outputTokens, ...(totalTokens !== undefined && { totalTokens }) },
  })
  it.each<[string, Partial<EndReport>, number[]]>([
    ['its usage, if it reports it', { ...told(10, 20), outputBytes: 900 }, [10, 20, 330]],
    ['nothing, if nobody was asked', { attempts: 0, outcome: 'refused' }, [0, 0, 0]],
    ['nothing, if its status was a refusal', { ...failed, error: { kind: 'overloaded', status: 529 } }, [0, 0, 0]],
    ['its usage, if it broke off after it', { ...failed, ...told(10, 1), stopReason: 'stop' }, [10, 1, 45]],
    ['what was reserved, if the client left before a word', left, all],
    ['what was reserved, if the provider fell silent', { ...failed, error: { kind: 'timeout' } }, all],
    ['what was reserved, if an error was in its stream', { ...failed, error: { kind: 'overloaded' } }, all],
    ['what was reserved, if it broke off before its usage', { ...failed, outputBytes: 30 }, all],
    ['what was reserved, if it ended without a usage', { outputBytes: 30 }, all],
    ['what was reserved, if the usage so far is less', { ...left, ...told(10, 1) }, all],
    ['what was reserved, if more was said after the usage', { ...told(10, 1), usageIsOld: true }, all],
    ['what was reserved and more, if the usage so far is more', { ...left, ...told(10, 600) }, [3000, 600, 27_000]],
    ['what was reserved, if 400 bytes may be 400 tokens', { ...left, outputBytes: 400 }, all],
    ['what was reserved, if zeros are reported for a text', { ...told(0, 0), outputBytes: 2 }, all],
    [
      'the output that was reserved, if its tokens cannot hold the text',
      { ...told(10, 1), outputBytes: 257 },
      [10, 500, 7530],
    ],
    ['the input that was reserved, if it is reported as 0', { ...told(0, 1), outputBytes: 2 }, [3000, 1, 18_015]],
    ['what only the total shows, such as reasoning that a host counts apart', told(10, 20, 130), [10, 120, 1830]],
    ['no less than the output, if the total is less than both', told(10, 20, 15), [10, 20, 330]],
    ['the output, if the total is not a count', told(10, 20, Number.NaN), [10, 20, 330]],
    [
      'the input that was reserved, if only the others are known',
      { outputBytes: 30, usage: { outputTokens: 20, totalTokens: 130 } },
      [3000, 20, 18_300],
    ],
    ['at most four times what was reserved, if the total is enormous', told(10, 20, 9e9), [10, 2000, 102_000]],
    ['its input, if nothing was said', { usage: { inputTokens: 10, outputTokens: 0 } }, [10, 0, 30]],
    ['four times what was reserved, if it is a million times that', told(3e9, 5e8), [12_000, 2000, 102_000]],
    [
      'at most four times what was reserved, if so much was said',
      { ...failed, outputBytes: 9e8 },
      [3000, 2000, 102_000],
    ],
  ])('is %s', (_, more, [inputTokens, outputTokens, cost]) => {
    expect(settlementOf(report(more), reserved)).toMatchObject({ inputTokens, outputTokens, cost })
  })

  it.each([
    [{ cacheReadTokens: -1e9, cacheWriteTokens: 0 }, 300],
    [{ cacheReadTokens: 1e9, cacheWriteTokens: 0 }, 30],
    [{ cacheReadTokens: 0, cacheWriteTokens: -1e9 }, 300],
    [{ cacheReadTokens: 1e9, cacheWriteTokens: 1e9 }, 600],
    [{ cacheReadTokens: 10.5, cacheWriteTokens: 10.5 }, 306],
  ])('counts cached input as a part of the input: %o', (usage, cost) => {
    expect(costOf(price, { inputTokens: 100, outputTokens: 0, ...usage })).toBe(cost)
  })
})

describe('the most tokens that a request can have', () => {
  const most = (body: JsonObject, wire: WireName = 'openai-chat', id = 'anthropic:m') => {
    const request = formatsByName[wire].codec.decodeRequest(body, { path: '/v1beta/models/m:generateContent' })
    return mostTokensOf(id, request, 100).inputTokens
  }
  /** What a client of the format writes. */
  const bodyOf = (wire: Wire, context: Context, options: Partial<RequestOptions> = {}): JsonObject =>
    JSON.parse(JSON.stringify(clients[wire].encodeRequest(context, { model: 'm', ...options }).body))
  const data = 'A'.repeat(100_000)
  const big = 'x'.repeat(1000)
  const chat = (content: Json, more: JsonObject = {}) => ({
    model: 'm',
    messages: [{ role: 'user', content }],
    ...more,
  })

  /** The question is a little longer than the body of a format: its fields have longer names. */
  function expectBytes(most: number, body: JsonObject, more = 0): void {
    const bytes = new TextEncoder().encode(JSON.stringify(body)).length + more
    expect(most).toBeGreaterThanOrEqual(bytes)
    expect(most).toBeLessThan(bytes + 200)
  }

  it('are the bytes of its question in UTF-8, and 1000 for what the provider adds', () => {
    expectBytes(most(chat('Grüß 👋')), chat('Grüß 👋'), 1000)
    expect(most(chat('Grüß 👋')) - most(chat(''))).toBe(new TextEncoder().encode('Grüß 👋').length)
  })

  it('count the arguments of a call once, by the longer of their two forms', () => {
    const called = (argumentsText: string) => ({
      model: 'm',
      messages: [
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: argumentsText } }],
        },
      ],
    })
    expect(most(called(`{"a":"${big}"}`)) - most(called('{"a":""}'))).toBe(1000)
    expect(most(called(`{"a":${' '.repeat(1000)}""}`)) - most(called('{"a":""}'))).toBe(1000)
  })

  const schema = { type: 'object', description: big }
  const format = { type: 'json_schema', json_schema: { name: 'a', schema } }
  it.each<[Wire, object]>([
    ['openai-chat', { stop: [big] }],
    ['openai-chat', { response_format: format }],
    ['openai-chat', { tools: [{ type: 'function', function: { name: 'a', description: big, parameters: {} } }] }],
    ['openai-chat', { tool_choice: { type: 'function', function: { name: big } } }],
    ['openai-chat', { metadata: { a: big } }],
    ['openai-chat', { unknown: big }],
    ['openai-chat', { messages: [{ role: 'assistant', content: 'a', reasoning_details: [{ a: big }] }] }],
    ['openai-chat', { messages: [{ role: 'assistant', content: big, parsed: {} }] }],
    ['openai-responses', { instructions: big }],
    ['openai-responses', { text: { format: { type: 'json_schema', name: 'a', schema } } }],
    ['anthropic', { system: big }],
    ['anthropic', { stop_sequences: [big] }],
    ['anthropic', { output_config: { format: { type: 'json_schema', schema } } }],
    ['gemini', { generationConfig: { stopSequences: [big] } }],
    ['gemini', { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } }],
    ['gemini', { generationConfig: { responseMimeType: 'application/json', responseSchema: schema } }],
    ['ollama', { format: schema }],
    ['ollama', { options: { stop: [big] } }],
  ])('include, of %s, all bytes of %j', (wire, more) => {
    const { minimal } = facts[wire].gateway.minimal('m', 'x', false)
    expect(most({ ...minimal, ...more } as JsonObject, wire) - most(minimal as JsonObject, wire)).toBeGreaterThan(950)
  })

  const picture: ContentBlock = { type: 'image', mimeType: 'image/png', data }
  const inResult: readonly Message[] = [
    { role: 'assistant', content: [toolCall('a', 'f', {})] },
    { role: 'tool', toolCallId: 'a', content: [picture] },
  ]
  it.each<[Wire, readonly Message[]]>([
    ...wires.flatMap((wire): [Wire, Message[]][] =>
      wire === 'anthropic' ? [] : [[wire, [{ role: 'user', content: [picture] }]]],
    ),
    ['anthropic', [...inResult, { role: 'user', content: 'And now?' }]],
  ])('are a stated number for a picture in a message of %s, by the model', (wire, messages) => {
    const body = bodyOf(wire, { messages })
    expectBytes(most(body, wire), body, 1000 - data.length + 6500)
    const around = most(body, wire) - 6500
    expect(most(body, wire, 'openai-chat:gpt-5') - around).toBe(25_000)
    expect(most(body, wire, 'openai-chat:gpt-4o-mini') - around).toBe(50_000)
  })

  it('count a picture in low or high detail with less', () => {
    const image = (detail: string) =>
      chat([{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}`, detail } }])
    const [low, auto] = ['low', 'auto'].map((detail) => most(image(detail), 'openai-chat', 'openai-chat:gpt-5')) as [
      number,
      number,
    ]
    expect(auto - low).toBe(25_000 - 6500 + 1)
  })

  it('are those of the longest context for an address that Gemini reads: there may be a video', () => {
    const body = chat([{ type: 'image_url', image_url: { url: 'https://video.example/watch' } }])
    expectBytes(most(body, 'openai-chat', 'anthropic:m'), body, 1000 + 6500)
    const around = most(body, 'openai-chat', 'anthropic:m') - 6500
    expect(most(body, 'openai-chat', 'gemini:gemini-3-pro')).toBe(around + 1_048_576)
  })

  it('count the results that calls get on the way to another format', () => {
    const body: JsonObject = {
      contents: [
        { role: 'user', parts: [{ text: 'x' }] },
        { role: 'model', parts: Array(100).fill({ functionCall: { name: 'f' } }) },
      ],
    }
    const { codec } = formatsByName.gemini
    const request = codec.decodeRequest(body, { path: '/v1beta/models/m:generateContent' })
    const sent = translateRequest(body, { decodeRequest: () => request }, clients['openai-chat'], { model: 'm' }).body
    // Text of a request has three bytes a token or more.
    expect(most(body, 'gemini')).toBeGreaterThan(JSON.stringify(sent).length / 3)
    const answered = { contents: [...(body.contents as []), { role: 'user', parts: [] }] }
    expect(most(body, 'gemini')).toBeGreaterThan(JSON.stringify(answered).length + 1000 + 100 * 64)
  })

  it.each<JsonObject>([
    { type: 'image', description: data },
    { type: 'image', data },
    { type: 'image', source: { type: 'base64', data } },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
    { inlineData: { mimeType: 'image/png', data } },
  ])('count an object of a schema, an argument or a result by its bytes, even if it says that it is a picture', (a) => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: JSON.stringify(a) } }
    const history = [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: JSON.stringify(a) },
    ]
    expect(most({ model: 'm', messages: history })).toBeGreaterThan(200_000)
    const parameters = { type: 'object', properties: { a } }
    const messages: readonly Message[] = [{ role: 'user', content: 'x' }]
    const responseFormat = { type: 'json', schema: parameters } as const
    for (const wire of wires) {
      const asked = [
        bodyOf(wire, { messages, tools: [{ name: 'a', parameters }] }),
        bodyOf(wire, { messages }, { responseFormat }),
      ]
      for (const body of asked) expect(most(body, wire), wire).toBeGreaterThan(100_000)
    }
  })

  it('are more at xAI, whose output limit does not include reasoning', () => {
    const body = chat('x')
    const tokens = (id: string) =>
      mostTokensOf(id, formatsByName['openai-chat'].codec.decodeRequest(body), 100).outputTokens
    expect([tokens('openai-chat:m'), tokens('xai:m')]).toEqual([100, 16_484])
  })
})
