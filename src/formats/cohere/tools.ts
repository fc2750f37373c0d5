/**
 * Cohere Chat v2: reads and writes tools, the tool choice, calls and results.
 *
 * @see https://docs.cohere.com/docs/tool-use-overview (read 2026-11)
 *
 * @module
 */
import { checkTools } from '../../core/check-message.ts'
import type { CallFragment, CodecOptions, DecodedCalls } from '../../core/codec.ts'
import { blocksOf } from '../../core/content.ts'
import { compact, field, isObject, objectIn, otherFields, stringOr, textOr } from '../../core/lookup.ts'
import type {
  InvalidToolCall,
  Json,
  JsonObject,
  ProviderTool,
  RequestOptions,
  ToolCall,
  ToolDefinition,
  ToolMessage,
} from '../../core/model.ts'
import { exactArguments, readCall, textOfArguments } from '../../core/tool-call.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { chosenTools, reportUnusedChoice } from '../../kit/tool-choice.ts'
import { markParts, markText, unmark } from '../../kit/tool-error.ts'
import {
  decodeContent,
  encodeResultPart,
  keptFields,
  listAt,
  objectAt,
  type Subject,
  stringAt,
  verbatim,
} from './content.ts'
import { format, idPrefix, reasons, takesChoice } from './tables.ts'
import type { WireCall, WireRequest, WireTool, WireToolResult } from './wire.ts'

type Tools = readonly (ToolDefinition | ProviderTool)[]

// ---- definitions ------------------------------------------------------------------------------

/** Writes the tools, without those of other formats. */
export function encodeDefinitions(tools: Tools, _options: CodecOptions = {}): WireTool[] {
  checkTools(tools)
  return tools.flatMap((tool) => {
    if (!('type' in tool)) return [encodeDefinition(tool)]
    return tool.format === format ? [verbatim<WireTool>(tool.value)] : []
  })
}

function encodeDefinition(tool: ToolDefinition): WireTool {
  const kept = keptFields(tool)
  return {
    ...kept,
    type: 'function',
    function: {
      ...objectIn(kept, 'function'),
      name: tool.name,
      ...compact({ description: tool.description }),
      parameters: { type: 'object', ...(tool.parameters ?? { properties: {} }) },
    },
  }
}

/** Writes `strict_tools`. It applies to all tools, so it is sent only if every tool is strict. */
export function encodeStrictness(tools: Tools, losses: Losses): Pick<WireRequest, 'strict_tools'> {
  const isStrict = (tool: Tools[number]) => 'name' in tool && tool.strict === true
  if (!tools.some(isStrict)) return {}
  if (tools.every(isStrict)) return { strict_tools: true }
  for (const [at, tool] of tools.entries()) {
    if (isStrict(tool)) reportLoss(losses, 'dropped', `tools[${at}].strict`, reasons.strictTools)
  }
  return {}
}

const definitionFields: ReadonlySet<string> = new Set(['type', 'function'])
const functionFields: ReadonlySet<string> = new Set(['name', 'description', 'parameters'])

/** Reads one entry of `tools`. An entry that is not a function is kept unchanged. */
export function decodeDefinition(entry: Json, isStrict: boolean, path: string): ToolDefinition | ProviderTool {
  const tool = objectAt(entry, path, 'request')
  const body = field(tool, 'function')
  const name = field(body, 'name')
  if (!isObject(body) || typeof name !== 'string') return { type: 'provider_tool', format, value: tool }
  const parameters = field(body, 'parameters')
  return compact({
    name,
    description: stringOr(field(body, 'description'), undefined),
    parameters: isObject(parameters) ? parameters : undefined,
    strict: isStrict || undefined,
    providerData: keep(tool, definitionFields, body, functionFields),
  })
}

/** Returns the unknown fields of an entry and of its `function`, nested as in the request or the answer. */
function keep(
  entry: JsonObject,
  entryFields: ReadonlySet<string>,
  body: JsonObject,
  bodyFields: ReadonlySet<string>,
): { [format]: JsonObject } | undefined {
  const outer = otherFields(entry, entryFields)
  const inner = otherFields(body, bodyFields)
  if (outer === undefined && inner === undefined) return undefined
  return { [format]: { ...outer, ...compact({ function: inner }) } }
}

// ---- choice -----------------------------------------------------------------------------------

/** Returns the tools to send and the `tool_choice`. Cohere cannot choose by name, so only the chosen tools are sent. */
export function encodeToolChoice(
  tools: Tools,
  options: RequestOptions,
  losses: Losses,
): { readonly tools: Tools; readonly choice: Pick<WireRequest, 'tool_choice'> } {
  const { toolChoice, model } = options
  if (tools.length === 0) reportUnusedChoice({ ...compact({ toolChoice }) }, losses)
  if (tools.length === 0 || toolChoice === undefined || toolChoice === 'auto') return { tools, choice: {} }
  const takes = takesChoice(model)
  if (toolChoice === 'none')
    return takes
      ? { tools, choice: { tool_choice: 'NONE' } }
      : { tools: chosenTools(tools, () => false, losses), choice: {} }
  const forced = () => {
    if (takes) return { tool_choice: 'REQUIRED' } as const
    reportLoss(losses, 'dropped', 'options.toolChoice', reasons.choice)
    return {}
  }
  if (toolChoice === 'required') return { tools, choice: forced() }
  const names: ReadonlySet<string> = new Set('name' in toolChoice ? [toolChoice.name] : toolChoice.names)
  const left = chosenTools(tools, (tool) => 'name' in tool && names.has(tool.name), losses)
  const isForced = left.length > 0 && ('name' in toolChoice || toolChoice.mode === 'required')
  return { tools: left, choice: isForced ? forced() : {} }
}

// ---- calls ------------------------------------------------------------------------------------

/** Writes a call of a history. If its arguments are not an object, an empty object is sent, because its result needs a call. */
export function encodeCall(call: ToolCall | InvalidToolCall): WireCall {
  return writeCall(call, call.type === 'tool_call' ? exactArguments(call) : '{}')
}

/** Writes a call of an answer. Its arguments are sent unchanged, even if they are not JSON: clients parse them, as they do with Cohere. */
export function encodeServedCall(call: ToolCall | InvalidToolCall): WireCall {
  return writeCall(call, call.type === 'tool_call' ? exactArguments(call) : call.argumentsText)
}

function writeCall(call: ToolCall | InvalidToolCall, args: string): WireCall {
  const kept = keptFields(call)
  const body = { ...objectIn(kept, 'function'), name: call.name ?? '', arguments: args }
  return { ...kept, id: call.id ?? '', type: 'function', function: body }
}

const callFields: ReadonlySet<string> = new Set(['id', 'type', 'function'])
const callFunctionFields: ReadonlySet<string> = new Set(['name', 'arguments'])

/** Reads a call, or a piece of a call, as a fragment. */
export function readCallFragment(entry: Json | undefined, path: string, subject: Subject): CallFragment {
  const call = objectAt(entry, path, subject)
  const body = objectIn(call, 'function')
  const given = field(body, 'arguments')
  return compact({
    type: 'call',
    id: textOr(field(call, 'id'), undefined),
    name: textOr(field(body, 'name'), undefined),
    arguments: isObject(given) ? given : stringAt(given, `${path}.function.arguments`, subject),
    providerData: keep(call, callFields, body, callFunctionFields),
  })
}

/** Reads the calls of an answer or of a message. A call without an id gets a generated one. */
export function decodeToolCalls(body: unknown, _options: CodecOptions = {}): DecodedCalls {
  const message = isObject(field(body, 'message')) ? field(body, 'message') : body
  const calls = listAt(field(message, 'tool_calls'), 'tool_calls', 'response').map((entry, index) => {
    const {
      id,
      name,
      arguments: given = '',
      providerData,
    } = readCallFragment(entry, `tool_calls[${index}]`, 'response')
    const argumentsText = typeof given === 'string' ? given : (textOfArguments(given) ?? '[]')
    const parts = { id: id ?? `${idPrefix}${index}`, generatedId: id === undefined, name: name ?? undefined }
    return readCall({ ...parts, argumentsText, index, providerData })
  })
  return {
    toolCalls: calls.filter((call) => call.type === 'tool_call'),
    invalidToolCalls: calls.filter((call) => call.type === 'invalid_tool_call'),
  }
}

// ---- results ----------------------------------------------------------------------------------

/** Writes the result of one call as an entry of `messages`: a message with the role `tool`. */
export function encodeResult(result: ToolMessage, _options: CodecOptions = {}): WireToolResult {
  return encodeResultFor(result, 'result', newLosses('Cohere'))
}

/** Writes a result within a request. Its text says that the call failed, since the format does not have a flag for it. */
export function encodeResultFor(result: ToolMessage, path: string, losses: Losses): WireToolResult {
  const isError = result.status === 'error'
  const parts = blocksOf(result.content).flatMap((block, at) => {
    return encodeResultPart(block, `${path}.content[${at}]`, losses) ?? []
  })
  const content =
    typeof result.content === 'string'
      ? markText(result.content, isError)
      : markParts<(typeof parts)[number]>(parts, isError, { type: 'text', text: '' })
  return { ...keptFields(result), role: 'tool', tool_call_id: result.toolCallId, content }
}

const resultFields: ReadonlySet<string> = new Set(['role', 'tool_call_id', 'content'])

/** Reads a result. `names` has the tool name of each call so far, by id, since a result of this format does not have a name. */
export function decodeResult(entry: JsonObject, path: string, names: ReadonlyMap<string, string>): ToolMessage {
  const toolCallId = stringAt(field(entry, 'tool_call_id'), `${path}.tool_call_id`, 'request')
  const { content, isError } = unmark(decodeContent(field(entry, 'content'), `${path}.content`))
  const kept = otherFields(entry, resultFields)
  return compact({
    role: 'tool',
    toolCallId,
    name: names.get(toolCallId),
    content,
    status: isError ? 'error' : undefined,
    providerData: kept && { [format]: kept },
  })
}
