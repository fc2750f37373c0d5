/** The calls of one answer that wait for the page or the user. @module */
import type { RunOutcome } from '../client/result.ts'
import type { ToolCall, ToolMessage } from '../core/model.ts'
import type { Approval } from '../tools/approval.ts'

/** Calls that wait, and the decisions and results since then. */
export class Waits {
  /** All calls, including those that have a decision or a result now. */
  readonly calls: readonly ToolCall[]
  /** The end of the answer that made the calls. */
  readonly outcome: RunOutcome | undefined
  readonly approvals: Approval[] = []
  /** Results of calls that ran in the page, for the next request. */
  readonly results: ToolMessage[] = []
  /** Calls of page tools that need a decision of the user. */
  undecided: ReadonlySet<string> = new Set()

  /** The item with that answer. */
  readonly id: string | undefined

  constructor(calls: readonly ToolCall[], outcome?: RunOutcome, id?: string) {
    this.calls = calls
    this.outcome = outcome
    this.id = id
  }

  isAnswered({ id }: Pick<ToolCall, 'id'>): boolean {
    return this.results.some(({ toolCallId }) => toolCallId === id)
  }

  isDecided({ id }: ToolCall): boolean {
    return this.approvals.some(({ toolCallId }) => toolCallId === id)
  }
}
