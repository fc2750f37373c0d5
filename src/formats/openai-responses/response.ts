/**
 * OpenAI Responses: a whole answer, both ways.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/object
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import type { DecodeResponseOptions, EncodedResponse, Fragment, Reply } from '../../core/codec.ts'
import { blocksOf, blocksOfTurn } from '../../core/content.ts'
import { refuseDeep } from '../../core/depth.ts'
import { DecodeError } from '../../core/errors.ts'
import { compact, field, isObject, numberOr, otherFields, stringOr, textOr } from '../../core/lookup.ts'
import type {
  AssistantMessage,
  ChatResponse,
  ContentBlock,
  JsonObject,
  ProviderState,
  StopReason,
  Usage,
} from '../../core/model.ts'
import { settleUsage, tokenCount } from '../../core/usage.ts'
import { hash } from '../../kit/ids.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { keptFields } from './content.ts'
import { openaiDialect, type ResponsesDialect } from './dialect.ts'
import { midStreamError } from './errors.ts'
import { newProgress, newReading, type Reading, readItem } from './items.ts'
import { format, idPrefix, readStopReason, statusOf, target } from './tables.ts'
import { encodeTurn } from './turns.ts'
import type { WireResponse, WireUsage } from './wire.ts'

// ---- decoding ---------------------------------------------------------------------------------

/**
 * A whole answer.
 *
 * @throws {ApiError} if the answer is that it failed.
 * @throws {DecodeError} if the body is not an answer, or not one yet: a background answer that is `queued` or `in_progress`.
 */
export function decodeResponse(
  body: unknown,
  { callsBefore = 0, dialect = openaiDialect }: DecodeResponseOptions<ResponsesDialect> = {},
): ChatResponse {
  const fragments = readResponse(body, dialect)
  return fold(fragments, { provider: dialect.provider, idPrefix, callsBefore })
}

function readResponse(body: unknown, dialect: ResponsesDialect): Fragment[] {
  if (!isObject(body)) throw new DecodeError(`Cannot decode ${target} answer: it is not an object`)
  refuseDeep(body, `Cannot decode ${target} answer`)
  const output = field(body, 'output')
  if (!Array.isArray(output)) {
    if ((field(body, 'error') ?? undefined) !== undefined) throw midStreamError(body, dialect)
    throw new DecodeError(`Cannot decode ${target} answer: "output" is not a list`, { path: 'output' })
  }
  const status = field(body, 'status')
  if (status === 'failed') throw midStreamError(body, dialect)
  if (status === 'queued' || status === 'in_progress') {
    const id = textOr(field(body, 'id'), '{id}')
    const reason = `its status is "${status}", since it is made in the background: ask for GET /responses/${id} until it has ended`
    throw new DecodeError(`Cannot decode ${target} answer: ${reason}`, { path: 'status' })
  }
  const out: Fragment[] = []
  readStart(body, out)
  const reading = newReading(dialect, textOr(field(body, 'model'), ''))
  for (const [index, item] of output.entries()) readItem(item, index, newProgress(), reading, out)
  readEnd(body, reading, out)
  return out
}

/** Reads the id, the model and the time. */
export function readStart(response: unknown, out: Fragment[]): void {
  const id = textOr(field(response, 'id'), undefined)
  const model = textOr(field(response, 'model'), undefined)
  const createdAt = numberOr(field(response, 'created_at'), undefined)
  out.push({ type: 'start', ...compact({ id, model, createdAt }) })
}

const knownOfResponse = new Set([
  ...['id', 'object', 'created_at', 'model', 'status', 'output', 'usage', 'error', 'incomplete_details'],
])

/** Reads the end of an answer: usage, fields of its own, the stop reason. `end` comes last. */
export function readEnd(response: JsonObject, reading: Reading, out: Fragment[]): void {
  const { dialect } = reading
  const usage = readUsage(field(response, 'usage'))
  if (usage !== undefined) out.push({ type: 'usage', usage })
  const extra = otherFields(response, knownOfResponse)
  if (extra !== undefined) out.push({ type: 'extra', providerData: { [format]: extra } })
  const status = textOr(field(response, 'status'), 'completed')
  const reason = textOr(field(field(response, 'incomplete_details'), 'reason'), undefined)
  const stopReason = readStopReason(status, reason)
  const providerState = readState(response, dialect)
  out.push(
    compact({
      type: 'end',
      stopReason: stopReason === 'stop' ? settledStop(reading) : stopReason,
      rawStopReason: reason ?? status,
      providerState,
    }),
  )
}

/** The wire has one word for all of these. */
function settledStop({ needsApproval, hasRefusal, hasText }: Reading): StopReason {
  if (needsApproval) return 'pause'
  return hasRefusal && !hasText ? 'refusal' : 'stop'
}

/** Reads the id to continue from. Only stored answers have one: `store` is true, or the answer belongs to a conversation. */
function readState(response: JsonObject, dialect: ResponsesDialect): ProviderState | undefined {
  const id = textOr(field(response, 'id'), undefined)
  const conversationId = textOr(field(field(response, 'conversation'), 'id'), undefined)
  const isStored = dialect.stores && (conversationId !== undefined || field(response, 'store') === true)
  return id !== undefined && isStored ? compact({ previousResponseId: id, conversationId }) : undefined
}

/** `input_tokens` holds what was cached, and `output_tokens` what was thought. */
export function readUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined
  const count = (of: unknown, name: string) => tokenCount(field(of, name))
  const input = field(usage, 'input_tokens_details')
  return {
    ...settleUsage({
      inputTokens: count(usage, 'input_tokens'),
      outputTokens: count(usage, 'output_tokens'),
      totalTokens: count(usage, 'total_tokens'),
      cacheReadTokens: count(input, 'cached_tokens'),
      cacheWriteTokens: count(input, 'cache_write_tokens'),
      reasoningTokens: count(field(usage, 'output_tokens_details'), 'reasoning_tokens'),
    }),
    providerData: { [format]: usage },
  }
}

// ---- encoding ---------------------------------------------------------------------------------

/** A whole answer as this wire's server gives it. Every item has an id: the one it came with, or one made for it. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const into = newLosses(target, false)
  const body = {
    ...skeleton(response, reply),
    ...ending(response, into),
    output: encodeOutput(response, reply, into),
    usage: encodeUsage(response.usage),
  } as WireResponse
  return { body, losses: into.list }
}

function encodeOutput(response: ChatResponse, reply: Reply, into: Losses): JsonObject[] {
  const { message } = response
  const items = encodeTurn(blocksOfTurn(message), message.invalidToolCalls ?? [], 'message', {
    into,
    reader: 'answer',
    proof: (opaque) => (opaque?.format === format ? opaque.data : undefined),
    isOwn: true,
  })
  const responseId = idOf(response, reply)
  return items.map((item, index) => answered(item, response, responseId, index))
}

/** The item with an id and a status: clients want both. */
function answered(item: JsonObject, { stopReason }: ChatResponse, responseId: string, index: number): JsonObject {
  const type = stringOr(item.type, '')
  const isCut = type === 'function_call' && stopReason === 'length' && !isJson(item.arguments)
  const status = withStatus.has(type) ? { status: isCut ? 'incomplete' : 'completed' } : {}
  return { ...(typeof item.id === 'string' ? {} : { id: makeId(type, responseId, index) }), ...status, ...item }
}

/** Items that always say how they stand. */
const withStatus: ReadonlySet<string> = new Set(['message', 'function_call', 'custom_tool_call'])

function isJson(text: unknown): boolean {
  try {
    JSON.parse(stringOr(text, ''))
    return true
  } catch {
    return false
  }
}

const idPrefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  image_generation_call: 'ig',
}

/** An id for an item that has none: recognised when it comes back, since no server knows it. */
export function makeId(type: string, responseId: string, index: number): string {
  const prefix = Object.hasOwn(idPrefixes, type) ? idPrefixes[type] : 'item'
  return `${prefix}_iso_${hash(responseId)}_${index}`
}

export function idOf({ message }: Pick<ChatResponse, 'message'>, reply: Reply): string {
  return reply.id ?? message.response?.id ?? 'resp_0'
}

/** Fields that the official client takes to be always there. */
const defaults: JsonObject = {
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: null,
  tool_choice: 'auto',
  tools: [],
  top_p: null,
}

/** An answer without its content: what begins a stream, too. */
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

/** Items that wait for the client, where they are unknown blocks. */
const asked: ReadonlySet<string> = new Set(['mcp_approval_request', 'tool_search_call'])

/** The wire says that an answer is complete, and by its items why. */
function isCompletion(stopReason: StopReason, { content }: AssistantMessage): boolean {
  if (stopReason !== 'pause') return stopReason === 'stop' || stopReason === 'tool_calls' || stopReason === 'refusal'
  return blocksOf(content).some((block) => block.type === 'unknown' && asked.has(block.providerType))
}

/** How an answer ended. The wire says that the model declined by a part of that kind, or else that it was filtered. */
export function ending(
  { stopReason, message }: ChatResponse,
  into: Losses,
): Pick<WireResponse, 'status' | 'error' | 'incomplete_details'> {
  const isFiltered = stopReason === 'refusal' && !blocksOf(message.content).some(isRefusal)
  const { status, reason } = statusOf(isFiltered ? 'content_filter' : stopReason, message.rawStopReason)
  const isSaid = status === 'completed' ? isCompletion(stopReason, message) : !isFiltered
  if (!isSaid) {
    const word = reason ?? status
    reportLoss(into, 'changed', 'stopReason', `the wire has no word for "${stopReason}": "${word}" is sent`)
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

/** Figures that are not known are 0, since the wire demands them all; their sum is made up where it is missing. */
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

/** Older answers of the wire do not have this one. */
function cacheWrites({ cacheWriteTokens }: Usage, kept: JsonObject): JsonObject {
  if (cacheWriteTokens !== undefined) return { cache_write_tokens: cacheWriteTokens }
  return 'cached_tokens' in kept ? {} : { cache_write_tokens: 0 }
}
