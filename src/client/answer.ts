/** One answer of a model: asked for as a stream where it has one, and again where that is safe. @module */

import { collect } from '../assemble/fold.ts'
import type { ClientCodec, EncodedRequest, Model } from '../codec.ts'
import { IsoglotError, LimitError, TimeoutError } from '../errors.ts'
import { compact } from '../lookup.ts'
import type { AssistantMessage, ChatResponse, Loss, MessageEvent } from '../model.ts'
import { type Deadline, sleep, startDeadline } from './deadline.ts'
import { type AnswerDecoder, type DecodeOptions, decodeAnswer } from './decode.ts'
import { replay } from './replay.ts'
import type { RunRequest } from './request.ts'
import { allChunks, streamIdOf } from './resume.ts'
import { retryDelayMs } from './retry.ts'
import { errorFor, isStream, readBody, readText, secretsOf, send, withSource } from './transport.ts'

export interface Question {
  readonly model: Model
  readonly encoded: EncodedRequest
  /** Whether the request asks for a whole answer. */
  readonly isWhole: boolean
  readonly request: RunRequest
  /** Cancels the question and its answer. */
  readonly signal: AbortSignal
  /** How many calls the conversation holds. */
  readonly callsBefore: number
  /** Told what there is of an answer that did not end properly, or that was left. */
  readonly onPartial: (partial: AssistantMessage) => void
  /** Called with each loss that the answer reports. */
  readonly onWarning: (warning: Loss) => void
  /** Told the name by which a server keeps the answer. */
  readonly onStream: (id: string) => void
  /** Told of a request that a server may keep answering though it is given up; settles when it is known by which name. */
  readonly onAsked: (settled: Promise<unknown>) => void
  /** The name of an answer that was asked for before. */
  readonly streamId: string | undefined
}

/** Events in batches, one for each chunk of the network, and the response at the end. */
export type Answer = AsyncGenerator<MessageEvent[], ChatResponse>

/** Asks for a stream. Asks again only while no event has been handed out. */
export async function* streamAnswer(question: Question): Answer {
  const deadline = startDeadline(question.request.timeouts, question.signal)
  const { model, secrets } = noting(question.model)
  try {
    for (let attempt = 0; ; attempt++) {
      let partial: AssistantMessage | undefined
      const onPartial = (message: AssistantMessage) => {
        partial = message
      }
      const answer = streamOnce({ ...question, model, onPartial }, deadline)
      let isRetried = false
      try {
        const first = await orRetry(answer.next(), attempt, question, deadline)
        isRetried = first === undefined
        if (first === undefined) continue
        if (first.done) return first.value
        yield first.value
        return yield* answer
      } finally {
        await answer.return(undefined as never) // left at the first batch, it reports its partial
        if (partial !== undefined && !isRetried) question.onPartial(partial)
      }
    }
  } catch (error) {
    throw errorFor(model, error, secrets)
  } finally {
    deadline.clear()
    deadline.abort(undefined)
  }
}

/** The model, and the secrets that its requests have had so far. */
function noting({ apiKey, ...model }: Model): { readonly model: Model; readonly secrets: readonly string[] } {
  const secrets = [...secretsOf(model, typeof apiKey === 'string' ? apiKey : undefined)]
  if (typeof apiKey !== 'function') return { model: { ...model, ...compact({ apiKey }) }, secrets }
  const noted = async () => {
    const key = await apiKey()
    if (key && !secrets.includes(key)) secrets.push(key)
    return key
  }
  return { model: { ...model, apiKey: noted }, secrets }
}

/** Asks for the same, and hands out only how it ended and what was lost. */
export async function* wholeAnswer(question: Question): Answer {
  const answer = streamAnswer(question)
  try {
    for (;;) {
      const { done, value } = await answer.next()
      if (done) return value
      const told = value.filter(({ type }) => type === 'message_end' || type === 'warning')
      if (told.length > 0) yield told
    }
  } finally {
    await answer.return(undefined as never)
  }
}

/** The outcome of an attempt; `undefined` if it failed in a way that passes, and the wait is over. */
async function orRetry<T>(
  attempted: Promise<T>,
  attempt: number,
  { request }: Question,
  { signal }: Deadline,
): Promise<T | undefined> {
  try {
    return await attempted
  } catch (error) {
    const waitMs = signal.aborted ? undefined : retryDelayMs(error, attempt, request)
    if (waitMs === undefined) throw error
    await sleep(waitMs, signal)
    return undefined
  }
}

/** The text of a whole body. @throws {LimitError} if it is longer than that; the signal's reason if it fires. */
export async function readWhole(response: Response, maxBytes: number, signal: AbortSignal): Promise<string> {
  const cancel = () => response.body?.cancel().catch(() => {})
  const text = await readText(response, maxBytes)
  if (signal.aborted) {
    cancel()
    throw signal.reason
  }
  if (text.length >= maxBytes) {
    throw new LimitError(`Cannot read the answer: it is longer than ${maxBytes} bytes`, 'maxBodyBytes', maxBytes)
  }
  return text
}

async function* streamOnce(question: Question, deadline: Deadline): Answer {
  const { model, streamId, request, callsBefore } = question
  const response = streamId === undefined ? await begin(question, deadline) : undefined
  const id = streamId ?? (response && streamIdOf(response))
  if (id !== undefined) question.onStream(id)
  const decoder = decodeAnswer(model.codec, decodeOptionsOf(question))
  const whole = wholeBody(question, response)
  let batch: MessageEvent[] = []
  let hasBegun = false
  let isRead = false
  let isLeft = true
  const take = () => {
    hasBegun ||= batch.length > 0
    for (const event of batch) if (event.type === 'warning') question.onWarning(event.warning)
    return batch
  }
  try {
    for await (const chunk of allChunks({ model, id, response, decoder, timeouts: request.timeouts }, deadline)) {
      if (whole.keeps(chunk)) continue
      decoder.push(chunk, batch)
      if (batch.length > 0) yield take()
      if (decoder.isEnded) break
      batch = []
    }
    isRead = true
    if (whole.isWhole) {
      batch = replay(model.codec.decodeResponse(readBody(whole.end(), model), { callsBefore }))
      yield take()
    } else if (!decoder.isEnded) {
      decoder.end(batch)
      if (batch.length > 0) yield take()
    }
    isLeft = false
    return collect(batch)
  } catch (error) {
    isLeft = false
    const isUnread = response !== undefined && !hasBegun && batch.length === 0
    const told = isUnread ? withSource(error, isRead, question, response) : error
    const failure = deadline.signal.aborted ? deadline.signal.reason : told
    question.onPartial(keepPartial(failure, decoder, batch))
    if (batch.length > 0) yield take()
    throw failure
  } finally {
    if (isLeft)
      question.onPartial(whole.isWhole || decoder.isEnded ? collect(batch).message : decoder.stop('aborted', []))
  }
}
/** Keeps a body that is one JSON value: because it was asked for whole, or because the server answers a request for a stream so. */
function wholeBody({ model, isWhole, request }: Question, response: Response | undefined) {
  const maxBytes = request.maxBodyBytes ?? 32 * 1024 * 1024
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  const body = {
    /** `undefined` until it shows. */
    isWhole: response === undefined || isStream(model.codec, response) ? false : isWhole || undefined,
    /** Whether the chunk is of such a body, or may be. */
    keeps(chunk: Uint8Array): boolean {
      if (body.isWhole === false) return false
      bytes += chunk.byteLength
      if (bytes > maxBytes) {
        throw new LimitError(`Cannot read the answer: it is longer than ${maxBytes} bytes`, 'maxBodyBytes', maxBytes)
      }
      text += decoder.decode(chunk, { stream: true })
      if (body.isWhole === undefined) {
        text = text.trimStart() // a server may send white space for as long as it has nothing to say
        if (text !== '') body.isWhole = startsWhole(text, model.codec)
      }
      return body.isWhole !== false
    },
    end: () => text + decoder.decode(),
  }
  return body
}

/** Each line of NDJSON is an object: only one that goes on behind its first line is a body. No event of SSE begins so. */
function startsWhole(start: string, { framing }: ClientCodec): boolean {
  return framing === 'sse' ? start.startsWith('{') : /^\{[ \t\r]*\n/.test(start)
}

function begin({ model, encoded, request, onAsked }: Question, deadline: Deadline): Promise<Response> {
  deadline.enter('first_byte')
  const response = send(model, encoded, deadline.signal, request)
  if (request.idempotencyKey !== undefined) onAsked(response.catch(() => {}))
  return response
}

function decodeOptionsOf({ request, callsBefore }: Question): DecodeOptions {
  const { liveArguments, maxEventBytes } = request
  return compact({ callsBefore, liveArguments, maxEventBytes })
}

/** Closes what is open, and leaves with the error what there is of the answer. */
function keepPartial(failure: unknown, decoder: AnswerDecoder, out: MessageEvent[]): AssistantMessage {
  if (!(failure instanceof IsoglotError)) return decoder.stop('aborted', out)
  failure.partial ??= decoder.stop(failure instanceof TimeoutError ? 'aborted' : 'interrupted', out)
  return failure.partial
}
