/** Arguments that stream as values with paths. */
import { describe, expect, it } from 'vitest'
import { newPartialCall } from '../../../src/formats/gemini/decode-answer.ts'
import { decodeToolCalls } from '../../../src/formats/gemini/index.ts'

const put = (...pieces: object[]) => {
  const call = newPartialCall('key')
  for (const piece of pieces) call.add([piece] as never)
  return call.end(true)
}

describe('values with paths', () => {
  it('are put where their paths say', () => {
    expect(
      put(
        { jsonPath: '$.a', stringValue: 'x' },
        { jsonPath: '$.b.c', numberValue: 1.5 },
        { jsonPath: "$.b['d e']", boolValue: false },
        { jsonPath: '$.list[0]', stringValue: 'one' },
        { jsonPath: '$.list[1].deep[0]', nullValue: 'NULL_VALUE' },
        { jsonPath: '$["__proto__"].x', stringValue: 'own' },
      ),
    ).toEqual(JSON.parse('{"a":"x","b":{"c":1.5,"d e":false},"list":["one",{"deep":[null]}],"__proto__":{"x":"own"}}'))
  })
  it('of a string that continues are joined, and replaced if it does not continue', () => {
    expect(
      put(
        { jsonPath: '$.a', stringValue: 'Bos', willContinue: true },
        { jsonPath: '$.a', stringValue: 'ton', willContinue: true },
        { jsonPath: '$.a', stringValue: '' },
        { jsonPath: '$.b', stringValue: 'x' },
        { jsonPath: '$.b', stringValue: 'y' },
      ),
    ).toEqual({ a: 'Boston', b: 'y' })
  })
  it.each([
    { jsonPath: '$.a[4294967294]', stringValue: 'x' }, // a gap of gigabytes
    { jsonPath: '$.a[1]', stringValue: 'x' },
    { jsonPath: 'a', stringValue: 'x' },
    { jsonPath: '$', stringValue: 'x' },
    { jsonPath: '$..a', stringValue: 'x' },
    { jsonPath: `$${'.a'.repeat(65)}`, stringValue: 'x' },
    { jsonPath: 7, stringValue: 'x' },
  ])('that have no place make the call none: %j', (piece) => {
    expect(put({ jsonPath: '$.ok', stringValue: 'x' }, piece)).toBe(JSON.stringify([piece]))
  })
})

describe('a call whose arguments come in pieces', () => {
  const calls = (...functionCalls: object[]) =>
    decodeToolCalls({ candidates: [{ content: { parts: functionCalls.map((functionCall) => ({ functionCall })) } }] })
  const piece = (stringValue: string, willContinue: boolean) => ({
    partialArgs: [{ jsonPath: '$.city', stringValue, willContinue: true }],
    willContinue,
  })
  it('is invalid if the answer ends before, and never a call without arguments', () => {
    expect(calls({ name: 'f', willContinue: true })).toMatchObject({
      toolCalls: [],
      invalidToolCalls: [{ name: 'f', argumentsText: '{', reason: 'malformed_json' }],
    })
  })
  it('is invalid if another begins before it is whole', () => {
    expect(calls({ name: 'f', willContinue: true }, piece('Ro', true), { name: 'g', args: {} })).toMatchObject({
      toolCalls: [{ name: 'g', index: 1 }],
      invalidToolCalls: [{ name: 'f', argumentsText: '{"city":"Ro"', index: 0 }],
    })
  })
})
