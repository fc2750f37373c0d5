/**
 * Whether a growing text is a whole JSON object or array yet. Each piece is read once and the text never, since reading it would first
 * have to join its pieces.
 *
 * @module
 */

export interface Scan {
  depth: number
  hasOpened: boolean
  inString: boolean
  isEscaped: boolean
}

export function newScan(): Scan {
  return { depth: 0, hasOpened: false, inString: false, isEscaped: false }
}

/** Reads the next piece. */
export function scanPiece(scan: Scan, piece: string): void {
  for (let at = 0; at < piece.length; at++) {
    const char = piece[at]
    if (scan.isEscaped) scan.isEscaped = false
    else if (scan.inString) {
      if (char === '\\') scan.isEscaped = true
      else if (char === '"') scan.inString = false
    } else if (char === '"') scan.inString = true
    else if (char === '{' || char === '[') {
      scan.depth++
      scan.hasOpened = true
    } else if (char === '}' || char === ']') scan.depth--
  }
}

/** Whether every bracket that was opened is closed. Text that opens none is not whole. */
export function isWhole(scan: Scan): boolean {
  return scan.hasOpened && scan.depth <= 0 && !scan.inString
}
