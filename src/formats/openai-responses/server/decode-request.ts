/**
 * OpenAI Responses: decodes the request of a client. Half of what a server needs; no page loads it.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 * @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 * @see https://platform.openai.com/docs/guides/function-calling?api-mode=responses
 *
 * @module
 */

import { fold } from '../../../assemble/assemble.ts'
import type { DecodedRequest, DecodeRequestOptions, Fragment } from '../../../core/codec.ts'
import { keepUnknown } from '../../../core/content.ts'
import { nextNumber } from '../../../core/ids.ts'
import {
  arrayOf,
  bodyOf,
  compact,
  decodeErrorAt,
  field,
  isObject,
  lookup,
  numberOr,
  otherFields,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../../core/json.ts'
import { readDataUrl } from '../../../core/media.ts'
import type {
  Content,
  ContentBlock,
  Context,
  ContextTool,
  FileBlock,
  ImageBlock,
  Json,
  JsonObject,
  Message,
  Metadata,
  ProviderData,
  RequestOptions,
  ResponseFormat,
  ToolChoice,
  ToolMessage,
} from '../../../core/messages.ts'
import { unreadFields } from '../../shared/losses.ts'
import { checkShape, citationShape, type Fields, type Shape } from '../../shared/shapes.ts'
import { unmark } from '../../shared/stand-ins.ts'
import { newProgress, newReading, type Reading, readItem, unknownBlock } from '../decode-answer.ts'
import { openaiDialect, type ResponsesDialect } from '../dialect.ts'
import {
  clientField,
  clientItems,
  customCall,
  efforts,
  format,
  hostedName,
  hostedOf,
  idPrefix,
  isCacheTtl,
  title,
} from '../tables.ts'

/** The fields that isoglot reads, here or with the conversation. Other fields are kept unchanged in `providerOptions`. */
const knownOfRequest: ReadonlySet<string> = new Set([
  ...[
    'model',
    'input',
    'instructions',
    'tools',
    'previous_response_id',
    'conversation',
    'stream',
    'max_output_tokens',
    'temperature',
  ],
  ...['top_p', 'text', 'reasoning', 'tool_choice', 'parallel_tool_calls', 'safety_identifier', 'user', 'store'],
])

/** Reads the id of a stored conversation. The field is the id itself, or an object with the id. */
function readConversation({ conversation }: JsonObject): string | undefined {
  return textOr(isObject(conversation) ? field(conversation, 'id') : conversation, undefined)
}

/** Reads the options of a request. */
function decodeOptions(body: JsonObject): RequestOptions {
  const { text, reasoning, tool_choice: choice } = body
  const responseFormat = readFormat(field(text, 'format'))
  const effort = lookup(efforts, field(reasoning, 'effort'))
  const toolChoice = decodeToolChoice(choice)
  const identifier = stringOr(field(body, 'safety_identifier'), undefined)
  const user = stringOr(field(body, 'user'), undefined)
  const kept: JsonObject = {
    ...otherFields(body, knownOfRequest),
    ...unread(body, 'instructions', 'string'),
    ...unread(body, 'previous_response_id', 'string'),
    ...unread(body, 'stream', 'boolean'),
    ...unread(body, 'parallel_tool_calls', 'boolean'),
    ...unread(body, 'max_output_tokens', 'number'),
    ...unread(body, 'temperature', 'number'),
    ...unread(body, 'top_p', 'number'),
    ...unread(body, 'safety_identifier', 'string'),
    ...compact({
      text: keptText(text, responseFormat !== undefined),
      reasoning: effort === undefined ? reasoning : withoutField(reasoning, 'effort'),
      tool_choice: toolChoice === undefined ? choice : undefined,
      user: field(body, 'user'), // kept, so that `encodeUser` writes the older field again
      safety_identifier: user !== undefined && identifier !== undefined ? identifier : undefined,
      tools: Array.isArray(body.tools) ? undefined : body.tools,
      conversation: readConversation(body) === undefined ? body.conversation : undefined,
      // The wire's default is `true`. It is written here, because isoglot's default is `false`.
      store: field(body, 'store') ?? true,
    }),
  }
  return {
    model: textOr(field(body, 'model'), ''),
    ...compact({
      stream: typeof body.stream === 'boolean' ? body.stream : undefined,
      maxTokens: numberOr(field(body, 'max_output_tokens'), undefined),
      temperature: numberOr(field(body, 'temperature'), undefined),
      topP: numberOr(field(body, 'top_p'), undefined),
      responseFormat,
      reasoning: effort === undefined ? undefined : { effort },
      toolChoice,
      parallelToolCalls: typeof body.parallel_tool_calls === 'boolean' ? body.parallel_tool_calls : undefined,
      user: identifier ?? user,
    }),
    providerOptions: { [format]: kept },
  }
}

/** The fields of a tool choice and of a response format. */
const optionFields = /^(?:type|name|mode|tools|schema|description|strict)$/

/** Keeps a field unchanged if its value has another type than expected. */
function unread(body: JsonObject, name: string, type: string): JsonObject {
  const value = field(body, name)
  return value === undefined || typeof value === type ? {} : { [name]: value }
}

function readFormat(given: unknown): ResponseFormat | undefined {
  const type = field(given, 'type')
  if (type === 'json_object') return { type: 'json' }
  const schema = field(given, 'schema')
  if (type !== 'json_schema' || !isObject(schema)) return undefined
  const strict = field(given, 'strict')
  return {
    type: 'json',
    schema,
    ...compact({
      name: stringOr(field(given, 'name'), undefined),
      description: stringOr(field(given, 'description'), undefined),
      strict: typeof strict === 'boolean' ? strict : undefined,
    }),
  }
}

function keptText(text: Json | undefined, isRead: boolean): Json | undefined {
  return isRead ? withoutField(text, 'format') : text
}

/** Returns the other fields, or `undefined` if there are none. Returns a value that is not an object unchanged. */
function withoutField(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? otherFields(value, new Set([name])) : value
}

// ---- the request --------------------------------------------------------------------------------

/**
 * Decodes a request of this format into a conversation and its options.
 *
 * @throws {DecodeError} if the body or an item is not an object, or `input` is neither text nor a list.
 */
export function decodeRequest(
  body: unknown,
  { dialect = openaiDialect }: DecodeRequestOptions<ResponsesDialect> = {},
): DecodedRequest {
  const request = bodyOf(body, `${title} request`)
  checkShape(request, requestShape, '', `${title} request`)
  const { input } = request
  if (input !== undefined && input !== null && typeof input !== 'string' && !Array.isArray(input)) {
    throw decodeErrorAt('input', 'neither text nor a list', `${title} request`)
  }
  const options = decodeOptions(request)
  const messages: Message[] = typeof input === 'string' ? [{ role: 'user', content: input }] : []
  const ids = arrayOf(input).map((item) => stringOr(field(item, 'call_id'), undefined))
  const nextId = nextNumber(idPrefix, ids)
  const intake: Intake = {
    messages,
    turn: undefined,
    dialect,
    model: options.model,
    names: new Map(),
    hosted: new Set(),
    nextId,
  }
  for (const item of arrayOf(input)) takeItem(intake, item)
  endTurn(intake)
  const instructions = stringOr(request.instructions, undefined)
  const previousResponseId = textOr(request.previous_response_id, undefined)
  const conversationId = readConversation(request)
  const tools = decodeDefinitions(request.tools)
  const context: Context = compact({
    system: instructions,
    messages,
    tools: Array.isArray(request.tools) ? tools : undefined,
    providerState: unlessEmpty(compact({ previousResponseId, conversationId })),
  })
  const losses = unreadFields(options, request.tool_choice, field(request.text, 'format'), optionFields)
  return { context, options, losses }
}

/** The types of fields that would be read as absent. What cannot be read of another item, part, tool or format is kept with it. */
const requestShape: Shape = {
  model: 'string',
  max_output_tokens: figureShape,
  temperature: figureShape,
  top_p: figureShape,
  input: (value) => (Array.isArray(value) ? [itemShape] : 'any'),
  text: (text) => (field(field(text, 'format'), 'type') === 'json_schema' ? { format: formatShape } : 'any'),
  tools: (tools) => (Array.isArray(tools) ? [toolShape] : 'any'),
  tool_choice: (choice) => (field(choice, 'type') === 'allowed_tools' ? { tools: [{}] } : 'any'),
}

const formatShape: Shape = { name: 'string', description: 'string', strict: 'boolean' }

/** A figure of another type is kept. */
function figureShape(value: unknown): Shape {
  return typeof value === 'number' ? 'number' : 'any'
}

function toolShape(tool: unknown): Shape {
  return field(tool, 'type') === 'function' ? { description: 'string', parameters: {}, strict: 'boolean' } : {}
}

function itemShape(item: unknown): Shape {
  const type = field(item, 'type') ?? 'message'
  const parts = (value: unknown): Shape => (typeof value === 'string' ? 'string' : [partShape])
  const asked = isObject(item) ? clientField(item) : undefined
  const isRead = type === 'message' || (isObject(item) && hostedOf(item) !== undefined)
  return {
    type: 'string',
    ...(isRead && { id: 'string', call_id: 'string' }),
    ...(type === 'message' && { content: parts }),
    ...(resultTypes.has(type) && {
      call_id: 'string',
      status: 'string',
      output: (value) => (Array.isArray(value) ? [partShape] : 'any'),
    }),
    ...(asked && { ...callShape, [asked]: {} }),
    ...lookup(itemShapes, type),
  }
}

function partShape(part: unknown): Shape {
  return isObject(part) ? { filename: 'string', annotations: [citationShape], logprobs: ['any'] } : 'any'
}

/** Broken arguments become an invalid call. */
const callShape: Fields = { id: 'string', call_id: 'string', name: 'string' }

const itemShapes: Readonly<Record<string, Fields>> = {
  reasoning: { id: 'string', summary: [{ type: 'string' }] },
  function_call: callShape,
  custom_tool_call: { ...callShape, input: 'string' },
}

/** State while a conversation is read. */
interface Intake {
  readonly messages: Message[]
  /** The assistant's turn that is being read, if there is one. */
  turn: { readonly fragments: Fragment[]; readonly reading: Reading; items: number; hasMessage: boolean } | undefined
  readonly dialect: ResponsesDialect
  readonly model: string
  /** The names of the tools, by the ids of their calls. Results get the name from here. */
  readonly names: Map<string, string>
  /** The ids of calls that the server ran. */
  readonly hosted: Set<string>
  /** The number in the next id that isoglot makes for a call without an id. */
  nextId: number
}

const roles: Readonly<Record<string, 'user' | 'system' | 'developer'>> = {
  user: 'user',
  system: 'system',
  developer: 'developer',
}

const resultTypes: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  'function_call_output',
  ...[customCall, ...Object.keys(clientItems)].map((type) => `${type}_output`),
])

const knownOfInput = new Set(['role', 'content'])

function takeItem(intake: Intake, item: Json): void {
  if (!isObject(item)) throw decodeErrorAt('input', 'a list of other things than objects', `${title} request`)
  const type = field(item, 'type')
  const answered = stringOr(item.call_id, stringOr(item.id, ''))
  // The output of a shell in a container is a part of the turn: the server ran it.
  if (resultTypes.has(type) && !intake.hosted.has(answered)) {
    endTurn(intake)
    intake.messages.push(decodeResult(item, answered, intake.names.get(answered)))
    return
  }
  const isMessage = type === 'message' || type === undefined
  const role = isMessage ? lookup(roles, field(item, 'role')) : undefined
  if (role === undefined) {
    takeTurnItem(intake, item)
    return
  }
  endTurn(intake)
  const content = decodeParts(field(item, 'content'))
  intake.messages.push({ role, content, ...keepUnknown(otherFields(item, knownOfInput), format) })
}

/** Reads an item of the assistant. Adjacent items are one turn. A second message without an id begins a new turn. */
function takeTurnItem(intake: Intake, given: JsonObject): void {
  const item = withArgumentsText(given)
  const isMessage = field(item, 'role') === 'assistant'
  const isShort = isMessage && typeof item.content === 'string'
  if (isMessage && intake.turn?.hasMessage && item.id === undefined) endTurn(intake)
  if (isShort && intake.turn === undefined) {
    const kept = keepUnknown(otherFields(item, knownOfInput), format)
    intake.messages.push({ role: 'assistant', content: item.content as string, ...kept })
    return
  }
  const reading = newReading(intake.dialect, intake.model, false)
  intake.turn ??= { fragments: [], reading, items: 0, hasMessage: false }
  const { fragments } = intake.turn
  readItem(item, newProgress(intake.turn.items++), intake.turn.reading, fragments)
  intake.turn.hasMessage ||= isMessage
  const id = field(item, 'call_id')
  const name = clientField(item) ? hostedName(item) : field(item, 'name')
  if (typeof id === 'string' && hostedOf(item)) intake.hosted.add(id)
  if (typeof id === 'string' && typeof name === 'string') intake.names.set(id, name)
}

/** Arguments that are neither text nor an object become their JSON text, which makes the call invalid. */
function withArgumentsText(item: JsonObject): JsonObject {
  const given = (hostedOf(item) || item.type === 'function_call' ? item.arguments : undefined) ?? ''
  return typeof given === 'string' || isObject(given) ? item : { ...item, arguments: JSON.stringify(given) }
}

function endTurn(intake: Intake): void {
  if (intake.turn === undefined) return
  const { message } = fold([...intake.turn.fragments, { type: 'end', stopReason: 'stop' }], {
    idPrefix,
    callsBefore: intake.nextId,
  })
  intake.nextId += intake.turn.items
  const { stopReason: _, ...turn } = message
  intake.messages.push(turn)
  intake.turn = undefined
}

// ---- input parts: decoding --------------------------------------------------------------------

/** Decodes the content of an input message. */
function decodeParts(content: unknown): Content {
  if (typeof content === 'string') return content
  return arrayOf(content).map(decodePart)
}

type PartReader = (part: JsonObject) => ContentBlock | undefined

const partReaders: Readonly<Record<string, PartReader>> = {
  input_text: (part) => readText(part),
  output_text: (part) => readText(part),
  text: (part) => readText(part),
  input_image: readImage,
  input_file: readFile,
}

function decodePart(part: Json): ContentBlock {
  const type = field(part, 'type')
  const read = isObject(part) ? lookup(partReaders, type)?.(part) : undefined
  return read ?? unknownBlock(part)
}

function readText(part: JsonObject): ContentBlock | undefined {
  const text = field(part, 'text')
  if (typeof text !== 'string') return undefined
  return { type: 'text', text, ...readExtras(part, knownOfText) }
}

const knownOfText = new Set(['type', 'text', 'prompt_cache_breakpoint'])
const knownOfImage = new Set(['type', 'detail', 'image_url', 'file_id', 'prompt_cache_breakpoint'])
/** For images with an unknown `detail`. The field is not in this set, so it is kept in `providerData`. */
const knownOfOddImage = new Set(['type', 'image_url', 'file_id', 'prompt_cache_breakpoint'])
const knownOfFile = new Set(['type', 'file_data', 'file_id', 'file_url', 'filename', 'prompt_cache_breakpoint'])

/** Reads the cache hint of a part, and keeps the unknown fields. */
function readExtras(
  part: JsonObject,
  known: ReadonlySet<string>,
): { metadata?: Metadata; providerData?: ProviderData } {
  const breakpoint = field(part, 'prompt_cache_breakpoint')
  const rest = otherFields(part, known)
  if (breakpoint === undefined) return keepUnknown(rest, format)
  const ttl = field(breakpoint, 'ttl')
  if (field(breakpoint, 'mode') !== 'explicit' || (ttl !== undefined && !isCacheTtl(ttl)))
    return keepUnknown({ ...rest, prompt_cache_breakpoint: breakpoint }, format)
  return { metadata: { cacheHint: ttl === undefined ? 'ephemeral' : { ttl } }, ...keepUnknown(rest, format) }
}

const details: Readonly<Record<string, NonNullable<ImageBlock['detail']>>> = {
  auto: 'auto',
  low: 'low',
  high: 'high',
  original: 'original',
}

function readImage(part: JsonObject): ContentBlock | undefined {
  const source = readSource(field(part, 'image_url'), 'url') ?? readFileId(part)
  if (source === undefined) return undefined
  const detail = lookup(details, field(part, 'detail'))
  const known = detail === undefined ? knownOfOddImage : knownOfImage
  return { type: 'image', ...source, ...compact({ detail }), ...readExtras(part, known) }
}

function readFile(part: JsonObject): ContentBlock | undefined {
  const source =
    readSource(field(part, 'file_data'), 'data') ?? readFileId(part) ?? readSource(field(part, 'file_url'), 'url')
  if (source === undefined) return undefined
  const filename = stringOr(field(part, 'filename'), undefined)
  return { type: 'file', ...source, ...compact({ filename }), ...readExtras(part, knownOfFile) }
}

/** Reads the source of an image or a file. Base64 in a data URL becomes `data`. Other text becomes `url`, if it can be a URL. */
function readSource(value: unknown, otherwise: 'url' | 'data'): Partial<FileBlock> | undefined {
  if (typeof value !== 'string') return undefined
  const inline = readDataUrl(value)
  if (inline?.base64) return { data: inline.data, mimeType: inline.mimeType }
  return otherwise === 'url' || inline !== undefined ? { url: value } : undefined
}

function readFileId(part: JsonObject): Partial<FileBlock> | undefined {
  const fileId = stringOr(field(part, 'file_id'), undefined)
  return fileId === undefined ? undefined : { fileId }
}

// ---- tools --------------------------------------------------------------------------------------

const knownOfTool = new Set(['type', 'name', 'description', 'parameters', 'strict'])

/** Decodes tools. Functions become definitions. All other tools become provider tools, with their value unchanged. */
function decodeDefinitions(tools: unknown): ContextTool[] {
  return arrayOf(tools).flatMap((tool) => (isObject(tool) ? [decodeDefinition(tool)] : []))
}

function decodeDefinition(tool: JsonObject): ContextTool {
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

/** Returns `undefined` for a choice that isoglot does not know. The caller then keeps it unchanged. */
function decodeToolChoice(choice: unknown): ToolChoice | undefined {
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

const knownOfOutput = new Set(['call_id', 'output', 'type'])
/** The status of a patch says whether it failed. */
const knownOfPatchOutput = new Set([...knownOfOutput, 'status'])

/** Decodes a result. The error mark in its text becomes `status: 'error'`. */
function decodeResult(item: JsonObject, toolCallId: string, name: string | undefined): ToolMessage {
  const { type, output, status } = item
  const isPatch = type === 'apply_patch_call_output'
  const isShell = type === 'shell_call_output'
  const content =
    typeof output === 'string' || (Array.isArray(output) && !isShell)
      ? decodeParts(output)
      : JSON.stringify(output ?? '')
  const { content: unmarkedContent, isError } = unmark(content)
  const kept = type === 'function_call_output' ? {} : { type: type ?? null }
  return compact({
    role: 'tool',
    toolCallId,
    name,
    content: isPatch && (output ?? null) === null ? '' : unmarkedContent,
    status: isError || (isPatch && status === 'failed') ? 'error' : undefined,
    ...keepUnknown({ ...otherFields(item, isPatch ? knownOfPatchOutput : knownOfOutput), ...kept }, format),
  })
}
