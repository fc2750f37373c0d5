import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { liveArguments } from '../../src/assemble/live-arguments.ts'
import { isExhaustive } from '../support/cuts.ts'

/** The view after each of the pieces. */
function views(...pieces: string[]): unknown[] {
  const live = liveArguments()
  return pieces.map((piece) => structuredClone(live.push(piece)))
}

/** The view of a text that came in pieces of a length. */
function viewOf(text: string, length = 1): unknown {
  const live = liveArguments()
  let view: unknown = live.push('')
  for (let at = 0; at < text.length; at += length) view = live.push(text.slice(at, at + length))
  return view
}

describe('liveArguments', () => {
  it.each<[string, pieces: string, views: unknown[]]>([
    ['strings grow', '{"city":"|To|kyo"}', [{ city: '' }, { city: 'To' }, { city: 'Tokyo' }]],
    ['a key shows with its value', '{"ci|ty"|:|"', [{}, {}, {}, { city: '' }]],
    ['a number shows once it is sure', '{"n":1|2|.5|,', [{}, {}, {}, { n: 12.5 }]],
    ['words show once they are sure', '{"a":tru|e|,"b":null}', [{}, {}, { a: true, b: null }]],
    [
      'containers show at once',
      '{"a":[|{|"b":[1,|]}]}',
      [{ a: [] }, { a: [{}] }, { a: [{ b: [1] }] }, { a: [{ b: [1] }] }],
    ],
    ['strings in arrays grow', '{"a":["x|y","|z', [{ a: ['x'] }, { a: ['xy', ''] }, { a: ['xy', 'z'] }]],
    ['an escape shows once it is whole', '{"a":"x\\|u00|e9|\\n"', [{ a: 'x' }, { a: 'x' }, { a: 'xé' }, { a: 'xé\n' }]],
    ['an escape in a key may be cut', '{"\\u00|e9":1}', [{}, { é: 1 }]],
    ['a key that comes again has its last value', '{"a":1,"a":|2}', [{ a: 1 }, { a: 2 }]],
    ['white space counts for nothing', ' {\n"a"\t: [ 1 ,| 2 ] \r\n} ', [{ a: [1] }, { a: [1, 2] }]],
  ])('%s', (_, pieces, seen) => {
    expect(views(...pieces.split('|'))).toEqual(seen)
  })

  it.each<[string, string, unknown]>([
    ['no object', '[1,2]', {}],
    ['a number alone', '12 ', {}],
    ['no JSON', 'oops', {}],
    ['a key without quotes', '{"a":1,b:2}', { a: 1 }],
    ['a missing colon', '{"a" 1}', {}],
    ['a missing value', '{"a":}', {}],
    ['a comma before the end', '{"a":1,}', { a: 1 }],
    ['a comma before the end of an array', '{"a":[1,],"b":2}', { a: [1] }],
    ['brackets that do not match', '{"a":[1},"b":2}', { a: [1] }],
    ['a leading zero', '{"a":01,"b":2}', {}],
    ['half a number', '{"a":1.,"b":2}', {}],
    ['a word that JSON does not have', '{"a":NaN,"b":2}', {}],
    ['single quotes', "{'a':1}", {}],
    ['an escape that JSON does not have', '{"a":"x\\qy","b":2}', { a: 'x' }],
    ['half a code point escape', '{"a":"x\\u12","b":2}', { a: 'x' }],
    ['a line end in a string', '{"a":"x\ny","b":2}', { a: 'x' }],
    ['a line end in a key', '{"a":1,"x\ny":2}', { a: 1 }],
    ['something behind the end', '{"a":1}{"b":2}', { a: 1 }],
  ])('stops at %s, and keeps the part before', (_, text, view) => {
    expect(viewOf(text)).toEqual(view)
    expect(viewOf(text, text.length)).toEqual(view)
  })

  it('follows 64 levels and no more, as the parser of whole arguments does', () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels - 1)}{"b":1}${'}'.repeat(levels - 1)}`
    expect(viewOf(nested(64))).toEqual(JSON.parse(nested(64)))
    expect(JSON.stringify(viewOf(nested(65)))).toBe(`${'{"a":'.repeat(64)}{}${'}'.repeat(64)}`)
  })

  it('survives a depth of 100,000', () => {
    expect(() => viewOf(`{"a":${'['.repeat(100_000)}`, 1000)).not.toThrow()
  })

  it.each([
    '{"__proto__":{"polluted":true},"b":1}',
    '{"\\u005f_proto__":"text","b":1}',
    '{"a":{"__proto__":[1],"b":1}}',
  ])('treats the key __proto__ like any other key, in %s', (text) => {
    const view = viewOf(text)
    expect(JSON.stringify(view)).toBe(JSON.stringify(JSON.parse(text)))
    expect(Object.getPrototypeOf(view)).toBe(Object.prototype)
    expect({}).not.toHaveProperty('polluted')
  })

  it('returns the same object each time, since a copy for each piece would take time that grows with its size', () => {
    const live = liveArguments()
    expect(live.push('{"a":1,')).toBe(live.push('"b":2}'))
  })

  it('ends as JSON.parse does, for any object in any pieces', () => {
    const value = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 6 }))
    const spaces = fc.constantFrom(undefined, 1, '\t')
    fc.assert(
      fc.property(value, spaces, fc.integer({ min: 1, max: 20 }), (object, indent, length) => {
        const text = JSON.stringify(object, undefined, indent)
        expect(JSON.stringify(viewOf(text, length))).toBe(JSON.stringify(JSON.parse(text)))
      }),
      { seed: 20_261, numRuns: isExhaustive ? 500 : 150 },
    )
  })

  it('never throws and never removes a part, for any text', () => {
    const piece = fc.constantFrom(
      ...['{', '}', '[', ']', ':', ',', '"', '"a"', '\\', '\\u', '1'],
      ...['-', '.5', 'e', 'true', 'nul', ' ', '\n', 'é', '\0'],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const inPieces = views('', ...pieces).at(-1)
        expect(inPieces).toEqual(viewOf(pieces.join('')))
        expect(inPieces).toEqual(views(pieces.join('')).at(-1))
      }),
      { seed: 20_262, numRuns: isExhaustive ? 2000 : 600 },
    )
  })
})

/** How many characters are looked at, cut out or parsed while a text is pushed in pieces of four. */
function workOf(text: string): number {
  const { charCodeAt, charAt, slice } = String.prototype
  const { parse } = JSON
  let work = 0
  const live = liveArguments()
  try {
    String.prototype.charCodeAt = function (at) {
      work++
      return charCodeAt.call(this, at)
    }
    String.prototype.charAt = function (at) {
      work++
      return charAt.call(this, at)
    }
    String.prototype.slice = function (from, to) {
      const part = slice.call(this, from, to)
      work += part.length
      return part
    }
    JSON.parse = (whole: string) => {
      work += whole.length
      return parse(whole)
    }
    for (let at = 0; at < text.length; at += 4) live.push(slice.call(text, at, at + 4))
  } finally {
    Object.assign(String.prototype, { charCodeAt, charAt, slice })
    JSON.parse = parse
  }
  return work
}

describe('the cost of the view', () => {
  it.each<[string, (count: number) => string]>([
    ['one long string', (count) => `{"a":"${'x'.repeat(count)}`],
    ['one long string of escapes', (count) => `{"a":"${'\\n'.repeat(count)}`],
    ['many keys', (count) => `{${Array.from({ length: count }, (_, at) => `"k${at % 10}":1`).join()}`],
    ['a long array', (count) => `{"a":[${'1,'.repeat(count)}`],
    ['one long number', (count) => `{"a":1${'0'.repeat(count)}`],
    ['one long key', (count) => `{"${'x'.repeat(count)}`],
  ])('is linear in the length of the text, for %s', (_, make) => {
    const [small, large] = [make(2000), make(4000)]
    expect(workOf(small)).toBeGreaterThan(small.length / 2)
    expect(workOf(large) / workOf(small)).toBeLessThan(2.1)
    expect(workOf(large)).toBeLessThan(6 * large.length)
  })
})
