/**
 * Anthropic Messages: the words of this format in both directions, its fields, and what its hosts lack.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons (read 2026-11)
 *
 * @module
 */
import type { LateInstructions } from '../../core/codec.ts'
import type { ApiErrorKind } from '../../core/errors.ts'
import { arrayOf, isObject } from '../../core/json.ts'
import type { JsonObject, StopReason } from '../../core/messages.ts'
import type { Feature, Target } from '../../core/target.ts'
import { fitting, type SchemaRules } from '../shared/fit-schema.ts'
import { narrowSchema } from '../shared/narrow-schema.ts'
import type { WireEffort } from './wire.ts'

/** The name of the format, and the key of its stored unknown fields. */
export const format = 'anthropic'

/** The API's version. `2026-10-21` refuses sampling fields, documents in assistant turns and citations on user text. */
export type AnthropicVersion = '2023-06-01' | '2026-10-21'
/** The version that refuses more. */
export const strictVersion: AnthropicVersion = '2026-10-21'

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

/** A Claude model and its version. On Bedrock, the vendor and often a region come before the name: `eu.anthropic.claude-…`. */
const claude = /^(?:[a-z]+\.)*claude-(?:(?:[a-z]+-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d))?/

/** The version of a Claude model: 406 for 4.6. Endless if its name has no version, and 0 for models of other vendors. */
function versionOf(model: string): number {
  const found = claude.exec(model)
  if (found === null) return 0
  const [, major, minor = '0'] = found
  return major === undefined ? Number.POSITIVE_INFINITY : Number(major) * 100 + Number(minor)
}

/** Whether a model takes no sampling fields and no budgets, and thinks by default. False for models of other vendors. */
export function isNewer(model: string): boolean {
  return versionOf(model) > 406
}
/** Whether a model has adaptive thinking, which an effort controls. */
export function isAdaptive(model: string): boolean {
  return versionOf(model) > 405
}
/** Whether a model refuses a forced call beside this thinking: each one beside a budget, and beside adaptive thinking those before 4.8. */
export function refusesForcedCalls(model: string, thinking: string | undefined): boolean {
  return thinking === 'enabled' || (thinking === 'adaptive' && versionOf(model) < 408)
}
/** Returns `max_tokens` for a request without it, since the API requires it. Claude 3 allows at most 4096. */
export function defaultMaxTokens(model: string): number {
  const version = versionOf(model)
  return version > 0 && version <= 300 ? 4096 : 8192
}

/** The file types that the first characters of base64 show. */
export const typesByStart: Readonly<Record<string, string>> = {
  '/9j/': 'image/jpeg',
  iVBO: 'image/png',
  R0lG: 'image/gif',
  UklG: 'image/webp',
  JVBE: 'application/pdf',
}

/** Kinds of errors by Anthropic's type. */
export const errorKinds: Readonly<Record<string, ApiErrorKind>> = {
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

const unsupported: readonly Feature[] = [
  'seed',
  'frequencyPenalty',
  'presencePenalty',
  'formatDetails',
  'names',
  'refusals',
  'imageDetail',
]

/**
 * The schemas that Anthropic takes. "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'." Of a strict tool, it takes
 * the keywords that it takes of answers, and nothing that refers to itself.
 */
const schemas: SchemaRules = {
  names: { pattern: /^[a-zA-Z0-9_.-]+$/, maxLength: 64 },
  strict: { references: 'inline', takes: (schema) => schema.$defs === undefined && !narrowSchema(schema).isShort },
}

/** What a server of this format takes. */
export function targetOf(dialect: AnthropicDialect): Target {
  const { provider = format, unsignedThinking, lateInstructions, version } = dialect
  return {
    format,
    provider,
    title: 'Anthropic',
    unsupported: new Set(version === strictVersion ? [...unsupported, 'inputCitations'] : unsupported),
    states: ['containerId'],
    fitTool: fitting(schemas),
    callId: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 },
    toolName: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 128 },
    resultMedia: new Set(['image', 'file']),
    foreignReasoning: unsignedThinking ? 'keep' : 'drop',
    lateInstructions: lateInstructions === 'inline' ? 'keep' : (lateInstructions ?? 'user'),
    keepsOwnInstructions: true,
    userFirst: true,
    refusesEmpty: true,
    pairsHosted: 'unless paused',
    resumesPaused: true,
    textErrors: true,
  }
}

// ---- usage --------------------------------------------------------------------------------------

/**
 * The steps of an answer that its own figures leave out: compactions, advice of another model, and what a model wrote before it declined and
 * another one answered. A model that declines before it writes is not paid.
 */
export function stepsBeside({ iterations }: JsonObject): JsonObject[] {
  const steps = arrayOf(iterations).filter(isObject)
  const answered = steps.find(isFallback)?.model
  return steps.filter((step) => {
    if (step.type !== 'message') return !isFallback(step)
    return (
      answered !== undefined && typeof step.model === 'string' && step.model !== answered && step.output_tokens !== 0
    )
  })
}

/** Whether a step is the answer of a model that was asked after another one declined. */
export function isFallback({ type }: JsonObject): boolean {
  return type === 'fallback_message'
}
