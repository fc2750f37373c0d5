/**
 * OpenAI Responses: the words of this format in both directions, its fields, and what its hosts lack.
 *
 * @see https://platform.openai.com/docs/api-reference/responses (as of `openai` 7.55.0)
 * @see https://platform.openai.com/docs/guides/function-calling?api-mode=responses
 * @see https://platform.openai.com/docs/api-reference/responses/object#responses/object-output
 *
 * @module
 */

import type { ApiErrorKind } from '../../core/errors.ts'
import { arrayOf, field, lookup, stringOr, textOr } from '../../core/json.ts'
import type { JsonObject, ReasoningEffort, StopReason } from '../../core/messages.ts'
import type { Feature, Target } from '../../core/target.ts'
import type { ErrorWords } from '../shared/api-error.ts'
import { fitting } from '../shared/fit-schema.ts'
import type { ResponsesDialect } from './dialect.ts'

/** The name of the format. */
export const format = 'openai-responses'

/** The name of this format in the messages of losses and errors. */
export const title = 'OpenAI Responses'

/** A call without an id gets an id of this prefix and a number. */
export const idPrefix = 'call_'

/** `call_id` has 1 to 64 characters. Every server accepts tool names of up to 64 characters. */
const names = { pattern: /^[A-Za-z0-9_-]+$/, maxLength: 64 }

/** What a server of this format takes. */
export function targetOf(dialect: ResponsesDialect): Target {
  const { provider, stores, extraOptions, cacheHints, schemas, resultMedia } = dialect
  const unsupported = new Set<string>([
    ...['names', 'toolCacheHints', 'callCacheHints', 'inputCitations', 'titles', 'errorFlag'],
    ...['topK', 'seed', 'stop', 'frequencyPenalty', 'presencePenalty'],
  ])
  for (const name of Object.keys(extraOptions)) unsupported.delete(name)
  if (!cacheHints) unsupported.add('cacheHints')
  return {
    format,
    provider,
    title,
    unsupported: unsupported as ReadonlySet<Feature>,
    states: stores ? ['previousResponseId', 'conversationId'] : ['previousResponseId'],
    fitTool: fitting(schemas),
    callId: names,
    toolName: names,
    resultMedia,
    foreignReasoning: 'drop',
    lateInstructions: 'keep',
    userFirst: false,
    refusesEmpty: false,
    chains: stores,
    pausesForConsent: true,
  }
}

/**
 * Stop reasons, by the reason of an `incomplete` answer, or by the status of any other answer. Every other word is read as `other`. A status
 * that is not final is read as `interrupted`. `failed` is missing: it is an error.
 */
export const stopReasons: Readonly<Record<string, StopReason>> = {
  completed: 'stop',
  max_output_tokens: 'length',
  content_filter: 'content_filter',
  cancelled: 'aborted',
  queued: 'interrupted',
  in_progress: 'interrupted',
}

/** Reasons of `incomplete` that isoglot reads as `other`. Of an answer that does not say why it is incomplete, the status is the word. */
const otherReasons: ReadonlySet<unknown> = new Set(['max_messages', 'steered', 'incomplete'])

/**
 * Returns the `status`, and for `incomplete` the reason, that the wire has for a stop reason. `isOwn`: the word is of this wire, so the answer
 * was not complete, for a reason that isoglot does not know.
 */
export function statusOf(
  reason: StopReason,
  word: string | undefined,
  isOwn: boolean,
): { status: string; reason: string | null } {
  if (reason === 'length') return { status: 'incomplete', reason: 'max_output_tokens' }
  if (reason === 'content_filter') return { status: 'incomplete', reason: 'content_filter' }
  if (reason === 'interrupted') return { status: word === 'queued' ? 'queued' : 'in_progress', reason: null }
  if (reason === 'aborted') return { status: 'cancelled', reason: null }
  if (reason === 'error') return { status: 'failed', reason: null }
  if (reason !== 'other' || word === undefined || !(isOwn || otherReasons.has(word)))
    return { status: 'completed', reason: null }
  return { status: 'incomplete', reason: word === 'incomplete' ? null : word }
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

/** How to read an item of a tool that the server runs. */
export interface Hosted {
  /** The field with the arguments, or the fields that are the arguments. Without it, the item is the result of another item's call. */
  readonly input?: string | readonly string[]
  /** The field with the result. */
  readonly output?: string
  /** The field with the id that links the call and its result. Default: `id`. */
  readonly link?: 'call_id'
}

/**
 * The tools that the server runs, by the type of their item, and what it says beside its answer: a list of tools, a compaction. Other hosted
 * items, and calls that a client must answer and that are not in {@link clientItems}, become `unknown` blocks.
 */
export const hostedItems: Readonly<Record<string, Hosted>> = {
  web_search_call: { input: 'action' },
  x_search_call: { input: 'arguments' },
  view_image_call: { input: 'arguments' }, // xAI
  view_x_video_call: { input: 'arguments' }, // xAI
  code_execution_call: { input: 'arguments' }, // xAI
  file_search_call: { input: ['queries'], output: 'results' },
  code_interpreter_call: { input: ['code', 'container_id'], output: 'outputs' },
  mcp_list_tools: { input: ['server_label'], output: 'tools' },
  mcp_call: { input: 'arguments', output: 'output' },
  shell_call: { input: 'action', link: 'call_id' },
  shell_call_output: { output: 'output' },
  local_shell_call_output: { output: 'output' },
  apply_patch_call_output: { output: 'output' },
  compaction: {},
  tool_search_call: { input: 'arguments', link: 'call_id' },
  tool_search_output: { output: 'tools' },
  program: { input: ['code'], link: 'call_id' },
  program_output: { output: 'result' },
}

/** Returns the name in the item if it has one, as the items of MCP servers and of xAI do. Otherwise the type gives the name. */
export function hostedName({ name, type }: JsonObject): string {
  return textOr(name, stringOr(type, '').replace(/(?:_call)?(?:_output)?$/, ''))
}

/** Returns how to read a call that the server runs. Returns `undefined` for other items, and for a search or a shell that the client must run. */
export function hostedOf(item: JsonObject): Hosted | undefined {
  return item.execution === 'client' || clientField(item) !== undefined ? undefined : lookup(hostedItems, item.type)
}

/** The tools that the client runs and that only this format has: the field of a call with its arguments, by the type of the call. */
export const clientItems: Readonly<Record<string, string>> = {
  shell_call: 'action',
  local_shell_call: 'action',
  apply_patch_call: 'operation',
}

/** The field with the arguments of a call that the client must run; `undefined` for other items. A shell in a container is the server's. */
export function clientField({ type, environment }: JsonObject): string | undefined {
  return (field(environment, 'type') ?? 'local') === 'local' ? lookup(clientItems, type) : undefined
}

/** Returns the id of a call that the server runs. */
export function hostedId(item: JsonObject, { link }: Hosted): string {
  return textOr(link && item[link], stringOr(item.id, ''))
}

/** Whether it is one of the two cache times of the wire. Without one of them, the server uses its default time. */
export function isCacheTtl(ttl: unknown): ttl is '30m' | '12h' {
  return ttl === '30m' || ttl === '12h'
}

const kinds: Readonly<Record<string, ApiErrorKind>> = {
  invalid_api_key: 'authentication',
  model_not_found: 'not_found',
  previous_response_not_found: 'not_found',
  rate_limit_exceeded: 'rate_limit',
  insufficient_quota: 'rate_limit',
  context_length_exceeded: 'context_length',
  vector_store_timeout: 'timeout',
  slow_down: 'overloaded',
  server_is_overloaded: 'overloaded',
}

/** Codes of errors that a retry cannot solve. */
const final: ReadonlySet<string> = new Set(['insufficient_quota'])

/** The error codes of this format, and the general words of one error. */
export function errorWords(provider: string, general: ErrorWords['kinds'] = {}): ErrorWords {
  return { provider, kinds, general, final }
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

// ---- calls ------------------------------------------------------------------------------------

/** The type of calls of custom tools. Their input is free text. In isoglot, that text is the value of the only argument, `input`. */
export const customCall = 'custom_tool_call'

// ---- the wrapper of parallel calls ------------------------------------------------------------

/** The name of an internal tool that models sometimes call. The arguments of that call hold the real calls (vercel/ai 6be0f51). */
export const wrapperName = 'multi_tool_use.parallel'

// ---- reasoning --------------------------------------------------------------------------------

/** The text that separates the parts of a summary. */
export const partBreak = '\n\n'

/** Returns the readable text of a reasoning item: the summary, then the reasoning itself if the server shows it. */
export function reasoningText({ summary, content }: JsonObject): string {
  return [...arrayOf(summary), ...arrayOf(content)].flatMap((part) => textOr(field(part, 'text'), [])).join(partBreak)
}
