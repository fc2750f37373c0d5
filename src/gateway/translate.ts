/**
 * Translates from any format to any other, with two codecs and the neutral model between them. Pure: no I/O, clock or promise.
 *
 * A request is translated from the client's format to the provider's, and its answer back again, whole or as a stream. Each translation
 * reports what it dropped, changed or invented.
 *
 * @module
 */

import { type DecodeOptions, decodeAnswer } from '../client/loop.ts'
import type {
  AnswerDecoder,
  ClientCodec,
  DecodedRequest,
  EncodedRequest,
  EncodedResponse,
  Frame,
  Reply,
  Requested,
  Rules,
  ServerCodec,
  StreamEncoder,
} from '../core/codec.ts'
import { blocksOfTurn, callIdsOf } from '../core/content.ts'
import { ApiError, DecodeError, IsoglotError } from '../core/errors.ts'
import { compact } from '../core/json.ts'
import type {
  ChatResponse,
  ContentBlock,
  Context,
  InvalidToolCall,
  Loss,
  MessageEvent,
  RequestOptions,
  ToolCall,
} from '../core/model.ts'
import type { Machine } from '../core/reducer.ts'
import { nextNumber } from '../kit/ids.ts'
import { type Losses, newLosses, reportLoss } from '../kit/losses.ts'
import { legalToolChoice, legalToolName, type Prepared, prepare } from '../prepare/prepare.ts'
import { pieceWriter } from './pieces.ts'
import { repeatingJson } from './repeating-json.ts'

// ---- requests ---------------------------------------------------------------------------------

export interface TranslateRequestOptions {
  /** The requested path, if the client's format has the model in it. */
  readonly path?: string
  /** The model to ask, by the provider's name. Default: the model of the client's request. */
  readonly model?: string
  /** The losses that are errors: see {@link RequestOptions.strict}. Default: those of severity `major`. */
  readonly strict?: RequestOptions['strict']
}

export interface TranslatedRequest<Body = unknown> extends EncodedRequest<Body> {
  /** The decoded request; `options.model` is the client's name for the model. */
  readonly request: DecodedRequest
  /** The facts about the request that the translation of the answer needs. */
  readonly question: Question
}

/** Options for reading an answer. */
export interface Question {
  /** The number of the first id that is made for a new call, so that the id is unique in the conversation. */
  readonly callsBefore: number
  /** The client's names of tools, by the name that was sent, for names that are not legal at the provider. */
  readonly toolNames: ReadonlyMap<string, string>
}

/**
 * Translates a client's request for the provider: decodes it, prepares it for the provider's format, and encodes it.
 *
 * @throws {DecodeError} if the body is not a request in the client's format; `path` names the wrong field.
 * @throws {UnsupportedError} for a loss that `strict` forbids.
 */
export function translateRequest(
  body: unknown,
  from: Pick<ServerCodec, 'decodeRequest'>,
  to: Pick<ClientCodec, 'name' | 'provider' | 'rules' | 'idPrefix' | 'encodeRequest'>,
  options: TranslateRequestOptions = {},
): TranslatedRequest {
  const request = from.decodeRequest(body, { path: options.path ?? '' })
  const model = options.model ?? request.options.model
  const losses = newLosses(to.provider, options.strict)
  reportLosses(request.losses, losses)
  const prepared = prepareDecoded(withoutState(request.context, to, losses), to.rules, model)
  reportLosses(prepared.losses, losses)
  const names = new Map<string, string>()
  const context = withLegalTools(prepared.context, to, names, losses)
  const { toolChoice, strict, ...others } = request.options
  const encoded = to.encodeRequest(context, {
    ...others,
    model,
    ...compact({ toolChoice: legalToolChoice(toolChoice, to.rules), strict: options.strict }),
  })
  const question = { callsBefore: nextNumber(to.idPrefix, callIdsOf(request.context.messages)), toolNames: names }
  return { ...encoded, losses: [...losses.list, ...encoded.losses], request, question }
}

/** @throws {DecodeError} if the client sent a value that is not a message of isoglot, such as media whose data is not base64. */
function prepareDecoded(context: Context, rules: Rules, model: string): Prepared {
  try {
    return prepare(context, rules, { model })
  } catch (cause) {
    throw new DecodeError(`Cannot decode the request: ${(cause as Error).message.split(';')[0]}`, { cause })
  }
}

/** A client that continues a stored answer does not send the conversation before it, so only the provider that stored it can continue. */
function withoutState(context: Context, { rules }: Target, losses: Losses): Context {
  const { providerState, ...rest } = context
  if (providerState?.previousResponseId === undefined || rules.chains) return context
  const reason = 'the conversation before it is stored at another provider'
  reportLoss(losses, 'dropped', 'providerState.previousResponseId', reason, 'major')
  const { previousResponseId: _, ...others } = providerState
  return Object.keys(others).length === 0 ? rest : { ...rest, providerState: others }
}

function reportLosses(found: readonly Loss[], losses: Losses): void {
  for (const { action, path, reason, severity } of found) reportLoss(losses, action, path, reason, severity)
}

type Target = Pick<ClientCodec, 'rules'>

function withLegalTools(context: Context, { rules }: Target, names: Map<string, string>, losses: Losses): Context {
  if (context.tools === undefined) return context
  const tools = context.tools.map((tool, at) => {
    if (!('name' in tool)) return tool
    const name = legalToolName(tool.name, rules)
    if (name === tool.name) return tool
    names.set(name, tool.name)
    reportLoss(
      losses,
      'changed',
      `tools[${at}].name`,
      'the name is not legal on this wire; answers get it back',
      'info',
    )
    return { ...tool, name }
  })
  return names.size === 0 ? context : { ...context, tools }
}

// ---- answers ----------------------------------------------------------------------------------

export interface TranslateAnswerOptions extends Partial<Question>, Requested {
  /** The id, model name and time that the client sees in the answer. */
  readonly reply?: Reply
  /** Called with each event of the provider before it is passed on, in neutral terms. For a whole answer, only with its end. */
  readonly onEvent?: (event: MessageEvent) => void
}

/**
 * A provider's whole answer in the client's format.
 *
 * @throws {ApiError} if the answer is an error: `to.encodeError` writes it.
 * @throws {DecodeError} if it is not an answer in the provider's format.
 * @throws {InterruptedError} if the answer is marked as incomplete.
 */
export function translateResponse(
  body: unknown,
  from: Pick<ClientCodec, 'decodeResponse'>,
  to: Pick<ServerCodec, 'encodeResponse'>,
  { reply, callsBefore = 0, toolNames, request, onEvent }: TranslateAnswerOptions = {},
): EncodedResponse {
  const events: MessageEvent[] = []
  const response = withOwnNames(from.decodeResponse(body, { callsBefore, events, request }), toolNames)
  onEvent?.({ type: 'message_end', message: response.message, response })
  const encoded = to.encodeResponse(response, reply)
  const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.warning] : []))
  return { ...encoded, losses: [...warnings, ...encoded.losses] }
}

export interface TranslateStreamOptions
  extends TranslateAnswerOptions,
    Omit<DecodeOptions, 'callsBefore' | 'liveArguments' | 'parse'> {
  /** Turns an error into one for the client. Default: the message of an isoglot error; a fixed message for others. */
  readonly toClientError?: (error: unknown) => ApiError
}

/** Takes the bytes of a provider's stream, in any chunks, and returns the text for the client. */
export interface StreamTranslator extends Machine<Uint8Array, string> {
  /** The client's stream has ended, normally or with an error: no more text follows. */
  readonly isEnded: boolean
  /** The model has stopped: the answer is complete, although its end may still come. */
  readonly hasStopped: boolean
  /** The error at the end of the client's stream; `undefined` if it ended normally. */
  readonly error: unknown
  /** The losses so far, including repairs of the provider's stream. */
  readonly losses: readonly Loss[]
  /** Ends the client's stream with an error, because the provider was silent for too long, or for another reason. */
  fail(error: unknown, out: string[]): void
}

/**
 * Translates one streamed answer, in one pass. It never throws: an error ends the client's stream with an error in its format, and is in
 * `error`. The client's stream has exactly one end, however the provider's stream ends.
 */
export function translateStream(
  from: ClientCodec,
  to: Pick<ServerCodec, 'framing' | 'encodeStream'>,
  options: TranslateStreamOptions = {},
): StreamTranslator {
  const { reply, toolNames, onEvent, toClientError = toApiError, ...decodeOptions } = options
  const decoder = decodeAnswer(from, { ...decodeOptions, parse: repeatingJson() })
  const encoder = to.encodeStream({ ...reply, provider: from.provider })
  const write = pieceWriter(to.framing)
  const warnings: Loss[] = []
  let isEnded = false
  let failure: unknown

  function encode(events: readonly MessageEvent[], frames: Frame[]): void {
    for (const event of events) {
      if (event.type === 'warning') warnings.push(event.warning)
      onEvent?.(event)
      encoder.push(nameEvent(event, toolNames), frames)
      if (event.type === 'message_end') isEnded = true
    }
  }

  function failWith(error: unknown, frames: Frame[]): void {
    isEnded = true
    failure = error
    encoder.fail(toClientError(error), frames)
  }

  /** Events before an error are sent before the error is reported. */
  function advance(out: string[], read: (decoder: AnswerDecoder, events: MessageEvent[]) => void): void {
    if (isEnded) return
    const events: MessageEvent[] = []
    const frames: Frame[] = []
    const fault = attempt(() => read(decoder, events))
    const misfit = attempt(() => encode(events, frames))
    const wrong = fault ?? misfit
    if (wrong !== undefined && !isEnded) failWith(wrong.error, frames)
    for (const frame of frames) out.push(write(frame))
  }

  return {
    get isEnded() {
      return isEnded
    },
    get hasStopped() {
      return decoder.hasStopped
    },
    get error() {
      return failure
    },
    get losses() {
      return lossesOf(warnings, encoder)
    },
    push: (chunk, out) => advance(out, (reader, events) => reader.push(chunk, events)),
    end: (out) => advance(out, (reader, events) => reader.end(events)),
    fail: (error, out) =>
      advance(out, () => {
        throw error
      }),
  }
}

function lossesOf(warnings: readonly Loss[], { losses }: StreamEncoder): readonly Loss[] {
  return warnings.length === 0 ? losses : [...warnings, ...losses]
}

/** The exception of an action, wrapped, since anything may be thrown. */
function attempt(action: () => void): { readonly error: unknown } | undefined {
  try {
    action()
    return undefined
  } catch (error) {
    return { error }
  }
}

/** The error for the client: an error of isoglot as it is; the text of any other error may contain secrets, so it is replaced. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const message = error instanceof IsoglotError ? error.message : 'The answer could not be translated'
  const kind = error instanceof IsoglotError && error.code === 'timeout' ? 'timeout' : 'server'
  return new ApiError(message, { kind, retryable: true, cause: error })
}

// ---- the client's own names of tools ----------------------------------------------------------

/** Also called with `undefined`: a chunk of a call and an invalid call may have no name. */
type Names = ReadonlyMap<string | undefined, string> | undefined

function withOwnNames(response: ChatResponse, names: Names): ChatResponse {
  if (names === undefined || names.size === 0) return response
  const { message } = response
  const { toolCalls: _, invalidToolCalls, ...rest } = message
  const content = blocksOfTurn(message).map((block) => nameBlock(block, names))
  const invalid = invalidToolCalls?.map((call) => nameCall(call, names))
  return { ...response, message: { ...rest, content, ...compact({ invalidToolCalls: invalid }) } }
}

function nameBlock(block: ContentBlock, names: Names): ContentBlock {
  return block.type === 'tool_call' ? nameCall(block, names) : block
}

function nameCall<Call extends ToolCall | InvalidToolCall>(call: Call, names: Names): Call {
  const name = names?.get(call.name)
  return name === undefined ? call : { ...call, name }
}

function nameEvent(event: MessageEvent, names: Names): MessageEvent {
  if (names === undefined || names.size === 0) return event
  switch (event.type) {
    case 'tool_call':
      return { ...event, call: nameCall(event.call, names) }
    case 'invalid_tool_call':
      return { ...event, call: nameCall(event.call, names) }
    case 'tool_call_chunk': {
      const name = names.get(event.chunk.name)
      return name === undefined ? event : { ...event, chunk: { ...event.chunk, name } }
    }
    case 'message_end': {
      const response = withOwnNames(event.response, names)
      return { ...event, message: response.message, response }
    }
    default:
      return event
  }
}
