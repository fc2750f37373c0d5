/** Whether a growing text is a whole JSON object or array yet, in time linear in the text however often it is asked. @module */

export interface Scan {
  at: number
  depth: number
  inString: boolean
  isEscaped: boolean
}

export function newScan(): Scan {
  return { at: 0, depth: 0, inString: false, isEscaped: false }
}

/** Reads on from where it was, and tells whether every bracket that was opened is closed. Text that opens none is not whole. */
export function isWhole(scan: Scan, text: string): boolean {
  let opened = scan.at > 0
  for (; scan.at < text.length; scan.at++) {
    const char = text[scan.at]
    if (scan.isEscaped) scan.isEscaped = false
    else if (scan.inString) {
      if (char === '\\') scan.isEscaped = true
      else if (char === '"') scan.inString = false
    } else if (char === '"') scan.inString = true
    else if (char === '{' || char === '[') {
      scan.depth++
      opened = true
    } else if (char === '}' || char === ']') scan.depth--
  }
  return opened && scan.depth <= 0 && !scan.inString
}
