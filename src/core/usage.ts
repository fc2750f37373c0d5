/** Reads counts of tokens. A part is never more than its whole, whatever a provider reports. @module */
import { compact } from './lookup.ts'
import type { Usage } from './model.ts'

/** A count of tokens; `undefined` for everything that cannot be one, such as a negative or fractional number. */
export function tokenCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined
}

/** A count, or 0 if it is absent. A value that is not a count is `NaN`, so the sum is not used. */
export function addend(value: unknown): number {
  return value === undefined || value === null ? 0 : (tokenCount(value) ?? Number.NaN)
}

type Figures = { readonly [Name in keyof Omit<Usage, 'providerData'>]: number | undefined }

/**
 * The valid counts. If the cached input is more than the input, the provider counts them separately, so both are added. Reasoning is at
 * most the output. The total is at least the sum.
 */
export function settleUsage(figures: Figures): Usage {
  const cacheReadTokens = tokenCount(figures.cacheReadTokens)
  const cacheWriteTokens = tokenCount(figures.cacheWriteTokens)
  const cached = (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
  const input = tokenCount(figures.inputTokens)
  const inputTokens = input !== undefined && cached > input ? input + cached : input
  const outputTokens = tokenCount(figures.outputTokens)
  const reasoning = tokenCount(figures.reasoningTokens)
  const total = tokenCount(figures.totalTokens)
  return compact({
    inputTokens,
    outputTokens,
    totalTokens: total === undefined ? undefined : Math.max(total, (inputTokens ?? 0) + (outputTokens ?? 0)),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: reasoning && Math.min(reasoning, outputTokens ?? reasoning),
  })
}
