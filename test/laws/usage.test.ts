/**
 * For all figures of a provider: where it says a total, the sum of input and output is that total; a part is never more than its whole, and
 * nothing is negative or a fraction.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ClientCodec } from '../../src/core/codec.ts'
import type { Usage } from '../../src/core/messages.ts'
import { type ChatDialect, compatible, createClientCodec } from '../../src/formats/openai-chat/index.ts'
import { alibabaDialect } from '../../src/providers/alibaba.ts'
import { azureOpenaiDialect } from '../../src/providers/azure-openai.ts'
import { mistralDialect } from '../../src/providers/mistral.ts'
import { openrouterDialect } from '../../src/providers/openrouter.ts'
import { perplexityDialect } from '../../src/providers/perplexity.ts'
import { readSse } from '../codecs/anthropic/sse.ts'
import type { Figure, Figures } from '../formats/facts.ts'
import { facts } from '../formats/index.ts'
import type { Wire } from '../support/answers.ts'
import { type CorpusCase, casesOf } from '../support/corpus.ts'
import { decodeChunks, decodeText } from '../support/decode.ts'
import { type Format, formats } from '../support/formats.ts'

function usageOf({ client }: Format, figures: Figures): Usage {
  return client.decodeResponse(facts[client.name as Wire].samples.usage(figures)).usage ?? {}
}

const none = { write: undefined, reasoning: undefined, tools: undefined, total: undefined } as const

describe.each(formats)('$folder', (format) => {
  it('parts are never more than their wholes', () => {
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

  it('a figure that cannot be one is absent', () => {
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

// ---- the total is the judge -----------------------------------------------------------------------

/** Whether a format has the figure. */
function shows({ client }: Format, name: keyof Figures): boolean {
  const { usage } = facts[client.name as Wire].samples
  const written = (count: number) => JSON.stringify(usage({ ...none, input: 1, output: 1, read: 1, [name]: count }))
  return written(8) !== written(9)
}

const judged = formats.filter((format) => shows(format, 'total'))

it('the formats with a total of their own are these', () => {
  const names = new Set(judged.map(({ client }) => client.name))
  expect([...names].sort()).toEqual(
    ['bedrock-converse', 'gemini', 'gemini-interactions', 'openai-chat', 'openai-responses'].sort(),
  )
})

/** No sum of some of them is the sum of others. */
const distinct = { input: 1000, output: 200, read: 330, write: 57, reasoning: 113 }

describe.each(judged)('$folder: of all sums, the one that is the total', (format) => {
  const parts = (['read', 'write', 'reasoning'] as const).filter((name) => shows(format, name))
  const ways = Array.from({ length: 2 ** parts.length }, (_, way) => parts.filter((_, at) => way & (1 << at)))

  it.each(ways.map((beside) => ({ beside })))('with $beside beside their wholes', ({ beside }) => {
    for (const scale of [1, 3, 1001]) {
      const figures = Object.fromEntries(Object.entries(distinct).map(([name, count]) => [name, count * scale]))
      const count = (name: string) => figures[name] ?? Number.NaN
      const sum = (whole: string, ...of: string[]) =>
        of.filter((part) => (beside as string[]).includes(part)).reduce((all, part) => all + count(part), count(whole))
      const [inputTokens, outputTokens] = [sum('input', 'read', 'write'), sum('output', 'reasoning')]
      const usage = usageOf(format, { ...none, ...(figures as Figures), total: inputTokens + outputTokens })
      expect(usage).toMatchObject({
        inputTokens,
        outputTokens,
        totalTokens: inputTokens + outputTokens,
        ...(parts.includes('read') && { cacheReadTokens: count('read') }),
        ...(parts.includes('reasoning') && { reasoningTokens: count('reasoning') }),
      })
    }
  })

  it('and a part that it leaves no room for is left out: never cut, never added', () => {
    for (const part of parts) {
      const usage = usageOf(format, { ...none, input: 40, output: 30, read: undefined, [part]: 5000, total: 70 })
      const { providerData: _, ...counts } = usage
      expect(counts).toEqual({ inputTokens: 40, outputTokens: 30, totalTokens: 70 })
    }
  })

  it('and what one of the three is, if the other two are known', () => {
    const known = { ...none, read: undefined, input: 40, output: 30, total: 70 }
    for (const name of ['input', 'output', 'total'] as const) {
      const { providerData: _, ...counts } = usageOf(format, { ...known, [name]: undefined })
      expect(counts, name).toEqual({ inputTokens: 40, outputTokens: 30, totalTokens: 70 })
    }
  })
})

/** Counts that are there, of all names that a provider has for one. */
const countNames =
  /^(?:prompt|completion|input|output|reasoning|cached|candidates|thoughts|total_\w+|toolUsePrompt|cache\w*|num_cached)(?:_tokens|Tokens|TokenCount)$/

/** All sums of a part of these. */
function sumsOf(counts: readonly number[]): ReadonlySet<number> {
  const sums = new Set([0])
  for (const count of counts) for (const sum of [...sums]) sums.add(sum + count)
  return sums
}

/** The counts of a usage without its total, at any depth. */
function countsIn(usage: unknown): number[] {
  if (typeof usage !== 'object' || usage === null) return []
  return Object.entries(usage).flatMap(([name, value]) => {
    if (typeof value !== 'number') return Array.isArray(value) ? [] : countsIn(value)
    return countNames.test(name) && !/^total_?tokens$|^totalTokenCount$/i.test(name) && value > 0 ? [value] : []
  })
}

describe.each(formats)('$folder: every recorded usage', (format) => {
  const { folder, client } = format
  it('adds up to the total that its provider says', () => {
    for (const one of casesOf(folder)) {
      const { providerData = {}, ...usage } = recordedUsage(one, client) ?? {}
      const wire = providerData[client.name] ?? {}
      const total = wire.total_tokens ?? wire.totalTokenCount ?? wire.totalTokens
      if (typeof total !== 'number') continue
      const { inputTokens = Number.NaN, outputTokens = Number.NaN, totalTokens } = usage
      // Some bodies were edited by hand, so that no sum of their counts is their total.
      if (!sumsOf(countsIn(wire)).has(total)) expect(totalTokens, one.id).toBeGreaterThanOrEqual(total)
      else expect([inputTokens + outputTokens, totalTokens], one.id).toEqual([total, total])
    }
    expect(casesOf(folder).length).toBeGreaterThan(0)
  })
})

const stepped = [...casesOf('anthropic'), ...casesOf('anthropic-vertex')].filter(({ text }) =>
  text.includes('"iterations"'),
)

it.each(stepped)('$id: a usage has all steps that are paid', (one) => {
  const told: { type?: string; usage?: WireUsage; message?: { usage?: WireUsage } }[] =
    one.kind === 'json'
      ? [JSON.parse(one.text)]
      : readSse(one.text).flatMap(({ data }) => (data.includes('"usage"') ? [JSON.parse(data)] : []))
  const wire: WireUsage = Object.assign({}, ...told.map(({ usage, message }) => ({ ...message?.usage, ...usage })))
  const steps = wire.iterations ?? []
  // Documented: a model that declines before it writes is not paid; and without a step of its own, the answer is in the figures at the top.
  const paid = steps.filter(({ output_tokens: output }) => output !== 0)
  const isAlone = steps.length > 0 && !steps.some(({ type }) => type === 'message' || type === 'fallback_message')
  const sum = (...names: (keyof Omit<WireUsage, 'iterations'>)[]) =>
    [...paid, ...(isAlone || steps.length === 0 ? [wire] : [])]
      .flatMap((step) => names.map((name) => step[name] ?? 0))
      .reduce((all, count) => all + count, 0)
  const client = formats.find(({ folder }) => folder === one.format)?.client as ClientCodec
  expect(recordedUsage(one, client)).toMatchObject({
    inputTokens: sum('input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'),
    outputTokens: sum('output_tokens'),
  })
})

interface WireUsage {
  readonly input_tokens?: number
  readonly output_tokens?: number
  readonly cache_read_input_tokens?: number
  readonly cache_creation_input_tokens?: number
  readonly iterations?: readonly (WireUsage & { readonly type: string })[]
}

function recordedUsage(one: CorpusCase, client: ClientCodec): Usage | undefined {
  if (one.kind !== 'json') return decodeChunks(client, [one.bytes]).response?.usage
  try {
    return client.decodeResponse(JSON.parse(one.text)).usage
  } catch {
    return undefined // an error, or no answer
  }
}

describe('the figures of hosts', () => {
  const details = (prompt: object, completion: object = {}) => ({
    prompt_tokens_details: prompt,
    completion_tokens_details: completion,
  })
  it.each<[string, ChatDialect, object, Usage]>([
    [
      'OpenRouter before Gemini: the same tokens read and written',
      openrouterDialect,
      {
        ...details({ cached_tokens: 2161, cache_write_tokens: 2161 }),
        prompt_tokens: 2168,
        completion_tokens: 5,
        total_tokens: 2173,
      },
      { inputTokens: 2168, outputTokens: 5, totalTokens: 2173, cacheReadTokens: 2161 },
    ],
    [
      'Mistral: cached in blocks of 64',
      mistralDialect,
      { prompt_tokens: 10, completion_tokens: 142, total_tokens: 152, num_cached_tokens: 64 },
      { inputTokens: 10, outputTokens: 142, totalTokens: 152 },
    ],
    [
      'Perplexity: reasoning that it bills apart',
      perplexityDialect,
      { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30, reasoning_tokens: 50, citation_tokens: 30 },
      { inputTokens: 10, outputTokens: 20, totalTokens: 30 },
    ],
    [
      'a proxy before xAI: reasoning beside the output',
      compatible,
      { ...details({}, { reasoning_tokens: 340 }), prompt_tokens: 12, completion_tokens: 2, total_tokens: 354 },
      { inputTokens: 12, outputTokens: 342, totalTokens: 354, reasoningTokens: 340 },
    ],
    [
      "Vercel's gateway before Gemini: reasoning that it does not count",
      compatible,
      { ...details({}, { reasoning_tokens: 37 }), prompt_tokens: 57, completion_tokens: 10, total_tokens: 67 },
      { inputTokens: 57, outputTokens: 10, totalTokens: 67 },
    ],
    [
      "Alibaba's writes to the cache",
      alibabaDialect,
      {
        ...details({ cached_tokens: 30, cache_creation_input_tokens: 20 }),
        prompt_tokens: 100,
        completion_tokens: 5,
        total_tokens: 105,
      },
      { inputTokens: 100, outputTokens: 5, totalTokens: 105, cacheReadTokens: 30, cacheWriteTokens: 20 },
    ],
    [
      'a host without a total that counts reasoning apart',
      compatible,
      { ...details({}, { reasoning_tokens: 340 }), prompt_tokens: 12, completion_tokens: 2 },
      { inputTokens: 12, outputTokens: 342, totalTokens: 354, reasoningTokens: 340 },
    ],
  ])('%s', (_, dialect, usage, expected) => {
    const answer = {
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'a' } }],
      usage,
    }
    const { providerData: __, ...read } = createClientCodec(dialect).decodeResponse(answer).usage ?? {}
    expect(read).toEqual(expected)
  })

  it('Gemini: a last usage that gives its own total replaces what came before, and one without a total adds to it', () => {
    const said = (usageMetadata: object, finishReason?: string) =>
      `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason }], usageMetadata })}\n\n`
    const first = {
      promptTokenCount: 12_282,
      thoughtsTokenCount: 70,
      cachedContentTokenCount: 40,
      totalTokenCount: 12_352,
    }
    const last = { promptTokenCount: 12_282, candidatesTokenCount: 90, totalTokenCount: 12_372 }
    const read = (...usages: object[]) => {
      const { client } = formats.find(({ folder }) => folder === 'gemini') as Format
      const text = usages.map((usage, at) => said(usage, at + 1 < usages.length ? undefined : 'STOP')).join('')
      const { providerData: _, ...usage } = decodeText(client, text).response?.usage ?? {}
      return usage
    }
    expect(read(first, last)).toEqual({ inputTokens: 12_282, outputTokens: 90, totalTokens: 12_372 })
    expect(read(first, last, { trafficType: 'ON_DEMAND' })).toEqual(read(first, last))
  })
})

const cachedBeside = formats.filter(({ client }) => ['openai-chat', 'openai-responses', 'gemini'].includes(client.name))

it.each(cachedBeside)('$folder counts cached input that is more than the input apart from it', (format) => {
  const figures = { ...none, input: 203, output: 9, read: 314 }
  const usage = { inputTokens: 517, cacheReadTokens: 314, outputTokens: 9, totalTokens: 526 }
  expect(usageOf(format, figures)).toMatchObject(usage)
  expect(usageOf(format, { ...figures, total: 526 })).toMatchObject(usage)
})

it('Azure in front of the models of xAI reports more cached input than input', () => {
  const usage = { prompt_tokens: 203, completion_tokens: 9, prompt_tokens_details: { cached_tokens: 314 } }
  const answer = { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'a' } }], usage }
  expect(createClientCodec(azureOpenaiDialect).decodeResponse(answer).usage).toEqual({
    inputTokens: 517,
    outputTokens: 9,
    totalTokens: 526,
    cacheReadTokens: 314,
    providerData: { 'openai-chat': usage },
  })
})

it('Copilot reports reasoning at the top of the usage', () => {
  const usage = { prompt_tokens: 2, completion_tokens: 9, reasoning_tokens: 7 }
  const answer = { choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'a' } }], usage }
  expect(createClientCodec(compatible).decodeResponse(answer).usage).toMatchObject({
    outputTokens: 9,
    reasoningTokens: 7,
  })
})
