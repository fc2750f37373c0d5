/**
 * Anthropic Messages: decodes the conversation of a client's request. Web pages do not load this file.
 *
 * @see https://platform.claude.com/docs/en/api/messages (read 2026-11)
 *
 * @module
 */
import { arrayOf, compact, field, isObject, lookup, stringOr, textOr, unlessEmpty } from '../../core/lookup.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  Context,
  FileBlock,
  ImageBlock,
  InvalidToolCall,
  JsonObject,
  Message,
  Metadata,
  PlainTextBlock,
  ProviderData,
  ServerToolCall,
  ToolCall,
  ToolMessage,
} from '../../core/model.ts'
import { readCall, textOfArguments } from '../../core/tool-call.ts'
import { decodeBlock } from './content.ts'
import { wrong } from './errors.ts'
import { keptFields, type Origin, unknownBlock } from './scope.ts'
import { isServerCall, readInput } from './stream.ts'

/** Decodes each message to one or more messages of isoglot. */
export function decodeConversation(body: JsonObject, origin: Origin): Pick<Context, 'system' | 'messages'> {
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
export function withHint<Part extends object>(
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
