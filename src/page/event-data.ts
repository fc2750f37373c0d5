/** Parses bytes in any chunks to the data of server-sent events. Supports only the part of SSE that our own format needs. @module */
import { type LineReader, readLines, tooLarge } from '../framing/text.ts'

/**
 * Yields the data of each complete event.
 *
 * @throws {LimitError} at an event of more than `maxEventBytes`.
 */
export function readData(maxEventBytes: number, take: (data: string) => void): LineReader {
  let data: string[] = []
  let length = 0
  return readLines(maxEventBytes, (lines) => {
    for (let at = 0; at < lines.length; ) {
      const end = lines.indexOf('\n', at)
      const line = lines.slice(at, end)
      at = end + 1
      if (line.startsWith('data:')) {
        data.push(line.slice(line[5] === ' ' ? 6 : 5))
        length += line.length
        if (length > maxEventBytes) throw tooLarge(maxEventBytes)
      } else if (line === '' && data.length > 0) {
        const whole = data.join('\n')
        data = []
        length = 0
        take(whole)
      }
    }
  })
}
