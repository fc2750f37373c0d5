/** Ids and names that are legal on a wire, made from those that are not: the same ones every time. @module */

export interface IdRule {
  readonly pattern: RegExp
  readonly maxLength: number
}

/**
 * The id itself where the rule allows it; else what of it is legal and a hash of the whole, so that two ids never become one. The same
 * function serves the call and its result, so that they still belong together.
 */
export function legalId(id: string, rule: IdRule): string {
  if (id.length <= rule.maxLength && rule.pattern.test(id)) return id
  const tail = hash(id)
  const head = id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, Math.max(0, rule.maxLength - tail.length - 1))
  const joined = head === '' ? tail : `${head}_${tail}`
  return rule.pattern.test(joined) ? joined : tail.slice(0, rule.maxLength)
}

/**
 * The number of the next id that we make: one more than the highest after this prefix. A history may be trimmed or put together, so the
 * number of its calls says nothing. Numbers of more than 15 digits are not ours.
 */
export function nextNumber(prefix: string, ids: Iterable<string | undefined>): number {
  let next = 0
  for (const id of ids) {
    if (!id?.startsWith(prefix)) continue
    const digits = id.slice(prefix.length)
    if (/^\d{1,15}$/.test(digits)) next = Math.max(next, Number(digits) + 1)
  }
  return next
}

/** Nine characters of `a-z0-9`, a letter first: legal as an id on every wire. FNV-1a over UTF-16 units, twice. */
export function hash(text: string): string {
  let low = 0x811c9dc5
  let high = 0x01000193
  for (let at = 0; at < text.length; at++) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01000193)
    high = Math.imul(high ^ (text.charCodeAt(at) + at), 0x85ebca6b)
  }
  const digits = (low >>> 0).toString(36).padStart(7, '0') + (high >>> 0).toString(36).padStart(7, '0')
  return `h${digits.slice(-4)}${digits.slice(3, 7)}`
}
