import { compact, unlessEmpty } from './json.ts'
import type { ChatResponse, Message, Usage } from './messages.ts'

/** A count of tokens; `undefined` for everything that cannot be one, such as a negative or fractional number. */
export function tokenCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined
}

/** A count, or 0 if it is absent. A value that is not a count is `NaN`, so the sum is not used. */
export function countOrZero(value: unknown): number {
  return value === undefined || value === null ? 0 : (tokenCount(value) ?? Number.NaN)
}

type Figures = { readonly [Name in keyof Omit<Usage, 'providerData'>]: unknown }

/** The figures that are counts. */
export function validCounts(figures: Figures): Usage {
  return compact(Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, tokenCount(figure)])))
}

/** Bits for the parts that a format counts beside their wholes, by its documents: reads of a cache and writes to it. */
export const besideInput = 3
/** The bit for reasoning. */
export const besideOutput = 4

/**
 * The usage that the figures of an answer mean. Cached input can be in the input or beside it, and reasoning in the output or beside it. The
 * provider's own total is the judge: the sum that gives it is right. If none gives it, the documents of the format decide (`documented`).
 * Without a total they decide too, but a part that is more than its whole is beside it. A part that still does not fit is left out. If two of
 * input, output and total are known, so is the third.
 */
export function settleUsage(figures: Figures, documented = 0): Usage {
  const orNaN = (figure: unknown) => tokenCount(figure) ?? Number.NaN
  const input = orNaN(figures.inputTokens)
  const output = orNaN(figures.outputTokens)
  const total = orNaN(figures.totalTokens)
  const read = countOrZero(figures.cacheReadTokens)
  const write = countOrZero(figures.cacheWriteTokens)
  const reasoning = countOrZero(figures.reasoningTokens)
  const allInput = (beside: number) => input + (beside & 1 && read) + (beside & 2 && write)
  const allOutput = (beside: number) => output + (beside & 4 && reasoning)
  let beside = documented
  if (Number.isNaN(total)) beside |= (read + write > input ? besideInput : 0) | (reasoning > output ? besideOutput : 0)
  for (let change = 7; change >= 0; change--) {
    const one = documented ^ change
    if (allInput(one) + allOutput(one) === total) beside = one
  }
  const inputTokens = tokenCount(allInput(beside)) ?? tokenCount(total - allOutput(beside))
  const outputTokens = tokenCount(allOutput(beside)) ?? tokenCount(total - allInput(beside))
  const within = (part: unknown, whole = Number.NaN) => (countOrZero(part) > whole ? undefined : tokenCount(part))
  const cacheReadTokens = within(figures.cacheReadTokens, inputTokens)
  return compact({
    inputTokens,
    outputTokens,
    totalTokens: Number.isNaN(total)
      ? tokenCount(allInput(beside) + allOutput(beside))
      : Math.max(total, (inputTokens ?? 0) + (outputTokens ?? 0)),
    cacheReadTokens,
    cacheWriteTokens: within(figures.cacheWriteTokens, inputTokens && inputTokens - (cacheReadTokens ?? 0)),
    reasoningTokens: within(figures.reasoningTokens, outputTokens),
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

/** The usage of all answers in a history together. */
export function usageIn(messages: readonly Message[]): Usage {
  return addUsage(...messages.map((message) => (message.role === 'assistant' ? message.usage : undefined)))
}

/** The usage of all answers together; `undefined` if no answer reports it. */
export function usageOf(responses: readonly ChatResponse[]): Usage | undefined {
  return unlessEmpty(addUsage(...responses.map(({ usage }) => usage)))
}
