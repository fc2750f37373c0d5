/**
 * JSON Schema as structured output takes it: what it has no word for moves into the description, where the model still reads it.
 *
 * @see the helper of the official SDK: @anthropic-ai/sdk lib/transform-json-schema (1.11.0)
 * @module
 */
import { isObject, lookup } from '../../lookup.ts'
import type { Json, JsonObject, JsonSchema } from '../../model.ts'

/** Schemas nested deeper than this are left as they are. */
const maxDepth = 64

const formats: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])

/** Where a keyword holds schemas: itself, by name, or in a row. */
const nested: Readonly<Record<string, 'schema' | 'named' | 'row'>> = {
  items: 'schema',
  properties: 'named',
  $defs: 'named',
  definitions: 'named',
  anyOf: 'row',
  oneOf: 'row',
  allOf: 'row',
}
const taken: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'enum',
  'const',
  'default',
  'required',
  '$ref',
])

/** A schema that says the same in fewer words. */
export function narrowSchema(schema: JsonSchema): JsonObject {
  return narrow(schema as JsonObject, 0)
}

function narrow(schema: JsonObject, depth: number): JsonObject {
  if (depth > maxDepth) return schema
  const narrowed: [string, Json][] = []
  const unsaid: string[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    const holds = lookup(nested, keyword)
    if (holds !== undefined)
      narrowed.push([keyword === 'oneOf' ? 'anyOf' : keyword, narrowNested(value, holds, depth + 1)])
    else if (isTaken(keyword, value)) narrowed.push([keyword, value])
    else if (keyword !== '$schema') unsaid.push(`${keyword}: ${JSON.stringify(value)}`)
  }
  const result = Object.fromEntries(narrowed)
  if (schema.type === 'object' || isObject(schema.properties)) result.additionalProperties = false
  if (unsaid.length === 0) return result
  const said = typeof schema.description === 'string' ? `${schema.description}\n\n` : ''
  return { ...result, description: `${said}{${unsaid.join(', ')}}` }
}

function isTaken(keyword: string, value: Json): boolean {
  if (keyword === 'format') return formats.has(value)
  if (keyword === 'minItems') return value === 0 || value === 1
  return taken.has(keyword) || (keyword === 'additionalProperties' && value === false)
}

function narrowNested(value: Json, holds: 'schema' | 'named' | 'row', depth: number): Json {
  const one = (entry: Json) => (isObject(entry) ? narrow(entry, depth) : entry)
  if (holds === 'row') return Array.isArray(value) ? value.map(one) : value
  if (holds === 'schema' || !isObject(value)) return one(value)
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, one(entry)]))
}
