/**
 * Converts a JSON Schema for structured output. Keywords that Anthropic and Bedrock do not support move to the description, which the
 * model reads. A schema whose values cannot be said without such a keyword is not sent.
 *
 * @see the helper of the official SDK: @anthropic-ai/sdk lib/transform-json-schema (1.11.0)
 * @see https://platform.claude.com/docs/en/build-with-claude/structured-outputs#json-schema-limitations (read 2026-11)
 *
 * @module
 */
import { atPointer, compact, field, isObject, objectIn, shortJson } from '../../core/json.ts'
import type { Json, JsonObject, JsonSchema } from '../../core/messages.ts'
import { namesIn, plainForms } from './fold-schema.ts'

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

interface Narrowed {
  /** The schema with only the supported keywords. */
  readonly schema: JsonObject
  /** Whether it differs from the given one. */
  readonly isChanged: boolean
  /** Whether keywords became words. */
  readonly isShort: boolean
  /** Whether the hosts take it, and it takes what the given schema does. */
  readonly isTaken: boolean
}

/** Narrows a schema to the keywords that all these hosts support, and `more`. */
export function narrowSchema(schema: JsonSchema, more: readonly string[] = []): Narrowed {
  const root = schema as JsonObject
  let isChanged = false
  let isShort = false
  let isTaken = !isRecursive(root, root)
  const narrowed = narrow(root, 0)
  return { schema: narrowed, isChanged, isShort, isTaken }

  function narrow(joined: JsonObject, depth: number): JsonObject {
    if (depth > maxDepth) return joined
    const given = apart(joined, root)
    isChanged ||= given !== joined
    isTaken &&= hasForm(given)
    const narrowed: JsonObject = {}
    const unsaid: string[] = []
    const inside = (value: Json): Json => {
      if (Array.isArray(value)) return value.map(inside)
      if (isObject(value)) return narrow(value, depth + 1)
      isTaken = false // `true` or `false`
      return value
    }
    for (const [keyword, value] of Object.entries(given)) {
      if (namedSchemas.has(keyword) && isObject(value))
        narrowed[keyword] = Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, inside(entry)]))
      else if (nestedSchemas.has(keyword)) narrowed[keyword === 'oneOf' ? 'anyOf' : keyword] = inside(value)
      else if (takes(keyword, value) || more.includes(keyword)) narrowed[keyword] = value
      else if (keyword !== '$schema') unsaid.push(`${keyword}: ${shortJson(value, Number.POSITIVE_INFINITY)}`)
    }
    const isObjects = given.$ref === undefined && takesObjects(given)
    if (isObjects) Object.assign(narrowed, { type: given.type ?? 'object', additionalProperties: false })
    const before = typeof given.description === 'string' ? `${given.description}\n\n` : ''
    if (unsaid.length > 0) narrowed.description = `${before}{${unsaid.join(', ')}}`
    isShort ||= unsaid.length > 0
    const isSame = unsaid.length === 0 && narrowed.additionalProperties === given.additionalProperties
    isChanged ||= !isSame || '$schema' in given || 'oneOf' in given
    return narrowed
  }
}

function takesObjects({ type, properties }: JsonObject): boolean {
  return [type].flat().includes('object') || isObject(properties)
}

/** Says what values are, or that they are of any type. */
const kinds = /^(?:type|enum|const|\$ref|(?:any|one|all)Of)$/

/** Whether the hosts have a form for this schema. They have none for maps, tuples and values of any type. */
function hasForm(schema: JsonObject): boolean {
  const { $ref, items, prefixItems, properties, patternProperties, additionalProperties: others } = schema
  if (prefixItems !== undefined || Array.isArray(items)) return false
  if ($ref !== undefined || !takesObjects(schema)) return Object.keys(schema).some((keyword) => kinds.test(keyword))
  const isOpen = isObject(properties) ? isObject(others) && Object.keys(others).length > 0 : others !== false
  const hasAll = namesIn(schema.required).every((name) => Object.hasOwn(objectIn(schema, 'properties'), name))
  return !isOpen && patternProperties === undefined && hasAll
}

/**
 * Whether a part of a schema contains itself.
 *
 * @param refs Each reference that was followed, and whether it still is. A reference inside itself makes a schema recursive.
 */
export function isRecursive(value: unknown, root: JsonSchema, refs: Map<string, boolean> = new Map()): boolean {
  if (typeof value !== 'object' || value === null) return false
  const ref = field(value, '$ref')
  if (typeof ref !== 'string') return Object.values(value).some((inner) => isRecursive(inner, root, refs))
  if (ref === '#' || refs.get(ref)) return true
  if (refs.has(ref)) return false
  refs.set(ref, true)
  const isInside = isRecursive(atPointer(root, ref), root, refs)
  refs.set(ref, false)
  return isInside
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

function takes(keyword: string, value: Json): boolean {
  if (keyword === 'format') return formats.has(value)
  if (keyword === 'minItems') return value === 0 || value === 1
  return taken.has(keyword) || (keyword === 'additionalProperties' && value === false)
}
