/** Runs a call. Whatever goes wrong is a result that the model can read, and never an exception. @module */
import { isObject } from '../lookup.ts'
import type {
  Content,
  ContentBlock,
  InvalidToolCall,
  JsonObject,
  JsonSchema,
  Message,
  ToolCall,
  ToolMessage,
} from '../model.ts'
import { checkArguments } from './check.ts'
import { isRunnable, type Tool, type ToolOutput } from './tool.ts'

export type ToolErrorKind =
  | 'unknown_tool'
  | 'invalid_arguments'
  | 'execution'
  | 'rejected'
  | 'duplicate'
  | 'timeout'
  | 'aborted'

/** How a call went. */
export interface ToolResult {
  readonly call: ToolCall | InvalidToolCall
  readonly toolCallId: string
  readonly name: string
  readonly status: 'success' | 'error'
  /** What the model sees. */
  readonly content: Content
  /** What `execute` returned, if it ran to its end. */
  readonly value?: unknown
  readonly error?: { readonly kind: ToolErrorKind; readonly message: string; readonly cause?: unknown }
  readonly artifacts?: readonly unknown[]
  readonly extra?: { readonly [key: string]: unknown }
}

export interface InvokeOptions {
  /** The conversation up to and with the message that made the call. */
  readonly messages: readonly Message[]
  readonly signal: AbortSignal
  readonly progress: (data: unknown) => void
  /** How long a tool may run, in milliseconds. Default 60,000. */
  readonly toolTimeoutMs?: number
  /** Longest text of a result, in UTF-16 units; more is cut, and said to be. Default 1 Mi. */
  readonly maxResultLength?: number
}

/** Runs one call of one of these tools. Never rejects. */
export async function invokeTool(
  call: ToolCall | InvalidToolCall,
  tools: ReadonlyMap<string, object>,
  options: InvokeOptions,
): Promise<ToolResult> {
  if (call.type === 'invalid_tool_call') return failed(call, 'invalid_arguments', call.error)
  const tool = tools.get(call.name)
  if (tool === undefined || !isRunnable(tool)) {
    const known = [...tools.keys()].map((name) => `"${name}"`).join(', ')
    return failed(call, 'unknown_tool', `Unknown tool "${call.name}"; the tools are: ${known || 'none'}`)
  }
  if (options.signal.aborted) return failed(call, 'aborted', 'The run was cancelled before the tool ran')
  let args: unknown
  try {
    args = await readArguments(tool, call)
  } catch (cause) {
    return failed(call, 'invalid_arguments', `The arguments do not fit: ${describe(cause)}`, cause)
  }
  return execute(tool, call, args, options)
}

/** The result as the message that answers the call. */
export function toToolMessage(result: ToolResult): ToolMessage {
  return {
    role: 'tool',
    toolCallId: result.toolCallId,
    name: result.name,
    content: result.content,
    status: result.status,
    ...(result.artifacts && { artifacts: result.artifacts }),
    ...(result.extra && { extra: result.extra }),
  }
}

/** A result for a call that was not run, or failed. */
export function failed(
  call: ToolCall | InvalidToolCall,
  kind: ToolErrorKind,
  message: string,
  cause?: unknown,
): ToolResult {
  return {
    call,
    toolCallId: call.id ?? '',
    name: call.name ?? '',
    status: 'error',
    content: message,
    error: { kind, message, ...(cause !== undefined && { cause }) },
  }
}

/** @throws {TypeError} if they do not fit. */
function readArguments(tool: Tool, call: ToolCall): unknown {
  if (tool.convert === false) return call.arguments
  const args = withoutNullOptionals(call.arguments, tool.parameters)
  if (tool.parse !== undefined) return tool.parse(args)
  const problems = checkArguments(args, tool.parameters ?? {})
  if (problems.length > 0) throw new TypeError(problems.slice(0, 10).join('; '))
  return args
}

/** Strict mode makes models write `null` for what they leave out; dropped, so that defaults apply. */
function withoutNullOptionals(args: JsonObject, schema: JsonSchema | undefined): JsonObject {
  const required = new Set(Array.isArray(schema?.required) ? schema.required : [])
  const entries = Object.entries(args).filter(([key, value]) => value !== null || required.has(key))
  return Object.fromEntries(entries)
}

async function execute(tool: Tool, call: ToolCall, args: unknown, options: InvokeOptions): Promise<ToolResult> {
  const timeoutMs = tool.timeoutMs ?? options.toolTimeoutMs ?? 60_000
  const controller = new AbortController()
  const cancelled = new Promise<ToolResult>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(abortedResult(call, controller.signal.reason, timeoutMs)))
  })
  const forward = () => controller.abort(options.signal.reason)
  options.signal.addEventListener('abort', forward, { once: true })
  const timer = setTimeout(() => controller.abort(timedOut), timeoutMs)
  const context = { call, messages: options.messages, signal: controller.signal, progress: options.progress }
  const ran = (async () => toResult(call, await tool.execute(args as never, context), options))()
  try {
    return await Promise.race([ran.catch((cause) => failed(call, 'execution', describe(cause), cause)), cancelled])
  } finally {
    clearTimeout(timer)
    options.signal.removeEventListener('abort', forward)
  }
}

const timedOut = Symbol('timed out')

function abortedResult(call: ToolCall, reason: unknown, timeoutMs: number): ToolResult {
  if (reason === timedOut) return failed(call, 'timeout', `The tool did not finish within ${timeoutMs} ms`)
  return failed(call, 'aborted', 'The run was cancelled while the tool ran')
}

function toResult(call: ToolCall, value: unknown, options: InvokeOptions): ToolResult {
  const output = isToolOutput(value) ? value : { content: toContent(value) }
  return {
    call,
    toolCallId: call.id,
    name: call.name,
    status: output.status ?? 'success',
    content: bounded(output.content ?? '', options.maxResultLength ?? 1024 * 1024),
    value,
    ...(output.artifacts && { artifacts: output.artifacts }),
    ...(output.extra && { extra: output.extra }),
  }
}

const outputFields: ReadonlySet<string> = new Set(['content', 'status', 'artifacts', 'extra'])

/** An object with fields of a {@link ToolOutput} and no others; a value that happens to have a `status` is a value. */
function isToolOutput(value: unknown): value is ToolOutput {
  if (!isObject(value)) return false
  const keys = Object.keys(value)
  const isOutput = keys.includes('content') || keys.includes('artifacts')
  return (
    isOutput && keys.every((key) => outputFields.has(key)) && ('content' in value ? isContent(value.content) : true)
  )
}

function isContent(value: unknown): value is Content {
  return typeof value === 'string' || isBlocks(value)
}

function isBlocks(value: unknown): value is ContentBlock[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((entry) => typeof (entry as ContentBlock)?.type === 'string')
  )
}

/** Strings and blocks stay, nothing says so, everything else is its JSON. */
function toContent(value: unknown): Content {
  if (typeof value === 'string') return value
  if (value === undefined) return 'Done'
  if (isBlocks(value)) return value
  const json = JSON.stringify(value, (_key, entry) => (typeof entry === 'bigint' ? String(entry) : entry))
  return json ?? String(value)
}

function bounded(content: Content, maxLength: number): Content {
  if (typeof content !== 'string' || content.length <= maxLength) return content
  return `${content.slice(0, maxLength)}\n[cut: ${content.length - maxLength} more characters]`
}

/** What to tell the model of something thrown: its message, never its stack. At most 4 Ki characters. */
function describe(cause: unknown): string {
  const text =
    cause instanceof Error ? cause.message || cause.name : typeof cause === 'string' ? cause : 'The tool failed'
  return text.slice(0, 4096)
}
