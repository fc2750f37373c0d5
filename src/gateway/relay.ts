/**
 * The body of an answer that begins before the provider has finished: one pass from the provider's chunks to the client's, with keep-alive
 * comments in the pauses.
 *
 * The client pulls, so the gateway does not read ahead for a slow client. When the client disconnects, the gateway closes the connection to
 * the provider. A whole answer cannot report an error after its headers, so the connection is cut off.
 *
 * A provider sends a packet for each event, and a write costs more than an event. So events that follow the last write within 10 ms are
 * written together. The first event, and every event that comes later than 10 ms, is written at once.
 *
 * @see https://streams.spec.whatwg.org/#rs-model
 *
 * @module
 */

import { after } from '../core/abort.ts'
import type { Frame } from '../core/codec.ts'
import { type AnswerText, replyOf } from './ask-model.ts'
import type { Call } from './call.ts'
import { type Begun, type NextBatch, type Timeout, timeoutOf } from './commit.ts'
import { toClientError } from './errors.ts'
import { arrayPieces, binaryPieces, type PieceEncoder, pieceWriter, textPieces } from './pieces.ts'

/**
 * An event that arrives within this time after the last write waits until the time is over, in ms. All events of that time are written
 * together.
 */
const joinMs = 10
/** The longest wait, in ms, for an event that has already arrived. */
const atOnceMs = 1
/** An SSE comment. */
const comment = ': keep-alive\n\n'
/** The maximum number of characters that are joined before the last event. */
const mostJoined = 64 * 1024

/** The answer that the client gets, which ends exactly once. */
export function relay(begun: Begun, text: AnswerText, call: Call): ReadableStream<Uint8Array> {
  const waiting = timeoutOf(call.options.limits?.keepAliveMs ?? 5000)
  const joining = timeoutOf(atOnceMs)
  const write = piecesOf(call)
  const keepAlive = call.isArray || !call.stream ? textPieces.more([' ']) : write.more([call.wire.keepAlive ?? comment])
  let pending: NextBatch | undefined = begun.next
  let writtenAt = Number.NEGATIVE_INFINITY
  let isEnded = false

  function leave(): void {
    stopClocks()
    call.gone.abort(new DOMException('The client left', 'AbortError'))
    void text.return(undefined).catch(() => {})
    call.end('left', 200)
  }

  function stopClocks(): void {
    waiting.end()
    joining.end()
  }

  /** The next pieces; `late` if they do not arrive in time. */
  async function advance(clock: Timeout): Promise<readonly string[] | 'late'> {
    try {
      pending ??= text.next()
      const next = await clock.within(pending)
      if (next === 'late') return next
      pending = undefined
      if (!next.done) return next.value
      if (!call.stream && next.value !== undefined) throw next.value
      finish(next.value)
      return []
    } catch (error) {
      finish(error)
      if (!call.stream) throw toClientError(error, call.progress.errorDetail)
      return errorText(error, call)
    }
  }

  /**
   * These pieces, with those that arrive until {@link joinMs} after the last write. To read the later ones one by one would cost as much as
   * to write them.
   */
  async function joined(pieces: readonly string[]): Promise<readonly string[]> {
    const until = writtenAt + joinMs
    const leftMs = until - performance.now()
    if (leftMs <= 0 || isEnded || pieces.length === 0 || !call.stream) return pieces
    await new Promise<void>((resolve) => after(leftMs, resolve))
    const all = [...pieces]
    for (let length = 0; !isEnded && length < mostJoined && performance.now() < until + joinMs; ) {
      const more = await advance(joining)
      if (more === 'late') break
      all.push(...more)
      length += more.reduce((sum, piece) => sum + piece.length, 0)
    }
    return all
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // The headers of a whole answer are sent with its first byte. Without them, the client could not see why the connection was cut.
        if (!call.stream) controller.enqueue(keepAlive)
      },
      async pull(controller) {
        let bytes: Uint8Array = new Uint8Array()
        // A pull that adds no bytes is not repeated.
        while (bytes.length === 0 && !isEnded) {
          const next = await advance(waiting)
          if (next === 'late') return controller.enqueue(keepAlive)
          const pieces = await joined(next)
          bytes = isEnded ? write.end(pieces) : write.more(pieces)
        }
        writtenAt = performance.now()
        if (bytes.length > 0) controller.enqueue(bytes)
        if (isEnded) controller.close()
      },
      cancel: leave,
    },
    { highWaterMark: 0 },
  )

  function finish(error: unknown): void {
    isEnded = true
    stopClocks()
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

/** The error of a stream that has no content yet. */
function errorText(error: unknown, call: Call): readonly string[] {
  const frames: Frame[] = []
  const { codec } = call.wire
  codec.encodeStream(replyOf(call)).fail(toClientError(error, call.progress.errorDetail), frames)
  return frames.map(pieceWriter(call.isArray ? 'ndjson' : codec.framing))
}
