/** Replaces lone surrogates (halves of a character) in text. Servers refuse a request that contains one. @module */
import type { Json } from '../core/model.ts'

/** With the `u` flag, a pair is one character, so only lone surrogates match. */
const loneSurrogate = /\p{Surrogate}/gu

/** `String.prototype.toWellFormed`, which Safari before 16.4, Firefox before 119 and Chrome before 111 lack. */
export function wellFormed(text: string): string {
  return text.replace(loneSurrogate, '\uFFFD')
}

/** Does the same for every string and key of a JSON value. Returns the same value if all text is well-formed. */
export function wellFormedJson<T extends Json>(value: T): T
export function wellFormedJson(value: Json): Json {
  if (typeof value === 'string') return wellFormed(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const copy = value.map((entry) => wellFormedJson(entry))
    return copy.every((entry, at) => entry === value[at]) ? value : copy
  }
  let isSame = true
  const entries = Object.entries(value).map(([key, entry]): [string, Json] => {
    const fixed: [string, Json] = [wellFormed(key), wellFormedJson(entry)]
    if (fixed[0] !== key || fixed[1] !== entry) isSame = false
    return fixed
  })
  return isSame ? value : Object.fromEntries(entries)
}
