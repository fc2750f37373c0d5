/** Makes legal ids and names from illegal ones, always the same. @module */
import { arrayOf, field } from './json.ts'

export interface IdRule {
  readonly pattern: RegExp
  readonly maxLength: number
}

/**
 * The id itself, if the rule allows it. Otherwise its legal characters and a hash of the whole id, so that two ids never become one. A call
 * and its result use the same function, so they still match.
 */
export function legalId(id: string, { pattern, maxLength }: IdRule): string {
  const isLegal = (one: string) => one.length <= maxLength && pattern.test(one)
  if (isLegal(id)) return id
  const tail = hash(id)
  const head = id.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, Math.max(0, maxLength - tail.length - 1))
  const joined = `${head}_${tail}`
  const plain = joined.replaceAll('-', '_')
  return [joined, plain, `_${plain}`].find(isLegal) ?? tail.slice(0, maxLength)
}

/**
 * The number of the next made id: one more than the highest after this prefix. The number of calls does not help, because a history can be
 * trimmed or joined. Numbers with more than 15 digits are not made ids.
 */
export function nextNumber(prefix: string, ids: Iterable<string | undefined>): number {
  let next = 0
  for (const id of ids) {
    const digits = id?.startsWith(prefix) ? id.slice(prefix.length) : ''
    if (/^\d{1,15}$/.test(digits)) next = Math.max(next, Number(digits) + 1)
  }
  return next
}

/** The ids of calls in a message in the form of OpenAI Chat, which other formats have too: of its own, and of the one that it answers. */
export function callIdsIn(message: unknown): string[] {
  const calls = arrayOf(field(message, 'tool_calls')).map((call) => field(call, 'id'))
  return [...calls, field(message, 'tool_call_id')].filter((id) => typeof id === 'string')
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
