/**
 * Anthropic Messages: decodes the request of a client. Half of what a server needs; no page loads it.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 * @see https://platform.claude.com/docs/en/build-with-claude/citations (read 2026-11)
 *
 * @module
 */
import type { DecodedRequest, DecodeRequestOptions } from '../../../core/codec.ts'
import { keepUnknown, readCall, textOfArguments } from '../../../core/content.ts'
import {
  arrayOf,
  bodyOf,
  compact,
  decodeErrorAt,
  field,
  isObject,
  lookup,
  numberOr,
  objectAt,
  objectIn,
  otherFields,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../../core/json.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  Context,
  ContextTool,
  FileBlock,
  ImageBlock,
  InvalidToolCall,
  JsonObject,
  Message,
  Metadata,
  PlainTextBlock,
  ProviderData,
  RequestOptions,
  ResponseFormat,
  ServerToolCall,
  ToolCall,
  ToolMessage,
} from '../../../core/messages.ts'
import { unreadFields } from '../../shared/losses.ts'
import { checkShape, type Shape } from '../../shared/shapes.ts'
import { decodeBlock, isServerCall, type Origin, readInput, unknownBlock } from '../decode-answer.ts'
import { type AnthropicDialect, efforts, format, isNewer } from '../tables.ts'

/**
 * Decodes a client's request.
 *
 * @throws {DecodeError} if a known field has the wrong type. `path` names the field.
 */
export function decodeRequest(
  body: unknown,
  { dialect = {} }: DecodeRequestOptions<AnthropicDialect> = {},
): DecodedRequest {
  const request = bodyOf(body, 'Anthropic request')
  checkShape(request, requestShape, '', 'Anthropic request')
  const options = decodeOptions(request, otherFields(request, knownRequestFields))
  const { tools } = request
  const context = {
    ...decodeConversation(request, { provider: dialect.provider ?? format, model: options.model }),
    ...compact({
      tools: Array.isArray(tools) ? tools.map((tool, at) => decodeDefinition(tool, `tools[${at}]`)) : undefined,
    }),
  }
  const wanted = objectIn(request, 'output_config').format ?? request.output_format
  return { context, options, losses: unreadFields(options, request.tool_choice, wanted, optionFields) }
}

/** The types of fields that would be read as absent. What cannot be read of another block is kept with it. */
const requestShape: Shape = {
  messages: [{ content: (value) => (Array.isArray(value) ? [blockShape] : 'any') }],
  tools: [
    (tool) => ((field(tool, 'type') ?? 'custom') === 'custom' ? { description: 'string', strict: 'boolean' } : {}),
  ],
  tool_choice: { disable_parallel_tool_use: 'boolean' },
  thinking: {},
  output_config: { effort: 'string' },
  metadata: { user_id: 'string' },
  model: 'string',
  max_tokens: 'number',
  stream: 'boolean',
  temperature: 'number',
  top_p: 'number',
  top_k: 'number',
  stop_sequences: ['string'],
}

function blockShape(block: unknown): Shape {
  return lookup(blockShapes, field(block, 'type')) ?? 'any'
}

const blockShapes: Readonly<Record<string, Shape>> = {
  document: { source: { media_type: 'string' } },
  thinking: { signature: 'string' },
  tool_use: { id: 'string', name: 'string' },
  tool_result: { tool_use_id: 'string', content: (value) => (Array.isArray(value) ? [blockShape] : 'any') },
}

// ---- options ----------------------------------------------------------------------------------

/** Fields that {@link decodeOptions} and the conversation read. */
const knownRequestFields: ReadonlySet<string> = new Set([
  'model',
  'max_tokens',
  'messages',
  'system',
  'stream',
  'tools',
  'tool_choice',
  'stop_sequences',
  'temperature',
  'top_p',
  'top_k',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
])

/** The fields of a tool choice and of a response format. */
const optionFields = /^(?:type|name|disable_parallel_tool_use|schema)$/

/**
 * Decodes all fields except those of the conversation. Unknown fields are kept, also inside known fields.
 *
 * @throws {DecodeError} if a known field has the wrong type.
 */
function decodeOptions(body: JsonObject, otherFields: JsonObject | undefined): RequestOptions {
  const model = stringOr(field(body, 'model'), undefined)
  if (model === undefined) throw decodeErrorAt('model', 'missing', 'Anthropic request')
  const stream = field(body, 'stream')
  const thinking = readThinking(body, model)
  const output = readOutput(body)
  const { user_id: user, ...metadata } = objectIn(body, 'metadata')
  const choice = field(body, 'tool_choice') ?? undefined
  const toolChoice = choice === undefined ? {} : decodeToolChoice(choice)
  const { keptEffort } = thinking
  const kept = {
    ...otherFields,
    ...compact({
      thinking: thinking.kept,
      output_config: keptEffort ? { effort: keptEffort, ...output.kept } : output.kept,
      metadata: unlessEmpty(metadata),
      tool_choice: toolChoice === undefined ? choice : undefined,
    }),
  }
  return compact({
    model,
    stream: typeof stream === 'boolean' ? stream : undefined,
    maxTokens: numberOr(field(body, 'max_tokens'), undefined),
    temperature: numberOr(field(body, 'temperature'), undefined),
    topP: numberOr(field(body, 'top_p'), undefined),
    topK: numberOr(field(body, 'top_k'), undefined),
    stop: (field(body, 'stop_sequences') ?? undefined) as string[] | undefined,
    ...toolChoice,
    responseFormat: output.responseFormat,
    reasoning: thinking.reasoning,
    user: stringOr(user, undefined),
    providerOptions: unlessEmpty(kept) && { [format]: kept },
  })
}

/** Decodes `output_config.format`, or its older name `output_format`. */
function readOutput(body: JsonObject): { readonly responseFormat?: ResponseFormat; readonly kept?: JsonObject } {
  const { effort: _, format: asked, ...rest } = objectIn(body, 'output_config')
  const wanted = asked ?? field(body, 'output_format')
  const schema = field(wanted, 'schema')
  const isSchema = field(wanted, 'type') === 'json_schema' && isObject(schema)
  if (isSchema) return compact({ responseFormat: { type: 'json', schema }, kept: unlessEmpty(rest) })
  return compact({ kept: unlessEmpty({ ...rest, ...compact({ format: wanted ?? undefined }) }) })
}

/** The reasoning option of a decoded request, and stored fields. */
interface Thinking {
  readonly reasoning?: NonNullable<RequestOptions['reasoning']>
  /** Fields of `thinking` that isoglot has no option for. */
  readonly kept?: JsonObject
  /** An effort of a request without `thinking`. For models that do not think by default, it does not ask for reasoning. */
  readonly keptEffort?: string
}

/** Decodes `thinking` and `output_config.effort` to the reasoning option. */
function readThinking(body: JsonObject, model: string): Thinking {
  const thinking = objectIn(body, 'thinking')
  const word = field(field(body, 'output_config'), 'effort')
  const effort = efforts.find((one) => one === word)
  const { type, budget_tokens: budgetTokens, ...rest } = thinking
  const others = Object.keys(rest).length > 0 ? { kept: rest } : {}
  const keptEffort = typeof word === 'string' ? { keptEffort: word } : {}
  if (type === 'disabled')
    return { reasoning: { effort: 'none' }, ...(others.kept && { kept: thinking }), ...keptEffort }
  if (type === 'enabled' && typeof budgetTokens === 'number')
    return { reasoning: { budgetTokens }, ...others, ...keptEffort }
  const kept = type === undefined ? {} : { kept: thinking }
  if (effort !== undefined && type === 'adaptive') return { reasoning: { effort }, ...kept }
  if (effort !== undefined && type === undefined && isNewer(model)) return { reasoning: { effort }, ...keptEffort }
  return { ...kept, ...keptEffort }
}

// ---- tools ------------------------------------------------------------------------------------

/** Decodes a tool. A tool that only this format has becomes a `provider_tool`. */
function decodeDefinition(tool: unknown, path: string): ContextTool {
  const wire = objectAt(tool, path, 'Anthropic request')
  const { type, name, input_schema: schema } = wire
  const isOurs = type === undefined || type === null || type === 'custom'
  if (!isOurs || typeof name !== 'string' || !isObject(schema)) return { type: 'provider_tool', format, value: wire }
  // The API's own type lets `null` stand for none here. No JSON Schema does.
  const isNone = (field: string) => (field === 'properties' || field === 'required') && schema[field] === null
  const parameters = otherFields(schema, { has: isNone }) ?? {}
  return withHint(wire, ({ name: _, description, input_schema: _schema, strict, ...rest }) =>
    compact({
      name,
      description: stringOr(description, undefined),
      parameters,
      strict: typeof strict === 'boolean' ? strict : undefined,
      ...keepUnknown(rest, format),
    }),
  )
}

type Choice = Pick<RequestOptions, 'toolChoice' | 'parallelToolCalls'>

/** Decodes the tool choice. Returns `undefined` for an unknown type, which is kept. @throws {DecodeError} if the type is missing. */
function decodeToolChoice(wire: unknown): Choice | undefined {
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
  throw decodeErrorAt('tool_choice', 'not an object with a type, and a name where it is "tool"', 'Anthropic request')
}

// ---- messages -----------------------------------------------------------------------------------

/** Decodes each message to one or more messages of isoglot. */
function decodeConversation(body: JsonObject, origin: Origin): Pick<Context, 'system' | 'messages'> {
  const messages = field(body, 'messages')
  if (!Array.isArray(messages)) throw decodeErrorAt('messages', 'not an array', 'Anthropic request')
  const system = field(body, 'system') ?? null
  const names = new Map<string, string>()
  return compact({
    system: system === null ? undefined : decodeContent(system, 'system', origin),
    messages: messages.flatMap((message, at) => decodeMessage(message, `messages[${at}]`, names, origin)),
  })
}

function decodeMessage(message: unknown, path: string, names: Map<string, string>, origin: Origin): Message[] {
  const { role, content, ...rest } = objectAt(message, path, 'Anthropic request')
  const extras = keepUnknown(rest, format)
  switch (role) {
    case 'user':
      return decodeUser(content, `${path}.content`, names, origin, extras)
    case 'assistant':
      return [{ ...decodeAssistant(content, `${path}.content`, names, origin), ...extras }]
    case 'system':
    case 'developer':
      // A message that only changes settings has no content.
      if (content === undefined && extras.providerData !== undefined)
        return [{ role: 'system', content: [], ...extras }]
      return [{ role: 'system', content: decodeContent(content, `${path}.content`, origin), ...extras }]
  }
  throw decodeErrorAt(`${path}.role`, 'not user, assistant or system', 'Anthropic request')
}

/** Returns the blocks of a content. Each is an object with a type. */
function blocksIn(content: unknown, path: string): readonly JsonObject[] {
  if (!Array.isArray(content)) throw decodeErrorAt(path, 'neither a string nor an array', 'Anthropic request')
  return content.map((entry, at) => {
    const block = objectAt(entry, `${path}[${at}]`, 'Anthropic request')
    if (typeof block.type !== 'string') throw decodeErrorAt(`${path}[${at}].type`, 'not a string', 'Anthropic request')
    return block
  })
}

function decodeContent(content: unknown, path: string, origin: Origin): Content {
  if (typeof content === 'string') return content
  return blocksIn(content, path).map((block) => decodePart(block, origin))
}

/** Decodes a user message. Its results come first, as separate messages; the other blocks follow. */
function decodeUser(
  content: unknown,
  path: string,
  names: ReadonlyMap<string, string>,
  origin: Origin,
  extras: { providerData?: ProviderData },
): Message[] {
  if (typeof content === 'string') return [{ role: 'user', content, ...extras }]
  const blocks = blocksIn(content, path)
  const results = blocks.filter((block) => field(block, 'type') === 'tool_result')
  const rest = blocks.filter((block) => field(block, 'type') !== 'tool_result')
  const messages: Message[] = results.map((block) => decodeResult(block, names, origin))
  const isSaid = rest.length > 0 || messages.length === 0 || extras.providerData !== undefined
  if (isSaid) messages.push({ role: 'user', content: rest.map((block) => decodePart(block, origin)), ...extras })
  return messages
}

function decodeAssistant(content: unknown, path: string, names: Map<string, string>, origin: Origin): AssistantMessage {
  if (typeof content === 'string') return { role: 'assistant', content }
  const blocks: ContentBlock[] = []
  const invalidToolCalls: InvalidToolCall[] = []
  let calls = 0
  for (const wire of blocksIn(content, path)) {
    const call = field(wire, 'type') === 'tool_use' ? decodeCall(wire, calls) : undefined
    if (call !== undefined) {
      calls++
      names.set(stringOr(call.id, ''), stringOr(call.name, ''))
    }
    if (call?.type === 'invalid_tool_call') invalidToolCalls.push(call)
    else blocks.push(call ?? decodePart(wire, origin))
  }
  return compact({ role: 'assistant', content: blocks, invalidToolCalls: unlessEmpty(invalidToolCalls) })
}

// ---- blocks -----------------------------------------------------------------------------------

/** Decodes a block of a request, except a call or a result of our tools. A block of unknown type or shape is kept whole. */
function decodePart(wire: JsonObject, origin: Origin): ContentBlock {
  const type = stringOr(field(wire, 'type'), '')
  const decode = lookup(decoders, type) ?? (isServerCall(type) ? decodeServerCall : undefined)
  const block = withHint(wire, (part) =>
    decode === undefined ? decodeBlock(part, origin) : (decode(part) ?? unknownBlock(part)),
  )
  return block.type === 'unknown' ? unknownBlock(wire) : block
}

/** Decoders of blocks that answers do not have. Each returns `undefined` for an unknown shape. */
const decoders: Readonly<Record<string, (wire: JsonObject) => ContentBlock | undefined>> = {
  image: decodeImage,
  document: decodeDocument,
  search_result: decodeSearchResult,
}

function decodeImage({ type: _, source, ...rest }: JsonObject): ImageBlock | undefined {
  const media = decodeSource(source)
  return media && { type: 'image', ...media, ...keepUnknown(rest, format) }
}

const textSource: ReadonlySet<string> = new Set(['type', 'data', 'media_type'])

/** Decodes a document: plain text becomes a text block, and any other document a file. */
function decodeDocument({ type: _, source, ...rest }: JsonObject): FileBlock | PlainTextBlock | undefined {
  const { title: given, ...others } = rest
  const title = textOr(given, undefined)
  const extras = keepUnknown(title === undefined ? rest : others, format)
  const text = field(source, 'data')
  const isPlain = isObject(source) && otherFields(source, textSource) === undefined
  if (isPlain && source.type === 'text' && typeof text === 'string') {
    const mimeType = textOr(field(source, 'media_type'), 'text/plain')
    return compact({ type: 'plain_text', text, title, mimeType, ...extras })
  }
  const media = decodeSource(source)
  return media && { type: 'file', ...media, ...compact({ filename: title }), ...extras }
}

/** Decodes the source of an image or document. Returns `undefined` for unknown sources and unknown fields. */
function decodeSource(source: unknown): Pick<FileBlock, 'data' | 'mimeType' | 'url' | 'fileId'> | undefined {
  if (!isObject(source)) return undefined
  const { type, data, media_type: mimeType, url, file_id: fileId, ...rest } = source
  if (Object.keys(rest).length > 0) return undefined
  if (type === 'base64' && typeof data === 'string' && typeof mimeType === 'string') return { data, mimeType }
  if (type === 'url' && typeof url === 'string') return { url }
  return type === 'file' && typeof fileId === 'string' ? { fileId } : undefined
}

/** A search result becomes a text block. Its parts, which citations name, are kept. */
function decodeSearchResult({ title, ...rest }: JsonObject): PlainTextBlock | undefined {
  let text = ''
  for (const part of arrayOf(rest.content)) {
    const piece = field(part, 'text')
    if (field(part, 'type') !== 'text' || typeof piece !== 'string') return undefined
    text += piece
  }
  if (typeof title !== 'string' || !Array.isArray(rest.content)) return undefined
  return { type: 'plain_text', text, title, ...keepUnknown(rest, format) }
}

/** Decodes a call of a tool that the provider ran. Its stored type names its server. */
function decodeServerCall({ id, name, input, ...rest }: JsonObject): ServerToolCall | undefined {
  if (typeof id !== 'string' || typeof name !== 'string' || !isObject(input)) return undefined
  const argumentsText = textOfArguments(input)
  if (argumentsText === undefined) return undefined
  return { type: 'server_tool_call', id, name, arguments: input, argumentsText, ...keepUnknown(rest, format) }
}

/** Decodes a call. Returns `undefined` if its input is nested too deep to be written as text. */
function decodeCall(wire: JsonObject, index: number): ToolCall | InvalidToolCall | undefined {
  const input = readInput(field(wire, 'input')) ?? ''
  const argumentsText = typeof input === 'string' ? input : textOfArguments(input)
  if (argumentsText === undefined) return undefined
  return withHint(wire, ({ type: _, id, name, input: _input, ...rest }) =>
    readCall({
      id: stringOr(id, ''),
      name: textOr(name, undefined),
      argumentsText,
      index,
      ...keepUnknown(rest, format),
    }),
  )
}

/** Decodes a result. `names` has the tool names of earlier calls by call id, since a result in this format has no tool name. */
function decodeResult(wire: JsonObject, names: ReadonlyMap<string, string>, origin: Origin): ToolMessage {
  return withHint(wire, ({ type: _, tool_use_id: id, content, ...rest }) => {
    const toolCallId = stringOr(id, '')
    const { is_error: isError, ...others } = rest
    return compact({
      role: 'tool',
      toolCallId,
      name: names.get(toolCallId),
      content: decodeResultContent(content, origin),
      status: typeof isError === 'boolean' ? (isError ? 'error' : 'success') : undefined,
      ...keepUnknown(isError === true ? others : rest, format),
    })
  })
}

function decodeResultContent(content: unknown, origin: Origin): Content {
  if (typeof content === 'string') return content
  if (content === undefined || content === null) return ''
  if (!Array.isArray(content)) return JSON.stringify(content)
  return content.map((block) =>
    isObject(block) ? decodePart(block, origin) : { type: 'text', text: stringOr(block, JSON.stringify(block)) },
  )
}

/** Decodes a part whose cache mark becomes a hint. A mark that a hint cannot express is kept as an unknown field. */
function withHint<Part extends object>(
  wire: JsonObject,
  decode: (wire: JsonObject) => Part,
): Part & { metadata?: Metadata } {
  const { cache_control: mark, ...rest } = wire
  const cacheHint = decodeCacheHint(mark)
  return cacheHint === undefined ? decode(wire) : { ...decode(rest), metadata: { cacheHint } }
}

function decodeCacheHint(mark: unknown): Metadata['cacheHint'] {
  if (!isObject(mark) || mark.type !== 'ephemeral') return undefined
  const { type: _, ttl, ...rest } = mark
  if (Object.keys(rest).length > 0) return undefined
  if (ttl === undefined) return 'ephemeral'
  return ttl === '5m' || ttl === '1h' ? { ttl } : undefined
}
