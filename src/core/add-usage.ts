/** Sums of tokens. @module */
import { unlessEmpty } from './lookup.ts'
import type { ChatResponse, Usage } from './model.ts'

/** The figures of a usage. Those in `providerData` are the provider's own, and have no sum. */
function figuresOf(usage: Usage = {}): [name: string, value: number][] {
  return Object.entries(usage).filter(([, value]) => typeof value === 'number') as [string, number][]
}

/**
 * The sum of the figures that are reported. A figure that only some usages have is the sum of those; one that no usage has stays absent. A
 * provider's own figures have no sum and are left out.
 */
export function addUsage(...usages: readonly (Usage | undefined)[]): Usage {
  const sum: Record<string, number> = {}
  for (const [name, value] of usages.flatMap(figuresOf)) sum[name] = (sum[name] ?? 0) + value
  return sum
}

/** `from` minus `usage`, never below 0. A figure that only one of them has stays as it is, or stays absent. */
export function subtractUsage(from: Usage, usage: Usage): Usage {
  const less = Object.fromEntries(figuresOf(usage))
  return Object.fromEntries(figuresOf(from).map(([name, value]) => [name, Math.max(0, value - (less[name] ?? 0))]))
}

/** The usage of all answers together; `undefined` if no answer reports it. */
export function usageOf(responses: readonly ChatResponse[]): Usage | undefined {
  return unlessEmpty(addUsage(...responses.map(({ usage }) => usage)))
}
