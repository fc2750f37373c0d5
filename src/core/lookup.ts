/** Reads values of unknown shape: only own properties, and without exceptions. @module */
import type { Json, JsonObject } from './model.ts'

/** The table's own entry for a word, or `undefined`. `table['constructor']` would find an inherited function. */
export function lookup<T>(table: Readonly<Record<string, T>>, word: unknown): T | undefined {
  return typeof word === 'string' && Object.hasOwn(table, word) ? table[word] : undefined
}

/** Whether it is an object, and not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
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

/** The object or the list, if it is not empty. */
export function unlessEmpty<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined
}

/** The fields that may be `undefined` become fields that may be absent. */
export type Compact<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
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
