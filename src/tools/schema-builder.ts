/**
 * Parameters without a schema library: `t.object({ city: t.string('Name of the city') })`. They return plain JSON Schema with the types of
 * its values, so that `execute` knows its arguments.
 *
 * Everything is required unless it says otherwise, and objects take no other properties.
 *
 * @module
 */
import { isLibrarySchema } from '../core/content.ts'
import { compact, isObject } from '../core/json.ts'
import type { JsonSchema } from '../core/messages.ts'

/** A JSON Schema with the TypeScript type of its values. No value has the field. */
export interface Typed<Value> extends JsonSchema {
  readonly '~value'?: Value
}
/** An optional property. */
export interface OptionalTyped<Value> extends Typed<Value> {
  readonly '~optional'?: true
}

/** The type of the values of a {@link Typed} schema. */
export type ValueOf<Schema> = Schema extends Typed<infer Value> ? Value : never

type OptionalKeys<Properties> = {
  [Key in keyof Properties]: true extends Exclude<
    Properties[Key] extends { readonly '~optional'?: infer Mark } ? Mark : never,
    undefined
  >
    ? Key
    : never
}[keyof Properties]

/** The names, and which of them are optional. */
type PropertyNames<Properties> = Record<Exclude<keyof Properties, OptionalKeys<Properties>>, unknown> & {
  [Key in OptionalKeys<Properties>]?: unknown
}

/** The object that these properties describe, as one type: editors then show `{ city: string }`. */
export type ObjectOf<Properties> = {
  [Key in keyof PropertyNames<Properties>]: Key extends keyof Properties ? ValueOf<Properties[Key]> : never
}

const optionalMarks = new WeakSet<object>()

function basic(type: string, description: string | undefined): JsonSchema {
  return compact({ type, description })
}

/** @throws {TypeError} for what is not JSON Schema, such as the name of a type, or a schema of a library. */
function checkSchema(name: string, schema: unknown): void {
  if (!isObject(schema) || isLibrarySchema(schema))
    throw new TypeError(`Cannot make a schema: "${name}" is not a schema, such as t.string()`)
}

/** Text. */
export function string(description?: string): Typed<string> {
  return basic('string', description) as Typed<string>
}
/** A number. */
export function number(description?: string): Typed<number> {
  return basic('number', description) as Typed<number>
}
/** A whole number. */
export function integer(description?: string): Typed<number> {
  return basic('integer', description) as Typed<number>
}
/** True or false. */
export function boolean(description?: string): Typed<boolean> {
  return basic('boolean', description) as Typed<boolean>
}

/** One of these strings. */
export function oneOf<const Words extends readonly string[]>(words: Words, description?: string): Typed<Words[number]> {
  if (!Array.isArray(words)) throw new TypeError('Cannot make a schema: the words of t.oneOf([ … ]) are not a list')
  return { ...basic('string', description), enum: words } as Typed<Words[number]>
}

/** A list of values of one type. */
export function array<Value>(items: Typed<Value>, description?: string): Typed<Value[]> {
  checkSchema('items', items)
  return { ...basic('array', description), items } as Typed<Value[]>
}

/** An object. `additionalProperties` is false by default. */
export function object<const Properties extends Readonly<Record<string, JsonSchema>>>(
  properties: Properties,
  options: { readonly description?: string; readonly additionalProperties?: boolean } = {},
): Typed<ObjectOf<Properties>> {
  for (const [name, property] of Object.entries(properties)) checkSchema(name, property)
  const required = Object.keys(properties).filter((key) => !optionalMarks.has(properties[key] as object))
  return {
    ...basic('object', options.description),
    properties,
    required,
    additionalProperties: options.additionalProperties ?? false,
  } as Typed<ObjectOf<Properties>>
}

/** An optional property. If it is absent, the tool uses its own default. */
export function optional<Value>(schema: Typed<Value>): OptionalTyped<Value> {
  const copy = { ...schema }
  optionalMarks.add(copy)
  return copy as OptionalTyped<Value>
}

/** Any JSON Schema, unchanged. The type parameter is the type of its values. */
export function schema<Value = unknown>(json: JsonSchema): Typed<Value> {
  return json as Typed<Value>
}
