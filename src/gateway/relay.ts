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
import { type AnswerText, replyOf } from './ask.ts'
import type { Call } from './call.ts'
import { type Begun, type Next, patience } from './commit.ts'
import { tellError } from './errors.ts'
import { arrayPieces, binaryPieces, type PieceEncoder, pieceWriter, textPieces } from './pieces.ts'

/** The answer as the client gets it, with its one end. */
export function relay(begun: Begun, text: AnswerText, call: Call): ReadableStream<Uint8Array> {
  const waiting = patience(call.options.limits?.keepAliveMs ?? 5000)
  const write = piecesOf(call)
  const keepAlive = call.isArray || !call.stream ? textPieces.more([' ']) : write.more([call.wire.keepAlive])
  let pending: Next | undefined = begun.next
  let isEnded = false

  function leave(): void {
    waiting.end()
    call.gone.abort(new DOMException('The client left', 'AbortError'))
    void text.return(undefined).catch(() => {})
    call.end('left', 200)
  }

  /** The next bytes to send; `undefined` after the last. */
  async function advance(): Promise<Uint8Array | undefined> {
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
        if (!call.stream) controller.enqueue(keepAlive)
      },
      async pull(controller) {
        for (let part = await advance(); part !== undefined; part = await advance()) {
          if (part.length === 0) continue // a pull that brings nothing is not repeated
          controller.enqueue(part)
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

function piecesOf({ isArray, stream, wire }: Call): PieceEncoder {
  if (isArray) return arrayPieces()
  const { encodeFrame } = wire.codec
  return stream && encodeFrame !== undefined ? binaryPieces(encodeFrame) : textPieces
}

/** The error of a stream in which nothing has been said. */
function errorText(error: unknown, call: Call): readonly string[] {
  const frames: Frame[] = []
  const { codec } = call.wire
  codec.encodeStream(replyOf(call)).fail(tellError(error, call.progress.discretion), frames)
  return frames.map(pieceWriter(call.isArray ? 'ndjson' : codec.framing))
}
