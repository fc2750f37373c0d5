/**
 * The cost of a request. It is for a cap, not for a bill: providers change their prices. So the `PRICES` setting takes precedence over the
 * table of `isoglot/prices`. A model without a price costs as much as the most expensive model of its provider: `capPriceOf`.
 *
 * @module
 */
import * as v from 'valibot'
import { compact } from '../../core/json.ts'
import type { Usage } from '../../core/messages.ts'
import type { Price, Rates } from '../../prices/index.ts'

/** `{"gpt-5-mini": [0.25, 2], "anthropic:claude-*": [3, 15, 0.3, 6]}`: input, output, and if they differ, cache reads and writes. */
const amount = v.pipe(v.number(), v.minValue(0), v.maxValue(10_000))
const priceTable = v.record(v.string(), v.pipe(v.array(amount), v.minLength(2), v.maxLength(4), v.transform(toPrice)))

/** The `PRICES` setting: a schema, from JSON in a string. */
export const pricesSetting: v.GenericSchema<string | undefined, Readonly<Record<string, Price>>> = v.pipe(
  v.optional(v.string(), '{}'),
  v.parseJson(),
  priceTable,
) as never

const rate = v.pipe(v.number(), v.minValue(0))
const maybe = v.optional(rate)
const rates = {
  ...{ input: maybe, output: maybe, cacheRead: maybe, cacheWrite: maybe, cacheWrite1h: maybe, reasoning: maybe },
  ...{ audioInput: maybe, audioOutput: maybe, confirmed: v.optional(v.literal(false)) },
}
/** `capPriceOf` does not read modes and offers: the Worker sends no request in a mode, and a cap has no offers. */
const price = v.strictObject({
  ...{ ...rates, input: rate, output: rate },
  tiers: v.optional(v.array(v.strictObject({ ...rates, above: rate }))),
  ...{ modes: v.optional(v.unknown()), offers: v.optional(v.unknown()) },
})

/** The option `accounts.prices`: a schema. */
export const pricesOption: v.GenericSchema<Readonly<Record<string, Price>>> = v.record(v.string(), price) as never

/** Reads the `PRICES` setting. A value that is not a table stays as it is: the check of the options reports it. */
export function readPrices(given: unknown): unknown {
  const result = v.safeParse(pricesSetting, given)
  return result.success ? result.output : given
}

function toPrice([input = 0, output = 0, cacheRead, cacheWrite]: number[]): Price {
  return {
    input,
    output,
    ...compact({ cacheRead, cacheWrite }),
  }
}

/**
 * The cost of an answer, in whole micro-USD. Tokens of the cache are a part of the input tokens: their figures are at least 0, and their
 * sum is at most the input.
 */
export function costOf(price: Price, usage: Usage): number {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  const { input, output, cacheRead = input, cacheWrite = input } = tierRates(price, inputTokens)
  const write = Math.min(Math.max(Math.ceil(cacheWriteTokens), 0), inputTokens)
  const read = Math.min(Math.max(Math.floor(cacheReadTokens), 0), inputTokens - write)
  return wholeCost((inputTokens - write - read) * input + read * cacheRead + write * cacheWrite + outputTokens * output)
}

/** The highest possible cost of a request, in whole micro-USD. */
export function mostOf(price: Price, inputTokens: number, outputTokens: number): number {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = tierRates(price, inputTokens)
  return wholeCost(inputTokens * Math.max(input, cacheRead, cacheWrite) + outputTokens * output)
}

function tierRates({ tiers = [], ...rates }: Price, inputTokens: number): Rates {
  const applying = tiers.filter(({ above }) => inputTokens > above).sort((one, other) => other.above - one.above)
  return { ...rates, ...applying[0] }
}

/** Rounds up, but ignores the error of floating-point sums. */
function wholeCost(cost: number): number {
  return Math.ceil(Number(cost.toFixed(6)))
}
