/**
 * Runs the calls of an answer, adds their results to the conversation, and says whether to ask the model again.
 *
 * `tool` puts this into each tool, so that a program without tools does not include it.
 *
 * @module
 */

import { after, linkAbort, unlessAborted } from '../core/abort.ts'
import { checkOptions } from '../core/checks.ts'
import { type AnyCall, callsOf, canRunTools, isCall, randomPartOf, toolCallsOf } from '../core/content.ts'
import { compact, field, findLastIndex, isObject, stringOr } from '../core/json.ts'
import type { AssistantMessage, ChatResponse, Message, MessageEvent, ToolCall, ToolMessage } from '../core/messages.ts'
import { usageOf } from '../core/usage.ts'
import type { Approval, ApprovalRule, Consent } from './approval.ts'
import type { RunProgress } from './budget.ts'
import {
  asRunnable,
  checkApproval,
  checkReplacing,
  definitionOf,
  isRunnable,
  parseWith,
  readOutput,
  withoutNullOptionals,
} from './definition.ts'
import type {
  CallLog,
  DataEvent,
  DataWriter,
  Ending,
  ResultLimits,
  Tool,
  ToolErrorKind,
  ToolEvent,
  ToolHost,
  ToolResult,
  ToolRunner,
} from './types.ts'

/** The outcome of the calls of one turn. */
interface TurnResult {
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
class CallTurn {
  readonly #host: ToolHost
  readonly #callLog: CallLog
  /** The conversation before the results. */
  readonly #messages: readonly Message[]
  readonly #approvals: readonly Approval[]
  /** The key of a call in the log. */
  readonly #keyOf: (call: ToolCall) => string
  readonly #events = queue<ToolEvent | DataEvent>()

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

  async *run(calls: readonly AnyCall[]): AsyncGenerator<(ToolEvent | DataEvent)[], TurnResult> {
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
    const asked = jobs.flatMap(({ consent, call }) => (consent === 'pending' ? (call as ToolCall) : []))
    const pending = await Promise.all(asked.map((call) => this.#toolOf(call)?.needsApproval?.ask(call) ?? call))
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
    const data = request.data?.to(this.#events.push)
    const options = { ...request, messages: this.#messages, signal, progress, data }
    const result = obstacle ?? (await invoke(call, tools, options))
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

type Steps<T> = AsyncGenerator<(ToolEvent | DataEvent)[], T>

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
    // A tool of the provider's that the client runs, such as a shell.
    const isProviders = calls.some(({ name }) => {
      return name && !tools.has(name) && request.tools?.some((tool) => isNamed(tool, name))
    })
    if (!isAuto || isProviders || called.some((tool) => !isRunnable(tool))) return { outcome: 'manual', pending }
    if (isLast && request.lastCalls === 'keep') return { outcome: 'max_rounds', pending }
    const { pending: waiting, results } = yield* this.#runCalls({ message, calls })
    if (waiting.length > 0) return { outcome: 'approval', pending: waiting }
    const limit =
      (await this.#limitReached(responses)) ?? (this.#isRepeated(calls, results) ? 'repeated_call' : undefined)
    return { outcome: limit ?? (isLast ? 'max_rounds' : undefined) }
  }

  /** Why the model is not asked again after its calls have run. */
  async #limitReached(responses: readonly ChatResponse[]): Promise<Ending['outcome'] | undefined> {
    const { request, signal } = this.#host
    const { stopWhen, budget } = request
    if (stopWhen === undefined && budget === undefined) return undefined
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

/** Whether it is a tool of the provider's with this name, or with this type if it has no name. */
function isNamed(tool: object, name: string): boolean {
  return 'value' in tool && (field(tool.value, 'name') ?? field(tool.value, 'type')) === name
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

// ---- one call -----------------------------------------------------------------------------------

// Every failure becomes a result that the model can read, never an exception.

/** The options of `invokeTool`: the context of the tool, and its limits. */
export interface InvokeOptions extends ResultLimits {
  /** The conversation up to and with the message that made the call. Default: none. */
  readonly messages?: readonly Message[]
  /** Cancels the tool. */
  readonly signal?: AbortSignal
  /** Receives the tool's progress while it runs, and nothing after its end. */
  readonly progress?: (data: unknown) => void
  /** Receives what the tool writes for the page. */
  readonly data?: DataWriter | undefined
  /** How long a tool may run, in milliseconds, with the check of its arguments. Default 60,000. */
  readonly toolTimeoutMs?: number
}

/**
 * Runs one call of one of these tools, by their names. A failure is a result, and it settles when the time is up whatever the tool does. It
 * does not check approvals: the loop does (`needsApproval`).
 *
 * @throws {TypeError} if `call` is not a call, or `tools` is not a `Map`.
 */
export async function invokeTool(
  call: AnyCall,
  tools: ReadonlyMap<string, object>,
  options: InvokeOptions = {},
): Promise<ToolResult> {
  checkOptions('invokeTool', options)
  return invoke(call, tools, options)
}

async function invoke(call: AnyCall, tools: ReadonlyMap<string, object>, options: InvokeOptions): Promise<ToolResult> {
  if (!isObject(call) || typeof tools?.get !== 'function') {
    throw new TypeError('Cannot run a call: "call" is not a call, or "tools" is not a Map of tools by their names')
  }
  if (call.type === 'invalid_tool_call') return failed(call, 'invalid_arguments', call.error)
  const tool = tools.get(call.name)
  if (tool === undefined || !isRunnable(tool) || !isIn(tool, call))
    return failed(call, 'unknown_tool', describeUnknown(call.name, tools))
  if (options.signal?.aborted) return failed(call, 'aborted', notRun)
  return withinTime(tool, call, options)
}

/** Whether the tool is in the call's namespace. Two namespaces can have tools of the same name. */
function isIn(tool: Tool, call: ToolCall): boolean {
  return Object.entries(tool.providerData ?? {}).every(
    ([format, { namespace }]) => !isObject(namespace) || namespace.name === call.providerData?.[format]?.namespace,
  )
}

/** The result as the message that answers the call. */
export function toToolMessage({ toolCallId, name, content, status, artifacts, extra }: ToolResult): ToolMessage {
  return { role: 'tool', toolCallId, name, content, status, ...compact({ artifacts, extra }) }
}

/** The result of a call. */
export function resultOf(
  call: AnyCall,
  { content, status = 'success', artifacts, extra }: Pick<ToolMessage, 'content' | 'status' | 'artifacts' | 'extra'>,
  more?: Pick<ToolResult, 'value' | 'error'>,
): ToolResult {
  const { id: toolCallId = '', name = '' } = call
  return { call, toolCallId, name, status, content, ...more, ...compact({ artifacts, extra }) }
}

/** A result for a call that was not run, or failed. */
export function failed(call: AnyCall, kind: ToolErrorKind, message: string, cause?: unknown): ToolResult {
  return resultOf(call, { content: message, status: 'error' }, { error: compact({ kind, message, cause }) })
}

/** For a call whose run was cancelled before its tool ran. */
const notRun = 'The run was cancelled before the tool ran'

/** The text about an exception that the model receives: its message, never its stack. At most 4 Ki UTF-16 units. */
export function describe(cause: unknown): string {
  return textOf(cause).slice(0, 4096)
}

function textOf(cause: unknown): string {
  try {
    if (cause instanceof Error) return String(cause.message || cause.name)
    return typeof cause === 'string' && cause !== '' ? cause : 'The tool failed'
  } catch {
    return 'The tool failed' // even an error's message may be a getter that throws
  }
}

function describeUnknown(name: string, tools: ReadonlyMap<string, object>): string {
  const known = [...tools.keys()].map((one) => `"${one}"`).join(', ')
  return describe(`Unknown tool "${name.slice(0, 200)}"; the tools are: ${known || 'none'}`)
}

async function withinTime(tool: Tool, call: ToolCall, options: InvokeOptions): Promise<ToolResult> {
  const timeoutMs = tool.timeoutMs ?? options.toolTimeoutMs ?? 60_000
  const stopping = new AbortController()
  const { signal } = stopping
  const unfollow = linkAbort(options.signal, stopping)
  const timer = after(timeoutMs, () => stopping.abort(timedOut))
  let isOver = false
  const progress = (data: unknown) => {
    if (!isOver) options.progress?.(data)
  }
  try {
    return await unlessAborted(runCall(tool, call, options, signal, progress), signal)
  } catch {
    return signal.reason === timedOut
      ? failed(call, 'timeout', `The tool did not finish within ${timeoutMs} ms`)
      : failed(call, 'aborted', 'The run was cancelled while the tool ran')
  } finally {
    isOver = true
    timer.stop()
    unfollow()
  }
}

/** The reason of a tool's signal at the time limit. */
const timedOut: DOMException = /* @__PURE__ */ new DOMException('The tool had its time', 'TimeoutError')

async function runCall(
  tool: Tool,
  call: ToolCall,
  options: InvokeOptions,
  signal: AbortSignal,
  progress: (data: unknown) => void,
): Promise<ToolResult> {
  let args: unknown
  try {
    args = await readArguments(tool, call)
  } catch (cause) {
    return failed(call, 'invalid_arguments', `The arguments do not fit: ${describe(cause)}`, cause)
  }
  // The check may have taken so long that the run was cancelled.
  if (signal.aborted) return failed(call, 'aborted', notRun)
  try {
    const { messages = [], data } = options
    const value = await tool.execute(args as never, { call, messages, signal, progress, data })
    return resultOf(call, readOutput(value, options), { value })
  } catch (cause) {
    return failed(call, 'execution', describe(cause), cause)
  }
}

/** Whether a call's arguments match the parameters of its tool. */
async function argumentsFit(tool: Tool, call: ToolCall): Promise<boolean> {
  try {
    await readArguments(tool, call)
    return true
  } catch {
    return false
  }
}

/** @throws {TypeError} if they do not fit. */
function readArguments(tool: Tool, call: ToolCall): unknown {
  if (tool.convert === false) return call.arguments
  const args = withoutNullOptionals(call.arguments, tool.parameters)
  return tool.parse === undefined ? parseWith(tool.parameters ?? {}, args) : tool.parse(args)
}

/**
 * A call log in memory. Pass the same one to several runs.
 *
 * @example
 * ```ts
 * const callLog = memoryCallLog()
 * await generate({ model, prompt: 'Weather in Tokyo?', tools: [weather], callLog })
 * ```
 */
export function memoryCallLog(): CallLog {
  const claimed = new Map<string, ToolMessage | undefined>()
  return {
    claim(key) {
      if (claimed.has(key)) return claimed.get(key) ?? false
      claimed.set(key, undefined)
      return true
    },
    keep: (key, result) => void claimed.set(key, result),
  }
}
