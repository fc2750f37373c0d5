/**
 * Anthropic Messages: decodes and encodes complete answers.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import type {
  CodecOptions,
  DecodedCalls,
  DecodeResponseOptions,
  EncodedResponse,
  Fragment,
  Reply,
} from '../../core/codec.ts'
import { blocksOfTurn, toolCallsOf } from '../../core/content.ts'
import { refuseDeep } from '../../core/depth.ts'
import { arrayOf, compact, field, isObject, lookup } from '../../core/lookup.ts'
import type {
  AssistantMessage,
  ChatResponse,
  ContentBlock,
  JsonObject,
  Opaque,
  ReasoningBlock,
  StopReason,
  Usage,
} from '../../core/model.ts'
import { settleStopReason } from '../../core/stop-reason.ts'
import { type Losses, newLosses, reportForeignFields, reportLoss } from '../../kit/losses.ts'
import { ownProof } from '../../kit/opaque.ts'
import * as reasons from '../../kit/reasons.ts'
import { citationForClient } from './citations.ts'
import { encodeCall, encodeOwnBlock } from './content.ts'
import { decodeErrorEvent, wrong } from './errors.ts'
import { drop, keptOf } from './scope.ts'
import { answerReader } from './stream.ts'
import { type AnthropicDialect, format, stopReasons, wireStopReasons } from './tables.ts'
import type { WireBlock, WireResponse, WireUsage } from './wire.ts'

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
  refuseDeep(body, 'Cannot decode Anthropic response')
  if (field(body, 'type') === 'error') throw decodeErrorEvent(body, dialect.provider)
  if (!isObject(body)) throw wrong('response', '', 'the body is not an object')
  const content = field(body, 'content')
  if (!Array.isArray(content)) throw wrong('response', 'content', 'is not an array')
  const at = content.findIndex((block) => !isObject(block))
  if (at >= 0) throw wrong('response', `content[${at}]`, 'is not an object')
  return foldBody(body, dialect, compact({ callsBefore, events }))
}

/** Reads a body as a stream of two events. */
function foldBody(
  message: JsonObject,
  dialect: AnthropicDialect,
  options: Omit<DecodeResponseOptions, 'dialect'>,
): ChatResponse {
  const out: Fragment[] = []
  const reader = answerReader(dialect)
  reader.read({ message }, 'message_start', out)
  reader.read({ delta: { stop_reason: field(message, 'stop_reason') ?? null } }, 'message_delta', out)
  reader.end(out)
  return fold(out, { provider: dialect.provider ?? format, idPrefix, ...options })
}

/** Decodes the calls in the body of an answer. Ignores calls that the provider runs. */
export function decodeToolCalls(body: unknown, _options: CodecOptions<AnthropicDialect> = {}): DecodedCalls {
  const content = arrayOf(field(body, 'content')).filter((block) => field(block, 'type') === 'tool_use')
  const { message } = foldBody({ content, stop_reason: 'tool_use' }, {}, {})
  return { toolCalls: toolCallsOf(message), invalidToolCalls: message.invalidToolCalls ?? [] }
}

// ---- encoding ---------------------------------------------------------------------------------

/** Encodes an answer as this API sends it. Never throws for content: parts that the format cannot express are losses. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses('Anthropic', false)
  const { message } = response
  const content = blocksOfTurn(message).flatMap(
    (block, at) => encodeAnswerBlock(block, `message.content[${at}]`, losses) ?? [],
  )
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

/** Encodes a block of an answer. Returns `undefined` and reports a loss if an answer of this format cannot have it. */
export function encodeAnswerBlock(given: ContentBlock, path: string, losses: Losses): WireBlock | undefined {
  reportForeign(given, path, losses)
  // Cache hints are for requests, and proofs only for reasoning.
  const { metadata: _, opaque, ...rest } = given as ContentBlock & { readonly opaque?: Opaque }
  const block = rest as ContentBlock
  switch (block.type) {
    case 'text': {
      const { text, citations } = block
      const encoded = citations?.flatMap((citation) => citationForClient(citation) ?? [])
      const isLost = citations !== undefined && encoded !== undefined && encoded.length < citations.length
      if (isLost) drop(`${path}.citations`, reasons.citations, { losses })
      const sent = encoded?.length === 0 && isLost ? undefined : encoded
      return { ...keptOf(block), type: 'text', text, ...compact({ citations: sent }) }
    }
    case 'plain_text':
      if (block.title !== undefined) drop(`${path}.title`, reasons.title, { losses }, 'info')
      return { type: 'text', text: block.text }
    case 'reasoning':
      return encodeReasoning(compact({ ...block, opaque }), path, losses)
    case 'tool_call':
      return encodeCall(block, path, { losses })
    case 'server_tool_call':
    case 'server_tool_result':
      return encodeOwnBlock(block, path, { losses })
    case 'unknown':
      if (block.format === format) return encodeOwnBlock(block, path, { losses })
      return drop(path, reasons.foreignBlock, { losses })
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return drop(path, `an answer here has no place for ${block.type}`, { losses }, 'major')
    default:
      return drop(path, `an answer here has no place for ${block.type}`, { losses })
  }
}

/** Encodes reasoning. A proof of this format is valid, since clients of this format send it back. Clients can show the text without one. */
function encodeReasoning(block: ReasoningBlock, path: string, losses: Losses): WireBlock | undefined {
  const { text, opaque } = block
  const { data, signature } = ownProof(opaque, { format, provider: format, model: '' }) ?? {}
  const kept = keptOf(block)
  if (typeof data === 'string') return { ...kept, type: 'redacted_thinking', data }
  if (typeof signature === 'string') return { ...kept, type: 'thinking', thinking: text, signature }
  if (text === '') return drop(path, 'reasoning without its own signature is refused', { losses }, 'info')
  if (opaque !== undefined) drop(`${path}.opaque`, reasons.foreignProof, { losses }, 'info')
  return { ...kept, type: 'thinking', thinking: text, signature: '' }
}

/** Reports the loss of fields and proofs of other formats. */
function reportForeign(block: ContentBlock, path: string, losses: Losses): void {
  if ('opaque' in block && block.opaque !== undefined && block.type !== 'reasoning')
    drop(`${path}.opaque`, reasons.foreignProof, { losses }, 'info')
  reportForeignFields(block, format, path, losses)
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
