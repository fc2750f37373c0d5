/**
 * Gemini: its words, and ours for them.
 *
 * @see https://ai.google.dev/api/generate-content#FinishReason (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thinking (read 2026-11)
 *
 * @module
 */
import type { Rules } from '../../core/codec.ts'
import type { ApiErrorKind } from '../../core/errors.ts'
import type { ReasoningEffort, ServerToolResult, StopReason } from '../../core/model.ts'
import type { Wire } from '../../kit/lacks.ts'
import type { WireThinkingConfig } from './wire.ts'

/** In what a host of this format differs. */
export interface GeminiDialect {
  /** The provider: proofs of one are not sent to another. */
  readonly provider: string
  /** Where developer messages go: Gemini has no such role. */
  readonly developer: 'user' | 'system'
  /** Whether calls and results may carry ids; Vertex refuses them. */
  readonly callIds: boolean
  /** `json`: schemas go as they are; `openapi`: narrowed to the subset that old models and Vertex read. */
  readonly schemas: 'json' | 'openapi'
  /** Later system and developer messages: `hoist` them into the system text. Default: they stay, as tagged text of the user. */
  readonly lateInstructions?: 'hoist'
}

/** The Gemini Developer API. */
export const geminiDialect: GeminiDialect = { provider: 'gemini', developer: 'user', callIds: true, schemas: 'json' }

/** Why the model stopped. `STOP` stands for calls too; a word not in it reads as `other`. */
export const stopReasons: Readonly<Record<string, StopReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  MALFORMED_FUNCTION_CALL: 'error', // the model wrote a call that does not parse: `finishMessage` has the reason, and asking again may help
  UNEXPECTED_TOOL_CALL: 'error',
  TOO_MANY_TOOL_CALLS: 'error',
  MALFORMED_RESPONSE: 'error',
  CONTINUATION: 'pause', // the same request with the answer's `continuationToken` goes on
  OTHER: 'other',
  IMAGE_OTHER: 'other',
  NO_IMAGE: 'other',
  FINISH_REASON_UNSPECIFIED: 'other',
}

/** Finish reasons that we send as a server. A reason that this format lacks becomes the nearest one. */
export const finishReasons: Readonly<Record<StopReason, string>> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
  refusal: 'SAFETY',
  pause: 'OTHER',
  other: 'OTHER',
  interrupted: 'OTHER',
  error: 'OTHER',
  aborted: 'OTHER',
  max_rounds: 'STOP',
}

/** Gemini 3 and later think at a level, and cannot be kept from it. */
export const thinkingLevels: Readonly<
  Record<ReasoningEffort, Exclude<WireThinkingConfig['thinkingLevel'], undefined>>
> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
}
export const efforts: Readonly<Record<string, ReasoningEffort>> = {
  MINIMAL: 'minimal',
  LOW: 'low',
  MEDIUM: 'medium',
  HIGH: 'high',
}
/** Gemini 2.5 thinks within a budget of tokens. */
export const thinkingBudgets: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16384,
  xhigh: 24576,
  max: 32768,
}
/** The least and the most that a family of 2.5 takes, in tokens. */
export const budgetLimits: { readonly pro: readonly [number, number]; readonly flash: readonly [number, number] } = {
  pro: [128, 32768],
  flash: [0, 24576],
}

/** How running code ended. */
export const outcomes: Readonly<Record<string, Exclude<ServerToolResult['status'], undefined>>> = {
  OUTCOME_OK: 'success',
  OUTCOME_FAILED: 'error',
  OUTCOME_DEADLINE_EXCEEDED: 'error',
}

/** `error.status`, by what it means. */
export const errorKinds: Readonly<Record<string, ApiErrorKind>> = {
  INVALID_ARGUMENT: 'invalid_request',
  FAILED_PRECONDITION: 'permission', // the region, or billing
  OUT_OF_RANGE: 'invalid_request',
  UNAUTHENTICATED: 'authentication',
  PERMISSION_DENIED: 'permission',
  NOT_FOUND: 'not_found',
  RESOURCE_EXHAUSTED: 'rate_limit',
  CANCELLED: 'server',
  INTERNAL: 'server',
  UNKNOWN: 'server',
  UNAVAILABLE: 'overloaded',
  DEADLINE_EXCEEDED: 'timeout',
}
/** The HTTP status that we answer as a server, and the name that matches it. */
export const errorStatuses: Readonly<Record<ApiErrorKind, readonly [code: number, status: string]>> = {
  invalid_request: [400, 'INVALID_ARGUMENT'],
  context_length: [400, 'INVALID_ARGUMENT'],
  authentication: [401, 'UNAUTHENTICATED'],
  permission: [403, 'PERMISSION_DENIED'],
  not_found: [404, 'NOT_FOUND'],
  rate_limit: [429, 'RESOURCE_EXHAUSTED'],
  server: [500, 'INTERNAL'],
  overloaded: [503, 'UNAVAILABLE'],
  timeout: [504, 'DEADLINE_EXCEEDED'],
}

/** The placeholder that Google documents for calls that another model made; it is valid base64 by chance. */
export const unsignedCall = 'skip_thought_signature_validator'

/** The maximum number of stop sequences in a request. */
export const maxStopSequences = 5

type KnownObject =
  | ('response' | 'candidate' | 'content' | 'request')
  | ('inlineData' | 'fileData' | 'codeExecutionResult' | 'toolCall' | 'toolResponse')
  | ('functionCall' | 'functionResponse')

/** Fields with a word of ours; every other one is kept under `providerData.gemini`. */
export const knownFields: Readonly<Record<KnownObject, ReadonlySet<string>>> = {
  response: new Set(['candidates', 'usageMetadata', 'modelVersion', 'responseId']),
  candidate: new Set(['content', 'finishReason', 'index']),
  content: new Set(['role', 'parts']),
  request: new Set(['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'model']),
  inlineData: new Set(['mimeType', 'data']),
  fileData: new Set(['mimeType', 'fileUri']),
  codeExecutionResult: new Set(['id', 'output']),
  toolCall: new Set(['id', 'toolType', 'args']),
  toolResponse: new Set(['id', 'toolType', 'response']),
  functionCall: new Set(['id', 'name', 'args', 'partialArgs', 'willContinue']),
  functionResponse: new Set(['id', 'name', 'response', 'parts']),
}

/** Features that this format lacks. */
export function wireOf({ provider }: GeminiDialect): Wire {
  return { format: 'gemini', provider, lacks, keepsReasoning: true, states: ['continuationToken'] }
}
const lacks: Wire['lacks'] = new Set([
  ...(['parallelToolCalls', 'user', 'formatDetails', 'strictTools', 'names', 'cacheHints', 'citations'] as const),
  ...(['refusals', 'titles', 'imageDetail', 'filenames', 'transcripts'] as const),
])

/** The rules of this format for `prepare`. */
export function rulesOf(dialect: GeminiDialect): Rules {
  return {
    format: 'gemini',
    provider: dialect.provider,
    callId: { pattern: /^[\x21-\x7e]+$/, maxLength: 256 },
    toolName: { pattern: /^[A-Za-z_][\w.:-]*$/, maxLength: 128 },
    resultMedia: new Set(['image', 'audio', 'video', 'file'] as const),
    foreignReasoning: 'drop',
    lateInstructions: dialect.lateInstructions ?? 'user',
    userFirst: true,
    refusesEmpty: true,
    pairs: 'name',
  }
}

/** Whether a model is of the third generation or later; the aliases `…-latest` are, since 2026. */
export function isGemini3(model: string): boolean {
  if (isAlias(model)) return true
  const generation = /gemini-(\d+)/i.exec(model)?.[1]
  return generation !== undefined && Number(generation) >= 3
}

/** `gemini-flash-latest` and its like name no model: what answers is another one every few months. */
export function isAlias(model: string): boolean {
  return /-latest$/i.test(model)
}
