/**
 * What a run does with the calls of an answer: it runs them, adds their results to the conversation, and says whether the model is to be
 * asked again. `tool` puts this into each tool, so that a program without tools does not carry it.
 *
 * @module
 */

import { usageOf } from '../core/add-usage.ts'
import { callsOf, canRunTools, isCall, toolCallsOf } from '../core/content.ts'
import { compact, findLastIndex } from '../core/lookup.ts'
import type { AssistantMessage, ChatResponse, Message, ToolCall, ToolMessage } from '../core/model.ts'
import type { AnyCall } from '../core/tool-call.ts'
import { type Approval, type ApprovalRule, randomPartOf } from './approval.ts'
import type { RunProgress } from './budget.ts'
import { isRunnable } from './definition.ts'
import { argumentsFit, describe, failed, invokeTool, toToolMessage } from './invoke.ts'
import { type CallLedger, memoryLedger } from './ledger.ts'
import type { Ending, Tool, ToolEvent, ToolHost, ToolResult, ToolRunner } from './model.ts'

type Steps<T> = AsyncGenerator<ToolEvent[], T>

/** The tools of one run. */
export class ToolRun implements ToolRunner {
  readonly #round: ToolHost
  readonly #ledger: CallLedger
  readonly #isRepeated: ReturnType<typeof repeatWatch>
  readonly #startedAt = Date.now()
  #toolCalls = 0

  constructor(round: ToolHost) {
    this.#round = round
    this.#ledger = round.request.ledger ?? memoryLedger()
    this.#isRepeated = repeatWatch(round.request.maxRepeatedCalls)
  }

  async mark(message: AssistantMessage): Promise<AssistantMessage> {
    const { content } = message
    if (typeof content === 'string' || content === null) return message
    if (!content.some((block) => block.type === 'tool_call' && this.#ruleOf(block))) return message
    const messages = [...this.#round.context.messages, message]
    const blocks = content.map((block) => {
      return (block.type === 'tool_call' && this.#ruleOf(block)?.mark(block, messages, true)) || block
    })
    return { ...message, content: await Promise.all(blocks) }
  }

  async *goOn(approvals: readonly Approval[]): Steps<Ending | undefined> {
    const waiting = unanswered(this.#round.context.messages)
    if (waiting === undefined || waiting.calls.length === 0) return undefined
    const { message } = waiting
    const { pending } = yield* this.#runCalls(waiting, approvals)
    return pending.length > 0 ? { outcome: 'approval', message, pending } : undefined
  }

  async *answer(message: AssistantMessage): Steps<Ending | undefined> {
    const calls = callsOf(message)
    const { request, responses, tools } = this.#round
    if (await isTerminal(calls, tools)) return { outcome: 'terminal_tool', message, pending: calls.filter(isCall) }
    const called = calls.flatMap(({ name }) => (name === undefined ? [] : (tools.get(name) ?? [])))
    const isAuto = request.autoTools ?? [...tools.values()].some(isRunnable)
    if (!isAuto || called.some((tool) => !isRunnable(tool))) {
      return { outcome: 'manual', message, pending: calls.filter(isCall) }
    }
    const { pending, results } = yield* this.#runCalls({ message, calls })
    if (pending.length > 0) return { outcome: 'approval', message, pending }
    const outcome = this.#limitReached(responses) ?? (this.#isRepeated(calls, results) ? 'repeated_call' : undefined)
    return outcome && { outcome, message, pending: [] }
  }

  /** Why the model is not to be asked again after its calls were run. */
  #limitReached(responses: readonly ChatResponse[]): Ending['outcome'] | undefined {
    const { stopWhen, budget } = this.#round.request
    const progress: RunProgress = {
      rounds: responses.length,
      toolCalls: this.#toolCalls,
      usage: usageOf(responses),
      elapsedMs: Date.now() - this.#startedAt,
      last: responses.at(-1) as ChatResponse,
    }
    if (stopWhen?.(progress)) return 'stop_condition'
    return budget?.isUsedUp(progress) ? 'budget' : undefined
  }

  /** Runs what may run, adds the results to the conversation, and tells which calls wait for consent. */
  async *#runCalls({ message, calls, end }: Turn, approvals: readonly Approval[] = []): Steps<TurnResult> {
    const round = this.#round
    const { signal } = round
    const messages = round.context.messages.slice(0, end)
    const upToTurn = messages.slice(0, messages.indexOf(message) + 1)
    // Marked again, and not believed: the history may come from a page.
    const marked = calls.map((call) => (isCall(call) && this.#ruleOf(call)?.mark(call, upToTurn, false)) || call)
    const keyOf = keysAmong(messages, message)
    const turn = new CallTurn(round, this.#ledger, messages, approvals, keyOf)
    const ran = yield* turn.run(await Promise.all(marked))
    this.#toolCalls += ran.results.length
    round.say(ran.results.map(toToolMessage), end) // of a cancelled run too: some may have run
    signal.throwIfAborted()
    if (ran.failures.length > 0) throw ran.failures[0]
    return ran
  }

  #ruleOf({ name }: ToolCall): ApprovalRule | undefined {
    return runnable(this.#round.tools.get(name))?.needsApproval
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
  const behind = messages.slice(at + 1).findIndex(({ role }) => role !== 'tool')
  const end = behind < 0 ? messages.length : at + 1 + behind
  return { message, end, calls: callsOf(message).filter(({ id }) => !answered.has(id ?? '')) }
}

/** Some hosts count their ids from 0 in every turn: such a call is known by how often its id came before. */
function keysAmong(messages: readonly Message[], turn: AssistantMessage): (call: ToolCall) => string {
  const times = new Map<string, number>()
  for (const message of messages) {
    if (message === turn) break
    for (const { id } of toolCallsOf(message)) times.set(id, (times.get(id) ?? 0) + 1)
  }
  return (call) => randomPartOf(call) ?? (times.has(call.id) ? `${call.id}#${times.get(call.id)}` : call.id)
}

/** Whether a terminal tool was called with arguments that it takes: with others, the model is told so. */
async function isTerminal(calls: readonly AnyCall[], tools: ReadonlyMap<string, object>): Promise<boolean> {
  for (const call of calls) {
    const tool = isCall(call) ? (tools.get(call.name) as Tool | undefined) : undefined
    if (tool?.terminal === true && isCall(call) && (await argumentsFit(tool, call))) return true
  }
  return false
}

/** How often in a row the same calls may fail, unless the caller says otherwise. */
const mostFailures = 3

/** Notices a model that is stuck: it asks for the very same calls, round after round, and gets the same results, or failures. */
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

// ---- the calls of one turn --------------------------------------------------------------------

interface TurnResult {
  /** In the order of the calls. */
  readonly results: readonly ToolResult[]
  /** Calls that wait for consent. */
  readonly pending: readonly ToolCall[]
  /** What `onToolResult` threw. */
  readonly failures: readonly unknown[]
}

/** May run, waits for a person, or was refused (with what the model is told). */
type Consent = 'given' | 'pending' | { readonly refused: string }

interface Job {
  readonly call: AnyCall
  readonly consent: Consent
  readonly signal: AbortSignal
}

/** Runs the calls of one turn, in the way their tools ask for, and tells of each as it goes. */
class CallTurn {
  readonly #round: ToolHost
  readonly #ledger: CallLedger
  /** The conversation up to where the results go. */
  readonly #messages: readonly Message[]
  readonly #approvals: readonly Approval[]
  /** What the ledger knows a call by. */
  readonly #keyOf: (call: ToolCall) => string
  readonly #events = queue<ToolEvent>()

  constructor(
    round: ToolHost,
    ledger: CallLedger,
    messages: readonly Message[],
    approvals: readonly Approval[],
    keyOf: (call: ToolCall) => string,
  ) {
    this.#round = round
    this.#ledger = ledger
    this.#messages = messages
    this.#approvals = approvals
    this.#keyOf = keyOf
  }

  async *run(calls: readonly AnyCall[]): Steps<TurnResult> {
    const done = this.#runAll(calls).finally(this.#events.close)
    done.catch(() => {})
    yield* this.#events.batches()
    return await done
  }

  async #runAll(calls: readonly AnyCall[]): Promise<TurnResult> {
    // Each call has a signal of its own, so that any number of them adds one listener to that of the run.
    const controllers = calls.map(() => new AbortController())
    const { signal } = this.#round
    const forward = () => {
      for (const one of controllers) one.abort(signal.reason)
    }
    if (signal.aborted) forward()
    signal.addEventListener('abort', forward, { once: true })
    try {
      return await this.#runEach(calls, (at) => controllers[at]?.signal ?? signal)
    } finally {
      signal.removeEventListener('abort', forward)
    }
  }

  async #runEach(calls: readonly AnyCall[], signalAt: (at: number) => AbortSignal): Promise<TurnResult> {
    const consents = calls.map((call, at) => unlessAborted(this.#consentTo(call), signalAt(at)))
    const all = await Promise.all(consents)
    const jobs = calls.map((call, at): Job => ({ call, consent: all[at] as Consent, signal: signalAt(at) }))
    const pending = jobs.filter(({ consent }) => consent === 'pending').map(({ call }) => call as ToolCall)
    for (const call of pending) this.#events.push({ type: 'approval_request', call })

    const ready = jobs.filter(({ consent }) => consent !== 'pending')
    const isInTurn = this.#round.request.toolMode === 'sequential'
    const isAlone = ({ call }: Job) => isInTurn || this.#toolOf(call)?.sequential === true
    const results = new Map<AnyCall, ToolResult>()
    const failures: unknown[] = []
    const run = async (job: Job) => {
      const { result, isNew } = await this.#runOne(job)
      results.set(job.call, result)
      // What the callbacks throw is for the caller, once what the tools did is in the conversation.
      const told = [this.#tellCaller(result, job), ...(isNew ? [this.#keep(result, job)] : [])]
      for (const one of await Promise.allSettled(told)) if (one.status === 'rejected') failures.push(one.reason)
    }
    await Promise.all(ready.filter((job) => !isAlone(job)).map(run))
    for (const job of ready.filter(isAlone)) await run(job)
    return { results: ready.flatMap(({ call }) => results.get(call) ?? []), pending, failures }
  }

  async #consentTo(call: AnyCall): Promise<Consent> {
    const rule = this.#toolOf(call)?.needsApproval
    if (!isCall(call) || rule === undefined || !(await rule.isNeeded(call))) return 'given'
    const mine = this.#approvals.filter(({ toolCallId }) => toolCallId === call.id)
    const counts = await Promise.all(mine.map((decision) => rule.counts(call, decision)))
    const decisions = mine.filter((_, at) => counts[at])
    if (decisions.length === 0) return 'pending'
    const refusal = decisions.find(({ approved }) => approved !== true) // one is enough
    return refusal === undefined ? 'given' : { refused: refusal.reason ?? 'The user refused this call' }
  }

  #toolOf({ name }: AnyCall): Tool | undefined {
    return name === undefined ? undefined : runnable(this.#round.tools.get(name))
  }

  /** The result, and whether the tool ran for it. */
  async #runOne(job: Job): Promise<{ readonly result: ToolResult; readonly isNew: boolean }> {
    const { call, signal } = job
    if (signal.aborted) return { result: aborted(call), isNew: false }
    this.#events.push({ type: 'tool_start', call })
    const obstacle = await unlessAborted(this.#obstacleTo(job), signal).catch(() => aborted(call))
    const result = obstacle ?? (await this.#invoke(job))
    this.#events.push({ type: 'tool_result', result })
    return { result, isNew: obstacle === undefined && isCall(call) }
  }

  #invoke({ call, signal }: Job): Promise<ToolResult> {
    const { tools, request } = this.#round
    const { toolTimeoutMs, maxResultLength, maxResultMedia } = request
    const progress = (data: unknown) => {
      this.#events.push({ type: 'tool_progress', toolCallId: call.id ?? '', data })
    }
    const limits = compact({ toolTimeoutMs, maxResultLength, maxResultMedia })
    return invokeTool(call, tools, { messages: this.#messages, signal, progress, ...limits })
  }

  /** What stands in place of running a call: a person or the caller refuses it, or it has run before. */
  async #obstacleTo({ call, consent }: Job): Promise<ToolResult | undefined> {
    const refusal = typeof consent === 'object' ? consent.refused : await this.#refusalOf(call)
    if (refusal !== undefined) return failed(call, 'rejected', refusal)
    if (!isCall(call)) return undefined
    try {
      const claim = await this.#ledger.claim(this.#keyOf(call))
      if (claim === true) return undefined
      if (typeof claim === 'object' && claim !== null) return again(call, claim)
      return failed(call, 'duplicate', 'This call has run before, and does not run twice')
    } catch (cause) {
      return failed(call, 'unavailable', 'The call was not run: nobody can tell whether it ran before', cause)
    }
  }

  /** Why the caller refuses a call; a callback that throws refuses it too. */
  async #refusalOf(call: AnyCall): Promise<string | undefined> {
    try {
      const verdict = await this.#round.request.onToolRequest?.(call, this.#toolOf(call))
      return verdict ? verdict.reject : undefined
    } catch (cause) {
      return cause instanceof Error ? describe(cause) : 'The call was refused'
    }
  }

  async #tellCaller(result: ToolResult, { signal }: Job): Promise<void> {
    await unlessAborted(Promise.resolve(this.#round.request.onToolResult?.(result)), signal)
  }

  async #keep(result: ToolResult, { call, signal }: Job): Promise<void> {
    if (!isCall(call)) return
    await unlessAborted(Promise.resolve(this.#ledger.keep?.(this.#keyOf(call), toToolMessage(result))), signal)
  }
}

function runnable(tool: object | undefined): Tool | undefined {
  return tool !== undefined && isRunnable(tool) ? tool : undefined
}

function aborted(call: AnyCall): ToolResult {
  return failed(call, 'aborted', 'The run was cancelled before the tool ran')
}

/** The result that a call had when it ran. */
function again(call: ToolCall, { content, status = 'success', artifacts, extra }: ToolMessage): ToolResult {
  return { call, toolCallId: call.id, name: call.name, content, status, ...compact({ artifacts, extra }) }
}

/** A callback that never settles does not hold up a run that was cancelled. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** What is pushed comes out in batches, until it is closed. */
function queue<T>() {
  let waiting: T[] = []
  let isClosed = false
  let wake = () => {}
  return {
    push(item: T) {
      waiting.push(item)
      wake()
    },
    close() {
      isClosed = true
      wake()
    },
    async *batches(): AsyncGenerator<T[]> {
      while (!isClosed || waiting.length > 0) {
        if (waiting.length === 0) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          continue
        }
        const batch = waiting
        waiting = []
        yield batch
      }
    },
  }
}
