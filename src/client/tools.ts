/** Runs the calls of one turn: those that may run, in the way their tools ask for. @module */
import type { InvalidToolCall, Message, ToolCall } from '../model.ts'
import { type CallLedger, verifyApproval } from '../tools/approval.ts'
import { failed, invokeTool, type ToolResult } from '../tools/invoke.ts'
import { isRunnable, type Tool } from '../tools/tool.ts'
import { type RunRequest, toolsByName } from './request.ts'

export type AnyCall = ToolCall | InvalidToolCall

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
}

export interface ToolTurnResult {
  /** In the order of the calls. */
  readonly results: readonly ToolResult[]
  /** Calls that wait for consent. */
  readonly pending: readonly ToolCall[]
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
  const consents = await Promise.all(turn.calls.map((call) => consentTo(call, turn)))
  const jobs = turn.calls.map((call, at) => ({ call, consent: consents[at] as Consent }))
  const pending = jobs.filter(({ consent }) => consent === 'pending').map(({ call }) => call as ToolCall)
  for (const call of pending) tell({ type: 'approval_request', call })

  const ready = jobs.filter(({ consent }) => consent !== 'pending')
  const isAlone = ({ call }: Job) => turn.request.toolMode === 'sequential' || toolOf(call, turn)?.sequential === true
  const results = new Map<AnyCall, ToolResult>()
  const run = async (job: Job) => void results.set(job.call, await runOne(job, turn, tell))
  await Promise.all(ready.filter((job) => !isAlone(job)).map(run))
  for (const job of ready.filter(isAlone)) await run(job)
  return { results: ready.flatMap(({ call }) => results.get(call) ?? []), pending }
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
  const approval = turn.request.approvals?.find(({ toolCallId }) => toolCallId === call.id)
  if (approval === undefined || !(await verifyApproval(call, approval, turn.request.approvalSecret))) return 'pending'
  return approval.approved ? 'given' : { refused: approval.reason ?? 'The user refused this call' }
}

/** A question that fails is answered by asking a person. */
async function needs(question: (call: ToolCall) => boolean | Promise<boolean>, call: ToolCall): Promise<boolean> {
  try {
    return await question(call)
  } catch {
    return true
  }
}

function toolOf(call: AnyCall, { request }: ToolTurn): Tool | undefined {
  const tool = call.name === undefined ? undefined : toolsByName(request).get(call.name)
  return tool !== undefined && isRunnable(tool) ? tool : undefined
}

async function runOne({ call, consent }: Job, turn: ToolTurn, tell: Tell): Promise<ToolResult> {
  if (turn.signal.aborted) return failed(call, 'aborted', 'The run was cancelled before the tool ran')
  tell({ type: 'tool_start', call })
  const result = await settle(call, consent, turn, tell)
  tell({ type: 'tool_result', result })
  await turn.request.onToolResult?.(result)
  return result
}

async function settle(call: AnyCall, consent: Consent, turn: ToolTurn, tell: Tell): Promise<ToolResult> {
  const { request, messages, signal, ledger } = turn
  if (typeof consent === 'object') return failed(call, 'rejected', consent.refused)
  const verdict = await verdictOn(call, request)
  if (verdict !== undefined) return failed(call, 'rejected', verdict)
  if (call.type === 'tool_call' && !(await ledger.claim(call.id))) {
    return failed(call, 'duplicate', 'This call has run before, and does not run twice')
  }
  return invokeTool(call, toolsByName(request), {
    messages,
    signal,
    progress: (data) => tell({ type: 'tool_progress', toolCallId: call.id ?? '', data }),
    ...(request.toolTimeoutMs !== undefined && { toolTimeoutMs: request.toolTimeoutMs }),
    ...(request.maxResultLength !== undefined && { maxResultLength: request.maxResultLength }),
  })
}

/** Why the caller refuses a call; a callback that throws refuses it too. */
async function verdictOn(call: AnyCall, request: RunRequest): Promise<string | undefined> {
  try {
    const verdict = await request.onToolRequest?.(call)
    return verdict ? verdict.reject : undefined
  } catch (cause) {
    return cause instanceof Error ? cause.message : 'The call was refused'
  }
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
