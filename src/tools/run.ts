/**
 * Runs the calls of an answer, adds their results to the conversation, and says whether to ask the model again. `tool` puts this into each
 * tool, so that a program without tools does not include it.
 *
 * @module
 */

import { usageOf } from '../core/add-usage.ts'
import { callsOf, canRunTools, isCall, toolCallsOf } from '../core/content.ts'
import { findLastIndex } from '../core/lookup.ts'
import type { AssistantMessage, ChatResponse, Message, MessageEvent, ToolCall } from '../core/model.ts'
import type { AnyCall } from '../core/tool-call.ts'
import { unlessAborted } from '../core/unless-aborted.ts'
import { type Approval, type ApprovalRule, randomPartOf } from './approval.ts'
import type { RunProgress } from './budget.ts'
import { type CallLog, memoryCallLog } from './call-log.ts'
import { asRunnable, checkApproval, checkReplacing, definitionOf, isRunnable } from './definition.ts'
import { argumentsFit, toToolMessage } from './invoke.ts'
import type { Ending, Tool, ToolEvent, ToolHost, ToolResult, ToolRunner } from './model.ts'
import { CallTurn, type TurnResult } from './turn.ts'

type Steps<T> = AsyncGenerator<ToolEvent[], T>

/** The tools of one run. */
export class ToolRun implements ToolRunner {
  static readonly checkReplacing: typeof checkReplacing = checkReplacing
  static readonly checkApproval: typeof checkApproval = checkApproval
  static readonly definitionOf: typeof definitionOf = definitionOf
  static readonly Turn: typeof CallTurn = CallTurn
  readonly #host: ToolHost
  readonly #callLog: CallLog
  readonly #isRepeated: ReturnType<typeof repeatWatch>
  readonly #startedAt = Date.now()
  toolCalls = 0

  constructor(host: ToolHost) {
    this.#host = host
    this.#callLog = host.request.callLog ?? memoryCallLog()
    this.#isRepeated = repeatWatch(host.request.maxRepeatedCalls)
  }

  async mark(events: readonly MessageEvent[]): Promise<readonly MessageEvent[]> {
    const { tools, history } = this.#host
    if (!events.some(({ type }) => type === 'message_end')) return events
    const ruled = [...tools.values()].find((tool) => asRunnable(tool)?.needsApproval)
    return asRunnable(ruled)?.needsApproval?.markEnd(events, history, (call) => this.#ruleOf(call)) ?? events
  }

  async *goOn(approvals: readonly Approval[]): ReturnType<ToolRunner['goOn']> {
    const waiting = unanswered(this.#host.history)
    if (waiting === undefined || waiting.calls.length === 0) return undefined
    const { message } = waiting
    const { pending } = yield* this.#runCalls(waiting, approvals)
    return pending.length > 0 ? { outcome: 'approval', message, pending } : undefined
  }

  async *runCallsOf(message: AssistantMessage): Steps<Ending> {
    const calls = callsOf(message)
    const { request, responses, tools, isLast, signal } = this.#host
    const pending = calls.filter(isCall)
    if (await unlessAborted(isTerminal(calls, tools), signal)) return { outcome: 'terminal_tool', pending }
    const called = calls.flatMap(({ name }) => (name === undefined ? [] : (tools.get(name) ?? [])))
    // A round may be without tools: what is called then gets an error, and the run goes on.
    const isAuto = request.autoTools ?? (tools.size === 0 || [...tools.values()].some(isRunnable))
    if (!isAuto || called.some((tool) => !isRunnable(tool))) return { outcome: 'manual', pending }
    if (isLast && request.lastCalls === 'keep') return { outcome: 'max_rounds', pending }
    const { pending: waiting, results } = yield* this.#runCalls({ message, calls })
    if (waiting.length > 0) return { outcome: 'approval', pending: waiting, results }
    const limit =
      (await this.#limitReached(responses)) ?? (this.#isRepeated(calls, results) ? 'repeated_call' : undefined)
    return { outcome: limit ?? (isLast ? 'max_rounds' : undefined), results }
  }

  /** Why the model is not asked again after its calls have run. */
  async #limitReached(responses: readonly ChatResponse[]): Promise<Ending['outcome'] | undefined> {
    const { request, signal } = this.#host
    const { stopWhen, budget } = request
    const progress: RunProgress = {
      rounds: responses.length,
      toolCalls: this.toolCalls,
      usage: usageOf(responses),
      elapsedMs: Date.now() - this.#startedAt,
      last: responses.at(-1) as ChatResponse,
    }
    if (await unlessAborted(stopWhen?.(progress), signal)) return 'stop_condition'
    return budget?.isUsedUp(progress) ? 'budget' : undefined
  }

  /** Runs the calls that may run, adds their results to the conversation, and returns the calls that wait for approval. */
  async *#runCalls({ message, calls, end }: Turn, approvals: readonly Approval[] = []): Steps<TurnResult> {
    const host = this.#host
    const messages = host.history.slice(0, end)
    const upToTurn = messages.slice(0, messages.indexOf(message) + 1)
    // Marked again, and not believed: the history may come from a page.
    const marked = calls.map((call) => (isCall(call) && this.#ruleOf(call)?.mark(call, upToTurn, false)) || call)
    const keyOf = keysAmong(messages, message)
    const turn = new CallTurn(host, this.#callLog, messages, approvals, keyOf)
    const ran = yield* turn.run(await Promise.all(marked))
    this.toolCalls += ran.results.length
    host.addMessages(ran.results.map(toToolMessage), end) // of a cancelled run too: some may have run
    host.signal.throwIfAborted()
    if (ran.failures.length > 0) throw ran.failures[0]
    return ran
  }

  #ruleOf({ name }: ToolCall): ApprovalRule | undefined {
    return asRunnable(this.#host.tools.get(name))?.needsApproval
  }
}

/** Calls of one turn. */
interface Turn {
  readonly message: AssistantMessage
  readonly calls: readonly AnyCall[]
  /** Where the results go in the conversation. Default: its end. */
  readonly end?: number
}

/** The calls of the last answer that have no result yet, and where their results go: after those that are there. */
function unanswered(messages: readonly Message[]): Turn | undefined {
  const at = findLastIndex(messages, ({ role }) => role === 'assistant')
  const message = messages[at]
  if (message?.role !== 'assistant' || !canRunTools(message)) return undefined
  const answered = new Set(messages.slice(at + 1).map((one) => (one.role === 'tool' ? one.toolCallId : '')))
  const rest = messages.slice(at + 1).findIndex(({ role }) => role !== 'tool')
  const end = rest < 0 ? messages.length : at + 1 + rest
  return { message, end, calls: callsOf(message).filter(({ id }) => !answered.has(id ?? '')) }
}

/** The keys of calls for the call log. Some hosts count ids from 0 in each turn, so a key also counts how often its id came before. */
function keysAmong(messages: readonly Message[], turn: AssistantMessage): (call: ToolCall) => string {
  const times = new Map<string, number>()
  for (const message of messages) {
    if (message === turn) break
    for (const { id } of toolCallsOf(message)) times.set(id, (times.get(id) ?? 0) + 1)
  }
  return (call) => randomPartOf(call) ?? (times.has(call.id) ? `${call.id}#${times.get(call.id)}` : call.id)
}

/** Whether a terminal tool was called with arguments that fit. If they do not fit, the call gets an error result. */
async function isTerminal(calls: readonly AnyCall[], tools: ReadonlyMap<string, object>): Promise<boolean> {
  for (const call of calls) {
    const tool = isCall(call) ? (tools.get(call.name) as Tool | undefined) : undefined
    if (tool?.terminal === true && isCall(call) && (await argumentsFit(tool, call))) return true
  }
  return false
}

/** How often in a row the same calls may fail, by default. */
const mostFailures = 3

/** Detects a model that repeats the same calls in each round and gets the same results or failures. */
function repeatWatch(max?: number): (calls: readonly AnyCall[], results: readonly ToolResult[]) => boolean {
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
