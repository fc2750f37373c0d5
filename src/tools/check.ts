/**
 * Checks arguments against the keywords of a JSON Schema that matter for a tool's safety: types, required and unexpected properties, enums,
 * items and alternatives. Other keywords are not checked; use a schema library for them.
 *
 * @module
 */
import { arrayOf, isObject, objectIn } from '../core/lookup.ts'
import type { JsonSchema } from '../core/model.ts'

/** Values deeper than this are not checked. Arguments are never so deep. */
const maxDepth = 64

/** The maximum number of problems that one check reports. */
const maxProblems = 10

/** The arguments that do not match the schema, each with its place, such as `city: must be a string`. Empty if all match. At most 10. */
export function checkArguments(value: unknown, schema: JsonSchema): readonly string[] {
  const problems: string[] = []
  check(value, schema, '', problems, 0)
  return problems
}

function check(value: unknown, schema: unknown, path: string, problems: string[], depth: number): void {
  if (!isObject(schema) || depth > maxDepth || problems.length >= maxProblems) return
  const say = (problem: string) => problems.push(path === '' ? problem : `${path}: ${problem}`)
  const types = typesOf(schema.type)
  if (types.length > 0 && !types.some((type) => hasType(value, type))) {
    say(`must be ${types.map(withArticle).join(' or ')}`)
    return
  }
  if (Array.isArray(schema.enum) && !schema.enum.some((one) => isSame(one, value))) {
    say(`must be one of ${schema.enum.map((one) => JSON.stringify(one)).join(', ')}`)
  }
  if (Object.hasOwn(schema, 'const') && !isSame(schema.const, value)) say(`must be ${JSON.stringify(schema.const)}`)
  const alternatives = schema.anyOf ?? schema.oneOf
  if (Array.isArray(alternatives) && !alternatives.some((one) => fits(value, one, depth)))
    say('fits none of its alternatives')
  if (Array.isArray(schema.allOf)) for (const one of schema.allOf) check(value, one, path, problems, depth + 1)
  if (Array.isArray(value)) checkItems(value, schema, path, problems, depth)
  else if (isObject(value)) checkProperties(value, schema, path, problems, depth)
}

function checkItems(
  values: readonly unknown[],
  { prefixItems, items }: Record<string, unknown>,
  path: string,
  problems: string[],
  depth: number,
): void {
  const first = arrayOf(prefixItems)
  for (const [at, value] of values.entries()) check(value, first[at] ?? items, `${path}[${at}]`, problems, depth + 1)
}

function checkProperties(
  value: Record<string, unknown>,
  schema: Record<string, unknown>,
  path: string,
  problems: string[],
  depth: number,
): void {
  const at = (key: string) => (path === '' ? key : `${path}.${key}`)
  const properties = objectIn(schema, 'properties')
  const hasPatterns = schema.patternProperties !== undefined // a name may be of one of them
  for (const key of Array.isArray(schema.required) ? schema.required : []) {
    if (!Object.hasOwn(value, String(key))) problems.push(`${at(String(key))}: is missing`)
  }
  for (const key of Object.keys(value)) {
    if (problems.length >= maxProblems) return
    if (Object.hasOwn(properties, key)) check(value[key], properties[key], at(key), problems, depth + 1)
    else if (hasPatterns) continue
    else if (schema.additionalProperties === false) problems.push(`${at(key)}: is not a parameter`)
    else check(value[key], schema.additionalProperties, at(key), problems, depth + 1)
  }
}

function fits(value: unknown, schema: unknown, depth: number): boolean {
  const problems: string[] = []
  check(value, schema, '', problems, depth + 1)
  return problems.length === 0
}

function typesOf(type: unknown): readonly string[] {
  if (typeof type === 'string') return [type]
  return Array.isArray(type) ? type.filter((one): one is string => typeof one === 'string') : []
}

function hasType(value: unknown, type: string): boolean {
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
      return true // a type from next year
  }
}

function withArticle(type: string): string {
  return type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`
}

function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))
}
