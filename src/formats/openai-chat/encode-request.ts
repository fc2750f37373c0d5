/**
 * OpenAI Chat Completions: encodes a request: its options, its messages and their blocks, its tools.
 *
 * @module
 */

import type { CodecOptions, EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { blocksOf, blocksOfTurn, exactArguments, ownProof, toolCallsOf, unknownFieldsOf } from '../../core/content.ts'
import { legalId } from '../../core/ids.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  objectIn,
  otherFields,
  setOwn,
  stringOr,
  unlessEmpty,
} from '../../core/json.ts'
import { toDataUrl } from '../../core/media.ts'
import type {
  AssistantMessage,
  AudioBlock,
  ContentBlock,
  Context,
  ContextTool,
  FileBlock,
  ImageBlock,
  InstructionMessage,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  Metadata,
  RequestOptions,
  ResponseFormat,
  ToolCall,
  ToolChoice,
  ToolMessage,
  UnknownBlock,
  UserMessage,
} from '../../core/messages.ts'
import { prepare, prepareTools } from '../../prepare/prepare.ts'
import { askedEffort } from '../shared/effort.ts'
import { jsonRule } from '../shared/json-rule.ts'
import { type Losses, newLosses, reportLoss, reportTtl } from '../shared/losses.ts'
import * as reasons from '../shared/reasons.ts'
import { markParts } from '../shared/stand-ins.ts'
import { reportUnusedChoice } from '../shared/tools.ts'
import type { ChatDialect, Encoding, ReasoningTurn, ToolChoosing } from './dialect.ts'
import { openai } from './openai.ts'
import { format, plainNames, plainOptions, proofNames, targetOf } from './tables.ts'
import type {
  DialectPart,
  DialectToolChoice,
  WireAnyPart,
  WireAssistant,
  WireCall,
  WireMessage,
  WireNamedChoice,
  WirePart,
  WireRequest,
  WireResponseFormat,
  WireTextPart,
  WireTool,
  WireToolResult,
} from './wire.ts'

/** The fields of a request, except the model, the conversation and the tools. */
type WireOptions = Omit<WireRequest, 'model' | 'messages' | 'tools' | 'tool_choice'>

/**
 * Encodes a request.
 *
 * @throws {UnsupportedError} if there is a loss that `options.strict` does not allow. By default, a loss of content is not allowed.
 */
export function encodeRequest(
  given: Context,
  { dialect = openai, ...asked }: EncodeRequestOptions<ChatDialect>,
): EncodedRequest<WireRequest> {
  const { context, options, report: losses, offered } = prepare(given, targetOf(dialect), asked)
  const to: Encoding = { dialect, model: asked.model, losses }
  const fields = encodeOptions(options, to)
  const messages = withInstruction(encodeMessages(context, to), options.responseFormat, to)
  const tools = encodeTools(context, options, to)
  if (tools.tools === undefined) {
    reportUnusedChoice(options, losses)
    delete fields.parallel_tool_calls // the host refuses it without tools
  }
  const body: WireRequest = {
    ...byModelRules(fields, options, to),
    model: options.model,
    messages,
    ...tools,
  }
  return { path: dialect.path ?? '/chat/completions', headers: {}, body, losses: losses.list, offered }
}

const usageField: ReadonlySet<string> = new Set(['include_usage'])

/** Encodes the options, and requests usage in a stream. Without this, some hosts do not send it. */
function encodeOptions(options: RequestOptions, to: Encoding): WireOptions {
  const { asksForUsage, askReasoning, maxTokensField, maxStops = 4, title } = to.dialect
  const { maxTokens, stop = [], reasoning, responseFormat, stream, providerOptions } = options
  const { stream_options: _, ...others } = objectIn(providerOptions, format)
  const own = objectIn(field(providerOptions, format), 'stream_options')
  if (stop.length > maxStops)
    reportLoss(to.losses, 'changed', 'options.stop', `${title} takes ${maxStops} stop sequences at most`)
  const plain = Object.entries(plainOptions).map(([name, option]) => [name, options[option]])
  const fields: WireOptions = {
    ...others,
    ...compact({
      ...Object.fromEntries(plain),
      stop: unlessEmpty(stop.slice(0, maxStops)),
      [maxTokensField]: maxTokens,
      response_format: responseFormat && encodeResponseFormat(responseFormat, to),
    }),
    ...(reasoning && askReasoning(reasoning, to)),
  }
  const asked = asksForUsage ? { include_usage: true, ...own } : otherFields(own, usageField)
  if (stream && asked !== undefined) fields.stream_options = asked
  return fields
}

// ---- what the host takes ----------------------------------------------------------------------

/** Returns the fields under the host's names, without the fields that the host refuses. */
function byModelRules(fields: WireOptions, options: RequestOptions, to: Encoding): JsonObject {
  const { refuses, renames = {}, title, whileReasoning } = to.dialect
  const out: JsonObject = {}
  for (const [name, value] of Object.entries(fields)) {
    const isRefused = refuses.has(name)
    const isRefusedNow = whileReasoning?.refuses.has(name) && isReasoning(options, to)
    if (!isRefused && (value === null || !isRefusedNow)) {
      setOwn(out, lookup(renames, name) ?? name, value as Json)
    } else if (value !== null) {
      const option = lookup(plainOptions, name)
      const path = option ? `options.${option}` : `options.providerOptions["${format}"].${name}`
      const reason = isRefused ? `${title} does not take it` : `${to.model} does not take it while it reasons`
      reportLoss(to.losses, 'dropped', path, reason)
    }
  }
  return out
}

function isReasoning({ model, reasoning }: RequestOptions, { dialect }: Encoding): boolean {
  return dialect.reasons?.(model, askedEffort(reasoning)) === true
}

// ---- structured output and tools --------------------------------------------------------------

function encodeResponseFormat(wanted: ResponseFormat, { dialect, losses }: Encoding): WireResponseFormat {
  const { schema, name, description, strict } = wanted
  if (schema !== undefined && dialect.jsonSchema) {
    if (name === undefined) reportLoss(losses, 'invented', 'options.responseFormat.name', reasons.formatName, 'info')
    const described = { name: name ?? 'response', schema, ...compact({ description, strict }) }
    return { type: 'json_schema', json_schema: described }
  }
  if (schema !== undefined) {
    const reason = `${dialect.title} takes no schema: it is put into the prompt`
    reportLoss(losses, 'changed', 'options.responseFormat.schema', reason)
  }
  return { type: 'json_object' }
}

/** Adds an instruction. Hosts refuse `json_object` if no message has the word JSON. A schema without a field for it is always added. */
function withInstruction(messages: WireMessage[], wanted: ResponseFormat | undefined, to: Encoding): WireMessage[] {
  if (wanted === undefined) return messages
  const speaksOfJson = () => /json/i.test(JSON.stringify(messages.map(({ content }) => content)))
  if (wanted.schema === undefined ? speaksOfJson() : to.dialect.jsonSchema) return messages
  reportLoss(to.losses, 'invented', 'system', 'the messages have to speak of JSON', 'info')
  const instruction = jsonRule(wanted)
  const [first, ...others] = messages
  if (first?.role === 'system' && typeof first.content === 'string') {
    return [{ ...first, content: `${first.content}\n\n${instruction}` }, ...others]
  }
  return [{ role: 'system', content: instruction }, ...messages]
}

function encodeTools(
  { tools = [] }: Context,
  options: RequestOptions,
  to: Encoding,
): Pick<WireRequest, 'tools' | 'tool_choice'> {
  const { dialect, model, losses } = to
  if (tools.length === 0) return {}
  if (dialect.withoutTools) {
    reportLoss(losses, 'dropped', 'tools', `${dialect.title} takes no tools`, 'major')
    return {}
  }
  let { toolChoice = 'auto' } = options
  const isRefused = toolChoice !== 'none' && dialect.whileReasoning?.refusesForcedCalls && isReasoning(options, to)
  if (isRefused && toolChoice !== 'auto') {
    reportLoss(losses, 'changed', 'options.toolChoice', `${model} cannot be made to call a tool while it reasons`)
    toolChoice = 'auto'
  }
  const choose = dialect.chooseTools ?? chooseAsOpenai
  const chosen =
    toolChoice === 'auto' ? { tools, choice: options.toolChoice && toolChoice } : choose(toolChoice, tools, to)
  const definitions = encodeDefinitionsFor(chosen.tools, dialect, losses)
  return definitions.length === 0 ? {} : compact({ tools: definitions, tool_choice: chosen.choice })
}

// ---- messages -----------------------------------------------------------------------------------

/** Encodes all messages, the system text first, in the order that the host requires. */
function encodeMessages({ system, messages: given }: Context, to: Encoding): WireMessage[] {
  const { withoutTools, order } = to.dialect
  const messages = withoutTools?.(given, to) ?? given
  const firstCalls = messages.findIndex((message) => message.role === 'assistant' && toolCallsOf(message).length > 0)
  const out = messages.flatMap((message, at) => {
    const path = `messages[${at}]`
    if (message.role === 'tool') return [encodeResultFor(to, message, `${path}.content`)]
    if (message.role !== 'assistant') return [encodeSaid(message, path, `${path}.content`, to)]
    return encodeTurn(message, path, firstCalls >= 0 && at >= firstCalls, to)
  })
  if (system !== undefined) out.unshift(encodeSaid({ role: 'system', content: system }, 'system', 'system', to))
  return order?.arrange(out, to) ?? out
}

/** Encodes an instruction or a user message. */
function encodeSaid(
  message: InstructionMessage | UserMessage,
  path: string,
  contentPath: string,
  to: Encoding,
): WireMessage {
  const { role, content } = message
  const parts = encodeParts<WireAnyPart>(blocksOf(content), contentPath, to, role === 'user' ? encodeMedia : undefined)
  const encoded = {
    ...unknownFieldsOf(message, format),
    role: role === 'developer' ? to.dialect.developerRole : role,
    content: withMark(toContent(parts, to, typeof content === 'string'), message, path, to),
    ...named(message, path, to),
  }
  return encoded as WireMessage
}

function named(message: Exclude<Message, { role: 'tool' }>, path: string, { dialect, losses }: Encoding): JsonObject {
  if (message.name === undefined) return {}
  const name = legalId(message.name, plainNames)
  if (name !== message.name)
    reportLoss(losses, 'changed', `${path}.name`, `${dialect.title} takes only plain names`, 'info')
  return { name }
}

/** Adds the message's cache mark to its last part. */
function withMark<Part extends WireAnyPart>(
  content: string | Part[],
  message: Message,
  path: string,
  to: Encoding,
): string | (Part | WireTextPart)[] {
  const mark = cacheMark(message.metadata, path, to)
  if (mark === undefined) return content
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  return parts.map((part, at) => (at === parts.length - 1 ? { ...part, ...mark } : part))
}

/** Encodes a turn. Drops a turn that would have only reasoning, such as one with only another host's tools: servers refuse it. */
function encodeTurn(message: AssistantMessage, path: string, inCalls: boolean, to: Encoding): WireAssistant[] {
  const blocks = blocksOfTurn(message)
  const calls = toolCallsOf(message).map((call) => encodeCall(call, to))
  calls.push(...blocks.filter(isUnknownCall).map(({ value }) => asWirePart<WireCall>(value)))
  const audio = blocks.find(isMadeAudio)
  const parts = encodeParts(blocks, `${path}.content`, to, encodeOther)
  const isAlone = calls.length === 0 && audio === undefined
  const content = parts.length > 0 || isAlone ? toContent(parts, to, parts.length === 1, '') : null
  const turn = { blocks, path: `${path}.content`, inCalls, content }
  const { replay } = to.dialect
  const own = keptFor(message, path, to)
  const encoded: WireAssistant = {
    ...own,
    role: 'assistant',
    content: content === null ? null : withMark(content, message, path, to),
    ...named(message, path, to),
    ...(replay ? replay.write(turn, to) : dropReasoning(turn, to)),
    ...compact({ audio: audio && { id: audio.id }, tool_calls: unlessEmpty(calls) }),
  }
  const isBlank = isAlone && encoded.content === '' && own === undefined
  if (!isBlank || blocks.every((block) => block.type === 'text')) return [encoded]
  reportLoss(to.losses, 'dropped', path, reasons.nothing)
  return []
}

/** Returns the stored fields of a message. They are sent only to the provider of the message, and proofs only to its model. */
function keptFor(message: AssistantMessage, path: string, to: Encoding): JsonObject | undefined {
  const own = unlessEmpty(unknownFieldsOf(message, format))
  const { provider, title } = to.dialect
  const { provider: from = provider, model = to.model } = message.response ?? {}
  const place = `${path}.providerData.${format}`
  if (
    own === undefined ||
    ownProof({ format, provider: from, model, data: own }, { format, provider, model: to.model })
  )
    return own
  if (from !== provider) {
    reportLoss(to.losses, 'dropped', place, `${from} said it, and not ${title}`, 'info')
    return undefined
  }
  for (const name of Object.keys(own)) {
    if (proofNames.has(name)) reportLoss(to.losses, 'dropped', `${place}.${name}`, reasons.foreignProof, 'info')
  }
  return otherFields(own, proofNames)
}

function isMadeAudio(block: ContentBlock): block is AudioBlock & { id: string } {
  return block.type === 'audio' && block.id !== undefined
}

/** Encodes the transcript of audio in an assistant message. Calls, reasoning and generated audio are not parts. */
function encodeOther(block: ContentBlock, path: string, to: Encoding): WireTextPart | undefined {
  const { type } = block
  if (type === 'tool_call' || type === 'reasoning' || isMadeAudio(block)) return undefined
  if (type !== 'audio' || block.transcript === undefined) return dropOther(block, path, to)
  reportLoss(to.losses, 'changed', path, 'audio without an id is sent as what is said in it')
  return { type: 'text', text: block.transcript }
}

// ---- content ------------------------------------------------------------------------------------

/** Encodes a block that is not text. Returns `undefined` if the block is not a part. */
type EncodeOther<Part> = (block: ContentBlock, path: string, to: Encoding) => Part | undefined

/** Encodes blocks to parts. A part that was decoded from this format is sent back unchanged. Unknown calls are not parts. */
function encodeParts<Part extends WireAnyPart = WireTextPart>(
  blocks: readonly ContentBlock[],
  path: string,
  to: Encoding,
  encodeOther: EncodeOther<Part> = dropOther,
): (Part | WireTextPart)[] {
  return blocks.flatMap((block, at): (Part | WireTextPart)[] => {
    if (isUnknownCall(block)) return []
    if (block.type === 'unknown' && block.format === format && isObject(block.value)) return [asWirePart(block.value)]
    const place = `${path}[${at}]`
    const part = encodeText(block) ?? encodeOther(block, place, to)
    if (part === undefined) return []
    const own = unknownFieldsOf(block, format)
    const body = field(part, part.type)
    const fields = isObject(body) && { [part.type]: { ...objectIn(own, part.type), ...body } }
    return [{ ...own, ...part, ...fields, ...cacheMark(block.metadata, place, to) } as Part]
  })
}

/** Whether a block stores an entry of `tool_calls` that isoglot does not know. */
export function isUnknownCall(block: ContentBlock): block is UnknownBlock & { providerType: `tool_calls${string}` } {
  return block.type === 'unknown' && block.format === format && block.providerType.startsWith('tool_calls')
}

function encodeText(block: ContentBlock): WireTextPart | undefined {
  if (block.type !== 'text' && block.type !== 'plain_text') return undefined
  const { text } = block
  return block.type === 'text' && block.refusal
    ? asWirePart({ type: 'refusal', refusal: text })
    : { type: 'text', text }
}

/** Reports the loss of a block where the format takes only text. */
function dropOther(block: ContentBlock, path: string, to: Encoding): undefined {
  return dropBlock(block, path, to, 'only text may stand here')
}

/**
 * Returns the parts as content: one string if they are all plain text and the host takes a string. `glue` separates the texts. In an answer
 * it is empty, since the texts there are parts of one text.
 */
function toContent<Part extends WireAnyPart>(
  parts: readonly Part[],
  to: Encoding,
  isString: boolean,
  glue = '\n',
): string | Part[] {
  const joins = isString || parts.length === 0 || to.dialect.textParts !== true
  const texts = parts.flatMap((part) => (part.type === 'text' && Object.keys(part).length === 2 ? part.text : []))
  return joins && texts.length === parts.length ? texts.join(glue) : [...parts]
}

/** Casts a value that the official client's types do not have: parts of other hosts, and parts that isoglot does not know. */
export function asWirePart<T>(value: DialectPart | DialectToolChoice | Json): T {
  return value as unknown as T
}

/** Encodes media of a user message. `prepare` has moved results to messages of their own. */
function encodeMedia(block: ContentBlock, path: string, to: Encoding): WirePart | undefined {
  const { dialect } = to
  const { title, textOnly, inlineImages, mediaUrls } = dialect
  const isTaken = !textOnly && (!inlineImages || (block.type === 'image' && block.data !== undefined))
  if (isTaken && block.type === 'image') return encodeImage(block, path, to)
  if (isTaken && block.type === 'audio') return (dialect.encodeAudio ?? encodeAudio)(block, path, to)
  if (isTaken && block.type === 'file') return (dialect.encodeFile ?? encodeFile)(block, path, to)
  if (block.type === 'video' && block.url !== undefined && mediaUrls?.has('video')) {
    return asWirePart({ type: 'video_url', video_url: { url: block.url } })
  }
  const how = inlineImages && block.type === 'image' ? ' but as data' : ''
  return dropBlock(block, path, to, `${title} takes no ${block.type} here${how}`)
}

/** Reports the loss of a block. Without reasoning, the text of the conversation is the same. */
export function dropBlock(
  { type }: ContentBlock,
  path: string,
  to: Pick<Encoding, 'losses'>,
  reason: string,
): undefined {
  reportLoss(to.losses, 'dropped', path, reason, type === 'reasoning' ? 'minor' : 'major')
}

/** Reports the loss of reasoning that the host does not accept in a request. */
export function dropReasoning({ blocks, path }: ReasoningTurn, to: Pick<Encoding, 'losses'>): undefined {
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'reasoning') dropBlock(block, `${path}[${at}]`, to, reasons.reasoning)
  }
}

/** Returns the URL of a block, or a data URL with its data. */
export function urlOf({ data, url }: ImageBlock | FileBlock, mimeType: string): string | undefined {
  return data === undefined ? url : toDataUrl(mimeType, data)
}

function encodeImage(block: ImageBlock, path: string, to: Encoding): WirePart | undefined {
  const { detail, mimeType = 'image/png' } = block
  const url = urlOf(block, mimeType)
  if (url !== undefined) return asWirePart({ type: 'image_url', image_url: compact({ url, detail }) })
  return dropBlock(block, path, to, 'an image is sent by URL or as data, and not by the id of a file')
}

export function encodeAudio(block: AudioBlock, path: string, to: Encoding): WirePart | undefined {
  const { data, mimeType, transcript } = block
  // The registered media type of mp3 is `audio/mpeg`.
  const found = /^audio\/(?:(?:x-|vnd\.)?wave?|(mpeg|mp3))$/.exec(mimeType ?? '')
  if (data === undefined || found === null) {
    return dropBlock(block, path, to, 'audio is sent as data, wav or mp3')
  }
  if (transcript !== undefined) reportLoss(to.losses, 'dropped', `${path}.transcript`, reasons.transcript, 'info')
  return { type: 'input_audio', input_audio: { data, format: found[1] ? 'mp3' : 'wav' } }
}

function encodeFile(block: FileBlock, path: string, to: Encoding): WirePart | undefined {
  const { fileId, data, filename, mimeType = 'application/pdf' } = block
  if (fileId !== undefined) return { type: 'file', file: compact({ file_id: fileId, filename }) }
  const url = urlOf(block, mimeType)
  if (url === undefined || !(url.startsWith('data:') || to.dialect.mediaUrls?.has('file'))) {
    return dropBlock(block, path, to, 'a file is sent as data or by its id, and not by URL')
  }
  const isNameless = data !== undefined && filename === undefined
  if (isNameless) reportLoss(to.losses, 'invented', `${path}.filename`, 'a file must have a name', 'info')
  const invented = mimeType === 'application/pdf' ? 'document.pdf' : 'document'
  return { type: 'file', file: compact({ filename: isNameless ? invented : filename, file_data: url }) }
}

/** Encodes a cache hint as the host's cache mark. */
function cacheMark(metadata: Metadata | undefined, path: string, to: Encoding): JsonObject | undefined {
  const hint = metadata?.cacheHint
  const { cacheField } = to.dialect
  if (hint === undefined || cacheField === undefined) return undefined
  const [mark, usual, other] =
    cacheField === 'cache_control' ? [{ type: 'ephemeral' }, '1h', '5m'] : [{ mode: 'explicit' }, '30m', '12h']
  if (hint === 'ephemeral') return { [cacheField]: mark }
  const ttl = hint.ttl === other ? other : usual
  if (ttl !== hint.ttl) reportTtl(to.losses, path, ttl)
  return { [cacheField]: { ...mark, ttl } }
}

// ---- definitions ------------------------------------------------------------------------------

/** Encodes the `tools` of a request. Drops tools of other formats, and custom tools if the host does not have them. */
export function encodeDefinitions(
  tools: readonly ContextTool[],
  { dialect = openai }: CodecOptions<ChatDialect> = {},
): WireTool[] {
  return encodeDefinitionsFor(prepareTools(tools, targetOf(dialect)).tools, dialect, newLosses(dialect.title, false))
}

/** Does the same inside a request, and reports losses to `losses`. */
function encodeDefinitionsFor(tools: readonly ContextTool[], dialect: ChatDialect, losses: Losses): WireTool[] {
  return tools.flatMap((tool, at) => {
    if (!('type' in tool)) {
      const note = (reason: string) =>
        reportLoss(losses, 'changed', `tools[${at}].strict`, `${dialect.title} ${reason}`, 'info')
      const own = unknownFieldsOf(tool, format)
      const { name, description } = tool
      const parameters = tool.parameters as JsonObject | undefined
      const strict = dialect.strict ? dialect.strict(tool, tools, note) : tool.strict
      const known = { ...objectIn(own, 'function'), ...compact({ name, description, parameters, strict }) }
      return [{ ...own, type: 'function', function: known }]
    }
    if (tool.value.type !== 'custom' || dialect.customTools) return [asWirePart<WireTool>(tool.value)]
    reportLoss(losses, 'dropped', `tools[${at}]`, `${dialect.title} does not have custom tools`)
    return []
  })
}

// ---- calls and results ------------------------------------------------------------------------

/**
 * Encodes a call. Its arguments are sent as the text in which they came, unless they were changed.
 *
 * @param isAnswer whether invalid ones are sent too. In a request they are `{}`: servers that parse them refuse the whole conversation.
 */
export function encodeCall(call: ToolCall | InvalidToolCall, { dialect, model }: Encoding, isAnswer = false): WireCall {
  const { type, ...own } = unknownFieldsOf(call, format)
  const proof = ownProof(call.opaque, { format, provider: dialect.provider, model })
  const { id = '', name = '' } = call
  const head = { ...own, ...proof, id }
  const text = exactArguments(call, isAnswer)
  if (call.type === 'tool_call' && type === 'custom' && dialect.customTools) {
    return { ...head, type, custom: { name, input: stringOr(call.arguments.input, text) } }
  }
  return { ...head, type: 'function', function: { ...objectIn(own, 'function'), name, arguments: text } }
}

/** Encodes a result as a message. */
export function encodeResult(
  result: ToolMessage,
  { dialect = openai }: CodecOptions<ChatDialect> = {},
): WireToolResult {
  return encodeResultFor({ dialect, model: '', losses: newLosses(dialect.title) }, result, 'content')
}

/** Does the same inside a request. `path` is that of the content. A failure is marked in the text, since this format has no field for it. */
function encodeResultFor(to: Encoding, result: ToolMessage, path: string): WireToolResult {
  const parts = encodeParts(blocksOf(result.content), path, to)
  const marked = markParts(parts, result.status === 'error', { type: 'text', text: '' })
  return {
    ...unknownFieldsOf(result, format),
    role: 'tool',
    tool_call_id: result.toolCallId,
    ...compact({ name: to.dialect.resultName ? result.name : undefined }),
    content: toContent(marked, to, typeof result.content === 'string'),
  }
}

// ---- tool choice --------------------------------------------------------------------------------

/** Encodes a tool choice for OpenAI, which has all of them. */
function chooseAsOpenai(choice: Exclude<ToolChoice, 'auto'>, tools: readonly ContextTool[]): ReturnType<ToolChoosing> {
  if (typeof choice === 'string') return { tools, choice }
  if ('name' in choice) return { tools, choice: choiceOf(choice.name, tools) }
  const { names, mode } = choice
  const named = names.map((name) => choiceOf(name, tools))
  return { tools, choice: { type: 'allowed_tools', allowed_tools: { mode, tools: named } } }
}

/** A choice of one tool has the kind of the tool: a function, or a custom tool, which takes free text. */
export function choiceOf(name: string, tools: readonly ContextTool[]): WireNamedChoice {
  const isCustom = tools.some((tool) => 'type' in tool && field(tool.value.custom, 'name') === name)
  return isCustom ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } }
}

// ---- a whole answer -----------------------------------------------------------------------------

/** Returns the `reasoning_details` of a reasoning block, of any provider of this format. */
export function reasoningDetails(block: ContentBlock): JsonObject[] {
  if (block.type !== 'reasoning' || block.opaque?.format !== format) return []
  return arrayOf(block.opaque.data.reasoning_details).filter(isObject)
}
