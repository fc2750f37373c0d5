/**
 * Converts a schema for a provider, and an answer back to a value.
 *
 * Providers require the schema of an object. Any other schema becomes the only property of an object.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas (read 2026-11)
 *
 * @module
 */
import { compact, isObject } from '../core/lookup.ts'
import type { JsonObject, JsonSchema } from '../core/model.ts'
import { type AnySchema, type OutputOf, parseWith, toJsonSchema, withoutNullOptionals } from '../tools/schema.ts'

export interface OutputShape<Schema extends AnySchema> {
  /** The schema that the provider receives. */
  readonly schema: JsonSchema
  /** Whether a provider's strict mode accepts the schema. */
  readonly strict: boolean
  /** The value within the parsed answer so far. */
  view(root: JsonObject): unknown
  /** @throws {TypeError} if the answer does not match the schema. */
  read(root: JsonObject): Promise<OutputOf<Schema>>
}

/** The name of the one property. */
const value = 'value'

/** @throws {TypeError} if it is not a schema, or cannot be converted to JSON Schema. */
export function shapeOf<Schema extends AnySchema>(schema: Schema): OutputShape<Schema> {
  const own = toJsonSchema(schema, 'an output')
  if (!isObject(own)) throw new TypeError('Cannot ask: "schema" is not a schema, such as t.object({ … })')
  const isWrapped = own.type !== 'object'
  const sent = isWrapped ? wrap(own) : own
  const view = (root: JsonObject) => (isWrapped ? (Object.hasOwn(root, value) ? root[value] : undefined) : root)
  return {
    schema: sent,
    strict: isClosed(sent, 0),
    view,
    read: async (root) => (await parseWith(schema, view(withoutNullOptionals(root, sent)))) as OutputOf<Schema>,
  }
}

/** References start at the root, so definitions stay there. */
function wrap({ $defs, definitions, ...own }: JsonSchema): JsonSchema {
  return compact({
    type: 'object',
    properties: { [value]: own },
    required: [value],
    additionalProperties: false,
    $defs,
    definitions,
  })
}

/** The keywords that strict modes support. With any other keyword, they refuse the request. */
const strictKeywords: ReadonlySet<string> = new Set([
  ...['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf'],
  ...['title', 'description', '$ref', '$defs'],
])

/** Whether every object in it requires all its properties and takes no others. */
function isClosed(schema: unknown, depth: number): boolean {
  if (!isObject(schema) || depth > 10) return false
  if (Object.keys(schema).some((keyword) => !strictKeywords.has(keyword))) return false
  const { properties, required, items, anyOf, $defs } = schema
  const isClosedBelow = (one: unknown) => isClosed(one, depth + 1)
  if (schema.type === 'object' || properties !== undefined) {
    const keys = isObject(properties) ? Object.keys(properties) : []
    const needed = new Set(Array.isArray(required) ? required : [])
    if (schema.additionalProperties !== false || !keys.every((key) => needed.has(key))) return false
    if (isObject(properties) && !Object.values(properties).every(isClosedBelow)) return false
  }
  if (items !== undefined && !isClosedBelow(items)) return false
  if (anyOf !== undefined && !(Array.isArray(anyOf) && anyOf.every(isClosedBelow))) return false
  return $defs === undefined || (isObject($defs) && Object.values($defs).every(isClosedBelow))
}
