/**
 * Whether a growing text is a whole JSON object or array yet. Each piece is read once and the text never, since reading it would first
 * have to join its pieces.
 *
 * @module
 */

export interface Scan {
  depth: number
  inString: boolean
  isEscaped: boolean
  /** Whether every bracket that was opened is closed. Text that opens none is not whole. */
  isWhole: boolean
}

const quote = 0x22
const backslash = 0x5c

/** Reads the next piece. */
export function scanPiece(scan: Scan, piece: string): void {
  let { depth, inString, isEscaped } = scan
  for (let at = 0; at < piece.length; at++) {
    const unit = piece.charCodeAt(at)
    if (isEscaped) isEscaped = false
    else if (unit === quote) inString = !inString
    else if (inString) {
      if (unit === backslash) isEscaped = true
    } else if (unit === 0x7b || unit === 0x5b) {
      depth++
      scan.isWhole = false
    } else if ((unit === 0x7d || unit === 0x5d) && depth > 0) scan.isWhole = --depth === 0
  }
  scan.depth = depth
  scan.inString = inString
  scan.isEscaped = isEscaped
}
