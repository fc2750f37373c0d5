/**
 * Anthropic Messages: the server's half. It decodes requests, and encodes answers, streams and errors. No page loads it.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 * @see https://platform.claude.com/docs/en/build-with-claude/citations (read 2026-11)
 * @see https://platform.claude.com/docs/en/api/errors (read 2026-11)
 *
 * @module
 */
import type {
  DecodedRequest,
  DecodeRequestOptions,
  EncodedResponse,
  Frame,
  Reply,
  StreamEncoder,
} from '../../core/codec.ts'
import { blocksOfTurn, isNoArguments, readCall, settleStopReason, textOfArguments } from '../../core/content.ts'
import type { ApiError } from '../../core/errors.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  objectIn,
  otherFields,
  refuseDeep,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import type {
  AssistantMessage,
  ChatResponse,
  CitationBlock,
  Content,
  ContentBlock,
  Context,
  FileBlock,
  ImageBlock,
  InvalidToolCall,
  JsonObject,
  Message,
  MessageEvent,
  Metadata,
  Opaque,
  PlainTextBlock,
  ProviderData,
  ProviderTool,
  ReasoningBlock,
  RequestOptions,
  ResponseFormat,
  ServerToolCall,
  StopReason,
  ToolCall,
  ToolCallChunk,
  ToolDefinition,
  ToolMessage,
  Usage,
} from '../../core/model.ts'
import { cutOff, messageWith } from '../../kit/api-error.ts'
import { type ProofField, signatureField } from '../../kit/foreign-proofs.ts'
import { type Losses, newLosses, reportForeignFields, reportLoss } from '../../kit/losses.ts'
import { addPiece, type BlockEvent, newBlock, type OpenBlock, oneAtATime } from '../../kit/one-at-a-time.ts'
import { ownProof } from '../../kit/opaque.ts'
import * as reasons from '../../kit/reasons.ts'
import { drop, encodeCall, encodeCitation, encodeOwnBlock, keptOf } from './ask.ts'
import { decodeBlock, isServerCall, keptFields, type Origin, readInput, unknownBlock, wrong } from './read.ts'
import type { WireBlock, WireError, WireResponse, WireUsage } from './wire.ts'
import { type AnthropicDialect, efforts, format, isNewer, stopReasons, wireErrors, wireStopReasons } from './words.ts'

/**
 * Decodes a client's request.
 *
 * @throws {DecodeError} if a known field has the wrong type. `path` names the field.
 */
export function decodeRequest(
  body: unknown,
  { dialect = {} }: DecodeRequestOptions<AnthropicDialect> = {},
): DecodedRequest {
  if (!isObject(body)) throw wrong('request', '', 'the body is not an object')
  refuseDeep(body, 'Cannot decode Anthropic request')
  const options = decodeOptions(body, otherFields(body, knownRequestFields))
  const tools = field(body, 'tools') ?? undefined
  if (tools !== undefined && !Array.isArray(tools)) throw wrong('request', 'tools', 'is not an array')
  const context = {
    ...decodeConversation(body, { provider: dialect.provider ?? format, model: options.model }),
    ...compact({ tools: tools?.map((tool, at) => decodeDefinition(tool, `tools[${at}]`)) }),
  }
  return { context, options, losses: [] }
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

/**
 * Decodes all fields except those of the conversation. Unknown fields are kept, also inside known fields.
 *
 * @throws {DecodeError} if a known field has the wrong type.
 */
function decodeOptions(body: JsonObject, otherFields: JsonObject | undefined): RequestOptions {
  const model = read(body, 'model', 'string')
  if (model === undefined) throw wrong('request', 'model', 'is missing')
  const maxTokens = read(body, 'max_tokens', 'number')
  const stream = read(body, 'stream', 'boolean')
  const temperature = read(body, 'temperature', 'number')
  const topP = read(body, 'top_p', 'number')
  const topK = read(body, 'top_k', 'number')
  const stop = readStop(body)
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
    stream,
    maxTokens,
    temperature,
    topP,
    topK,
    stop,
    ...toolChoice,
    responseFormat: output.responseFormat,
    reasoning: thinking.reasoning,
    user: stringOr(user, undefined),
    providerOptions: unlessEmpty(kept) && { [format]: kept },
  })
}

type Types = { string: string; number: number; boolean: boolean }

/** Returns a field's value. `null` is read as absent. */
function read<T extends keyof Types>(body: JsonObject, name: string, type: T): Types[T] | undefined {
  const value = field(body, name)
  if (value === undefined || value === null) return undefined
  const isRight = typeof value === type && (typeof value !== 'number' || Number.isFinite(value))
  if (!isRight) throw wrong('request', name, `is not a ${type}`)
  return value as Types[T]
}

function readStop(body: JsonObject): string[] | undefined {
  const stop = field(body, 'stop_sequences')
  if (stop === undefined || stop === null) return undefined
  if (Array.isArray(stop) && stop.every((sequence) => typeof sequence === 'string')) return stop
  throw wrong('request', 'stop_sequences', 'is not an array of strings')
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
  if (type === 'disabled') return { reasoning: { effort: 'none' }, ...others, ...keptEffort }
  if (type === 'enabled' && typeof budgetTokens === 'number')
    return { reasoning: { budgetTokens }, ...others, ...keptEffort }
  const kept = type === undefined ? {} : { kept: thinking }
  if (effort !== undefined && type === 'adaptive') return { reasoning: { effort }, ...kept }
  if (effort !== undefined && isNewer(model)) return { reasoning: { effort }, ...kept, ...keptEffort }
  return { ...kept, ...keptEffort }
}

// ---- tools ------------------------------------------------------------------------------------

/** Decodes a tool. A tool that only this format has becomes a `provider_tool`. */
function decodeDefinition(wire: unknown, path: string): ToolDefinition | ProviderTool {
  if (!isObject(wire)) throw wrong('request', path, 'is not an object')
  const { type, name, input_schema: parameters } = wire
  const isOurs = type === undefined || type === null || type === 'custom'
  if (!isOurs || typeof name !== 'string' || !isObject(parameters))
    return { type: 'provider_tool', format, value: wire }
  return withHint(wire, ({ name: _, description, input_schema: _schema, strict, ...rest }) =>
    compact({
      name,
      description: stringOr(description, undefined),
      parameters,
      strict: typeof strict === 'boolean' ? strict : undefined,
      ...keptFields(rest),
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
  throw wrong('request', 'tool_choice', 'is not an object with a type, and a name where it is "tool"')
}

// ---- messages -----------------------------------------------------------------------------------

/** Decodes each message to one or more messages of isoglot. */
function decodeConversation(body: JsonObject, origin: Origin): Pick<Context, 'system' | 'messages'> {
  const messages = field(body, 'messages')
  if (!Array.isArray(messages)) throw wrong('request', 'messages', 'is not an array')
  const system = field(body, 'system') ?? null
  const names = new Map<string, string>()
  return compact({
    system: system === null ? undefined : decodeContent(system, 'system', origin),
    messages: messages.flatMap((message, at) => decodeMessage(message, `messages[${at}]`, names, origin)),
  })
}

function decodeMessage(wire: unknown, path: string, names: Map<string, string>, origin: Origin): Message[] {
  if (!isObject(wire)) throw wrong('request', path, 'is not an object')
  const { role, content, ...rest } = wire
  const extras = keptFields(rest)
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
  throw wrong('request', `${path}.role`, 'is not user, assistant or system')
}

/** Returns the blocks of a content. Each is an object with a type. */
function blocksIn(content: unknown, path: string): readonly JsonObject[] {
  if (!Array.isArray(content)) throw wrong('request', path, 'is neither a string nor an array')
  return content.map((block, at) => {
    if (!isObject(block)) throw wrong('request', `${path}[${at}]`, 'is not an object')
    if (typeof field(block, 'type') !== 'string') throw wrong('request', `${path}[${at}].type`, 'is not a string')
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
  return media && { type: 'image', ...media, ...keptFields(rest) }
}

/** Decodes a document: plain text becomes a text block, and any other document a file. */
function decodeDocument({ type: _, source, ...rest }: JsonObject): FileBlock | PlainTextBlock | undefined {
  const { title: given, ...others } = rest
  const title = textOr(given, undefined)
  const extras = keptFields(title === undefined ? rest : others)
  const text = field(source, 'data')
  if (field(source, 'type') === 'text' && typeof text === 'string') {
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
  return { type: 'plain_text', text, title, ...keptFields(rest) }
}

/** Decodes a call of a tool that the provider ran. Its stored type names its server. */
function decodeServerCall({ id, name, input, ...rest }: JsonObject): ServerToolCall | undefined {
  if (typeof id !== 'string' || typeof name !== 'string' || !isObject(input)) return undefined
  const argumentsText = textOfArguments(input)
  if (argumentsText === undefined) return undefined
  return { type: 'server_tool_call', id, name, arguments: input, argumentsText, ...keptFields(rest) }
}

/** Decodes a call. Returns `undefined` if its input is nested too deep to be written as text. */
function decodeCall(wire: JsonObject, index: number): ToolCall | InvalidToolCall | undefined {
  const input = readInput(field(wire, 'input')) ?? ''
  const argumentsText = typeof input === 'string' ? input : textOfArguments(input)
  if (argumentsText === undefined) return undefined
  return withHint(wire, ({ type: _, id, name, input: _input, ...rest }) =>
    readCall({ id: stringOr(id, ''), name: textOr(name, undefined), argumentsText, index, ...keptFields(rest) }),
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
      ...keptFields(isError === true ? others : rest),
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

// ---- a whole answer -----------------------------------------------------------------------------

/** Encodes an answer as this API sends it. Never throws for content: parts that the format cannot express are losses. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses('Anthropic', false)
  const { message } = response
  const content = blocksOfTurn(message).flatMap(
    (block, at) => encodeAnswerBlock(block, `message.content[${at}]`, losses) ?? [],
  )
  noteInvalidCalls(message, losses)
  const hasCalls = content.some(({ type }) => type === 'tool_use')
  const body: WireResponse = {
    stop_sequence: null,
    ...keptOf(response),
    id: reply.id ?? message.response?.id ?? 'msg_0',
    type: 'message',
    role: 'assistant',
    model: reply.model ?? message.response?.model ?? '',
    content,
    stop_reason: encodeStopReason(message, response.stopReason, hasCalls, losses),
    usage: encodeUsage(response.usage),
  }
  return { body, losses: losses.list }
}

/** Encodes a block of an answer. Returns `undefined` and reports a loss if an answer of this format cannot have it. */
function encodeAnswerBlock(given: ContentBlock, path: string, losses: Losses): WireBlock | undefined {
  reportForeign(given, path, losses)
  // Cache hints are for requests, and proofs only for reasoning.
  const { metadata: _, opaque, ...rest } = given as ContentBlock & { readonly opaque?: Opaque }
  const block = rest as ContentBlock
  switch (block.type) {
    case 'text': {
      const { text, citations } = block
      const encoded = citations?.flatMap((citation) => citationForClient(citation) ?? [])
      const isLost = citations !== undefined && encoded !== undefined && encoded.length < citations.length
      if (isLost) drop(`${path}.citations`, reasons.citations, { losses })
      const sent = encoded?.length === 0 && isLost ? undefined : encoded
      return { ...keptOf(block), type: 'text', text, ...compact({ citations: sent }) }
    }
    case 'plain_text':
      if (block.title !== undefined) drop(`${path}.title`, reasons.title, { losses }, 'info')
      return { type: 'text', text: block.text }
    case 'reasoning':
      return encodeReasoning(compact({ ...block, opaque }), path, losses)
    case 'tool_call':
      return encodeCall(block, path, { losses })
    case 'server_tool_call':
    case 'server_tool_result':
      return encodeOwnBlock(block, path, { losses })
    case 'unknown':
      if (block.format === format) return encodeOwnBlock(block, path, { losses })
      return drop(path, reasons.foreignBlock, { losses })
    case 'image':
    case 'audio':
    case 'video':
    case 'file':
      return drop(path, `an answer here has no place for ${block.type}`, { losses }, 'major')
    default:
      return drop(path, `an answer here has no place for ${block.type}`, { losses })
  }
}

/** Encodes reasoning. A proof of this format is valid, since clients of this format send it back. Clients can show the text without one. */
function encodeReasoning(block: ReasoningBlock, path: string, losses: Losses): WireBlock | undefined {
  const { text, opaque } = block
  const { data, signature } = ownProof(opaque, { format, provider: format, model: '' }) ?? {}
  const kept = keptOf(block)
  if (typeof data === 'string') return { ...kept, type: 'redacted_thinking', data }
  if (typeof signature === 'string') return { ...kept, type: 'thinking', thinking: text, signature }
  if (text === '') return drop(path, 'reasoning without its own signature is refused', { losses }, 'info')
  if (opaque !== undefined) drop(`${path}.opaque`, reasons.foreignProof, { losses }, 'info')
  return { ...kept, type: 'thinking', thinking: text, signature: '' }
}

/** Reports the loss of fields and proofs of other formats. */
function reportForeign(block: ContentBlock, path: string, losses: Losses): void {
  if ('opaque' in block && block.opaque !== undefined && block.type !== 'reasoning')
    drop(`${path}.opaque`, reasons.foreignProof, { losses }, 'info')
  reportForeignFields(block, format, path, losses)
}

/** Reports invalid calls, which are not sent. With empty arguments, a client could run such a call. */
function noteInvalidCalls(message: AssistantMessage, losses: Losses): void {
  for (const at of (message.invalidToolCalls ?? []).keys()) {
    reportLoss(losses, 'dropped', `message.invalidToolCalls[${at}]`, 'its arguments are not an object')
  }
}

/**
 * Returns the message's own stop reason, if this format has it with the same meaning. Otherwise returns this format's value for `reason`.
 * Anthropic's own `end_turn` in a message with calls is kept: the calls ran during the answer.
 */
function encodeStopReason(
  message: AssistantMessage,
  reason: StopReason,
  hasCalls: boolean,
  losses: Losses,
): string | null {
  const { rawStopReason: raw, response } = message
  const isOwn = response?.provider === format
  const meaning = lookup(stopReasons, raw) ?? (isOwn ? 'other' : undefined)
  const settled = meaning !== undefined && isOwn ? settleStopReason(meaning, hasCalls) : meaning
  if (raw !== undefined && settled === reason) return raw
  if (reason === 'tool_calls' && !hasCalls) return 'end_turn' // the loss of the call is already reported
  const word = wireStopReasons[reason]
  if (word !== null && lookup(stopReasons, word) !== reason) {
    reportLoss(losses, 'changed', 'stopReason', `it has no word for "${reason}": "${word}" is sent`)
  }
  return word
}

/** Encodes usage. Every figure is present and at least 0, since clients calculate with them. */
function encodeUsage(usage: Usage = {}): WireUsage {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
  const kept = keptOf(usage)
  const details = field(kept, 'output_tokens_details')
  const thinking = reasoningTokens === undefined ? undefined : { thinking_tokens: reasoningTokens }
  return {
    ...kept,
    input_tokens: Math.max(0, inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    output_tokens: outputTokens,
    ...compact({
      cache_read_input_tokens: cacheReadTokens,
      cache_creation_input_tokens: cacheWriteTokens,
      output_tokens_details: thinking && { ...(isObject(details) && details), ...thinking },
    }),
  }
}

// ---- a stream -----------------------------------------------------------------------------------

// One block is open at a time, and numbers start at 0 without gaps, because clients find blocks by number. Events of a later block wait
// until the block before it has ended.

interface EncodeState {
  readonly reply: Reply
  readonly losses: Losses
  id: string | undefined
  model: string | undefined
  usage: Usage | undefined
  isStarted: boolean
  isEnded: boolean
  open: OpenBlock
  nextWire: number
  hasCalls: boolean
  readonly ids: Set<string>
}

/** Writes one answer. It ends with `message_stop`, or with an error if the events are incomplete. */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncodeState = {
    reply,
    losses: newLosses('Anthropic', false),
    id: undefined,
    model: undefined,
    usage: undefined,
    isStarted: false,
    isEnded: false,
    open: newBlock(),
    nextWire: 0,
    hasCalls: false,
    ids: new Set(),
  }
  const write = oneAtATime((event, out) => writeBlock(state, event, out))
  return {
    push(event, out) {
      if (state.isEnded) return
      switch (event.type) {
        case 'message_start':
          state.id = event.id
          state.model = event.model
          return
        case 'usage': // figures that come before the first block are sent with `message_start`
          state.usage = event.usage
          return
        case 'warning':
          return
        case 'message_end':
          return finish(state, event, out)
        default:
          begin(state, out)
          write(event, out)
      }
    },
    end: (out) => fail(state, cutOff(), out),
    fail: (error, out) => fail(state, error, out),
    losses: state.losses.list,
  }
}

function fail(state: EncodeState, error: ApiError, out: Frame[]): void {
  if (state.isEnded) return
  state.isEnded = true
  out.push(frame('error', { ...encodeError(error).body }))
}

function frame(type: string, fields: object): Frame {
  return { event: type, data: JSON.stringify({ type, ...fields }) }
}

function begin(state: EncodeState, out: Frame[]): void {
  if (state.isStarted) return
  state.isStarted = true
  const message = {
    id: state.reply.id ?? state.id ?? 'msg_0',
    type: 'message',
    role: 'assistant',
    model: state.reply.model ?? state.model ?? '',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: encodeUsage(state.usage),
  }
  out.push(frame('message_start', { message }))
}

function finish(state: EncodeState, event: MessageEvent & { type: 'message_end' }, out: Frame[]): void {
  begin(state, out)
  state.isEnded = true
  const { message, response } = event
  const { stop_sequence = null, stop_details, container } = keptOf(response)
  const delta = compact({
    stop_reason: encodeStopReason(message, response.stopReason, state.hasCalls, state.losses),
    stop_sequence,
    stop_details,
    container,
  })
  out.push(
    frame('message_delta', { delta, usage: encodeUsage(response.usage ?? state.usage) }),
    frame('message_stop', {}),
  )
}

// ---- one block at a time ----------------------------------------------------------------------

function writeBlock(state: EncodeState, event: BlockEvent, out: Frame[]): void {
  const block = state.open
  switch (event.type) {
    case 'text_delta':
      startBlock(state, block, { type: 'text', text: '' }, out)
      writeDelta(block, { type: 'text_delta', text: event.text }, out)
      return
    case 'reasoning_delta':
      startBlock(state, block, { type: 'thinking', thinking: '', signature: '' }, out)
      writeDelta(block, { type: 'thinking_delta', thinking: event.text }, out)
      return
    case 'tool_call_chunk': // a call that the provider runs is written when it is complete, since its kind is known only then
      if (event.chunk.type === 'tool_call_chunk') writeChunk(state, block, event.chunk, out)
      return
    case 'tool_call':
      endCall(state, block, event.call, out)
      break
    case 'invalid_tool_call':
      endInvalidCall(state, block, event.call, out)
      break
    case 'content_block':
      endContent(state, block, event.block, `message.content[${event.index}]`, out)
  }
  if (block.at !== undefined) out.push(frame('content_block_stop', { index: block.at }))
  state.open = newBlock()
}

function startBlock(state: EncodeState, block: OpenBlock, start: WireBlock | object, out: Frame[]): void {
  if (block.at !== undefined) return
  block.at = state.nextWire++
  out.push(frame('content_block_start', { index: block.at, content_block: start }))
}

function writeDelta(block: OpenBlock, delta: object, out: Frame[]): void {
  out.push(frame('content_block_delta', { index: block.at, delta }))
}

// ---- calls ------------------------------------------------------------------------------------

/** Writes a chunk of a call. The call's block starts with the id and the complete name. The name is complete when arguments follow. */
function writeChunk(state: EncodeState, block: OpenBlock, chunk: ToolCallChunk, out: Frame[]): void {
  addPiece(block, chunk)
  const { id, name, pending } = block
  if (pending.trim() === '' && block.at === undefined) return
  if (block.at === undefined && (id === undefined || name === undefined || state.ids.has(id))) return
  if (block.at === undefined)
    startCall(state, block, { ...block.providerData?.[format], type: 'tool_use', id, name }, out)
  writeArguments(block, pending, out)
  block.pending = ''
}

function startCall(
  state: EncodeState,
  block: OpenBlock,
  start: { readonly id?: string | undefined; readonly [field: string]: unknown },
  out: Frame[],
): void {
  if (start.id !== undefined) state.ids.add(start.id)
  state.hasCalls = true
  startBlock(state, block, { ...start, input: {} }, out)
}

function writeArguments(block: OpenBlock, text: string, out: Frame[]): void {
  if (text === '') return
  block.sent += text.length
  writeDelta(block, { type: 'input_json_delta', partial_json: text }, out)
}

function endCall(state: EncodeState, block: OpenBlock, call: ToolCall, out: Frame[]): void {
  if (block.at === undefined) startCall(state, block, { ...encodeAnswerBlock(call, 'stream', state.losses) }, out)
  if (!isNoArguments(call.argumentsText)) writeArguments(block, call.argumentsText.slice(block.sent), out)
}

/** Reports fields of a block that arrived after the block was opened. */
function noteLateFields(state: EncodeState, path: string, whole: ContentBlock): void {
  if (Object.keys(keptOf(whole)).length === 0) return
  reportLoss(state.losses, 'dropped', `${path}.providerData`, 'they came when the block had begun', 'info')
}

/** Ends an invalid call. The chunks that were sent do not change. Clients cannot parse them, so no client runs the call. */
function endInvalidCall(state: EncodeState, block: OpenBlock, call: InvalidToolCall, out: Frame[]): void {
  const path = `message.invalidToolCalls[${call.index}]`
  if (block.at === undefined) reportLoss(state.losses, 'dropped', path, `an invalid call is left out: ${call.error}`)
  else {
    writeArguments(block, call.argumentsText.slice(block.sent), out)
    reportLoss(state.losses, 'changed', path, `the pieces of an invalid call were sent already: ${call.error}`, 'info')
  }
}

// ---- everything else --------------------------------------------------------------------------

/** Writes the end of a block. Citations and the signature come after the text. A block without deltas is written complete. */
function endContent(state: EncodeState, block: OpenBlock, content: ContentBlock, path: string, out: Frame[]): void {
  const wire =
    content.type === 'text' && content.text === '' ? undefined : encodeAnswerBlock(content, path, state.losses)
  if (wire === undefined) return
  if (block.at !== undefined) noteLateFields(state, path, content)
  if (wire.type === 'thinking') {
    startBlock(state, block, { ...wire, signature: '' }, out)
    if (wire.signature !== '') writeDelta(block, { type: 'signature_delta', signature: wire.signature }, out)
  } else if (content.type === 'text') {
    if (block.at === undefined) {
      startBlock(state, block, { type: 'text', text: '' }, out)
      writeDelta(block, { type: 'text_delta', text: content.text }, out)
    }
    for (const citation of content.citations ?? []) {
      const encoded = citationForClient(citation)
      if (encoded !== undefined) writeDelta(block, { type: 'citations_delta', citation: encoded }, out)
    }
  } else startBlock(state, block, wire, out)
}

// ---- citations ----------------------------------------------------------------------------------

/** Encodes any citation for a client that shows it. The empty index means that no server made it: it is never sent to Anthropic. */
function citationForClient(citation: CitationBlock): object | undefined {
  const { url, title = null, text = '' } = citation
  const made = { type: 'web_search_result_location', url, title, cited_text: text, encrypted_index: '' }
  return encodeCitation(citation) ?? (url === undefined ? undefined : made)
}

// ---- errors -------------------------------------------------------------------------------------

/** Clients look for this text to detect a conversation that is too long. */
const tooLong = /prompt is too long|exceed context limit/i

/** Error types for two statuses of kinds that have another type too. */
const typesByStatus: Readonly<Record<string, string>> = { 402: 'billing_error', 413: 'request_too_large' }

/** Encodes an error as this API reports it: the body and the HTTP status. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  const own = lookup(typesByStatus, `${error.status}`)
  const [type, status] = own === undefined ? wireErrors[error.kind] : [own, error.status as number]
  const message = error.status === 413 ? error.message : messageWith('prompt is too long', error, tooLong)
  return {
    status,
    body: compact({ type: 'error', error: { type, message }, request_id: error.requestId }),
  }
}

// ---- proofs -------------------------------------------------------------------------------------

/** The signature of a thinking block. */
export const proofField: ProofField = /* @__PURE__ */ signatureField(format, format)
