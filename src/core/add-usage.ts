/** Sums of tokens. @module */
import type { ChatResponse, Usage } from './model.ts'

const figures = [
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
] as const

/**
 * The sum of what is known: a figure that some do not tell is the sum of the others, and one that none tells stays absent. A provider's
 * own figures have no sum and are left out.
 */
export function addUsage(...usages: readonly (Usage | undefined)[]): Usage {
  const sum: Record<string, number> = {}
  for (const usage of usages) {
    for (const figure of figures) {
      const value = usage?.[figure]
      if (value !== undefined) sum[figure] = (sum[figure] ?? 0) + value
    }
  }
  return sum
}

/** What one usage has more than another, and never less than 0. What only one of them tells stays as it is, or absent. */
export function subtractUsage(from: Usage, usage: Usage): Usage {
  const rest: Record<string, number> = {}
  for (const figure of figures) {
    const value = from[figure]
    if (value !== undefined) rest[figure] = Math.max(0, value - (usage[figure] ?? 0))
  }
  return rest
}

/** The usage of all answers together; `undefined` if no answer reports it. */
export function usageOf(responses: readonly ChatResponse[]): Usage | undefined {
  const sum = addUsage(...responses.map(({ usage }) => usage))
  return Object.keys(sum).length > 0 ? sum : undefined
}
