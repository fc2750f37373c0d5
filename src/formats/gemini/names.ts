/**
 * Gemini: names of fields. Like all of Google's JSON, the wire writes `camelCase`, and reads `snake_case` as well.
 *
 * Only the names in objects of the wire are changed. Arguments, schemas and results contain names that users chose.
 *
 * @see https://protobuf.dev/programming-guides/json/ (read 2026-11)
 *
 * @module
 */
import { arrayOf, field, isObject, setOwn } from '../../core/lookup.ts'
import type { Json, JsonObject } from '../../core/model.ts'

/** Returns the object with its names in `camelCase`; the same object if they are already. If it has both forms of a name, `camelCase` wins. */
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

/** Does the same for any value, and for the objects in its fields `inner`. A value that is not an object stays unchanged. */
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

/** Does the same for a part and the object in its data field. */
export function camelPart(part: Json): Json {
  return camelNested(part, dataFields) as Json
}

const dataFields = [
  ...['functionCall', 'functionResponse', 'inlineData', 'fileData', 'executableCode', 'codeExecutionResult'],
  ...['toolCall', 'toolResponse'],
]

/** Reads a list. Old clients send a list of one entry without the brackets. */
export function listOf(value: Json | undefined): readonly Json[] {
  return isObject(value) ? [value] : arrayOf(value)
}
