import { describe, expect, it } from 'vitest'
import type { Frame } from '../../src/core/codec.ts'
import { LimitError } from '../../src/core/errors.ts'
import { decodeNdjson, encodeNdjson } from '../../src/framing/text.ts'
import { atRandom, byteByByte, bytesOf, decodeAll, inTwo } from './streams.ts'

const data = (...values: string[]): Frame[] => values.map((value) => ({ data: value }))

const streams: [string, string, Frame[]][] = [
  ['an empty body', '', []],
  ['a line each', '{"a":1}\n{"a":2}\n', data('{"a":1}', '{"a":2}')],
  ['CRLF', '{"a":1}\r\n{"a":2}\r\n', data('{"a":1}', '{"a":2}')],
  ['CR', '{"a":1}\r{"a":2}\r', data('{"a":1}', '{"a":2}')],
  ['blank lines', '\n{"a":1}\n \n\r\n{"a":2}\n\n', data('{"a":1}', '{"a":2}')],
  ['a BOM', '\ufeff{"a":1}\n', data('{"a":1}')],
  ['text of four bytes a character', '{"a":"🦜é漢"}\n', data('{"a":"🦜é漢"}')],
  ['a last line without its end', '{"a":1}\n{"done":true}', data('{"a":1}', '{"done":true}')],
  ['half a last line', '{"a":1}\n{"done":tr', data('{"a":1}')],
  ['half a last number, which looks whole', '{"a":1}\n12', data('{"a":1}')],
  ['a line that is not valid JSON, which is for the codec to refuse', 'oops\n{"a":1}\n', data('oops', '{"a":1}')],
]

describe('decodeNdjson', () => {
  it.each(streams)('reads %s, the same in any cut', (_, source, frames) => {
    const bytes = bytesOf(source)
    expect(decodeAll(decodeNdjson, [bytes])).toEqual({ frames })
    expect(decodeAll(decodeNdjson, byteByByte(bytes))).toEqual({ frames })
    for (const chunks of inTwo(bytes)) expect(decodeAll(decodeNdjson, chunks)).toEqual({ frames })
    for (let seed = 1; seed <= 100; seed++) {
      expect(decodeAll(decodeNdjson, atRandom(bytes, seed)), `seed ${seed}`).toEqual({ frames })
    }
  })

  it.each([
    ['a line', `"${'x'.repeat(63)}"\n`],
    ['a line without its end', `"${'x'.repeat(64)}`],
    ['blanks', ' '.repeat(65)],
    ['characters of several bytes', `"${'é'.repeat(32)}"\n`],
  ])('stops at %s over the limit, in any cut, and keeps the lines before it', (_, source) => {
    const bytes = bytesOf(`{"a":1}\n${source}`)
    for (const chunks of [[bytes], byteByByte(bytes), ...inTwo(bytes)]) {
      const { frames, error } = decodeAll(() => decodeNdjson({ maxEventBytes: 64 }), chunks)
      expect(frames).toEqual(data('{"a":1}'))
      expect(error).toBeInstanceOf(LimitError)
      expect(error).toMatchObject({ limit: 'maxEventBytes', max: 64 })
    }
  })

  it('lets a line of just the limit pass', () => {
    const line = `"${'x'.repeat(62)}"`
    const { frames } = decodeAll(() => decodeNdjson({ maxEventBytes: 64 }), [bytesOf(`${line}\n`)])
    expect(frames).toEqual(data(line))
  })
})

describe('encodeNdjson', () => {
  it.each<[string, Frame, string]>([
    ['a line', { data: '{"a":1}' }, '{"a":1}\n'],
    ['JSON of several lines as one', { data: '{\r\n"a":1\n}' }, '{ "a":1 }\n'],
    ['no name', { event: 'ping', data: '{}' }, '{}\n'],
  ])('writes %s', (_, frame, text) => {
    expect(encodeNdjson(frame)).toBe(text)
  })
})
