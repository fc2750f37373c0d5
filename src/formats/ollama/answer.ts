/**
 * Ollama: what a whole answer and the last line of a streamed one share.
 *
 * @see https://docs.ollama.com/api/chat
 *
 * @module
 */
import type { Reply } from '../../core/codec.ts'
import { compact, field, textOr } from '../../core/lookup.ts'
import type { ChatResponse, JsonObject, StopReason, Usage } from '../../core/model.ts'
import { settleStopReason } from '../../core/stop-reason.ts'
import { addend, settleUsage } from '../../core/usage.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import { keptFields } from './content.ts'
import { doneReason, figureFields, format, readStopReason, reasons } from './tables.ts'
import type { WireFigures, WireResponse } from './wire.ts'

/** Seconds since 1970. The wire has nanoseconds, which not every `Date.parse` reads. */
export function readTime(text: string): number | undefined {
  const time = Date.parse(text.replace(/\.\d+/, ''))
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000)
}

/** RFC 3339, of seconds since 1970; what no date can hold is 1970. */
export function writeTime(seconds = 0): string {
  const date = new Date(seconds * 1000)
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString()
}

/** The server leaves zeros out, so that what is not there is 0. */
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

/** Counts are ours, zeros left out; durations are those that an Ollama server sent. */
function encodeUsage(usage: Usage = {}): WireFigures {
  const { prompt_eval_count: _in, eval_count: _out, ...durations } = keptFields(usage)
  return {
    ...durations,
    ...compact({ prompt_eval_count: usage.inputTokens || undefined, eval_count: usage.outputTokens || undefined }),
  }
}

/** The end of an answer: all of it but what was said. */
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

/** The word of the Ollama server that it came from, if it still says the same; else the nearest of the two there are. */
function encodeStopReason({ message, stopReason }: ChatResponse, losses: Losses): string {
  const word = message.response?.provider === format ? message.rawStopReason : undefined
  if (word !== undefined && settleStopReason(readStopReason(word), stopReason === 'tool_calls') === stopReason)
    return word
  if (!expressible.has(stopReason)) reportLoss(losses, 'changed', 'stopReason', reasons.stopReason)
  return doneReason(stopReason)
}
