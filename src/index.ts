/**
 * isoglot: one message model, every model API. The client, the model, messages and tools; each wire format is a path of its own.
 *
 * @module
 */
export { type AssembleOptions, assemble, stop } from './assemble/assemble.ts'
export type { LiveArguments } from './assemble/calls.ts'
export { collect, fold } from './assemble/fold.ts'
export type { Timeouts } from './client/deadline.ts'
export { type AnswerDecoder, type DecodeOptions, decodeAnswer } from './client/decode.ts'
export type { Budget, RunOutcome, RunProgress } from './client/limits.ts'
export type { RunResult, StreamEvent } from './client/loop.ts'
export type { RunRequest, Verdict } from './client/request.ts'
export type { RetryOptions } from './client/retry.ts'
export { generate, type Run, stream } from './client/run.ts'
export type { AnyCall, ToolEvent } from './client/tools.ts'
export type * from './codec.ts'
export { blocksOf, blocksOfTurn, canRunTools, textOf, toolCallsOf } from './content.ts'
export {
  type AnyIsoglotError,
  ApiError,
  type ApiErrorDetails,
  type ApiErrorKind,
  ConnectionError,
  DecodeError,
  InterruptedError,
  IsoglotError,
  LimitError,
  TimeoutError,
  UnsupportedError,
} from './errors.ts'
export { legalToolName, type Prepared, prepare } from './messages/prepare.ts'
export type * from './model.ts'
export { type Machine, type Reducer, run } from './reducer.ts'
export { type Approval, type CallLedger, memoryLedger, signApproval, verifyApproval } from './tools/approval.ts'
export { failed, invokeTool, type ToolErrorKind, type ToolResult, toToolMessage } from './tools/invoke.ts'
export {
  type ArgumentsOf,
  isRunnable,
  type StandardSchema,
  type Tool,
  type ToolBehaviour,
  type ToolContext,
  type ToolOutput,
  type ToolSpec,
  tool,
} from './tools/tool.ts'
export * as t from './tools/types.ts'
