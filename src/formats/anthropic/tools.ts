/**
 * Anthropic Messages: encodes tools, the tool choice and results.
 *
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview (read 2026-11)
 *
 * @module
 */
import { checkTools } from '../../core/check-message.ts'
import type { CodecOptions } from '../../core/codec.ts'
import { compact, unlessEmpty } from '../../core/lookup.ts'
import type { ProviderTool, RequestOptions, ToolChoice, ToolDefinition, ToolMessage } from '../../core/model.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { chosenTools } from '../../kit/tool-choice.ts'
import { encodeResultBlock } from './content.ts'
import { extrasFor, type Scope, scopeOf } from './scope.ts'
import { type AnthropicDialect, format } from './tables.ts'
import type { WireMessage, WireTool, WireToolChoice } from './wire.ts'

// ---- definitions ------------------------------------------------------------------------------

/** Encodes definitions. Anthropic's own tools are sent unchanged. Tools of other formats are dropped. */
export function encodeDefinitions(
  tools: readonly (ToolDefinition | ProviderTool)[],
  _options: CodecOptions<AnthropicDialect> = {},
): WireTool[] {
  return encodeDefinitionsFor(tools, newLosses('Anthropic'))
}

/** Does the same inside a request, and reports losses to `losses`. */
export function encodeDefinitionsFor(tools: readonly (ToolDefinition | ProviderTool)[], losses: Losses): WireTool[] {
  checkTools(tools)
  return tools.flatMap((tool, at) => encodeDefinition(tool, `tools[${at}]`, losses) ?? [])
}

function encodeDefinition(tool: ToolDefinition | ProviderTool, path: string, losses: Losses): WireTool | undefined {
  if ('value' in tool) return tool.format === format ? ({ ...tool.value } as unknown as WireTool) : undefined
  const { name, description, parameters = {}, strict } = tool
  // The API requires the type `object`, and properties in a schema that is empty.
  const { type = 'object' } = parameters
  if (type !== 'object') reportLoss(losses, 'changed', `${path}.parameters.type`, 'arguments are always an object')
  const input_schema = { ...(unlessEmpty(parameters) ?? { properties: {} }), type: 'object' } as const
  return { ...extrasFor(tool, path, { losses }), name, ...compact({ description, input_schema, strict }) }
}

// ---- choice -----------------------------------------------------------------------------------

/**
 * Encodes the tool choice. Returns `undefined` for the API's default, which is `auto`. With a thinking budget, the API refuses a forced
 * call.
 */
export function encodeToolChoice(
  { toolChoice, parallelToolCalls }: Pick<RequestOptions, 'toolChoice' | 'parallelToolCalls'>,
  hasBudget: boolean,
  losses: Losses,
): WireToolChoice | undefined {
  if (toolChoice === 'none') return { type: 'none' }
  if (toolChoice === undefined && parallelToolCalls !== false) return undefined
  const parallel = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls }
  const { mode, names } =
    typeof toolChoice !== 'object'
      ? { mode: toolChoice, names: [] }
      : 'name' in toolChoice
        ? { mode: 'required', names: [toolChoice.name] }
        : toolChoice
  const [name, ...others] = names
  if (mode !== 'required') return { type: 'auto', ...parallel }
  if (!hasBudget)
    return name && others.length === 0 ? { type: 'tool', name, ...parallel } : { type: 'any', ...parallel }
  reportLoss(losses, 'changed', 'options.toolChoice', 'while the model thinks, no call can be forced: it may choose')
  return { type: 'auto', ...parallel }
}

/** Returns the tools that the choice names. The API cannot choose among several tools, so only these are sent: a new prompt cache. */
export function selectTools(
  tools: readonly (ToolDefinition | ProviderTool)[],
  choice: ToolChoice | undefined,
  losses: Losses,
): readonly (ToolDefinition | ProviderTool)[] {
  if (typeof choice !== 'object' || !('names' in choice)) return tools
  const names = new Set(choice.names)
  return chosenTools(tools, (tool) => 'value' in tool || names.has(tool.name), losses)
}

// ---- results ----------------------------------------------------------------------------------

/**
 * Encodes the result of one call as an entry of `messages`: a user message with one `tool_result` block. The results of parallel calls must
 * be in one message, which `encodeRequest` does.
 */
export function encodeResult(result: ToolMessage, { dialect = {} }: CodecOptions<AnthropicDialect> = {}): WireMessage {
  const scope: Scope = { ...scopeOf(dialect, '', newLosses('Anthropic')), place: 'user' }
  return { role: 'user', content: [encodeResultBlock(result, 'result', scope)] }
}
