/**
 * Gemini: converts between JSON Schema and the subset of OpenAPI 3.0 that Gemini's older schema fields accept.
 *
 * @see https://ai.google.dev/api/caching#Schema (read 2026-11)
 *
 * @module
 */
import { arrayOf, compact, field, isObject, setOwn, unlessEmpty } from '../../core/lookup.ts'
import type { Json, JsonObject, JsonSchema } from '../../core/model.ts'
import { maxArgumentsDepth } from '../../core/tool-call.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'

// ---- decode -----------------------------------------------------------------------------------

/** Converts OpenAPI to JSON Schema: types in lower case, and `nullable` as the type `null`. Below 64 levels, schemas stay unchanged. */
export function fromOpenApi(schema: JsonObject, depth = 0): JsonObject {
  if (depth > maxArgumentsDepth) return schema
  const read: JsonObject = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword !== 'nullable' || value !== true) setOwn(read, keyword, readKeyword(keyword, value, depth))
  }
  if (field(schema, 'nullable') === true && typeof read.type === 'string') read.type = [read.type, 'null']
  return read
}

function readKeyword(keyword: string, value: Json, depth: number): Json {
  if (keyword === 'type' && typeof value === 'string') return value.toLowerCase()
  if (keyword === 'properties' && isObject(value)) return mapValues(value, (one) => readNested(one, depth))
  if (keyword === 'items') return readNested(value, depth)
  if (keyword === 'anyOf' && Array.isArray(value)) return value.map((one) => readNested(one, depth))
  return value
}

function readNested(value: Json, depth: number): Json {
  return isObject(value) ? fromOpenApi(value, depth + 1) : value
}

// ---- encode -----------------------------------------------------------------------------------

/** Whether a schema has no properties, so that its tool takes no arguments. */
export function isEmptySchema(schema: JsonSchema): boolean {
  const properties = field(schema, 'properties')
  const hasNone = properties === undefined || (isObject(properties) && Object.keys(properties).length === 0)
  return hasNone && Object.keys(schema).every((keyword) => bare.has(keyword))
}
const bare: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  '$schema',
  'title',
])

/** Keywords that are the same in JSON Schema and OpenAPI. */
const shared: ReadonlySet<string> = new Set([
  ...['type', 'format', 'title', 'description', 'nullable', 'enum', 'items', 'properties', 'required', 'anyOf'],
  ...['propertyOrdering', 'minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
  ...['minimum', 'maximum', 'pattern', 'default', 'example'],
])
/** Keywords that can be left out without a report, because they do not change which values are valid. */
const silent: ReadonlySet<string> = new Set(['$schema', '$id', '$defs', 'definitions', '$comment', '$anchor'])

interface Task {
  readonly losses: Losses
  readonly path: string
  readonly root: JsonObject
  readonly depth: number
  /** The references that contain the current schema. One of them again would be a recursion. */
  readonly open: readonly string[]
  /** The number of schemas so far. It is limited, because nested references can multiply them with each level. */
  readonly size: { schemas: number }
}

/** The maximum number of schemas after references are replaced by their targets. */
const maxSchemas = 5000

/**
 * Converts a JSON Schema to OpenAPI. References become their targets, `const` becomes `enum`, and the type `null` becomes `nullable`. Keywords
 * that OpenAPI lacks are reported as losses.
 */
export function toOpenApi(schema: JsonSchema, losses: Losses, path: string): JsonObject {
  const root = schema as JsonObject
  return convert(root, { losses, path, root, depth: 0, open: [], size: { schemas: 0 } })
}

function convert(schema: JsonObject, outer: Task): JsonObject {
  const task = { ...outer, depth: outer.depth + 1 }
  if (task.depth > maxArgumentsDepth) return anyObject(task, 'it is nested too deep')
  if (++task.size.schemas > maxSchemas) return anyObject(task, 'its references make it too large')
  const reference = field(schema, '$ref')
  if (typeof reference === 'string') return followReference(reference, task)
  const out: JsonObject = {}
  for (const [keyword, value] of Object.entries(withoutAllOf(schema))) {
    if (keyword === 'oneOf') setOwn(out, 'anyOf', convertList(value, task))
    else if (keyword === 'const') Object.assign(out, encodeEnum([value], task))
    else if (shared.has(keyword)) convertKeyword(out, keyword, value, task)
    else noteDropped(keyword, value, task)
  }
  return out
}

function convertKeyword(out: JsonObject, keyword: string, value: Json, task: Task): void {
  if (keyword === 'type' && Array.isArray(value)) Object.assign(out, encodeTypes(value))
  else if (keyword === 'enum' && Array.isArray(value)) Object.assign(out, encodeEnum(value, task))
  else if (keyword === 'items' && isObject(value)) setOwn(out, keyword, convert(value, task))
  else if (keyword === 'anyOf') setOwn(out, keyword, convertList(value, task))
  else if (keyword === 'properties' && isObject(value)) {
    setOwn(
      out,
      keyword,
      mapValues(value, (one) => (isObject(one) ? convert(one, task) : {})),
    )
  } else setOwn(out, keyword, value)
}

function convertList(value: Json, task: Task): Json {
  return arrayOf(value).map((one) => (isObject(one) ? convert(one, task) : {}))
}

/** Writes a list of types. One type with `null` becomes a nullable type; several types become `anyOf`. */
function encodeTypes(types: readonly Json[]): JsonObject {
  const others = types.filter((type) => type !== 'null')
  const nullable = others.length < types.length ? { nullable: true } : {}
  if (others.length === 1) return { type: others[0] as Json, ...nullable }
  return { anyOf: others.map((type) => ({ type })), ...nullable }
}

/** Writes an `enum`. Gemini accepts only strings in it, so an `enum` with other values is left out and reported. */
function encodeEnum(values: readonly Json[], task: Task): JsonObject {
  const strings = values.filter((value): value is string => typeof value === 'string')
  const nullable = values.includes(null) ? { nullable: true } : {}
  const lost = values.some((value) => typeof value !== 'string' && value !== null)
  if (lost) reportLoss(task.losses, 'dropped', `${task.path}.enum`, 'Gemini accepts only strings in this enum')
  if (strings.length === 0 || lost) return nullable
  return { type: 'string', enum: strings, ...nullable }
}

/** Merges the schemas in `allOf` into the schema that contains them. */
function withoutAllOf(schema: JsonObject): JsonObject {
  const { allOf, ...others } = schema
  if (!Array.isArray(allOf)) return schema
  let rest: JsonObject = others
  for (const one of allOf.filter(isObject)) {
    const properties = { ...(rest.properties as JsonObject), ...(one.properties as JsonObject) }
    const required = [...arrayOf(rest.required), ...arrayOf(one.required)]
    rest = {
      ...rest,
      ...one,
      ...compact({ properties: unlessEmpty(properties), required: unlessEmpty(required) }),
    }
  }
  return rest
}

/** Converts the target of a reference. A recursive or unknown reference becomes an object of any shape. */
function followReference(reference: string, task: Task): JsonObject {
  const target = resolve(reference, task.root)
  if (target !== undefined && !task.open.includes(reference)) {
    return convert(target, { ...task, open: [...task.open, reference] })
  }
  return anyObject(task, `Gemini takes no references here, and "${reference}" cannot be written out`)
}

function anyObject(task: Task, reason: string): JsonObject {
  reportLoss(task.losses, 'changed', task.path, reason)
  return { type: 'object' }
}

function resolve(reference: string, root: JsonObject): JsonObject | undefined {
  if (!reference.startsWith('#')) return undefined
  let at: Json | undefined = root
  for (const step of reference.slice(1).split('/').filter(Boolean)) {
    at = field(at, step.replaceAll('~1', '/').replaceAll('~0', '~'))
  }
  return isObject(at) ? at : undefined
}

function noteDropped(keyword: string, value: Json, task: Task): void {
  if (silent.has(keyword)) return
  const severity = keyword === 'additionalProperties' && typeof value === 'boolean' ? 'info' : 'minor'
  reportLoss(task.losses, 'dropped', `${task.path}.${keyword}`, 'Gemini has no such keyword here', severity)
}

function mapValues(object: JsonObject, map: (value: Json) => Json): JsonObject {
  const mapped: JsonObject = {}
  for (const [key, value] of Object.entries(object)) setOwn(mapped, key, map(value))
  return mapped
}
