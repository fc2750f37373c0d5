/** Runs the calls of one turn. @module */
import { isCall } from '../core/content.ts'
import { isObject, stringOr } from '../core/lookup.ts'
import type { Message, ToolCall } from '../core/model.ts'
import type { AnyCall } from '../core/tool-call.ts'
import { unlessAborted } from '../core/unless-aborted.ts'
import type { Approval, Consent } from './approval.ts'
import type { CallLog } from './call-log.ts'
import { asRunnable } from './definition.ts'
import { describe, failed, invokeTool, notRun, resultOf, toToolMessage } from './invoke.ts'
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
      const jobs = calls.map((call, at) => this.#jobOf(call, controllers[at]?.signal ?? signal))
      return await this.#runJobs(await Promise.all(jobs))
    } finally {
      signal.removeEventListener('abort', forward)
    }
  }

  async #jobOf(call: AnyCall, signal: AbortSignal): Promise<Job> {
    const rule = isCall(call) ? this.#toolOf(call)?.needsApproval : undefined
    const decisions = this.#approvals.filter(({ toolCallId }) => toolCallId === call.id)
    const consent = rule?.consent(call as ToolCall, decisions) ?? Promise.resolve('given' as const)
    return { call, signal, consent: await unlessAborted(consent, signal) }
  }

  async #runJobs(jobs: readonly Job[]): Promise<TurnResult> {
    const { request } = this.#host
    const pending = jobs.filter(({ consent }) => consent === 'pending').map(({ call }) => call as ToolCall)
    for (const call of pending) this.#events.push({ type: 'approval_request', call })

    const ready = jobs.filter(({ consent }) => consent !== 'pending')
    const isSequential = ({ call }: Job) => request.toolMode === 'sequential' || this.#toolOf(call)?.sequential === true
    const results = new Map<AnyCall, ToolResult>()
    const failures: unknown[] = []
    const run = async (job: Job) => {
      const { call, signal } = job
      const { result, isNew } = await this.#runOne(job)
      results.set(call, result)
      const callbacks = [async () => request.onToolResult?.(result)]
      if (isNew && isCall(call))
        callbacks.push(async () => this.#callLog.keep?.(this.#keyOf(call), toToolMessage(result)))
      // Exceptions of callbacks reach the caller after the results of the tools are in the conversation.
      for (const one of await Promise.allSettled(callbacks.map((callback) => unlessAborted(callback(), signal))))
        if (one.status === 'rejected') failures.push(one.reason)
    }
    await Promise.all(ready.filter((job) => !isSequential(job)).map(run))
    for (const job of ready.filter(isSequential)) await run(job)
    return { results: ready.flatMap(({ call }) => results.get(call) ?? []), pending, failures }
  }

  #toolOf({ name }: AnyCall): Tool | undefined {
    return name === undefined ? undefined : asRunnable(this.#host.tools.get(name))
  }

  /** The result, and whether the tool ran for it. */
  async #runOne(job: Job): Promise<{ readonly result: ToolResult; readonly isNew: boolean }> {
    const { call, signal } = job
    const { tools, request } = this.#host
    if (signal.aborted) return { result: aborted(call), isNew: false }
    const reportEnd = this.#host.report('onTool', { call, tool: this.#toolOf(call) })
    this.#events.push({ type: 'tool_start', call })
    const obstacle = await unlessAborted(this.#obstacleTo(job), signal).catch(() => aborted(call))
    const progress = (data: unknown) => {
      this.#events.push({ type: 'tool_progress', toolCallId: call.id ?? '', data })
    }
    const options = { ...request, messages: this.#messages, signal, progress }
    const result = obstacle ?? (await invokeTool(call, tools, options))
    this.#events.push({ type: 'tool_result', result })
    reportEnd({ result })
    return { result, isNew: obstacle === undefined }
  }

  /** The result of a call that must not run: a person or the caller refused it, or it has run before. */
  async #obstacleTo({ call, consent }: Job): Promise<ToolResult | undefined> {
    const refusal = typeof consent === 'object' ? consent.refused : await this.#refusalOf(call)
    if (refusal !== undefined) return failed(call, 'rejected', refusal)
    if (!isCall(call)) return undefined
    try {
      const claim = await this.#callLog.claim(this.#keyOf(call))
      if (claim === true) return undefined
      if (typeof claim === 'object' && claim !== null) return resultOf(call, claim)
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
}

/** For a refusal without a reason. */
const refused = 'The call was refused'

function aborted(call: AnyCall): ToolResult {
  return failed(call, 'aborted', notRun)
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
