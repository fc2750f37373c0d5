/**
 * OpenAI Chat Completions: its words, and ours for them.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 * @module
 */
import type { Rules } from '../../core/codec.ts'
import type { ApiErrorKind } from '../../core/errors.ts'
import type { RequestOptions, StopReason } from '../../core/model.ts'
import type { IdRule } from '../../kit/ids.ts'
import type { Lack, Wire } from '../../kit/lacks.ts'
import type { ChatDialect } from './dialect.ts'
import type { WireFinishReason } from './wire.ts'

/** The codec's name: the key of kept fields and proofs. */
export const format = 'openai-chat'

/** Why the model stopped. A word not in it reads as `other`; whether there are calls decides over `stop`. */
export const stopReasons: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  error: 'error', // OpenRouter
}

/** Finish reasons that we send, if the provider's own reason is of another format. */
export const finishReasons: Readonly<Record<StopReason, WireFinishReason | 'error'>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  refusal: 'content_filter',
  pause: 'stop',
  other: 'stop',
  max_rounds: 'tool_calls',
  interrupted: 'error', // OpenRouter's word: no client takes it for a normal end
  error: 'error',
  aborted: 'error',
}

/** Options that are the same value on the wire. `max_tokens` and its successor are the dialect's to choose. */
export const plainOptions: Readonly<Record<string, keyof RequestOptions>> = {
  stream: 'stream',
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  seed: 'seed',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
  parallel_tool_calls: 'parallelToolCalls',
  user: 'user',
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Fields of a request that have a place in the model; all others are kept as they are. */
export const requestFields: ReadonlySet<string> = /* @__PURE__ */ words(
  'model messages tools tool_choice functions function_call max_tokens max_completion_tokens stop reasoning_effort ' +
    'response_format safety_identifier stream temperature top_p top_k seed frequency_penalty presence_penalty ' +
    'parallel_tool_calls user',
)
/** Fields of a chunk and of a whole body. `obfuscation` is padding. */
export const bodyFields: ReadonlySet<string> = /* @__PURE__ */ words(
  'id object created model choices usage obfuscation',
)
export const choiceFields: ReadonlySet<string> = /* @__PURE__ */ words(
  'index delta message finish_reason logprobs usage',
)
/** Fields of a message in an answer, whole or as a delta. */
export const answerFields: ReadonlySet<string> = /* @__PURE__ */ words(
  'role index content refusal tool_calls function_call audio annotations images ' +
    'reasoning_content reasoning reasoning_text reasoning_details',
)
/** Names of proofs that some hosts put on the message or on a call: they go back only to their model. */
export const proofNames: Pick<ReadonlySet<string>, 'has'> = {
  has: (name) => /signature|encrypted|opaque|^(?:extra_content|thinking_blocks|provider_specific_fields)$/.test(name),
}
/** Bookkeeping that some hosts put into deltas: kept with the answer, and never sent back with the message. */
export const deltaBookkeeping = 'token_id'
/** `index` of a whole call says what its place says. */
export const callFields: ReadonlySet<string> = /* @__PURE__ */ words('id type index function custom')

/** The provider of a proof, by the field that has it: a request does not name the provider. */
export const proofOwners = { reasoning_details: 'openrouter', extra_content: 'gemini' } as const

/** OpenAI answers 400 to the name of a tool or of a participant with any other character. */
export const plainNames: IdRule = { pattern: /^[A-Za-z0-9_-]+$/, maxLength: 64 }

/** The rules of a server of this format for `prepare`. */
export function rulesOf(dialect: ChatDialect): Rules {
  return {
    format,
    provider: dialect.provider,
    callId: dialect.callId ?? { pattern: /^[\s\S]+$/, maxLength: 40 },
    toolName: plainNames,
    resultMedia: new Set(),
    foreignReasoning: dialect.replay?.isPlain ? 'keep' : 'drop',
    lateInstructions: dialect.order ? 'user' : 'keep',
    userFirst: dialect.order?.userFirst === true,
    refusesEmpty: true,
    pairs: 'id',
    bridgesResults: dialect.bridgesResults === true,
  }
}

/** Features that a server of this format lacks. */
export function wireOf(dialect: ChatDialect): Wire {
  const { refuses, names, cacheField, textParts, jsonSchema, replay } = dialect
  const lacks = new Set<Lack>([...commonLacks, ...(dialect.lacks ?? [])])
  for (const [name, option] of Object.entries(plainOptions)) if (refuses.has(name)) lacks.add(option as Lack)
  if (refuses.has('stop')) lacks.add('stop')
  if (names === false) lacks.add('names')
  if (cacheField === undefined) lacks.add('cacheHints')
  if (textParts !== true) lacks.add('refusals')
  if (!jsonSchema) lacks.add('formatDetails')
  return { format, provider: dialect.provider, lacks, keepsReasoning: replay?.isPlain === true }
}

const commonLacks: readonly Lack[] = [
  'toolCacheHints',
  'callCacheHints',
  'citations',
  'titles',
  'serverTools',
  'errorFlag',
]

/** OpenAI's own words for failures. */
export const errorKinds: Readonly<Record<string, ApiErrorKind>> = {
  context_length_exceeded: 'context_length',
  invalid_api_key: 'authentication',
  authentication_error: 'authentication',
  permission_error: 'permission',
  model_not_found: 'not_found',
  rate_limit_exceeded: 'rate_limit',
  insufficient_quota: 'rate_limit',
  service_unavailable: 'overloaded',
  overloaded: 'overloaded',
}
/** Words too general to overrule a status. An error in mid-stream has no status, so there they decide. */
export const generalErrorKinds: Readonly<Record<string, ApiErrorKind>> = {
  invalid_request_error: 'invalid_request',
  rate_limit_error: 'rate_limit',
  server_error: 'server',
}
/** Waiting does not bring money. */
export const finalErrors: ReadonlySet<string> = /* @__PURE__ */ words('insufficient_quota billing_hard_limit_reached')

/** Our answer for each kind of failure. */
export const errorAnswers: Readonly<
  Record<ApiErrorKind, { readonly status: number; readonly type: string; readonly code: string | null }>
> = {
  authentication: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
  permission: { status: 403, type: 'permission_error', code: null },
  invalid_request: { status: 400, type: 'invalid_request_error', code: null },
  not_found: { status: 404, type: 'invalid_request_error', code: 'model_not_found' },
  context_length: { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
  rate_limit: { status: 429, type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  overloaded: { status: 503, type: 'server_error', code: 'overloaded' },
  server: { status: 500, type: 'server_error', code: null },
  timeout: { status: 504, type: 'server_error', code: 'timeout' },
}
