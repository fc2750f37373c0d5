/**
 * isoglot: one message model, every model API. The client, the model, messages and tools; each wire format is a path of its own.
 *
 * @module
 */

export { addUsage, subtractUsage } from './add-usage.ts'
export { assemble, stop } from './assemble/assemble.ts'
export type { AssembleOptions } from './assemble/assembly.ts'
export { collect, fold } from './assemble/fold.ts'
export { liveArguments } from './assemble/live-arguments.ts'
export type { LiveArguments } from './assemble/open-call.ts'
export { block, knownBlockTypes } from './block.ts'
export { applyEvent } from './client/apply-event.ts'
export { type Chat, type ChatSettings, createChat, type TurnOptions } from './client/chat.ts'
export type { Timeouts } from './client/deadline.ts'
export { type AnswerDecoder, type DecodeOptions, decodeAnswer } from './client/decode.ts'
export type { EchoMode } from './client/echo.ts'
export type { RunRequest } from './client/request.ts'
export type { RunOutcome, RunResponse, RunResult, StreamEvent } from './client/result.ts'
export { type Resumable, resumable } from './client/resume.ts'
export type { RetryOptions } from './client/retry.ts'
export { generate, type Run, stream } from './client/run.ts'
export {
  generateObject,
  type ObjectRequest,
  type ObjectResult,
  type ObjectRun,
  type PartialOutput,
  streamObject,
} from './client/structured.ts'
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
  OutputError,
  TimeoutError,
  UnsupportedError,
} from './errors.ts'
export type { HostedTool, UserLocation } from './hosted-tool.ts'
export { type Ledger, ledger, lose } from './losses.ts'
export { type MessageOptions, message } from './message.ts'
export { checkPrefix, type PrefixBreak } from './messages/check-prefix.ts'
export { contentBlocks, serverToolCalls, serverToolResults, toolCalls } from './messages/content-blocks.ts'
export { type CountOptions, countTokensApproximately } from './messages/count-tokens-approximately.ts'
export { countWords } from './messages/count-words.ts'
export { type ContextParts, createContext } from './messages/create-context.ts'
export { developerAsSystem } from './messages/developer-as-system.ts'
export { type FilterOptions, filterMessages } from './messages/filter-messages.ts'
export { type MessageChunk, mergeChunks } from './messages/merge-chunks.ts'
export { type MergeOptions, mergeRuns } from './messages/merge-runs.ts'
export type { MessageLike } from './messages/message-like.ts'
export { normalizeMessages, safeNormalizeMessages } from './messages/normalize.ts'
export { legalToolName, type Prepared, type PrepareOptions, prepare } from './messages/prepare.ts'
export { type PrintOptions, prettyPrint } from './messages/pretty-print.ts'
export type { RoleAlias } from './messages/roles.ts'
export type { Safe } from './messages/safe.ts'
export {
  deserializeContext,
  deserializeMessages,
  deserializeToolResult,
  type SerializedContext,
  type SerializedMessage,
  type SerializedToolResult,
  safeDeserializeContext,
  safeDeserializeMessages,
  safeDeserializeToolResult,
  serializeContext,
  serializeMessages,
  serializeToolResult,
} from './messages/serialize.ts'
export { type SplitBy, type Splitting, splitMessage, splitting } from './messages/split-message.ts'
export { toMessage } from './messages/to-message.ts'
export { type TrimOptions, trimMessages } from './messages/trim-messages.ts'
export { type BrokenLink, validateLinks } from './messages/validate-links.ts'
export type * from './model.ts'
export { type Machine, type Reducer, run } from './reducer.ts'
export type { AnyCall } from './tool-call.ts'
export {
  type Approval,
  type ApprovalOptions,
  type ApprovalRule,
  approval,
  signApproval,
  verifyApproval,
} from './tools/approval.ts'
export { type Budget, type BudgetLimits, budget, type RunProgress } from './tools/budget.ts'
export { definitionOf, isRunnable } from './tools/definition.ts'
export { failed, type InvokeOptions, invokeTool, toToolMessage } from './tools/invoke.ts'
export { type CallLedger, memoryLedger } from './tools/ledger.ts'
export type {
  Tool,
  ToolBehaviour,
  ToolContext,
  ToolErrorKind,
  ToolEvent,
  ToolOptions,
  ToolResult,
  Verdict,
} from './tools/model.ts'
export type { ResultLimits, ToolOutput } from './tools/result.ts'
export type { AnySchema, OutputOf, StandardIssue, StandardResult, StandardSchema } from './tools/schema.ts'
export { type ArgumentsOf, type ToolSpec, tool } from './tools/tool.ts'
export * as t from './tools/types.ts'
