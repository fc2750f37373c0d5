/**
 * Ollama: reads and writes tools, calls and results.
 *
 * @see https://docs.ollama.com/capabilities/tool-calling
 *
 * @module
 */
import { checkTools } from '../../core/check-message.ts'
import type { CallFragment, CodecOptions, DecodedCalls } from '../../core/codec.ts'
import { blocksOf, blocksOfTurn } from '../../core/content.ts'
import { compact, field, isObject, objectIn, otherFields, textOr, unlessEmpty } from '../../core/lookup.ts'
import type {
  AssistantMessage,
  InvalidToolCall,
  Json,
  JsonObject,
  ProviderTool,
  RequestOptions,
  ToolCall,
  ToolDefinition,
  ToolMessage,
} from '../../core/model.ts'
import { readCall, textOfArguments } from '../../core/tool-call.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { chosenTools, reportUnusedChoice } from '../../kit/tool-choice.ts'
import { markText } from '../../kit/tool-error.ts'
import { encodeBlocks, keptFields, listAt, objectAt, type Subject } from './content.ts'
import { inlineReferences } from './schema.ts'
import { format, idPrefix, isMadeId, reasons } from './tables.ts'
import type { WireMessage, WireTool, WireToolCall } from './wire.ts'

// ---- definitions ------------------------------------------------------------------------------

/** Writes the tools, without those of other formats. References in schemas are replaced by their targets, since the server drops them. */
export function encodeDefinitions(
  tools: readonly (ToolDefinition | ProviderTool)[],
  _options: CodecOptions = {},
): WireTool[] {
  checkTools(tools)
  return tools.flatMap((tool) => {
    if (!('type' in tool)) return [encodeDefinition(tool)]
    return tool.format === format ? [tool.value as unknown as WireTool] : []
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
      parameters: encodeSchema(tool.parameters),
    },
  }
}

function encodeSchema(parameters: ToolDefinition['parameters']): WireTool['function']['parameters'] {
  if (parameters === undefined) return { type: 'object', properties: {} }
  return { type: 'object', ...inlineReferences(parameters) }
}

const definitionFields: ReadonlySet<string> = new Set(['type', 'function'])
const functionFields: ReadonlySet<string> = new Set(['name', 'description', 'parameters'])

/** Reads one entry of `tools`. An entry that is not a function is kept unchanged. */
export function decodeDefinition(entry: Json, path: string): ToolDefinition | ProviderTool {
  const tool = objectAt(entry, path, 'request')
  const body = field(tool, 'function')
  const name = field(body, 'name')
  if (!isObject(body) || typeof name !== 'string') return { type: 'provider_tool', format, value: tool }
  const description = field(body, 'description')
  const parameters = field(body, 'parameters')
  return compact({
    name,
    description: typeof description === 'string' ? description : undefined,
    parameters: isObject(parameters) ? parameters : undefined,
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

/**
 * Returns the tools to send for a tool choice. Ollama does not have `tool_choice`, so isoglot can only omit tools. Tools of other formats
 * are omitted later, with a loss.
 */
export function chooseTools(
  tools: readonly (ToolDefinition | ProviderTool)[] | undefined,
  choice: RequestOptions['toolChoice'],
  losses: Losses,
): readonly (ToolDefinition | ProviderTool)[] | undefined {
  if (choice === undefined || choice === 'auto') return tools
  if (tools === undefined || tools.length === 0) {
    reportUnusedChoice({ toolChoice: choice }, losses)
    return tools
  }
  if (choice === 'none') return chosenTools(tools, () => false, losses)
  if (choice === 'required') {
    reportLoss(losses, 'dropped', 'options.toolChoice', reasons.toolChoice)
    return tools
  }
  if ('name' in choice || choice.mode === 'required') {
    reportLoss(losses, 'changed', 'options.toolChoice', reasons.toolChoice)
  }
  const names: ReadonlySet<string> = new Set('name' in choice ? [choice.name] : choice.names)
  return chosenTools(tools, (tool) => 'name' in tool && names.has(tool.name), losses)
}

// ---- calls ------------------------------------------------------------------------------------

/**
 * Writes the calls of an assistant's turn. A call whose arguments are not an object is sent with an empty object, because its result needs
 * a call.
 */
export function encodeCalls(message: AssistantMessage, path: string, losses: Losses): WireToolCall[] {
  const calls = blocksOfTurn(message).filter((block): block is ToolCall => block.type === 'tool_call')
  const invalid = (message.invalidToolCalls ?? []).filter((call, at) => {
    const isNamed = call.name !== undefined
    const where = `${path}.invalidToolCalls[${at}]`
    if (isNamed) reportLoss(losses, 'changed', where, reasons.invalidCall)
    else reportLoss(losses, 'dropped', where, lackReasons.namelessCall)
    return isNamed
  })
  return [...calls, ...invalid].sort((a, b) => a.index - b.index).map(encodeCall)
}

function encodeCall(call: ToolCall | InvalidToolCall): WireToolCall {
  const kept = keptFields(call)
  const isMade = call.id === undefined || ('generatedId' in call ? call.generatedId === true : isMadeId(call.id))
  return {
    ...kept,
    ...compact({ id: isMade ? undefined : (call.id as string) }),
    function: {
      ...objectIn(kept, 'function'),
      name: call.name ?? '',
      arguments: 'arguments' in call ? call.arguments : {},
    },
  }
}

/** Writes a call as an Ollama server sends it: with an id and an index. */
export function encodeServedCall(call: ToolCall): WireToolCall {
  const { id = call.id, function: body, ...rest } = encodeCall(call)
  return { id, ...rest, function: { index: call.index, ...body } }
}

const callFields: ReadonlySet<string> = new Set(['id', 'function'])
const callFunctionFields: ReadonlySet<string> = new Set(['index', 'name', 'arguments'])

/** Reads one call of a message as a fragment. The call is complete. Its `index` is kept only if it differs from its position. */
export function readCallFragment(entry: Json, position: number, path: string, subject: Subject): CallFragment {
  const call = objectAt(entry, path, subject)
  const body = objectAt(field(call, 'function'), `${path}.function`, subject)
  const id = textOr(field(call, 'id'), undefined)
  const name = textOr(field(body, 'name'), undefined)
  const index = field(body, 'index')
  const args = readArguments(field(body, 'arguments'))
  const kept = keep(call, callFields, body, index === position ? callFunctionFields : indexlessFields)
  return {
    type: 'call',
    ...compact({ id, name, arguments: args, providerData: kept }),
  }
}

const indexlessFields: ReadonlySet<string> = new Set(['name', 'arguments'])

/** Reads arguments. An object or a string is returned as it is. Any other value becomes JSON text, which makes the call invalid. */
function readArguments(value: Json | undefined): string | JsonObject | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' || isObject(value)) return value
  return textOfArguments(value as unknown as JsonObject) ?? '[]'
}

/** Returns the call of a fragment, or an invalid call with its reason. The caller has already chosen the id. */
export function readWholeCall(
  fragment: CallFragment,
  id: string,
  generatedId: boolean,
  index: number,
): ToolCall | InvalidToolCall {
  const { name, arguments: given = '', providerData } = fragment
  const argumentsText = typeof given === 'string' ? given : textOfArguments(given)
  const parts = { id, generatedId, name: name ?? undefined, index, providerData }
  if (argumentsText !== undefined) return readCall({ ...parts, argumentsText })
  return compact({
    type: 'invalid_tool_call' as const,
    ...{ id, name: name ?? undefined, index, providerData },
    argumentsText: '',
    reason: 'too_deep' as const,
    error: 'The arguments are nested too deep',
  })
}

/** Reads the calls of an answer or of a message. A call without an id gets a generated one. */
export function decodeToolCalls(body: unknown, _options: CodecOptions = {}): DecodedCalls {
  const message = field(body, 'message') ?? body
  const entries = listAt(field(message, 'tool_calls'), 'tool_calls', 'response')
  const calls = entries.map((entry, at) => {
    const fragment = readCallFragment(entry, at, `tool_calls[${at}]`, 'response')
    return readWholeCall(fragment, fragment.id ?? `${idPrefix}${at}`, fragment.id === undefined, at)
  })
  return {
    toolCalls: calls.filter((call) => call.type === 'tool_call'),
    invalidToolCalls: calls.filter((call) => call.type === 'invalid_tool_call'),
  }
}

// ---- results ----------------------------------------------------------------------------------

/** Writes the result of one call as an entry of `messages`: a message with the role `tool`. */
export function encodeResult(result: ToolMessage, _options: CodecOptions = {}): WireMessage {
  return encodeResultFor(undefined, result, 'result', newLosses('Ollama'))
}

/** Writes a result within a request. It has the tool's name if that is known, and the call's id unless isoglot generated the id. */
export function encodeResultFor(
  call: ToolCall | InvalidToolCall | undefined,
  result: ToolMessage,
  path: string,
  losses: Losses,
): WireMessage {
  const { text, images } = encodeBlocks(blocksOf(result.content), `${path}.content`, '\n', losses)
  const name = result.name ?? call?.name
  const isMade = call !== undefined && 'generatedId' in call ? call.generatedId : isMadeId(result.toolCallId)
  return {
    ...keptFields(result),
    role: 'tool',
    content: markText(text, result.status === 'error'),
    ...compact({
      images: unlessEmpty(images),
      tool_name: name,
      tool_call_id: isMade ? undefined : result.toolCallId,
    }),
  }
}
