/**
 * Converts a JSON Schema for structured output. Keywords that Anthropic and Bedrock do not support move to the description, which the
 * model reads.
 *
 * @see the helper of the official SDK: @anthropic-ai/sdk lib/transform-json-schema (1.11.0)
 *
 * @module
 */
import { compact, isObject, shortJson } from '../../core/json.ts'
import type { Json, JsonObject, JsonSchema } from '../../core/messages.ts'
import { plainForms } from './fold-schema.ts'

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

/** Keywords whose value has schemas by name. */
const namedSchemas: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])
/** Keywords whose value is a schema or a list of schemas. */
const nestedSchemas: ReadonlySet<string> = new Set(['items', 'anyOf', 'oneOf', 'allOf'])
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

/** Returns the schema with only the supported keywords and `more`, whether it differs from the given one, and whether keywords became words. */
export function narrowSchema(
  schema: JsonSchema,
  more: readonly string[] = [],
): { readonly schema: JsonObject; readonly isChanged: boolean; readonly isShort: boolean } {
  const root = schema as JsonObject
  let isChanged = false
  let isShort = false
  const narrowed = narrow(root, 0)
  return { schema: narrowed, isChanged, isShort }

  function narrow(joined: JsonObject, depth: number): JsonObject {
    if (depth > maxDepth) return joined
    const given = apart(joined, root)
    isChanged ||= given !== joined
    const narrowed: JsonObject = {}
    const unsaid: string[] = []
    const inside = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(inside)
      return isObject(value) ? narrow(value, depth + 1) : value
    }
    for (const [keyword, value] of Object.entries(given)) {
      if (namedSchemas.has(keyword) && isObject(value))
        narrowed[keyword] = Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, inside(entry)]))
      else if (nestedSchemas.has(keyword)) narrowed[keyword === 'oneOf' ? 'anyOf' : keyword] = inside(value)
      else if (isTaken(keyword, value) || more.includes(keyword)) narrowed[keyword] = value
      else if (keyword !== '$schema') unsaid.push(`${keyword}: ${shortJson(value, Number.POSITIVE_INFINITY)}`)
    }
    const isObjects = given.$ref === undefined && (given.type === 'object' || isObject(given.properties))
    if (isObjects) narrowed.additionalProperties = false
    const before = typeof given.description === 'string' ? `${given.description}\n\n` : ''
    if (unsaid.length > 0) narrowed.description = `${before}{${unsaid.join(', ')}}`
    isShort ||= unsaid.length > 0
    const isSame = unsaid.length === 0 && narrowed.additionalProperties === given.additionalProperties
    isChanged ||= !isSame || '$schema' in given || 'oneOf' in given
    return narrowed
  }
}

/**
 * The schema of an object without others beside it. With `additionalProperties: false`, it would forbid the properties that only those name.
 */
function apart(given: JsonObject, root: JsonObject): JsonObject {
  const { type, $ref, allOf, anyOf, oneOf, $defs, definitions, title, description, ...own } = given
  const others = anyOf ?? oneOf
  const isObjects = type === 'object' || (type === undefined && isObject(own.properties))
  if ($ref !== undefined && (allOf ?? others) === undefined && Object.keys(own).length === 0)
    return (type ?? title ?? description) === undefined ? given : compact({ $ref, $defs, definitions })
  if (($ref ?? allOf) === undefined && (others === undefined || !isObjects)) return given
  const forms = plainForms(given, root).map((form) => ({ type: 'object', ...form }))
  const [only] = forms
  if (only === undefined) return given
  return compact({ ...(forms.length === 1 ? only : { anyOf: forms }), title, description, $defs, definitions })
}

function isTaken(keyword: string, value: Json): boolean {
  if (keyword === 'format') return formats.has(value)
  if (keyword === 'minItems') return value === 0 || value === 1
  return taken.has(keyword) || (keyword === 'additionalProperties' && value === false)
}
