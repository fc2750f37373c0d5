/** Asks one entry of the table, and reads its answer. @module */

import {
  chunksOf,
  type Deadline,
  readBody,
  readWhole,
  secretsOf,
  sendText,
  startDeadline,
  type Timeouts,
} from '../client/transport.ts'
import { after } from '../core/abort.ts'
import type { ClientCodec, DecodeStreamOptions, Fragment, Frame, Model, Reply, ServerCodec } from '../core/codec.ts'
import { LimitError, TimeoutError } from '../core/errors.ts'
import { compact, field } from '../core/json.ts'
import { withoutEnvelopes } from '../kit/envelope.ts'
import { beginAttempt, type Call } from './call.ts'
import { type ErrorDetail, toClientError } from './errors.ts'
import { createHold, textOf, withText } from './hold.ts'
import type { Target } from './models.ts'
import { type Seen, seeEvent, watched } from './observe.ts'
import { passStream } from './pass.ts'
import { outputLimit, type Question, writeQuestion } from './question.ts'
import { searchOf } from './scrub.ts'
import { type StreamTranslator, translateResponse, translateStream } from './translate.ts'
import { encodeWhole } from './whole.ts'

/** The state of an attempt. */
interface Attempt {
  readonly call: Call
  readonly model: Model
  readonly question: Question
  readonly errorDetail: ErrorDetail
  readonly seen: Seen
}

async function prepareAttempt(target: Target, call: Call): Promise<Attempt> {
  const question = writeQuestion(target, call)
  const model = await withKey(target.model)
  // Only from here on a provider is asked: a request that cannot be written for it is not an attempt, and costs nothing.
  const seen = beginAttempt(call, target)
  call.progress.passed = question.passes && call.stream === call.asksStream
  call.progress.losses = question.losses
  const errorDetail = errorDetailOf(target, model, call.options)
  call.progress.errorDetail = errorDetail
  return { call, model, question, errorDetail, seen }
}

/** Decides which part of a provider's error text a client may see. It has the key, so that the key can be removed. */
export function errorDetailOf(
  entry: Target,
  model: Model,
  { showsProviderMessages = true }: Call['options'],
): ErrorDetail {
  return {
    search: searchOf(entry, secretsOf(model, typeof model.apiKey === 'string' ? model.apiKey : '')),
    hidesWords: !showsProviderMessages,
  }
}

/** The model with its key already read, so that the key can be cut out of answers. */
export async function withKey(model: Model): Promise<Model & { readonly apiKey?: string }> {
  const { apiKey, ...rest } = model
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey
  return key === undefined ? rest : { ...rest, apiKey: key }
}

function timeoutsOf({ options, startedAt }: Call): Timeouts {
  const { totalMs = 600_000, ...timeouts } = options.limits?.timeouts ?? {}
  return { ...timeouts, totalMs: Math.max(1, startedAt + totalMs - Date.now()) }
}

/** The id, model name and time that the client sees in the answer. */
export function replyOf({ id, wire, request, body, startedAt }: Call): Reply {
  return {
    id: wire.idPrefix === undefined ? '' : wire.idPrefix + id.replaceAll('-', ''),
    model: request.options.model,
    createdAt: Math.floor(startedAt / 1000),
    includeUsage: field(field(body.value, 'stream_options'), 'include_usage') === true,
  }
}

// ---- streams ----------------------------------------------------------------------------------

/**
 * Yields pieces of text, one for each event. If an error occurs after the first piece, the generator returns it; the text of a stream also
 * contains it.
 */
export type AnswerText = AsyncGenerator<readonly string[], unknown>

/**
 * Requests an answer as a stream, and yields its text: a batch for each chunk with content. For a client that wants the whole answer, it
 * yields an empty batch at the first content and one piece at the end. An error before the first content is thrown. A later error ends a
 * streamed text with an error in the client's format.
 */
export async function* askForStream(target: Target, call: Call): AnswerText {
  const attempt = await prepareAttempt(target, call)
  const { model, question, errorDetail, seen } = attempt
  const deadline = startDeadline(timeoutsOf(call), call.gone.signal)
  const contentTimeout = awaitContent(call, deadline)
  const flow = flowOf(attempt)
  const count = countUpTo(maxAnswerBytes(call))
  const maxOutputBytes = outputBytesWithin(outputLimit(target, call))
  let out: string[] = []
  const take = () => {
    const taken = out.map(errorDetail.search.scrub)
    out = []
    if (flow.losses.length > 0) call.progress.losses = [...question.losses, ...flow.losses]
    return taken
  }
  const begin = () => {
    contentTimeout.stop()
    call.progress.firstEventMs ??= Date.now() - call.startedAt
  }
  try {
    deadline.enter('first_byte')
    const response = await sendText(model, question, deadline.signal, {})
    for await (const chunk of chunksOf(response, deadline, () => flow.hasStopped)) {
      count(chunk)
      flow.push(chunk, out)
      if (seen.bytes > maxOutputBytes) {
        const message = `Cannot continue the answer: ${seen.bytes} bytes of text are more than the limit of output tokens allows`
        throw new LimitError(message, 'maxOutputTokens', maxOutputBytes)
      }
      if (flow.error !== undefined) break
      const begins = seen.hasBegun && call.progress.firstEventMs === undefined
      if (begins) begin()
      if (begins || (seen.hasBegun && out.length > 0)) yield take()
      if (flow.isEnded) return undefined
    }
    flow.end(out)
  } catch (error) {
    flow.fail(deadline.signal.aborted ? deadline.signal.reason : error, out)
  } finally {
    contentTimeout.stop()
    deadline.clear()
  }
  if (flow.error !== undefined && !seen.hasBegun) throw flow.error
  if (out.length > 0) yield take()
  return flow.error
}

/** Ends the wait for a provider that keeps the line warm and says nothing. */
function awaitContent({ options }: Call, deadline: Deadline): { stop(): void } {
  const ms = options.limits?.firstContentMs ?? Number.POSITIVE_INFINITY
  const message = `Cannot wait any longer: the provider sent no content within ${ms} ms`
  return after(ms, () => deadline.abort(new TimeoutError(message, 'first_content', ms)))
}

function maxAnswerBytes({ options }: Call): number {
  return options.limits?.maxAnswerBytes ?? 32 * 1024 * 1024
}

/**
 * The maximum number of bytes that a limit of output tokens allows. No known tokenizer has a token of more than 128 bytes. Twice that, and
 * 64 KiB more, leave room for other tokenizers and for reasoning that some providers count separately.
 */
function outputBytesWithin(maxOutputTokens: number | undefined): number {
  return maxOutputTokens === undefined ? Number.POSITIVE_INFINITY : 64 * 1024 + 256 * maxOutputTokens
}

/** Counts the bytes of an answer. @throws {LimitError} once there are too many. */
function countUpTo(maxBytes: number): (chunk: Uint8Array) => void {
  const message = `Cannot continue the answer: it is longer than ${maxBytes} bytes`
  let bytes = 0
  return ({ byteLength }) => {
    bytes += byteLength
    if (bytes > maxBytes) throw new LimitError(message, 'maxAnswerBytes', maxBytes)
  }
}

function flowOf(attempt: Attempt): StreamTranslator {
  const { call, model, question, errorDetail, seen } = attempt
  const { wire, options } = call
  const codec = watched(model.codec, seen)
  const toError = (error: unknown) => toClientError(error, errorDetail)
  const limits = compact({ maxEventBytes: options.limits?.maxEventBytes })
  const reply = replyOf(call)
  const framing = call.isArray || !call.stream ? 'ndjson' : wire.codec.framing
  if (question.passes && call.stream) {
    const hidesUsage = question.asksUsage
    const { search } = errorDetail
    return passStream(codec, wire, { seen, reply, toClientError: toError, hidesUsage, framing, search, ...limits })
  }
  return translateStream(
    withRedactedErrors(codec, errorDetail),
    { encodeStream: encoderOf(attempt), framing },
    {
      ...question.answering,
      ...limits,
      reply,
      toClientError: toError,
      onEvent: (event) => seeEvent(seen, event),
    },
  )
}

/** Keys are also cut out before a stream is read. If a key does not repeat exactly, a client could put parts of it together. */
function withRedactedErrors(codec: ClientCodec, { search }: ErrorDetail): ClientCodec {
  const decodeStream = (options?: DecodeStreamOptions) => {
    const decoder = codec.decodeStream(options)
    const hold = createHold<Fragment>(search, (fragment, _, [text = '']) => withText(fragment, text))
    function read(out: Fragment[], action: (fragments: Fragment[]) => void): void {
      const fragments: Fragment[] = []
      try {
        action(fragments)
      } catch (error) {
        pass(fragments, out)
        hold.end(out)
        throw error
      }
      pass(fragments, out)
      if (fragments.some(({ type }) => type === 'end')) hold.end(out)
    }
    function pass(fragments: readonly Fragment[], out: Fragment[]): void {
      for (const fragment of fragments) {
        const text = textOf(fragment)
        hold.push(fragment, text === undefined ? [] : [text], out)
      }
    }
    return {
      push: (frame: Frame, out: Fragment[]) =>
        read(out, (fragments) => decoder.push({ ...frame, data: search.scrub(frame.data) }, fragments)),
      end: (out: Fragment[]) => {
        read(out, (fragments) => decoder.end(fragments))
        hold.end(out)
      },
    }
  }
  return { ...codec, decodeStream }
}

/** If both wire formats are equal, a whole answer keeps its own id, so that a client can continue from it. */
function encoderOf({ call, question }: Attempt): ServerCodec['encodeStream'] {
  const { codec } = call.wire
  if (call.stream) return codec.encodeStream
  return (reply) => encodeWhole(codec, question.passes ? undefined : reply)
}

// ---- whole answers ----------------------------------------------------------------------------

/** The text of an answer that is requested without streaming. */
export async function* askForWhole(target: Target, call: Call): AnswerText {
  const attempt = await prepareAttempt(target, call)
  const deadline = startDeadline(timeoutsOf(call), call.gone.signal)
  try {
    const response = await sendText(attempt.model, attempt.question, deadline.signal, {})
    const text = await readWhole(response, maxAnswerBytes(call), deadline.signal)
    call.progress.firstEventMs = Date.now() - call.startedAt
    yield [attempt.errorDetail.search.scrub(readAnswer(text, attempt))]
    return undefined
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : error
  } finally {
    deadline.clear()
  }
}

/** Passed-through answers are read too: an answer with status 200 may contain an error. */
function readAnswer(text: string, { call, model, question, seen }: Attempt): string {
  const body = readBody(text, model)
  const reply = replyOf(call)
  const { body: answer, losses } = translateResponse(body, model.codec, call.wire.codec, {
    ...question.answering,
    reply,
    onEvent: (event) => seeEvent(seen, event),
  })
  if (question.passes) return withoutEnvelopes(text)
  call.progress.losses = [...question.losses, ...losses]
  return JSON.stringify(answer)
}
