/** Answers one request: asks the first model, and the next one if that fails before any content. @module */
import { passAnswer, passWhole } from './ask.ts'
import { type AnswerText, askTarget } from './ask-model.ts'
import { type Call, describe, endAttempt } from './call.ts'
import { type NextBatch, openWindow } from './commit.ts'
import { errorAnswer, mayAskAnother, toClientError } from './errors.ts'
import { passes } from './question.ts'
import { relay } from './relay.ts'

/** Answers, with an error in the client's format if something fails. It never rejects. */
export async function answer(call: Call): Promise<Response> {
  try {
    return await (call.stream ? answerInPieces(call) : answerWhole(call))
  } catch (error) {
    if (call.gone.signal.aborted) {
      call.end('left', 499)
      return new Response(null, { status: 499 })
    }
    const response = errorAnswer(toClientError(error, call.progress.errorDetail), call.wire)
    call.end('failed', response.status, error)
    return response
  }
}

/** The wait for the whole answer, before keep-alive comments begin. */
async function answerWhole(call: Call): Promise<Response> {
  const text = gather(textOfFirst(call))
  orThrow(await text.next())
  const begun = await openWindow(text, call.options.limits?.wholeCommitMs ?? Number.POSITIVE_INFINITY)
  const headers = { 'content-type': 'application/json' }
  if (begun.first === 'late')
    return new Response(relay(begun, text, call), { headers: { ...headers, 'x-accel-buffering': 'no' } })
  const whole = orThrow(begun.first).join('')
  call.end('answered', 200)
  return new Response(whole, { headers })
}

/** An empty batch at the beginning, and then the whole text in one batch. */
async function* gather(text: AnswerText): AnswerText {
  const pieces: string[] = []
  let next = await text.next()
  if (!next.done) yield pieces
  for (; !next.done; next = await text.next()) pieces.push(...next.value)
  if (next.value === undefined) yield pieces
  return next.value
}

function orThrow({ done, value }: Awaited<NextBatch>): readonly string[] {
  if (done) throw value
  return value
}

async function answerInPieces(call: Call): Promise<Response> {
  const text = textOfFirst(call)
  const begun = await openWindow(text, call.options.limits?.commitMs ?? 2000)
  // nginx holds streams back without this header, as `toResponse` says too.
  const headers = { 'content-type': contentType(call), 'x-accel-buffering': 'no' }
  return new Response(relay(begun, text, call), { headers })
}

/** Asks the targets in order, and returns the text of the first that sends content. Keep-alive comments do not count as content. */
async function* textOfFirst(call: Call): AnswerText {
  for (const [at, target] of call.targets.entries()) {
    try {
      if (!passes(target, call)) return yield* askTarget(target, call)
      return yield* (call.asksStream ? passAnswer : passWhole)(target, call)
    } catch (error) {
      if (isLastTarget(at, error, call)) throw error
      endAttempt(call, call.progress, { error: describe(error, call.progress.errorDetail) })
    }
  }
}

function isLastTarget(at: number, error: unknown, { targets, gone }: Call): boolean {
  return at + 1 >= targets.length || gone.signal.aborted || !mayAskAnother(error)
}

const contentTypes = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  'event-stream': 'application/vnd.amazon.eventstream',
} as const

function contentType({ wire, isArray }: Call): string {
  return isArray ? 'application/json' : contentTypes[wire.codec.framing]
}
