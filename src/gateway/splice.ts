/** Changes fields of a JSON object in its text, so that all other bytes stay the same: numbers, order, white space. @module */
import { endOfString } from '../core/json.ts'

/**
 * The object with fields set at its top level. The values of `fields` are JSON. If the object has a field several times, each is set, so
 * that every reader finds the new value.
 *
 * @param text The text of an object: it has been parsed already.
 */
export function withFields(text: string, fields: Readonly<Record<string, string>>): string {
  const missing = new Map(Object.entries(fields))
  const pieces: string[] = []
  let from = 0
  let isEmpty = true
  for (const { key, start, end } of membersOf(text)) {
    isEmpty = false
    if (!Object.hasOwn(fields, key)) continue
    pieces.push(text.slice(from, start), fields[key] as string)
    from = end
    missing.delete(key)
  }
  if (missing.size === 0) return pieces.join('') + text.slice(from)
  const close = text.lastIndexOf('}')
  const added = [...missing].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')
  return `${pieces.join('')}${text.slice(from, close)}${isEmpty ? '' : ','}${added}${text.slice(close)}`
}

interface Member {
  readonly key: string
  /** The start and the end of its value. */
  readonly start: number
  readonly end: number
}

function* membersOf(text: string): Generator<Member> {
  let at = skipSpace(text, text.indexOf('{') + 1)
  while (at < text.length && text[at] !== '}') {
    const keyEnd = endOfString(text, at) + 1
    const key = JSON.parse(text.slice(at, keyEnd)) as string
    const start = skipSpace(text, text.indexOf(':', keyEnd) + 1)
    const end = endOfField(text, start)
    yield { key, start, end }
    at = skipSpace(text, end)
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}

function endOfField(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; ) {
    const char = text[at]
    if (char === '"') {
      at = endOfString(text, at) + 1
      if (depth === 0) return at
      continue
    }
    if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') {
      if (depth === 0) return at // the end of the outer object or array: a number or word ended before it
      if (--depth === 0) return at + 1
    } else if (depth === 0 && (char === ',' || text.charCodeAt(at) <= 0x20)) return at
    at++
  }
  return text.length
}
