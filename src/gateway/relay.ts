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
  return new ReadableStream(new Relay(begun, text, call), { highWaterMark: 0 })
}

class Relay {
  readonly #text: AnswerText
  readonly #call: Call
  readonly #pieces: PieceEncoder
  readonly #keepAlive: Uint8Array
  /** Ends the wait for a batch when it is time for a keep-alive comment. */
  readonly #waiting: Timeout
  /** Ends the wait for a batch that is written together with others. */
  readonly #joining: Timeout = timeoutOf(atOnceMs)
  /** The batch that was requested and has not arrived. */
  #pending: NextBatch | undefined
  #writtenAt = Number.NEGATIVE_INFINITY
  #isEnded = false

  constructor(begun: Begun, text: AnswerText, call: Call) {
    this.#text = text
    this.#call = call
    this.#pieces = piecesOf(call)
    const isJson = call.isArray || !call.stream
    this.#keepAlive = isJson ? textPieces.more([' ']) : this.#pieces.more([call.wire.keepAlive ?? comment])
    this.#waiting = timeoutOf(call.options.limits?.keepAliveMs ?? 5000)
    this.#pending = begun.next
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    // The headers of a whole answer are sent with its first byte. Without them, the client could not see why the connection was cut.
    if (!this.#call.stream) controller.enqueue(this.#keepAlive)
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    let bytes: Uint8Array = new Uint8Array()
    // A pull that adds no bytes is not repeated.
    while (bytes.length === 0 && !this.#isEnded) {
      const next = await this.#advance(this.#waiting)
      if (next === 'late') return controller.enqueue(this.#keepAlive)
      const pieces = await this.#joined(next)
      bytes = this.#isEnded ? this.#pieces.end(pieces) : this.#pieces.more(pieces)
    }
    this.#writtenAt = performance.now()
    if (bytes.length > 0) controller.enqueue(bytes)
    if (this.#isEnded) controller.close()
  }

  /** The client left. */
  cancel(): void {
    this.#stopClocks()
    this.#call.gone.abort(new DOMException('The client left', 'AbortError'))
    void this.#text.return(undefined).catch(() => {})
    this.#call.end('left', 200)
  }

  /** The next pieces; `late` if they do not arrive in time. */
  async #advance(clock: Timeout): Promise<readonly string[] | 'late'> {
    const call = this.#call
    try {
      this.#pending ??= this.#text.next()
      const next = await clock.within(this.#pending)
      if (next === 'late') return next
      this.#pending = undefined
      if (!next.done) return next.value
      if (!call.stream && next.value !== undefined) throw next.value
      this.#finish(next.value)
      return []
    } catch (error) {
      this.#finish(error)
      if (!call.stream) throw toClientError(error, call.progress.errorDetail)
      return errorText(error, call)
    }
  }

  /**
   * These pieces, with those that arrive until {@link joinMs} after the last write. To read the later ones one by one would cost as much as
   * to write them.
   */
  async #joined(pieces: readonly string[]): Promise<readonly string[]> {
    const until = this.#writtenAt + joinMs
    const leftMs = until - performance.now()
    if (leftMs <= 0 || this.#isEnded || pieces.length === 0 || !this.#call.stream) return pieces
    await new Promise<void>((resolve) => after(leftMs, resolve))
    const all = [...pieces]
    for (let length = 0; !this.#isEnded && length < mostJoined && performance.now() < until + joinMs; ) {
      const more = await this.#advance(this.#joining)
      if (more === 'late') break
      all.push(...more)
      length += more.reduce((sum, piece) => sum + piece.length, 0)
    }
    return all
  }

  #finish(error: unknown): void {
    const call = this.#call
    this.#isEnded = true
    this.#stopClocks()
    if (call.gone.signal.aborted) call.end('left', 200)
    else if (error === undefined) call.end('answered', 200)
    else call.end('failed', 200, error)
  }

  #stopClocks(): void {
    this.#waiting.end()
    this.#joining.end()
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
