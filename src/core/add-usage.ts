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
 * The sum of the figures that are reported. A figure that only some usages have is the sum of those; one that no usage has stays absent. A
 * provider's own figures have no sum and are left out.
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

/** `from` minus `usage`, never below 0. A figure that only one of them has stays as it is, or stays absent. */
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
