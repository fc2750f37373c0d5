/**
 * Schemas that OpenAI holds a strict tool to. It refuses the request for any other.
 *
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas (read 2026-11)
 *
 * @module
 */
import { arrayOf, isObject, objectIn, stringOr } from '../../core/json.ts'
import type { Json, JsonObject } from '../../core/messages.ts'
import type { SchemaRules } from './fit-schema.ts'

const keywords =
  /^(?:type|properties|required|additionalProperties|items|anyOf|enum|const|\$ref|\$defs|title|description|format|pattern|multipleOf|(?:exclusiveM|m)(?:in|ax)imum|m(?:in|ax)Items)$/
const formats = /^(?:date-time|time|date|duration|email|hostname|ipv4|ipv6|uuid)$/

/** Whether objects are closed and have all properties required, and no keyword is unknown there. */
function takes(schema: Json): boolean {
  if (!isObject(schema)) return false
  const { type, properties, additionalProperties, required, items, anyOf, format } = schema
  const names = Object.keys(objectIn(schema, 'properties'))
  const isWhole = additionalProperties === false && names.every((name) => arrayOf(required).includes(name))
  const inside = [
    ...Object.values(objectIn(schema, 'properties')),
    ...Object.values(objectIn(schema, '$defs')),
    ...arrayOf(anyOf),
    ...(items === undefined ? [] : [items]),
  ]
  return (
    Object.keys(schema).every((keyword) => keywords.test(keyword)) &&
    (type ?? anyOf ?? schema.$ref) !== undefined &&
    (format === undefined || formats.test(stringOr(format, ''))) &&
    (isWhole || (type !== 'object' && properties === undefined)) &&
    inside.every(takes)
  )
}

/** Adds the type of texts that are listed: OpenAI asks for it, and valibot, arktype and people leave it out. */
function withType(schema: JsonObject): JsonObject {
  const isText = arrayOf(schema.enum ?? [schema.const]).every((value) => typeof value === 'string')
  return isText ? { type: 'string', ...schema } : schema
}

/** The schemas that OpenAI takes. */
export const openaiSchemas: SchemaRules = { strict: { besideReference: /^$/, each: withType, takes } }
