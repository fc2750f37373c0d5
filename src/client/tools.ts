/** Runs the calls of one turn: those that may run, in the way their tools ask for. @module */
import { compact } from '../lookup.ts'
import type { Message, ToolCall, ToolMessage } from '../model.ts'
import type { AnyCall } from '../tool-call.ts'
import { type Approval, type CallLedger, verifyApproval } from '../tools/approval.ts'
import { describe, failed, invokeTool, type ToolResult, toToolMessage } from '../tools/invoke.ts'
import { isRunnable, type Tool } from '../tools/tool.ts'
import type { RunRequest } from './request.ts'

/** What a run tells of its tools. */
export type ToolEvent =
  | { readonly type: 'tool_start'; readonly call: AnyCall }
  | { readonly type: 'tool_progress'; readonly toolCallId: string; readonly data: unknown }
  | { readonly type: 'tool_result'; readonly result: ToolResult }
  /** The call waits for consent; the run ends with it among `pending`. */
  | { readonly type: 'approval_request'; readonly call: ToolCall }

export interface ToolTurn {
  readonly request: RunRequest
  readonly calls: readonly AnyCall[]
  /** The conversation up to and with the message that made the calls. */
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
  readonly ledger: CallLedger
  /** By the names that the model calls them by. */
  readonly tools: ReadonlyMap<string, object>
  /** Decisions that were made about these very calls. */
  readonly approvals: readonly Approval[]
  /** What the ledger knows a call by. */
  readonly keyOf: (call: ToolCall) => string
}

export interface ToolTurnResult {
  /** In the order of the calls. */
  readonly results: readonly ToolResult[]
  /** Calls that wait for consent. */
  readonly pending: readonly ToolCall[]
  /** What `onToolResult` threw. */
  readonly failures: readonly unknown[]
}

/** Runs the calls and tells of each as it goes. */
export async function* runTools(turn: ToolTurn): AsyncGenerator<ToolEvent[], ToolTurnResult> {
  const events = queue<ToolEvent>()
  const done = runAll(turn, events.push).finally(events.close)
  done.catch(() => {})
  yield* events.batches()
  return await done
}

type Tell = (event: ToolEvent) => void

async function runAll(turn: ToolTurn, tell: Tell): Promise<ToolTurnResult> {
  // Each call has a signal of its own, so that any number of them adds one listener to that of the run.
  const controllers = turn.calls.map(() => new AbortController())
  const forward = () => {
    for (const one of controllers) one.abort(turn.signal.reason)
  }
  if (turn.signal.aborted) forward()
  turn.signal.addEventListener('abort', forward, { once: true })
  try {
    const signalOf = new Map(turn.calls.map((call, at) => [call, controllers[at]?.signal ?? turn.signal]))
    return await runWith((call) => ({ ...turn, signal: signalOf.get(call) ?? turn.signal }), turn, tell)
  } finally {
    turn.signal.removeEventListener('abort', forward)
  }
}

async function runWith(turnOf: (call: AnyCall) => ToolTurn, turn: ToolTurn, tell: Tell): Promise<ToolTurnResult> {
  const consentOf = (call: AnyCall) => unlessAborted(consentTo(call, turn), turnOf(call).signal)
  const consents = await Promise.all(turn.calls.map(consentOf))
  const jobs = turn.calls.map((call, at) => ({ call, consent: consents[at] as Consent }))
  const pending = jobs.filter(({ consent }) => consent === 'pending').map(({ call }) => call as ToolCall)
  for (const call of pending) tell({ type: 'approval_request', call })

  const ready = jobs.filter(({ consent }) => consent !== 'pending')
  const isAlone = ({ call }: Job) => turn.request.toolMode === 'sequential' || toolOf(call, turn)?.sequential === true
  const results = new Map<AnyCall, ToolResult>()
  const failures: unknown[] = []
  const run = async (job: Job) => {
    const own = turnOf(job.call)
    const { result, isNew } = await runOne(job, own, tell)
    results.set(job.call, result)
    // What the callbacks throw is for the caller, once what the tools did is in the conversation.
    const told = [tellCaller(result, own), ...(isNew ? [keepResult(result, own)] : [])]
    for (const one of await Promise.allSettled(told)) if (one.status === 'rejected') failures.push(one.reason)
  }
  await Promise.all(ready.filter((job) => !isAlone(job)).map(run))
  for (const job of ready.filter(isAlone)) await run(job)
  return { results: ready.flatMap(({ call }) => results.get(call) ?? []), pending, failures }
}

interface Job {
  readonly call: AnyCall
  readonly consent: Consent
}

/** May run, waits for a person, or was refused (with what the model is told). */
type Consent = 'given' | 'pending' | { readonly refused: string }

async function consentTo(call: AnyCall, turn: ToolTurn): Promise<Consent> {
  const tool = toolOf(call, turn)
  if (call.type === 'invalid_tool_call' || tool?.needsApproval === undefined) return 'given'
  const isNeeded = typeof tool.needsApproval === 'function' ? await needs(tool.needsApproval, call) : tool.needsApproval
  if (!isNeeded) return 'given'
  const decisions = await decisionsOn(call, turn)
  if (decisions.length === 0) return 'pending'
  const refusal = decisions.find(({ approved }) => approved !== true)
  return refusal === undefined ? 'given' : { refused: refusal.reason ?? 'The user refused this call' }
}

/** Those that count; one refusal among them is enough. */
async function decisionsOn(call: ToolCall, { approvals, request }: ToolTurn): Promise<readonly Approval[]> {
  const mine = approvals.filter(({ toolCallId }) => toolCallId === call.id)
  const counts = await Promise.all(mine.map((approval) => verifyApproval(call, approval, request.approvalSecret)))
  return mine.filter((_, at) => counts[at])
}

/** A question that fails is answered by asking a person. */
async function needs(question: (call: ToolCall) => boolean | Promise<boolean>, call: ToolCall): Promise<boolean> {
  try {
    return await question(call)
  } catch {
    return true
  }
}

function toolOf(call: AnyCall, { tools }: ToolTurn): Tool | undefined {
  const tool = call.name === undefined ? undefined : tools.get(call.name)
  return tool !== undefined && isRunnable(tool) ? tool : undefined
}

/** A result, and whether the tool ran for it. */
interface Settled {
  readonly result: ToolResult
  readonly isNew: boolean
}

async function runOne({ call, consent }: Job, turn: ToolTurn, tell: Tell): Promise<Settled> {
  if (turn.signal.aborted) return { result: aborted(call), isNew: false }
  tell({ type: 'tool_start', call })
  const settled = await settle(call, consent, turn, tell)
  tell({ type: 'tool_result', result: settled.result })
  return settled
}

async function settle(call: AnyCall, consent: Consent, turn: ToolTurn, tell: Tell): Promise<Settled> {
  const { request, messages, signal, tools } = turn
  if (typeof consent === 'object') return { result: failed(call, 'rejected', consent.refused), isNew: false }
  const obstacle = await unlessAborted(obstacleTo(call, turn), signal).catch(() => aborted(call))
  if (obstacle !== undefined) return { result: obstacle, isNew: false }
  const { toolTimeoutMs, maxResultLength, maxResultMedia } = request
  const progress = (data: unknown) => tell({ type: 'tool_progress', toolCallId: call.id ?? '', data })
  const options = { messages, signal, progress, ...compact({ toolTimeoutMs, maxResultLength, maxResultMedia }) }
  return { result: await invokeTool(call, tools, options), isNew: call.type === 'tool_call' }
}

function aborted(call: AnyCall): ToolResult {
  return failed(call, 'aborted', 'The run was cancelled before the tool ran')
}

/** What stands in place of running a call: the caller refuses it, or it has run before. */
async function obstacleTo(call: AnyCall, turn: ToolTurn): Promise<ToolResult | undefined> {
  const refusal = await refusalOf(call, turn)
  if (refusal !== undefined) return failed(call, 'rejected', refusal)
  if (call.type === 'invalid_tool_call') return undefined
  try {
    const claim = await turn.ledger.claim(turn.keyOf(call))
    if (claim === true) return undefined
    if (typeof claim === 'object' && claim !== null) return again(call, claim)
    return failed(call, 'duplicate', 'This call has run before, and does not run twice')
  } catch (cause) {
    return failed(call, 'unavailable', 'The call was not run: nobody can tell whether it ran before', cause)
  }
}

/** The result that a call had when it ran. */
function again(call: ToolCall, { content, status = 'success', artifacts, extra }: ToolMessage): ToolResult {
  return { call, toolCallId: call.id, name: call.name, content, status, ...compact({ artifacts, extra }) }
}

async function keepResult(result: ToolResult, { ledger, keyOf, signal }: ToolTurn): Promise<void> {
  if (result.call.type !== 'tool_call') return
  await unlessAborted(Promise.resolve(ledger.keep?.(keyOf(result.call), toToolMessage(result))), signal)
}

/** Why the caller refuses a call; a callback that throws refuses it too. */
async function refusalOf(call: AnyCall, turn: ToolTurn): Promise<string | undefined> {
  try {
    const verdict = await turn.request.onToolRequest?.(call, toolOf(call, turn))
    return verdict ? verdict.reject : undefined
  } catch (cause) {
    return cause instanceof Error ? describe(cause) : 'The call was refused'
  }
}

async function tellCaller(result: ToolResult, { request, signal }: ToolTurn): Promise<void> {
  await unlessAborted(Promise.resolve(request.onToolResult?.(result)), signal)
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
