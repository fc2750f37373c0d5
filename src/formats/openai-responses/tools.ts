/**
 * OpenAI Responses: tool definitions, tool choice, calls and results.
 *
 * `call_id` links a call and its result. In isoglot it is `ToolCall.id`. The item's `id` is different: it is part of the proof.
 *
 * @see https://platform.openai.com/docs/guides/function-calling?api-mode=responses
 *
 * @module
 */

import { fold } from '../../assemble/fold.ts'
import { checkTools } from '../../core/check-message.ts'
import type { BlockKey, CodecOptions, DecodedCalls, Fragment } from '../../core/codec.ts'
import { blocksOf } from '../../core/content.ts'
import { arrayOf, compact, field, isObject, otherFields, stringOr, textOr } from '../../core/lookup.ts'
import type {
  Content,
  Json,
  JsonObject,
  Opaque,
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
import { format, idPrefix, target } from './tables.ts'
import type {
  WireCallOutput,
  WireCustomCall,
  WireFunctionCall,
  WireFunctionTool,
  WireInputPart,
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
  if ('name' in choice) return { type: 'function', name: choice.name }
  return { type: 'allowed_tools', mode: choice.mode, tools: choice.names.map((name) => ({ type: 'function', name })) }
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
  const { toolChoice, parallelToolCalls } = options
  if (!hasTools) {
    reportUnusedChoice(options, losses)
    return {}
  }
  return compact({
    tool_choice: toolChoice === undefined ? undefined : encodeToolChoice(toolChoice),
    parallel_tool_calls: parallelToolCalls,
  })
}

// ---- calls ------------------------------------------------------------------------------------

/** The type of calls of custom tools. Their input is free text. In isoglot, that text is the value of the only argument, `input`. */
export const customCall = 'custom_tool_call'

const knownOfCall = new Set(['type', 'id', 'call_id', 'name', 'arguments', 'input', 'status'])

/** The context in which a call is read. */
export interface CallReading {
  readonly key: BlockKey
  readonly opaque: Opaque
  /** Whether the server runs the call. */
  readonly server: boolean
}

/** Makes the fragment of a complete call. It replaces earlier fragments of the same call. */
export function callFragment(item: JsonObject, { key, opaque, server }: CallReading): Fragment {
  const isCustom = field(item, 'type') === customCall
  const rest = otherFields(item, knownOfCall)
  const kept = isCustom ? { ...rest, type: customCall } : rest
  const given = isCustom ? customArguments(field(item, 'input')) : argumentsOf(item)
  return {
    type: 'call',
    key,
    id: textOr(field(item, 'call_id'), null),
    name: textOr(field(item, 'name'), null),
    ...(given !== '' && { arguments: given, final: true }), // some hosts send empty arguments at the end, after the real ones
    opaque,
    ...keeping(kept),
    ...compact({ server: server || undefined }),
  }
}

/** Returns the arguments as text, or as an object if the server sends an object. */
export function argumentsOf(item: JsonObject): string | JsonObject {
  const given = field(item, 'arguments')
  return typeof given === 'string' || isObject(given) ? given : ''
}

function customArguments(input: unknown): string {
  return JSON.stringify({ input: stringOr(input, '') })
}

/** The start of the JSON arguments of a custom call. */
export const customOpening = '{"input":"'
/** Escapes a chunk of free text, for use inside the JSON string of `input`. */
export function customPiece(delta: string): string {
  return JSON.stringify(delta).slice(1, -1)
}

/** Reads the tool calls of an answer. */
export function decodeToolCalls(
  body: unknown,
  { dialect = openaiDialect }: CodecOptions<ResponsesDialect> = {},
): DecodedCalls {
  const opaque: Opaque = { provider: dialect.provider, model: textOr(field(body, 'model'), ''), format, data: {} }
  const calls = arrayOf(field(body, 'output')).filter(isCallItem)
  const fragments = calls.map((item, key) => callFragment(item, { key, opaque, server: false }))
  const isCut = field(body, 'status') === 'incomplete'
  const end: Fragment = { type: 'end', stopReason: isCut ? 'length' : 'stop' }
  const { message } = fold([...fragments, end], { idPrefix })
  return {
    toolCalls: blocksOf(message.content).filter((block): block is ToolCall => block.type === 'tool_call'),
    invalidToolCalls: message.invalidToolCalls ?? [],
  }
}

export function isCallItem(item: Json): item is JsonObject {
  const type = field(item, 'type')
  return type === 'function_call' || type === customCall
}

/** Encodes a call as an item, without the item's `id`. `encodeTurn` decides whether the id may be sent. */
export function encodeCall(call: ToolCall): WireFunctionCall | WireCustomCall {
  const { type, ...kept } = keptFields(call)
  if (type === customCall) {
    const input = stringOr(field(call.arguments, 'input'), textOfCall(call))
    return { ...kept, type: customCall, call_id: call.id, name: call.name, input }
  }
  return { ...kept, type: 'function_call', call_id: call.id, name: call.name, arguments: textOfCall(call) }
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

/** Returns the calls in a wrapper, each with the data to write the wrapper again. Returns no calls if the wrapper has another form. */
export function wrappedCalls(
  item: JsonObject,
): readonly { id: string; name: string; arguments: JsonObject; wrapper: JsonObject }[] {
  const given = argumentsOf(item)
  const parsed = typeof given === 'string' ? parseArguments(given) : { value: given }
  const uses = 'value' in parsed ? arrayOf(field(parsed.value, 'tool_uses')) : []
  const id = stringOr(field(item, 'call_id'), '')
  const wrapper = { call_id: id, arguments: given }
  const calls = uses.flatMap((use, at) => {
    const name = stringOr(field(use, 'recipient_name'), '').replace(/^functions\./, '')
    const parameters = field(use, 'parameters') ?? {}
    return name !== '' && isObject(parameters) ? [{ id: `${id}_${at}`, name, arguments: parameters, wrapper }] : []
  })
  return id !== '' && calls.length === uses.length ? calls : []
}

/** Returns the wrapper that a call came in, if there was one. */
export function wrapperOf(call: ToolCall | undefined): { call_id: string; arguments: string } | undefined {
  const wrapper = call === undefined ? undefined : keptFields(call).wrapper
  const id = field(wrapper, 'call_id')
  const given = field(wrapper, 'arguments')
  if (typeof id !== 'string') return undefined
  return { call_id: id, arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}) }
}

// ---- results ----------------------------------------------------------------------------------

/** Encodes the result of one call as an item of `input`: a `function_call_output` or a `custom_tool_call_output`. */
export function encodeResult(
  result: ToolMessage,
  { dialect = openaiDialect }: CodecOptions<ResponsesDialect> = {},
): WireCallOutput {
  return encodeResultFor({ losses: newLosses(target), dialect }, result, 'result')
}

/** Encodes a result within a request. The wire has no field for errors, so a mark in the text says that the tool failed. */
export function encodeResultFor(scope: PartScope, result: ToolMessage, path: string): WireCallOutput {
  const { type: _, ...kept } = keptFields(result)
  const isCustom = keptFields(result).type === `${customCall}_output`
  return {
    ...kept,
    type: isCustom ? `${customCall}_output` : 'function_call_output',
    call_id: result.toolCallId,
    output: encodeOutput(result, `${path}.content`, scope),
  }
}

function encodeOutput(result: ToolMessage, path: string, scope: PartScope): WireCallOutput['output'] {
  const isTextOnly = blocksOf(result.content).every((block) => block.type === 'text' || block.type === 'plain_text')
  const takesParts = scope.dialect.resultMedia.size > 0
  const isJoined = isTextOnly && !takesParts
  const content = isJoined ? joined(result.content) : result.content
  for (const [at, block] of isJoined ? blocksOf(result.content).entries() : []) {
    if (block.providerData !== undefined)
      reportLoss(scope.losses, 'dropped', `${path}[${at}].providerData`, reasons.fields, 'info')
  }
  const output = encodeParts(content, path, scope)
  const isError = result.status === 'error'
  if (typeof output === 'string') return markText(output, isError)
  return markParts<WireInputPart>(output, isError, { type: 'input_text', text: '' })
}

function joined(content: Content): string {
  return blocksOf(content)
    .map((block) => ('text' in block ? block.text : ''))
    .join('\n')
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
