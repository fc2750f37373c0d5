/**
 * OpenAI Responses: encodes and decodes a whole answer, without streaming.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/object
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import type { CodecOptions, DecodedCalls, DecodeResponseOptions, EncodedResponse, Reply } from '../../core/codec.ts'
import { blocksOf, blocksOfTurn, toolCallsOf } from '../../core/content.ts'
import { refuseDeep } from '../../core/depth.ts'
import { DecodeError } from '../../core/errors.ts'
import { isObject, stringOr, textOr } from '../../core/lookup.ts'
import type { AssistantMessage, ChatResponse, ContentBlock, JsonObject, StopReason, Usage } from '../../core/model.ts'
import { hash } from '../../kit/ids.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { keptFields } from './content.ts'
import { openaiDialect, type ResponsesDialect } from './dialect.ts'
import { encodeAnswer } from './encode-answer.ts'
import { midStreamError } from './errors.ts'
import { asksClient } from './items.ts'
import { readWhole } from './stream.ts'
import { idPrefix, statusOf, target } from './tables.ts'
import type { WireResponse, WireUsage } from './wire.ts'

// ---- decoding ---------------------------------------------------------------------------------

/**
 * Decodes a whole answer.
 *
 * @throws {ApiError} if the status of the answer is `failed`, or the body is an error.
 * @throws {DecodeError} if the body is not an answer, or if it is a background answer that is still `queued` or `in_progress`.
 */
export function decodeResponse(
  body: unknown,
  { callsBefore = 0, events, dialect = openaiDialect }: DecodeResponseOptions<ResponsesDialect> = {},
): ChatResponse {
  if (!isObject(body)) throw new DecodeError(`Cannot decode ${target} answer: it is not an object`)
  refuseDeep(body, `Cannot decode ${target} answer`)
  const { status, id, error } = body
  if (!Array.isArray(body.output)) {
    if ((error ?? undefined) !== undefined) throw midStreamError(body, dialect)
    throw new DecodeError(`Cannot decode ${target} answer: "output" is not a list`, { path: 'output' })
  }
  if (status === 'queued' || status === 'in_progress') {
    const reason = `its status is "${status}", since it is made in the background: ask for GET /responses/${textOr(id, '{id}')} until it has ended`
    throw new DecodeError(`Cannot decode ${target} answer: ${reason}`, { path: 'status' })
  }
  return fold(readWhole(body, dialect), { provider: dialect.provider, idPrefix, callsBefore, events })
}

/** Reads the tool calls of an answer. */
export function decodeToolCalls(
  body: unknown,
  { dialect = openaiDialect }: CodecOptions<ResponsesDialect> = {},
): DecodedCalls {
  const { message } = fold(readWhole(isObject(body) ? body : {}, dialect), { idPrefix })
  return { toolCalls: toolCallsOf(message), invalidToolCalls: message.invalidToolCalls ?? [] }
}

// ---- encoding ---------------------------------------------------------------------------------

/** Encodes a whole answer in the form of OpenAI's server. Every item has an id: its original one, or a new one. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses(target, false)
  const body = {
    ...skeleton(response, reply),
    ...ending(response, losses),
    output: encodeOutput(response, reply, losses),
    usage: encodeUsage(response.usage),
  } as WireResponse
  return { body, losses: losses.list }
}

function encodeOutput(response: ChatResponse, reply: Reply, losses: Losses): JsonObject[] {
  const { message } = response
  const items = encodeAnswer(blocksOfTurn(message), message.invalidToolCalls ?? [], losses)
  const responseId = idOf(response, reply)
  return items.map((item, index) => answered(item, response, responseId, index))
}

/** Adds an id and a status to an item, because clients expect both. */
function answered(item: JsonObject, { stopReason }: ChatResponse, responseId: string, index: number): JsonObject {
  const type = stringOr(item.type, '')
  const isCut = type === 'function_call' && stopReason === 'length' && !isJson(item.arguments)
  const status = withStatus.has(type) ? { status: isCut ? 'incomplete' : 'completed' } : {}
  return { ...(typeof item.id === 'string' ? {} : { id: makeId(type, responseId, index) }), ...status, ...item }
}

/** The types of items that always have a `status`. */
const withStatus: ReadonlySet<string> = new Set(['message', 'function_call', 'custom_tool_call'])

function isJson(text: unknown): boolean {
  try {
    JSON.parse(stringOr(text, ''))
    return true
  } catch {
    return false
  }
}

/** Prefixes of ids, by the type of the item. */
const idPrefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  image_generation_call: 'ig',
}

/** Makes an id for an item without one. No server knows it, so it has a mark (`madeId`) and is removed when a client sends it back. */
export function makeId(type: string, responseId: string, index: number): string {
  const prefix = Object.hasOwn(idPrefixes, type) ? idPrefixes[type] : 'item'
  return `${prefix}_iso_${hash(responseId)}_${index}`
}

export function idOf({ message }: Pick<ChatResponse, 'message'>, reply: Reply): string {
  return reply.id ?? message.response?.id ?? 'resp_0'
}

/** Fields that the official client expects in every answer. */
const defaults: JsonObject = {
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: 'auto',
  tools: [],
  top_p: null,
}

/** Returns an answer without its content. A stream begins with it, too. */
export function skeleton(
  response: Pick<ChatResponse, 'message' | 'providerData'>,
  reply: Reply,
): Omit<WireResponse, 'status' | 'error' | 'incomplete_details'> {
  const info = response.message.response
  return {
    ...defaults,
    ...keptFields(response),
    id: idOf(response, reply),
    object: 'response',
    created_at: reply.createdAt ?? info?.createdAt ?? 0,
    model: reply.model ?? info?.model ?? '',
    output: [],
    usage: null,
  } as Omit<WireResponse, 'status' | 'error' | 'incomplete_details'>
}

function isRefusal(block: ContentBlock): boolean {
  return block.type === 'text' && block.refusal === true
}

/** Whether `completed` and the items together express the stop reason. */
function isCompletion(stopReason: StopReason, { content }: AssistantMessage): boolean {
  if (stopReason !== 'pause') return stopReason === 'stop' || stopReason === 'tool_calls' || stopReason === 'refusal'
  return blocksOf(content).some(
    (one) => one.type === 'unknown' && (asksClient.has(one.providerType) || one.providerType === 'tool_search_call'),
  )
}

/** Encodes the stop reason. If the model refused, a part of type `refusal` shows it. Without such a part, the answer is `content_filter`. */
export function ending(
  { stopReason, message }: ChatResponse,
  losses: Losses,
): Pick<WireResponse, 'status' | 'error' | 'incomplete_details'> {
  const isFiltered = stopReason === 'refusal' && !blocksOf(message.content).some(isRefusal)
  const { status, reason } = statusOf(isFiltered ? 'content_filter' : stopReason, message.rawStopReason)
  const isStated = status === 'completed' ? isCompletion(stopReason, message) : !isFiltered
  if (!isStated) {
    const word = reason ?? status
    reportLoss(losses, 'changed', 'stopReason', `the wire has no word for "${stopReason}": "${word}" is sent`)
  }
  return {
    status: status as WireResponse['status'],
    error: status === 'failed' ? failure(message) : null,
    incomplete_details: reason === null ? null : { reason },
  }
}

function failure({ rawStopReason }: AssistantMessage): WireResponse['error'] {
  const why = rawStopReason === undefined ? '' : `: ${rawStopReason}`
  return { code: 'server_error', message: `The provider ended the answer with an error${why}` }
}

/** Encodes the usage, in tokens. The wire requires all numbers: an unknown one becomes 0, and a missing total becomes the sum. */
export function encodeUsage(usage: Usage | undefined): WireUsage | null {
  if (usage === undefined) return null
  const kept = keptFields(usage)
  const { inputTokens = 0, outputTokens = 0 } = usage
  const inner = (name: string) => (isObject(kept[name]) ? (kept[name] as JsonObject) : {})
  return {
    ...kept,
    input_tokens: inputTokens,
    input_tokens_details: {
      ...inner('input_tokens_details'),
      cached_tokens: usage.cacheReadTokens ?? 0,
      ...cacheWrites(usage, inner('input_tokens_details')),
    },
    output_tokens: outputTokens,
    output_tokens_details: { ...inner('output_tokens_details'), reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: usage.totalTokens ?? inputTokens + outputTokens,
  } as WireUsage
}

/** Encodes the tokens written to the cache. If the original usage did not have the field, as in older answers, it is left out. */
function cacheWrites({ cacheWriteTokens }: Usage, kept: JsonObject): JsonObject {
  if (cacheWriteTokens !== undefined) return { cache_write_tokens: cacheWriteTokens }
  return 'cached_tokens' in kept ? {} : { cache_write_tokens: 0 }
}
