/**
 * One message from whatever is meant as one: ours, OpenAI's, Anthropic's, Gemini's and Ollama's maps, the AI SDK's `ModelMessage`,
 * LangChain's envelopes, text, and pairs of a role and content.
 *
 * @module
 */
import { DecodeError } from '../core/errors.ts'
import { arrayOf, compact, field, isObject, lookup, textOr, unlessEmpty } from '../core/json.ts'
import type {
  ContentBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  StopReason,
  ToolCall,
} from '../core/messages.ts'
import { withServerResults } from './ai-sdk-parts.ts'
import { blockOfDataUrl } from './data-url.ts'
import { joined, readPart, readResultContent, uiMessage } from './read-block.ts'
import { readAnyCall, readId } from './read-call.ts'
import { roleOf } from './roles.ts'
import { check, fieldsOfMessage, message } from './schema.ts'
import { unknownFieldsToMetadata } from './unknown-fields.ts'

/** Counts what one conversation has, so that what we make is unique in it. */
export interface Reading {
  calls: number
}

/**
 * One message.
 *
 * @throws {DecodeError} if it is not a message: no role, no content, a tool's message that names no call, or a field of the wrong type.
 */
export function readMessage(value: unknown, path: string, reading: Reading): Message {
  if (typeof value === 'string') return { role: 'user', content: value }
  if (isPair(value)) return readMap({ role: value[0], content: value[1] }, path, reading)
  if (!isObject(value)) throw wrong(path, 'text, a pair or an object is expected')
  return readMap(opened(value), path, reading)
}

/** A pair of a known role and content; any other two strings are two messages. */
function isPair(value: unknown): value is [string, Json] {
  return Array.isArray(value) && value.length === 2 && roleOf(value[0]) !== undefined
}

/** LangChain's envelopes: `{ lc: 1, type: 'constructor', id: [… 'HumanMessage'], kwargs }` and `{ type: 'human', data }`. */
function opened(value: JsonObject): JsonObject {
  if (value.type === 'constructor' && isObject(value.kwargs)) {
    return { role: roleOfClass(arrayOf(value.id).at(-1)), ...unpacked(value.kwargs) }
  }
  if (typeof value.type === 'string' && isObject(value.data) && value.content === undefined) {
    return { role: value.type, ...unpacked(value.data) }
  }
  if (value.role !== undefined) return opening(withoutType(value))
  const readItem = lookup(items, value.type)
  if (readItem !== undefined) return readItem(value)
  return roleOf(value.type) === undefined ? value : { role: value.type ?? null, ...unpacked(value) }
}

/** A message item of OpenAI Responses says that it is one. */
function withoutType({ type, ...rest }: JsonObject): JsonObject {
  return type === undefined || type === 'message' ? rest : { type, ...rest }
}

/** The items of OpenAI Responses that have no role. */
const items: Readonly<Record<string, (item: JsonObject) => JsonObject>> = {
  function_call: (item) => ({ role: 'assistant', content: [item] }),
  custom_tool_call: (item) => ({ role: 'assistant', content: [item] }),
  reasoning: (item) => ({ role: 'assistant', content: [item] }),
  function_call_output: readOutput,
  custom_tool_call_output: readOutput,
}

function readOutput({ type: _, id: _id, output, ...rest }: JsonObject): JsonObject {
  return { ...rest, role: 'tool', content: output ?? '' }
}

function roleOfClass(name: Json | undefined): string {
  return typeof name === 'string' ? name.replace(/(Message)?(Chunk)?$/, '').toLowerCase() : ''
}

/** The `type` of an envelope's inside says the role again. */
function unpacked({ type: _, ...rest }: JsonObject): JsonObject {
  return opening(rest)
}

/** LangChain keeps what its providers sent beside the message in `additional_kwargs`. */
function opening({ additional_kwargs, response_metadata, usage_metadata, ...rest }: JsonObject): JsonObject {
  const isDeveloper = field(additional_kwargs, '__openai_role__') === 'developer'
  const { __openai_role__: _role, tool_calls, ...kept } = isObject(additional_kwargs) ? additional_kwargs : {}
  const hasCalls = arrayOf(rest.tool_calls).length > 0
  const usage =
    isObject(usage_metadata) || field(rest.usage, 'input_tokens') === undefined ? usage_metadata : rest.usage
  return {
    ...kept,
    ...compact({ tool_calls: hasCalls ? undefined : tool_calls }),
    ...rest,
    ...compact({ role: isDeveloper ? 'developer' : undefined, usage: isObject(usage) ? readUsage(usage) : undefined }),
    ...readResponse(response_metadata),
  }
}

function readUsage(usage: JsonObject): JsonObject {
  const { input_tokens, output_tokens, total_tokens, input_token_details, output_token_details } = usage
  return numbers({
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    totalTokens: total_tokens,
    cacheReadTokens: field(input_token_details, 'cache_read'),
    cacheWriteTokens: field(input_token_details, 'cache_creation'),
    reasoningTokens: field(output_token_details, 'reasoning'),
  })
}

/** Anthropic's `stop_reason` stands in the message itself, and says whether its calls may run. */
const foreignStopReasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  pause_turn: 'pause',
  refusal: 'refusal',
}

function readStopReason({ stop_reason, ...rest }: JsonObject): JsonObject {
  const reason = lookup(foreignStopReasons, stop_reason)
  if (reason === undefined || rest.stopReason !== undefined) return { ...rest, ...(stop_reason && { stop_reason }) }
  return { rawStopReason: stop_reason as Json, ...rest, stopReason: reason }
}

function numbers(fields: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'number')) as JsonObject
}

function readResponse(metadata: Json | undefined): JsonObject {
  if (!isObject(metadata)) return {}
  const { model_name, model, finish_reason, stop_reason, ...rest } = metadata
  const name = textOr(model_name ?? model, undefined)
  const raw = textOr(finish_reason ?? stop_reason, undefined)
  return compact({
    response_metadata: unlessEmpty(rest),
    response: name === undefined ? undefined : { model: name },
    rawStopReason: raw,
  })
}

// ---- maps -------------------------------------------------------------------------------------

function readMap(value: JsonObject, path: string, reading: Reading): Message {
  const role = roleOf(value.role)
  if (arrayOf(value.toolInvocations).length > 0) throw wrong(path, uiMessage)
  if (role === undefined) {
    throw wrong(
      path,
      value.role === undefined ? '"role" is missing' : `the role ${JSON.stringify(value.role)} is not known`,
    )
  }
  if (role === 'tool' && namesCallsInside(value)) return readMap({ ...value, role: 'user' }, path, reading)
  const read = role === 'assistant' ? readAssistant : role === 'tool' ? readTool : readInput
  const fields = read({ ...value, role: isStoredDeveloper(value) ? 'developer' : role }, path, reading)
  return check(message, unknownFieldsToMetadata(fields, fieldsOfMessage(role)), 'read message', path)
}

/** Older clients of Gemini, and the AI SDK, give results a role of their own and name the calls in the parts. */
function namesCallsInside({ parts, content, tool_call_id, toolCallId }: JsonObject): boolean {
  if ((tool_call_id ?? toolCallId) !== undefined) return false
  if (content === undefined) return Array.isArray(parts)
  return arrayOf(content).some((part) => field(part, 'type') === 'tool-result')
}

/** A store without the developer's role keeps it as a system message and says so in its metadata. */
function isStoredDeveloper({ role, metadata }: JsonObject): boolean {
  return (
    role === 'system' && (field(metadata, 'role') === 'developer' || field(metadata, 'provider_role') === 'developer')
  )
}

function readInput(value: JsonObject, path: string, reading: Reading): JsonObject {
  const { parts, images, ...rest } = value
  const { content, blocks } = readContent(rest.content ?? parts, path, reading)
  if (arrayOf(images).length === 0) return { ...rest, content: content as Json }
  const pictures = arrayOf(images).map((image, at) => readImage(image, `${path}.images[${at}]`))
  return { ...rest, content: [...blocks, ...pictures] as unknown as Json }
}

/** Ollama has pictures as base64 beside the text; a data URL says its type itself. */
function readImage(image: Json, path: string): ContentBlock {
  if (typeof image !== 'string') throw wrong(path, 'text is expected')
  return blockOfDataUrl(image, path) ?? { type: 'image', data: image }
}

function readTool(value: JsonObject, path: string): JsonObject {
  const { tool_call_id, call_id, tool_use_id, tool_name, artifact, ...rest } = value
  const id = readId(value.toolCallId ?? tool_call_id ?? call_id ?? tool_use_id)
  const name = textOr(rest.name ?? tool_name, undefined)
  if (id === undefined && name === undefined) throw wrong(path, '"toolCallId" is missing: a result names its call')
  if (rest.content === undefined) throw wrong(path, '"content" is missing')
  const artifacts = rest.artifacts ?? (artifact === undefined || artifact === null ? undefined : [artifact])
  return {
    ...rest,
    toolCallId: id ?? '',
    ...compact({ name, artifacts }),
    content: readResultContent(rest.content, { path, depth: 0, nextCall: 0 }),
  }
}

function readAssistant(value: JsonObject, path: string, reading: Reading): JsonObject {
  const { tool_calls, toolCalls, invalid_tool_calls, invalidToolCalls, function_call, parts, ...rest } = value
  const { reasoning_content, reasoning, thinking, refusal, ...fields } = readStopReason(rest)
  const lists = [toolCalls, tool_calls, function_call === undefined || function_call === null ? [] : [function_call]]
  const calls = lists.flatMap(arrayOf)
  const hasContent = (fields.content ?? parts) !== undefined
  if (!hasContent && calls.length === 0 && fields.content !== null) throw wrong(path, '"content" is missing')
  const body = readContent(withServerResults(fields.content ?? parts ?? null), path, reading)
  const invalid = [...arrayOf(invalidToolCalls), ...arrayOf(invalid_tool_calls)].filter(isObject).map(readInvalid)
  const outside = readCalls(calls, body.blocks, path, reading)
  const thought = textOr(reasoning_content ?? reasoning ?? thinking, undefined)
  const refused = textOr(refusal, undefined)
  const added = thought !== undefined || refused !== undefined || outside.calls.length > 0
  const all: ContentBlock[] = [
    ...(thought === undefined ? [] : [{ type: 'reasoning', text: thought } as const]),
    ...body.blocks,
    ...(refused === undefined ? [] : [{ type: 'text', text: refused, refusal: true } as const]),
    ...outside.calls,
  ]
  const invalidCalls = [...invalid, ...body.invalid, ...outside.invalid]
  return {
    ...fields,
    content: (added ? all : body.content) as Json,
    ...compact({ invalidToolCalls: invalidCalls.length > 0 ? (invalidCalls as unknown as Json) : undefined }),
  }
}

// ---- content and calls ------------------------------------------------------------------------

interface ReadContent {
  readonly content: Json | readonly ContentBlock[]
  readonly blocks: readonly ContentBlock[]
  readonly invalid: readonly InvalidToolCall[]
}

/** A list of one block may come without the list. */
function readContent(content: Json | undefined, path: string, reading: Reading): ReadContent {
  if (content === undefined) throw wrong(path, '"content" is missing')
  if (content === null) return { content: null, blocks: [], invalid: [] }
  if (typeof content === 'string') {
    return { content, blocks: content === '' ? [] : [{ type: 'text', text: content }], invalid: [] }
  }
  if (typeof content !== 'object') throw wrong(path, '"content" is neither text nor a list')
  const blocks: ContentBlock[] = []
  const invalid: InvalidToolCall[] = []
  const parts = Array.isArray(content) ? content : [content]
  for (const [at, part] of parts.entries()) {
    const nextCall = invalid.length + blocks.filter((block) => block.type === 'tool_call').length
    const madeId = `call_${reading.calls}`
    const block = readPart(part, { path: joined(path, `content[${at}]`), depth: 0, nextCall, madeId })
    if (block.type === 'tool_call' || block.type === 'invalid_tool_call') reading.calls++
    if (block.type === 'invalid_tool_call') invalid.push(block)
    else blocks.push(block)
  }
  return { content: blocks, blocks, invalid }
}

/** The calls that stand beside the content, except those that are in it too. */
function readCalls(calls: readonly Json[], blocks: readonly ContentBlock[], path: string, reading: Reading) {
  const inContent = blocks.filter((block): block is ToolCall => block.type === 'tool_call')
  const known = new Set(inContent.map((call) => call.id))
  const read: ToolCall[] = []
  const invalid: InvalidToolCall[] = []
  for (const call of calls) {
    if (!isObject(call)) throw wrong(path, 'a call is not an object')
    const index = inContent.length + read.length + invalid.length
    const one = readAnyCall(call, index, `call_${reading.calls}`)
    if (one.id !== undefined && known.has(one.id)) continue
    reading.calls++
    if (one.type === 'invalid_tool_call') invalid.push(one)
    else {
      known.add(one.id)
      read.push(unknownFieldsToMetadata({ ...one } as unknown as JsonObject, callFields) as unknown as ToolCall)
    }
  }
  return { calls: read, invalid }
}

const callFields: ReadonlySet<string> = new Set([
  'type',
  'id',
  'name',
  'arguments',
  'argumentsText',
  'index',
  'complete',
  'generatedId',
  'approvalId',
  'approvalProof',
  'opaque',
  'metadata',
  'providerData',
])

/** Ours, or LangChain's `{ name, args: text, id, error }`. */
function readInvalid(value: JsonObject, index: number): InvalidToolCall {
  const { args, argumentsText, error, reason, ...rest } = value
  return {
    ...(rest as Partial<InvalidToolCall>),
    type: 'invalid_tool_call',
    index: typeof value.index === 'number' ? value.index : index,
    argumentsText: textOr(argumentsText ?? args, ''),
    reason: textOr(reason, 'malformed_json') as InvalidToolCall['reason'],
    error: textOr(error, 'The arguments are not JSON'),
  }
}

function wrong(path: string, finding: string): DecodeError {
  return new DecodeError(`Cannot read message: ${path === '' ? '' : `"${path}": `}${finding}`, { path })
}
