/** When a run is not to ask again, though the model would. @module */
import { addUsage } from '../messages/add-usage.ts'
import type { ChatResponse, Usage } from '../model.ts'
import type { AnyCall } from '../tool-call.ts'

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
  /** The model made the same call three times in a row. */
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

/** How often the same call may come in a row before the run ends. */
const mostRepeats = 3

/** Notices a model that is stuck: it asks for the very same call, turn after turn. */
export function repeatWatch(): (calls: readonly AnyCall[]) => boolean {
  let before = ''
  let times = 0
  return (calls) => {
    const now = JSON.stringify(calls.map(({ name, argumentsText }) => [name, argumentsText]))
    times = now === before ? times + 1 : 1
    before = now
    return times >= mostRepeats
  }
}

/** What all answers together have used; `undefined` if none tells. */
export function usageOf(responses: readonly ChatResponse[]): Usage | undefined {
  const sum = addUsage(...responses.map(({ usage }) => usage))
  return Object.keys(sum).length > 0 ? sum : undefined
}
