/**
 * One JSON value a line, in and out.
 *
 * @see https://github.com/ndjson/ndjson-spec
 *
 * @module
 */
import type { Frame } from '../core/codec.ts'
import type { Machine } from '../core/reducer.ts'
import { byteLength, defaultMaxEventBytes, type FrameLimits, isWholeJson, readLines, tooLarge } from './lines.ts'

/**
 * Bytes, cut anywhere, to a frame a line. Blank lines count for nothing. A last line without its end counts only if it is whole
 * JSON: half of one is dropped, and the codec sees a stream without its end.
 *
 * @throws {LimitError} at a line longer than `maxEventBytes`; the lines before it are in `out`.
 */
export function decodeNdjson({ maxEventBytes = defaultMaxEventBytes }: FrameLimits = {}): Machine<Uint8Array, Frame> {
  let frames: Frame[] = []

  function takeLines(lines: string, isNarrow: boolean): void {
    for (let at = 0; at < lines.length; ) {
      const end = lines.indexOf('\n', at)
      const data = lines.slice(at, end)
      if (3 * data.length > maxEventBytes && byteLength(data, isNarrow) > maxEventBytes) throw tooLarge(maxEventBytes)
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

/** A frame as a line. A raw line end in JSON is white space, and becomes a blank; an event's name has no place here. */
export function encodeNdjson(frame: Frame): string {
  return `${frame.data.replace(/[\r\n]+/g, ' ')}\n`
}
