/** Runs a call. Every failure becomes a result that the model can read, never an exception. @module */

import { follow } from '../core/follow.ts'
import { compact, isObject } from '../core/lookup.ts'
import type { Message, ToolCall, ToolMessage } from '../core/model.ts'
import { after } from '../core/timer.ts'
import type { AnyCall } from '../core/tool-call.ts'
import { unlessAborted } from '../core/unless-aborted.ts'
import { isRunnable } from './definition.ts'
import type { Tool, ToolErrorKind, ToolResult } from './model.ts'
import { type ResultLimits, readOutput } from './result.ts'
import { parseWith, withoutNullOptionals } from './schema.ts'

/** The options of `invokeTool`: the context of the tool, and its limits. */
export interface InvokeOptions extends ResultLimits {
  /** The conversation up to and with the message that made the call. Default: none. */
  readonly messages?: readonly Message[]
  /** Cancels the tool. */
  readonly signal?: AbortSignal
  /** Receives the tool's progress while it runs, and nothing after its end. */
  readonly progress?: (data: unknown) => void
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
export const notRun = 'The run was cancelled before the tool ran'

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
  const unfollow = follow(options.signal, stopping)
  const timer = after(timeoutMs, () => stopping.abort(timedOut))
  let isOver = false
  const progress = (data: unknown) => {
    if (!isOver) options.progress?.(data)
  }
  try {
    return await unlessAborted(run(tool, call, options, signal, progress), signal)
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
const timedOut: DOMException = new DOMException('The tool had its time', 'TimeoutError')

async function run(
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
    const value = await tool.execute(args as never, { call, messages: options.messages ?? [], signal, progress })
    return resultOf(call, readOutput(value, options), { value })
  } catch (cause) {
    return failed(call, 'execution', describe(cause), cause)
  }
}

/** Whether a call's arguments match the parameters of its tool. */
export async function argumentsFit(tool: Tool, call: ToolCall): Promise<boolean> {
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
