/**
 * Gemini Interactions: its words, and ours for them.
 *
 * @see https://ai.google.dev/api/interactions-api (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/api-errors (read 2026-11)
 *
 * @module
 */
import type { Rules } from '../../core/codec.ts'
import type { ApiErrorKind } from '../../core/errors.ts'
import { lookup } from '../../core/lookup.ts'
import type { ReasoningEffort, StopReason } from '../../core/model.ts'
import type { ErrorWords } from '../../kit/api-error.ts'
import type { Wire } from '../../kit/lacks.ts'
import type { WireGenerationConfig } from './wire.ts'

/** The name of the format. */
export const format = 'gemini-interactions'

/** The name of the provider: proofs of other providers do not go to it. */
export const provider = 'gemini'

/** The target in the text of losses. */
export const target = 'Gemini Interactions'

/** Calls that come without an id get this and a number. */
export const idPrefix = 'call_'

/** The rules of this format for `prepare`. The limits of ids and names are not documented: these are safe. */
export const rules: Rules = {
  format,
  provider,
  callId: { pattern: /^[A-Za-z0-9_-]+$/, maxLength: 64 },
  toolName: { pattern: /^[A-Za-z_][\w.:-]*$/, maxLength: 128 },
  resultMedia: new Set(['image', 'audio', 'video', 'file'] as const),
  foreignReasoning: 'drop',
  lateInstructions: 'user',
  userFirst: true,
  refusesEmpty: true,
  pairs: 'id',
  chains: true,
}

/** Features that this format lacks. */
export const wire: Wire = {
  format,
  provider,
  lacks: new Set([
    ...(['topK', 'frequencyPenalty', 'presencePenalty', 'parallelToolCalls', 'user', 'formatDetails'] as const),
    ...(['strictTools', 'names', 'cacheHints', 'inputCitations', 'refusals', 'titles'] as const),
    ...(['filenames', 'transcripts'] as const),
  ]),
  keepsReasoning: false,
  states: ['previousResponseId', 'continuationToken'],
}

/** Whether a model is older than the third generation: its results hold text only. */
export function isBeforeGemini3(model: string): boolean {
  return /gemini-[12](?!\d)/i.test(model)
}

/** How an answer stands. `failed` is an error and not in it; a word not in it reads as `other`. */
const statuses: Readonly<Record<string, StopReason>> = {
  completed: 'stop',
  incomplete: 'length',
  budget_exceeded: 'length',
  requires_continuation: 'pause', // the same request with the answer's token goes on
  cancelled: 'aborted',
}

/** The stop reason of a status. The format has one status for a turn with calls and for one that waits for something else. */
export function readStopReason(status: string, hasCalls: boolean): StopReason {
  if (status === 'requires_action') return hasCalls ? 'tool_calls' : 'pause'
  return lookup(statuses, status) ?? 'other'
}

/** An answer that is made in the background is not there yet. */
export const unfinished: ReadonlySet<unknown> = new Set(['in_progress', 'queued'])

/** The status that says why a turn ended, and whether it says just that: the wire has no words for the others. */
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

/** The wire's own word while it still says the same, else the nearest one. */
export function statusOf(
  reason: StopReason,
  word: string | undefined,
  hasCalls: boolean,
): { readonly status: string; readonly isSaid: boolean } {
  const isKnown = word !== undefined && (lookup(statuses, word) !== undefined || unfinished.has(word))
  // A client goes on by itself from `requires_continuation`, with a token that it has to have.
  if (isKnown && word !== 'requires_continuation' && readStopReason(word, hasCalls) === reason) {
    return { status: word, isSaid: true }
  }
  const [status, isSaid] = statusWords[reason]
  return { status, isSaid }
}

/** There is no "off", and nothing above `high`. */
export const levels: Readonly<Record<ReasoningEffort, NonNullable<WireGenerationConfig['thinking_level']>>> = {
  none: 'minimal',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
}

/** Which steps the deltas of a stream belong to, for one whose start was lost. A delta that is not in it is named for its step. */
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

/** Tools that Google runs itself: one step for the call, one for its result. Our name is that of the step without its ending. */
const hostedStep =
  /^(google_search|code_execution|url_context|google_maps|file_search|retrieval|mcp_server_tool|processing)_(call|result)$/

/** The tool that Google runs, and whether the step is its call or its result; `undefined` for every other step. */
export function hostedOf(type: string): { readonly name: string; readonly part: 'call' | 'result' } | undefined {
  const found = hostedStep.exec(type)
  return found === null ? undefined : { name: found[1] as string, part: found[2] as 'call' | 'result' }
}

/** Codes of an answer that a filter stopped. */
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
  // The front end of Google's services answers in words of its own.
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

/** `quota_exceeded` is a daily quota. An error of the model, such as `malformed_function_call`, may not occur again. */
export const errorWords: ErrorWords = { provider, kinds, final: new Set(['quota_exceeded', 'already_exists']) }

/** The status and the code of each kind of failure. */
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
