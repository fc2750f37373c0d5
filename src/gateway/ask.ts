/** Asks a provider in the client's own format: its bytes pass through. @module */

import { chunksOf, parseAnswer, readWholeText, sendText, startDeadline } from '../ask/transport.ts'
import { compact } from '../core/json.ts'
import type { HttpModel } from '../core/question.ts'
import { withoutEnvelopes } from '../formats/shared/envelope.ts'
import {
  type AnswerText,
  awaitContent,
  checkOutput,
  countUpTo,
  maxAnswerBytes,
  replyOf,
  timeoutsOf,
  withKey,
} from './ask-model.ts'
import { beginAttempt, type Call } from './call.ts'
import { type ErrorDetail, errorDetailOf, toClientError } from './errors.ts'
import type { HttpTarget } from './models.ts'
import { type Seen, seeEvent, watched } from './observe.ts'
import { PassedStream } from './pass.ts'
import { outputLimit, type PassedQuestion, passQuestion, unwritable } from './question.ts'
import { type StreamTranslator, translateResponse, translateStream } from './translate.ts'
import { encodeWhole } from './whole.ts'

/** The state of an attempt. */
interface PassAttempt {
  readonly call: Call
  readonly model: HttpModel
  readonly question: PassedQuestion
  readonly errorDetail: ErrorDetail
  readonly seen: Seen
}

async function prepareAttempt(target: HttpTarget, call: Call): Promise<PassAttempt> {
  const question = passedQuestion(target, call)
  const model = await withKey(target.model)
  const seen = beginAttempt(call, target)
  call.progress.passed = call.stream === call.asksStream
  const errorDetail = errorDetailOf(target, model, call.options)
  call.progress.errorDetail = errorDetail
  return { call, model, question, errorDetail, seen }
}

function passedQuestion(target: HttpTarget, call: Call): PassedQuestion {
  try {
    return passQuestion(target, call)
  } catch (error) {
    throw unwritable(target, call, error)
  }
}

/**
 * Requests an answer as a stream, and passes its events on. For a client that wants the whole answer, it yields an empty batch at the first
 * content and one piece at the end. Errors are those of `askModel`.
 */
export async function* passAnswer(target: HttpTarget, call: Call): AnswerText {
  const attempt = await prepareAttempt(target, call)
  const { model, question, errorDetail, seen } = attempt
  const deadline = startDeadline(timeoutsOf(call), call.gone.signal)
  const contentTimeout = awaitContent(call, deadline.abort)
  const flow = flowOf(attempt)
  const count = countUpTo(maxAnswerBytes(call))
  const limit = outputLimit(target, call)
  let out: string[] = []
  const take = () => {
    const taken = out.map(errorDetail.search.scrub)
    out = []
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
      checkOutput(seen.bytes, limit)
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

function flowOf({ call, model, question, errorDetail, seen }: PassAttempt): StreamTranslator {
  const { wire, options } = call
  const codec = watched(model.codec, seen)
  const toError = (error: unknown) => toClientError(error, errorDetail)
  const limits = compact({ maxEventBytes: options.limits?.maxEventBytes })
  const { search } = errorDetail
  if (call.stream) {
    const framing = call.isArray ? 'ndjson' : wire.codec.framing
    const hidesUsage = question.asksUsage
    const passing = { seen, reply: replyOf(call), toClientError: toError, hidesUsage, framing, search, ...limits }
    return new PassedStream(codec, wire, passing)
  }
  // The answer keeps its own id, so that a client can continue from it.
  const to = { framing: 'ndjson' as const, encodeStream: () => encodeWhole(wire.codec, { request: call.body.value }) }
  return translateStream(codec, to, { ...limits, toClientError: toError, onEvent: (event) => seeEvent(seen, event) })
}

/** The text of an answer that is requested without streaming. It is read too: an answer with status 200 may contain an error. */
export async function* passWhole(target: HttpTarget, call: Call): AnswerText {
  const { model, question, errorDetail, seen } = await prepareAttempt(target, call)
  const deadline = startDeadline(timeoutsOf(call), call.gone.signal)
  try {
    const response = await sendText(model, question, deadline.signal, {})
    const text = await readWholeText(response, maxAnswerBytes(call), deadline.signal)
    translateResponse(parseAnswer(text, model), model.codec, call.wire.codec, {
      onEvent: (event) => seeEvent(seen, event),
    })
    call.progress.firstEventMs = Date.now() - call.startedAt
    yield [errorDetail.search.scrub(withoutEnvelopes(text))]
    return undefined
  } catch (error) {
    throw deadline.signal.aborted ? deadline.signal.reason : error
  } finally {
    deadline.clear()
  }
}
