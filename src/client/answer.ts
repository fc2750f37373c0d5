/** One answer of a model: streamed or whole, asked for again where that is safe. @module */

import { collect } from '../assemble/fold.ts'
import type { EncodedRequest, Model } from '../codec.ts'
import { IsoglotError, LimitError, TimeoutError } from '../errors.ts'
import { compact } from '../lookup.ts'
import type { AssistantMessage, ChatResponse, MessageEvent } from '../model.ts'
import { type Deadline, sleep, startDeadline } from './deadline.ts'
import { type AnswerDecoder, type DecodeOptions, decodeAnswer } from './decode.ts'
import type { RunRequest } from './request.ts'
import { allChunks, streamIdOf } from './resume.ts'
import { retryDelayMs } from './retry.ts'
import { readBody, readText, send } from './transport.ts'

export interface Question {
  readonly model: Model
  readonly encoded: EncodedRequest
  readonly request: RunRequest
  /** Cancels the question and its answer. */
  readonly signal: AbortSignal
  /** How many calls the conversation holds. */
  readonly callsBefore: number
  /** Told what there is of an answer that did not end properly, or that was left. */
  readonly onPartial: (partial: AssistantMessage) => void
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
  try {
    for (let attempt = 0; ; attempt++) {
      const answer = streamOnce(question, deadline)
      const first = await orRetry(answer.next(), attempt, question, deadline)
      if (first === undefined) continue
      if (first.done) return first.value
      try {
        yield first.value
        return yield* answer
      } finally {
        await answer.return(undefined as never) // left at the first batch, it is told so
      }
    }
  } finally {
    deadline.clear()
    deadline.abort(undefined)
  }
}

/** Asks for a whole answer: one event, its end. */
export async function* wholeAnswer(question: Question): Answer {
  const deadline = startDeadline(question.request.timeouts, question.signal)
  try {
    for (let attempt = 0; ; attempt++) {
      const response = await orRetry(askOnce(question, deadline), attempt, question, deadline)
      if (response === undefined) continue
      yield [{ type: 'message_end', message: response.message, response }]
      return response
    }
  } finally {
    deadline.clear()
    deadline.abort(undefined)
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

async function askOnce(
  { model, encoded, request, callsBefore, onPartial }: Question,
  deadline: Deadline,
): Promise<ChatResponse> {
  const response = await send(model, encoded, deadline.signal, request)
  const maxBytes = request.maxBodyBytes ?? 32 * 1024 * 1024
  const text = await readWhole(response, maxBytes, deadline.signal)
  try {
    return model.codec.decodeResponse(readBody(text, model), callsBefore)
  } catch (error) {
    if (error instanceof IsoglotError && error.partial !== undefined) onPartial(error.partial)
    throw error
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
  const { model, streamId, request } = question
  const response = streamId === undefined ? await begin(question, deadline) : undefined
  const id = streamId ?? (response && streamIdOf(response))
  if (id !== undefined) question.onStream(id)
  const decoder = decodeAnswer(model.codec, decodeOptionsOf(question))
  let batch: MessageEvent[] = []
  let isLeft = true
  try {
    for await (const chunk of allChunks({ model, id, response, decoder, timeouts: request.timeouts }, deadline)) {
      decoder.push(chunk, batch)
      if (batch.length > 0) yield batch
      if (decoder.isEnded) break
      batch = []
    }
    if (!decoder.isEnded) {
      decoder.end(batch)
      if (batch.length > 0) yield batch
    }
    isLeft = false
    return collect(batch)
  } catch (error) {
    isLeft = false
    const failure = deadline.signal.aborted ? deadline.signal.reason : error
    question.onPartial(keepPartial(failure, decoder, batch))
    if (batch.length > 0) yield batch
    throw failure
  } finally {
    if (isLeft) question.onPartial(decoder.isEnded ? collect(batch).message : decoder.stop('aborted', []))
  }
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
