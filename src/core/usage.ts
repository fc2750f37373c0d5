import { compact, unlessEmpty } from './json.ts'
import type { ChatResponse, Usage } from './model.ts'

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

// ---- sums ---------------------------------------------------------------------------------------

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
