/**
 * Anthropic Messages: tables of its words and ours.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons (read 2026-11)
 *
 * @module
 */

import type { LateInstructions, Rules } from '../../core/codec.ts'
import type { ApiErrorKind } from '../../core/errors.ts'
import type { ReasoningEffort, StopReason } from '../../core/model.ts'
import type { ErrorWords } from '../../kit/api-error.ts'
import type { Wire } from '../../kit/lacks.ts'
import type { WireEffort, WireImageType } from './wire.ts'

/** The name of the format, and the key of the unknown fields that are kept for it. */
export const format = 'anthropic'

/** The API's version. `2026-10-21` refuses sampling fields, documents in assistant turns and citations on user text. */
export type AnthropicVersion = '2023-06-01' | '2026-10-21'

/** The differences between hosts of this format. */
export interface AnthropicDialect {
  /** The provider's name, whose proofs are valid here. Default `anthropic`. */
  readonly provider?: string
  /** Default `2023-06-01`. */
  readonly version?: AnthropicVersion
  /** Adds the header without which the API refuses calls from web pages. Every visitor of the page can read the key. */
  readonly browser?: boolean
  /** Names of beta features, for the `anthropic-beta` header. */
  readonly beta?: readonly string[]
  /** `max_tokens`, which this wire requires, where the request names none. Default: 8192, and 4096 for Claude 3. */
  readonly maxTokens?: number
  /** The host takes thinking without a signature back: DeepSeek, Kimi, GLM, MiniMax. Default false. */
  readonly unsignedThinking?: boolean
  /** Where later system and developer messages go. Default: they stay, as tagged text of the user. */
  readonly lateInstructions?: LateInstructions
}

/** Why the model stopped. The list grows without notice; a word not in it reads as `other`. */
export const stopReasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  pause_turn: 'pause', // a server tool ran long: send the turn back as it is, and it goes on
  compaction: 'pause',
  refusal: 'refusal',
  sensitive: 'content_filter', // seen on the wire, in no document
}

/**
 * Ours to its, for answers made elsewhere. An answer that did not end properly has no stop reason: `null`, as for a stream that was cut.
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

/** Efforts it knows. `none` is said by switching thinking off. */
export const efforts: Readonly<Record<Exclude<ReasoningEffort, 'none'>, WireEffort>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
}
/** The least that `budget_tokens` may be. */
export const minBudgetTokens = 1024

/** Bedrock writes the vendor before the name, and often a region before both: `eu.anthropic.claude-…`. */
const claude = /^(?:[a-z]+\.)*claude-/
/** Claude models up to 4.6, which take sampling fields and budgets. */
const older = /claude-(?:\d|instant|(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:[-@:.](?!\d{1,2}(?:$|[-@:]))|$))/
/** Claude models up to 4.5, which do not think adaptively. */
const budgetOnly = /claude-(?:\d|instant|(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:[-@:.](?!\d{1,2}(?:$|[-@:]))|$))/

/** Whether a model takes no sampling fields and no budgets, and thinks by default. False for models of other vendors. */
export function isNewer(model: string): boolean {
  return claude.test(model) && !older.test(model)
}
/** Whether a model thinks adaptively, by effort. */
export function isAdaptive(model: string): boolean {
  return claude.test(model) && !budgetOnly.test(model)
}
/** `max_tokens` if the request has none: the wire requires it, and Claude 3 allows no more than 4096. */
export function defaultMaxTokens(model: string): number {
  return /claude-(?:3-(?:opus|sonnet|haiku)|[12]|instant)/.test(model) ? 4096 : 8192
}

/** Types of images it takes, by the first characters of their base64. */
export const imageTypes: Readonly<Record<string, WireImageType>> = {
  '/9j/': 'image/jpeg',
  iVBO: 'image/png',
  R0lG: 'image/gif',
  UklG: 'image/webp',
}

/** The citations that call their title a document's. */
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
  final: new Set(), // spend limits stand in `details`: see `decodeError`
}
/** Its word and status for each kind of failure. */
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

/** Features that this format lacks. */
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
  userFirst: true,
  refusesEmpty: true,
  pairs: 'id',
}

// ---- fields we know; the others are kept -------------------------------------------------------

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
