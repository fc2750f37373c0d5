/** Prices of the public tables, read from samples that have their forms. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { capPriceOf, costOf, fromLiteLLM, fromModelsDev, prices } from '../../src/prices/index.ts'

const sample = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`samples/${name}.json`, import.meta.url), 'utf8'))

it('models.dev: rates, tiers of both forms, and our names of providers', () => {
  expect(fromModelsDev(sample('models-dev'))).toEqual({
    'anthropic:claude-sonnet-4-5': {
      ...{ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWrite1h: 6 },
      tiers: [{ above: 200_000, input: 6, output: 22.5, cacheRead: 0.6, cacheWrite: 7.5 }],
    },
    'gemini:gemini-2.5-flash': { input: 0.3, output: 2.5, cacheRead: 0.03, audioInput: 1 },
    'gemini:gemini-3.1-pro-preview': {
      ...{ input: 2, output: 12, cacheRead: 0.2 },
      tiers: [{ above: 200_000, input: 4, output: 18, cacheRead: 0.4 }],
    },
    'perplexity:sonar-deep-research': { input: 2, output: 8, reasoning: 3 },
  })
})

it('LiteLLM: rates for a million tokens, tiers, modes, and only models that are paid by tokens', () => {
  expect(fromLiteLLM(sample('litellm'))).toEqual({
    'anthropic:claude-sonnet-4-5': {
      ...{ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWrite1h: 6 },
      tiers: [{ above: 200_000, input: 6, output: 22.5, cacheRead: 0.6, cacheWrite: 7.5 }],
    },
    'openai:gpt-5': {
      ...{ input: 1.25, output: 10, cacheRead: 0.125 },
      modes: {
        flex: { input: 0.625, output: 5, cacheRead: 0.0625 },
        priority: { input: 2.5, output: 20, cacheRead: 0.25 },
      },
    },
    'openai:gpt-4.1': { input: 2, output: 8, modes: { batch: { input: 1, output: 4 } } },
    'groq:llama-3.3-70b-versatile': { input: 0.59, output: 0.79 },
    'perplexity:sonar-deep-research': { input: 2, output: 8, reasoning: 3 },
  })
})

it('they price answers: a mode by its own rates, a long prompt by its tier, and both together by neither', () => {
  const table = fromLiteLLM(sample('litellm'))
  const usage = { inputTokens: 10_000, cacheReadTokens: 8000, outputTokens: 300 }
  // 2,000 × 2.5 + 8,000 × 0.25 + 300 × 20 = 5,000 + 2,000 + 6,000
  expect(costOf(usage, 'openai:gpt-5', { prices: table, mode: 'priority' })?.usd).toBe(0.013)
  // 250,000 × 6 + 1,000 × 22.5
  const long = { inputTokens: 250_000, outputTokens: 1000 }
  expect(costOf(long, 'anthropic:claude-sonnet-4-5', { prices: table })?.usd).toBe(1.5225)
  const both = { 'a:b': { input: 1, output: 1, tiers: [{ above: 10, input: 2 }], modes: { batch: { input: 0.5 } } } }
  expect(costOf(long, 'a:b', { prices: both, mode: 'batch' })).toBeUndefined()
})

it.each([undefined, null, [], 'text', { a: 1 }])('%j is not a table', (json) => {
  expect(() => fromModelsDev(json)).toThrow(TypeError)
  expect(() => fromLiteLLM(json)).toThrow(TypeError)
})

it('the samples agree with the rows of ours that they have', () => {
  const { 'anthropic:claude-sonnet-4-5': theirs } = fromModelsDev(sample('models-dev'))
  const { modes: _, tiers = [], ...ours } = prices['anthropic:claude-sonnet-4-5'] ?? { input: 0, output: 0 }
  expect(ours).toEqual({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, cacheWrite1h: 6 })
  expect(tiers).toMatchObject(theirs?.tiers ?? [])
})

it('a cap has the highest rate for writes, no offers, and no limit for a provider that no row has', () => {
  expect(capPriceOf('anthropic:claude-sonnet-5')).toEqual({ input: 2, output: 10, cacheRead: 0.2, cacheWrite: 4 })
  expect(capPriceOf('gemini:gemini-3.8-flash')).toEqual({ input: 1.5, output: 7.5, cacheRead: 0.15 })
  expect(capPriceOf('groq:llama')).toMatchObject({ input: Infinity, output: Infinity })
})
