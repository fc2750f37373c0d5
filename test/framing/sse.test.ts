import { describe, expect, it } from 'vitest'
import type { Frame } from '../../src/core/codec.ts'
import { LimitError } from '../../src/core/errors.ts'
import { decodeSse, encodeSse } from '../../src/framing/text.ts'
import { atRandom, byteByByte, bytesOf, decodeAll, inTwo } from './streams.ts'

const decode = (source: string | readonly number[]) => decodeAll(decodeSse, [bytesOf(source)]).frames
const data = (...values: string[]): Frame[] => values.map((value) => ({ data: value }))

/**
 * The parsing cases of the web platform tests, `eventsource/format-*.any.js`, except for `id` and `retry`, which no format of ours uses.
 */
const webPlatformTests: [string, string, Frame[]][] = [
  ['format-bom', '\ufeffdata:1\n\n\ufeffdata:2\n\ndata:3\n\n', data('1', '3')],
  ['format-bom-2', '\ufeff\ufeffdata:1\n\ndata:2\n\ndata:3\n\n', data('2', '3')],
  [
    'format-comments',
    `data:1\r:\0\n:\r\ndata:2\n:${'x'.repeat(2048)}\rdata:3\n:data:fail\r:${'x'.repeat(2048)}\ndata:4\n\n`,
    data('1\n2\n3\n4'),
  ],
  ['format-data-before-final-empty-line', 'retry:1000\ndata:test1\n\nid:test\ndata:test2', data('test1')],
  ['format-field-data', 'data:\n\ndata\ndata\n\ndata:test\n\n', data('', '\n', 'test')],
  ['format-field-event', 'event:test\ndata:x\n\ndata:x\n\n', [{ event: 'test', data: 'x' }, { data: 'x' }]],
  ['format-field-event-empty', 'event: \ndata:data\n\n', data('data')],
  ['format-field-event-empty, as most servers space it', 'event: \ndata: data\n\n', data('data')],
  ['format-field-id', 'id: 1\ndata: 1\n\ndata: 2\n\n', data('1', '2')],
  ['format-field-id-null', 'id: a\0b\ndata: 1\n\n', data('1')],
  [
    'format-field-parsing',
    'data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:32\ndata:4\n\n',
    data('\0\n 2\n1\n3\n\n4'),
  ],
  ['format-field-retry-bogus', 'retry:3000\nretry:1000x\ndata:x\n\n', data('x')],
  [
    'format-field-unknown',
    'data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\ndata:test\n\n',
    data('test\n\ntest'),
  ],
  ['format-leading-space', 'data:\ttest\rdata: \ndata:test\n\n', data('\ttest\n\ntest')],
  ['format-newlines', 'data:test\r\ndata\ndata:test\r\n\r', data('test\n\ntest')],
  ['format-null-character', 'data:\0\n\n\n\n', data('\0')],
  ['format-utf-8', 'data:ok…\n\n', data('ok…')],
]

/** Streams of these APIs, some changed by proxies. */
const streams: [string, string | readonly number[], Frame[]][] = [
  ['an empty body', '', []],
  [
    'names and data',
    'event: a\ndata: {"n":1}\n\nevent: b\ndata: {"n":2}\n\n',
    [
      { event: 'a', data: '{"n":1}' },
      { event: 'b', data: '{"n":2}' },
    ],
  ],
  [
    'CRLF',
    'event: a\r\ndata: {"n":1}\r\n\r\ndata: [DONE]\r\n\r\n',
    [{ event: 'a', data: '{"n":1}' }, { data: '[DONE]' }],
  ],
  ['CR', 'event: a\rdata: {"n":1}\r\rdata: [DONE]\r\r', [{ event: 'a', data: '{"n":1}' }, { data: '[DONE]' }]],
  ['all line ends in one stream', 'data: 1\n\rdata: 2\r\n\ndata: 3\r\r\ndata: 4\n\n', data('1', '2', '3', '4')],
  ['text of four bytes a character', 'data: {"t":"🦜é漢"}\n\n', data('{"t":"🦜é漢"}')],
  ['a BOM that is data', 'data: \ufeff\n\n', data('\ufeff')],
  [
    'line separators of Unicode, which end no line here',
    'data: a\u2028b\u2029c\u0085d\n\n',
    data('a\u2028b\u2029c\u0085d'),
  ],
  ['heartbeats of OpenRouter', ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\ndata: {}\n\n', data('{}')],
  [
    'a last event without its blank line',
    'event: message_stop\ndata: {"type":"message_stop"}\n',
    [{ event: 'message_stop', data: '{"type":"message_stop"}' }],
  ],
  [
    'a last event without its line end',
    'event: message_stop\ndata: {"type":"message_stop"}',
    [{ event: 'message_stop', data: '{"type":"message_stop"}' }],
  ],
  ['a last "[DONE]" without its line end', 'data: {}\n\ndata: [DONE]', data('{}', '[DONE]')],
  ['half a last event', 'data: {}\n\ndata: {"type":"message_sto', data('{}')],
  ['half a last number, which looks whole', 'data: {}\n\ndata: 12', data('{}')],
  ['a last event cut in a character', [...bytesOf('data: {}\n\ndata: {"t":"'), 0xf0, 0x9f], data('{}')],
  ['a last event cut behind its name', 'data: {}\n\nevent: message_stop', data('{}')],
  ['a last event whose name is cut behind its data', 'data: {"n":1}\nevent: messa', data('{"n":1}')],
  ['several lines of data, cut behind the last', 'data: {"a":\ndata: 1}', data('{"a":\n1}')],
  [
    'a bare error in mid-stream',
    'data: {"n":1}\n\n{"error":{"code":503}}\n',
    data('{"n":1}', '{"error":{"code":503}}'),
  ],
  [
    'a bare error without its line end',
    'data: {"n":1}\n\n{"error":{"code":503}}',
    data('{"n":1}', '{"error":{"code":503}}'),
  ],
  [
    'a bare error over several lines',
    'data: {"n":1}\n\n{\n  "error": {\n    "message": "a } and a \\" {"\n  }\n}\n',
    data('{"n":1}', '{\n  "error": {\n    "message": "a } and a \\" {"\n  }\n}'),
  ],
  ['a bare error with CRLF', 'data: {"n":1}\r\n\r\n{\r\n"error":1\r\n}\r\n', data('{"n":1}', '{\n"error":1\n}')],
  ['a bare error in an array', '[{\n  "error": {"code": 400}\n}\n]\n', data('{\n  "error": {"code": 400}\n}')],
  ['a bare error behind a name', 'event: error\n{"error":1}\n\ndata: {"n":2}\n\n', data('{"error":1}', '{"n":2}')],
  [
    'an event directly after a bare error with a name',
    'event: error\n{"error":1}\ndata: {"n":2}\n\n',
    data('{"error":1}', '{"n":2}'),
  ],
  ['a bare error and then events', '{"error":1}\ndata: {"n":2}\n\n', data('{"error":1}', '{"n":2}')],
  ['half a bare error', 'data: {"n":1}\n\n{"error":{"co', data('{"n":1}')],
  ['what looks like bare JSON, until an event comes', '{ oops\ndata: {"n":1}\n\n', data('{"n":1}')],
  ['what looks like bare JSON, until an event comes, and then bare JSON', '{ oops\n: 1\n{"n":1}\n', data('{"n":1}')],
  ['braces that are not valid JSON', '{oops}\ndata: {"n":1}\n\n', data('{"n":1}')],
  ['a brace inside an event, which is a line that is not a field', 'data: {"n":1}\n{"n":2}\n\n', data('{"n":1}')],
  [
    'a whole body that is one array',
    '[{\n  "a": [{"b": "]["}]\n}\n,\r\n{\n  "a": 2\n}\n]',
    data('{\n  "a": [{"b": "]["}]\n}', '{\n  "a": 2\n}'),
  ],
  ['a whole body that is one array in one line', '[{"a":1},{"a":2}]', data('{"a":1}', '{"a":2}')],
  [
    'a whole body that is one indented array',
    '[\n  {\n    "a": 1\n  },\n  {\n    "a": 2\n  }\n]\n',
    data('{\n    "a": 1\n  }', '{\n    "a": 2\n  }'),
  ],
  ['a page of HTML', '<!doctype html>\n<title>502</title>\n', []],
]

/** The bytes of S9 in the list of security tests, and what WHATWG's decoder makes of them. */
const malformed: [string, number[], string][] = [
  ['a lone continuation byte', [0x80], '\ufffd'],
  ['a byte that is never legal', [0xff], '\ufffd'],
  ['an overlong slash', [0xc0, 0xaf], '\ufffd\ufffd'],
  ['a surrogate', [0xed, 0xa0, 0x80], '\ufffd\ufffd\ufffd'],
  ['a sequence that lacks its last byte', [0xe2, 0x82], '\ufffd'],
]

describe('decodeSse', () => {
  it.each([...webPlatformTests, ...streams])('reads %s', (_, source, frames) => {
    expect(decode(source)).toEqual(frames)
  })

  it.each(malformed)('reads %s as U+FFFD, and the line end after it as one', (_, bytes, text) => {
    expect(decode([...bytesOf('data: a'), ...bytes, ...bytesOf('\n\ndata: b\n\n')])).toEqual(data(`a${text}`, 'b'))
  })

  it.each([...webPlatformTests, ...streams])('reads %s the same in any cut', (_, source, frames) => {
    const bytes = bytesOf(source)
    expect(decodeAll(decodeSse, byteByByte(bytes))).toEqual({ frames })
    for (const chunks of inTwo(bytes)) expect(decodeAll(decodeSse, chunks)).toEqual({ frames })
    for (let seed = 1; seed <= 100; seed++) {
      expect(decodeAll(decodeSse, atRandom(bytes, seed)), `seed ${seed}`).toEqual({ frames })
    }
  })

  it('returns an event as soon as its blank line is there, also where that is a CR', () => {
    const machine = decodeSse()
    const frames: Frame[] = []
    machine.push(bytesOf('data: 1\r\r'), frames)
    expect(frames).toEqual(data('1'))
  })

  it('gives all events of a chunk in one batch', () => {
    const frames: Frame[] = []
    decodeSse().push(bytesOf('data: 1\n\ndata: 2\n\ndata: 3\n\ndata: 4'), frames)
    expect(frames).toEqual(data('1', '2', '3'))
  })

  it('does not need the memory of a chunk after its push, which a runtime may use again', () => {
    const machine = decodeSse()
    const frames: Frame[] = []
    const chunk = bytesOf('data: 12')
    machine.push(chunk, frames)
    chunk.fill(0x78)
    machine.push(bytesOf('3\n\n'), frames)
    expect(frames).toEqual(data('123'))
  })
})

describe('the limit of decodeSse', () => {
  const limited = () => decodeSse({ maxEventBytes: 64 })
  const tooLarge: [string, string][] = [
    ['data of one line', `data: ${'x'.repeat(59)}\n\n`],
    ['data of many lines', 'data: x\n'.repeat(10)],
    ['data of many empty lines', 'data:\n'.repeat(13)],
    ['a name', `event: ${'x'.repeat(58)}\ndata: 1\n\n`],
    ['an id', `id: ${'x'.repeat(61)}\ndata: 1\n\n`],
    ['a comment of one line', `:${'x'.repeat(64)}\n`],
    ['a line without an end', 'x'.repeat(65)],
    ['a line that is not a field', `${'x'.repeat(65)}\n`],
    ['characters of several bytes', `data: ${'é'.repeat(30)}\n\n`],
    ['a bare object', `{"error":\n"${'x'.repeat(60)}"}\n`],
    ['a bare object that never ends', '{\n'.repeat(65)],
  ]

  it.each(tooLarge)('stops at %s, in any cut, and keeps the events before it', (_, source) => {
    const bytes = bytesOf(`data: before\n\n${source}`)
    const runs = [[[bytes], byteByByte(bytes)], [...inTwo(bytes)]].flat()
    for (const chunks of runs) {
      const { frames, error } = decodeAll(limited, chunks)
      expect(frames).toEqual(data('before'))
      expect(error).toBeInstanceOf(LimitError)
      expect(error).toMatchObject({ limit: 'maxEventBytes', max: 64 })
    }
  })

  const largeEnough: [string, string, Frame[]][] = [
    ['an event of just that size', `data: ${'x'.repeat(58)}\n\n`, data('x'.repeat(58))],
    ['characters of several bytes', `data: ${'é'.repeat(29)}\n\n`, data('é'.repeat(29))],
    ['characters of two units', `data: ${'🦜'.repeat(14)}\n\n`, data('🦜'.repeat(14))],
    [
      'an event behind what looked like bare JSON',
      `{${'x'.repeat(40)}\ndata: ${'x'.repeat(40)}\n\n`,
      data('x'.repeat(40)),
    ],
    ['comments behind what looked like bare JSON', `{ oops\n${': ping\n'.repeat(100)}data: 1\n\n`, data('1')],
    ['many events', 'data: 1\n\n'.repeat(100), data(...Array<string>(100).fill('1'))],
    ['comments without end', `${': ping\n'.repeat(100)}data: 1\n\n`, data('1')],
    ['comments inside an event', `data: 1\n${': ping\n'.repeat(100)}\n`, data('1')],
    ['a comment and an event that fit each', `data: ${'x'.repeat(40)}\n:${'x'.repeat(40)}\n\n`, data('x'.repeat(40))],
    ['a bare array whose elements fit', `[${'{"a":1}\n,\n'.repeat(100)}]`, data(...Array<string>(100).fill('{"a":1}'))],
  ]

  it.each(largeEnough)('lets %s pass, in any cut', (_, source, frames) => {
    const bytes = bytesOf(source)
    expect(decodeAll(limited, [bytes])).toEqual({ frames })
    expect(decodeAll(limited, byteByByte(bytes))).toEqual({ frames })
  })

  it('is 8 MiB by default', () => {
    const chunk = new Uint8Array(1024 * 1024).fill(0x78)
    const machine = decodeSse()
    for (let count = 0; count < 8; count++) machine.push(chunk, [])
    expect(() => machine.push(chunk, [])).toThrow('Cannot read the stream: an event is larger than 8388608 bytes')
  })
})

describe('encodeSse', () => {
  it.each<[string, Frame, string]>([
    ['data', { data: '{"n":1}' }, 'data: {"n":1}\n\n'],
    ['a name', { event: 'ping', data: '{}' }, 'event: ping\ndata: {}\n\n'],
    ['data of several lines', { data: 'a\nb\r\nc\rd\n' }, 'data: a\ndata: b\ndata: c\ndata: d\ndata: \n\n'],
    ['nothing', { data: '' }, 'data: \n\n'],
  ])('writes %s', (_, frame, text) => {
    expect(encodeSse(frame)).toBe(text)
  })

  it.each<[Frame]>([
    [{ data: ' a' }],
    [{ data: 'a\n\nb' }],
    [{ data: '' }],
    [{ event: 'x:y', data: '\n' }],
    [{ data: '\0' }],
  ])('writes %j so that it is read as it was', (frame) => {
    expect(decode(encodeSse(frame))).toEqual([frame])
  })

  it.each(['a\nb', 'a\rb', 'a\n\ndata: injected'])('refuses the name %j, which would end its field', (event) => {
    expect(() => encodeSse({ event, data: '' })).toThrow(TypeError)
  })
})
