import { describe, expect, it } from 'vitest'
import { scanPiece } from '../../src/assemble/assemble.ts'

describe('scanPiece', () => {
  it.each<[string[], boolean]>([
    [['{}'], true],
    [['{"a":', '[1,{}]', '}'], true],
    [['[', ']'], true],
    [['{"a":"}'], false],
    [['{"a":"}', '"}'], true],
    [['{"a":"\\', '"}'], false],
    [['{"a":"\\', '\\"}'], true],
    [['{"a":{}'], false],
    [[''], false],
    [['  ', ' '], false],
    [['"{}"'], false],
    [['12'], false],
  ])('of the pieces %j finds a whole: %s', (pieces, whole) => {
    const scan = { depth: 0, inString: false, isEscaped: false, isWhole: false }
    for (const piece of pieces) scanPiece(scan, piece)
    expect(scan.isWhole).toBe(whole)
  })
})
