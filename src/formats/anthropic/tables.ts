/**
 * Anthropic Messages: tables from its values to isoglot's values and back.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons (read 2026-11)
 *
 * @module
 */

import type { LateInstructions, Rules } from '../../core/codec.ts'
import type { ApiErrorKind } from '../../core/errors.ts'
import type { StopReason } from '../../core/model.ts'
import type { ErrorWords } from '../../kit/api-error.ts'
import type { Wire } from '../../kit/lacks.ts'
import type { WireEffort, WireImageType } from './wire.ts'

/** The name of the format, and the key of its stored unknown fields. */
export const format = 'anthropic'

/** The API's version. `2026-10-21` refuses sampling fields, documents in assistant turns and citations on user text. */
export type AnthropicVersion = '2023-06-01' | '2026-10-21'

/** The differences between hosts of this format. */
export interface AnthropicDialect {
  /** The provider's name. Only its proofs are sent. Default `anthropic`. */
  readonly provider?: string
  /** Default `2023-06-01`. */
  readonly version?: AnthropicVersion
  /** Adds the header without which the API refuses calls from web pages. Every visitor of the page can read the key. */
  readonly browser?: boolean
  /** Names of beta features, for the `anthropic-beta` header. */
  readonly beta?: readonly string[]
  /** `max_tokens` if the request does not set it, since the API requires it. Default: 8192, and 4096 for Claude 3. */
  readonly maxTokens?: number
  /** Whether the host accepts thinking without a signature in requests: DeepSeek, Kimi, GLM, MiniMax. Default false. */
  readonly unsignedThinking?: boolean
  /** How later system and developer messages are sent. Default: at their place, as user text between tags. */
  readonly lateInstructions?: LateInstructions
}

/** Stop reasons by Anthropic's value. Anthropic adds values without notice. An unknown value becomes `other`. */
export const stopReasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  pause_turn: 'pause', // a server tool takes long: if the turn is sent back unchanged, the model continues it
  compaction: 'pause',
  refusal: 'refusal',
  sensitive: 'content_filter', // seen in answers, but not documented
}

/**
 * Anthropic's values by stop reason, for answers of other formats. An incomplete answer has `null`, as a stream that was cut off.
 */
export const wireStopReasons: Readonly<Record<StopReason, string | null>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  other: 'end_turn',
  max_rounds: 'tool_use',
  interrupted: null,
  error: null,
  aborted: null,
}

/** The efforts that Anthropic has. `none` switches thinking off. */
export const efforts: readonly WireEffort[] = ['low', 'medium', 'high', 'xhigh', 'max']
/** The minimum of `budget_tokens`. */
export const minBudgetTokens = 1024

/** Matches names of Claude models. On Bedrock, the vendor and often a region come before the name: `eu.anthropic.claude-…`. */
const claude = /^(?:[a-z]+\.)*claude-/
/** Matches Claude models up to 4.6, which take sampling fields and budgets. */
const older = /claude-(?:\d|instant|(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:[-@:.](?!\d{1,2}(?:$|[-@:]))|$))/
/** Matches Claude models up to 4.5, which do not have adaptive thinking. */
const budgetOnly = /claude-(?:\d|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:[-@:.](?!\d{1,2}(?:$|[-@:]))|$))/

/** Whether a model takes no sampling fields and no budgets, and thinks by default. False for models of other vendors. */
export function isNewer(model: string): boolean {
  return claude.test(model) && !older.test(model)
}
/** Whether a model has adaptive thinking, which an effort controls. */
export function isAdaptive(model: string): boolean {
  return claude.test(model) && !budgetOnly.test(model)
}
/** Returns `max_tokens` for a request without it, since the API requires it. Claude 3 allows at most 4096. */
export function defaultMaxTokens(model: string): number {
  return /claude-(?:3-(?:opus|sonnet|haiku)|[12]|instant)/.test(model) ? 4096 : 8192
}

/** The image types that Anthropic takes, by the first characters of their base64. */
export const imageTypes: Readonly<Record<string, WireImageType>> = {
  '/9j/': 'image/jpeg',
  iVBO: 'image/png',
  R0lG: 'image/gif',
  UklG: 'image/webp',
}

/** The types of citations whose title is in `document_title`. */
export const documentCitations: ReadonlySet<string> = new Set([
  'char_location',
  'page_location',
  'content_block_location',
])

const kinds: Readonly<Record<string, ApiErrorKind>> = {
  invalid_request_error: 'invalid_request',
  authentication_error: 'authentication',
  billing_error: 'permission',
  permission_error: 'permission',
  not_found_error: 'not_found',
  request_too_large: 'context_length',
  rate_limit_error: 'rate_limit',
  api_error: 'server',
  timeout_error: 'timeout',
  overloaded_error: 'overloaded',
}
export const errorWords: ErrorWords = {
  provider: format,
  kinds,
  final: new Set(), // spending limits are in `details`: see `decodeError`
}
/** Anthropic's error type and HTTP status by kind of error. */
export const wireErrors: Readonly<Record<ApiErrorKind, readonly [type: string, status: number]>> = {
  authentication: ['authentication_error', 401],
  permission: ['permission_error', 403],
  invalid_request: ['invalid_request_error', 400],
  not_found: ['not_found_error', 404],
  context_length: ['invalid_request_error', 400],
  rate_limit: ['rate_limit_error', 429],
  overloaded: ['overloaded_error', 529],
  server: ['api_error', 500],
  timeout: ['timeout_error', 504],
}

/** Features that this format does not have. */
export function wireOf({ provider = format, unsignedThinking = false }: AnthropicDialect): Wire {
  return { format, provider, lacks, keepsReasoning: unsignedThinking, states: ['containerId'] }
}
const lacks: Wire['lacks'] = new Set([
  ...(['seed', 'frequencyPenalty', 'presencePenalty', 'formatDetails'] as const),
  ...(['names', 'refusals', 'imageDetail'] as const),
])

/** The rules of this format for `prepare`. */
export function rulesOf({ provider = format, unsignedThinking, lateInstructions }: AnthropicDialect): Rules {
  return {
    ...rules,
    provider,
    foreignReasoning: unsignedThinking ? 'keep' : 'drop',
    lateInstructions: lateInstructions === 'inline' ? 'keep' : (lateInstructions ?? 'user'),
  }
}
const rules: Rules = {
  format,
  provider: format,
  callId: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 },
  toolName: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 128 },
  resultMedia: new Set(['image', 'file', 'plain_text']),
  foreignReasoning: 'drop',
  lateInstructions: 'user',
  keepsOwnInstructions: true,
  userFirst: true,
  refusesEmpty: true,
  pairs: 'id',
}

// ---- known fields; other fields are kept -------------------------------------------------------

const fields = (...names: string[]): ReadonlySet<string> => new Set(names)

type Known =
  | 'text'
  | 'image'
  | 'document'
  | 'searchResult'
  | 'thinking'
  | 'redactedThinking'
  | 'call'
  | 'serverResult'
  | 'result'
  | 'tool'
  | 'message'
  | 'response'
  | 'delta'
  | 'deltaEvent'

export const knownFields: Readonly<Record<Known, ReadonlySet<string>>> = {
  text: fields('type', 'text', 'citations'),
  image: fields('type', 'source'),
  document: fields('type', 'source', 'title'),
  searchResult: fields('title'),
  thinking: fields('type', 'thinking', 'signature'),
  redactedThinking: fields('type', 'data'),
  call: fields('type', 'id', 'name', 'input'),
  serverResult: fields('tool_use_id', 'content'),
  result: fields('type', 'tool_use_id', 'content'),
  tool: fields('name', 'description', 'input_schema', 'strict'),
  message: fields('role', 'content'),
  response: fields('id', 'type', 'role', 'model', 'content', 'stop_reason', 'usage'),
  delta: fields('stop_reason'),
  deltaEvent: fields('type', 'delta', 'usage'),
}
