/**
 * Anthropic Messages: encodes and decodes complete answers. Streams use some of this code.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import type {
  BlockKey,
  CallFragment,
  DecodeResponseOptions,
  EncodedResponse,
  Fragment,
  Reply,
} from '../../core/codec.ts'
import { refuseDeep } from '../../core/depth.ts'
import { DecodeError } from '../../core/errors.ts'
import { compact, field, isObject, lookup, otherFields, textOr } from '../../core/lookup.ts'
import type { AssistantMessage, ChatResponse, JsonObject, StopReason, Usage } from '../../core/model.ts'
import { settleStopReason } from '../../core/stop-reason.ts'
import { settleUsage, tokenCount } from '../../core/usage.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { decodeBlock, isServerCall, serverCallData } from './content.ts'
import { decodeErrorEvent } from './errors.ts'
import { encodeTurnBlocks } from './messages.ts'
import { extrasOf, keptOf, type Origin } from './scope.ts'
import { type AnthropicDialect, format, knownFields, stopReasons, wireStopReasons } from './tables.ts'
import { inputOf } from './tools.ts'
import type { WireResponse, WireUsage } from './wire.ts'

/** The start of generated ids, for calls without an id. A number follows it. */
export const idPrefix = 'toolu_isoglot_'

// ---- decoding ---------------------------------------------------------------------------------

/**
 * Decodes a complete answer.
 *
 * @throws {ApiError} if the body is an error.
 * @throws {DecodeError} if the body is not a message. `path` names the wrong field.
 * @throws {InterruptedError} if the answer has no `stop_reason`, so it is incomplete.
 */
export function decodeResponse(
  body: unknown,
  { callsBefore = 0, events, dialect = {} }: DecodeResponseOptions<AnthropicDialect> = {},
): ChatResponse {
  const provider = dialect.provider ?? format
  refuseDeep(body, 'Cannot decode Anthropic response')
  if (field(body, 'type') === 'error') throw decodeErrorEvent(body, provider)
  if (!isObject(body)) throw wrong('', 'is not an object')
  return fold(readResponse(body, provider), { provider, idPrefix, callsBefore, events })
}

function wrong(path: string, finding: string): DecodeError {
  const what = path === '' ? 'the body' : `"${path}"`
  return new DecodeError(`Cannot decode Anthropic response: ${what} ${finding}`, { path })
}

function readResponse(body: JsonObject, provider: string): Fragment[] {
  const out: Fragment[] = []
  const content = field(body, 'content')
  if (!Array.isArray(content)) throw wrong('content', 'is not an array')
  const origin = { provider, model: textOr(field(body, 'model'), '') }
  readHead(body, out)
  for (const [key, block] of content.entries()) {
    if (!isObject(block)) throw wrong(`content[${key}]`, 'is not an object')
    readBlock(block, key, origin, out)
  }
  const usage = field(body, 'usage')
  if (isObject(usage)) out.push({ type: 'usage', usage: decodeUsage(usage) })
  const reason = field(body, 'stop_reason')
  if (typeof reason === 'string') out.push(endFragment(reason, field(body, 'container')))
  return out
}

/** Reads the message's fields, except its content: from a body or from `message_start`. */
export function readHead(message: JsonObject, out: Fragment[]): void {
  const id = textOr(field(message, 'id'), undefined)
  const model = textOr(field(message, 'model'), undefined)
  out.push(compact({ type: 'start', id, model }))
  const extra = otherFields(message, knownFields.response)
  if (extra !== undefined) out.push({ type: 'extra', providerData: { [format]: extra } })
}

/** Reads a complete block. */
export function readBlock(block: JsonObject, key: BlockKey, origin: Origin, out: Fragment[]): void {
  if (!isCall(block)) {
    out.push({ type: 'block', block: decodeBlock(block, origin), key })
    return
  }
  const input = inputOf(block)
  out.push({ ...readCallStart(block, key), ...compact({ arguments: input }) }, { type: 'close', key })
}

export function isCall(block: JsonObject): boolean {
  const type = field(block, 'type')
  return type === 'tool_use' || isServerCall(type)
}

/** Reads a call, without its arguments. */
export function readCallStart(block: JsonObject, key: BlockKey): CallFragment {
  const isServers = isServerCall(field(block, 'type'))
  const { providerData } = extrasOf(block, knownFields.call)
  const kept = isServers ? serverCallData(block, providerData) : providerData
  return compact({
    type: 'call',
    key,
    id: textOr(field(block, 'id'), null),
    name: textOr(field(block, 'name'), null),
    server: isServers || undefined,
    providerData: kept,
  })
}

export function endFragment(reason: string, container: unknown): Fragment {
  const containerId = textOr(field(container, 'id'), undefined)
  const providerState = containerId === undefined ? undefined : { containerId }
  return compact({
    type: 'end',
    stopReason: lookup(stopReasons, reason) ?? 'other',
    rawStopReason: reason,
    providerState,
  })
}

/** Decodes usage, in tokens. This format counts cached input separately. `inputTokens` of isoglot is the sum. */
export function decodeUsage(wire: JsonObject): Usage {
  const count = (name: string) => tokenCount(field(wire, name))
  const uncached = count('input_tokens')
  const cacheReadTokens = count('cache_read_input_tokens')
  const cacheWriteTokens = count('cache_creation_input_tokens')
  const outputTokens = count('output_tokens')
  const reasoningTokens = tokenCount(field(field(wire, 'output_tokens_details'), 'thinking_tokens'))
  const inputTokens = uncached === undefined ? undefined : uncached + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
  const totalTokens = inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens
  return {
    ...settleUsage({ inputTokens, outputTokens, totalTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens }),
    providerData: { [format]: wire },
  }
}

// ---- encoding ---------------------------------------------------------------------------------

/** Encodes an answer as this API sends it. Never throws for content: parts that the format cannot express are losses. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses('Anthropic', false)
  const { message } = response
  const content = encodeTurnBlocks(message, 'message', answerScope(losses))
  noteInvalidCalls(message, losses)
  const hasCalls = content.some(({ type }) => type === 'tool_use')
  const body: WireResponse = {
    stop_sequence: null,
    ...keptOf(response),
    id: reply.id ?? message.response?.id ?? 'msg_0',
    type: 'message',
    role: 'assistant',
    model: reply.model ?? message.response?.model ?? '',
    content,
    stop_reason: encodeStopReason(message, response.stopReason, hasCalls, losses),
    usage: encodeUsage(response.usage),
  }
  return { body, losses: losses.list }
}

/** Returns the scope of an answer. Proofs of this format are valid in it, since clients of this format send them back. */
export function answerScope(losses: Losses): Parameters<typeof encodeTurnBlocks>[2] {
  return { losses, target: { format, provider: format, model: '' }, place: 'answer' }
}

/** Reports invalid calls, which are not sent. With empty arguments, a client could run such a call. */
function noteInvalidCalls(message: AssistantMessage, losses: Losses): void {
  for (const at of (message.invalidToolCalls ?? []).keys()) {
    reportLoss(losses, 'dropped', `message.invalidToolCalls[${at}]`, 'its arguments are not an object')
  }
}

/**
 * Returns the message's own stop reason, if this format has it with the same meaning. Otherwise returns this format's value for `reason`.
 * Anthropic's own `end_turn` in a message with calls is kept: the calls ran during the answer.
 */
export function encodeStopReason(
  message: AssistantMessage,
  reason: StopReason,
  hasCalls: boolean,
  losses: Losses,
): string | null {
  const { rawStopReason: raw, response } = message
  const isOwn = response?.provider === format
  const meaning = lookup(stopReasons, raw) ?? (isOwn ? 'other' : undefined)
  const settled = meaning !== undefined && isOwn ? settleStopReason(meaning, hasCalls) : meaning
  if (raw !== undefined && settled === reason) return raw
  if (reason === 'tool_calls' && !hasCalls) return 'end_turn' // the loss of the call is already reported
  const word = wireStopReasons[reason]
  if (word !== null && lookup(stopReasons, word) !== reason) {
    reportLoss(losses, 'changed', 'stopReason', `it has no word for "${reason}": "${word}" is sent`)
  }
  return word
}

/** Encodes usage. Every figure is present and at least 0, since clients calculate with them. */
export function encodeUsage(usage: Usage = {}): WireUsage {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
  const kept = keptOf(usage)
  const details = field(kept, 'output_tokens_details')
  const thinking = reasoningTokens === undefined ? undefined : { thinking_tokens: reasoningTokens }
  return {
    ...kept,
    input_tokens: Math.max(0, inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    output_tokens: outputTokens,
    ...compact({
      cache_read_input_tokens: cacheReadTokens,
      cache_creation_input_tokens: cacheWriteTokens,
      output_tokens_details: thinking && { ...(isObject(details) && details), ...thinking },
    }),
  }
}
