/** The cost of answers: invoices calculated by hand from the pages that src/prices/table.ts names. */
import { describe, expect, it } from 'vitest'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { gemini } from '../../src/formats/gemini/index.ts'
import { ollama } from '../../src/formats/ollama/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'
import { generate, type Model, t, tool, type Usage } from '../../src/index.ts'
import { costOf, costOfRun, type Price, prices, pricesReadOn } from '../../src/prices/index.ts'
import { geminiChat } from '../../src/providers/gemini-chat.ts'
import { openrouter } from '../../src/providers/openrouter.ts'
import { xai } from '../../src/providers/xai.ts'
import { xaiResponses } from '../../src/providers/xai-responses.ts'
import { call, mockModel } from '../../src/test/index.ts'

/** Wide enough for every tier, and before the end of every offer. */
const at = new Date('2026-11-22T12:00:00Z')
const tokens = (inputTokens: number, outputTokens: number, more: Usage = {}): Usage => ({
  inputTokens,
  outputTokens,
  ...more,
})
const cached = { cacheReadTokens: 6000, cacheWriteTokens: 2000 }
/** As Anthropic writes them. */
const took = (input_tokens: number, output_tokens: number) => ({ input_tokens, output_tokens })
const usdOf = (usage: Usage, model: Model | string) => costOf(usage, model, { at })?.usd

describe('an answer costs', () => {
  it.each<[string, Model, Usage, number]>([
    // 1,000 × 0.25 + 500 × 2 = 250 + 1,000 micro-dollars
    ['input and output', openaiChat('gpt-5-mini'), tokens(1000, 500), 0.00125],
    [
      'the same by Responses, under the name with its date',
      openaiResponses('gpt-5-mini-2025-08-07'),
      tokens(1000, 500),
      0.00125,
    ],
    // 2,000 × 1.25 + 8,000 × 0.125 + 300 × 10 = 2,500 + 1,000 + 3,000
    [
      'less for what OpenAI had in its cache, and reasoning as output',
      openaiChat('gpt-5'),
      tokens(10_000, 300, { cacheReadTokens: 8000, reasoningTokens: 256 }),
      0.0065,
    ],
    // 1,000 × 10 + 4,000 × 1 + 5,000 × 12.5 + 100 × 50 = 10,000 + 4,000 + 62,500 + 5,000
    [
      'reads and writes of a cache at OpenAI',
      openaiChat('gpt-6-astra'),
      tokens(10_000, 100, { cacheReadTokens: 4000, cacheWriteTokens: 5000 }),
      0.0815,
    ],
    // 300,000 × 20 + 1,000 × 75
    ['more for all of a long prompt', openaiChat('gpt-6-astra'), tokens(300_000, 1000), 6.075],
    // 272,000 × 10 + 1,000 × 50
    ['no more up to where it is long', openaiChat('gpt-6-astra'), tokens(272_000, 1000), 2.77],
    // 100 × 2 + 6,000 × 0.2 + 2,000 × 2.5 + 400 × 10 = 200 + 1,200 + 5,000 + 4,000
    ['writes for 5 minutes at Claude', anthropic('claude-sonnet-5'), tokens(8100, 400, cached), 0.0104],
    // 500 × 2.5 + 1,500 × 4 in place of 2,000 × 2.5
    [
      'writes for an hour at Claude',
      anthropic('claude-sonnet-5'),
      {
        ...tokens(8100, 400, cached),
        providerData: {
          anthropic: { cache_creation: { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 1500 } },
        },
      },
      0.01265,
    ],
    // 50,000 × 0.5 + 60,000 × 0.05 + 1,000 × 2.5 = 25,000 + 3,000 + 2,500: its tier counts what is read from a cache
    [
      'a tier by all input, from a cache or not',
      anthropic('claude-haiku-5-5'),
      tokens(110_000, 1000, { cacheReadTokens: 60_000 }),
      0.0305,
    ],
    // 1,000 × 0.3 + 200 × 2.5
    [
      'thinking as output at Google',
      gemini('models/gemini-2.5-flash'),
      tokens(1000, 200, { reasoningTokens: 150 }),
      0.0008,
    ],
    // 50,001 × 4 + 150,000 × 0.4 + 100 × 18 = 200,004 + 60,000 + 1,800
    [
      'a long prompt at Google',
      geminiChat('gemini-3.1-pro-preview'),
      tokens(200_001, 100, { cacheReadTokens: 150_000 }),
      0.261804,
    ],
    // 199,999 × 2 + 10 × 6; from 200,000 on: × 4 and × 12
    ['a short prompt at xAI', xai('grok-4.5'), tokens(199_999, 10), 0.400058],
    ['a long prompt at xAI', xaiResponses('grok-4.5'), tokens(200_000, 10), 0.80012],
    ['nothing on a machine of your own', ollama('qwen3:8b'), tokens(9e6, 9e6), 0],
  ])('%s', (_, model, usage, usd) => {
    expect(usdOf(usage, model)).toBe(usd)
  })

  it.each<[string, object, readonly object[], number]>([
    // Opus 4.6: 61,067 × 5 + 1,912 × 25 = 305,335 + 47,800
    [
      'its compaction too, which its own figures leave out',
      took(682, 1320),
      [
        { type: 'compaction', ...took(60_385, 592) },
        { type: 'message', ...took(682, 1320) },
      ],
      0.353135,
    ],
    // and of this 1,000 written for an hour in place of 5 minutes: 60,067 × 5 + 1,000 × 10 + 1,912 × 25
    [
      'the writes of each step',
      took(682, 1320),
      [
        {
          type: 'compaction',
          ...took(59_385, 592),
          cache_creation_input_tokens: 1000,
          cache_creation: { ephemeral_1h_input_tokens: 1000 },
        },
        { type: 'message', ...took(682, 1320) },
      ],
      0.358135,
    ],
    // (1,128 + 1,289) × 5 + 133 × 25 = 12,085 + 3,325; advice of Opus 4.1, 2,529 × 15 + 38 × 75 = 37,935 + 2,850
    [
      'advice of another model at the price of that model',
      took(2417, 133),
      [
        { type: 'message', ...took(1128, 121) },
        { type: 'advisor_message', model: 'claude-opus-4-1', ...took(2529, 38) },
        { type: 'message', ...took(1289, 12) },
      ],
      0.056195,
    ],
    // 412 × 5 + 264 × 25: the model that declined before it wrote is not paid
    [
      'what the model that answered took, and not the one that declined',
      took(412, 264),
      [
        { type: 'message', model: 'claude-opus-4-1', ...took(408, 0) },
        { type: 'fallback_message', model: 'claude-opus-4-6', ...took(412, 264) },
      ],
      0.00866,
    ],
    // and 408 × 15 + 20 × 75 = 6,120 + 1,500 of the one that had begun to write
    [
      'what a model wrote before it declined',
      took(412, 264),
      [
        { type: 'message', model: 'claude-opus-4-1', ...took(408, 20) },
        { type: 'fallback_message', model: 'claude-opus-4-6', ...took(412, 264) },
      ],
      0.01628,
    ],
    // 30 × 5 + 12 × 25, and 151,000 × 5 + 12 × 25
    ['a compaction that is all there is', took(30, 12), [{ type: 'compaction', ...took(151_000, 12) }], 0.75575],
  ])('%s', (_, figures, iterations, usd) => {
    const model = anthropic('claude-opus-4-6')
    const body = { type: 'message', model: 'claude-opus-4-6', content: [], stop_reason: 'end_turn' }
    const { usage } = model.codec.decodeResponse({ ...body, usage: { ...figures, iterations } })
    expect(costOf(usage, model, { at })).toMatchObject({ usd, confidence: 'estimate' })
  })

  it('nothing known, if the model of one of its steps has no price', () => {
    const steps = [{ type: 'advisor_message', model: 'claude-unheard-of', ...took(1, 1) }]
    const usage = { inputTokens: 2, outputTokens: 2, providerData: { anthropic: { iterations: steps } } }
    expect(costOf(usage, 'anthropic:claude-opus-4-6')).toBeUndefined()
  })

  it('each step in its own tier', () => {
    const step = { type: 'message', ...took(60_000, 1) }
    const usage = { inputTokens: 120_000, outputTokens: 2, providerData: { anthropic: { iterations: [step, step] } } }
    const tiers = [{ above: 100_000, input: 10, output: 10 }]
    expect(costOf(usage, 'a:b', { prices: { 'a:b': { input: 1, output: 1, tiers } } })?.usd).toBe(0.120002)
  })

  it('each part of it, and the row that it follows from', () => {
    const usage = tokens(8100, 400, cached)
    expect(costOf(usage, 'anthropic:claude-sonnet-5', { at })).toEqual({
      usd: 0.0104,
      parts: { input: 0.0002, cacheRead: 0.0012, cacheWrite: 0.005, output: 0.004 },
      price: prices['anthropic:claude-sonnet-5'],
      confidence: 'estimate',
    })
  })

  it.each([
    ['openai-chat:gpt-5', 'gpt-5'],
    ['openai:gpt-5', 'gpt-5'],
    ['openai-responses:gpt-5-2025-08-07', 'gpt-5'],
  ])('the same under every name of its provider: %s', (id) => {
    expect(usdOf(tokens(1e6, 0), id)).toBe(1.25)
  })

  it('whole nano-dollars, however many tokens there are, and no dust of floating point', () => {
    // 123,456,789 × 0.075 micro-dollars = 9,259,259.175
    const mini = tokens(123_456_789, 0, { cacheReadTokens: 123_456_789 })
    expect(usdOf(mini, 'openai:gpt-5.4-mini')).toBe(9.259259175)
    // 1 × 0.0375 micro-dollars in a batch: 37.5 nano-dollars
    expect(costOf(tokens(1, 0, { cacheReadTokens: 1 }), 'openai:gpt-5.4-mini', { mode: 'batch' })?.usd).toBe(3.8e-8)
    // 3 × 0.1 + 1 × 0.5 micro-dollars, which is 0.8000000000000002 in floating point
    expect(usdOf(tokens(3, 1), 'anthropic:claude-haiku-5-5')).toBe(8e-7)
  })

  it('half in a batch at OpenAI and at Claude, and nothing known in a mode that has no price', () => {
    const usage = tokens(1000, 500)
    expect(costOf(usage, 'openai:gpt-5-mini', { mode: 'batch' })?.usd).toBe(0.000625)
    expect(costOf(usage, 'openai:gpt-5-mini', { mode: 'flex' })?.usd).toBe(0.000625)
    expect(costOf(usage, 'anthropic:claude-opus-5-5', { mode: 'batch' })?.usd).toBe(0.007)
    expect(costOf(usage, 'anthropic:claude-opus-5-5', { mode: 'flex' })).toBeUndefined()
    expect(costOf(usage, 'openai:gpt-5-mini', { mode: 'priority' })).toBeUndefined()
  })

  it('what an offer says, until its last day has passed', () => {
    const usage = tokens(1000, 100)
    const cost = (day: string) => costOf(usage, 'gemini:gemini-3.8-flash', { at: new Date(day) })?.usd
    expect(cost('2026-12-31T23:59:59Z')).toBe(0.001125) // 1,000 × 0.75 + 100 × 3.75
    expect(cost('2027-01-01T00:00:00Z')).toBe(0.00225)
  })

  it('what the provider reports, if it does', () => {
    const figures = (data: object) =>
      ({ inputTokens: 9, outputTokens: 9, providerData: { 'openai-chat': data } }) as Usage
    const exact = (usd: number) => ({ usd, confidence: 'exact' })
    expect(costOf(figures({ cost: 0.00021 }), openrouter('any/model'))).toEqual(exact(0.00021))
    expect(costOf(figures({ cost_in_usd_ticks: 37_756_000 }), xai('grok-4.5'))).toEqual(exact(0.0037756))
    expect(costOf(figures({ cost: { total_cost: 0.006 } }), 'perplexity:sonar')).toEqual(exact(0.006))
    expect(costOf(figures({ cost: 0.0001, is_byok: true }), openrouter('any/model'))).toBeUndefined()
    expect(costOf(figures({ cost: -1 }), openrouter('any/model'))).toBeUndefined()
  })

  it('reasoning and audio at their own rates, if these differ', () => {
    const price: Price = { input: 2, output: 8, reasoning: 3, audioInput: 32, audioOutput: 64 }
    const providerData = {
      'openai-chat': { prompt_tokens_details: { audio_tokens: 100 }, completion_tokens_details: { audio_tokens: 10 } },
    }
    // 900 × 2 + 100 × 32 + 90 × 8 + 100 × 3 + 10 × 64 = 1,800 + 3,200 + 720 + 300 + 640
    const usage = { inputTokens: 1000, outputTokens: 200, reasoningTokens: 100, providerData }
    expect(costOf(usage, 'a:b', { prices: { 'a:b': price } })).toMatchObject({ usd: 0.00666, confidence: 'estimate' })
    const { audioInput: _, ...silent } = price
    expect(costOf(usage, 'a:b', { prices: { 'a:b': silent } })).toMatchObject({
      usd: 0.00366,
      confidence: 'unconfirmed',
    })
    const inGemini = { gemini: { promptTokensDetails: [{ modality: 'TEXT' }, { modality: 'AUDIO', tokenCount: 100 }] } }
    expect(costOf(tokens(1000, 0, { providerData: inGemini }), 'a:b', { prices: { 'a:b': price } })?.usd).toBe(0.005)
  })

  it('and reports if the price of a row, or of its long prompts, is not confirmed', () => {
    const confidence = (model: string, inputTokens = 1) => costOf({ inputTokens, outputTokens: 1 }, model)?.confidence
    expect(confidence('openai:gpt-5.6')).toBe('unconfirmed')
    expect([confidence('openai:gpt-5.4'), confidence('openai:gpt-5.4', 300_000)]).toEqual(['estimate', 'unconfirmed'])
  })

  it.each<[string, Usage | undefined, string]>([
    ['no usage', undefined, 'openai:gpt-5'],
    ['no input', { outputTokens: 1 }, 'openai:gpt-5'],
    ['no output', { inputTokens: 1 }, 'openai:gpt-5'],
    ['a count that is none', tokens(-1, 1), 'openai:gpt-5'],
    ['a model that no row has', tokens(1, 1), 'openai:gpt-5-ultra'],
    ['a provider that no row has', tokens(1, 1), 'groq:llama'],
    ['a word of every object', tokens(1, 1), 'constructor'],
  ])('undefined, and not 0, for %s', (_, usage, model) => {
    expect(costOf(usage, model)).toBeUndefined()
  })

  it.each([
    [{ cacheReadTokens: -1e9, cacheWriteTokens: 0 }, 0.0002],
    [{ cacheReadTokens: 1e9, cacheWriteTokens: 0 }, 0.00002],
    [{ cacheReadTokens: 1e9, cacheWriteTokens: 1e9 }, 0.00025],
    [{ cacheReadTokens: 10.5, cacheWriteTokens: Number.NaN }, 0.0002],
  ])('no less than what its input can hold: %o', (cached, usd) => {
    expect(usdOf({ inputTokens: 100, outputTokens: 0, ...cached }, 'anthropic:claude-sonnet-5')).toBe(usd)
  })

  it('what your own price says, by a spread', () => {
    const own = { ...prices, 'openai:my-tune': { input: 3, output: 12 } }
    expect(costOf(tokens(1000, 100), openaiChat('my-tune'), { prices: own })?.usd).toBe(0.0042)
  })
})

describe('a run costs', () => {
  const lookUp = tool({ name: 'look_up', parameters: t.object({}), execute: () => 'found' })

  it('the sum of its answers, each in its own tier', async () => {
    const calls = [call('look_up')]
    const mock = mockModel([
      { calls, usage: tokens(150_000, 100) },
      { text: 'Done', usage: tokens(160_000, 100) },
    ])
    const model = xai('grok-4.5', { apiKey: 'test', fetch: mock.fetch })
    // The answers name the model as the mock does: nothing has its price.
    const result = await generate({ model, prompt: 'Look', tools: [lookUp] })
    const own = { 'xai:mock': { ...(prices['xai:grok-4.5'] as Price) } }
    // 150,000 × 2 + 100 × 6 and 160,000 × 2 + 100 × 6: neither is long, and together they would be
    expect(costOfRun(result, { prices: own })).toMatchObject({
      usd: 0.6212,
      confidence: 'estimate',
      answers: [{ usd: 0.3006 }, { usd: 0.3206 }],
    })
    expect(costOfRun(result)).toBeUndefined()
  })

  it('`undefined`, if one of its answers has no usage', async () => {
    const result = await generate({ model: mockModel([{ text: 'Hi' }]), prompt: 'Hi' })
    expect(costOfRun(result, { prices: { 'openai:mock': { input: 1, output: 1 } } })).toBeUndefined()
  })

  it('with the lowest confidence of its answers', () => {
    const answer = (model: string, inputTokens = 1) => ({
      message: { role: 'assistant', content: 'a', response: { provider: 'openai', model } } as const,
      stopReason: 'stop' as const,
      usage: { inputTokens, outputTokens: 1 },
      warnings: [],
    })
    const confidence = (...models: string[]) => costOfRun({ responses: models.map((one) => answer(one)) })?.confidence
    expect(confidence('gpt-5', 'gpt-5.6')).toBe('unconfirmed')
    expect(confidence('gpt-5')).toBe('estimate')
  })
})

describe('the table', () => {
  it('has numbers of dollars that a provider may ask, in each row, and a long prompt costs no less', () => {
    expect(Object.keys(prices).length).toBeGreaterThan(70)
    for (const [id, { tiers = [], ...price }] of Object.entries(prices)) {
      const { input, output, cacheRead = 0, cacheWrite = 0, cacheWrite1h = cacheWrite } = price
      for (const rate of [input, output, cacheRead, cacheWrite, cacheWrite1h]) {
        expect([id, rate >= 0 && rate <= 1000]).toEqual([id, true])
      }
      expect([id, cacheRead <= input && cacheWrite <= cacheWrite1h]).toEqual([id, true])
      for (const tier of tiers) {
        expect([id, (tier.input ?? 0) >= input && (tier.output ?? 0) >= output && tier.above > 0]).toEqual([id, true])
      }
    }
  })

  it('says when it was read', () => {
    expect(new Date(pricesReadOn).toISOString().slice(0, 10)).toBe(pricesReadOn)
  })
})
