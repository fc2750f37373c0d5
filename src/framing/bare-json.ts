/**
 * Reads bare JSON: JSON in an event stream without `data:`. For example, Gemini can send an error in this form in the middle of an
 * answer. A complete answer is one JSON array if the request did not ask for events.
 *
 * @see https://github.com/googleapis/js-genai/blob/main/src/_api_client.ts whose reader checks each chunk for such an error
 *
 * @module
 */
import type { Frame } from '../core/codec.ts'
import { isWholeJson } from './lines.ts'

export interface BareJson {
  /** Reads text, appends the objects that end in it to `out`, and returns whether an object is still open. */
  push(text: string, out: Frame[]): boolean
  /** Drops an incomplete object. */
  reset(): void
}

/** Finds each object by its braces. Ignores text between objects. Drops an object that is not valid JSON. */
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

  /** Reads on in the open object. Returns the index of its end; `undefined` if it does not end in this text. */
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
