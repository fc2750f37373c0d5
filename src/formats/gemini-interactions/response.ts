/**
 * Gemini Interactions: decodes and encodes whole answers.
 *
 * @see https://ai.google.dev/api/interactions-api (read 2026-11)
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import type { DecodeResponseOptions, EncodedResponse, Fragment, Reply } from '../../core/codec.ts'
import { blocksOfTurn } from '../../core/content.ts'
import { refuseDeep } from '../../core/depth.ts'
import { DecodeError } from '../../core/errors.ts'
import { arrayOf, compact, field, isObject, otherFields, textOr } from '../../core/lookup.ts'
import type { AssistantMessage, ChatResponse, Json, JsonObject, ProviderState, Usage } from '../../core/model.ts'
import { addend, settleUsage, tokenCount } from '../../core/usage.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { keptFields } from './content.ts'
import { midStreamError } from './errors.ts'
import { newReading, type Reading, readStep } from './steps.ts'
import { blockedCodes, format, idPrefix, provider, readStopReason, statusOf, target } from './tables.ts'
import { encodeTurn, type TurnScope } from './turns.ts'
import type { WireResponse, WireUsage } from './wire.ts'

// ---- decoding ---------------------------------------------------------------------------------

/**
 * Decodes a whole answer. An answer that is generated in the background has no content yet: it must be fetched later.
 *
 * @throws {ApiError} if the body is an error, or an answer that failed.
 * @throws {DecodeError} if the body is not an answer.
 */
export function decodeResponse(body: unknown, { callsBefore = 0, events }: DecodeResponseOptions = {}): ChatResponse {
  const failure = `Cannot decode ${target} answer`
  if (Array.isArray(body) || field(body, 'error')) throw midStreamError(body)
  if (!isObject(body)) throw new DecodeError(`${failure}: it is not an object`)
  refuseDeep(body, failure)
  const steps = stepsOf(body)
  if (steps === undefined && typeof field(body, 'status') !== 'string') {
    throw new DecodeError(`${failure}: "steps" is not a list`, { path: 'steps' })
  }
  const out: Fragment[] = []
  readStart(body, out)
  const reading = newReading(textOr(field(body, 'model'), ''))
  for (const step of steps ?? []) readStep(step, reading, out)
  readEnd(body, reading, out)
  return fold(out, { provider, idPrefix, callsBefore, events })
}

/** Returns the steps of an answer; `undefined` if it does not have any list of them. The legacy schema has a list of contents instead. */
export function stepsOf(interaction: unknown): readonly Json[] | undefined {
  const steps = field(interaction, 'steps')
  if (Array.isArray(steps)) return steps
  const outputs = field(interaction, 'outputs')
  return Array.isArray(outputs) ? outputs.map(stepOfContent) : undefined
}

const contentTypes: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'video', 'document'])

/** Converts a content of the legacy schema to a step. Text and media become a `model_output`; every other content is already like a step. */
export function stepOfContent(content: Json): Json {
  return contentTypes.has(field(content, 'type')) ? { type: 'model_output', content: [content] } : content
}

/** Reads the id and the model. An answer that is not stored has no id, or an empty one. */
export function readStart(interaction: unknown, out: Fragment[]): void {
  const createdAt = Date.parse(`${field(interaction, 'created')}`) / 1000
  out.push({
    type: 'start',
    ...compact({
      id: textOr(field(interaction, 'id'), undefined),
      model: textOr(field(interaction, 'model'), undefined),
      createdAt: Number.isNaN(createdAt) ? undefined : createdAt,
    }),
  })
}

const knownOfResponse = new Set([
  ...['id', 'object', 'model', 'created', 'updated', 'status', 'steps', 'outputs', 'role', 'usage', 'errors'],
  ...['continuation_token'],
])

/** Reads the end of an answer: its usage, its unknown fields and its stop reason. The `end` fragment is the last one. */
export function readEnd(interaction: JsonObject, reading: Reading, out: Fragment[]): void {
  const usage = readUsage(field(interaction, 'usage'))
  if (usage !== undefined) out.push({ type: 'usage', usage })
  const extra = otherFields(interaction, knownOfResponse)
  if (extra !== undefined) out.push({ type: 'extra', providerData: { [format]: extra } })
  const status = textOr(field(interaction, 'status'), '')
  const [error] = arrayOf(field(interaction, 'errors'))
  const code = textOr(field(error, 'code'), undefined)
  const isBlocked = status === 'failed' && blockedCodes.has(code)
  if (status === 'failed' && !isBlocked) throw midStreamError({ error: error ?? { message: 'The interaction failed' } })
  out.push({
    type: 'end',
    stopReason: isBlocked ? 'content_filter' : readStopReason(status, reading.hasCalls),
    ...compact({
      rawStopReason: (isBlocked ? code : status) || undefined,
      providerState: readState(interaction, status),
    }),
  })
}

/**
 * Reads the state for the next request. An answer with an id is stored, and the next request can continue it. An answer that requires
 * continuation has a token, stored or not.
 */
function readState(interaction: JsonObject, status: string): ProviderState | undefined {
  const isHop = status === 'requires_continuation'
  const state = compact({
    previousResponseId: textOr(field(interaction, 'id'), undefined),
    continuationToken: isHop ? textOr(field(interaction, 'continuation_token'), undefined) : undefined,
  })
  return Object.keys(state).length > 0 ? state : undefined
}

/** Decodes token counts. Input includes cached tokens, but not the input that tools added. Output excludes thoughts. An absent count is 0. */
export function readUsage(wire: unknown): Usage | undefined {
  if (!isObject(wire)) return undefined
  const count = (name: keyof WireUsage) => tokenCount(field(wire, name))
  const sum = (one: keyof WireUsage, other: keyof WireUsage) =>
    (count(one) ?? count('total_tokens')) === undefined
      ? undefined
      : addend(field(wire, one)) + addend(field(wire, other))
  return {
    ...settleUsage({
      inputTokens: sum('total_input_tokens', 'total_tool_use_tokens'),
      outputTokens: sum('total_output_tokens', 'total_thought_tokens'),
      totalTokens: count('total_tokens'),
      cacheReadTokens: count('total_cached_tokens'),
      cacheWriteTokens: undefined,
      reasoningTokens: count('total_thought_tokens'),
    }),
    providerData: { [format]: wire },
  }
}

// ---- encoding ---------------------------------------------------------------------------------

/** The scope for answers to a client, who receives everything except proofs of other formats. */
export function answerScope(losses: Losses): TurnScope {
  return { losses, reader: 'client', proof: (opaque) => (opaque?.format === format ? opaque.data : undefined) }
}

/** Encodes a whole answer, as a server of this format sends it. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses(target, false)
  const { message } = response
  const steps = encodeTurn(blocksOfTurn(message), message.invalidToolCalls ?? [], 'message', answerScope(losses))
  const body = { ...ending(response, reply, losses), steps: [...steps, ...outputError(message)] }
  return { body: body as WireResponse, losses: losses.list }
}

/** Returns a step with the error that was received in an otherwise complete answer; an empty list if there was no error. */
export function outputError({ providerData }: AssistantMessage): JsonObject[] {
  const error = field(providerData?.[format], 'error')
  return error === undefined ? [] : [{ type: 'model_output', content: [], error }]
}

/** Encodes an answer without its steps. This is the last event of a stream, and part of a whole answer. */
export function ending(response: ChatResponse, reply: Reply, losses: Losses): Omit<WireResponse, 'steps'> {
  const { message, stopReason, usage = message.usage } = response
  const hasCalls = blocksOfTurn(message).some(({ type }) => type === 'tool_call')
  const { status, isSaid } = statusOf(stopReason, message.rawStopReason, hasCalls)
  if (!isSaid)
    reportLoss(losses, 'changed', 'stopReason', `the wire has no word for "${stopReason}": "${status}" is sent`)
  const created = timeOf(reply.createdAt ?? message.response?.createdAt)
  return {
    ...keptFields(response),
    ...identityOf(message.response ?? {}, reply),
    status,
    created,
    updated: created,
    ...compact({
      usage: usage && encodeUsage(usage),
      errors: status === 'failed' ? [failureOf(response)] : undefined,
    }),
  }
}

/** Returns the fields that identify an answer. An empty id means that the answer is not stored. */
export function identityOf(
  { id, model }: { readonly id?: string; readonly model?: string },
  reply: Reply,
): Pick<WireResponse, 'id' | 'object' | 'model'> {
  return { id: reply.id ?? id ?? '', object: 'interaction', model: reply.model ?? model ?? '' }
}

function timeOf(seconds = 0): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, -'.000Z'.length)}Z`
}

function failureOf({ stopReason, message }: ChatResponse): { code: string; message: string } {
  const word = message.rawStopReason
  if (stopReason !== 'content_filter') {
    return { code: 'api_error', message: `The provider ended the answer with an error${word ? `: ${word}` : ''}` }
  }
  const code = word !== undefined && blockedCodes.has(word) ? word : 'content_blocked'
  return { code, message: 'A filter of the provider stopped the answer' }
}

/** Splits the sums of isoglot into the counts of the wire. */
export function encodeUsage(usage: Usage): WireUsage {
  const { inputTokens = 0, outputTokens = 0, reasoningTokens = 0, cacheReadTokens = 0 } = usage
  const kept = keptFields(usage)
  const tools = Math.min(tokenCount(field(kept, 'total_tool_use_tokens')) ?? 0, inputTokens)
  return {
    ...kept,
    total_input_tokens: inputTokens - tools,
    total_cached_tokens: cacheReadTokens,
    total_output_tokens: outputTokens - reasoningTokens,
    total_thought_tokens: reasoningTokens,
    total_tool_use_tokens: tools,
    total_tokens: usage.totalTokens ?? inputTokens + outputTokens,
  }
}
