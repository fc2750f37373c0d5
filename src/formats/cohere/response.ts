/**
 * Cohere Chat v2: reads and writes whole answers, and has the code that streams share for writing.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import type { DecodeResponseOptions, EncodedResponse, Fragment, Reply } from '../../core/codec.ts'
import { blocksOf } from '../../core/content.ts'
import { refuseDeep } from '../../core/depth.ts'
import { compact, field, isObject, lookup, objectIn, textOr } from '../../core/lookup.ts'
import type { ChatResponse, Usage } from '../../core/model.ts'
import { settleStopReason } from '../../core/stop-reason.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { keptFields, noteForeign, objectAt } from './content.ts'
import { decodeError } from './errors.ts'
import { type Encoding, encodeAssistant } from './messages.ts'
import { newState, noHeaders, readEnd, readMessage } from './read-message.ts'
import { finishReasons, format, idPrefix, stopReasons } from './tables.ts'
import type { WireResponse, WireUsage } from './wire.ts'

/**
 * Reads a whole answer.
 *
 * @throws {ApiError} if the body is an error, though its status was 200.
 * @throws {DecodeError} if the body is not an answer.
 * @throws {InterruptedError} if the body does not have a `finish_reason`.
 */
export function decodeResponse(body: unknown, { callsBefore = 0, events }: DecodeResponseOptions = {}): ChatResponse {
  refuseDeep(body, 'Cannot decode Cohere response')
  const response = objectAt(body, 'body', 'response')
  if (typeof field(response, 'message') === 'string')
    throw decodeError({ status: 0, headers: noHeaders, body: response })
  const out: Fragment[] = [compact({ type: 'start', id: textOr(field(response, 'id'), undefined) })]
  const state = newState()
  readMessage(state, objectAt(field(response, 'message'), 'message', 'response'), 'message', 'response', out)
  readEnd(state, response, out)
  return fold(out, { provider: format, idPrefix, callsBefore, events })
}

/** Writes a whole answer. The format does not have fields for the model's name and the date. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses('Cohere', false)
  const { message } = response
  for (const [at, block] of blocksOf(message.content).entries()) noteForeign(block, `message.content[${at}]`, losses)
  noteForeign(message, 'message', losses)
  const encoded = encodeAssistant(message, 'message', answering(losses))
  const body: WireResponse = {
    ...keptFields(response),
    id: reply.id ?? message.response?.id ?? '',
    message: encoded,
    finish_reason: encodeStopReason(response, encoded.tool_calls !== undefined, losses),
    usage: encodeUsage(response.usage),
  }
  return { body, losses: losses.list }
}

/** Returns how an answer is encoded. Clients of this format accept thinking. Documents are written as text. */
export function answering(losses: Losses): Encoding {
  return { losses, takesDocuments: false, takesThinking: true, takesImages: true, isAnswer: true }
}

/**
 * Returns the `finish_reason`. If the answer came from Cohere and its own word still means the same stop reason, that word is used.
 * Otherwise the table has the word for the stop reason.
 */
export function encodeStopReason({ message, stopReason }: ChatResponse, hasCalls: boolean, losses: Losses): string {
  const { rawStopReason: raw, response } = message
  const meaning = response?.provider === format ? (lookup(stopReasons, raw) ?? 'other') : undefined
  if (raw !== undefined && meaning !== undefined && settleStopReason(meaning, hasCalls) === stopReason) return raw
  const word = stopReason === 'tool_calls' && !hasCalls ? finishReasons.stop : finishReasons[stopReason]
  if (lookup(stopReasons, word) !== stopReason)
    reportLoss(losses, 'changed', 'stopReason', `Cohere has no word for "${stopReason}": "${word}" is sent`)
  return word
}

/** Writes the usage. Clients read both `tokens` and `billed_units`. If the billed units are unknown, the token counts are sent for both. */
export function encodeUsage(usage: Usage = {}): WireUsage {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens, reasoningTokens } = usage
  const kept = keptFields(usage)
  const { image_tokens: images, ...figures } = objectIn(kept, 'tokens')
  const imageTokens = typeof images === 'number' ? images : undefined
  const tokens = {
    ...figures,
    input_tokens: Math.max(0, inputTokens - (imageTokens ?? 0)),
    output_tokens: outputTokens,
    ...compact({ reasoning_tokens: reasoningTokens, image_tokens: imageTokens }),
  }
  const paid = field(kept, 'billed_units')
  const billed = isObject(paid)
    ? (paid as WireUsage['billed_units'])
    : { input_tokens: inputTokens, output_tokens: outputTokens }
  return { ...kept, billed_units: billed, tokens, ...compact({ cached_tokens: cacheReadTokens }) }
}
