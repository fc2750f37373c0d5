/**
 * Decodes and encodes NDJSON: one JSON value on each line.
 *
 * @see https://github.com/ndjson/ndjson-spec
 *
 * @module
 */
import type { Frame } from '../core/codec.ts'
import type { Machine } from '../core/reducer.ts'
import { byteLength } from '../kit/utf8.ts'
import { defaultMaxEventBytes, type FrameLimits, isWholeJson, readLines, tooLarge } from './lines.ts'

/**
 * Decodes bytes to one frame for each line. Chunks can end at any byte. Blank lines are ignored. A last line without a line end is read
 * only if it is complete JSON. Otherwise it is dropped, and the codec reports an incomplete stream.
 *
 * @throws {LimitError} if a line is longer than `maxEventBytes`. The lines before it are in `out`.
 */
export function decodeNdjson({ maxEventBytes = defaultMaxEventBytes }: FrameLimits = {}): Machine<Uint8Array, Frame> {
  let frames: Frame[] = []

  function takeLines(lines: string): void {
    for (let at = 0; at < lines.length; ) {
      const end = lines.indexOf('\n', at)
      const data = lines.slice(at, end)
      if (3 * data.length > maxEventBytes && byteLength(data) > maxEventBytes) throw tooLarge(maxEventBytes)
      if (data.trim() !== '') frames.push({ data })
      at = end + 1
    }
  }

  const reader = readLines(maxEventBytes, takeLines)
  return {
    push(chunk, out) {
      frames = out
      reader.push(chunk)
    },
    end(out) {
      const data = reader.rest()
      if (isWholeJson(data)) out.push({ data })
    },
  }
}

/** Encodes a frame as a line. A line end inside JSON is white space, so it becomes a space. The name of the event is not written. */
export function encodeNdjson(frame: Frame): string {
  return `${frame.data.replace(/[\r\n]+/g, ' ')}\n`
}
