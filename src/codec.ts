/**
 * The parts below `stream`, for your own transport, your own tool loop, or a codec:
 *
 * - A codec of your own: `httpModel` makes a model of it; `decodeSse` and `decodeNdjson` read its frames.
 * - Decode: `decodeAnswer` reads the bytes of an answer. `assemble`, `stop`, `fold` and `collect` make messages from the output of a codec.
 * - Encode: `prepare` makes a request one that a `Target` takes; pass its `offered` to the decoder. `reportLoss` reports what a format cannot express.
 * - Tools: `definitionOf`, `isRunnable` and `failed`.
 * - The types of a codec, and of options that programs seldom name.
 *
 * The codecs themselves are in the paths of their formats, such as `isoglot/anthropic`.
 *
 * @module
 */

// ---- what a codec is ----------------------------------------------------------------------------

export type {
  BlockKey,
  CallFragment,
  ClientCodec,
  CodecOptions,
  DecodedCalls,
  DecodedRequest,
  DecodeRequestOptions,
  DecodeResponseOptions,
  DecodeStreamOptions,
  DecodeToolCallsOptions,
  EncodedRequest,
  EncodedResponse,
  EncodeRequestOptions,
  ErrorAnswer,
  Fragment,
  Frame,
  LateInstructions,
  Offered,
  OwnCall,
  ParameterNames,
  PortedRequest,
  PortTarget,
  Reply,
  ServerCodec,
  StreamEncoder,
} from './core/codec.ts'
export type { Machine, Reducer } from './core/reducer.ts'
export type { Feature, Target, ToolFitting } from './core/target.ts'
export type { SchemaRules } from './formats/shared/fit-schema.ts'
export type { GatewayFormat } from './formats/shared/gateway-format.ts'
export type { HostedTool, UserLocation } from './formats/shared/hosted-tool.ts'

// ---- to encode ----------------------------------------------------------------------------------

export { type Losses, reportLoss } from './formats/shared/losses.ts'
export { type Prepared, prepare } from './prepare/prepare.ts'

// ---- to decode ----------------------------------------------------------------------------------

export { type DecodeOptions, decodeAnswer, type HttpSettings, httpModel } from './ask/http-model.ts'
export type { AssembleOptions } from './assemble/assemble.ts'
export { assemble, collect, fold, stop } from './assemble/assemble.ts'
export type { AnswerDecoder } from './core/codec.ts'
export type { ApiErrorDetails } from './core/errors.ts'
export type { HttpModel } from './core/question.ts'
export { decodeNdjson, decodeSse } from './framing/text.ts'

// ---- to run tools -------------------------------------------------------------------------------

export type { StandardIssue, StandardResult, StandardSchema } from './tools/definition.ts'
export { definitionOf, isRunnable } from './tools/definition.ts'
export { failed, type InvokeOptions } from './tools/run.ts'
export type { ArgumentsOf } from './tools/tool.ts'
export type {
  AnyTools,
  CallOf,
  ResultLimits,
  ResultOf,
  ToolBehaviour,
  ToolErrorKind,
  ToolEvent,
  ToolOptions,
  ToolOutput,
  ToolVerdict,
} from './tools/types.ts'

// ---- options and results of a run, by their parts -----------------------------------------------

export type { RetryOptions, Timeouts } from './ask/transport.ts'
export type { LiveArguments } from './assemble/assemble.ts'
export type { EchoMode } from './client/echo.ts'
export type { RunResponse } from './client/result.ts'
export type { Resumable } from './client/resume.ts'
export type { PartialOutput } from './client/value.ts'
export type { ApprovalOptions, ApprovalRule } from './tools/approval.ts'
export type { Budget, BudgetLimits, RunProgress } from './tools/budget.ts'
