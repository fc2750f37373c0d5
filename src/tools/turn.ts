/** Runs the calls of one turn. @module */
import { isCall } from '../core/content.ts'
import { compact, isObject, stringOr } from '../core/lookup.ts'
import type { Message, ToolCall, ToolMessage } from '../core/model.ts'
import type { AnyCall } from '../core/tool-call.ts'
import { unlessAborted } from '../core/unless-aborted.ts'
import type { Approval } from './approval.ts'
import type { CallLog } from './call-log.ts'
import { runnable } from './definition.ts'
import { describe, failed, invokeTool, toToolMessage } from './invoke.ts'
import type { Tool, ToolEvent, ToolHost, ToolResult } from './model.ts'

/** The outcome of the calls of one turn. */
export interface TurnResult {
  /** In the order of the calls. */
  readonly results: readonly ToolResult[]
  /** Calls that wait for consent. */
  readonly pending: readonly ToolCall[]
  /** The exceptions of `onToolResult`. */
  readonly failures: readonly unknown[]
}

/** The call may run, waits for a person, or was refused for a reason that the model gets. */
type Consent = 'given' | 'pending' | { readonly refused: string }

interface Job {
  readonly call: AnyCall
  readonly consent: Consent
  readonly signal: AbortSignal
}

/** Runs the calls of one turn, at the same time or in turn, and reports each step as an event. */
export class CallTurn {
  readonly #host: ToolHost
  readonly #callLog: CallLog
  /** The conversation before the results. */
  readonly #messages: readonly Message[]
  readonly #approvals: readonly Approval[]
  /** The key of a call in the log. */
  readonly #keyOf: (call: ToolCall) => string
  readonly #events = queue<ToolEvent>()

  constructor(
    host: ToolHost,
    callLog: CallLog,
    messages: readonly Message[],
    approvals: readonly Approval[],
    keyOf: (call: ToolCall) => string,
  ) {
    this.#host = host
    this.#callLog = callLog
    this.#messages = messages
    this.#approvals = approvals
    this.#keyOf = keyOf
  }

  async *run(calls: readonly AnyCall[]): AsyncGenerator<ToolEvent[], TurnResult> {
    const done = this.#runAll(calls).finally(this.#events.close)
    done.catch(() => {})
    yield* this.#events.batches()
    return await done
  }

  async #runAll(calls: readonly AnyCall[]): Promise<TurnResult> {
    // Each call has a signal of its own, so that any number of them adds one listener to that of the run.
    const controllers = calls.map(() => new AbortController())
    const { signal } = this.#host
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
    const isInTurn = this.#host.request.toolMode === 'sequential'
    const isSequential = ({ call }: Job) => isInTurn || this.#toolOf(call)?.sequential === true
    const results = new Map<AnyCall, ToolResult>()
    const failures: unknown[] = []
    const run = async (job: Job) => {
      const { result, isNew } = await this.#runOne(job)
      results.set(job.call, result)
      // Exceptions of callbacks reach the caller after the results of the tools are in the conversation.
      const callbacks = [this.#callOnToolResult(result, job), ...(isNew ? [this.#keep(result, job)] : [])]
      for (const one of await Promise.allSettled(callbacks)) if (one.status === 'rejected') failures.push(one.reason)
    }
    await Promise.all(ready.filter((job) => !isSequential(job)).map(run))
    for (const job of ready.filter(isSequential)) await run(job)
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
    return name === undefined ? undefined : runnable(this.#host.tools.get(name))
  }

  /** The result, and whether the tool ran for it. */
  async #runOne(job: Job): Promise<{ readonly result: ToolResult; readonly isNew: boolean }> {
    const { call, signal } = job
    if (signal.aborted) return { result: aborted(call), isNew: false }
    const reportEnd = this.#host.report('onTool', { call, tool: this.#toolOf(call) })
    this.#events.push({ type: 'tool_start', call })
    const obstacle = await unlessAborted(this.#obstacleTo(job), signal).catch(() => aborted(call))
    const result = obstacle ?? (await this.#invoke(job))
    this.#events.push({ type: 'tool_result', result })
    reportEnd({ result })
    return { result, isNew: obstacle === undefined && isCall(call) }
  }

  #invoke({ call, signal }: Job): Promise<ToolResult> {
    const { tools, request } = this.#host
    const { toolTimeoutMs, maxResultLength, maxResultMedia } = request
    const progress = (data: unknown) => {
      this.#events.push({ type: 'tool_progress', toolCallId: call.id ?? '', data })
    }
    const limits = compact({ toolTimeoutMs, maxResultLength, maxResultMedia })
    return invokeTool(call, tools, { messages: this.#messages, signal, progress, ...limits })
  }

  /** The result of a call that must not run: a person or the caller refused it, or it has run before. */
  async #obstacleTo({ call, consent }: Job): Promise<ToolResult | undefined> {
    const refusal = typeof consent === 'object' ? consent.refused : await this.#refusalOf(call)
    if (refusal !== undefined) return failed(call, 'rejected', refusal)
    if (!isCall(call)) return undefined
    try {
      const claim = await this.#callLog.claim(this.#keyOf(call))
      if (claim === true) return undefined
      if (typeof claim === 'object' && claim !== null) return again(call, claim)
      return failed(call, 'duplicate', 'This call has run before, and does not run twice')
    } catch (cause) {
      return failed(call, 'unavailable', 'The call was not run: the call log failed, so it may have run before', cause)
    }
  }

  /** Why the caller refuses a call; a callback that throws refuses it too. */
  async #refusalOf(call: AnyCall): Promise<string | undefined> {
    try {
      const verdict = await this.#host.request.onToolRequest?.(call, this.#toolOf(call))
      return isObject(verdict) ? stringOr(verdict.reject, refused) : undefined
    } catch (cause) {
      return cause instanceof Error ? describe(cause) : refused
    }
  }

  async #callOnToolResult(result: ToolResult, { signal }: Job): Promise<void> {
    await unlessAborted(this.#host.request.onToolResult?.(result), signal)
  }

  async #keep(result: ToolResult, { call, signal }: Job): Promise<void> {
    if (!isCall(call)) return
    await unlessAborted(this.#callLog.keep?.(this.#keyOf(call), toToolMessage(result)), signal)
  }
}

/** For a refusal without a reason. */
const refused = 'The call was refused'

function aborted(call: AnyCall): ToolResult {
  return failed(call, 'aborted', 'The run was cancelled before the tool ran')
}

/** The result that a call had when it ran. */
function again(call: ToolCall, { content, status = 'success', artifacts, extra }: ToolMessage): ToolResult {
  return { call, toolCallId: call.id, name: call.name, content, status, ...compact({ artifacts, extra }) }
}

/** Yields pushed values in batches, until it is closed. */
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
