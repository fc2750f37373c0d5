/**
 * OpenAI Chat Completions: the words of this format in both directions, its fields, and what its hosts lack.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 *
 * @module
 */

import type { ApiErrorKind } from '../../core/errors.ts'
import type { IdRule } from '../../core/ids.ts'
import type { RequestOptions, StopReason } from '../../core/messages.ts'
import type { Feature, Target } from '../../core/target.ts'
import { fitting } from '../shared/fit-schema.ts'
import type { ChatDialect } from './dialect.ts'
import type { WireFinishReason } from './wire.ts'

/** The codec's name, and the key of stored fields and proofs. */
export const format = 'openai-chat'

/** Stop reasons by finish reason. An unknown finish reason becomes `other`. If an answer has calls, `stop` becomes `tool_calls`. */
export const stopReasons: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'content_filter',
  error: 'error', // OpenRouter
}

/** Finish reasons by stop reason, for answers whose own reason is of another format. */
export const finishReasons: Readonly<Record<StopReason, WireFinishReason | 'error'>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'content_filter',
  refusal: 'content_filter',
  pause: 'stop',
  other: 'stop',
  max_rounds: 'tool_calls',
  interrupted: 'error', // OpenRouter's value: no client reads it as a normal end
  error: 'error',
  aborted: 'error',
}

/** Options that have the same value in this format. `max_tokens` is not in the table, since its name depends on the dialect. */
export const plainOptions: Readonly<Record<string, keyof RequestOptions>> = {
  stream: 'stream',
  temperature: 'temperature',
  top_p: 'topP',
  top_k: 'topK',
  seed: 'seed',
  stop: 'stop',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
  parallel_tool_calls: 'parallelToolCalls',
  user: 'user',
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Fields of a request that isoglot reads. All other fields are kept unchanged. */
export const requestFields: ReadonlySet<string> = /* @__PURE__ */ words(
  'model messages tools tool_choice functions function_call max_tokens max_completion_tokens stop reasoning_effort ' +
    'response_format safety_identifier stream temperature top_p top_k seed frequency_penalty presence_penalty ' +
    'parallel_tool_calls user',
)
/** Fields of a chunk and of a complete body. `obfuscation` is padding. */
export const bodyFields: ReadonlySet<string> = /* @__PURE__ */ words(
  'id object created model choices usage obfuscation',
)
export const choiceFields: ReadonlySet<string> = /* @__PURE__ */ words(
  'index delta message finish_reason logprobs usage',
)
/** Fields of a message or a delta in an answer. */
export const answerFields: ReadonlySet<string> = /* @__PURE__ */ words(
  'role index content refusal tool_calls function_call audio annotations images ' +
    'reasoning_content reasoning reasoning_text reasoning_details',
)
/** Names of fields with proofs, which some hosts add to a message or a call. A proof is sent only to its model. */
export const proofNames: Pick<ReadonlySet<string>, 'has'> = {
  has: (name) => /signature|encrypted|opaque|^(?:extra_content|thinking_blocks|provider_specific_fields)$/.test(name),
}
/** Fields that some hosts add to deltas and messages. They are kept with the answer and not sent in later requests. */
export const bookkeeping: ReadonlySet<string> = new Set(['token_id', 'provider_metadata'])
/** Fields of a call. `index` of a complete call is the same as its place in the list. */
export const callFields: ReadonlySet<string> = /* @__PURE__ */ words('id type index function custom')
export const functionFields: ReadonlySet<string> = /* @__PURE__ */ words('name arguments')
/** Fields of generated audio and of a citation. */
export const audioFields: ReadonlySet<string> = /* @__PURE__ */ words('id data transcript')
export const citationFields: ReadonlySet<string> = /* @__PURE__ */ words('url title start_index end_index')

/** The provider of a proof, by the name of its field, since a request does not name the provider. Several gateways send `reasoning_details`. */
export const proofOwners = { reasoning_details: '', extra_content: 'gemini' } as const

/** The rule for names of tools and participants. OpenAI answers 400 to other names. */
export const plainNames: IdRule = { pattern: /^[A-Za-z0-9_-]+$/, maxLength: 64 }

/** What a server of this format takes. */
export function targetOf(dialect: ChatDialect): Target {
  const { refuses, cacheField, textParts, jsonSchema, replay, schemas, order } = dialect
  const unsupported = new Set<Feature>([...commonlyUnsupported, ...(dialect.unsupported ?? [])])
  for (const [name, option] of Object.entries(plainOptions)) if (refuses.has(name)) unsupported.add(option as Feature)
  if (cacheField === undefined) unsupported.add('cacheHints')
  if (textParts !== true) unsupported.add('refusals')
  if (!jsonSchema) unsupported.add('formatDetails')
  return {
    format,
    provider: dialect.provider,
    title: dialect.title,
    unsupported,
    fitTool: fitting(schemas),
    callId: dialect.callId ?? { pattern: /^[\s\S]+$/, maxLength: 40 },
    toolName: plainNames,
    resultMedia: new Set(),
    foreignReasoning: replay?.isPlain ? 'keep' : 'drop',
    lateInstructions: order ? 'user' : 'keep',
    userFirst: order?.userFirst === true,
    userLast: order?.userLast === true,
    refusesEmpty: true,
    bridgesResults: dialect.bridgesResults === true,
  }
}

const commonlyUnsupported: readonly Feature[] = [
  'toolCacheHints',
  'callCacheHints',
  'citations',
  'titles',
  'serverTools',
  'errorFlag',
]

/** Kinds of errors by OpenAI's error code or type. */
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
  timeout: 'timeout',
}
/** Kinds by a general error type. The HTTP status is more exact, so these are used only without a status, as in a stream. */
export const generalErrorKinds: Readonly<Record<string, ApiErrorKind>> = {
  invalid_request_error: 'invalid_request',
  rate_limit_error: 'rate_limit',
  server_error: 'server',
}
/** Error codes of an empty account. A retry does not help. */
export const finalErrors: ReadonlySet<string> = /* @__PURE__ */ words('insufficient_quota billing_hard_limit_reached')

/** The error answer of a gateway for each kind of error. */
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
