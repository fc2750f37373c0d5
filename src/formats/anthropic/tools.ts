/**
 * Anthropic Messages: encodes and decodes tools, the tool choice, calls and results.
 *
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/overview (read 2026-11)
 *
 * @module
 */
import { checkTools } from '../../core/check-message.ts'
import type { CallFragment, CodecOptions, DecodedCalls } from '../../core/codec.ts'
import { blocksOf } from '../../core/content.ts'
import { DecodeError } from '../../core/errors.ts'
import { arrayOf, compact, field, isObject, stringOr, textOr } from '../../core/lookup.ts'
import type {
  Content,
  InvalidToolCall,
  JsonObject,
  ProviderTool,
  RequestOptions,
  ToolCall,
  ToolChoice,
  ToolDefinition,
  ToolMessage,
  ToolResultBlock,
} from '../../core/model.ts'
import { readCall, textOfArguments } from '../../core/tool-call.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { chosenTools } from '../../kit/tool-choice.ts'
import { encodeCacheHint } from './cache.ts'
import { decodeBlock, encodeBlock } from './content.ts'
import { extrasOf, keptOf, noteForeignFields, type Origin, type Scope } from './scope.ts'
import { type AnthropicDialect, format, knownFields } from './tables.ts'
import type { WireMessage, WireTool, WireToolChoice, WireToolResult, WireToolUse } from './wire.ts'

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
  if ('value' in tool) {
    return tool.format === format ? ({ ...tool.value } as unknown as WireTool) : undefined
  }
  const mark = encodeCacheHint(tool.metadata, path, losses)
  return {
    ...keptOf(tool),
    name: tool.name,
    ...compact({
      description: tool.description,
      input_schema: inputSchema(tool, path, losses),
      strict: tool.strict,
      cache_control: mark,
    }),
  }
}

/** Returns the schema of the arguments. The API requires the type `object`. */
function inputSchema({ parameters }: ToolDefinition, path: string, losses: Losses): WireTool['input_schema'] {
  if (parameters === undefined || Object.keys(parameters).length === 0) return { type: 'object', properties: {} }
  if (parameters.type !== undefined && parameters.type !== 'object') {
    reportLoss(losses, 'changed', `${path}.parameters.type`, 'arguments are always an object')
  }
  return { ...parameters, type: 'object' }
}

/** Decodes a tool. A tool that only this format has becomes a `provider_tool`. */
export function decodeDefinition(wire: unknown, path: string): ToolDefinition | ProviderTool {
  if (!isObject(wire)) throw new DecodeError(`Cannot decode Anthropic request: "${path}" is not an object`, { path })
  const { type, name, description, input_schema: parameters, strict } = wire
  const isOurs = type === undefined || type === null || type === 'custom'
  if (!isOurs || typeof name !== 'string' || !isObject(parameters))
    return { type: 'provider_tool', format, value: wire }
  return compact({
    name,
    description: stringOr(description, undefined),
    parameters,
    strict: typeof strict === 'boolean' ? strict : undefined,
    ...extrasOf(wire, knownFields.tool),
  })
}

// ---- choice -----------------------------------------------------------------------------------

type Choice = Pick<RequestOptions, 'toolChoice' | 'parallelToolCalls'>

/** Encodes the tool choice. Returns `undefined` for the API's default, which is `auto`. */
export function encodeToolChoice({ toolChoice, parallelToolCalls }: Choice): WireToolChoice | undefined {
  if (toolChoice === 'none') return { type: 'none' }
  if (toolChoice === undefined) {
    return parallelToolCalls === false ? { type: 'auto', disable_parallel_tool_use: true } : undefined
  }
  const parallel = parallelToolCalls === undefined ? {} : { disable_parallel_tool_use: !parallelToolCalls }
  const name = onlyName(toolChoice)
  return name === undefined
    ? { type: isForced(toolChoice) ? 'any' : 'auto', ...parallel }
    : { type: 'tool', name, ...parallel }
}

function onlyName(choice: ToolChoice): string | undefined {
  if (typeof choice === 'string') return undefined
  if ('name' in choice) return choice.name
  return choice.mode === 'required' && choice.names.length === 1 ? choice.names[0] : undefined
}

function isForced(choice: ToolChoice): boolean {
  return choice === 'required' || (typeof choice === 'object' && 'mode' in choice && choice.mode === 'required')
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

/** Decodes the tool choice. Returns `undefined` for an unknown type, which is kept. @throws {DecodeError} if the type is missing. */
export function decodeToolChoice(wire: unknown): Choice | undefined {
  const disabled = field(wire, 'disable_parallel_tool_use')
  const parallel = typeof disabled === 'boolean' ? { parallelToolCalls: !disabled } : {}
  const name = field(wire, 'name')
  switch (field(wire, 'type')) {
    case 'auto':
      return { toolChoice: 'auto', ...parallel }
    case 'any':
      return { toolChoice: 'required', ...parallel }
    case 'none':
      return { toolChoice: 'none', ...parallel }
    case 'tool':
      if (typeof name === 'string') return { toolChoice: { name }, ...parallel }
  }
  if (typeof field(wire, 'type') === 'string' && field(wire, 'type') !== 'tool') return undefined
  throw new DecodeError(
    'Cannot decode Anthropic request: "tool_choice" is not an object with a type, and a name where it is "tool"',
    {
      path: 'tool_choice',
    },
  )
}

// ---- calls ------------------------------------------------------------------------------------

/** Encodes a call. Its input is always an object. */
export function encodeCall(call: ToolCall, path: string, scope: Scope): WireToolUse {
  noteForeignFields(call, path, scope.losses)
  const mark = scope.place === 'answer' ? undefined : encodeCacheHint(call.metadata, path, scope.losses)
  return {
    ...keptOf(call),
    type: 'tool_use',
    id: call.id,
    name: call.name,
    input: call.arguments,
    ...compact({ cache_control: mark }),
  }
}

/** Encodes an invalid call, since the request also has its result. The input is empty, because the arguments are not an object. */
export function encodeInvalidCall(call: InvalidToolCall, path: string, scope: Scope): WireToolUse {
  reportLoss(scope.losses, 'changed', `${path}.argumentsText`, 'arguments that are not an object cannot be sent')
  return {
    ...keptOf(call),
    type: 'tool_use',
    id: call.id ?? `invalid_${call.index}`,
    name: call.name ?? 'unnamed_tool',
    input: {},
  }
}

/** Returns the arguments of a call: an object, text if the host sends text, or `undefined` if they are absent. */
export function inputOf(wire: JsonObject): CallFragment['arguments'] {
  const input = field(wire, 'input')
  if (input === undefined || input === null) return undefined
  return isObject(input) || typeof input === 'string' ? input : JSON.stringify(input)
}

/** Decodes a call. Returns `undefined` if its input is nested too deep to be written as text. */
export function decodeCall(wire: JsonObject, index: number): ToolCall | InvalidToolCall | undefined {
  const input = inputOf(wire) ?? ''
  const argumentsText = typeof input === 'string' ? input : textOfArguments(input)
  if (argumentsText === undefined) return undefined
  const { providerData, metadata } = extrasOf(wire, knownFields.call)
  const call = readCall({
    id: stringOr(field(wire, 'id'), ''),
    name: textOr(field(wire, 'name'), undefined),
    argumentsText,
    index,
    providerData,
  })
  return metadata === undefined || call.type === 'invalid_tool_call' ? call : { ...call, metadata }
}

/** Decodes the calls in the body of an answer. Ignores calls that the provider runs. */
export function decodeToolCalls(body: unknown, _options: CodecOptions<AnthropicDialect> = {}): DecodedCalls {
  const toolCalls: ToolCall[] = []
  const invalidToolCalls: InvalidToolCall[] = []
  for (const block of arrayOf(field(body, 'content'))) {
    if (!isObject(block) || field(block, 'type') !== 'tool_use') continue
    const call = decodeCall(block, toolCalls.length + invalidToolCalls.length)
    if (call?.type === 'tool_call') toolCalls.push(call)
    else if (call !== undefined) invalidToolCalls.push(call)
  }
  return { toolCalls, invalidToolCalls }
}

// ---- results ----------------------------------------------------------------------------------

/**
 * Encodes the result of one call as an entry of `messages`: a user message with one `tool_result` block. The results of parallel calls must
 * be in one message, which `encodeRequest` does.
 */
export function encodeResult(result: ToolMessage, { dialect = {} }: CodecOptions<AnthropicDialect> = {}): WireMessage {
  const target = { format, provider: dialect.provider ?? format, model: '' }
  const scope: Scope = { losses: newLosses('Anthropic'), target, place: 'result' }
  return { role: 'user', content: [encodeResultBlock(result, 'result', scope)] }
}

export function encodeResultBlock(result: ToolMessage | ToolResultBlock, path: string, scope: Scope): WireToolResult {
  noteForeignFields(result, path, scope.losses)
  const isError = 'role' in result ? result.status === 'error' : result.isError === true
  const mark = encodeCacheHint(result.metadata, path, scope.losses)
  const content = resultContent(result.content, `${path}.content`, { ...scope, place: 'result' })
  return {
    ...keptOf(result),
    type: 'tool_result',
    tool_use_id: result.toolCallId,
    ...compact({ content, is_error: isError || undefined, cache_control: mark }),
  }
}

function resultContent(content: Content, path: string, scope: Scope): WireToolResult['content'] {
  if (typeof content === 'string') return content === '' ? undefined : content
  const blocks = blocksOf(content).flatMap((block, at) => encodeBlock(block, `${path}[${at}]`, scope) ?? [])
  return blocks as Exclude<WireToolResult['content'], string | undefined>
}

/** Decodes a result. `names` has the tool names of earlier calls by call id, since a result in this format has no tool name. */
export function decodeResult(wire: JsonObject, names: ReadonlyMap<string, string>, origin: Origin): ToolMessage {
  const toolCallId = stringOr(field(wire, 'tool_use_id'), '')
  const name = names.get(toolCallId)
  const isError = field(wire, 'is_error')
  const known = isError === true ? new Set([...knownFields.result, 'is_error']) : knownFields.result
  return compact({
    role: 'tool',
    toolCallId,
    name,
    content: decodeResultContent(field(wire, 'content'), origin),
    status: typeof isError === 'boolean' ? (isError ? 'error' : 'success') : undefined,
    ...extrasOf(wire, known),
  })
}

function decodeResultContent(content: unknown, origin: Origin): Content {
  if (typeof content === 'string') return content
  if (content === undefined || content === null) return ''
  if (!Array.isArray(content)) return JSON.stringify(content)
  return content.map((block) =>
    isObject(block) ? decodeBlock(block, origin) : { type: 'text', text: stringOr(block, JSON.stringify(block)) },
  )
}
