/** Replaces lone surrogates (halves of a character) in text. Servers refuse a request that contains one. @module */
import type { Json } from '../core/model.ts'

/** `String.prototype.toWellFormed`, which Safari before 16.4, Firefox before 119 and Chrome before 111 lack. */
export function wellFormed(text: string): string {
  // With the `u` flag, a pair is one character, so only lone surrogates match.
  return text.replace(/\p{Surrogate}/gu, '\uFFFD')
}

/** Does the same for every string and key of a JSON value. Returns the same value if all text is well-formed. */
export function wellFormedJson<T extends Json>(value: T): T
export function wellFormedJson(value: Json): Json {
  if (typeof value === 'string') return wellFormed(value)
  // JSON text has lone surrogates as escapes.
  const json = JSON.stringify(value)
  if (!/\\ud[89a-f]/.test(json)) return value
  const fixed = json.replace(/\\(?:ud[89a-f]..|.)/g, (text) => (text.length > 2 ? '\uFFFD' : text))
  return fixed === json ? value : JSON.parse(fixed)
}
