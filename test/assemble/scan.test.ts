import { describe, expect, it } from 'vitest'
import { isWhole, newScan, scanPiece } from '../../src/assemble/scan.ts'

describe('isWhole', () => {
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
  ])('of the pieces %j is %s', (pieces, whole) => {
    const scan = newScan()
    for (const piece of pieces) scanPiece(scan, piece)
    expect(isWhole(scan)).toBe(whole)
  })
})
