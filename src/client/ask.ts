/** Requests one answer of a model, as a stream if the format has one, and retries if that is safe. @module */
import type { ClientCodec, EncodedRequest, Model } from '../core/codec.ts'
import { ApiError, IsoglotError, LimitError, TimeoutError } from '../core/errors.ts'
import { compact } from '../core/lookup.ts'
import type { AssistantMessage, MessageEvent } from '../core/model.ts'
import { responseUnlessAborted } from '../core/unless-aborted.ts'
import { type Deadline, sleep, startDeadline } from './deadline.ts'
import { type AnswerDecoder, decodeAnswer } from './decode.ts'
import type { Report, ReportEnd } from './hooks.ts'
import { replay } from './replay.ts'
import type { RunRequest } from './request.ts'
import { retryDelayMs } from './retry.ts'
import { addressOf, chunksOf, errorFor, isStream, readBody, secretsOf, send, withSource } from './transport.ts'

/** The run that asks. */
export interface Asker {
  readonly request: RunRequest
  readonly signal: AbortSignal
  /** The server's name for the current answer, if it stores it. */
  streamId: string | undefined
  /** Settles when the server has named the requested answer, or has not stored it. */
  asked: Promise<unknown> | undefined
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
  /** Whether the request asks for a whole answer. */
  readonly isWhole: boolean
  readonly idempotencyKey: string | undefined
  /** The number of the first id that isoglot makes. */
  readonly callsBefore: number
  /** The name of an earlier answer that the server stores. */
  readonly streamId: string | undefined
}

/** Yields the events of an answer, one batch for each chunk. Retries only before the first event. */
export async function* ask(asker: Asker, question: Question): AsyncGenerator<MessageEvent[], void> {
  const { request } = asker
  const { timeouts, liveArguments, maxEventBytes, retries, resume } = request
  const { callsBefore, idempotencyKey } = question
  const deadline = startDeadline(timeouts, asker.signal)
  const { model, secrets } = noting(question.model)
  const { codec } = model
  const address = addressOf(model, question.encoded)
  const retrying = compact({ retries, idempotencyKey })
  try {
    for (let attempt = 0; ; attempt++) {
      const decoder = decodeAnswer(codec, compact({ callsBefore, liveArguments, maxEventBytes }))
      let response: Response | undefined
      let whole: WholeBody | undefined
      let batch: MessageEvent[] = []
      let hasBegun = false
      let isRead = false
      let isLeft = true
      let waitMs: number | undefined
      let reportEnd: ReportEnd<'onAttempt'> | undefined
      let end: Parameters<ReportEnd<'onAttempt'>>[0] = {}
      try {
        if (question.streamId === undefined) {
          const attempt = ++asker.attempts
          reportEnd = asker.report('onAttempt', { url: address, attempt })
          response = await begin(asker, question, model, deadline)
        }
        whole = new WholeBody(asker, question, response)
        const kept = resume?.chunks(asker, { model, id: question.streamId, response, decoder }, deadline)
        for await (const chunk of kept ?? chunksOf(response as Response, deadline)) {
          if (whole.keeps(chunk)) continue
          decoder.push(chunk, batch)
          if (!hasBegun && batch.length > 0) asker.report('onFirstChunk', {})
          hasBegun ||= batch.length > 0
          if (batch.length > 0) yield batch
          if (decoder.isEnded) break
          batch = []
        }
        isRead = true
        if (whole.isWhole) {
          batch = replay(codec.decodeResponse(readBody(whole.text(), model), { callsBefore }))
          yield batch
        } else if (!decoder.isEnded) {
          decoder.end(batch)
          yield batch
        }
        isLeft = false
        const last = batch.at(-1)
        if (last?.type === 'message_end') end = compact({ usage: last.response.usage })
        return
      } catch (error) {
        isLeft = false
        const { signal } = deadline
        const isSilent = !hasBegun && batch.length === 0
        const described = isSilent && response !== undefined ? withSource(error, isRead, question, response) : error
        const failure = signal.aborted ? signal.reason : described
        waitMs = isSilent && !signal.aborted ? retryDelayMs(failure, attempt, retrying) : undefined
        const status = failure instanceof ApiError ? failure.status : undefined
        end = { error: errorFor(model, failure, secrets, address), ...compact({ status, retryMs: waitMs }) }
        if (waitMs === undefined) {
          if (whole !== undefined) asker.partial = keepPartial(failure, decoder, batch)
          if (batch.length > 0) yield batch
          throw failure
        }
      } finally {
        if (isLeft && whole !== undefined) {
          const last = batch.at(-1)
          asker.partial = last?.type === 'message_end' ? last.message : decoder.stop('aborted', [])
        }
        reportEnd?.({ ...compact({ status: response?.status }), ...end })
      }
      await sleep(waitMs, deadline.signal)
    }
  } catch (error) {
    throw errorFor(model, error, secrets, address)
  } finally {
    deadline.clear()
    deadline.abort(undefined)
  }
}

/** The model, and the secrets that its requests have had so far. */
function noting({ apiKey, ...model }: Model): { readonly model: Model; readonly secrets: readonly string[] } {
  const secrets = [...secretsOf(model, undefined)]
  const noted = async () => {
    const key = (await (typeof apiKey === 'function' ? apiKey() : apiKey)) || ''
    if (!secrets.includes(key)) secrets.push(key)
    return key
  }
  return { model: { ...model, apiKey: noted }, secrets }
}

function begin(
  asker: Asker,
  { encoded, idempotencyKey }: Question,
  model: Model,
  deadline: Deadline,
): Promise<Response> {
  deadline.enter('first_byte')
  const { signal } = deadline
  const response = responseUnlessAborted(send(model, encoded, signal, compact({ idempotencyKey })), signal)
  if (asker.request.resume) asker.asked = response.catch(() => {})
  return response
}

/** Collects a body that is one JSON value: the request asked for a whole answer, or the server sends one where a stream was requested. */
class WholeBody {
  /** `undefined` until it shows. */
  isWhole: boolean | undefined
  readonly #codec: ClientCodec
  readonly #maxBytes: number
  readonly #decoder = new TextDecoder()
  #text = ''
  #bytes = 0

  constructor({ request }: Asker, { model, isWhole }: Question, response: Response | undefined) {
    this.#codec = model.codec
    this.#maxBytes = request.maxBodyBytes ?? 32 * 1024 * 1024
    this.isWhole = response === undefined || isStream(model.codec, response) ? false : isWhole || undefined
  }

  /** Whether the chunk belongs to such a body, or may. */
  keeps(chunk: Uint8Array): boolean {
    if (this.isWhole === false) return false
    const max = this.#maxBytes
    this.#bytes += chunk.byteLength
    if (this.#bytes > max) {
      throw new LimitError(`Cannot read the answer: it is longer than ${max} bytes`, 'maxBodyBytes', max)
    }
    this.#text += this.#decoder.decode(chunk, { stream: true })
    if (this.isWhole === undefined) {
      this.#text = this.#text.trimStart() // a server may send white space for as long as it has nothing to say
      if (this.#text !== '') this.isWhole = startsWhole(this.#text, this.#codec)
    }
    return this.isWhole !== false
  }

  text(): string {
    return this.#text + this.#decoder.decode()
  }
}

/** In NDJSON each line is an object, so only an object that continues after its first line is a whole body. No event of the others starts with `{`. */
function startsWhole(start: string, { framing }: ClientCodec): boolean {
  return framing === 'ndjson' ? /^\{[ \t\r]*\n/.test(start) : start.startsWith('{')
}

/** Closes open blocks, and puts the part of the answer that arrived into the error. */
function keepPartial(failure: unknown, decoder: AnswerDecoder, out: MessageEvent[]): AssistantMessage {
  if (!(failure instanceof IsoglotError)) return decoder.stop('aborted', out)
  failure.partial ??= decoder.stop(failure instanceof TimeoutError ? 'aborted' : 'interrupted', out)
  return failure.partial
}
