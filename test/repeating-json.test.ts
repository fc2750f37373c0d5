import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeatingJson } from '../src/gateway/repeating-json.ts'
import { isExhaustive } from './support/cuts.ts'

/** Reads texts in a row. Each must read as `JSON.parse` reads it, or fail in the same way. */
function expectSame(texts: readonly string[]): void {
  const parse = repeatingJson()
  for (const text of texts) {
    const outcome = (read: (text: string) => unknown) => {
      try {
        return { value: read(text) }
      } catch (error) {
        return { error: String(error) }
      }
    }
    const expected = outcome(JSON.parse)
    const actual = outcome(parse)
    expect(actual).toStrictEqual(expected)
    expect(JSON.stringify(actual)).toBe(JSON.stringify(expected)) // the order of keys, and `__proto__`
  }
}

const event = (text: string, at: number) => `{"type":"delta","at":${at},"delta":{"text":"${text}"}}`
/** Enough events of one form for a template to be learnt. */
const warmUp = Array.from({ length: 40 }, (_, at) => event(`piece ${at}`, at))

describe('JSON that repeats itself', () => {
  it.each([
    ['every escape', '\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u00e9 \\ud83d\\ude00 \\ud800'],
    ['an escape at the end', 'text\\\\'],
    ['an escaped quote at the end', 'text\\"'],
    ['a quote that ends the string early', 'text","other":"'],
    ['an escape that is none', '\\x'],
    ['an escape that is cut', '\\u12'],
    ['a raw line end', 'a\nb'],
    ['a raw NUL', '\0'],
    ['characters that JSON allows raw', '\u2028 \u007f é 😀 \ud800'],
    ['nothing', ''],
    ['a long text', 'long '.repeat(200)],
    ['a very long text', 'long '.repeat(20_000)],
  ])('reads %s in a string that changes as JSON.parse does', (_, text) => {
    expectSame([...warmUp, event(text, 7), event('again', 8)])
  })

  it.each([
    '0',
    '-1',
    '01',
    '1.5',
    '1e3',
    '9007199254740993',
    '123456789012345',
    '1234567890123456',
    '',
    '"1"',
    'null',
  ])('reads %s in the place of a number that changes as JSON.parse does', (number) => {
    expectSame([...warmUp, event('x', 0).replace('"at":0', `"at":${number}`), event('again', 8)])
  })

  it.each([
    ['white space between the brackets at the end', '{"type":"delta","at":3,"delta":{"text":"x"}   }'],
    ['white space behind it', '{"type":"delta","at":3,"delta":{"text":"x"}} \n\t'],
    ['another space behind it', '{"type":"delta","at":3,"delta":{"text":"x"}}\u00a0'],
    ['a bracket too few', '{"type":"delta","at":3,"delta":{"text":"x"}'],
    ['a bracket too many', '{"type":"delta","at":3,"delta":{"text":"x"}}}'],
    ['something behind it', '{"type":"delta","at":3,"delta":{"text":"x"}},'],
    ['a field more', '{"type":"delta","at":3,"delta":{"text":"x","more":1}}'],
    ['a key twice', '{"type":"delta","at":3,"delta":{"text":"x"},"at":4}'],
    ['a key that every object inherits', '{"type":"delta","at":3,"delta":{"text":"x"},"__proto__":{"text":"y"}}'],
    ['white space before a quote', '{"type":"delta","at":3,"delta":{"text":" "}}'],
  ])('reads an event with %s as JSON.parse does', (_, odd) => {
    expectSame([...warmUp, odd, event('again', 8), odd, odd])
  })

  it('reads events with a key twice, or with inherited keys, as JSON.parse does', () => {
    const twice = (text: string) => `{"a":"${text}","b":{"a":"x"},"a":"${text}${text}"}`
    const inherited = (text: string) => `{"__proto__":{"a":"${text}"},"constructor":"${text}"}`
    for (const write of [twice, inherited]) expectSame(Array.from({ length: 80 }, (_, at) => write(`v${at}`)))
  })

  it('reads any events of one form, in any spacing, as JSON.parse does', () => {
    const leaf = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.double(), fc.constantFrom('', '"', '\\', '}'))
    const text = fc
      .tuple(leaf, leaf, leaf)
      .chain(([a, b, c]) =>
        fc.constantFrom(
          JSON.stringify({ kind: 'x', a, list: [{ b }, 'same'], c }),
          JSON.stringify({ kind: 'x', a, list: [{ b }, 'same'], c }, undefined, 1),
          `${JSON.stringify({ kind: 'x', a, list: [{ b }, 'same'], c })}  `,
          JSON.stringify({ kind: 'x', a: 'same', list: [{ b: 'same' }, 'same'], c }),
        ),
      )
    fc.assert(
      fc.property(fc.array(text, { minLength: 40, maxLength: 80 }), (texts) => expectSame(texts)),
      { seed: 6, numRuns: isExhaustive ? 200 : 60 },
    )
  })

  it('gives each event an object of its own, so that one that is kept does not change', () => {
    const parse = repeatingJson()
    const kept = warmUp.map((text) => parse(text))
    expect(kept).toEqual(warmUp.map((text) => JSON.parse(text)))
  })
})
