/**
 * Ollama: encodes answers, streams and errors for a client. Half of what a server needs; no page loads it.
 *
 * @see https://docs.ollama.com/api/chat
 * @see https://docs.ollama.com/capabilities/tool-calling
 * @see https://docs.ollama.com/api/streaming
 * @see https://github.com/ollama/ollama/blob/main/server/routes.go (`streamResponse`)
 * @see https://docs.ollama.com/api/errors
 *
 * @module
 */

import type { EncodedResponse, Frame, Reply, StreamEncoder } from '../../../core/codec.ts'
import { blocksOfTurn, settleStopReason, unknownFieldsOf } from '../../../core/content.ts'
import { ApiError } from '../../../core/errors.ts'
import { compact, textOr, unlessEmpty } from '../../../core/json.ts'
import type {
  AssistantMessage,
  ChatResponse,
  ContentBlock,
  InvalidToolCall,
  StopReason,
  ToolCall,
  Usage,
} from '../../../core/messages.ts'
import { messageWith, statusOf } from '../../shared/api-error.ts'
import { type Losses, newLosses, reportForeignFields, reportLoss } from '../../shared/losses.ts'
import * as lackReasons from '../../shared/reasons.ts'
import { reportStopReason } from '../../shared/stop-reason.ts'
import { streamEncoder } from '../../shared/stream-encoder.ts'
import { encodeBlock, encodeBlocks, encodeCall, noFields } from '../encode-request.ts'
import { doneReason, format, readStopReason, reasons } from '../tables.ts'
import type { WireError, WireFigures, WireMessage, WireResponse, WireToolCall } from '../wire.ts'

/** Writes a call as an Ollama server sends it: with an id and an index. */
function encodeServedCall(call: ToolCall): WireToolCall {
  const { id = call.id, function: body, ...rest } = encodeCall(call)
  return { id, ...rest, function: { index: call.index, ...body } }
}

// ---- a whole answer -----------------------------------------------------------------------------

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
    ...unknownFieldsOf(message, format),
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
  for (const [at, call] of invalidToolCalls.entries()) {
    if (call.reason !== 'truncated') throw invalidCallError(call)
    reportLoss(losses, 'dropped', `message.invalidToolCalls[${at}]`, reasons.cutCall, 'major')
  }
}

// ---- an answer ----------------------------------------------------------------------------------

/** Writes seconds since 1970 as an RFC 3339 time. A number that is out of range for `Date` is written as 1970. */
function writeTime(seconds = 0): string {
  const date = new Date(seconds * 1000)
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString()
}

/** Writes the token counts from `usage`, without zeros. Durations are written only if an Ollama server sent them. */
function encodeUsage(usage: Usage = {}): WireFigures {
  const { prompt_eval_count: _in, eval_count: _out, ...durations } = unknownFieldsOf(usage, format)
  return {
    ...durations,
    ...compact({ prompt_eval_count: usage.inputTokens || undefined, eval_count: usage.outputTokens || undefined }),
  }
}

/** Writes the last line of an answer: all its fields, with an empty message. */
function encodeEnd(response: ChatResponse, reply: Reply, losses: Losses): WireResponse {
  const from = response.message.response
  const { created_at: keptTime, ...kept } = unknownFieldsOf(response, format)
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
  const nearest = doneReason(stopReason)
  if (!expressible.has(stopReason)) reportStopReason(losses, stopReason, nearest)
  return nearest
}

/** Reports what a message or block of an answer has, and this format does not. */
function noteServed(part: AssistantMessage | ContentBlock, where: string, losses: Losses): void {
  if (part.metadata?.cacheHint !== undefined)
    reportLoss(losses, 'dropped', `${where}.metadata.cacheHint`, lackReasons.cacheHint, 'info')
  if ('opaque' in part && part.opaque !== undefined)
    reportLoss(losses, 'dropped', `${where}.opaque`, lackReasons.foreignProof, 'info')
  reportForeignFields(part, format, where, losses)
  if ('role' in part || part.type !== 'text') return
  if (part.citations?.length) reportLoss(losses, 'dropped', `${where}.citations`, lackReasons.citations)
  if (part.refusal) reportLoss(losses, 'changed', `${where}.refusal`, lackReasons.refusal, 'info')
}

// ---- a stream -----------------------------------------------------------------------------------

/** State that is kept from event to event. */
interface EncodeState {
  readonly reply: Reply
  readonly losses: Losses
  /** The `created_at` of every line, in RFC 3339. */
  readonly createdAt: string
  model: string
  /** The first fields of every line, as JSON without the last brace. */
  headText: string
}

/**
 * Writes one answer: a line for each delta and each call, then the last line with the usage. Calls are never on the last line, because old
 * clients do not read them there.
 */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncodeState = {
    reply,
    losses: newLosses('Ollama', false),
    createdAt: writeTime(reply.createdAt),
    model: '',
    headText: '',
  }
  setModel(state, reply.model)
  const encoder = streamEncoder(
    state.losses,
    (event, out) => {
      switch (event.type) {
        case 'message_start':
          return setModel(state, state.reply.model ?? event.model)
        case 'text_delta':
          return writeLine(state, { content: event.text }, out)
        case 'reasoning_delta':
          return writeLine(state, { content: '', thinking: event.text }, out)
        case 'tool_call':
          noteServed(event.call, `message.content[${event.index}]`, state.losses)
          return writeLine(state, { content: '', tool_calls: [encodeServedCall(event.call)] }, out)
        case 'invalid_tool_call':
          // A call that was cut off with its answer is omitted; `done_reason` says why. Any other invalid call ends the stream with an error, as
          // Ollama's own parsers do. If an empty object were sent instead, the client would run the tool without arguments.
          if (event.call.reason !== 'truncated') encoder.fail(invalidCallError(event.call), out)
          else
            reportLoss(
              state.losses,
              'dropped',
              `message.invalidToolCalls[${event.call.index}]`,
              reasons.cutCall,
              'major',
            )
          return
        case 'content_block':
          return writeBlock(state, event.block, `message.content[${event.index}]`, out)
        case 'message_end':
          out.push({
            data: JSON.stringify(encodeEnd(event.response, { ...state.reply, model: state.model }, state.losses)),
          })
          return
        case 'tool_call_chunk':
        case 'usage':
        case 'warning':
          return
      }
    },
    (error, out) => out.push({ data: JSON.stringify(encodeError(error).body) }),
  )
  return encoder
}

function setModel(state: EncodeState, model = ''): void {
  state.model = model
  state.headText = JSON.stringify({ model, created_at: state.createdAt }).slice(0, -1)
}

function writeLine({ headText }: EncodeState, message: Omit<WireMessage, 'role'>, out: Frame[]): void {
  out.push({ data: `${headText},"message":${JSON.stringify({ role: 'assistant', ...message })},"done":false}` })
}

/** Writes a finished block. Text and reasoning were already sent as deltas. */
function writeBlock(state: EncodeState, block: ContentBlock, path: string, out: Frame[]): void {
  const fields = noFields()
  noteServed(block, path, state.losses)
  encodeBlock(block, fields, path, '', state.losses)
  const content = block.type === 'plain_text' ? fields.text : ''
  const message = { content, ...compact({ images: unlessEmpty(fields.images) }) }
  if (content !== '' || message.images !== undefined) writeLine(state, message, out)
}

// ---- errors -------------------------------------------------------------------------------------

/** Returns the status and the body of an error for a client of this format. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  return {
    status: statusOf[error.kind],
    body: { error: messageWith('input length exceeds the context length', error) },
  }
}

/** Returns the error for a call whose arguments cannot be sent. Its message is the message of the Ollama server in this case. */
function invalidCallError(call: InvalidToolCall): ApiError {
  const raw = call.argumentsText.slice(0, 200)
  const message = `error parsing tool call: raw='${raw}', err=${call.error}`
  return new ApiError(message, { kind: 'server', retryable: true, provider: format, body: { error: message } })
}
