/** Plain JSON, or an error that names the value that is not JSON. @module */
import type { Json } from '../core/messages.ts'

/** The deepest data: deeper data is cyclic or malicious. */
const maxDepth = 512

/**
 * A copy that is JSON and nothing else. Fields that are `undefined` are left out, and what knows its JSON form (a `Date`) takes that.
 *
 * @throws {TypeError} for what JSON cannot say: functions, symbols, bigints, numbers that are not finite, `Map` and the like.
 */
export function plainJson(value: unknown, path: string, depth = 0): Json {
  if (depth > maxDepth) throw new TypeError(`Cannot write "${path}" as JSON: it is deeper than ${maxDepth} levels`)
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (Number.isFinite(value)) return value
      throw notPlain(path, String(value))
    case 'object':
      return value === null ? null : plainObject(value, path, depth)
    default:
      throw notPlain(path, `a ${typeof value}`)
  }
}

function plainObject(value: object, path: string, depth: number): Json {
  if (Array.isArray(value)) return value.map((entry, at) => plainJson(entry ?? null, `${path}[${at}]`, depth + 1))
  if ('toJSON' in value && typeof value.toJSON === 'function') return plainJson(value.toJSON(), path, depth + 1)
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw notPlain(path, `a ${value.constructor.name}`)
  const fields = Object.entries(value).filter(([, entry]) => entry !== undefined)
  return Object.fromEntries(fields.map(([key, entry]) => [key, plainJson(entry, `${path}.${key}`, depth + 1)]))
}

function notPlain(path: string, what: string): TypeError {
  return new TypeError(`Cannot write "${path}" as JSON: it is ${what}`)
}
