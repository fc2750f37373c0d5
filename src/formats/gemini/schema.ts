/**
 * Gemini: reads schemas of the older fields, which have a subset of OpenAPI 3.0, as JSON Schema.
 *
 * @see https://ai.google.dev/api/caching#Schema (read 2026-11)
 *
 * @module
 */

import { maxArgumentsDepth } from '../../core/content.ts'
import { isObject, mapValues } from '../../core/json.ts'
import type { Json, JsonSchema } from '../../core/messages.ts'

/**
 * Converts OpenAPI to JSON Schema: types in lower case, `nullable` as the type `null`, and limits that are text, as protobuf writes 64-bit
 * numbers, as numbers. Below 64 levels, schemas stay unchanged.
 */
export function fromOpenApi(schema: Json, depth = 0): Json {
  if (!isObject(schema) || depth > maxArgumentsDepth) return schema
  const nested = (value: Json) => fromOpenApi(value, depth + 1)
  const read = mapValues(schema, (value, keyword) => {
    if (keyword === 'type' && typeof value === 'string') return value.toLowerCase()
    if (/^m(?:in|ax)[ILP]/.test(keyword) && typeof value === 'string' && /^\d+$/.test(value)) return Number(value)
    if (keyword === 'properties' && isObject(value)) return mapValues(value, nested)
    if (keyword === 'anyOf' && Array.isArray(value)) return value.map(nested)
    return keyword === 'items' ? nested(value) : value
  })
  const { nullable, ...rest } = read
  if (nullable !== true) return read
  return typeof rest.type === 'string' ? { ...rest, type: [rest.type, 'null'] } : rest
}

/** Whether a schema has no properties, so that its tool takes no arguments. */
export function isEmptySchema(schema: JsonSchema): boolean {
  return (
    Object.keys(schema).every((keyword) => bare.has(keyword)) &&
    Object.keys((schema.properties ?? {}) as object).length === 0
  )
}
const bare: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', '$schema', 'title'],
])

/** Whether a value kept from the wire still decodes to the current value. If so, the kept value can be sent unchanged. */
export function isUnchanged<T extends Json>(kept: T | undefined, read: (kept: T) => unknown, now: unknown): boolean {
  return kept !== undefined && JSON.stringify(read(kept)) === JSON.stringify(now)
}
