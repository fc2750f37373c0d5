/** The calls of an answer that wait for the page or a person, and what they have by now. @module */
import type { RunOutcome } from '../client/result.ts'
import type { ToolCall, ToolMessage } from '../core/messages.ts'
import type { Approval } from '../tools/approval.ts'
import type { TurnRequest } from './question.ts'

/** The calls of an answer that wait. */
export interface WaitingCalls {
  readonly calls: readonly ToolCall[]
  /** How the answer ended that made them. */
  readonly outcome: RunOutcome | undefined
  /** The request for that answer, with its `answerId`. */
  readonly question: TurnRequest | undefined
  readonly decisions: Approval[]
  /** Results of calls that ran in the page, for the next request. */
  readonly results: ToolMessage[]
  /** The calls that tools of the page do not run without a decision, by their ids, with what the decision needs. */
  readonly undecided: Map<string, ToolCall>
}

/** None of the calls has a decision yet. */
export function waitFor(calls: readonly ToolCall[] = [], outcome?: RunOutcome, question?: TurnRequest): WaitingCalls {
  return { calls, outcome, question, decisions: [], results: [], undecided: new Map() }
}

/** The calls without a result. */
export function callsWithoutResult({ calls, results, undecided }: WaitingCalls): readonly ToolCall[] {
  return calls.filter(({ id }) => !hasOne(results, id)).map((call) => undecided.get(call.id) ?? call)
}

export function isDecided({ decisions }: WaitingCalls, { id }: ToolCall): boolean {
  return hasOne(decisions, id)
}

/** Whether one of these results or decisions is of this call. */
export function hasOne(all: readonly { readonly toolCallId: string }[], id: string): boolean {
  return all.some(({ toolCallId }) => toolCallId === id)
}
