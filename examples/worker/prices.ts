/**
 * What models cost. For a cap, not for a bill: providers change their prices, so the `PRICES` setting goes before this table, and a model
 * that neither knows costs as much as the dearest one here.
 *
 * @see https://platform.openai.com/docs/pricing, https://platform.claude.com/docs/en/about-claude/pricing,
 *   https://ai.google.dev/gemini-api/docs/pricing and https://docs.x.ai/docs/models (as of November 2026, to be checked before you deploy)
 * @module
 */
import * as v from 'valibot'
import type { Usage } from '../../src/model.ts'

/** US dollars for a million tokens, which is micro-dollars for one. */
export interface Price {
  readonly input: number
  readonly output: number
  /** Of input that the provider had in its cache. Default: `input`. */
  readonly cacheRead?: number
  /** Of input that it puts there. Default: `input`. */
  readonly cacheWrite?: number
}

/** Claude's input costs a tenth from the cache, and at most twice as much into it (for an hour; for five minutes it is 1.25). */
const claude = (input: number, output: number): Price => ({
  input,
  output,
  cacheRead: input / 10,
  cacheWrite: input * 2,
})
const plain = (input: number, output: number): Price => ({ input, output })

/** By how names begin; the longest beginning counts. */
const known: Readonly<Record<string, Price>> = {
  'openai-chat:gpt-5': plain(5, 30),
  'openai-chat:gpt-5-mini': plain(0.25, 2),
  'openai-chat:gpt-5-nano': plain(0.05, 0.4),
  'openai-chat:gpt-4.1': plain(2, 8),
  'openai-chat:gpt-4.1-mini': plain(0.4, 1.6),
  'openai-chat:gpt-4.1-nano': plain(0.1, 0.4),
  'openai-chat:gpt-4o': plain(2.5, 10),
  'openai-chat:gpt-4o-mini': plain(0.15, 0.6),
  'openai-chat:o3': plain(2, 8),
  'openai-chat:o4-mini': plain(1.1, 4.4),
  'anthropic:claude-haiku': claude(1, 5),
  'anthropic:claude-sonnet': claude(3, 15),
  'anthropic:claude-opus': claude(15, 75),
  'gemini:gemini-2.5-flash': plain(0.3, 2.5),
  'gemini:gemini-2.5-flash-lite': plain(0.1, 0.4),
  'gemini:gemini-2.5-pro': plain(2.5, 15),
  'gemini:gemini-3-flash': plain(0.5, 3),
  'gemini:gemini-3-pro': plain(4, 18),
  'xai:grok-4': plain(3, 15),
  'xai:grok-4-fast': plain(0.2, 0.5),
  'xai:grok-code-fast': plain(0.2, 1.5),
  'ollama:': plain(0, 0),
}
/** What a model costs of which nobody knows. */
const dearest: Price = claude(15, 75)

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

/** The price of a model by its id, such as `anthropic:claude-haiku-4-5`: the operator's, by id, name or beginning, else ours. */
export function priceOf(id: string, own: Readonly<Record<string, Price>>): Price {
  const name = id.slice(id.indexOf(':') + 1)
  const exact = [id, name].find((key) => Object.hasOwn(own, key))
  if (exact !== undefined) return own[exact] as Price
  const patterns = Object.keys(own).filter((key) => key.endsWith('*'))
  const pattern = longest(patterns.filter((key) => [id, name].some((text) => text.startsWith(key.slice(0, -1)))))
  if (pattern !== undefined) return own[pattern] as Price
  const beginning = longest(Object.keys(known).filter((key) => id.startsWith(key)))
  return beginning === undefined ? dearest : (known[beginning] as Price)
}

function longest(names: readonly string[]): string | undefined {
  return [...names].sort((a, b) => b.length - a.length)[0]
}

/** What an answer did cost, in whole micro-USD. */
export function costOf(price: Price, usage: Usage): number {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  const { input, output, cacheRead = input, cacheWrite = input } = price
  const fresh = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens)
  return wholeCost(fresh * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite + outputTokens * output)
}

/** The most that a request can cost, in whole micro-USD. */
export function mostOf(price: Price, inputTokens: number, outputTokens: number): number {
  const dearestInput = Math.max(price.input, price.cacheRead ?? 0, price.cacheWrite ?? 0)
  return wholeCost(inputTokens * dearestInput + outputTokens * price.output)
}

/** Up, but for what floating point adds. */
function wholeCost(cost: number): number {
  return Math.ceil(Number(cost.toFixed(6)))
}
