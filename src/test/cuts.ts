/** Streams that are cut off, and streams in other chunks. @module */
import { decodeAnswer } from '../ask/http-model.ts'
import type { ClientCodec } from '../core/codec.ts'
import type { MockTurn } from './answers.ts'
import { bodyOf, joined, piecesOf, typeOfBody } from './body.ts'
import { formats, type MockFormat } from './formats.ts'
import { streamOf } from './write.ts'

/**
 * The bytes of a streamed answer, in the form in which {@link mockModel} sends them.
 *
 * @param format Default `openai-chat`.
 * @throws {TypeError} if the format cannot express the turn.
 */
export function bytesOf(turn: MockTurn, format: MockFormat = 'openai-chat'): Uint8Array {
  return joined(streamOf(turn, { format }))
}

/**
 * An answer that ends after its first `at` bytes.
 *
 * @param how `clean`, the default: the body ends as if it were complete; proxies do this. `error`: the connection breaks.
 */
export function cutAt(bytes: Uint8Array, at: number, how: 'clean' | 'error' = 'clean'): Response {
  const chunks = at > 0 ? [bytes.subarray(0, at)] : []
  const headers = { 'content-type': typeOfBody(bytes) }
  return new Response(bodyOf(chunks, { breaks: how === 'error' }), { headers })
}

/**
 * A streamed answer, cut cleanly at every position where it is not yet complete. A run that gets one of them never resolves. After the
 * event that ends the answer, there may be more bytes, such as `[DONE]`. A cut there loses nothing, so it is left out.
 *
 * @param step The number of bytes between two cuts. Default 1.
 * @throws {TypeError} if the bytes are not a whole streamed answer in one of isoglot's formats; `RangeError` for a step below 1.
 * @example
 * ```ts
 * import { bytesOf, collectRun, everyCut, mockModel } from 'isoglot/test'
 *
 * for (const response of everyCut(bytesOf('It is sunny.'))) {
 *   const { text, error } = await collectRun(stream({ model: mockModel([response]), prompt: 'Weather?' }))
 *   console.log(text, error) // the beginning of the text, and an InterruptedError
 * }
 * ```
 */
export function* everyCut(bytes: Uint8Array, step = 1): Generator<Response, void> {
  if (!(step >= 1)) throw new RangeError(`Cannot cut at every ${step} bytes: a step has 1 or more`)
  const end = wholeFrom(bytes)
  for (let at = 0; at < end; at += Math.floor(step)) yield cutAt(bytes, at)
}

/** The number of bytes after which the answer is complete. */
function wholeFrom(bytes: Uint8Array): number {
  const codec = Object.values(formats)
    .map(({ client }) => client)
    .find((client) => isWholeStream(client, bytes))
  if (codec === undefined) throw new TypeError('Cannot cut the bytes: no format reads them as a whole streamed answer')
  let [low, high] = [0, bytes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isWholeStream(codec, bytes.subarray(0, middle))) high = middle
    else low = middle + 1
  }
  return low
}

function isWholeStream(codec: ClientCodec, bytes: Uint8Array): boolean {
  try {
    const decoder = decodeAnswer(codec)
    decoder.push(bytes, [])
    decoder.end([])
    return true
  } catch {
    return false
  }
}

/**
 * Bytes as a body in chunks of your choice, such as `inChunks(bytes, 1)`.
 *
 * @param size The size of each chunk, in bytes; or a list of sizes, whose last one is repeated.
 * @throws {RangeError} for a size below 1.
 */
export function inChunks(bytes: Uint8Array, size: number | readonly number[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return bodyOf(piecesOf(bytes, size))
}
