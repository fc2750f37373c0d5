/**
 * Converts a JSON Schema for structured output. Keywords that Anthropic and Bedrock do not support move to the description, which the
 * model reads.
 *
 * @see the helper of the official SDK: @anthropic-ai/sdk lib/transform-json-schema (1.11.0)
 *
 * @module
 */
import { isObject, lookup } from '../core/lookup.ts'
import type { Json, JsonObject, JsonSchema } from '../core/model.ts'
import { textOfArguments } from '../core/tool-call.ts'

/** The maximum depth of nested schemas. Deeper schemas do not change. */
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

/** The value of each keyword that has schemas: one schema, schemas by name, or a list of schemas. */
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

/** Returns the schema with only the supported keywords and `more`, and whether it differs from the given one. */
export function narrowSchema(
  schema: JsonSchema,
  more: readonly string[] = [],
): { readonly schema: JsonObject; readonly isChanged: boolean } {
  const notes = { isChanged: false, more }
  return { schema: narrow(schema as JsonObject, 0, notes), isChanged: notes.isChanged }
}

interface Notes {
  isChanged: boolean
  readonly more: readonly string[]
}

function narrow(schema: JsonObject, depth: number, notes: Notes): JsonObject {
  if (depth > maxDepth) return schema
  const narrowed: [string, Json][] = []
  const unsaid: string[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    const holds = lookup(nested, keyword)
    if (holds !== undefined) narrowed.push([renamed(keyword, notes), narrowNested(value, holds, depth + 1, notes)])
    else if (notes.more.includes(keyword) || isTaken(keyword, value)) narrowed.push([keyword, value])
    else if (keyword !== '$schema') unsaid.push(inWords(keyword, value))
    else notes.isChanged = true
  }
  const result = Object.fromEntries(narrowed)
  if ((schema.type === 'object' || isObject(schema.properties)) && result.additionalProperties !== false) {
    result.additionalProperties = false
    notes.isChanged = true
  }
  if (unsaid.length === 0) return result
  notes.isChanged = true
  const before = typeof schema.description === 'string' ? `${schema.description}\n\n` : ''
  return { ...result, description: `${before}{${unsaid.join(', ')}}` }
}

function isTaken(keyword: string, value: Json): boolean {
  if (keyword === 'format') return formats.has(value)
  if (keyword === 'minItems') return value === 0 || value === 1
  return taken.has(keyword) || (keyword === 'additionalProperties' && value === false)
}

function renamed(keyword: string, notes: Notes): string {
  if (keyword !== 'oneOf') return keyword
  notes.isChanged = true
  return 'anyOf'
}

function inWords(keyword: string, value: Json): string {
  const isTooDeep = textOfArguments({ value }) === undefined
  return `${keyword}: ${isTooDeep ? '…' : JSON.stringify(value)}`
}

function narrowNested(value: Json, holds: 'schema' | 'named' | 'row', depth: number, notes: Notes): Json {
  const one = (entry: Json) => (isObject(entry) ? narrow(entry, depth, notes) : entry)
  if (holds === 'row') return Array.isArray(value) ? value.map(one) : value
  if (holds === 'schema' || !isObject(value)) return one(value)
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, one(entry)]))
}
