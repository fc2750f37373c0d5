/**
 * Ollama: reads and writes whole answers.
 *
 * @see https://docs.ollama.com/api/chat
 *
 * @module
 */
import { fold } from '../../assemble/fold.ts'
import type { DecodeResponseOptions, EncodedResponse, Fragment, Reply } from '../../core/codec.ts'
import { blocksOfTurn } from '../../core/content.ts'
import { refuseDeep } from '../../core/depth.ts'
import { compact, field, textOr, unlessEmpty } from '../../core/lookup.ts'
import type { AssistantMessage, ChatResponse, ToolCall } from '../../core/model.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { encodeEnd, noteServed } from './answer.ts'
import { encodeBlocks, keptFields, objectAt } from './content.ts'
import { invalidCallError } from './errors.ts'
import { newState, readLine } from './stream.ts'
import { format, idPrefix, reasons } from './tables.ts'
import { encodeServedCall } from './tools.ts'
import type { WireMessage, WireResponse } from './wire.ts'

/**
 * Reads a whole answer. It is read like a stream that has one line.
 *
 * @throws {ApiError} if the body is an error, though its status was 200.
 * @throws {DecodeError} if the body is not an answer.
 * @throws {InterruptedError} if `done` is not true.
 */
export function decodeResponse(body: unknown, { callsBefore = 0, events }: DecodeResponseOptions = {}): ChatResponse {
  refuseDeep(body, 'Cannot decode Ollama response')
  const fragments: Fragment[] = []
  readLine(newState(), body, fragments)
  objectAt(field(body, 'message'), 'message', 'response')
  return fold(fragments, { provider: format, idPrefix, callsBefore, events })
}

/**
 * Writes a whole answer.
 *
 * @throws {ApiError} if a call in the answer is invalid. The message is the one that the Ollama server sends in this case.
 */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses('Ollama', false)
  const end = encodeEnd(response, reply, losses)
  const message = encodeMessage(response.message, losses)
  return { body: { ...end, message }, losses: losses.list }
}

function encodeMessage(message: AssistantMessage, losses: Losses): WireMessage {
  const blocks = blocksOfTurn(message)
  const { text, thinking, images } = encodeBlocks(blocks, 'message.content', '', losses, 'tool_call')
  const calls = blocks.filter((block): block is ToolCall => block.type === 'tool_call').map(encodeServedCall)
  noteServed(message, 'message', losses)
  for (const [at, block] of blocks.entries()) noteServed(block, `message.content[${at}]`, losses)
  refuseInvalidCalls(message, losses)
  return {
    ...keptFields(message),
    role: 'assistant',
    content: text,
    ...compact({
      thinking: textOr(thinking, undefined),
      images: unlessEmpty(images),
      tool_calls: unlessEmpty(calls),
    }),
  }
}

/** Omits a call that was cut off with its answer, and throws for any other invalid call. Streams do the same. */
function refuseInvalidCalls({ invalidToolCalls = [] }: AssistantMessage, losses: Losses): void {
  for (const call of invalidToolCalls) {
    if (call.reason !== 'truncated') throw invalidCallError(call)
    reportLoss(losses, 'dropped', `message.invalidToolCalls[${call.index}]`, reasons.cutCall, 'major')
  }
}
