/** Bodies of answers: in chunks, with pauses, or cut off. @module */
import { sleep } from '../ask/transport.ts'

/** How a body arrives. */
export interface BodyOptions {
  /** The pause before the first chunk, in milliseconds. */
  readonly silentMs?: number
  /** The pause before each other chunk, in milliseconds. */
  readonly delayMs?: number
  /** The connection breaks after the last chunk, instead of ending normally. */
  readonly breaks?: boolean
  /** The signal of the request. */
  readonly signal?: AbortSignal
}

/** A body that sends one chunk for each read. */
export function bodyOf(
  chunks: readonly Uint8Array[],
  options: BodyOptions = {},
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { silentMs = 0, delayMs = 0, breaks = false, signal } = options
  const left = new AbortController()
  signal?.addEventListener('abort', () => left.abort(signal.reason), { once: true })
  let at = 0
  return new ReadableStream(
    {
      async pull(controller) {
        const waitMs = at === 0 ? silentMs : delayMs
        signal?.throwIfAborted()
        if (waitMs > 0) await sleep(waitMs, left.signal)
        const chunk = chunks[at++]
        if (chunk !== undefined) controller.enqueue(chunk as Uint8Array<ArrayBuffer>)
        else if (breaks) controller.error(new TypeError('terminated'))
        else controller.close()
      },
      cancel: (reason) => left.abort(reason),
    },
    { highWaterMark: 0 },
  )
}

/** Splits bytes into chunks of these sizes; the last size is repeated. @throws {RangeError} for a size below 1. */
export function piecesOf(bytes: Uint8Array, size: number | readonly number[]): readonly Uint8Array[] {
  const sizes = typeof size === 'number' ? [size] : size
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = sizes[Math.min(pieces.length, sizes.length - 1)] ?? 0
    if (!(length >= 1)) throw new RangeError(`Cannot cut into chunks of ${length} bytes: a chunk has 1 or more`)
    pieces.push(bytes.subarray(at, at + Math.floor(length)))
    at += Math.floor(length)
  }
  return pieces
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/** The types of streams, by their framing. */
export const streamTypes = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  'event-stream': 'application/vnd.amazon.eventstream',
} as const

/**
 * The type of a recorded body: a message of Amazon's event stream begins with its length, in four bytes. Only NDJSON and JSON begin with a
 * bracket, and of these only JSON is one value.
 */
export function typeOfBody(body: string | Uint8Array): string {
  if (body[0] === 0) return streamTypes['event-stream']
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  if (!/^\s*[{[]/.test(text)) return streamTypes.sse
  try {
    JSON.parse(text)
    return 'application/json'
  } catch {
    return streamTypes.ndjson
  }
}
