/**
 * The body of an answer that is begun before it is all here: one pass from the provider's chunks to the client's, with keep-alive comments where
 * there is nothing else.
 *
 * The client pulls: who reads slowly is not read ahead for. When it leaves, the provider's side is closed. A whole answer has no place for
 * an error behind its headers: it breaks off.
 *
 * A provider sends a packet for each event, and each writing costs more than the event: events that follow one another within 10 ms are
 * written together. The first one is written at once, and so is every event that comes later than that.
 *
 * @see https://streams.spec.whatwg.org/#rs-model
 *
 * @module
 */
import type { Frame } from '../core/codec.ts'
import { after } from '../core/timer.ts'
import { encodeNdjson } from '../framing/ndjson.ts'
import { encodeSse } from '../framing/sse.ts'
import { type AnswerText, replyOf } from './ask.ts'
import type { Call } from './call.ts'
import { type Begun, type Next, type Patience, patience } from './commit.ts'
import { tellError } from './errors.ts'

/** An event that comes so soon after a writing, in ms, waits for those that follow it until this time is over. */
const joinMs = 10
/** What is here already is read without waiting for it: so long, in ms, is no waiting. */
const atOnceMs = 1

/** The answer as the client gets it, with its one end. */
export function relay(begun: Begun, text: AnswerText, call: Call): ReadableStream<Uint8Array> {
  const waiting = patience(call.options.limits?.keepAliveMs ?? 5000)
  const joining = patience(atOnceMs)
  const encoder = new TextEncoder()
  const write = call.isArray ? arrayWriter() : plainWriter
  const keepAlive = call.isArray || !call.stream ? ' ' : call.wire.keepAlive
  let pending: Next | undefined = begun.next
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

  /** The next text to send, or `late`; `undefined` behind the last. */
  async function advance(clock: Patience, late: string): Promise<string | undefined> {
    if (isEnded) return undefined
    try {
      pending ??= text.next()
      const next = await clock.within(pending)
      if (next === 'late') return late
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

  /** What follows a text until {@link joinMs} after the last writing. It is not read one by one: that would cost as much as to write it so. */
  async function followers(): Promise<string> {
    const leftMs = writtenAt + joinMs - performance.now()
    if (leftMs <= 0 || isEnded || !call.stream) return ''
    await new Promise<void>((resolve) => after(leftMs, resolve))
    let all = ''
    for (let part = await advance(joining, ''); part; part = await advance(joining, '')) all += part
    return all
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // The headers of a whole answer go out with its first byte, and without them the client could not see why the connection broke.
        if (!call.stream) controller.enqueue(encoder.encode(keepAlive))
      },
      async pull(controller) {
        let part = await advance(waiting, keepAlive)
        while (part === '') part = await advance(waiting, keepAlive) // a pull that brings nothing is not repeated
        if (part === undefined) return controller.close()
        const isSaid = part !== keepAlive
        if (isSaid) part += await followers()
        controller.enqueue(encoder.encode(part))
        if (isSaid) writtenAt = performance.now()
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
