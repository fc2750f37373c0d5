/** Runs the calls of one turn. @module */
import type { InvalidToolCall, Message, ToolCall } from '../model.ts'
import { failed, invokeTool, type ToolResult } from '../tools/invoke.ts'
import { type RunRequest, toolsByName } from './request.ts'

export type AnyCall = ToolCall | InvalidToolCall

/** What a run tells of its tools. */
export type ToolEvent =
  | { readonly type: 'tool_start'; readonly call: AnyCall }
  | { readonly type: 'tool_progress'; readonly toolCallId: string; readonly data: unknown }
  | { readonly type: 'tool_result'; readonly result: ToolResult }

export interface ToolTurn {
  readonly request: RunRequest
  readonly calls: readonly AnyCall[]
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
}

/** Runs all calls and tells of each as it goes; hands back the results in the order of the calls. */
export async function* runTools(turn: ToolTurn): AsyncGenerator<ToolEvent[], ToolResult[]> {
  const events = queue<ToolEvent>()
  const results = runAll(turn, events.push).finally(events.close)
  results.catch(() => {})
  yield* events.batches()
  return await results
}

async function runAll(turn: ToolTurn, tell: (event: ToolEvent) => void): Promise<ToolResult[]> {
  if (turn.request.toolMode !== 'sequential') return Promise.all(turn.calls.map((call) => runOne(turn, call, tell)))
  const results: ToolResult[] = []
  for (const call of turn.calls) results.push(await runOne(turn, call, tell))
  return results
}

async function runOne(turn: ToolTurn, call: AnyCall, tell: (event: ToolEvent) => void): Promise<ToolResult> {
  const { request, messages, signal } = turn
  if (signal.aborted) return failed(call, 'aborted', 'The run was cancelled before the tool ran')
  tell({ type: 'tool_start', call })
  const verdict = await request.onToolRequest?.(call)
  const result = verdict
    ? failed(call, 'rejected', verdict.reject)
    : await invokeTool(call, toolsByName(request), {
        messages,
        signal,
        progress: (data) => tell({ type: 'tool_progress', toolCallId: call.id ?? '', data }),
        ...(request.toolTimeoutMs !== undefined && { toolTimeoutMs: request.toolTimeoutMs }),
      })
  tell({ type: 'tool_result', result })
  await request.onToolResult?.(result)
  return result
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
