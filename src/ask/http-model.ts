/**
 * A model behind an HTTP API: the road of one answer, from the question to its events. A question is encoded and sent;
 * the bytes of the answer become frames, fragments and events.
 *
 * @module
 */
import { type AssembleOptions, type Assembly, assemble, stop } from '../assemble/assemble.ts'
import { responseUnlessAborted } from '../core/abort.ts'
import type { AnswerDecoder, ClientCodec, EncodedRequest, Fragment, Frame, Offered, Requested } from '../core/codec.ts'
import { withAskedModel } from '../core/content.ts'
import { IsoglotError, LimitError } from '../core/errors.ts'
import { compact, wellFormedText } from '../core/json.ts'
import type { ChatResponse, MessageEvent } from '../core/messages.ts'
import type { AnswerServer, Call, Deadline, HttpModel, Question } from '../core/question.ts'
import type { Machine } from '../core/reducer.ts'
import { isOnlyWhole } from '../formats/shared/only-whole.ts'
import { errorFor, isStream } from './errors.ts'
import {
  type Attempt,
  addressOf,
  answerOf,
  callsBefore,
  chunksOf,
  keyOf,
  parseAnswer,
  sendRequest,
  sendText,
} from './transport.ts'

/** The settings of a model, with its address. */
export type HttpSettings = Omit<HttpModel, 'provider' | 'model' | 'codec' | 'answer'>

/**
 * A model that answers over HTTP, in the format of the codec.
 *
 * @param model the model's name, as the provider has it.
 */
export function httpModel(codec: ClientCodec, model: string, settings: HttpSettings): HttpModel {
  return { ...settings, provider: codec.provider, codec, model, answer: answerOverHttp }
}

/** The `answer` of each such model. One that is wrapped has another. */
export function answerOverHttp(
  this: HttpModel,
  question: Question,
  call: Call,
): AsyncIterable<readonly MessageEvent[]> {
  call.onModel?.(this)
  const encoded = encode(this, question, call)
  const asking = askingOf(this, question, encoded, call)
  return answerOf({ ...asking, begin: () => attempt(asking) }, call, encoded.losses)
}

// ---- the question -------------------------------------------------------------------------------

/** A request for one answer. */
interface Encoded extends EncodedRequest {
  /** It asks for a whole answer. */
  readonly isWhole: boolean
}

/** Encodes a question: for a stream, unless the call wants a whole answer or the answer has no stream. */
function encode(model: HttpModel, { context, options }: Question, call: Call): Encoded {
  const encodeFor = (stream: boolean) =>
    model.codec.encodeRequest(context, compact({ ...options, model: model.model, stream }))
  const streamed = encodeFor(true)
  const isWhole =
    call.wholeAnswer ?? (call.onlyWhole === true && isOnlyWhole({ ...(streamed.body as object), ...model.body }))
  return { ...(isWhole ? encodeFor(false) : streamed), isWhole }
}

// ---- its attempts -------------------------------------------------------------------------------

/** The request of one question, for all its attempts. */
interface Asking {
  /** Each key that it returns is in `keys`, so that no error shows it. */
  readonly model: HttpModel
  readonly keys: Set<string>
  readonly question: Question
  readonly call: Call
  readonly request: Pick<EncodedRequest, 'path' | 'headers'> & { readonly text: string }
  readonly url: string
  readonly isWhole: boolean
  /** The answer is there already: the first attempt is not a request. */
  readonly isKept: boolean
  readonly idempotencyKey: string | undefined
  readonly offered: Offered & Requested
}

function askingOf(given: HttpModel, question: Question, encoded: Encoded, call: Call): Asking {
  const { codec } = given
  const keys = new Set<string>()
  const apiKey = async () => {
    const key = await keyOf(given)
    keys.add(key)
    return key
  }
  const model: HttpModel = { ...given, apiKey }
  const body = { ...(encoded.body as object), ...model.body }
  // A server that keeps answers knows them by this key. A provider that keeps its streams itself names them.
  const isNamed = call.resume !== undefined && !call.onlyWhole && codec.stored === undefined
  return {
    model,
    keys,
    question,
    call,
    request: { ...encoded, text: wellFormedText(JSON.stringify(body)) },
    url: addressOf(model, encoded),
    isWhole: encoded.isWhole,
    isKept: call.streamId !== undefined,
    idempotencyKey: call.idempotencyKey ?? (isNamed ? crypto.randomUUID() : undefined),
    offered: { ...encoded.offered, request: body },
  }
}

/** An attempt, as far as it has come. */
interface HttpAttempt extends Attempt<Uint8Array> {
  readonly asking: Asking
  response?: Response
  decoder?: AnswerDecoder
  /** Set if the body may be one JSON value. */
  whole?: ReturnType<typeof collectWhole>
  isRead?: boolean
}

function attempt(asking: Asking): HttpAttempt {
  const self: HttpAttempt = {
    asking,
    isEnded: false,
    open: (deadline) => open(self, deadline),
    take(chunk, out) {
      if (self.whole?.keeps(chunk)) return
      self.decoder?.push(chunk, out)
      self.isEnded = self.decoder?.isEnded === true
      correctEnd(asking, out)
    },
    end(out) {
      self.isRead = true
      const text = self.whole?.text()
      if (text === undefined) self.decoder?.end(out)
      else out.push(...readWhole(asking, text))
      correctEnd(asking, out)
    },
    stop: (reason, out) => self.decoder?.stop(reason, out),
    explain(error, isSilent) {
      const { model, url: address, keys } = asking
      const response = isSilent ? self.response : undefined
      return errorFor(error, { model, address, keys, isRead: self.isRead === true, response })
    },
  }
  return self
}

async function open(self: HttpAttempt, deadline: Deadline): Promise<AsyncIterable<Uint8Array>> {
  const { asking } = self
  const { call, model, question, offered, idempotencyKey } = asking
  const { resume, timeouts, streamId: id, liveArguments, maxEventBytes, maxBodyBytes } = call
  const { signal } = deadline
  if (!asking.isKept) {
    deadline.enter('first_byte')
    const sent = responseUnlessAborted(sendText(model, asking.request, signal, compact({ idempotencyKey })), signal)
    if (resume) call.onHeaders?.(sent.catch(() => {}))
    self.response = await sent
    self.status = self.response.status
  }
  const { response } = self
  const before = callsBefore(model.codec.idPrefix, question, call)
  const limits = compact({ callsBefore: before, liveArguments, maxEventBytes })
  const decoder = decodeAnswer(model.codec, { ...offered, ...limits })
  self.decoder = decoder
  if (response && !isStream(response)) self.whole = collectWhole(model.codec, asking.isWhole || undefined, maxBodyBytes)
  const { baseUrl, codec } = model
  const server: AnswerServer = { baseUrl, stored: codec.stored, ask: (url, init) => sendRequest(model, url, init) }
  const named = (name: string) => call.onKept?.(name, async () => resume?.stop(server, name))
  const kept = resume?.chunks({ server, timeouts, id, response, decoder, named }, deadline)
  return kept ?? chunksOf(response as Response, deadline, () => decoder.hasStopped)
}

/** Replaces a last `message_end`: its proofs get the name of the model that was asked, and it says if the provider waits for consent. */
function correctEnd({ model }: Asking, out: MessageEvent[]): void {
  const last = out.at(-1)
  if (last?.type !== 'message_end') return
  const message = withAskedModel(last.message, model.model)
  const waits = model.codec.rules.pausesForConsent && message.stopReason === 'pause'
  const response: ChatResponse = compact({ ...last.response, message, waitsForConsent: waits || undefined })
  out[out.length - 1] = { ...last, message, response }
}

/**
 * Collects a body that is one JSON value: the request asked for a whole answer, or the server sends one where a stream was requested.
 *
 * @param isWhole Undefined if the first character is to decide.
 */
function collectWhole({ framing }: ClientCodec, isWhole: boolean | undefined, maxBytes: number = 32 * 1024 * 1024) {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  return {
    /** Whether the chunk belongs to such a body, or may. */
    keeps(chunk: Uint8Array): boolean {
      if (isWhole === false) return false
      bytes += chunk.byteLength
      if (bytes > maxBytes) {
        throw new LimitError(`Cannot read the answer: it is longer than ${maxBytes} bytes`, 'maxBodyBytes', maxBytes)
      }
      text += decoder.decode(chunk, { stream: true })
      if (isWhole === undefined) {
        text = text.trimStart() // a server may send white space for as long as it has nothing to say
        // In NDJSON each line is an object, so only an object that continues after its first line is a whole body.
        if (text !== '') isWhole = framing === 'ndjson' ? /^\{[ \t\r]*\n/.test(text) : text.startsWith('{')
      }
      return isWhole !== false
    },
    /** The text of such a body. */
    text: () => (isWhole ? text : undefined),
  }
}

/** The events of a body that is one JSON value. */
function readWhole({ model, question, call, offered }: Asking, text: string): MessageEvent[] {
  const { codec } = model
  const events: MessageEvent[] = []
  const before = callsBefore(codec.idPrefix, question, call)
  const response = codec.decodeResponse(parseAnswer(text, model), { ...offered, callsBefore: before, events })
  // The codec may have changed the response after its events were made. A codec of an application may make none.
  const others = events.filter(({ type }) => type !== 'message_end')
  return [...others, { type: 'message_end', message: response.message, response }]
}

// ---- its answer ---------------------------------------------------------------------------------

/** The limits of one answer, and the data of its conversation. */
export interface DecodeOptions extends Omit<AssembleOptions, 'provider' | 'idPrefix'>, Requested {
  /** Largest single event or line, in bytes. Default 8 MiB. */
  readonly maxEventBytes?: number
}

/** An answer that is being decoded. */
interface Decoding extends AnswerDecoder {
  isEnded: boolean
  hasStopped: boolean
  taken: number
  /** Bytes to frames. */
  toFrames: Machine<Uint8Array, Frame>
  /** Frames to fragments. */
  readonly toFragments: Machine<Frame, Fragment>
  /** Fragments to events. */
  readonly assembly: Assembly
}

/**
 * Decodes one answer. Errors of `push` and `end` (`ApiError` for an error in mid-stream, `DecodeError`, `LimitError`, `InterruptedError`)
 * have the part that arrived in `partial`; `out` holds its events.
 */
export function decodeAnswer(codec: ClientCodec, options: DecodeOptions = {}): AnswerDecoder {
  const { maxEventBytes, request, ...limits } = options
  const { toolNames, offeredTools, parameterNames } = options
  const { provider, idPrefix } = codec
  const connect = () => codec.decodeFrames(compact({ maxEventBytes }))
  // No getters: V8 keeps each one of an object literal, and so all of this stream, until it collects its oldest objects.
  const self: Decoding = {
    isEnded: false,
    hasStopped: false,
    taken: 0,
    toFrames: connect(),
    toFragments: codec.decodeStream(compact({ request, toolNames, offeredTools, parameterNames })),
    assembly: assemble.start({ ...limits, provider, idPrefix }),
    reconnect() {
      self.toFrames = connect()
    },
    push: (chunk, out) => decode(self, chunk, out),
    end: (out) => decode(self, undefined, out),
    stop: (reason, out) => stopDecoding(self, reason, out),
  }
  return self
}

/** Takes a chunk, or the end. Frames and fragments that were found before an error are read too. */
function decode(self: Decoding, chunk: Uint8Array | undefined, out: MessageEvent[]): void {
  const { assembly, toFrames, toFragments } = self
  if (assembly.isEnded) return
  const frames: Frame[] = []
  try {
    try {
      if (chunk === undefined) toFrames.end(frames)
      else toFrames.push(chunk, frames)
    } finally {
      readFrames(self, frames, out)
    }
    if (chunk === undefined && !assembly.isEnded) {
      assembleAll(self, (fragments) => toFragments.end(fragments), out)
      assemble.end(assembly, out)
    }
  } catch (error) {
    if (error instanceof IsoglotError) error.partial ??= stopDecoding(self, 'error', out)
    throw error
  } finally {
    self.isEnded = assembly.isEnded
    self.hasStopped = assembly.hasStopped === true
  }
}

function readFrames(self: Decoding, frames: readonly Frame[], out: MessageEvent[]): void {
  const read = (fragments: Fragment[]) => {
    for (const frame of frames) {
      self.taken++
      self.toFragments.push(frame, fragments)
      if (fragments.at(-1)?.type === 'end') return
    }
  }
  assembleAll(self, read, out)
}

/** Assembles what `read` finds, also before an error. */
function assembleAll({ assembly }: Decoding, read: (fragments: Fragment[]) => void, out: MessageEvent[]): void {
  const fragments: Fragment[] = []
  try {
    read(fragments)
  } finally {
    for (const fragment of fragments) assemble.step(assembly, fragment, out)
  }
}

function stopDecoding(
  self: Decoding,
  reason: 'interrupted' | 'error' | 'aborted',
  out: MessageEvent[],
): ReturnType<AnswerDecoder['stop']> {
  const { assembly, toFragments } = self
  const fragments: Fragment[] = []
  try {
    // The codec may still keep parts of a block, such as citations.
    if (!assembly.isEnded) toFragments.end(fragments)
    for (const fragment of fragments) if (fragment.type !== 'end') assemble.step(assembly, fragment, out)
  } catch {} // the error that ended it, such as a limit, is reported
  self.isEnded = true
  return stop(assembly, reason, out)
}
