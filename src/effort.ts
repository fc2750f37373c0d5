/**
 * How much a model is to think, in words and in tokens, for wires that know one of the two.
 *
 * @module
 */
import type { ReasoningEffort } from './model.ts'

/** Least first. */
export const efforts: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** What each effort is in tokens. */
export const effortBudgets: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_768,
}

/** The effort that a budget is nearest to; `none` for no tokens alone. */
export function nearestEffort(budgetTokens: number): ReasoningEffort {
  if (budgetTokens <= 0) return 'none'
  const distance = (effort: ReasoningEffort) => Math.abs(effortBudgets[effort] - budgetTokens)
  return efforts.slice(1).reduce((best, effort) => (distance(effort) < distance(best) ? effort : best))
}
