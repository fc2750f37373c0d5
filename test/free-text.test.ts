/** The free text of a call, out of pieces of the JSON in which a model writes it. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { freeTextParameters, freeTextReader } from '../src/formats/shared/free-text.ts'

/** JSON of a text, with some of its characters as escapes, as models write them. */
const written = fc
  .tuple(fc.string({ unit: 'binary', maxLength: 40 }), fc.infiniteStream(fc.boolean()))
  .map(([text, escaped]): [string, string] => {
    const units = [...text].flatMap((char) => {
      const isEscaped = escaped.next().value
      const codes = char.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      return isEscaped ? codes : JSON.stringify(char).slice(1, -1)
    })
    return [text, `${units.join('')}`]
  })

it('is the text, however it is written and cut, and no piece has half a character', () => {
  fc.assert(
    fc.property(
      written,
      fc.constantFrom('{"input":"', ' {\n  "input" : "'),
      fc.constantFrom('"}', '"\n}', '","more":"x\\"}"}'),
      fc.array(fc.nat(60)),
      ([text, json], begin, end, cuts) => {
        const whole = begin + json + end
        expect(JSON.parse(whole).input).toBe(text)
        const places = [0, ...cuts.map((at) => at % whole.length).sort((a, b) => a - b), whole.length]
        const read = freeTextReader()
        const pieces = places.slice(1).map((at, index) => read(whole.slice(places[index], at)))
        expect(pieces.join('')).toBe(text)
        for (const piece of pieces) if (text.isWellFormed()) expect(piece.isWellFormed()).toBe(true)
      },
    ),
    { numRuns: 300 },
  )
})

it.each([
  ['another object', ['{"patch":"x","input":"y"}']],
  ['no object', ['"input"']],
  ['a list', ['["input","x"]']],
  ['an input that is no text', ['{"input":{"a":"b"}}']],
  ['white space without end', [' '.repeat(70), '{"input":"x"}']],
])('is nothing of %s', (_, pieces) => {
  const read = freeTextReader()
  expect(pieces.map(read).join('')).toBe('')
})

it('ends at the first mistake: a line end as it is, or an escape that JSON does not have', () => {
  for (const wrong of ['\n', '\\x', '\\u12zz']) {
    const read = freeTextReader()
    expect(['{"input":"ab', `cd${wrong}`, 'ef"}'].map(read)).toEqual(['ab', '', ''])
  }
})

it('reads 200,000 characters in pieces in linear time', () => {
  const read = freeTextReader()
  read('{"input":"')
  let length = 0
  for (let at = 0; at < 20_000; at++) length += read('0123456789').length
  expect(length).toBe(200_000)
  const other = freeTextReader()
  for (let at = 0; at < 20_000; at++) expect(other('0123456789')).toBe('')
})

it('is the only parameter of its function, whose description has the grammar', () => {
  expect(freeTextParameters('lark', 'start: "a"')).toEqual({
    type: 'object',
    properties: { input: { type: 'string', description: expect.stringMatching(/lark grammar:\nstart: "a"$/) } },
    required: ['input'],
    additionalProperties: false,
  })
  expect(JSON.stringify(freeTextParameters(undefined, undefined))).not.toContain('grammar')
})
