/**
 * isoglot: one message model, every model API. This path has what an application needs to ask a model:
 *
 * - `stream`, `generate`, `generateObject`, `streamObject` and `createChat` ask a model. `applyEvent` shows a stream in a view. `wrapModel`
 *   wraps the answers of a model.
 * - `tool` and `t` make tools, and `approval` asks the user before a tool runs. `invokeTool` runs a single call.
 * - `budget`, `resumable`, `liveArguments` and `memoryCallLog` are options that contain their own code.
 * - `message` and `block` write messages, `textOf` and `blocksOf` read them.
 * - The errors, and the types that programs name.
 *
 * Each provider has a path with its models, such as `isoglot/anthropic`. Utilities for histories, and all types of messages, are in
 * `isoglot/messages`; readers of other libraries' messages in `isoglot/import`; the parts below `stream` in `isoglot/codec`.
 *
 * @module
 */

// ---- asking a model -----------------------------------------------------------------------------

export { applyEvent } from './client/apply-event.ts'
export { type Chat, type ChatSettings, createChat, type TurnOptions } from './client/chat.ts'
export type { Observer } from './client/hooks.ts'
export type { RunRequest } from './client/request.ts'
export type { RunOutcome, RunResult, StreamEvent } from './client/result.ts'
export { generate, type Run, stream } from './client/run.ts'
export {
  generateObject,
  type ObjectRequest,
  type ObjectResult,
  type ObjectRun,
  streamObject,
} from './client/structured.ts'
export { wrapModel } from './client/wrap-model.ts'
export type { ModelSettings } from './core/codec.ts'
export type { Model } from './core/question.ts'

// ---- tools --------------------------------------------------------------------------------------

export { type Approval, approval, signApproval, verifyApproval } from './tools/approval.ts'
export type { AnySchema, OutputOf } from './tools/definition.ts'
export { invokeTool, toToolMessage } from './tools/run.ts'
export * as t from './tools/schema-builder.ts'
export { type ToolSpec, tool } from './tools/tool.ts'
export type { Tool, ToolContext, ToolResult } from './tools/types.ts'

// ---- options that bring their own code ----------------------------------------------------------

export { liveArguments } from './assemble/live-arguments.ts'
export { resumable } from './client/resume.ts'
export { budget } from './tools/budget.ts'
export { memoryCallLog } from './tools/run.ts'
export type { CallLog } from './tools/types.ts'

// ---- messages -----------------------------------------------------------------------------------

export { blocksOf, textOf } from './core/content.ts'
export { message } from './core/message.ts'
export type {
  AssistantMessage,
  Content,
  ContentBlock,
  Context,
  InstructionMessage,
  Loss,
  Message,
  StopReason,
  ToolCall,
  ToolDefinition,
  ToolMessage,
  Usage,
  UserMessage,
} from './core/messages.ts'
export { block } from './messages/block.ts'
export type { MessageLike } from './messages/message-like.ts'

// ---- errors -------------------------------------------------------------------------------------

export {
  type AnyIsoglotError,
  ApiError,
  type ApiErrorKind,
  ConnectionError,
  DecodeError,
  InterruptedError,
  IsoglotError,
  LimitError,
  OutputError,
  TimeoutError,
  UnsupportedError,
} from './core/errors.ts'
