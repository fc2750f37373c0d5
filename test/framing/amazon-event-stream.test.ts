/** Amazon's event stream. The examples in hexadecimal are of its document, and their checksums were not computed here. */
import { EventStreamCodec } from '@smithy/core/event-streams'
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../src/core/codec.ts'
import { DecodeError, InterruptedError, LimitError } from '../../src/core/errors.ts'
import { decodeEventStream, encodeEventStream } from '../../src/framing/amazon-event-stream.ts'
import { cut, seeded } from '../support/random.ts'

const bytesOf = (hex: string) =>
  Uint8Array.from(hex.replace(/\s/g, '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

const stop = bytesOf(`0000007a 00000051 ca2c4665
  0b3a6576656e742d74797065 07000b 6d65737361676553746f70
  0d3a636f6e74656e742d74797065 070010 6170706c69636174696f6e2f6a736f6e
  0d3a6d6573736167652d74797065 070005 6576656e74
  7b2273746f70526561736f6e223a22656e645f7475726e227d 5fbf09fc`)
const exception = bytesOf(
  '00000090000000618e91a9b70f3a657863657074696f6e2d747970650700137468726f74746c696e67457863657074696f6e0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d74797065070009657863657074696f6e7b226d657373616765223a22546f6f206d616e79207265717565737473227de67f8005',
)
const empty = bytesOf('000000100000000005c248eb7d98c8ff')
const frames: readonly Frame[] = [
  { event: 'messageStop', data: '{"stopReason":"end_turn"}' },
  { event: 'exception:throttlingException', data: '{"message":"Too many requests"}' },
]

function read(chunks: Iterable<Uint8Array>, limits = {}): Frame[] {
  const decoder = decodeEventStream(limits)
  const out: Frame[] = []
  for (const chunk of chunks) decoder.push(chunk, out)
  decoder.end(out)
  return out
}
const joined = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]))

it('reads the examples of the document; a message without a type is left out', () => {
  expect(read([joined(stop, empty, exception)])).toEqual(frames)
})

it('writes them, byte for byte', () => {
  expect(frames.map((frame) => encodeEventStream(frame))).toEqual([stop, exception])
})

it('is read however it is cut', () => {
  const all = joined(stop, exception, encodeEventStream({ event: 'x', data: '"Grüße 🧮"' }))
  const whole = read([all])
  expect(whole.at(-1)).toEqual({ event: 'x', data: '"Grüße 🧮"' })
  for (let at = 0; at <= all.length; at++) expect(read([all.subarray(0, at), all.subarray(at)])).toEqual(whole)
  expect(read(Array.from(all, (byte) => Uint8Array.of(byte)))).toEqual(whole)
  const random = seeded(7)
  for (let turn = 0; turn < 50; turn++) expect(read(cut(all, 9, random))).toEqual(whole)
})

describe('a stream that is broken', () => {
  it.each(Array.from({ length: stop.length }, (_, at) => at))('is refused where byte %i is another', (at) => {
    const bytes = stop.slice()
    bytes[at] = (bytes[at] as number) ^ 0x01
    expect(() => read([bytes])).toThrow(DecodeError)
  })

  it('keeps the part before', () => {
    const decoder = decodeEventStream()
    const out: Frame[] = []
    const bytes = stop.slice()
    bytes[100] = 0
    expect(() => decoder.push(joined(stop, bytes), out)).toThrow('checksum of a message')
    expect(out).toEqual([frames[0]])
  })

  it('is an error if it ends in a message', () => {
    expect(() => read([stop.subarray(0, 121)])).toThrow(InterruptedError)
    expect(() => read([stop.subarray(0, 3)])).toThrow(InterruptedError)
  })

  it('is refused before it is held, where a message says it is longer than the limit', () => {
    expect(read([stop], { maxEventBytes: 122 })).toHaveLength(1)
    expect(() => read([stop.subarray(0, 12)], { maxEventBytes: 121 })).toThrow(LimitError)
  })
})

describe('beside the official codec', () => {
  const toUtf8 = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
  const codec = new EventStreamCodec(toUtf8, (text) => new TextEncoder().encode(text))

  it('is written as that reads it', () => {
    const { headers, body } = codec.decode(encodeEventStream({ event: 'metadata', data: '{"ü":1}' }))
    expect([headers[':event-type']?.value, toUtf8(body)]).toEqual(['metadata', '{"ü":1}'])
  })

  it('skips headers of all other types', () => {
    const bytes = codec.encode({
      headers: {
        a: { type: 'boolean', value: true },
        b: { type: 'byte', value: 1 },
        c: { type: 'short', value: 2 },
        d: { type: 'integer', value: 3 },
        f: { type: 'binary', value: Uint8Array.of(1, 2, 3) },
        g: { type: 'timestamp', value: new Date(0) },
        h: { type: 'uuid', value: '12345678-1234-1234-1234-123456789012' },
        ':message-type': { type: 'string', value: 'event' },
        ':event-type': { type: 'string', value: 'x' },
      },
      body: new TextEncoder().encode('{}'),
    })
    expect(read([bytes])).toEqual([{ event: 'x', data: '{}' }])
  })

  it('refuses a header of a type that there is not', () => {
    const bytes = codec.encode({ headers: { a: { type: 'boolean', value: true } }, body: new Uint8Array(0) })
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    expect(bytes[14]).toBe(0) // the prelude of twelve bytes, the length of the name, the name
    bytes[14] = 10
    view.setUint32(bytes.length - 4, crc32(bytes.subarray(0, -4)))
    expect(() => read([bytes])).toThrow('a header has the type 10')
  })

  it('an error without a model of its own is an exception too', () => {
    const value = (text: string) => ({ type: 'string' as const, value: text })
    const headers = {
      ':message-type': value('error'),
      ':error-code': value('Oops'),
      ':error-message': value('so it is'),
    }
    const bytes = codec.encode({ headers, body: new Uint8Array(0) })
    expect(read([bytes])).toEqual([{ event: 'exception:Oops', data: '{"message":"so it is"}' }])
  })
})

/** The checksum of RFC 1952. Node has one from version 22 on. */
function crc32(bytes: Uint8Array): number {
  let sum = -1
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return ~sum >>> 0
}
