/** When a run is not to ask again, though the model would. @module */
import { addUsage } from '../messages/add-usage.ts'
import type { ChatResponse, Usage } from '../model.ts'
import type { AnyCall } from '../tool-call.ts'
import type { ToolResult } from '../tools/invoke.ts'

/** How a run ended. */
export type RunOutcome =
  /** The model answered. */
  | 'answered'
  /** The last answer did not end properly, or was refused, filtered or cut at its length: `stopReason` says which. */
  | 'cut'
  /** The calls of the last answer are for the caller to run. */
  | 'manual'
  /** Calls wait for consent: see `pending`. */
  | 'approval'
  /** A terminal tool was called: its arguments are the answer. */
  | 'terminal_tool'
  | 'max_rounds'
  /** One of `budget` is used up. */
  | 'budget'
  /** `stopWhen` said so. */
  | 'stop_condition'
  /** The model made the same calls again and again, and nothing came of them: see `maxRepeatedCalls`. */
  | 'repeated_call'
  /** The model said nothing, and again when asked again. */
  | 'empty'

/** How much a run may use in all. It is looked at before each request, so that the last answer may go beyond it. */
export interface Budget {
  /** Calls of tools. */
  readonly maxToolCalls?: number
  /** Tokens of input and output together, as the provider reports them. */
  readonly maxTokens?: number
  /** Milliseconds since the run began. */
  readonly maxTimeMs?: number
}

/** What a run has used so far. */
export interface RunProgress {
  readonly rounds: number
  readonly toolCalls: number
  readonly usage: Usage | undefined
  readonly elapsedMs: number
  readonly last: ChatResponse
}

export function isUsedUp(budget: Budget | undefined, { toolCalls, usage, elapsedMs }: RunProgress): boolean {
  if (budget === undefined) return false
  const tokens = usage?.totalTokens ?? (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)
  return (
    toolCalls >= (budget.maxToolCalls ?? Number.POSITIVE_INFINITY) ||
    tokens >= (budget.maxTokens ?? Number.POSITIVE_INFINITY) ||
    elapsedMs >= (budget.maxTimeMs ?? Number.POSITIVE_INFINITY)
  )
}

/** How often in a row the same calls may fail, unless the caller says otherwise. */
const mostFailures = 3

/** Notices a model that is stuck: it asks for the very same calls, round after round, and gets the same results, or failures. */
export function repeatWatch(max?: number): (calls: readonly AnyCall[], results: readonly ToolResult[]) => boolean {
  let before = ''
  let times = 0
  return (calls, results) => {
    const hasFailed = results.every(({ status }) => status === 'error')
    const outcomes = hasFailed ? 'failed' : results.map(({ status, content }) => [status, content])
    const now = JSON.stringify([calls.map(({ name, argumentsText }) => [name, argumentsText]), outcomes])
    times = now === before ? times + 1 : 1
    before = now
    return times >= (max ?? (hasFailed ? mostFailures : Number.POSITIVE_INFINITY))
  }
}

/** What all answers together have used; `undefined` if none tells. */
export function usageOf(responses: readonly ChatResponse[]): Usage | undefined {
  const sum = addUsage(...responses.map(({ usage }) => usage))
  return Object.keys(sum).length > 0 ? sum : undefined
}
