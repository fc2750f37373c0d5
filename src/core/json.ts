/**
 * Reads JSON values of unknown form.
 *
 * @module
 */

import { DecodeError } from './errors.ts'
import type { Json, JsonObject } from './messages.ts'

/** The table's own entry for a word, or `undefined`. `table['constructor']` would find an inherited function. */
export function lookup<T>(table: Readonly<Record<string, T>>, word: unknown): T | undefined {
  return typeof word === 'string' && Object.hasOwn(table, word) ? table[word] : undefined
}

/** Whether it is an object, and not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a value has a type of JSON Schema. It has each type that isoglot does not know. */
export function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type
    default:
      return true
  }
}

/** An own field of the value; `undefined` if the value is not an object or does not have the field. */
export function field(value: unknown, key: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** An own field that is an object; otherwise an empty object. */
export function objectIn(value: unknown, key: string): JsonObject {
  const found = field(value, key)
  return isObject(found) ? found : {}
}

/** The value, if it is a string. */
export function stringOr<T>(value: unknown, fallback: T): string | T {
  return typeof value === 'string' ? value : fallback
}

/** The value, if it is a string that is not empty. */
export function textOr<T>(value: unknown, fallback: T): string | T {
  return stringOr(value, '') || fallback
}

/** The value, if it is a finite number. */
export function numberOr<T>(value: unknown, fallback: T): number | T {
  return Number.isFinite(value) ? (value as number) : fallback
}

/** The elements, or none if it is not an array. */
export function arrayOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : []
}

/** `Array.prototype.findLastIndex`, which is ES2023. */
export function findLastIndex<T>(list: readonly T[], holds: (element: T) => boolean): number {
  let at = list.length - 1
  while (at >= 0 && !holds(list[at] as T)) at--
  return at
}

/** The object with other values. */
export function mapValues(object: JsonObject, map: (value: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]))
}

/** Sets a field as `JSON.parse` does: assigning to `__proto__` would set the prototype. */
export function setOwn(object: JsonObject, key: string, value: Json): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
}

/** The fields of an object that are not listed: what a codec does not know and keeps. `undefined` if there are none. */
export function otherFields(value: JsonObject, known: Pick<ReadonlySet<string>, 'has'>): JsonObject | undefined {
  let rest: JsonObject | undefined
  for (const key of Object.keys(value)) {
    if (known.has(key)) continue
    rest ??= {}
    setOwn(rest, key, value[key] as Json)
  }
  return rest
}

/** The unknown fields of an entry and of the object in its field `name`, nested as they came. `known` has `name` too. */
export function othersWithin(
  entry: JsonObject,
  known: ReadonlySet<string>,
  name: string,
  knownWithin: ReadonlySet<string>,
): JsonObject | undefined {
  const others = otherFields(entry, known)
  const within = otherFields(objectIn(entry, name), knownWithin)
  return within === undefined ? others : { ...others, [name]: within }
}

/**
 * The value that a reference of a JSON Schema leads to, such as `#/$defs/city`; `undefined` if this document has none.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6901#section-6
 */
export function atPointer(root: unknown, reference: string): unknown {
  const [start, ...steps] = reference.split('/')
  let at = start === '#' ? root : undefined
  try {
    for (const step of steps) {
      const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
      at = Object.hasOwn(at as object, key) ? (at as JsonObject)[key] : undefined
    }
    return at
  } catch {
    return undefined // it goes on below a value without fields, or it is not a URL
  }
}

/** The object or the list, if it is not empty. */
export function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined
}

/** The fields that may be `undefined` become fields that may be absent. */
type Compact<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** A copy without the fields that are `undefined`, so that optional fields can be written in a row. */
export function compact<const T extends object>(value: T): Compact<T> {
  const copy: JsonObject = {}
  for (const key of Object.keys(value)) {
    const found = (value as JsonObject)[key]
    if (found !== undefined) setOwn(copy, key, found)
  }
  return copy as Compact<T>
}

// ---- values that a format says the type of -----------------------------------------------------------

/**
 * The error for JSON that does not follow its format.
 *
 * @param path The place of the value; empty for the whole.
 * @param finding What the value is, such as `not a list`.
 * @param what What is decoded, such as `Gemini request`.
 */
export function decodeErrorAt(path: string, finding: string, what: string, cause?: unknown): DecodeError {
  return new DecodeError(`Cannot decode ${what}: ${path ? `"${path}"` : 'it'} is ${finding}`, compact({ path, cause }))
}

/** The value if it is a string. `undefined` and `null` are an empty string. @throws {DecodeError} for other values. */
export function stringAt(value: unknown, path: string, what: string): string {
  const text = value ?? ''
  if (typeof text === 'string') return text
  throw decodeErrorAt(path, 'not a string', what, value)
}

/** The value if it is a list. `undefined` and `null` are an empty list. @throws {DecodeError} for other values. */
export function listAt(value: unknown, path: string, what: string): readonly Json[] {
  const list = value ?? []
  if (Array.isArray(list)) return list
  throw decodeErrorAt(path, 'not a list', what, value)
}

/** The value if it is an object. @throws {DecodeError} for other values. */
export function objectAt(value: unknown, path: string, what: string): JsonObject {
  if (isObject(value)) return value
  throw decodeErrorAt(path, (value ?? undefined) === undefined ? 'missing' : 'not an object', what, value)
}

/** The whole of a request or an answer. @throws {DecodeError} if it is not an object, or too deep. */
export function bodyOf(value: unknown, what: string): JsonObject {
  const body = objectAt(value, '', what)
  refuseDeep(body, what)
  return body
}

/** Parses the data of an event of a stream. @throws {DecodeError} if it is not JSON, or too deep. */
export function parseEvent(data: string, what: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch (cause) {
    throw decodeErrorAt('', 'not JSON', what, cause)
  }
  if (data.length > 2 * maxDepth) refuseDeep(value, what) // a shorter text cannot be too deep
  return value
}

// ---- halves of characters ---------------------------------------------------------------------------

// Servers refuse a request with a lone surrogate, so they are replaced.

/** JSON text without the escapes of lone surrogates. */
export function wellFormedText(json: string): string {
  if (!/\\ud[89a-f]/.test(json)) return json
  return json.replace(/\\(?:ud[89a-f]..|.)/g, (text) => (text.length > 2 ? '\uFFFD' : text))
}

/** The value with well-formed strings and keys. The same value if all are. */
export function wellFormedJson<T>(value: T): T {
  try {
    const json = JSON.stringify(value)
    const fixed = json === undefined ? json : wellFormedText(json)
    return fixed === json ? value : JSON.parse(fixed)
  } catch {
    return value // it is too deep, or no JSON: who writes it says so
  }
}

// ---- depth --------------------------------------------------------------------------------------

// `JSON.parse` reads any depth, but code that walks the value later, such as `JSON.stringify`, can overflow its stack. So input that is too
// deep is refused when it arrives.

/** Deepest JSON that is read, in levels. Real bodies have some twenty, schemas included; stacks hold some thousands. */
export const maxDepth = 1024

/**
 * Refuses a value that is too deep.
 *
 * @param what What is decoded, such as `Gemini request`.
 * @throws {DecodeError} whose `path` leads towards the depth.
 */
export function refuseDeep(value: unknown, what: string): void {
  const steps = stepsBeyond(value, maxDepth)
  if (steps === undefined) return
  const path = steps.slice(0, 8).join('').replace(/^\./, '')
  throw decodeErrorAt(path, `nested deeper than ${maxDepth} levels`, what)
}

/** The value as JSON, cut after some characters; empty if it is too deep to be written. */
export function shortJson(value: unknown, length: number): string {
  return isNestedDeeper(maxDepth, value) ? '' : (JSON.stringify(value) ?? '').slice(0, length)
}

/** Whether a value has more levels than this. */
export function isNestedDeeper(levels: number, value: unknown): boolean {
  return stepsBeyond(value, levels) !== undefined
}

/** The path to a value that is deeper than the limit, if there is one. The path and the recursion are at most as long as the limit. */
function stepsBeyond(value: unknown, left: number): string[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (left === 0) return []
  const isList = Array.isArray(value)
  const values: readonly unknown[] = isList ? value : Object.values(value)
  for (let at = 0; at < values.length; at++) {
    const steps = stepsBeyond(values[at], left - 1)
    if (steps !== undefined) return [isList ? `[${at}]` : `.${Object.keys(value)[at]}`, ...steps]
  }
  return undefined
}

export const quote = 0x22
export const backslash = 0x5c

/** Whether JSON text has more levels than this. */
export function isDeeperThan(levels: number, text: string): boolean {
  return endOfValue(levels, text, 0) < 0
}

/**
 * The index after the object or list that begins here; the length of the text if it does not end, and -1 if it has more levels. It counts
 * brackets and skips strings.
 */
export function endOfValue(levels: number, text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > levels) return -1
    } else if ((code === 0x7d || code === 0x5d) && --depth === 0) return at + 1
  }
  return text.length
}

/** The index of the quote that ends the string that begins here; the length of the text if the string does not end. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end > 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === backslash) before--
  return (at - before) % 2 === 0
}
