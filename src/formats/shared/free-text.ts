/**
 * Tools that take free text, for formats that have only functions: a function with one text, and that text out of the pieces of a call.
 *
 * @module
 */
import type { JsonObject } from '../../core/messages.ts'

/**
 * The parameters of a function that stands for a tool of free text: one text, `input`. A grammar moves into its description, because no
 * function has one.
 */
export function freeTextParameters(syntax: string | undefined, definition: string | undefined): JsonObject {
  const grammar =
    definition === undefined
      ? ''
      : ` It follows this ${syntax === undefined ? '' : `${syntax} `}grammar:\n${definition}`
  const input = { type: 'string', description: `The whole input of the tool, as plain text.${grammar}` }
  return { type: 'object', properties: { input }, required: ['input'], additionalProperties: false }
}

const opening = /^\s*\{\s*"input"\s*:\s*"/
/** In characters. Models write little white space. */
const longestOpening = 64
/** Half of a character that needs two UTF-16 units, or of its two escapes. */
const half = /^(?:[\ud800-\udbff]|\\ud[89ab][\da-f]{2})$/i

/**
 * Reads the text of `input` out of the pieces of a JSON object that begins with it: returns what each piece adds. Returns nothing for any
 * other object, and nothing more from the first mistake on.
 */
export function freeTextReader(): (piece: string) => string {
  let rest = ''
  let place: 'before' | 'inside' | 'after' = 'before'
  return (piece) => {
    if (place === 'after') return ''
    rest += piece
    if (place === 'before') {
      const opened = opening.exec(rest)
      if (opened === null) {
        if (rest.length > longestOpening) place = 'after'
        return ''
      }
      rest = rest.slice(opened[0].length)
      place = 'inside'
    }
    let last = 0
    let end = 0
    while (end < rest.length && rest[end] !== '"') {
      const length = rest[end] !== '\\' ? 1 : rest[end + 1] === 'u' ? 6 : 2
      if (end + length > rest.length) break
      last = end
      end += length
    }
    if (rest[end] === '"') place = 'after'
    else if (half.test(rest.slice(last, end))) end = last
    try {
      const text: string = JSON.parse(`"${rest.slice(0, end)}"`)
      rest = rest.slice(end)
      return text
    } catch {
      place = 'after'
      return ''
    }
  }
}
