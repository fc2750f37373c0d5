/**
 * Bedrock Converse: reads and writes whole answers, and has the code that streams share.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (read 2026-11)
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import type { BlockKey, DecodeResponseOptions, EncodedResponse, Fragment, Reply } from '../../core/codec.ts'
import { refuseDeep } from '../../core/depth.ts'
import { arrayOf, compact, field, isObject, lookup, otherFields, textOr } from '../../core/lookup.ts'
import type { AssistantMessage, ChatResponse, JsonObject, StopReason, Usage } from '../../core/model.ts'
import { settleStopReason } from '../../core/stop-reason.ts'
import { settleUsage, tokenCount } from '../../core/usage.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { decodeBlock, decodeCitation, decodeServerResult, keptFields, listAt, objectAt, type Scope } from './content.ts'
import { decodeError } from './errors.ts'
import { encodeTurnBlocks } from './messages.ts'
import { format, idPrefix, provider, stopReasons, wireStopReasons } from './tables.ts'
import { readCallFragment } from './tools.ts'
import type { WireResponse, WireUsage } from './wire.ts'

// ---- decode -----------------------------------------------------------------------------------

/**
 * Reads a whole answer.
 *
 * @throws {ApiError} if the body is an error, though its status was 200.
 * @throws {DecodeError} if the body is not an answer.
 * @throws {InterruptedError} if the body does not have a `stopReason`.
 */
export function decodeResponse(body: unknown, { callsBefore = 0, events }: DecodeResponseOptions = {}): ChatResponse {
  refuseDeep(body, 'Cannot decode Bedrock response')
  const response = objectAt(body, 'body', 'response')
  if (field(response, 'output') === undefined && typeof (response.message ?? response.Message) === 'string')
    throw decodeError({ status: 0, headers: { get: () => null }, body: response })
  const message = objectAt(field(field(response, 'output'), 'message'), 'output.message', 'response')
  const out: Fragment[] = [{ type: 'start' }]
  let last: LastText | undefined
  for (const [key, entry] of listAt(field(message, 'content'), 'output.message.content', 'response').entries()) {
    const block = objectAt(entry, `output.message.content[${key}]`, 'response')
    last = readBlock(block, key, last, out)
  }
  readExtra(response, out)
  const reason = field(response, 'stopReason')
  if (typeof reason === 'string') out.push(endFragment(reason))
  return fold(out, { provider, idPrefix, callsBefore, events })
}

/** The last text. Citations in the blocks after it belong to it. `length` is in UTF-16 units. */
export interface LastText {
  readonly key: BlockKey
  readonly length: number
}

function readBlock(
  block: JsonObject,
  key: BlockKey,
  last: LastText | undefined,
  out: Fragment[],
): LastText | undefined {
  const use = field(block, 'toolUse')
  const result = field(block, 'toolResult')
  const cited = field(block, 'citationsContent')
  if (isObject(use)) {
    out.push({ ...readCallFragment(use), key }, { type: 'close', key })
    return undefined
  }
  if (isObject(result)) {
    out.push({ type: 'block', block: decodeServerResult(result), key })
    return undefined
  }
  if (isObject(cited) && arrayOf(field(cited, 'content')).length === 0 && last !== undefined) {
    const citations = arrayOf(field(cited, 'citations')).filter(isObject)
    out.push({ type: 'patch', key: last.key, citations: citations.map((one) => decodeCitation(one, last.length)) })
    return last
  }
  const decoded = decodeBlock(block)
  // gpt-oss starts its answers with an empty text.
  if (decoded.type === 'text' && decoded.text === '' && decoded.citations === undefined) return last
  if (decoded.type !== 'text') {
    out.push({ type: 'block', block: decoded, key })
    return undefined
  }
  out.push({ type: 'block', block: decoded, key, open: true }) // its citations may follow in a block of their own
  return { key, length: decoded.text.length }
}

const answerFields: ReadonlySet<string> = new Set(['output', 'stopReason', 'usage', 'p'])

/** Reads the usage and the unknown fields of an answer. */
export function readExtra(wire: JsonObject, out: Fragment[]): void {
  const usage = field(wire, 'usage')
  if (isObject(usage)) out.push({ type: 'usage', usage: decodeUsage(usage) })
  const kept = otherFields(wire, answerFields)
  if (kept !== undefined) out.push({ type: 'extra', providerData: { [format]: kept } })
}

export function endFragment(reason: string): Fragment {
  return { type: 'end', stopReason: lookup(stopReasons, reason) ?? 'other', rawStopReason: reason }
}

/** Reads the usage, in tokens. Bedrock counts cached input separately; here it is part of `inputTokens`. */
function decodeUsage(wire: JsonObject): Usage {
  const count = (name: string) => tokenCount(field(wire, name))
  const uncached = count('inputTokens')
  const cacheReadTokens = count('cacheReadInputTokens')
  const cacheWriteTokens = count('cacheWriteInputTokens')
  const outputTokens = count('outputTokens')
  const inputTokens = uncached === undefined ? undefined : uncached + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
  const totalTokens = inputTokens === undefined || outputTokens === undefined ? undefined : inputTokens + outputTokens
  const reasoningTokens = undefined
  return {
    ...settleUsage({ inputTokens, outputTokens, totalTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens }),
    providerData: { [format]: wire },
  }
}

// ---- encode -----------------------------------------------------------------------------------

/** Writes a whole answer. The format does not have fields for an id, the model's name and the date. */
export function encodeResponse(response: ChatResponse, _reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses('Bedrock', false)
  const { message } = response
  const content = encodeTurnBlocks(message, 'message', answering(losses))
  noteInvalidCalls(message, losses)
  const hasCalls = content.some((block) => 'toolUse' in block && block.toolUse.type !== 'server_tool_use')
  const body: WireResponse = {
    metrics: { latencyMs: 0 },
    ...keptFields(response),
    output: { message: { role: 'assistant', content } },
    stopReason: encodeStopReason(response, hasCalls, losses),
    usage: encodeUsage(response.usage),
  }
  return { body, losses: losses.list }
}

/** Returns the scope for an answer. Clients of this format accept its proofs. */
export function answering(losses: Losses): Scope {
  return { losses, model: '', place: 'answer', names: new Set() }
}

/** Reports a loss for each invalid call. The call is omitted, since a client would run it without arguments. */
function noteInvalidCalls({ invalidToolCalls = [] }: AssistantMessage, losses: Losses): void {
  for (const at of invalidToolCalls.keys())
    reportLoss(losses, 'dropped', `message.invalidToolCalls[${at}]`, 'its arguments are not an object')
}

/**
 * Returns the `stopReason` to write. If the answer came from Bedrock and its own word still means the same stop reason, that word is used.
 * Otherwise the table has the word for the stop reason.
 */
export function encodeStopReason({ message, stopReason }: ChatResponse, hasCalls: boolean, losses: Losses): string {
  const raw = textOr(message.rawStopReason, undefined)
  const meaning = message.response?.provider === provider ? (lookup(stopReasons, raw) ?? 'other') : undefined
  if (raw !== undefined && meaning !== undefined && settleStopReason(meaning, hasCalls) === stopReason) return raw
  const reason: StopReason = stopReason === 'tool_calls' && !hasCalls ? 'stop' : stopReason
  const word = wireStopReasons[reason]
  if (lookup(stopReasons, word) !== reason)
    reportLoss(losses, 'changed', 'stopReason', `Bedrock has no word for "${reason}": "${word}" is sent`)
  return word
}

/** Writes the usage. Clients require all three counts: input, output and total. */
export function encodeUsage(usage: Usage = {}): WireUsage {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens, cacheWriteTokens } = usage
  return {
    ...keptFields(usage),
    inputTokens: Math.max(0, inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...compact({ cacheReadInputTokens: cacheReadTokens, cacheWriteInputTokens: cacheWriteTokens }),
  }
}
