/** One answer: whom to ask, and the next one if that fails while nothing has been said. @module */
import { askForAnswer, askForStream, type StreamedText } from './ask.ts'
import type { Call } from './call.ts'
import { openWindow } from './commit.ts'
import { errorAnswer, mayAskAnother, tellError } from './errors.ts'
import { relay } from './relay.ts'

/** Answers, or tells in the client's wire why not. It never rejects. */
export async function answer(call: Call): Promise<Response> {
  try {
    return await (call.stream ? answerInPieces(call) : answerWhole(call))
  } catch (error) {
    if (call.gone.signal.aborted) {
      call.end('left', 499)
      return new Response(null, { status: 499 })
    }
    const response = errorAnswer(tellError(error, call.progress.discretion), call.wire)
    call.end('failed', response.status, error)
    return response
  }
}

async function answerWhole(call: Call): Promise<Response> {
  const text = await firstAnswer(call)
  call.end('answered', 200)
  return new Response(text, { headers: { 'content-type': 'application/json' } })
}

async function firstAnswer(call: Call): Promise<string> {
  for (const [at, target] of call.targets.entries()) {
    try {
      return await askForAnswer(target, call)
    } catch (error) {
      if (isLast(at, error, call)) throw error
    }
  }
  throw new RangeError('There is nobody to ask')
}

async function answerInPieces(call: Call): Promise<Response> {
  const text = streamFromFirst(call)
  const begun = await openWindow(text, call.options.limits?.commitMs ?? 2000)
  return new Response(relay(begun, text, call), { headers: { 'content-type': contentType(call) } })
}

/** Also behind the headers, as long as nothing but signs of life went out. */
async function* streamFromFirst(call: Call): StreamedText {
  for (const [at, target] of call.targets.entries()) {
    try {
      return yield* askForStream(target, call)
    } catch (error) {
      if (isLast(at, error, call)) throw error
    }
  }
}

function isLast(at: number, error: unknown, { targets, gone }: Call): boolean {
  return at + 1 >= targets.length || gone.signal.aborted || !mayAskAnother(error)
}

function contentType({ wire, isArray }: Call): string {
  if (isArray) return 'application/json'
  return wire.codec.framing === 'sse' ? 'text/event-stream' : 'application/x-ndjson'
}
