/**
 * Translates from any format to any other, with two codecs and the neutral model between them. Pure: no I/O, clock or promise.
 *
 * A request is translated from the client's format to the provider's, and its answer back again, whole or as a stream. Each translation
 * reports what it dropped, changed or invented.
 *
 * @module
 */

import { type DecodeOptions, decodeAnswer } from '../ask/http-model.ts'
import type {
  AnswerDecoder,
  ClientCodec,
  DecodedRequest,
  EncodedRequest,
  EncodedResponse,
  Frame,
  Offered,
  Reply,
  Requested,
  ServerCodec,
  StreamEncoder,
} from '../core/codec.ts'
import { callIdsOf, checkMessages, checkTools } from '../core/content.ts'
import { ApiError, DecodeError, IsoglotError } from '../core/errors.ts'
import { nextNumber } from '../core/ids.ts'
import { compact, isObject } from '../core/json.ts'
import type { Context, Loss, MessageEvent, RequestOptions } from '../core/messages.ts'
import type { Machine } from '../core/reducer.ts'
import type { Target } from '../core/target.ts'
import { type Losses, newLosses, reportLoss } from '../formats/shared/losses.ts'
import { type OwnCalls, ownEvent, ownResponse } from './own-calls.ts'
import { pieceWriter } from './pieces.ts'

// ---- requests ---------------------------------------------------------------------------------

export interface TranslateRequestOptions {
  /** The requested path, if the client's format has the model in it. */
  readonly path?: string
  /** The model to ask, by the provider's name. Default: the model of the client's request. */
  readonly model?: string
  /** The losses that are errors: see {@link RequestOptions.strict}. Default: those of severity `major`. */
  readonly strict?: RequestOptions['strict']
  /** The client's headers that belong to the body. Names are in lower case. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface TranslatedRequest<Body = unknown> extends EncodedRequest<Body> {
  /** The decoded request; `options.model` is the client's name for the model. */
  readonly request: DecodedRequest
  /** The facts about the request that the translation of the answer needs. */
  readonly question: TranslatedFacts
}

/** Options for reading an answer. */
export interface TranslatedFacts extends Offered {
  /** The number of the first id that is made for a new call, so that the id is unique in the conversation. */
  readonly callsBefore: number
  /** The client's own calls, by the names of the functions that stand for its tools. */
  readonly ownCalls?: OwnCalls
}

/**
 * Translates a client's request for the provider: decodes it, prepares it for the provider's format, and encodes it.
 *
 * @throws {DecodeError} if the body is not a request in the client's format; `path` names the wrong field.
 * @throws {UnsupportedError} for a loss that `strict` forbids.
 */
export function translateRequest(
  body: unknown,
  from: Pick<ServerCodec, 'decodeRequest' | 'port'> & Partial<Pick<ServerCodec, 'name'>>,
  to: Pick<ClientCodec, 'name' | 'provider' | 'rules' | 'idPrefix' | 'encodeRequest'>,
  options: TranslateRequestOptions = {},
): TranslatedRequest {
  const { headers = {}, path = '' } = options
  const target = { format: to.name, provider: to.provider, model: options.model ?? '', headers }
  const ported = isObject(body) ? from.port?.(body, target) : undefined
  const request = from.decodeRequest(ported?.body ?? body, { path })
  const model = options.model ?? request.options.model
  const losses = newLosses(to.provider, options.strict)
  reportLosses(ported?.losses ?? [], losses)
  reportLosses(request.losses, losses)
  const context = withoutState(asNewTurn(request.context, from.name), to.rules, losses)
  checkDecoded(context)
  const { strict, ...others } = request.options
  const encoded = to.encodeRequest(context, { ...others, model, ...compact({ strict: options.strict }) })
  const ids = [...(request.takenIds ?? []), ...callIdsOf(request.context.messages)]
  const callsBefore = nextNumber(to.idPrefix, ids)
  const question = {
    ...encoded.offered,
    callsBefore,
    ...compact({ request: encoded.body, ownCalls: ported?.calls }),
  }
  return { ...encoded, losses: [...losses.list, ...encoded.losses], request, question }
}

/** An answer at the end as one that goes on, for clients of OpenAI's formats: OpenAI takes it, and starts a new turn. */
export function asNewTurn(context: Context, format: string | undefined): Context {
  const { messages } = context
  const last = messages.at(-1)
  if (last?.role !== 'assistant' || !format?.startsWith('openai')) return context
  return { ...context, messages: [...messages.slice(0, -1), { stopReason: 'length', ...last }] }
}

/** @throws {DecodeError} if the client sent a value that is not a message of isoglot, such as media whose data is not base64. */
function checkDecoded({ messages, tools = [] }: Context): void {
  try {
    checkMessages(messages)
    checkTools(tools)
  } catch (cause) {
    throw new DecodeError(`Cannot decode the request: ${(cause as Error).message.split(';')[0]}`, { cause })
  }
}

/** A client that continues a stored answer does not send the conversation before it, so only the provider that stored it can continue. */
function withoutState(context: Context, { chains }: Target, losses: Losses): Context {
  const { providerState, ...rest } = context
  if (providerState?.previousResponseId === undefined || chains) return context
  const reason = 'the conversation before it is stored at another provider'
  reportLoss(losses, 'dropped', 'providerState.previousResponseId', reason, 'major')
  const { previousResponseId: _, ...others } = providerState
  return Object.keys(others).length === 0 ? rest : { ...rest, providerState: others }
}

function reportLosses(found: readonly Loss[], losses: Losses): void {
  for (const { action, path, reason, severity } of found) reportLoss(losses, action, path, reason, severity)
}

// ---- answers ----------------------------------------------------------------------------------

export interface TranslateAnswerOptions extends Partial<TranslatedFacts>, Requested {
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
  { reply, ownCalls, onEvent, ...options }: TranslateAnswerOptions = {},
): EncodedResponse {
  const events: MessageEvent[] = []
  const response = from.decodeResponse(body, { ...options, events })
  onEvent?.({ type: 'message_end', message: response.message, response })
  const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.warning] : []))
  const encoded = to.encodeResponse(ownResponse(response, ownCalls), {
    ...reply,
    losses: [...(reply?.losses ?? []), ...warnings],
  })
  return { ...encoded, losses: [...warnings, ...encoded.losses] }
}

export interface TranslateStreamOptions
  extends TranslateAnswerOptions,
    Omit<DecodeOptions, keyof TranslatedFacts | 'liveArguments'> {
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
  const { reply, ownCalls, onEvent, toClientError = toApiError, ...decodeOptions } = options
  const decoder = decodeAnswer(from, decodeOptions)
  const encoder = to.encodeStream({ ...reply, provider: from.provider, format: from.name })
  const write = pieceWriter(to.framing)
  const warnings: Loss[] = []
  let isEnded = false
  let failure: unknown

  function encode(events: readonly MessageEvent[], frames: Frame[]): void {
    for (const event of events) {
      if (event.type === 'warning') warnings.push(event.warning)
      onEvent?.(event)
      encoder.push(ownEvent(event, ownCalls), frames)
      if (event.type === 'message_end') isEnded = true
    }
  }

  /** Events before an error are sent before the error is reported. */
  function advance(out: string[], read: (decoder: AnswerDecoder, events: MessageEvent[]) => void): void {
    if (isEnded) return
    const events: MessageEvent[] = []
    const frames: Frame[] = []
    const fault = attempt(() => read(decoder, events))
    const misfit = attempt(() => encode(events, frames))
    const wrong = fault ?? misfit
    if (wrong !== undefined && !isEnded) {
      isEnded = true
      failure = wrong.error
      encoder.fail(toClientError(failure), frames)
    }
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
