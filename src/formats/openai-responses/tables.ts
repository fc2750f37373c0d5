/**
 * OpenAI Responses: tables that map the words of this format to the words of isoglot, and back.
 *
 * @see https://platform.openai.com/docs/api-reference/responses (as of `openai` 7.55.0)
 *
 * @module
 */

import type { Rules } from '../../core/codec.ts'
import type { ApiErrorKind } from '../../core/errors.ts'
import { compact, field, lookup, stringOr, textOr } from '../../core/lookup.ts'
import type { Json, Metadata, ReasoningEffort, StopReason } from '../../core/model.ts'
import type { ErrorWords } from '../../kit/api-error.ts'
import type { Lack, Wire } from '../../kit/lacks.ts'
import type { ResponsesDialect } from './dialect.ts'
import type { WireCacheBreakpoint } from './wire.ts'

/** The name of the format. */
export const format = 'openai-responses'

/** The name of this format in the messages of losses and errors. */
export const target = 'OpenAI Responses'

/** A call without an id gets an id of this prefix and a number. */
export const idPrefix = 'call_'

/** The rules of this format for `prepare`. `call_id` has 1 to 64 characters. Every server accepts tool names of up to 64 characters. */
export function rulesOf(dialect: ResponsesDialect): Rules {
  return {
    format,
    provider: dialect.provider,
    callId: { pattern: /^[A-Za-z0-9_-]+$/, maxLength: 64 },
    toolName: { pattern: /^[A-Za-z0-9_-]+$/, maxLength: 64 },
    resultMedia: dialect.resultMedia,
    foreignReasoning: 'drop',
    lateInstructions: 'keep',
    userFirst: false,
    refusesEmpty: false,
    pairs: 'id',
    chains: dialect.stores,
    pausesForConsent: true,
  }
}

/** The features that a server of this format does not support. */
export function wireOf({ provider, stores, extraOptions, cacheHints }: ResponsesDialect): Wire {
  const lacks = new Set<Lack>(['names', 'toolCacheHints', 'callCacheHints', 'inputCitations', 'titles', 'errorFlag'])
  for (const name of ['topK', 'seed', 'stop', 'frequencyPenalty', 'presencePenalty'] as const) {
    if (extraOptions[name] === undefined) lacks.add(name)
  }
  if (!cacheHints) lacks.add('cacheHints')
  const states: Wire['states'] = stores ? ['previousResponseId', 'conversationId'] : ['previousResponseId']
  return { format, provider, lacks, keepsReasoning: false, states }
}

/** Stop reasons by the reason that the wire gives for `incomplete`. Every other reason is read as `other`. */
const incompleteReasons: Readonly<Record<string, StopReason>> = {
  max_output_tokens: 'length',
  content_filter: 'content_filter',
  max_messages: 'other',
  steered: 'other',
}

/** Stop reasons by the status of an answer. A status that is not final is read as `interrupted`. `failed` is missing: it is an error. */
const statuses: Readonly<Record<string, StopReason>> = {
  completed: 'stop',
  cancelled: 'aborted',
  queued: 'interrupted',
  in_progress: 'interrupted',
}

export function readStopReason(status: string, reason: string | undefined): StopReason {
  if (status === 'incomplete') return lookup(incompleteReasons, reason) ?? 'other'
  return lookup(statuses, status) ?? 'other'
}

/** Returns the `status`, and for `incomplete` the reason, that the wire has for a stop reason. */
export function statusOf(reason: StopReason, word: string | undefined): { status: string; reason: string | null } {
  if (reason === 'length') return { status: 'incomplete', reason: 'max_output_tokens' }
  if (reason === 'content_filter') return { status: 'incomplete', reason: 'content_filter' }
  if (reason === 'interrupted') return { status: word === 'queued' ? 'queued' : 'in_progress', reason: null }
  if (reason === 'aborted') return { status: 'cancelled', reason: null }
  if (reason === 'error') return { status: 'failed', reason: null }
  const isIncomplete = reason === 'other' && lookup(incompleteReasons, word) !== undefined
  return isIncomplete ? { status: 'incomplete', reason: word ?? null } : { status: 'completed', reason: null }
}

export const efforts: Readonly<Record<string, ReasoningEffort>> = {
  none: 'none',
  minimal: 'minimal',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'max',
}

/** How to read a hosted call: the name of its tool in isoglot, the fields with its arguments, and the field with its result. */
export interface HostedCall {
  readonly name: string
  /** A string: the field that holds the object of arguments. A list: the fields that are the arguments. */
  readonly input: string | readonly string[]
  /** The field that holds the result. */
  readonly output?: string
  /** The field with the id that links the call and its result. Default: `id`. */
  readonly link?: 'call_id'
}

/** Calls that the server runs, by the type of their item. Other hosted items, and calls that a client must answer, become `unknown` blocks. */
export const hostedCalls: Readonly<Record<string, HostedCall>> = {
  web_search_call: { name: 'web_search', input: 'action' },
  x_search_call: { name: 'x_search', input: [] },
  file_search_call: { name: 'file_search', input: ['queries'], output: 'results' },
  code_interpreter_call: { name: 'code_interpreter', input: ['code', 'container_id'], output: 'outputs' },
  mcp_call: { name: 'mcp', input: [], output: 'output' },
  tool_search_call: { name: 'tool_search', input: 'arguments', link: 'call_id' },
  program: { name: 'program', input: ['code'], link: 'call_id' },
}

/** Results of hosted calls that are separate items, by the type of the item. `output` is the field that holds the result. */
export const hostedResults: Readonly<Record<string, { readonly name: string; readonly output: string }>> = {
  tool_search_output: { name: 'tool_search', output: 'tools' },
  program_output: { name: 'program', output: 'result' },
}

/** Returns how to read a call that the server runs. Returns `undefined` for other items, and for a tool search that the client must run. */
export function hostedOf(item: Json): HostedCall | undefined {
  return field(item, 'execution') === 'client' ? undefined : lookup(hostedCalls, field(item, 'type'))
}

/** Returns the id of a call that the server runs. */
export function hostedId(item: Json, { link }: HostedCall): string {
  return textOr(link && field(item, link), stringOr(field(item, 'id'), ''))
}

/** The two cache times of the wire. Without one of them, the server uses its default time. */
const ttls: Readonly<Record<string, '30m' | '12h'>> = { '30m': '30m', '12h': '12h' }

export function cacheBreakpoint(hint: NonNullable<Metadata['cacheHint']>): WireCacheBreakpoint {
  const ttl = hint === 'ephemeral' ? undefined : lookup(ttls, hint.ttl)
  return compact({ mode: 'explicit', ttl })
}

export function readCacheTtl(ttl: unknown): '30m' | '12h' | undefined {
  return lookup(ttls, ttl)
}

const kinds: Readonly<Record<string, ApiErrorKind>> = {
  invalid_api_key: 'authentication',
  model_not_found: 'not_found',
  previous_response_not_found: 'not_found',
  rate_limit_exceeded: 'rate_limit',
  insufficient_quota: 'rate_limit',
  context_length_exceeded: 'context_length',
  invalid_prompt: 'invalid_request',
  invalid_encrypted_content: 'invalid_request',
  bio_policy: 'invalid_request',
  cyber_policy: 'invalid_request',
  misalignment_policy_violation: 'invalid_request',
  data_residency_mismatch: 'invalid_request',
  image_content_policy_violation: 'invalid_request',
  invalid_image: 'invalid_request',
  invalid_image_format: 'invalid_request',
  invalid_image_mode: 'invalid_request',
  invalid_image_url: 'invalid_request',
  invalid_base64_image: 'invalid_request',
  image_too_large: 'invalid_request',
  image_too_small: 'invalid_request',
  image_parse_error: 'invalid_request',
  image_file_too_large: 'invalid_request',
  image_file_not_found: 'invalid_request',
  unsupported_image_media_type: 'invalid_request',
  empty_image_file: 'invalid_request',
  failed_to_download_image: 'invalid_request',
  vector_store_timeout: 'timeout',
  slow_down: 'overloaded',
  server_is_overloaded: 'overloaded',
}

/** Codes of errors that a retry cannot solve. */
const final: ReadonlySet<string> = new Set(['insufficient_quota'])

export function errorWords(provider: string): ErrorWords {
  return { provider, kinds, final }
}

/** For errors within a stream. They have no HTTP status, so the `type` gives the kind. Where there is a status, it is more precise. */
export function midStreamWords(provider: string): ErrorWords {
  return { provider, kinds: { ...kinds, invalid_request_error: 'invalid_request', server_error: 'server' }, final }
}

/** The HTTP status, the type and the code that a gateway sends for each kind of error. */
export const errorAnswers: Readonly<
  Record<ApiErrorKind, readonly [status: number, type: string, code: string | null]>
> = {
  authentication: [401, 'invalid_request_error', 'invalid_api_key'],
  permission: [403, 'invalid_request_error', null],
  invalid_request: [400, 'invalid_request_error', null],
  not_found: [404, 'invalid_request_error', 'model_not_found'],
  context_length: [400, 'invalid_request_error', 'context_length_exceeded'],
  rate_limit: [429, 'requests', 'rate_limit_exceeded'],
  overloaded: [503, 'server_error', 'slow_down'],
  server: [500, 'server_error', 'server_error'],
  timeout: [504, 'server_error', null],
}
