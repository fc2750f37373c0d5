/** Tools: what a model is told, and the function that runs. @module */
import { isObject } from '../lookup.ts'
import type { JsonObject, JsonSchema, Message, ToolCall, ToolDefinition } from '../model.ts'
import { type AnySchema, isStandardSchema, type OutputOf, parseWith, toJsonSchema } from './schema.ts'

/** What a running tool knows of its surroundings. */
export interface ToolContext {
  readonly call: ToolCall
  /** The conversation up to and with the message that made the call. */
  readonly messages: readonly Message[]
  /** Fires when the run is cancelled, or the tool has had its time. */
  readonly signal: AbortSignal
  /** Tells the caller how it goes on: a `tool_progress` event each. */
  progress(data: unknown): void
}

/** How a tool behaves in the loop. */
export interface ToolBehaviour {
  /** `false`: hand over the arguments as they came, unchecked and with their nulls. Default true. */
  readonly convert?: boolean
  /** Never at the same time as another call of the turn. Default false. */
  readonly sequential?: boolean
  /** Ends the run without being run: its arguments are the answer, once they fit. Default false. */
  readonly terminal?: boolean
  /** Whether a call needs the consent of a person before it runs. Default false. */
  readonly needsApproval?: boolean | ((call: ToolCall) => boolean | Promise<boolean>)
  /** How long it may run, in milliseconds; wins over the run's `toolTimeoutMs`. */
  readonly timeoutMs?: number
}

/** A tool that can run. Tools of different arguments fit one array, since what is in it takes whatever `parse` made. */
export interface Tool extends ToolDefinition, ToolBehaviour {
  /** Checks and converts arguments. What it throws is told to the model, and the tool is not run. */
  readonly parse?: (args: JsonObject) => unknown | Promise<unknown>
  readonly execute: (args: never, context: ToolContext) => unknown
  /** `mcpTools` made it: its name is the server's choice, and never replaces that of another tool. */
  readonly fromMcp?: true
}

/** What `tool` takes. */
export interface ToolSpec<Parameters> extends Omit<ToolDefinition, 'parameters'>, ToolBehaviour {
  /** What `t.object()` makes, a JSON Schema of type `object`, or a Standard Schema that converts itself. Absent: no arguments. */
  readonly parameters?: Parameters
  /** The same under the name that MCP and others have for it. */
  readonly inputSchema?: Parameters
  /** The same under the name that Anthropic has for it. */
  readonly input_schema?: Parameters
  /** Runs it. May return a string, JSON, content blocks, a `ToolOutput`, or a promise; what it throws is told to the model. */
  readonly execute: (args: ArgumentsOf<Parameters>, context: ToolContext) => unknown
}

/** What `execute` is given: what the schema makes, or a plain object where the schema has no types. */
export type ArgumentsOf<Parameters> = OutputOf<Parameters, JsonObject>

/**
 * Makes a tool. Without `execute` it is a definition whose schema is converted; its calls are for the caller to run.
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
 * @throws {TypeError} if it has no name, or its schema is not that of an object, or cannot be converted to JSON Schema.
 */
export function tool<const Parameters extends AnySchema = JsonObject>(spec: ToolSpec<Parameters>): Tool
export function tool<const Parameters extends AnySchema = JsonObject>(
  spec: Omit<ToolSpec<Parameters>, 'execute'>,
): ToolDefinition
export function tool<const Parameters extends AnySchema>(
  spec: Omit<ToolSpec<Parameters>, 'execute'> & Partial<Pick<ToolSpec<Parameters>, 'execute'>>,
): Tool | ToolDefinition {
  const { parameters, inputSchema, input_schema, execute, ...definition } = spec
  if (typeof definition.name !== 'string' || definition.name === '') {
    throw new TypeError('Cannot make a tool: "name" is missing')
  }
  const schema: AnySchema | undefined = parameters ?? inputSchema ?? input_schema
  return {
    ...definition,
    ...(schema !== undefined && { parameters: toParameters(schema, definition.name) }),
    ...(schema !== undefined && isStandardSchema(schema) && { parse: (args: JsonObject) => parseWith(schema, args) }),
    ...(execute !== undefined && { execute: execute as Tool['execute'] }),
  }
}

/** Arguments are an object, and a schema that says another type would never be fulfilled. */
function toParameters(schema: AnySchema, name: string): JsonSchema {
  const subject = `tool "${name}"`
  const converted = toJsonSchema(schema, subject)
  if (!isObject(converted) || (converted.type !== undefined && converted.type !== 'object')) {
    throw new TypeError(`Cannot make ${subject}: the type of its parameters is not "object"`)
  }
  return converted
}

/**
 * Two tools of one name: the later one counts, but not where a person has to approve one of them, or where the name was chosen by an MCP
 * server. Otherwise whoever adds a tool could take the place of one that asks first.
 *
 * @throws {TypeError} that says how to rename one of them.
 */
export function checkReplacing(earlier: object, later: object, name: string): void {
  if (earlier === later) return
  const [one, other] = [earlier, later] as [Partial<Tool>, Partial<Tool>]
  const isMcp = one.fromMcp || other.fromMcp
  if (!isMcp && !one.needsApproval && !other.needsApproval) return
  const why = isMcp ? 'one of them is of an MCP server' : 'one of them needs approval'
  const how = isMcp ? 'give its tools another name by mcpTools(client, { prefix })' : 'rename one of them'
  throw new TypeError(`Cannot use two tools named "${name}": ${why}; ${how}`)
}

/** What of a tool a model is told: none of its functions and behaviour. */
export function definitionOf(tool: Tool | ToolDefinition): ToolDefinition {
  const { execute, parse, convert, sequential, terminal, needsApproval, timeoutMs, fromMcp, ...definition } =
    tool as Tool
  return definition
}

/**
 * The tool with a JSON Schema: what was written as a plain object with the schema of a library, or under another name for the schema,
 * is what `tool` makes of it. Other tools come back as they are.
 *
 * @throws {TypeError} what `tool` throws.
 */
export function withJsonSchema<Given extends object>(given: Given): Given | Tool | ToolDefinition {
  const { name, parameters, inputSchema, input_schema } = given as Partial<ToolSpec<AnySchema>>
  const schema = parameters ?? inputSchema ?? input_schema
  if (name === undefined || schema === undefined || (schema === parameters && !isStandardSchema(schema))) return given
  return tool(given as ToolSpec<AnySchema>)
}

/** Whether it can run here; a definition without `execute` is for the caller to run. */
export function isRunnable(definition: object): definition is Tool {
  return 'execute' in definition && typeof definition.execute === 'function'
}
