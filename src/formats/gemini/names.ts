/**
 * Gemini: names of fields. The wire writes `camelCase` and reads `snake_case` as well, as all of Google's JSON does.
 *
 * Only names of the wire's own objects are changed: arguments, schemas and results hold names of others.
 *
 * @see https://protobuf.dev/programming-guides/json/ (read 2026-11)
 *
 * @module
 */
import { arrayOf, field, isObject, setOwn } from '../../core/lookup.ts'
import type { Json, JsonObject } from '../../core/model.ts'

/** The object under the wire's own names; itself if it has no others. Where both forms of a name are there, `camelCase` counts. */
export function camelNames(object: JsonObject): JsonObject {
  const names = Object.keys(object)
  if (!names.some(isSnake)) return object
  const renamed: JsonObject = {}
  for (const name of names) {
    const camel = isSnake(name) ? name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) : name
    if (camel !== name && Object.hasOwn(object, camel)) continue
    setOwn(renamed, camel, object[name] as Json)
  }
  return renamed
}

function isSnake(name: string): boolean {
  return /^[a-z]+(?:_[a-z0-9]+)+$/.test(name)
}

/** The same for a value of any kind, and for the objects in its fields `inner`. */
export function camelNested(value: Json | undefined, inner: readonly string[]): Json | undefined {
  if (!isObject(value)) return value
  let renamed = camelNames(value)
  for (const name of inner) {
    const before = field(renamed, name)
    const after = isObject(before) ? camelNames(before) : before
    if (after !== before) renamed = { ...renamed, [name]: after as Json }
  }
  return renamed
}

/** The same for a part and its data. */
export function camelPart(part: Json): Json {
  return camelNested(part, dataFields) as Json
}

const dataFields = [
  ...['functionCall', 'functionResponse', 'inlineData', 'fileData', 'executableCode', 'codeExecutionResult'],
  ...['toolCall', 'toolResponse'],
]

/** A list. Old clients leave the brackets off if it has one entry. */
export function listOf(value: Json | undefined): readonly Json[] {
  return isObject(value) ? [value] : arrayOf(value)
}
