/** The cost of answers. @module */

import type { RunResult } from '../client/result.ts'
import { checkOptions } from '../core/checks.ts'
import { arrayOf, compact, field, isObject, textOr } from '../core/json.ts'
import type { Usage } from '../core/messages.ts'
import type { Model } from '../core/question.ts'
import { addUsage, subtractUsage, tokenCount } from '../core/usage.ts'
import { findPrice, idOf, partsOf } from './find.ts'
import type { Price, PriceMode, Prices, Rates } from './price.ts'
import { prices as listPrices } from './table.ts'

/** The cost of an answer, in US dollars. */
export interface Cost {
  /** Rounded once, to a billionth of a dollar. */
  readonly usd: number
  /** Absent if the provider reported only the total. */
  readonly parts?: {
    /** Input that was neither read from a cache nor written to one. */
    readonly input: number
    readonly cacheRead: number
    readonly cacheWrite: number
    /** Including reasoning. */
    readonly output: number
  }
  /** The row that it was computed from. Absent if the provider reported the cost. */
  readonly price?: Price
  /** `exact`: the provider reported it. `estimate`: from a list price. `unconfirmed`: from a price that is not confirmed. */
  readonly confidence: 'exact' | 'estimate' | 'unconfirmed'
}

/** The total cost of a run's answers. */
export interface RunCost extends Pick<Cost, 'usd' | 'confidence'> {
  /** The cost of each answer, in order. `confidence` is the lowest one of all answers. */
  readonly answers: readonly Cost[]
}

/** Options for computing a cost. */
export interface CostOptions {
  /** Default: {@link prices}. */
  readonly prices?: Prices
  /** The mode of the request. Default: standard. A price that does not have the mode does not apply. */
  readonly mode?: PriceMode
  /** The time of the request, for prices that change. Default: now. */
  readonly at?: Date
}

/**
 * The cost of one answer: the cost that the provider reported, otherwise its tokens at list price. `undefined` if the model has no price,
 * or if the usage lacks input or output. It never guesses.
 *
 * Costs that are not counted in tokens are left out, such as searches that a provider runs. Steps of an answer that another model made, such
 * as advice, have the price of that model.
 *
 * @param usage The usage of one answer. For a whole run, use {@link costOfRun}, because price tiers depend on the size of each request.
 * @param model The model that was asked, or its name: `anthropic:claude-sonnet-5`.
 * @example
 * ```ts
 * import { costOf } from 'isoglot/prices'
 *
 * const { message } = await generate({ model, prompt: 'Hello' })
 * console.log(costOf(message.usage, model)?.usd)
 * ```
 */
export function costOf(usage: Usage | undefined, model: Model | string, options: CostOptions = {}): Cost | undefined {
  checkOptions('costOf', options)
  if (!usage) return undefined
  const reported = reportedUsd(usage)
  if (reported !== undefined) return { usd: reported, confidence: 'exact' }
  const id = idOf(model)
  const steps = stepsOf(usage)
  const costs = steps.map(([step, of]) => costOfStep(step, of === undefined ? id : `${partsOf(id)[0]}:${of}`, options))
  if (!costs.every((cost) => cost !== undefined)) return undefined
  const sum = (part: keyof Parts) => costs.reduce((all, { parts }) => all + parts[part], 0n)
  const [input, cacheRead, cacheWrite, output] = [sum('input'), sum('cacheRead'), sum('cacheWrite'), sum('output')]
  return {
    usd: usdOf(input + cacheRead + cacheWrite + output),
    parts: { input: usdOf(input), cacheRead: usdOf(cacheRead), cacheWrite: usdOf(cacheWrite), output: usdOf(output) },
    ...compact({ price: findPrice(id, options.prices ?? listPrices) }),
    confidence: costs.some(({ isUnsure }) => isUnsure) ? 'unconfirmed' : 'estimate',
  }
}

/** In millionths of a micro-dollar. */
type Parts = Readonly<Record<'input' | 'cacheRead' | 'cacheWrite' | 'output', bigint>>

/** The cost of one step of an answer, at the price of its model. */
function costOfStep(
  usage: Usage,
  id: string,
  options: CostOptions,
): { readonly parts: Parts; readonly isUnsure: boolean } | undefined {
  const price = findPrice(id, options.prices ?? listPrices)
  const inputTokens = tokenCount(usage.inputTokens)
  const outputTokens = tokenCount(usage.outputTokens)
  if (price === undefined || inputTokens === undefined || outputTokens === undefined) return undefined
  const rates = ratesFor(price, inputTokens, options)
  if (rates === undefined) return undefined

  // A part is never larger than the whole.
  const cacheWrite = Math.min(tokenCount(usage.cacheWriteTokens) ?? 0, inputTokens)
  const cacheRead = Math.min(tokenCount(usage.cacheReadTokens) ?? 0, inputTokens - cacheWrite)
  const cacheWrite1h = Math.min(hourWrites(usage), cacheWrite)
  const uncached = inputTokens - cacheWrite - cacheRead
  const audio = audioOf(usage)
  const audioInput = Math.min(audio.input, uncached)
  const audioOutput = Math.min(audio.output, outputTokens)
  const reasoning = Math.min(tokenCount(usage.reasoningTokens) ?? 0, outputTokens - audioOutput)

  const { input, output, cacheWrite: write = input } = rates
  const parts = {
    input: times(uncached - audioInput, input) + times(audioInput, rates.audioInput ?? input),
    cacheRead: times(cacheRead, rates.cacheRead ?? input),
    cacheWrite: times(cacheWrite - cacheWrite1h, write) + times(cacheWrite1h, rates.cacheWrite1h ?? write),
    output:
      times(outputTokens - reasoning - audioOutput, output) +
      times(reasoning, rates.reasoning ?? output) +
      times(audioOutput, rates.audioOutput ?? output),
  }
  const isUnsure =
    rates.confirmed === false ||
    (audioInput > 0 && rates.audioInput === undefined) ||
    (audioOutput > 0 && rates.audioOutput === undefined)
  return { parts, isUnsure }
}

/**
 * The steps of an answer, each with its model, if the provider reports them: Claude's compactions, advice of another model, and what
 * a model wrote before it declined. Each has its own price, and its own size for price tiers. The last step is the rest, which no other step explains.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/compaction (`usage.iterations`)
 */
function stepsOf(usage: Usage): readonly (readonly [step: Usage, model: string | undefined])[] {
  const steps = arrayOf(field(usage.providerData?.anthropic, 'iterations')).filter(isObject)
  // A model that declines before it writes is not paid.
  const paid = steps
    .filter(({ output_tokens: output }) => output !== 0)
    .map((step) => {
      const count = (name: string) => tokenCount(step[name]) ?? 0
      const [cacheReadTokens, cacheWriteTokens] = [
        count('cache_read_input_tokens'),
        count('cache_creation_input_tokens'),
      ]
      const inputTokens = count('input_tokens') + cacheReadTokens + cacheWriteTokens
      const figures = { inputTokens, outputTokens: count('output_tokens'), cacheReadTokens, cacheWriteTokens }
      return [{ ...figures, providerData: { anthropic: step } }, textOr(step.model, undefined)] as const
    })
  if (paid.length === 0) return [[usage, undefined]]
  return [...paid, [subtractUsage(usage, addUsage(...paid.map(([step]) => step))), undefined]]
}

/**
 * The cost of a run: the sum of its answers, each with the price of its model. `undefined` if the cost of one of them is unknown.
 *
 * @param result the result of `generate`, or `response` of a run.
 * @throws {TypeError} for what is not the result of a run.
 * @example
 * ```ts
 * import { costOfRun } from 'isoglot/prices'
 *
 * const result = await generate({ model, prompt: 'Weather in Tokyo?', tools: [weather] })
 * console.log(costOfRun(result)?.usd)
 * ```
 */
export function costOfRun(result: Pick<RunResult, 'responses'>, options: CostOptions = {}): RunCost | undefined {
  checkOptions('costOf', options)
  if (!Array.isArray(result?.responses)) throw new TypeError('Cannot find the cost: this is not the result of a run')
  const answers: Cost[] = []
  for (const { message, usage } of result.responses) {
    const { provider = '', model = '' } = message.response ?? {}
    const cost = costOf(usage, `${provider}:${model}`, options)
    if (cost === undefined) return undefined
    answers.push(cost)
  }
  const weakest = (['unconfirmed', 'estimate'] as const).find((word) => answers.some((one) => one.confidence === word))
  const nanos = answers.reduce((sum, { usd }) => sum + Math.round(usd * 1e9), 0)
  return { usd: nanos / 1e9, confidence: weakest ?? 'exact', answers }
}

/**
 * The whole cost that a provider reports, in US dollars.
 *
 * @see https://openrouter.ai/docs/use-cases/usage-accounting (`cost`; with your own provider key, it is only the fee)
 * @see https://docs.x.ai/developers/cost-tracking (`cost_in_usd_ticks`)
 * @see https://docs.perplexity.ai/api-reference (`cost.total_cost`)
 */
function reportedUsd({ providerData = {} }: Usage): number | undefined {
  for (const figures of Object.values(providerData)) {
    const ticks = field(figures, 'cost_in_usd_ticks')
    const cost = field(figures, 'cost')
    const usd = typeof ticks === 'number' ? ticks / 1e10 : (field(cost, 'total_cost') ?? cost)
    // With your own provider key, OpenRouter's cost is its fee. The provider's price is in another field.
    const price =
      field(figures, 'is_byok') === true ? field(field(figures, 'cost_details'), 'upstream_inference_cost') : 0
    if (typeof usd === 'number' && typeof price === 'number' && usd >= 0 && price >= 0)
      return Math.round((usd + price) * 1e9) / 1e9
  }
  return undefined
}

/** @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching (`cache_creation`) */
function hourWrites({ providerData }: Usage): number {
  return tokenCount(field(field(providerData?.anthropic, 'cache_creation'), 'ephemeral_1h_input_tokens')) ?? 0
}

/** Audio tokens, which only two formats report. */
function audioOf({ providerData }: Usage): { readonly input: number; readonly output: number } {
  const chat = providerData?.['openai-chat']
  const gemini = providerData?.gemini
  const inChat = (details: string) => tokenCount(field(field(chat, details), 'audio_tokens')) ?? 0
  const inGemini = (details: string) => {
    const audio = arrayOf(field(gemini, details)).find((one) => field(one, 'modality') === 'AUDIO')
    return tokenCount(field(audio, 'tokenCount')) ?? 0
  }
  return {
    input: inChat('prompt_tokens_details') + inGemini('promptTokensDetails'),
    output: inChat('completion_tokens_details') + inGemini('candidatesTokensDetails'),
  }
}

/** The rates of one request. `undefined` if they are unknown. */
function ratesFor(
  price: Price,
  inputTokens: number,
  { mode, at = new Date() }: CostOptions,
): (Rates & { readonly confirmed?: false }) | undefined {
  const { tiers = [], modes = {}, offers = [], ...base } = price
  const day = at.toISOString().slice(0, 10)
  const [offer] = offers.filter(({ until }) => day <= until).sort((one, other) => (one.until < other.until ? -1 : 1))
  const [tier] = tiers.filter(({ above }) => inputTokens > above).sort((one, other) => other.above - one.above)
  const rates = { ...base, ...offer, ...tier }
  if (mode === undefined) return rates
  const change = modes[mode]
  if (typeof change === 'object') return tier === undefined ? { ...rates, ...change } : undefined // the mode has no rate for long prompts
  return change === undefined ? undefined : multiplied(rates, change)
}

function multiplied<T extends Rates>(rates: T, factor: number): T {
  const names = ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'reasoning', 'audioInput', 'audioOutput']
  const changed = names.flatMap((name) => {
    const rate = field(rates, name)
    return typeof rate === 'number' ? [[name, rate * factor] as const] : []
  })
  return { ...rates, ...Object.fromEntries(changed) }
}

/** In millionths of a micro-dollar. In this unit, every rate is a whole number. */
function times(tokens: number, rate: number): bigint {
  return BigInt(tokens) * BigInt(Math.round(rate * 1e6))
}

function usdOf(picos: bigint): number {
  return Number((picos + 500n) / 1000n) / 1e9
}
