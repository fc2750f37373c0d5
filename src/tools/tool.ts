/** Makes tools. @module */
import { checkOptions } from '../core/checks.ts'
import { arrayOf, compact, isObject } from '../core/json.ts'
import type { JsonObject, JsonSchema, ToolDefinition } from '../core/messages.ts'
import {
  type AnySchema,
  checkConsent,
  type InputOf,
  isStandardSchema,
  type OutputOf,
  parseWith,
  toJsonSchema,
} from './definition.ts'
import { ToolRun } from './run.ts'
import type { Tool, ToolBehaviour, ToolContext } from './types.ts'

/** The options of `tool`. */
export interface ToolSpec<Parameters, Name extends string = string, Value = unknown>
  extends Omit<ToolDefinition<Name>, 'parameters' | '~types'>,
    ToolBehaviour {
  /** A schema made by `t.object()`, a JSON Schema of type `object`, or a Standard Schema that converts itself. Absent: no arguments. */
  readonly parameters?: Parameters
  /** The same under the name that MCP and others have for it. */
  readonly inputSchema?: Parameters
  /** The same under the name that Anthropic has for it. */
  readonly input_schema?: Parameters
  /** Runs it. May return a string, JSON, content blocks, a `ToolOutput`, or a promise. If it throws, the model gets the message. */
  readonly execute: (args: ArgumentsOf<Parameters>, context: ToolContext) => Value
}

/** The arguments of `execute`: the type of the schema's value, or a plain object if the schema has no types. */
export type ArgumentsOf<Parameters> = OutputOf<Parameters, JsonObject>

/**
 * Makes a tool. Without `execute` it is only a definition: its calls are `pending`, and you or a page run them. Calls and results have the
 * types of the tool with that name, in the events and the result of a run, and in a chat.
 *
 * @example
 * ```ts
 * const weather = tool({
 *   name: 'get_weather',
 *   description: 'Current weather in a city',
 *   parameters: t.object({ city: t.string('Name of the city') }),
 *   execute: ({ city }) => `25 °C and sunny in ${city}`,
 * })
 * ```
 * @throws {TypeError} if it has no name, an option has the wrong type, or its schema is not of type `object` or cannot be converted to JSON
 * Schema.
 */
export function tool<
  const Parameters extends AnySchema = JsonObject,
  const Name extends string = string,
  Value = unknown,
>(spec: ToolSpec<Parameters, Name, Value>): Tool<Name, InputOf<Parameters>, Awaited<Value>>
export function tool<const Parameters extends AnySchema = JsonObject, const Name extends string = string>(
  spec: Omit<ToolSpec<Parameters, Name>, 'execute'>,
): ToolDefinition<Name, InputOf<Parameters>>
export function tool<const Parameters extends AnySchema>(
  spec: Omit<ToolSpec<Parameters>, 'execute'> & Partial<Pick<ToolSpec<Parameters>, 'execute'>>,
): Tool | ToolDefinition {
  const { parameters, inputSchema, input_schema, execute, ...definition } = spec
  if (typeof definition.name !== 'string' || definition.name === '') {
    throw new TypeError('Cannot make a tool: "name" is missing')
  }
  checkConsent(spec, `tool "${definition.name}"`)
  checkOptions('tool', spec, `make tool "${definition.name}"`)
  const schema: AnySchema | undefined = parameters ?? inputSchema ?? input_schema
  const standard = schema !== undefined && isStandardSchema(schema) ? schema : undefined
  return {
    ...definition,
    ...compact({
      parameters: schema === undefined ? undefined : toParameters(schema, definition.name),
      parse: standard && ((args: JsonObject) => parseWith(standard, args)),
      execute: execute as Tool['execute'] | undefined,
      run: execute !== undefined || definition.terminal ? ToolRun : undefined,
    }),
  }
}

/** Arguments are an object, and a schema that says another type would never be fulfilled. */
function toParameters(schema: AnySchema, name: string): JsonSchema {
  const subject = `tool "${name}"`
  const converted = toJsonSchema(schema, subject)
  if (isObject(converted) && takesObjects(converted)) return converted
  throw new TypeError(`Cannot make ${subject}: the type of its parameters is not "object"`)
}

/** Whether a schema may take an object, by its own keywords. */
function takesObjects(schema: unknown): boolean {
  if (!isObject(schema)) return schema === true
  const { type, anyOf, oneOf, allOf } = schema
  return (
    (type === undefined || [type].flat().includes('object')) &&
    [anyOf, oneOf].every((list) => !Array.isArray(list) || list.some(takesObjects)) &&
    arrayOf(allOf).every(takesObjects)
  )
}
