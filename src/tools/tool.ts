/** Tools: what a model is told, and the function that runs. @module */
import type { Content, JsonObject, JsonSchema, Message, ToolCall, ToolDefinition } from '../model.ts'
import type { Typed } from './types.ts'

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

/** What a tool may return to say more than its content: everything else is a value, and becomes text. */
export interface ToolOutput {
  readonly content?: Content
  /** `error`: the model is told that the tool failed, and `content` says why. Default `success`. */
  readonly status?: 'success' | 'error'
  /** For the application, never sent to a model. */
  readonly artifacts?: readonly unknown[]
  /** For the application, never sent to a model. */
  readonly extra?: { readonly [key: string]: unknown }
}

/**
 * A validator of any library, as they agreed on one another. It converts itself to JSON Schema if it has `jsonSchema`.
 *
 * @see https://standardschema.dev (read 2026-11)
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> }
  }
}
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] }
export interface StandardIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** How a tool behaves in the loop. */
export interface ToolBehaviour {
  /** `false`: hand over the arguments as they came, unchecked and with their nulls. Default true. */
  readonly convert?: boolean
  /** Never at the same time as another call of the turn. Default false. */
  readonly sequential?: boolean
  /** Ends the run without being run: its arguments are the answer. Default false. */
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
}

/** What `tool` takes. */
export interface ToolSpec<Parameters> extends Omit<ToolDefinition, 'parameters'>, ToolBehaviour {
  /** What `t.object()` makes, a JSON Schema of type `object`, or a Standard Schema that converts itself. Absent: no arguments. */
  readonly parameters?: Parameters
  /** Runs it. May return a string, JSON, content blocks, a {@link ToolOutput}, or a promise; what it throws is told to the model. */
  readonly execute: (args: ArgumentsOf<Parameters>, context: ToolContext) => unknown
}

/** What `execute` is given: what the schema makes, or a plain object where the schema has no types. */
export type ArgumentsOf<Parameters> =
  Parameters extends StandardSchema<infer Output>
    ? Output
    : Parameters extends Typed<infer Value>
      ? unknown extends Value
        ? JsonObject
        : Value
      : JsonObject

/**
 * Makes a tool.
 *
 * @example
 * ```ts
 * const weather = tool({
 *   name: 'get_weather',
 *   description: 'Current weather in a city',
 *   parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
 *   execute: ({ city }) => `25 °C and sunny in ${city}`,
 * })
 * ```
 * @throws {TypeError} if the schema cannot be converted to JSON Schema.
 */
export function tool<const Parameters extends JsonSchema | StandardSchema = JsonObject>(
  spec: ToolSpec<Parameters>,
): Tool {
  const { parameters, execute, ...definition } = spec
  if (parameters === undefined || !isStandardSchema(parameters)) {
    return {
      ...definition,
      ...(parameters && { parameters: parameters as JsonSchema }),
      execute: execute as Tool['execute'],
    }
  }
  return {
    ...definition,
    parameters: toJsonSchema(parameters, spec.name),
    parse: (args) => parseWith(parameters, args),
    execute: execute as Tool['execute'],
  }
}

/** What of a tool a model is told: none of its functions and behaviour. */
export function definitionOf(tool: Tool | ToolDefinition): ToolDefinition {
  const { execute, parse, convert, sequential, terminal, needsApproval, timeoutMs, ...definition } = tool as Tool
  return definition
}

/** Whether it can run here; a definition without `execute` is for the caller to run. */
export function isRunnable(definition: object): definition is Tool {
  return 'execute' in definition && typeof definition.execute === 'function'
}

function isStandardSchema(value: object): value is StandardSchema {
  return '~standard' in value
}

function toJsonSchema(schema: StandardSchema, name: string): JsonSchema {
  const convert = schema['~standard'].jsonSchema?.input
  if (convert === undefined) {
    throw new TypeError(
      `Cannot make tool "${name}": its ${schema['~standard'].vendor} schema does not convert itself to JSON Schema`,
    )
  }
  const { $schema: _, ...converted } = convert({ target: 'draft-2020-12' })
  return converted
}

async function parseWith(schema: StandardSchema, args: JsonObject): Promise<unknown> {
  const result = await schema['~standard'].validate(args)
  if (result.issues === undefined) return result.value
  throw new TypeError(result.issues.map(describeIssue).join('; '))
}

function describeIssue({ message, path }: StandardIssue): string {
  const keys = (path ?? []).map((part) => String(typeof part === 'object' ? part.key : part))
  return keys.length === 0 ? message : `${keys.join('.')}: ${message}`
}
