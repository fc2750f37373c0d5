/** From bytes, cut anywhere, to the data of server-sent events: all that our own wire needs of that format. @module */
import { type LineReader, readLines, tooLarge } from '../framing/lines.ts'

/**
 * Hands over the data of each event that is whole.
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
