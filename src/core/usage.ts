/** Token counts as the model has them: whatever a provider reports, a part is never more than its whole. @module */
import { compact } from './lookup.ts'
import type { Usage } from './model.ts'

/** A count of tokens; `undefined` for everything that cannot be one, such as a negative or fractional number. */
export function tokenCount(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && Number.isSafeInteger(value) ? value : undefined
}

/** A count that is 0 where it is absent. One that is there and cannot be a count is `NaN`, so that no sum is made with it. */
export function addend(value: unknown): number {
  return value === undefined || value === null ? 0 : (tokenCount(value) ?? Number.NaN)
}

type Figures = { readonly [Name in keyof Omit<Usage, 'providerData'>]: number | undefined }

/**
 * The counts that can be counts. Cached input that is more than the input was counted apart from it, so both are added; reasoning is at
 * most the output; the total is at least their sum.
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
