/**
 * Bedrock Converse: the words of this format in both directions, and its fields.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (read 2026-11)
 *
 * @module
 */

import type { ApiErrorKind } from '../../core/errors.ts'
import type { Loss, StopReason } from '../../core/messages.ts'
import type { ErrorWords } from '../shared/api-error.ts'
import * as lackReasons from '../shared/reasons.ts'

/** The name of the format. Fields that are kept for this format are stored under this key. */
export const format = 'bedrock-converse'
/** The name of the provider. */
export const provider = 'bedrock'
/** The prefix of a generated id. A call without an id gets this prefix and a number. */
export const idPrefix = 'tooluse_isoglot_'

/** Stop reasons by Bedrock's `stopReason`. A word that is not in the table reads as `other`. */
export const stopReasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
  malformed_tool_use: 'error',
  malformed_model_output: 'error',
}

/** Bedrock's `stopReason` for each stop reason. */
export const wireStopReasons: Readonly<Record<StopReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'content_filtered',
  refusal: 'content_filtered',
  pause: 'end_turn',
  other: 'end_turn',
  max_rounds: 'tool_use',
  interrupted: 'malformed_model_output',
  error: 'malformed_model_output',
  aborted: 'malformed_model_output',
}

/** Bedrock's media formats by MIME type. */
export const mediaFormats: Readonly<
  Record<'image' | 'video' | 'audio' | 'document', Readonly<Record<string, string>>>
> = {
  image: { 'image/png': 'png', 'image/jpeg': 'jpeg', 'image/jpg': 'jpeg', 'image/gif': 'gif', 'image/webp': 'webp' },
  video: {
    'video/mp4': 'mp4',
    'video/quicktime': 'mov',
    'video/webm': 'webm',
    'video/x-matroska': 'mkv',
    'video/mpeg': 'mpeg',
    'video/x-ms-wmv': 'wmv',
    'video/3gpp': 'three_gp',
    'video/x-flv': 'flv',
  },
  audio: {
    'audio/mpeg': 'mp3',
    'audio/mp3': 'mp3',
    'audio/wav': 'wav',
    'audio/opus': 'opus',
    'audio/aac': 'aac',
    'audio/flac': 'flac',
    'audio/mp4': 'mp4',
    'audio/ogg': 'ogg',
    'audio/webm': 'webm',
  },
  document: {
    'application/pdf': 'pdf',
    'text/csv': 'csv',
    'text/html': 'html',
    'text/plain': 'txt',
    'text/markdown': 'md',
    'application/msword': 'doc',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/vnd.ms-excel': 'xls',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  },
}

/** The kinds of errors, by their names in the API. In streams, these names start with a lower-case letter. */
const kinds: Readonly<Record<string, ApiErrorKind>> = {
  ValidationException: 'invalid_request',
  ServiceQuotaExceededException: 'rate_limit',
  AccessDeniedException: 'permission',
  UnrecognizedClientException: 'authentication',
  InvalidSignatureException: 'authentication',
  ExpiredTokenException: 'authentication',
  MissingAuthenticationTokenException: 'authentication',
  IncompleteSignatureException: 'authentication',
  ResourceNotFoundException: 'not_found',
  ModelTimeoutException: 'timeout',
  ModelErrorException: 'server',
  ModelStreamErrorException: 'server',
  ThrottlingException: 'rate_limit',
  ModelNotReadyException: 'overloaded',
  InternalServerException: 'server',
  ServiceUnavailableException: 'overloaded',
}
export const errorWords: ErrorWords = { provider, kinds, final: new Set(['ServiceQuotaExceededException']) }

/** Bedrock's name and status for each kind of error. */
export const wireErrors: Readonly<Record<ApiErrorKind, readonly [name: string, status: number]>> = {
  authentication: ['UnrecognizedClientException', 403],
  permission: ['AccessDeniedException', 403],
  invalid_request: ['ValidationException', 400],
  not_found: ['ResourceNotFoundException', 404],
  context_length: ['ValidationException', 400],
  rate_limit: ['ThrottlingException', 429],
  overloaded: ['ServiceUnavailableException', 503],
  server: ['InternalServerException', 500],
  timeout: ['ModelTimeoutException', 408],
}

/** The reasons that are reported with losses. */
export const reasons = {
  remote: 'Bedrock takes media as data or by an address of S3: fetch it and send its data',
  mediaType: 'Bedrock does not have this type of media',
  assistantMedia: 'an assistant says text here',
  onlyText: 'only text may stand here',
  reasoning: 'reasoning goes back only with a signature of its own',
  documentText: 'a message with a document needs a text',
  noNone: 'Bedrock has no "none", and the calls of the history need their tools',
  stub: 'calls of the history need the definitions of their tools: one without a schema was made',
  jsonInWords: 'Bedrock has no JSON mode without a schema: the model is asked for JSON',
  lateFields: 'they came when the block had begun',
  thinking: 'a model that thinks does not take it',
  lateThinking: 'what began without thinking goes on without',
  forced: 'a model that thinks cannot be forced to call: it may choose',
  choice: 'this model takes no choice of a tool',
  oneSampling: 'this model takes the temperature or topP: the temperature is sent',
  schema: 'this model takes no such schema for its answer: the system text has it',
  narrowed: 'the keywords that it refuses are in the descriptions',
  prefill: 'a beginning of an answer may not end in white space',
  cachePlace: 'a cache point may not follow a document, a video or reasoning',
  cachePoints: 'a request has at most 4 cache points: the last ones are sent',
} as const

/** The block types that this format does not support, with the reason and severity of the loss. */
export const leftOut: Readonly<Record<string, readonly [string, Loss['severity']]>> = {
  citation: [lackReasons.citation, 'minor'],
  unknown: [lackReasons.foreignBlock, 'minor'],
  server_tool_call: [lackReasons.serverTool, 'minor'],
  server_tool_call_chunk: [lackReasons.chunk, 'minor'],
  server_tool_result: [lackReasons.serverTool, 'minor'],
  tool_call_chunk: [lackReasons.chunk, 'minor'],
}
