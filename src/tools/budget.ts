/** How much a run may use in all. @module */
import { checkOptions } from '../core/checks.ts'
import type { ChatResponse, Usage } from '../core/messages.ts'

/** The usage of a run so far. */
export interface RunProgress {
  readonly rounds: number
  readonly toolCalls: number
  readonly usage: Usage | undefined
  readonly elapsedMs: number
  readonly last: ChatResponse
}

/** The limits of a {@link Budget}. */
export interface BudgetLimits {
  /** Calls of tools. */
  readonly maxToolCalls?: number
  /** Tokens of input and output together, as the provider reports them. */
  readonly maxTokens?: number
  /** Milliseconds since the run began. */
  readonly maxTimeMs?: number
}

/** The result of `budget`. */
export interface Budget {
  isUsedUp(progress: RunProgress): boolean
}

/**
 * Limits what a run may use in total. The run checks it before it asks the model again, so the last answer can exceed it.
 *
 * @throws {TypeError} for a limit that is not a number, and for one of another name.
 */
export function budget(limits: BudgetLimits): Budget {
  checkOptions('budget', limits)
  const { maxToolCalls, maxTokens, maxTimeMs } = limits
  const isReached = (used: number, limit = Number.POSITIVE_INFINITY) => used >= limit
  return {
    isUsedUp({ toolCalls, usage, elapsedMs }) {
      const tokens = usage?.totalTokens ?? (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
      return isReached(toolCalls, maxToolCalls) || isReached(tokens, maxTokens) || isReached(elapsedMs, maxTimeMs)
    },
  }
}
