/**
 * OpenAI Responses: tool definitions, tool choice, calls and results.
 *
 * `call_id` links a call and its result. In isoglot it is `ToolCall.id`. The item's `id` is different: it is part of the proof.
 *
 * @see https://platform.openai.com/docs/guides/function-calling?api-mode=responses
 *
 * @module
 */

import { checkTools } from '../../core/check-message.ts'
import type { CodecOptions } from '../../core/codec.ts'
import { arrayOf, compact, field, isObject, otherFields, stringOr, textOr, unlessEmpty } from '../../core/lookup.ts'
import type {
  JsonObject,
  ProviderTool,
  RequestOptions,
  ToolCall,
  ToolChoice,
  ToolDefinition,
  ToolMessage,
} from '../../core/model.ts'
import { isNoArguments, parseArguments } from '../../core/tool-call.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import * as reasons from '../../kit/reasons.ts'
import { reportUnusedChoice } from '../../kit/tool-choice.ts'
import { markParts, markText, unmark } from '../../kit/tool-error.ts'
import { decodeParts, encodeParts, keeping, keptFields, type PartScope, verbatim } from './content.ts'
import { openaiDialect, type ResponsesDialect } from './dialect.ts'
import { format, target } from './tables.ts'
import type {
  WireCallOutput,
  WireCustomCall,
  WireFunctionCall,
  WireFunctionTool,
  WireRequest,
  WireToolChoice,
} from './wire.ts'

// ---- definitions ------------------------------------------------------------------------------

type AnyTool = ToolDefinition | ProviderTool

/** Encodes definitions in the flat form of this wire. Provider tools of other formats are left out. */
export function encodeDefinitions(
  tools: readonly AnyTool[],
  _options: CodecOptions<ResponsesDialect> = {},
): WireFunctionTool[] {
  checkTools(tools)
  return tools.flatMap((tool) => encodeDefinition(tool) ?? [])
}

function encodeDefinition(tool: AnyTool): WireFunctionTool | undefined {
  if ('type' in tool && tool.type === 'provider_tool') {
    return tool.format === format ? verbatim<WireFunctionTool>(tool.value) : undefined
  }
  const { name, description, parameters, strict } = tool as ToolDefinition
  const isOwn = (tool as ToolDefinition).providerData?.[format] !== undefined
  return {
    type: 'function',
    // Without `strict`, the server uses strict mode where it can, and may change the schema. A tool not read from this wire gets `false`.
    ...(isOwn ? {} : { strict: false, parameters: { type: 'object', properties: {} } }),
    ...keptFields(tool as ToolDefinition),
    ...compact({ name, description, parameters, strict }),
  } as WireFunctionTool
}

const knownOfTool = new Set(['type', 'name', 'description', 'parameters', 'strict'])

/** Decodes tools. Functions become definitions. All other tools become provider tools, with their value unchanged. */
export function decodeDefinitions(tools: unknown): AnyTool[] {
  return arrayOf(tools).flatMap((tool) => (isObject(tool) ? [decodeDefinition(tool)] : []))
}

function decodeDefinition(tool: JsonObject): AnyTool {
  const name = field(tool, 'name')
  if (field(tool, 'type') !== 'function' || typeof name !== 'string') {
    return { type: 'provider_tool', format, value: tool }
  }
  const { parameters, strict, description } = tool
  const unread = compact({
    parameters: parameters === null ? null : undefined,
    strict: strict === null ? null : undefined,
    description: description === null ? null : undefined,
  })
  return compact({
    name,
    description: stringOr(description, undefined),
    parameters: isObject(parameters) ? parameters : undefined,
    strict: typeof strict === 'boolean' ? strict : undefined,
    providerData: { [format]: { ...otherFields(tool, knownOfTool), ...unread } },
  })
}

// ---- choice -----------------------------------------------------------------------------------

export function encodeToolChoice(choice: ToolChoice): WireToolChoice {
  if (typeof choice === 'string') return choice
  const toFunction = (name: string) => ({ type: 'function', name }) as const
  if ('name' in choice) return toFunction(choice.name)
  return { type: 'allowed_tools', mode: choice.mode, tools: choice.names.map(toFunction) }
}

/** Returns `undefined` for a choice that isoglot does not know. The caller then keeps it unchanged. */
export function decodeToolChoice(choice: unknown): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  const type = field(choice, 'type')
  const name = field(choice, 'name')
  if (type === 'function' && typeof name === 'string') return { name }
  const mode = field(choice, 'mode')
  if (type !== 'allowed_tools' || (mode !== 'auto' && mode !== 'required')) return undefined
  const tools = arrayOf(field(choice, 'tools'))
  const names = tools.flatMap((tool) => (field(tool, 'type') === 'function' ? textOr(field(tool, 'name'), []) : []))
  return names.length === tools.length ? { names, mode } : undefined
}

/** Encodes the options of tool choice. A request without tools has none of them: they are reported as a loss. */
export function encodeChoiceOptions(
  options: RequestOptions,
  hasTools: boolean,
  losses: Losses,
): Pick<WireRequest, 'tool_choice' | 'parallel_tool_calls'> {
  if (!hasTools) {
    reportUnusedChoice(options, losses)
    return {}
  }
  const { toolChoice, parallelToolCalls: parallel_tool_calls } = options
  return compact({ tool_choice: toolChoice && encodeToolChoice(toolChoice), parallel_tool_calls })
}

// ---- calls ------------------------------------------------------------------------------------

/** The type of calls of custom tools. Their input is free text. In isoglot, that text is the value of the only argument, `input`. */
export const customCall = 'custom_tool_call'

/** Returns the arguments as text, or as an object if the server sends an object. */
export function argumentsOf(item: JsonObject): string | JsonObject {
  const given = field(item, 'arguments')
  return typeof given === 'string' || isObject(given) ? given : ''
}

/** Encodes a call as an item, without the item's `id`. `encodeTurn` decides whether the id may be sent. */
export function encodeCall(call: ToolCall): WireFunctionCall | WireCustomCall {
  const { type, ...kept } = keptFields(call)
  const { id: call_id, name } = call
  const text = textOfCall(call)
  if (type !== customCall) return { ...kept, type: 'function_call', call_id, name, arguments: text }
  return { ...kept, type, call_id, name, input: stringOr(field(call.arguments, 'input'), text) }
}

/** Returns the arguments as the original text. If the caller changed the arguments, returns them as new JSON text. */
function textOfCall(call: ToolCall): string {
  const parsed = parseArguments(call.argumentsText)
  const isSame = 'reason' in parsed || JSON.stringify(parsed.value) === JSON.stringify(call.arguments)
  return isSame && !isNoArguments(call.argumentsText) ? call.argumentsText : JSON.stringify(call.arguments)
}

// ---- the wrapper of parallel calls ------------------------------------------------------------

/** The name of an internal tool that models sometimes call. The arguments of that call hold the real calls (vercel/ai 6be0f51). */
export const wrapperName = 'multi_tool_use.parallel'

/** Returns the calls in a wrapper, each with the data to write the wrapper again. Returns no calls for any other item or form. */
export function wrappedCalls(
  item: JsonObject,
): readonly { id: string; name: string; arguments: JsonObject; wrapper: JsonObject }[] {
  if (item.name !== wrapperName) return []
  const given = argumentsOf(item)
  const text = typeof given === 'string' ? given : JSON.stringify(given)
  const parsed = parseArguments(text)
  const uses = 'value' in parsed ? arrayOf(parsed.value.tool_uses) : []
  const call_id = stringOr(item.call_id, '')
  const wrapper = { call_id, arguments: text }
  const calls = uses.flatMap((use, at) => {
    const name = stringOr(field(use, 'recipient_name'), '').replace(/^functions\./, '')
    const parameters = field(use, 'parameters') ?? {}
    return name !== '' && isObject(parameters) ? [{ id: `${call_id}_${at}`, name, arguments: parameters, wrapper }] : []
  })
  return call_id !== '' && calls.length === uses.length ? calls : []
}

/** Returns the wrapper that a call came in, if there was one. */
export function wrapperOf(call: ToolCall | undefined): { call_id: string; arguments: string } | undefined {
  return call && (keptFields(call).wrapper as { call_id: string; arguments: string } | undefined)
}

// ---- results ----------------------------------------------------------------------------------

/** Encodes the result of one call as an item of `input`: a `function_call_output` or a `custom_tool_call_output`. */
export function encodeResult(
  result: ToolMessage,
  { dialect = openaiDialect }: CodecOptions<ResponsesDialect> = {},
): WireCallOutput {
  return encodeResultOf(undefined, result, 'result', { losses: newLosses(target), dialect })
}

/**
 * Encodes a result within a request. Its type, its id and its `caller` match those of its call. The wire has no field for errors, so a mark
 * in the text says that the tool failed.
 */
export function encodeResultOf(
  call: ToolCall | undefined,
  result: ToolMessage,
  path: string,
  scope: PartScope,
): WireCallOutput {
  const { type, caller } = call === undefined ? ({} as JsonObject) : keptFields(call)
  return {
    type: type === customCall ? `${customCall}_output` : 'function_call_output',
    ...compact({ caller: caller ?? undefined }),
    ...keptFields(result),
    call_id: wrapperOf(call)?.call_id ?? result.toolCallId,
    output: encodeOutput(result, `${path}.content`, scope),
  }
}

function encodeOutput({ content, status }: ToolMessage, path: string, scope: PartScope): WireCallOutput['output'] {
  const isError = status === 'error'
  const parts = encodeParts(content, path, scope)
  if (typeof parts === 'string') return markText(parts, isError)
  const isText = parts.every((part) => part.type === 'input_text')
  if (!isText || scope.dialect.resultMedia.size > 0) return markParts(parts, isError, { type: 'input_text', text: '' })
  for (const [at, { type, text, ...kept }] of parts.entries()) {
    if (unlessEmpty(kept)) reportLoss(scope.losses, 'dropped', `${path}[${at}].providerData`, reasons.fields, 'info')
  }
  return markText(parts.map(({ text }) => text).join('\n'), isError)
}

const knownOfOutput = new Set(['call_id', 'output', 'type'])

/** Decodes a result. The error mark in its text becomes `status: 'error'`. */
export function decodeResult(item: JsonObject, name: string | undefined): ToolMessage {
  const type = field(item, 'type')
  const output = field(item, 'output')
  const content =
    typeof output === 'string' || Array.isArray(output) ? decodeParts(output) : JSON.stringify(output ?? '')
  const { content: unmarkedContent, isError } = unmark(content)
  const kept = type === 'function_call_output' ? {} : { type: type ?? null }
  return compact({
    role: 'tool',
    toolCallId: stringOr(field(item, 'call_id'), ''),
    name,
    content: unmarkedContent,
    status: isError ? 'error' : undefined,
    ...keeping({ ...otherFields(item, knownOfOutput), ...kept }),
  })
}
