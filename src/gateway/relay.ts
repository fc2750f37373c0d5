/**
 * The body of an answer that is begun before it is all here: one pass from the provider's chunks to the client's, with keep-alive comments where
 * there is nothing else.
 *
 * The client pulls: who reads slowly is not read ahead for. When it leaves, the provider's side is closed. A whole answer cannot report an
 * error after its headers: it breaks off.
 *
 * @see https://streams.spec.whatwg.org/#rs-model
 *
 * @module
 */
import type { Frame } from '../core/codec.ts'
import { encodeNdjson } from '../framing/ndjson.ts'
import { encodeSse } from '../framing/sse.ts'
import { type AnswerText, replyOf } from './ask.ts'
import type { Call } from './call.ts'
import { type Begun, type Next, patience } from './commit.ts'
import { tellError } from './errors.ts'

/** The answer as the client gets it, with its one end. */
export function relay(begun: Begun, text: AnswerText, call: Call): ReadableStream<Uint8Array> {
  const waiting = patience(call.options.limits?.keepAliveMs ?? 5000)
  const encoder = new TextEncoder()
  const write = call.isArray ? arrayWriter() : plainWriter
  const keepAlive = call.isArray || !call.stream ? ' ' : call.wire.keepAlive
  let pending: Next | undefined = begun.next
  let isEnded = false

  function leave(): void {
    waiting.end()
    call.gone.abort(new DOMException('The client left', 'AbortError'))
    void text.return(undefined).catch(() => {})
    call.end('left', 200)
  }

  /** The next text to send; `undefined` after the last. */
  async function advance(): Promise<string | undefined> {
    if (isEnded) return undefined
    try {
      pending ??= text.next()
      const next = await waiting.within(pending)
      if (next === 'late') return keepAlive
      pending = undefined
      if (!next.done) return write.more(next.value)
      if (!call.stream && next.value !== undefined) throw next.value
      finish(next.value)
      return write.end([])
    } catch (error) {
      finish(error)
      if (!call.stream) throw tellError(error, call.progress.discretion)
      return write.end(errorText(error, call))
    }
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // The headers of a whole answer go out with its first byte, and without them the client could not see why the connection broke.
        if (!call.stream) controller.enqueue(encoder.encode(keepAlive))
      },
      async pull(controller) {
        for (let part = await advance(); part !== undefined; part = await advance()) {
          if (part === '') continue // a pull that brings nothing is not repeated
          controller.enqueue(encoder.encode(part))
          return
        }
        controller.close()
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )

  function finish(error: unknown): void {
    isEnded = true
    waiting.end()
    if (call.gone.signal.aborted) call.end('left', 200)
    else if (error === undefined) call.end('answered', 200)
    else call.end('failed', 200, error)
  }
}

/** The error of a stream in which nothing has been said. */
function errorText(error: unknown, call: Call): readonly string[] {
  const frames: Frame[] = []
  call.wire.codec.encodeStream(replyOf(call)).fail(tellError(error, call.progress.discretion), frames)
  return frames.map(call.isArray || call.wire.codec.framing === 'ndjson' ? encodeNdjson : encodeSse)
}

interface Writer {
  more(pieces: readonly string[]): string
  /** The last pieces, and what closes the stream. */
  end(pieces: readonly string[]): string
}

const plainWriter: Writer = { more: (pieces) => pieces.join(''), end: (pieces) => pieces.join('') }

/** One JSON array, written in pieces. */
function arrayWriter(): Writer {
  let isBegun = false
  const more = (pieces: readonly string[]) => {
    let text = ''
    for (const piece of pieces) {
      text += (isBegun ? ',' : '[') + piece
      isBegun = true
    }
    return text
  }
  return { more, end: (pieces) => `${more(pieces)}${isBegun ? '' : '['}]` }
}
