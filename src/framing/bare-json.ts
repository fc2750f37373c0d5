/**
 * JSON that stands in an event stream without `data:`, such as the error that Gemini sends in the middle of an answer, or an answer
 * that is one JSON array because the request did not ask for events.
 *
 * @see https://github.com/googleapis/js-genai/blob/main/src/_api_client.ts whose reader looks for such an error in each chunk
 *
 * @module
 */
import type { Frame } from '../core/codec.ts'
import { isWholeJson } from './lines.ts'

export interface BareJson {
  /** Takes text, appends the objects that end in it to `out`, and returns whether one is still open. */
  push(text: string, out: Frame[]): boolean
  /** Forgets an object that has begun. */
  reset(): void
}

/** Finds objects by their braces, each as it ends. Text between them is ignored. An object that is not valid JSON is dropped. */
export function readBareJson(): BareJson {
  let pieces: string[] = []
  let depth = 0
  let inString = false
  let isEscaped = false

  function reset(): void {
    pieces = []
    depth = 0
    inString = false
    isEscaped = false
  }

  /** Goes on in the object that is open, and returns where it ends, if it does. */
  function findEnd(text: string, from: number): number | undefined {
    for (let at = from; at < text.length; at++) {
      const char = text[at]
      if (isEscaped) isEscaped = false
      else if (inString) {
        if (char === '\\') isEscaped = true
        else if (char === '"') inString = false
      } else if (char === '"') inString = true
      else if (char === '{') depth++
      else if (char === '}' && --depth === 0) return at + 1
    }
    return undefined
  }

  return {
    reset,
    push(text, out) {
      let at = depth > 0 ? 0 : text.indexOf('{')
      while (at >= 0) {
        const end = findEnd(text, at)
        pieces.push(text.slice(at, end))
        if (end === undefined) return true
        const data = pieces.join('')
        reset()
        if (isWholeJson(data)) out.push({ data })
        at = text.indexOf('{', end)
      }
      return false
    },
  }
}
