/** Parses bytes in any chunks to the data of server-sent events. Supports only the part of SSE that our own format needs. @module */
import { DecodeError, tooLarge } from '../core/errors.ts'
import { isObject } from '../core/json.ts'
import { type LineReader, readLines } from '../framing/text.ts'

/**
 * Passes the data of each complete event to `take`.
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

/** The event in the data of a server-sent event. @throws {DecodeError} if it is not one of isoglot's. */
export function readEvent<Event>(data: string): Event {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {}
  if (isObject(value) && typeof value.type === 'string') return value as unknown as Event
  throw notOurs(data)
}

/** The error for data that is not an event of isoglot. */
export function notOurs(data: string): DecodeError {
  const finding = 'an event is not an isoglot event; does the server use toResponse, or a gateway with isoglotFormat?'
  return new DecodeError(`Cannot read the answer of the server: ${finding}`, { cause: data.slice(0, 1000) })
}
