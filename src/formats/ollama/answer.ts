/**
 * Ollama: code that whole answers and the last line of streamed answers share.
 *
 * @see https://docs.ollama.com/api/chat
 *
 * @module
 */
import type { Reply } from '../../core/codec.ts'
import { compact, field, textOr } from '../../core/lookup.ts'
import type { AssistantMessage, ChatResponse, ContentBlock, JsonObject, StopReason, Usage } from '../../core/model.ts'
import { settleStopReason } from '../../core/stop-reason.ts'
import { addend, settleUsage } from '../../core/usage.ts'
import { type Losses, reportForeignFields, reportLoss } from '../../kit/losses.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { keptFields } from './content.ts'
import { doneReason, figureFields, format, readStopReason, reasons } from './tables.ts'
import type { WireFigures, WireResponse } from './wire.ts'

/**
 * Reads a time and returns seconds since 1970. The fraction is removed first: Ollama sends nanoseconds, and some implementations of
 * `Date.parse` reject them.
 */
export function readTime(text: string): number | undefined {
  const time = Date.parse(text.replace(/\.\d+/, ''))
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000)
}

/** Writes seconds since 1970 as an RFC 3339 time. A number that is out of range for `Date` is written as 1970. */
export function writeTime(seconds = 0): string {
  const date = new Date(seconds * 1000)
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString()
}

/** Reads the token counts of the last line. A missing count is 0, since the server omits zeros. */
export function readUsage(line: JsonObject): Usage {
  const inputTokens = addend(field(line, 'prompt_eval_count'))
  const outputTokens = addend(field(line, 'eval_count'))
  const figures: JsonObject = {}
  for (const name of figureFields) {
    const figure = field(line, name)
    if (figure !== undefined) figures[name] = figure
  }
  const providerData = Object.keys(figures).length > 0 && { providerData: { [format]: figures } }
  const totalTokens = inputTokens + outputTokens
  return { ...settleUsage({ inputTokens, outputTokens, totalTokens }), ...providerData }
}

/** Writes the token counts from `usage`, without zeros. Durations are written only if an Ollama server sent them. */
function encodeUsage(usage: Usage = {}): WireFigures {
  const { prompt_eval_count: _in, eval_count: _out, ...durations } = keptFields(usage)
  return {
    ...durations,
    ...compact({ prompt_eval_count: usage.inputTokens || undefined, eval_count: usage.outputTokens || undefined }),
  }
}

/** Writes the last line of an answer: all its fields, with an empty message. */
export function encodeEnd(response: ChatResponse, reply: Reply, losses: Losses): WireResponse {
  const from = response.message.response
  const { created_at: keptTime, ...kept } = keptFields(response)
  const time = reply.createdAt ?? from?.createdAt
  return {
    ...kept,
    model: reply.model ?? from?.model ?? '',
    created_at: reply.createdAt === undefined ? textOr(keptTime, writeTime(time)) : writeTime(time),
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: encodeStopReason(response, losses),
    ...encodeUsage(response.usage),
  }
}

const expressible: ReadonlySet<StopReason> = new Set(['stop', 'length', 'tool_calls'])

/**
 * Returns the `done_reason`. If the answer came from an Ollama server and its own word still means the same stop reason, that word is
 * used. Otherwise the result is the nearest of `stop` and `length`.
 */
function encodeStopReason({ message, stopReason }: ChatResponse, losses: Losses): string {
  const word = message.response?.provider === format ? message.rawStopReason : undefined
  if (word !== undefined && settleStopReason(readStopReason(word), stopReason === 'tool_calls') === stopReason)
    return word
  if (!expressible.has(stopReason)) reportLoss(losses, 'changed', 'stopReason', reasons.stopReason)
  return doneReason(stopReason)
}

/** Reports what a message or block of an answer has, and this format does not. */
export function noteServed(part: AssistantMessage | ContentBlock, where: string, losses: Losses): void {
  if (part.metadata?.cacheHint !== undefined)
    reportLoss(losses, 'dropped', `${where}.metadata.cacheHint`, lackReasons.cacheHint, 'info')
  if ('opaque' in part && part.opaque !== undefined)
    reportLoss(losses, 'dropped', `${where}.opaque`, lackReasons.foreignProof, 'info')
  reportForeignFields(part, format, where, losses)
  if ('role' in part || part.type !== 'text') return
  if (part.citations?.length) reportLoss(losses, 'dropped', `${where}.citations`, lackReasons.citations)
  if (part.refusal) reportLoss(losses, 'changed', `${where}.refusal`, lackReasons.refusal, 'info')
}
