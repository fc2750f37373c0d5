/**
 * Gemini Interactions: the words of this format in both directions, its fields, and what its hosts lack.
 *
 * @see https://ai.google.dev/api/interactions-api (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/api-errors (read 2026-11)
 *
 * @module
 */
import type { ApiErrorKind } from '../../core/errors.ts'
import { lookup } from '../../core/json.ts'
import type { StopReason } from '../../core/messages.ts'
import type { Target } from '../../core/target.ts'
import type { ErrorWords } from '../shared/api-error.ts'
import { fitting } from '../shared/fit-schema.ts'
import { schemaRules } from '../shared/google.ts'
import type { WireGenerationConfig } from './wire.ts'

/** The name of the format. */
export const format = 'gemini-interactions'

/** The name of the provider. Proofs of other providers are not sent to it. */
export const provider = 'gemini'

/** The name of the format for people, in losses and errors. */
export const title = 'Gemini Interactions'

/** The prefix of generated ids; a number follows. Calls without an id get such an id. */
export const idPrefix = 'call_'

/** The limits of ids and names are not documented; these values are safe. */
const target: Target = {
  format,
  provider,
  title,
  unsupported: new Set([
    ...(['topK', 'frequencyPenalty', 'presencePenalty', 'parallelToolCalls', 'user', 'formatDetails'] as const),
    ...(['strictTools', 'names', 'cacheHints', 'inputCitations', 'refusals', 'titles'] as const),
    ...(['filenames', 'transcripts'] as const),
  ]),
  states: ['previousResponseId', 'continuationToken'],
  fitTool: /* @__PURE__ */ fitting(schemaRules),
  callId: { pattern: /^[A-Za-z0-9_-]+$/, maxLength: 64 },
  toolName: { pattern: /^[A-Za-z_][\w.:-]*$/, maxLength: 128 },
  resultMedia: new Set(['image', 'audio', 'video', 'file'] as const),
  foreignReasoning: 'drop',
  lateInstructions: 'user',
  userFirst: true,
  refusesEmpty: true,
  chains: true,
}

/** What a model takes. Models before Gemini 3 take only text in results. */
export function targetOf(model: string): Target {
  return /gemini-[12](?!\d)/i.test(model) ? { ...target, resultMedia: new Set() } : target
}

/** Whether a model refuses a call without a signature in the round that it continues. It is false for an unknown name. */
export function checksSignatures(model: string): boolean {
  return /gemini-(?:[3-9]|\d\d)/i.test(model)
}

/** The stop reason for each status of an answer. `failed` is not in the table, because it is an error. An unknown status is read as `other`. */
const statuses: Readonly<Record<string, StopReason>> = {
  completed: 'stop',
  incomplete: 'length',
  budget_exceeded: 'length',
  requires_continuation: 'pause', // the client sends the same request with the answer's token to continue
  cancelled: 'aborted',
}

/** Returns the stop reason for a status. `requires_action` means a turn with calls, or a turn that waits for something else. */
export function readStopReason(status: string, hasCalls: boolean): StopReason {
  if (status === 'requires_action') return hasCalls ? 'tool_calls' : 'pause'
  return lookup(statuses, status) ?? 'other'
}

/** The status for each stop reason. `isSaid` is false if the wire has no status with exactly this meaning. */
const statusWords: Readonly<Record<StopReason, readonly [status: string, isSaid: boolean]>> = {
  stop: ['completed', true],
  tool_calls: ['requires_action', true],
  length: ['incomplete', true],
  content_filter: ['failed', true],
  refusal: ['completed', false],
  pause: ['requires_action', true],
  other: ['completed', false],
  interrupted: ['incomplete', false],
  error: ['failed', true],
  aborted: ['cancelled', true],
  max_rounds: ['completed', false],
}

/**
 * Returns the status for a stop reason. `word` is the status that was received: it is returned unchanged if it still matches the stop reason.
 * `isSaid` is false if the status does not express the stop reason exactly.
 */
export function statusOf(
  reason: StopReason,
  word: string | undefined,
  hasCalls: boolean,
): { readonly status: string; readonly isSaid: boolean } {
  const isKnown = word !== undefined && lookup(statuses, word) !== undefined
  // A client continues after `requires_continuation` without asking its user, and needs a token for that. So this status is not sent again.
  if (isKnown && word !== 'requires_continuation' && readStopReason(word, hasCalls) === reason) {
    return { status: word, isSaid: true }
  }
  const [status, isSaid] = statusWords[reason]
  return { status, isSaid }
}

/** The thinking levels. The wire cannot switch thinking off, and its highest level is `high`. */
export const levels: readonly NonNullable<WireGenerationConfig['thinking_level']>[] = [
  'minimal',
  'low',
  'medium',
  'high',
]

/** The type of step for each type of delta, for steps whose start was lost. Other deltas have the same type as their step. */
export const stepsOfDeltas: Readonly<Record<string, string>> = {
  text: 'model_output',
  text_annotation: 'model_output',
  text_annotation_delta: 'model_output',
  image: 'model_output',
  audio: 'model_output',
  video: 'model_output',
  document: 'model_output',
  thought_summary: 'thought',
  thought_signature: 'thought',
  arguments_delta: 'function_call',
}

/** Steps of tools that Google runs itself: one for the call, one for its result. The tool's name is the step's type without the ending. */
const hostedStep =
  /^(google_search|code_execution|url_context|google_maps|file_search|retrieval|mcp_server_tool|processing)_(call|result)$/

/** Returns the tool that Google runs, and whether the step is its call or its result; `undefined` for every other step. */
export function hostedOf(type: string): { readonly name: string; readonly part: 'call' | 'result' } | undefined {
  const found = hostedStep.exec(type)
  return found === null ? undefined : { name: found[1] as string, part: found[2] as 'call' | 'result' }
}

/** The error codes of an answer that a filter stopped. */
export const blockedCodes: ReadonlySet<unknown> = new Set([
  ...['safety', 'recitation', 'language', 'prohibited_content', 'spii', 'blocklist', 'content_blocked'],
  ...['image_safety', 'image_prohibited_content', 'image_recitation', 'image_other'],
])

const kinds: Readonly<Record<string, ApiErrorKind>> = {
  invalid_request: 'invalid_request',
  parameter_unknown: 'invalid_request',
  out_of_range: 'invalid_request',
  unimplemented: 'invalid_request',
  failed_precondition: 'permission', // the region, or billing
  permission_denied: 'permission',
  payment_required: 'permission',
  authentication: 'authentication',
  not_found: 'not_found',
  model_not_found: 'not_found',
  already_exists: 'server',
  aborted: 'server',
  cancelled: 'server',
  api_error: 'server',
  rate_limit_exceeded: 'rate_limit',
  too_many_requests: 'rate_limit',
  quota_exceeded: 'rate_limit',
  service_unavailable: 'overloaded',
  deadline_exceeded: 'timeout',
  gateway_timeout: 'timeout',
  missing_thought_signature: 'invalid_request',
  ...Object.fromEntries([...blockedCodes].map((code) => [code, 'invalid_request' as const])),
  // Errors of the model: the next answer can be right, whatever the status.
  malformed_function_call: 'server',
  malformed_tool_call: 'server',
  unexpected_tool_call: 'server',
  too_many_tool_calls: 'server',
  no_image: 'server',
  // Google's front end, which answers before the API does, has its own codes.
  INVALID_ARGUMENT: 'invalid_request',
  FAILED_PRECONDITION: 'permission',
  OUT_OF_RANGE: 'invalid_request',
  UNAUTHENTICATED: 'authentication',
  PERMISSION_DENIED: 'permission',
  NOT_FOUND: 'not_found',
  RESOURCE_EXHAUSTED: 'rate_limit',
  UNAVAILABLE: 'overloaded',
  DEADLINE_EXCEEDED: 'timeout',
}

/**
 * The kinds of errors by code. `final` has the codes after which a retry cannot succeed; `quota_exceeded` is a daily quota.
 */
export const errorWords: ErrorWords = { provider, kinds, final: new Set(['quota_exceeded', 'already_exists']) }

/** The HTTP status and the error code that a server answers for each kind of error. */
export const errorAnswers: Readonly<Record<ApiErrorKind, readonly [status: number, code: string]>> = {
  invalid_request: [400, 'invalid_request'],
  context_length: [400, 'invalid_request'],
  authentication: [401, 'authentication'],
  permission: [403, 'permission_denied'],
  not_found: [404, 'not_found'],
  rate_limit: [429, 'rate_limit_exceeded'],
  server: [500, 'api_error'],
  overloaded: [503, 'service_unavailable'],
  timeout: [504, 'deadline_exceeded'],
}
