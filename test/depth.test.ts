import { describe, expect, it } from 'vitest'
import { DecodeError } from '../src/core/errors.ts'
import { maxDepth, refuseDeep, refuseDeepText, shortJson } from '../src/core/json.ts'

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

describe('depth', () => {
  it('lets through what is just deep enough, and refuses one level more', () => {
    expect(() => refuseDeep(JSON.parse(nested(maxDepth)), 'Cannot read')).not.toThrow()
    expect(() => refuseDeep(JSON.parse(nested(maxDepth + 1)), 'Cannot read')).toThrow(DecodeError)
    expect(() => refuseDeepText(nested(maxDepth), 'Cannot read')).not.toThrow()
    expect(() => refuseDeepText(nested(maxDepth + 1), 'Cannot read')).toThrow(DecodeError)
  })

  it('says the way to it', () => {
    const value = { a: [1, { 'b c': JSON.parse(nested(5_000)) }] }
    const error = expect.objectContaining({ path: 'a[1].b c[0][0][0][0][0]' })
    expect(() => refuseDeep(value, 'Cannot read')).toThrow(error)
  })

  it('survives any depth', () => {
    expect(() => refuseDeepText(nested(1_000_000), 'Cannot read')).toThrow(DecodeError)
    expect(shortJson(JSON.parse(nested(100_000)), 10)).toBe('')
    expect(shortJson({ a: 1 }, 4)).toBe('{"a"')
    expect(shortJson(undefined, 4)).toBe('')
  })

  it('takes no bracket in a string for one, whatever is escaped in it', () => {
    const brackets = '['.repeat(5_000)
    for (const text of [brackets, `\\${brackets}`, `"${brackets}`, `\\"${brackets}\\\\`]) {
      expect(() => refuseDeepText(JSON.stringify({ text }), 'Cannot read')).not.toThrow()
    }
    expect(() => refuseDeepText(`{"a\\\\":${nested(3_000)}}`, 'Cannot read')).toThrow(DecodeError)
  })

  it('leaves text that is not valid JSON to who reads it', () => {
    expect(() => refuseDeepText('['.repeat(5_000), 'Cannot read')).not.toThrow()
  })
})
