/** From the type of a list of tools to those of their calls and results. Types only. @module */
import type { Json, JsonObject, ProviderTool, ToolCall, ToolDefinition } from '../core/model.ts'
import type { Tool, ToolResult } from './model.ts'

/** The tools of a request, of any kind: the bound of `Tools` in `Run<Tools>` and its siblings. */
export type AnyTools = readonly (Tool | ToolDefinition | ProviderTool)[]

/**
 * A value as it comes from JSON: nothing in it is `undefined`, and it is a `JsonObject` where it is an object, also one of an interface.
 * The compiler looks only at the properties that a program uses.
 */
type Parsed<Value> = unknown extends Value
  ? Json
  : Value extends object
    ? { -readonly [Key in keyof Value]: Parsed<Value[Key]> }
    : Value extends undefined
      ? never
      : Value

/** The arguments of a call whose schema takes these. */
export type ArgumentsFor<Input> = unknown extends Input ? JsonObject : Parsed<Input>

type CallFor<Each> = Each extends ToolDefinition<infer Name, infer Input> ? ToolCall<Name, ArgumentsFor<Input>> : never
type ResultFor<Each> =
  Each extends ToolDefinition<infer Name, infer Input, infer Value>
    ? ToolResult<Name, ArgumentsFor<Input>, Value>
    : never

/** Without a tool of ours in the list, nothing is known of calls. */
export type Or<Known, Otherwise> = [Known] extends [never] ? Otherwise : Known

/**
 * A call of one of these tools: a comparison of its `name` narrows its `arguments`. They were parsed and not checked. A model can name a
 * tool that does not exist, so the name may be another one at run time.
 *
 * @example
 * ```ts
 * import type { CallOf } from 'isoglot/codec'
 *
 * const tools = [weather]
 * const cityOf = (call: CallOf<typeof tools>) => (call.name === 'get_weather' ? call.arguments.city : undefined)
 * ```
 */
export type CallOf<Tools extends AnyTools> = Or<CallFor<Tools[number]>, ToolCall>

/** The result of a call of one of these tools: a comparison of its `name` narrows its `value`. */
export type ResultOf<Tools extends AnyTools> = Or<ResultFor<Tools[number]>, ToolResult>
