/** Schemas of small functions, written as a list of fields. @module */
import type { JsonObject } from '../../core/messages.ts'

/**
 * The schema of an object with these fields. A field is a text that is required; `?` after its name: it is optional; `#`: it is an integer; `!`: true
 * or false; `=a|b`: one of these texts; `[]`: a list. An example: `path view_range?#[]`.
 */
export function shortSchema(fields: string): JsonObject {
  const properties: JsonObject = {}
  const required: string[] = []
  for (const [, name = '', optional, mark = '', words, list] of fields.matchAll(
    /(\w+)(\?)?([#!])?(?:=([\w|]+))?(\[\])?/g,
  )) {
    const type = { '#': 'integer', '!': 'boolean' }[mark] ?? 'string'
    const one: JsonObject = words === undefined ? { type } : { type, enum: words.split('|') }
    properties[name] = list === undefined ? one : { type: 'array', items: one }
    if (optional === undefined) required.push(name)
  }
  return { type: 'object', properties, required }
}
