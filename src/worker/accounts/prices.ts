/**
 * What a request costs. For a cap, not for a bill: providers change their prices, so the `PRICES` setting goes before our table, and a model
 * that neither knows costs as much as the dearest of its provider.
 *
 * @see price-table.ts, for where our prices are from and when they were read
 * @module
 */

import * as v from 'valibot'
import type { Usage } from '../../core/model.ts'
import { knownPrices, type Price, type Rates } from './price-table.ts'

export type { Price } from './price-table.ts'

/** `{"gpt-5-mini": [0.25, 2], "anthropic:claude-*": [3, 15, 0.3, 6]}`: input, output, and if they differ, cache reads and writes. */
const amount = v.pipe(v.number(), v.minValue(0), v.maxValue(10_000))
const table = v.record(v.string(), v.pipe(v.array(amount), v.minLength(2), v.maxLength(4), v.transform(toPrice)))

/** The `PRICES` setting: a schema, from JSON in a string. */
export const pricesSetting: v.GenericSchema<string | undefined, Readonly<Record<string, Price>>> = v.pipe(
  v.optional(v.string(), '{}'),
  v.parseJson(),
  table,
) as never

function toPrice([input = 0, output = 0, cacheRead, cacheWrite]: number[]): Price {
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  }
}

/**
 * The price of a model by its id, such as `anthropic:claude-haiku-4-5`: the operator's, by id, name or beginning, else ours, else the
 * dearest of its provider.
 */
export function priceOf(id: string, own: Readonly<Record<string, Price>>): Price {
  const name = id.slice(id.indexOf(':') + 1)
  const exact = [id, name].find((key) => Object.hasOwn(own, key))
  if (exact !== undefined) return own[exact] as Price
  const patterns = Object.keys(own).filter((key) => key.endsWith('*'))
  const pattern = longest(patterns.filter((key) => [id, name].some((text) => text.startsWith(key.slice(0, -1)))))
  if (pattern !== undefined) return own[pattern] as Price
  return knownPrice(id) ?? dearestOf(id.slice(0, id.indexOf(':') + 1))
}

/** What stands behind a model's name when it costs the same: a date, a preview's number, how much it thinks. */
const variants = /(?:-latest|-preview|-\d{2,8}|-reasoning|-non-reasoning)+$/

/** Whole names alone: how a name goes on may say that it costs ten times as much. */
function knownPrice(id: string): Price | undefined {
  const provider = id.slice(0, id.indexOf(':') + 1)
  const row = [id, id.replace(variants, ''), provider].find((key) => Object.hasOwn(knownPrices, key))
  return row === undefined ? undefined : knownPrices[row]
}

/** The most that any row of a provider says, for each kind of token. */
function dearestOf(provider: string): Price {
  const rows = Object.entries(knownPrices).filter(([id]) => id.startsWith(provider))
  const all = rows.flatMap(([, price]) => [price, ...(price.long === undefined ? [] : [price.long])])
  const most = (rate: (rates: Rates) => number) => Math.max(...all.map(rate))
  return {
    input: most(({ input }) => input),
    output: most(({ output }) => output),
    cacheRead: most(({ input, cacheRead = input }) => cacheRead),
    cacheWrite: most(({ input, cacheWrite = input }) => cacheWrite),
  }
}

function longest(names: readonly string[]): string | undefined {
  return [...names].sort((a, b) => b.length - a.length)[0]
}

/** What an answer cost, in whole micro-USD. Figures of the cache are parts of the input: no less than 0, and together no more than it. */
export function costOf(price: Price, usage: Usage): number {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  const { input, output, cacheRead = input, cacheWrite = input } = ratesFor(price, inputTokens)
  const write = Math.min(Math.max(Math.ceil(cacheWriteTokens), 0), inputTokens)
  const read = Math.min(Math.max(Math.floor(cacheReadTokens), 0), inputTokens - write)
  return wholeCost((inputTokens - write - read) * input + read * cacheRead + write * cacheWrite + outputTokens * output)
}

/** The most that a request can cost, in whole micro-USD. */
export function mostOf(price: Price, inputTokens: number, outputTokens: number): number {
  const { input, output, cacheRead = 0, cacheWrite = 0 } = ratesFor(price, inputTokens)
  return wholeCost(inputTokens * Math.max(input, cacheRead, cacheWrite) + outputTokens * output)
}

function ratesFor({ long, ...rates }: Price, inputTokens: number): Rates {
  return long !== undefined && inputTokens > long.above ? long : rates
}

/** Up, but for what floating point adds. */
function wholeCost(cost: number): number {
  return Math.ceil(Number(cost.toFixed(6)))
}
