/** For all figures of a provider: a part is never more than its whole, and nothing is negative or a fraction. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Usage } from '../../src/core/model.ts'
import { compatible, createClientCodec } from '../../src/formats/openai-chat/index.ts'
import { azureOpenaiDialect } from '../../src/providers/azure-openai.ts'
import type { Figure, Figures } from '../formats/facts.ts'
import { facts } from '../formats/index.ts'
import type { Wire } from '../support/answers.ts'
import { type Format, formats } from '../support/formats.ts'

function usageOf({ client }: Format, figures: Figures): Usage {
  return client.decodeResponse(facts[client.name as Wire].samples.usage(figures)).usage ?? {}
}

const none = { write: undefined, reasoning: undefined, tools: undefined, total: undefined } as const

describe.each(formats)('$folder', (format) => {
  it('A6: parts are never more than their wholes', () => {
    const figure = fc.oneof(
      fc.nat({ max: 500 }),
      fc.constantFrom<Figure>(undefined, null, -1, 0.5, Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER + 1, '7'),
    )
    const figures = fc.record({
      input: figure,
      output: figure,
      total: figure,
      read: figure,
      write: figure,
      reasoning: figure,
      tools: figure,
    })
    fc.assert(
      fc.property(figures, (given) => {
        const { providerData: _, ...usage } = usageOf(format, given)
        for (const count of Object.values(usage)) expect(count).toSatisfy((one) => Number.isInteger(one) && one >= 0)
        const { inputTokens, outputTokens, totalTokens, reasoningTokens = 0 } = usage
        const { cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
        if (inputTokens !== undefined) expect(cacheReadTokens + cacheWriteTokens).toBeLessThanOrEqual(inputTokens)
        if (outputTokens !== undefined) expect(reasoningTokens).toBeLessThanOrEqual(outputTokens)
        if (totalTokens !== undefined) expect((inputTokens ?? 0) + (outputTokens ?? 0)).toBeLessThanOrEqual(totalTokens)
      }),
      { seed: 20_261_122, numRuns: 300 },
    )
  })

  it('A6: a figure that cannot be one is absent', () => {
    for (const bad of [-1, 0.5, '7']) {
      const usage = usageOf(format, { ...none, input: bad, output: 3, read: bad })
      expect([usage.inputTokens, usage.cacheReadTokens]).toEqual([undefined, undefined])
      expect(usage.outputTokens).toBe(3)
    }
  })
})

it.each(formats)('$folder: a figure that is null counts as one that is missing', (format) => {
  const all: Figures = { input: 9, output: 8, read: 3, write: 2, reasoning: 1, tools: undefined, total: undefined }
  for (const name of Object.keys(all) as (keyof Figures)[]) {
    const [{ providerData: _, ...given }, { providerData: __, ...missing }] = [null, undefined].map((value) =>
      usageOf(format, { ...all, [name]: value }),
    ) as [Usage, Usage]
    expect(given, name).toEqual(missing)
  }
})

const cachedBeside = formats.filter(({ client }) => ['openai-chat', 'openai-responses', 'gemini'].includes(client.name))

it.each(cachedBeside)('A6: $folder counts cached input that is more than the input apart from it', (format) => {
  const usage = usageOf(format, { ...none, input: 203, output: 9, read: 314, total: 212 })
  expect(usage).toMatchObject({ inputTokens: 517, cacheReadTokens: 314, outputTokens: 9, totalTokens: 526 })
})

it('A6: Azure in front of the models of xAI reports more cached input than input', () => {
  const usage = { prompt_tokens: 203, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 314 } }
  const answer = { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'a' } }], usage }
  expect(createClientCodec(azureOpenaiDialect).decodeResponse(answer).usage).toEqual({
    inputTokens: 517,
    outputTokens: 9,
    cacheReadTokens: 314,
    providerData: { 'openai-chat': usage },
  })
})

it('A14: Copilot reports reasoning at the top of the usage', () => {
  const usage = { prompt_tokens: 2, completion_tokens: 9, reasoning_tokens: 7 }
  const answer = { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'a' } }], usage }
  expect(createClientCodec(compatible).decodeResponse(answer).usage).toMatchObject({
    outputTokens: 9,
    reasoningTokens: 7,
  })
})
