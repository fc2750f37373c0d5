/**
 * Converts a schema of any kind to JSON Schema for the model, and checks arguments with it.
 *
 * @see https://standardschema.dev (read 2026-11)
 *
 * @module
 */
import { arrayOf, field, isObject, setOwn } from '../core/lookup.ts'
import type { Json, JsonObject, JsonSchema } from '../core/model.ts'
import { checkArguments } from './check.ts'
import type { Typed } from './types.ts'

/** A schema of any library that supports Standard Schema. With `jsonSchema`, it converts itself to JSON Schema. */
export interface StandardSchema<Output = unknown, Input = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> }
  }
}
/** The result of a validator: a value, or the reasons why it is invalid. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }
/** A value that does not match, and its path. */
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** A schema: made by `t.object()` and its siblings, a JSON Schema, or a Standard Schema that converts itself. */
export type AnySchema = JsonSchema | StandardSchema

/** The type of the values that a schema returns; `Untyped` if it has no types. */
export type OutputOf<Schema, Untyped = unknown> =
  Schema extends StandardSchema<infer Output>
    ? Output
    : Schema extends Typed<infer Value>
      ? unknown extends Value
        ? Untyped
        : Value
      : Untyped

/** The type of the values that a schema accepts, before it converts them; `unknown` if it has no types. */
export type InputOf<Schema> =
  Schema extends StandardSchema<unknown, infer Input> ? Input : Schema extends Typed<infer Value> ? Value : unknown

/** Functions count too: arktype's schemas are functions. */
export function isStandardSchema(value: AnySchema): value is StandardSchema {
  return '~standard' in Object(value)
}

/**
 * Converts the schema to JSON Schema. `subject` names it in the error, such as `tool "add"`.
 *
 * @throws {TypeError} if it does not convert itself.
 */
export function toJsonSchema(schema: AnySchema, subject: string): JsonSchema {
  if (!isStandardSchema(schema)) {
    if (!Object.values(Object(schema)).some((field) => isStandardSchema(field as AnySchema))) return schema
    throw new TypeError(`Cannot make ${subject}: its fields are not in an object, such as z.object({ … })`)
  }
  const { vendor, jsonSchema } = schema['~standard']
  if (jsonSchema === undefined) {
    const how =
      vendor === 'valibot'
        ? 'wrap it in toStandardJsonSchema() of the package "@valibot/to-json-schema"'
        : 'use a version of it that does, or pass a JSON Schema'
    throw new TypeError(`Cannot make ${subject}: its ${vendor} schema does not convert itself to JSON Schema; ${how}`)
  }
  try {
    const { $schema: _, ...converted } = jsonSchema.input({ target: 'draft-2020-12' })
    return converted
  } catch (cause) {
    throw new TypeError(`Cannot make ${subject}: its ${vendor} schema has no form in JSON Schema`, { cause })
  }
}

/**
 * Checks the value, and returns it as the schema converts it.
 *
 * @throws {TypeError} what does not fit, each with its place.
 */
export async function parseWith(schema: AnySchema, value: unknown): Promise<unknown> {
  if (!isStandardSchema(schema)) return checked(value, schema)
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return result.value
  throw new TypeError(result.issues.slice(0, mostIssues).map(describeIssue).join('; '))
}

/** The maximum number of issues that are reported. */
const mostIssues = 10

function checked(value: unknown, schema: JsonSchema): unknown {
  const problems = checkArguments(value, schema)
  if (problems.length > 0) throw new TypeError(problems.join('; '))
  return value
}

function describeIssue({ message, path }: StandardIssue): string {
  const keys = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part))
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`
}

/**
 * Strict mode makes models write `null` for what they leave out. Dropped, so that defaults apply: from properties that the schema
 * knows and does not require, at every depth.
 */
export function withoutNullOptionals(value: JsonObject, schema: JsonSchema | undefined): JsonObject {
  return strip(value, schema, 0) as JsonObject
}

/** Arguments are never nested deeper. */
const maxDepth = 64

/** Looks at what the schema knows, and copies only what changes: an object of a million keys costs nothing. */
function strip(value: Json, schema: unknown, depth: number): Json {
  if (!isObject(schema) || depth > maxDepth) return value
  const { items, properties } = schema
  if (Array.isArray(value)) return isObject(items) ? value.map((one) => strip(one, items, depth + 1)) : value
  if (!isObject(value) || !isObject(properties)) return value
  const required = new Set(arrayOf(schema.required))
  let copy: JsonObject | undefined
  for (const key of Object.keys(properties)) {
    const entry = field(value, key)
    if (entry === undefined) continue
    const isDropped = entry === null && !required.has(key)
    const next = isDropped ? entry : strip(entry, properties[key], depth + 1)
    if (next === entry && !isDropped) continue
    copy ??= { ...value }
    if (isDropped) delete copy[key]
    else setOwn(copy, key, next)
  }
  return copy ?? value
}
