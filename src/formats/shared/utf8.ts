/** Converts offsets in a text: some formats count UTF-8 bytes, and isoglot counts UTF-16 units. @module */

/**
 * How long a text is in bytes and in units, without the text: only the places where the number of bytes per unit changes. A pair of surrogates
 * makes its four bytes wherever a chunk is cut.
 */
export interface Lengths {
  units: number
  bytes: number
  readonly turns: Turn[]
}
interface Turn {
  readonly units: number
  readonly bytes: number
  /** Bytes of each unit from here on. */
  readonly width: number
}

export function newLengths(): Lengths {
  return { units: 0, bytes: 0, turns: [] }
}

/** Adds a text, one run of units of the same width at a time. */
export function countText(lengths: Lengths, text: string): void {
  let start = 0
  while (start < text.length) {
    const width = widthOf(text.charCodeAt(start))
    let end = start + 1
    while (end < text.length && widthOf(text.charCodeAt(end)) === width) end++
    advance(lengths, width, end - start)
    start = end
  }
}

/** How many bytes of UTF-8 a unit takes. A surrogate takes two, so that a pair takes four. */
export function widthOf(unit: number): number {
  if (unit < 0x80) return 1
  if (unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff)) return 2
  return 3
}

function advance(lengths: Lengths, width: number, units: number): void {
  if (lengths.turns.at(-1)?.width !== width) {
    lengths.turns.push({ units: lengths.units, bytes: lengths.bytes, width })
  }
  lengths.units += units
  lengths.bytes += units * width
}

/** The unit at a byte; inside a character, its beginning. */
export function unitsAt(lengths: Lengths, byte: number): number {
  let low = 0
  let high = lengths.turns.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((lengths.turns[middle]?.bytes ?? 0) <= byte) low = middle
    else high = middle - 1
  }
  const turn = lengths.turns[low]
  if (turn === undefined) return 0
  return Math.min(lengths.units, turn.units + Math.floor((byte - turn.bytes) / turn.width))
}

/** How long a text is in UTF-8, in bytes. */
export function byteLength(text: string): number {
  return /[^\0-\x7f]/.test(text) ? new TextEncoder().encode(text).length : text.length
}
