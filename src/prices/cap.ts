/** The highest cost of a model, for limits. @module */
import { compact } from '../core/json.ts'
import { findPrice, partsOf } from './find.ts'
import type { Price, Prices, Rates } from './price.ts'
import { prices } from './table.ts'

/** Rates, and the rates for long prompts. */
type Capped = Rates & Pick<Price, 'tiers'>

/**
 * The price of a model for a cap, not for a bill: it has the highest rates for output and for cache writes, and no special offers. A model
 * without a row costs as much as the most expensive one of its provider, for each kind of token. If the provider has no row either, the
 * price is `Infinity`, so every cap refuses the model.
 *
 * @param id Such as `anthropic:claude-haiku-4-5`.
 * @param own The operator's prices, which take precedence over ours: by id, also as {@link Prices} spells it, by name, or by the beginning
 *   of a name (`claude-*`).
 * @example
 * ```ts
 * import { capPriceOf } from 'isoglot/prices'
 *
 * capPriceOf('anthropic:claude-sonnet-5').cacheWrite // 4: twice the input, for an hour
 * ```
 */
export function capPriceOf(id: string, own: Prices = {}): Capped {
  const [provider, model] = partsOf(id)
  const names = [id, `${provider}:${model}`, model]
  const patterns = Object.keys(own).filter((key) => key.endsWith('*'))
  const [pattern] = patterns
    .filter((key) => names.some((name) => name.startsWith(key.slice(0, -1))))
    .sort((one, other) => other.length - one.length)
  const found = names.find((name) => Object.hasOwn(own, name)) ?? pattern
  if (found !== undefined) return capped(own[found] as Price)
  const price = findPrice(id, prices)
  return price === undefined ? dearestOf(provider) : capped(price)
}

function capped({ tiers, ...price }: Price): Capped {
  return compact({
    ...cappedRates(price),
    tiers: tiers?.map((tier) => ({ above: tier.above, ...cappedRates({ ...price, ...tier }) })),
  })
}

function cappedRates({ input, output, cacheRead, cacheWrite, cacheWrite1h, reasoning = 0 }: Rates): Rates {
  const writes = [cacheWrite, cacheWrite1h].filter((rate) => rate !== undefined)
  return compact({
    input,
    output: Math.max(output, reasoning),
    cacheRead,
    cacheWrite: writes.length > 0 ? Math.max(...writes) : undefined,
  })
}

/** The highest rate in all rows of a provider, for each kind of token. */
function dearestOf(provider: string): Rates {
  const rows = Object.entries(prices).filter(([id]) => id.startsWith(`${provider}:`))
  const all = rows.flatMap(([, price]): readonly Rates[] => {
    const { tiers = [], ...rates } = capped(price)
    return [rates, ...tiers.map((tier) => ({ ...rates, ...tier }))]
  })
  const most = (rate: (rates: Rates) => number) =>
    all.length > 0 ? Math.max(...all.map(rate)) : Number.POSITIVE_INFINITY
  return {
    input: most(({ input }) => input),
    output: most(({ output }) => output),
    cacheRead: most(({ input, cacheRead = input }) => cacheRead),
    cacheWrite: most(({ input, cacheWrite = input }) => cacheWrite),
  }
}
