/**
 * Bedrock Converse: reads and writes tools, the tool choice, calls and results.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use.html (read 2026-11)
 *
 * @module
 */
import { checkTools } from '../../core/check-message.ts'
import type { CallFragment, CodecOptions, DecodedCalls } from '../../core/codec.ts'
import { blocksOf } from '../../core/content.ts'
import { arrayOf, compact, field, isObject, otherFields, stringOr, textOr } from '../../core/lookup.ts'
import type {
  Content,
  ContentBlock,
  Context,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  ProviderTool,
  RequestOptions,
  ToolCall,
  ToolDefinition,
  ToolMessage,
  ToolResultBlock,
} from '../../core/model.ts'
import { parseObject, readCall, textOfArguments } from '../../core/tool-call.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { chosenTools, reportUnusedChoice } from '../../kit/tool-choice.ts'
import { toolErrorMark } from '../../kit/tool-error.ts'
import { encodeCachePoint, readCachePoint } from './cache.ts'
import { decodeBlock, encodeBlock, keptFields, objectAt, type Scope, verbatim } from './content.ts'
import { familyOf } from './families.ts'
import { format, idPrefix, reasons } from './tables.ts'
import type {
  WireBlock,
  WireMessage,
  WireRequest,
  WireTool,
  WireToolChoice,
  WireToolResult,
  WireToolUse,
} from './wire.ts'

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
  const json = { ...(tool.parameters ?? { properties: {} }), type: 'object' }
  const description = textOr(tool.description?.trim(), undefined) && tool.description
  return { toolSpec: { ...keptFields(tool), name: tool.name, ...compact({ description }), inputSchema: { json } } }
}

const specFields: ReadonlySet<string> = new Set(['name', 'description', 'inputSchema'])

/** Reads `tools`. A cache point becomes the hint of the definition before it. */
export function decodeDefinitions(entries: readonly Json[]): (ToolDefinition | ProviderTool)[] {
  const tools: (ToolDefinition | ProviderTool)[] = []
  for (const [at, entry] of entries.entries())
    if (!readCachePoint(entry, tools)) tools.push(decodeDefinition(entry, `toolConfig.tools[${at}]`))
  return tools
}

/** Reads one entry of `tools`. An entry that is not a `toolSpec` is kept unchanged. */
function decodeDefinition(entry: Json, path: string): ToolDefinition | ProviderTool {
  const value = objectAt(entry, path, 'request')
  const spec = field(value, 'toolSpec')
  const name = field(spec, 'name')
  if (!isObject(spec) || typeof name !== 'string') return { type: 'provider_tool', format, value }
  const parameters = field(field(spec, 'inputSchema'), 'json')
  const kept = otherFields(spec, specFields)
  return compact({
    name,
    description: stringOr(field(spec, 'description'), undefined),
    parameters: isObject(parameters) ? parameters : undefined,
    providerData: kept && { [format]: kept },
  })
}

// ---- choice -----------------------------------------------------------------------------------

/**
 * Writes the tools and the tool choice. If the history has calls, Bedrock requires tool definitions. If there are none to send, definitions
 * without a schema are made from the names of the called tools.
 */
export function encodeToolConfig(
  { tools: given = [], messages }: Context,
  options: RequestOptions,
  isThinking: boolean,
  losses: Losses,
): Pick<WireRequest, 'toolConfig'> {
  const called = namesCalled(messages)
  const { toolChoice } = options
  if (given.length === 0) reportUnusedChoice({ ...compact({ toolChoice }) }, losses)
  const isNone = toolChoice === 'none' && given.length > 0
  if (isNone && called.size > 0) reportLoss(losses, 'dropped', 'options.toolChoice', reasons.noNone)
  const isLeftOut = isNone && called.size === 0
  const tools = isLeftOut ? chosenTools(given, () => false, losses) : chosen(given, toolChoice, losses)
  const definitions: NonNullable<WireRequest['toolConfig']>['tools'] = tools.flatMap((tool, at) => {
    const written = encodeDefinitions([tool])
    if (!('name' in tool)) return written
    return [
      ...written,
      ...encodeCachePoint(tool.metadata, written[0], `tools[${at}]`, { losses, model: options.model }),
    ]
  })
  if (definitions.length === 0 && called.size > 0) {
    reportLoss(losses, 'invented', 'tools', reasons.stub, 'info')
    definitions.push(...encodeDefinitions([...called].map((name) => ({ name }))))
    return { toolConfig: { tools: definitions } }
  }
  if (definitions.length === 0) return {}
  const choice = allowedChoice(choiceOf(toolChoice), options.model, isThinking, losses)
  return { toolConfig: { tools: definitions, ...compact({ toolChoice: choice }) } }
}

function namesCalled(messages: readonly Message[]): ReadonlySet<string> {
  const calls = messages.flatMap((message): readonly (ContentBlock | InvalidToolCall)[] =>
    message.role === 'assistant'
      ? [...blocksOf(message.content), ...(message.toolCalls ?? []), ...(message.invalidToolCalls ?? [])]
      : [],
  )
  return new Set(
    calls.flatMap((call) => (call.type === 'tool_call' || call.type === 'invalid_tool_call' ? (call.name ?? []) : [])),
  )
}

/** Returns the tools to send. A choice by a list of names sends only the named tools. */
function chosen(tools: Tools, choice: RequestOptions['toolChoice'], losses: Losses): Tools {
  if (typeof choice !== 'object' || !('names' in choice)) return tools
  return chosenTools(tools, (tool) => 'name' in tool && choice.names.includes(tool.name), losses)
}

function choiceOf(choice: RequestOptions['toolChoice']): WireToolChoice | undefined {
  if (choice === 'auto') return { auto: {} }
  if (choice === 'required') return { any: {} }
  if (typeof choice !== 'object') return undefined
  if ('name' in choice) return { tool: { name: choice.name } }
  return choice.mode === 'required' ? { any: {} } : { auto: {} }
}

/** Returns the choice, or what the model takes in place of it. A model that thinks cannot be forced to call. */
function allowedChoice(
  choice: WireToolChoice | undefined,
  model: string,
  isThinking: boolean,
  losses: Losses,
): WireToolChoice | undefined {
  if (choice === undefined || 'auto' in choice) return choice
  const { choices } = familyOf(model)
  const isTaken = choices === undefined || choices.some((name) => name in choice)
  if (isTaken && !isThinking) return choice
  reportLoss(losses, 'changed', 'options.toolChoice', isTaken ? reasons.forced : reasons.choice)
  return isTaken ? { auto: {} } : undefined
}

/** Reads a tool choice. Returns `undefined` for an unknown choice, which the caller keeps. */
export function decodeToolChoice(wire: unknown): RequestOptions['toolChoice'] {
  const name = field(field(wire, 'tool'), 'name')
  if (typeof name === 'string') return { name }
  if (field(wire, 'any') !== undefined) return 'required'
  return field(wire, 'auto') === undefined ? undefined : 'auto'
}

// ---- calls ------------------------------------------------------------------------------------

export function encodeCall(call: ToolCall): WireToolUse {
  return { ...keptFields(call), toolUseId: call.id, name: call.name, input: call.arguments }
}

/** Writes an invalid call of a history, because its result needs a call. Its arguments are not an object, so an empty object is sent. */
export function encodeInvalidCall(call: InvalidToolCall, path: string, losses: Losses): WireToolUse {
  reportLoss(losses, 'changed', `${path}.argumentsText`, reasons.invalidCall)
  return { toolUseId: call.id ?? `invalid_${call.index}`, name: call.name ?? 'unnamed_tool', input: {} }
}

const callFields: ReadonlySet<string> = new Set(['toolUseId', 'name', 'input', 'type'])

/** Reads a call, or the start of a call, as a fragment. */
export function readCallFragment(body: JsonObject): CallFragment {
  const input = field(body, 'input')
  const isServers = field(body, 'type') === 'server_tool_use'
  const kept = otherFields(body, callFields)
  const own = isServers ? { ...kept, type: 'server_tool_use' } : kept
  return compact({
    type: 'call',
    id: textOr(field(body, 'toolUseId'), undefined),
    name: textOr(field(body, 'name'), undefined),
    arguments: input === undefined || input === null ? undefined : argumentsOf(input),
    server: isServers || undefined,
    providerData: own && { [format]: own },
  })
}

function argumentsOf(input: Json): string | JsonObject {
  return isObject(input) || typeof input === 'string' ? input : JSON.stringify(input)
}

/** Reads the calls in the body of an answer, except those that Bedrock ran. */
export function decodeToolCalls(body: unknown, _options: CodecOptions = {}): DecodedCalls {
  const content = field(field(field(body, 'output'), 'message'), 'content') ?? field(body, 'content')
  const uses = arrayOf(content).flatMap((block) => {
    const use = field(block, 'toolUse')
    return isObject(use) && field(use, 'type') !== 'server_tool_use' ? [use] : []
  })
  const calls = uses.map((use, index) => {
    const { id, name, arguments: given = '', providerData } = readCallFragment(use)
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

/**
 * Writes the result of one call as an entry of `messages`: a user message with one `toolResult`. The results of parallel calls must be in
 * the same message; `encodeRequest` joins them.
 */
export function encodeResult(result: ToolMessage, _options: CodecOptions = {}): WireMessage {
  const scope: Scope = { losses: newLosses('Bedrock'), model: '', place: 'result', names: new Set() }
  return { role: 'user', content: [{ toolResult: encodeToolResult(result, 'result', scope) }] }
}

export function encodeToolResult(result: ToolMessage | ToolResultBlock, path: string, scope: Scope): WireToolResult {
  const isError = 'role' in result ? result.status === 'error' : result.isError === true
  const { json, ...kept } = keptFields(result)
  const { jsonResults, lacks = [] } = familyOf(scope.model)
  const isSame = json !== undefined && result.content === JSON.stringify(json)
  const read = jsonResults && json === undefined ? objectOf(result.content) : undefined
  const blocks: readonly WireBlock[] = blocksOf(result.content).flatMap((block, at) => {
    const place = `${path}.content[${at}]`
    if ('metadata' in block && block.metadata?.cacheHint !== undefined)
      reportLoss(scope.losses, 'dropped', `${place}.metadata.cacheHint`, lackReasons.cacheHint, 'info')
    return encodeBlock(block, place, { ...scope, place: 'result' }) ?? []
  })
  const value = isSame ? json : read
  const content = value === undefined ? [...blocks] : [verbatim<WireBlock>({ json: value })]
  if (isError && lacks.includes('errorFlag')) content.unshift({ text: toolErrorMark })
  else if (isError && content.length === 0) content.push({ text: ' ' }) // Bedrock refuses an error without content
  const status = isError && !lacks.includes('errorFlag') ? 'error' : undefined
  return { ...kept, toolUseId: result.toolCallId, content, ...compact({ status }) }
}

/** Returns the object that the text of a result is. Numbers with more digits than a double holds would change: such text stays text. */
function objectOf(content: Content): JsonObject | undefined {
  const [only, ...more] = blocksOf(content)
  if (only?.type !== 'text' || more.length > 0 || /\d{16}/.test(only.text)) return undefined
  const read = parseObject(only.text)
  return 'value' in read ? read.value : undefined
}

const resultFields: ReadonlySet<string> = new Set(['toolUseId', 'content', 'status'])

/** Reads a result. `names` has the tool name of each call so far, by id, since a result of this format does not have a name. */
export function decodeResult(wire: JsonObject, names: ReadonlyMap<string, string>): ToolMessage {
  const toolCallId = stringOr(field(wire, 'toolUseId'), '')
  const status = field(wire, 'status')
  const content = arrayOf(field(wire, 'content')).filter(isObject)
  const [only] = content
  const json = content.length === 1 ? field(only, 'json') : undefined
  const kept = { ...otherFields(wire, resultFields), ...compact({ json }) }
  return compact({
    role: 'tool',
    toolCallId,
    name: names.get(toolCallId),
    content: json === undefined ? content.map(decodeBlock) : JSON.stringify(json),
    status: status === 'error' || status === 'success' ? status : undefined,
    providerData: Object.keys(kept).length > 0 ? { [format]: kept } : undefined,
  })
}
