/** Requests one answer of a model, as a stream if the format has one, and retries if that is safe. @module */
import type { ClientCodec, EncodedRequest, Model } from '../core/codec.ts'
import { ApiError, IsoglotError, LimitError, TimeoutError } from '../core/errors.ts'
import { compact } from '../core/lookup.ts'
import type { AssistantMessage, MessageEvent, Usage } from '../core/model.ts'
import { responseUnlessAborted } from '../core/unless-aborted.ts'
import { sleep, startDeadline } from './deadline.ts'
import { type AnswerDecoder, decodeAnswer } from './decode.ts'
import type { Report, ReportEnd } from './hooks.ts'
import type { RunRequest } from './request.ts'
import { retryDelayMs } from './retry.ts'
import { addressOf, chunksOf, errorFor, isStream, keyOf, readBody, sendText } from './transport.ts'

/** The parts of a run that {@link ask} reads and sets. */
export interface Asker {
  readonly request: RunRequest
  readonly signal: AbortSignal
  /** The server's name for the current answer, if it stores it. */
  streamId: string | undefined
  /** Settles when the server has named the requested answer, or has not stored it. */
  headersArrived: Promise<unknown> | undefined
  /** The part of an incomplete answer that arrived. */
  partial: AssistantMessage | undefined
  /** How many requests were sent in this round. */
  attempts: number
  readonly report: Report
}

/** The encoded request for one answer, with its model. */
export interface Question {
  readonly model: Model
  readonly encoded: EncodedRequest
  /** Events before those of the answer: losses that were not reported yet. */
  readonly news: MessageEvent[]
  /** `true` if the request asks for a whole answer. */
  readonly isWhole: true | undefined
  readonly idempotencyKey: string | undefined
  /** The number of the first id that isoglot makes. */
  readonly callsBefore: number
  /** The name of an earlier answer that the server stores. */
  readonly streamId: string | undefined
}

/** Yields the events of an answer, one batch for each chunk. Retries only before the first event. */
export async function* ask(asker: Asker, question: Question): AsyncGenerator<MessageEvent[], void> {
  const { timeouts, liveArguments, maxEventBytes, maxBodyBytes, retries, resume } = asker.request
  const { encoded, news, callsBefore, idempotencyKey, streamId } = question
  if (news.length > 0) yield news
  const keys = new Set<string>()
  const apiKey = async () => {
    const key = await keyOf(question.model)
    keys.add(key)
    return key
  }
  const model: Model = { ...question.model, apiKey }
  const { codec } = model
  const address = addressOf(model, encoded)
  const request = { ...encoded, text: JSON.stringify({ ...(encoded.body as object), ...model.body }) }
  const deadline = startDeadline(timeouts, asker.signal)
  const { signal } = deadline
  try {
    for (let attempt = 0; ; attempt++) {
      const decoder = decodeAnswer(codec, compact({ callsBefore, liveArguments, maxEventBytes }))
      let response: Response | undefined
      let batch: MessageEvent[] = []
      let hasBegun = false
      let isRead = false
      let isLeft = true
      let waitMs: number | undefined
      let reportEnd: ReportEnd<'onAttempt'> | undefined
      let usage: Usage | undefined
      let failure: unknown
      try {
        if (streamId === undefined) {
          reportEnd = asker.report('onAttempt', { url: address, attempt: ++asker.attempts })
          deadline.enter('first_byte')
          const sent = responseUnlessAborted(sendText(model, request, signal, compact({ idempotencyKey })), signal)
          if (resume) asker.headersArrived = sent.catch(() => {})
          response = await sent
        }
        const whole = response && !isStream(response) ? collectWhole(codec, question.isWhole, maxBodyBytes) : undefined
        const kept = resume?.chunks(asker, { model, id: streamId, response, decoder }, deadline)
        for await (const chunk of kept ?? chunksOf(response as Response, deadline)) {
          if (whole?.keeps(chunk)) continue
          decoder.push(chunk, batch)
          if (batch.length > 0) {
            if (!hasBegun) asker.report('onFirstChunk', {})
            hasBegun = true
            yield batch
          }
          if (decoder.isEnded) break
          batch = []
        }
        isRead = true
        const text = whole?.text()
        if (text !== undefined || !decoder.isEnded) {
          if (text === undefined) decoder.end(batch)
          else {
            const response = codec.decodeResponse(readBody(text, model), { callsBefore, events: batch })
            const end = { type: 'message_end', message: response.message, response } as const
            // The codec may have changed the response after its events were made. A codec of an application may make none.
            batch = [...batch.filter(({ type }) => type !== 'message_end'), end]
          }
          yield batch
        }
        isLeft = false
        const last = batch.at(-1)
        if (last?.type === 'message_end') usage = last.response.usage
        return
      } catch (error) {
        isLeft = false
        const isSilent = !hasBegun && batch.length === 0
        const source = { model, address, keys, isRead, response: isSilent ? response : undefined }
        failure = signal.aborted ? signal.reason : errorFor(error, source)
        if (isSilent && !signal.aborted) {
          waitMs = retryDelayMs(failure, attempt, retries, idempotencyKey !== undefined)
        }
        if (waitMs === undefined) {
          if (!isSilent || response !== undefined) asker.partial = keepPartial(failure, decoder, batch)
          if (batch.length > 0) yield batch
          throw failure
        }
      } finally {
        if (isLeft) asker.partial = decoder.stop('aborted', [])
        const status = (failure instanceof ApiError ? failure.status : undefined) ?? response?.status
        reportEnd?.(compact({ status, usage, error: failure, retryMs: waitMs }))
      }
      deadline.pause()
      await sleep(waitMs, signal)
    }
  } finally {
    deadline.clear()
  }
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

/** Closes open blocks, and puts the part of the answer that arrived into the error. */
function keepPartial(failure: unknown, decoder: AnswerDecoder, out: MessageEvent[]): AssistantMessage {
  if (!(failure instanceof IsoglotError)) return decoder.stop('aborted', out)
  failure.partial ??= decoder.stop(failure instanceof TimeoutError ? 'aborted' : 'interrupted', out)
  return failure.partial
}
