import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { knownPrices } from '../../examples/worker/price-table.ts'
import { costOf, mostOf, priceOf, pricesSetting } from '../../examples/worker/prices.ts'
import { settlementOf, sizeOf } from '../../examples/worker/spend.ts'
import type { EndReport } from '../../src/gateway/index.ts'

const own = v.parse(pricesSetting, '{"my-model":[1,2],"anthropic:claude-*":[3,4,0.3,6],"gpt-*":[7,8],"gpt-5*":[9,10]}')

describe('the price of a model', () => {
  it.each([
    ['openai-chat:my-model', { input: 1, output: 2 }],
    ['anthropic:claude-9', { input: 3, output: 4, cacheRead: 0.3, cacheWrite: 6 }],
    ['openai-chat:gpt-5-mini', { input: 9, output: 10 }],
    ['openai-chat:gpt-4.1', { input: 7, output: 8 }],
  ])('of %s is the one of the settings', (id, price) => {
    expect(priceOf(id, own)).toEqual(price)
  })

  // By hand, from the pages that price-table.ts names.
  it.each([
    ['openai-chat:gpt-5-mini', { input: 0.25, output: 2, cacheRead: 0.025 }],
    ['openai-chat:gpt-5-mini-2025-08-07', { input: 0.25, output: 2, cacheRead: 0.025 }],
    ['openai-chat:gpt-5-pro', { input: 15, output: 120 }],
    ['openai-chat:gpt-5.5-pro', { input: 30, output: 180, long: { above: 272_000, input: 60, output: 270 } }],
    [
      'openai-chat:gpt-6-astra',
      {
        ...{ input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 },
        long: { above: 272_000, input: 20, output: 75, cacheRead: 2, cacheWrite: 25 },
      },
    ],
    ['anthropic:claude-haiku-4-5-20251001', { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 2 }],
    ['anthropic:claude-opus-4-1', { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 30 }],
    ['anthropic:claude-opus-5-5', { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 8 }],
    ['anthropic:claude-fable-5-1', { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 20 }],
    [
      'anthropic:claude-haiku-5-5',
      {
        ...{ input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.2 },
        long: { above: 100_000, input: 0.5, output: 2.5, cacheRead: 0.05, cacheWrite: 1 },
      },
    ],
    ['gemini:gemini-2.5-flash-lite', { input: 0.1, output: 0.4, cacheRead: 0.01 }],
    ['gemini:gemini-3-flash-preview', { input: 0.5, output: 3, cacheRead: 0.05 }],
    [
      'gemini:gemini-3.1-pro-preview',
      { input: 2, output: 12, cacheRead: 0.2, long: { above: 200_000, input: 4, output: 18, cacheRead: 0.4 } },
    ],
    [
      'xai:grok-4.7',
      { input: 2, output: 6, cacheRead: 0.5, long: { above: 199_999, input: 4, output: 12, cacheRead: 1 } },
    ],
    ['ollama:qwen3:8b', { input: 0, output: 0 }],
  ])('of %s is ours, where the settings say none', (id, price) => {
    expect(priceOf(id, {})).toEqual(price)
  })

  it.each([
    ['anthropic:claude-epos-7', { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 30 }],
    ['anthropic:claude-opus-4-5-ultra', { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 30 }],
    ['openai-chat:gpt-5-ultra', { input: 150, output: 600, cacheRead: 150, cacheWrite: 150 }],
    ['openai-chat:gpt-5.9', { input: 150, output: 600, cacheRead: 150, cacheWrite: 150 }],
    ['gemini:gemini-9-pro', { input: 4, output: 18, cacheRead: 0.4, cacheWrite: 4 }],
    ['xai:constructor', { input: 6, output: 30, cacheRead: 1.5, cacheWrite: 6 }],
  ])('of %s, which nobody knows, is the dearest of its provider', (id, price) => {
    expect(priceOf(id, {})).toEqual(price)
  })

  it('is a number of dollars that somebody may ask, in each row, and a long prompt costs no less', () => {
    for (const [id, { long, ...rates }] of Object.entries(knownPrices)) {
      for (const rate of Object.values({ ...rates })) expect([id, rate >= 0 && rate <= 1000]).toEqual([id, true])
      if (long) expect([id, long.input >= rates.input && long.output >= rates.output]).toEqual([id, true])
      expect([id, (rates.cacheRead ?? 0) <= rates.input]).toEqual([id, true])
    }
  })

  it.each(['[1]', '{"m":1}', '{"m":[1]}', '{"m":[-1,1]}', '{"m":["1",1]}', '{"m":[1,1,1,1,1]}', 'free', ''])(
    'is not read from %s',
    (text) => {
      expect(v.safeParse(pricesSetting, text).success).toBe(false)
    },
  )
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

  it('follows the longer prompt, all of it, from the token on that makes it one', () => {
    const tiered = {
      input: 2,
      output: 12,
      cacheRead: 0.2,
      long: { above: 200_000, input: 4, output: 18, cacheRead: 0.4 },
    }
    expect(costOf(tiered, { inputTokens: 200_000, outputTokens: 1000 })).toBe(412_000)
    expect(costOf(tiered, { inputTokens: 200_001, outputTokens: 1000 })).toBe(818_004)
    // From a cache or not: 100,001 × 4 + 100,000 × 0.4.
    expect(costOf(tiered, { inputTokens: 200_001, outputTokens: 0, cacheReadTokens: 100_000 })).toBe(440_004)
    expect(mostOf(tiered, 200_000, 1000)).toBe(412_000)
    expect(mostOf(tiered, 200_001, 1000)).toBe(818_004)
  })

  it('is never more than what is set aside for it, wherever its input comes from', () => {
    for (const cacheReadTokens of [0, 500, 1000]) {
      const usage = { inputTokens: 1000, outputTokens: 100, cacheReadTokens, cacheWriteTokens: 1000 - cacheReadTokens }
      expect(costOf(price, usage)).toBeLessThanOrEqual(mostOf(price, 1000, 100))
    }
    expect(mostOf(price, 1000, 100)).toBe(7500)
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
    saidBytes: 0,
    losses: [],
    durationMs: 1,
    ...more,
  })
  const reserved = { price, inputBytes: 3000 }

  it.each([
    ['its usage, when it tells it', { saidBytes: 900, usage: { inputTokens: 10, outputTokens: 20 } }, [10, 20, 330]],
    ['nothing, when nobody was asked', { attempts: 0, outcome: 'refused' as const }, [0, 0, 0]],
    [
      'nothing, when the provider said no',
      { outcome: 'failed' as const, error: { kind: 'overloaded' as const, status: 529 } },
      [0, 0, 0],
    ],
    ['its input, when the client left before a word', { outcome: 'left' as const }, [1000, 0, 3000]],
    [
      'its input, when the provider fell silent',
      { outcome: 'failed' as const, error: { kind: 'timeout' as const } },
      [1000, 0, 3000],
    ],
    [
      'what was said, when it broke off before its figures',
      { outcome: 'failed' as const, saidBytes: 30 },
      [1000, 10, 3150],
    ],
    [
      'what was said, when the figures so far are less',
      { outcome: 'left' as const, saidBytes: 30, usage: { inputTokens: 10, outputTokens: 1 } },
      [10, 10, 180],
    ],
    [
      'its figures, when it broke off behind them',
      {
        outcome: 'failed' as const,
        saidBytes: 30,
        usage: { inputTokens: 10, outputTokens: 1 },
        stopReason: 'stop' as const,
      },
      [10, 1, 45],
    ],
    [
      'the figures so far, when they are more',
      { outcome: 'left' as const, saidBytes: 30, usage: { inputTokens: 10, outputTokens: 50 } },
      [10, 50, 780],
    ],
  ])('is %s', (_, more, [inputTokens, outputTokens, cost]) => {
    expect(settlementOf(report(more), reserved)).toMatchObject({ inputTokens, outputTokens, cost })
  })

  it.each([
    ['its usage, when it tells it', { saidBytes: 900, usage: { inputTokens: 10, outputTokens: 20 } }, 330],
    ['all that was set aside, when the client left', { outcome: 'left' as const, saidBytes: 30 }, 7777],
    ['all that was set aside, when it fell silent', { outcome: 'failed' as const, saidBytes: 30 }, 7777],
    [
      'nothing, when the provider said no',
      { outcome: 'failed' as const, error: { kind: 'overloaded' as const, status: 529 } },
      0,
    ],
  ])('is %s, where the provider goes on when nobody listens', (_, more, cost) => {
    expect(settlementOf(report(more), { ...reserved, most: 7777 }).cost).toBe(cost)
  })
})

describe('the size of a request', () => {
  it('is that of its text in UTF-8, tools and all, and the number of its pictures', () => {
    const picture = { type: 'image' as const, data: 'A'.repeat(100_000), mimeType: 'image/png' }
    const request = (text: string, more: object = {}) =>
      sizeOf({
        context: { messages: [{ role: 'user', content: [{ type: 'text', text }, picture, picture] }], ...more },
        options: { model: 'm' },
        losses: [],
      })
    const { bytes, images } = request('')
    expect(images).toBe(2)
    expect(bytes).toBeLessThan(200)
    expect(request('Grüß 👋').bytes - bytes).toBe(11)
    const tools = [{ name: 'f', description: 'x'.repeat(1000), parameters: {} }]
    expect(request('', { tools }).bytes - bytes).toBeGreaterThan(1000)
  })
})
