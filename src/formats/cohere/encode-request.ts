/**
 * Cohere Chat v2: encodes a request: its options, its messages and their blocks, its tools.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 * @see https://docs.cohere.com/docs/tool-use-overview (read 2026-11)
 * @see https://docs.cohere.com/docs/rag-citations (read 2026-11)
 *
 * @module
 */

import type { CodecOptions, EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import { asWire, blocksOf, blocksOfTurn, callsOf, exactArguments, unknownFieldsOf } from '../../core/content.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  numberOr,
  objectIn,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import { textOfBase64, toDataUrl } from '../../core/media.ts'
import type {
  AssistantMessage,
  CitationBlock,
  Content,
  ContentBlock,
  Context,
  ContextTool,
  FileBlock,
  ImageBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  JsonSchema,
  Message,
  PlainTextBlock,
  RequestOptions,
  TextBlock,
  ToolCall,
  ToolMessage,
  UserMessage,
} from '../../core/messages.ts'
import { prepare, prepareTools } from '../../prepare/prepare.ts'
import { effortBudgets } from '../shared/effort.ts'
import { jsonRule } from '../shared/json-rule.ts'
import { type Losses, newLosses, reportLoss } from '../shared/losses.ts'
import { isRecursive } from '../shared/narrow-schema.ts'
import * as lackReasons from '../shared/reasons.ts'
import { markParts, markText, placeholder } from '../shared/stand-ins.ts'
import { chosenTools, encodeEachTool, encodeFunctionTool, reportUnusedChoice } from '../shared/tools.ts'
import { format, leftOut, reasons, takesChoice, takesImages, target, thinks } from './tables.ts'
import type {
  WireAssistant,
  WireCall,
  WireCitation,
  WireDocument,
  WireDocumentPart,
  WireImage,
  WireMessage,
  WireRequest,
  WireSource,
  WireText,
  WireThinking,
  WireTool,
  WireToolResult,
} from './wire.ts'

/**
 * Writes a request.
 *
 * @throws {UnsupportedError} if important content would be lost, such as media other than images and text files.
 */
export function encodeRequest(given: Context, asked: EncodeRequestOptions): EncodedRequest<WireRequest> {
  const { context, options, report: losses, offered } = prepare(given, target, asked)
  const { tools, choice } = encodeToolChoice(context.tools ?? [], options, losses)
  const { messages, documents } = encodeMessages(context, {
    losses,
    takesDocuments: options.responseFormat === undefined,
    takesThinking: thinks(options.model),
    takesImages: takesImages(options.model),
    isAnswer: false,
  })
  const definitions = encodeFitted(tools)
  const body: WireRequest = {
    ...objectIn(options.providerOptions, format),
    model: options.model,
    messages,
    ...encodeOptions(options, losses),
    ...encodeFormat(options, definitions.length > 0, messages, losses),
    ...compact({
      documents: unlessEmpty(documents),
      tools: context.tools?.length === 0 ? definitions : unlessEmpty(definitions),
    }),
    ...(definitions.length > 0 && choice),
    ...encodeStrictness(tools, losses),
  }
  return { path: '/chat', headers: {}, body, losses: losses.list, offered }
}

/** Writes the response format. If Cohere's JSON mode cannot express it, a system message asks for the JSON. */
function encodeFormat(
  { responseFormat }: RequestOptions,
  hasTools: boolean,
  messages: WireMessage[],
  losses: Losses,
): Pick<WireRequest, 'response_format'> {
  if (responseFormat === undefined) return {}
  const { schema } = responseFormat
  if (schema !== undefined && !hasTools && takesSchema(schema))
    return { response_format: { type: 'json_object', json_schema: schema } }
  const mode = hasTools ? {} : { response_format: { type: 'json_object' } as const }
  if (schema === undefined && !hasTools) {
    if (messages.some(saysJson)) return mode
    reportLoss(losses, 'invented', 'messages', reasons.wordJson)
  } else reportLoss(losses, 'changed', 'options.responseFormat', hasTools ? reasons.jsonInWords : reasons.schemaInWords)
  messages.unshift({ role: 'system', content: jsonRule(responseFormat) })
  return mode
}

function saysJson({ content }: WireMessage): boolean {
  const texts = typeof content === 'string' ? [content] : arrayOf(content).map((part) => field(part, 'text'))
  return texts.some((text) => /json/i.test(textOr(text, '')))
}

/** Returns whether Cohere accepts a schema: it is an object with at least one required field, and is not recursive. */
function takesSchema(schema: JsonSchema): boolean {
  return schema.type === 'object' && arrayOf(schema.required).length > 0 && !isRecursive(schema, schema)
}

// ---- options ------------------------------------------------------------------------------------

type Limited = 'temperature' | 'topP' | 'topK' | 'frequencyPenalty' | 'presencePenalty'

/** Ranges that the server accepts; it refuses other values. */
const ranges: Readonly<Record<Limited, readonly [least: number, most: number]>> = {
  temperature: [0, 1],
  topP: [0.01, 0.99],
  topK: [0, 500],
  frequencyPenalty: [0, 1],
  presencePenalty: [0, 1],
}
const maxStops = 5

/** Writes all fields of a request except those of the conversation and `response_format`. */
function encodeOptions(options: RequestOptions, losses: Losses): Omit<WireRequest, 'model' | 'messages'> {
  const { stream = false, maxTokens, seed, stop } = options
  const within = (name: Limited) => limited(name, options[name], losses)
  const frequency = within('frequencyPenalty')
  const presence = within('presencePenalty')
  // Some models refuse a request with both.
  const hasBoth = Boolean(frequency && presence)
  if (hasBoth) reportLoss(losses, 'dropped', 'options.presencePenalty', reasons.penalties)
  if (stop !== undefined && stop.length > maxStops)
    reportLoss(losses, 'changed', 'options.stop', `Cohere takes ${maxStops} stop sequences: the first are sent`)
  return {
    stream,
    ...compact({
      max_tokens: maxTokens,
      temperature: within('temperature'),
      p: within('topP'),
      k: within('topK'),
      seed,
      stop_sequences: stop?.slice(0, maxStops),
      frequency_penalty: frequency,
      presence_penalty: hasBoth ? undefined : presence,
      thinking: encodeThinking(options, losses),
    }),
  }
}

function limited(name: Limited, value: number | undefined, losses: Losses): number | undefined {
  if (value === undefined) return undefined
  const [least, most] = ranges[name]
  const sent = Math.min(most, Math.max(least, value))
  if (sent !== value)
    reportLoss(losses, 'changed', `options.${name}`, `Cohere takes ${least} to ${most}: ${sent} is sent`)
  return sent
}

/** Writes the `thinking` field. Without it, a model that can think does so. */
function encodeThinking({ reasoning, model, maxTokens }: RequestOptions, losses: Losses): WireRequest['thinking'] {
  if (reasoning === undefined) return undefined
  const { effort, budgetTokens } = reasoning
  const isOff = effort === 'none' || budgetTokens === 0
  if (!thinks(model)) {
    reportLoss(losses, 'dropped', 'options.reasoning', reasons.thinking, isOff ? 'info' : 'minor')
    return undefined
  }
  if (isOff) return { type: 'disabled' }
  if (effort !== undefined && budgetTokens !== undefined)
    reportLoss(losses, 'dropped', 'options.reasoning.effort', lackReasons.budgetWins, 'info')
  const asked = budgetTokens ?? (effort && effortBudgets[effort])
  if (asked === undefined) return { type: 'enabled' }
  const most = (maxTokens ?? Number.POSITIVE_INFINITY) - 1
  if (most < 1) {
    reportLoss(losses, 'dropped', 'options.reasoning', 'maxTokens leaves no room to think')
    return { type: 'disabled' }
  }
  const sent = Math.min(asked, most)
  if (budgetTokens === undefined)
    reportLoss(
      losses,
      'changed',
      'options.reasoning.effort',
      `Cohere takes budgets only: ${sent} tokens are sent`,
      'info',
    )
  else if (sent !== asked)
    reportLoss(losses, 'changed', 'options.reasoning.budgetTokens', `it has to be less than maxTokens: ${sent} is sent`)
  return { type: 'enabled', token_budget: sent }
}

// ---- messages -----------------------------------------------------------------------------------

// A request has its documents in a separate field. In isoglot they are blocks of the last user message.

/** How messages are encoded, for a request or for an answer. */
export interface Encoding {
  readonly losses: Losses
  /** Whether the `documents` field may be used. If not, the text of the documents is written into the messages. */
  readonly takesDocuments: boolean
  /** Whether the model accepts the thinking of earlier turns. */
  readonly takesThinking: boolean
  /** Whether the model accepts images. */
  readonly takesImages: boolean
  /** Whether an answer for a client is encoded, and not a request. */
  readonly isAnswer: boolean
}

/** Writes the messages of a request, with the system text as the first message, and its documents. */
function encodeMessages(
  { system, messages }: Context,
  to: Encoding,
): { readonly messages: WireMessage[]; readonly documents: WireDocument[] } {
  const documents: WireDocument[] = []
  const encoded = messages.flatMap((message, at) => encodeMessage(message, `messages[${at}]`, documents, to))
  if (system !== undefined) encoded.unshift(...encodeSystem(system, 'system', 'system', {}, to))
  return { messages: encoded, documents }
}

function encodeMessage(message: Message, path: string, documents: WireDocument[], to: Encoding): WireMessage[] {
  switch (message.role) {
    case 'assistant':
      return encodeTurn(message, path, to)
    case 'tool':
      return [encodeResultFor(message, path, to.losses)]
    case 'user':
      return encodeUser(message, path, documents, to)
    case 'system':
    case 'developer': // written as `system`: Cohere does not have this role
      return encodeSystem(message.content, path, `${path}.content`, unknownFieldsOf(message, format), to)
  }
}

/** Writes instructions. The message is omitted if nothing in it can be sent, since Cohere refuses an empty message. */
function encodeSystem(
  content: Content,
  path: string,
  contentPath: string,
  fields: JsonObject,
  { losses }: Encoding,
): WireMessage[] {
  const text = typeof content === 'string' ? content : encodeTextParts(content, contentPath, losses)
  if (text.length > 0) return [{ ...fields, role: 'system', content: text }]
  reportLoss(losses, 'dropped', path, lackReasons.nothing)
  return []
}

function encodeUser(message: UserMessage, path: string, documents: WireDocument[], to: Encoding): WireMessage[] {
  const { content } = message
  if (typeof content === 'string') return [{ ...unknownFieldsOf(message, format), role: 'user', content }]
  const parts: ReturnType<typeof encodeUserPart>[] = []
  // A message that has only documents would be empty without them. So their text is written into the message.
  const hasContent = content.some(({ type }) => type === 'text' || type === 'image')
  for (const [at, block] of content.entries()) {
    const where = `${path}.content[${at}]`
    const document = encodeDocument(block, where, to.losses)
    if (document !== undefined && to.takesDocuments && hasContent) documents.push(document)
    else if (document === undefined) parts.push(encodeUserPart(block, where, to))
    else parts.push(inPlace(document, `${where}.${block.type === 'file' ? 'filename' : 'title'}`, to))
  }
  const partsSent = parts.filter((part) => part !== undefined)
  if (partsSent.length === 0) partsSent.push({ type: 'text', text: placeholder }) // the server refuses an empty message
  return [{ ...unknownFieldsOf(message, format), role: 'user', content: partsSent }]
}

/** Writes a document as a text part. `path` is the path of its title. */
function inPlace({ data }: WireDocument, path: string, { losses }: Encoding): WireText {
  if (data.title !== undefined) reportLoss(losses, 'dropped', path, lackReasons.title, 'info')
  return { type: 'text', text: textOr(data.text, '') }
}

/** Writes an assistant's turn. It is omitted if nothing in it can be sent, such as when it has only another provider's tools. */
function encodeTurn(message: AssistantMessage, path: string, to: Encoding): WireMessage[] {
  const encoded = encodeAssistant(message, path, to)
  const { content, tool_plan: plan, tool_calls: calls } = encoded
  if (content !== undefined || plan !== undefined || calls !== undefined) return [encoded]
  reportLoss(to.losses, 'dropped', path, lackReasons.nothing)
  return []
}

/** Writes an assistant's message of a history or of an answer. */
export function encodeAssistant(message: AssistantMessage, path: string, to: Encoding): WireAssistant {
  const { citations: keptCitations, ...kept } = unknownFieldsOf(message, format)
  const content: (WireText | WireThinking)[] = []
  const citations: WireCitation[] = arrayOf(keptCitations).map((one) => asWire(one))
  const plans: string[] = []
  const blocks = blocksOfTurn(message)
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'tool_call') continue
    const where = `${path}.content[${at}]`
    if (block.type === 'reasoning' && unknownFieldsOf(block, format).toolPlan === true) plans.push(block.text)
    else if (block.type === 'reasoning' && !to.takesThinking) reportLoss(to.losses, 'dropped', where, reasons.thinking)
    else if (block.type === 'reasoning')
      content.push({ ...unknownFieldsOf(block, format), type: 'thinking', thinking: block.text })
    else {
      const part = to.isAnswer && isBlank(block) ? undefined : encodeTextPart(block, where, to.losses)
      if (part === undefined) continue
      if (block.type === 'text') citations.push(...citationsOf(block, content, where, to))
      content.push(part)
    }
  }
  const calls = encodeCalls(message, path, to)
  noteOrder(blocks, path, to)
  const [only] = content
  const isString = typeof message.content === 'string' && only?.type === 'text'
  return {
    ...kept,
    role: 'assistant',
    ...compact({
      content: isString && !to.isAnswer ? only.text : unlessEmpty(content),
      tool_plan: plans.length > 0 ? plans.join('') : undefined,
      tool_calls: unlessEmpty(calls),
      citations: unlessEmpty(citations),
    }),
  }
}

function isBlank(block: ContentBlock): boolean {
  return block.type === 'text' && block.text === ''
}

function citationsOf(
  block: ContentBlock & { type: 'text' },
  before: readonly (WireText | WireThinking)[],
  path: string,
  { isAnswer, losses }: Encoding,
): WireCitation[] {
  const isForeign = ({ providerData }: { readonly providerData?: object }) => !Object.hasOwn(providerData ?? {}, format)
  if (!isAnswer && block.citations?.some(isForeign))
    reportLoss(losses, 'dropped', `${path}.citations`, lackReasons.citations)
  const isFirst = before.every(({ type }) => type !== 'text')
  return encodeCitations(block, { contentIndex: before.length, isFirst }, isAnswer)
}

/** Writes the calls of a turn. Only answers have invalid ones. */
function encodeCalls(message: AssistantMessage, path: string, { losses }: Encoding): WireCall[] {
  return callsOf(message).map((call) => {
    if (!call.name) {
      const at = message.invalidToolCalls?.indexOf(call as InvalidToolCall)
      reportLoss(losses, 'invented', `${path}.invalidToolCalls[${at}].name`, reasons.namelessCall)
    }
    return encodeCall(call)
  })
}

/** Reports a loss if a block follows a call. Cohere has calls in a separate list, so the order is lost. */
function noteOrder(blocks: readonly ContentBlock[], path: string, { losses }: Encoding): void {
  const firstCall = blocks.findIndex(({ type }) => type === 'tool_call')
  if (firstCall >= 0 && blocks.slice(firstCall).some(({ type }) => type !== 'tool_call'))
    reportLoss(losses, 'changed', path, reasons.order, 'info')
}

// ---- content ------------------------------------------------------------------------------------

/** Writes a block as a text part. For a block that is not text, it reports a loss and returns `undefined`. */
export function encodeTextPart(block: ContentBlock, path: string, losses: Losses): WireText | undefined {
  if (block.type === 'text' || block.type === 'plain_text') {
    const { document: _, ...kept } = unknownFieldsOf(block, format)
    if (block.type === 'plain_text' && block.title !== undefined)
      reportLoss(losses, 'dropped', `${path}.title`, lackReasons.title, 'info')
    return { ...kept, type: 'text', text: block.text }
  }
  if (block.type === 'unknown' && block.format === format && isObject(block.value)) return asWire(block.value)
  const [reason, severity] = lookup(leftOut, block.type) ?? [reasons.media, 'major']
  reportLoss(losses, 'dropped', path, reason, severity)
  return undefined
}

function encodeTextParts(blocks: readonly ContentBlock[], path: string, losses: Losses): WireText[] {
  return blocks.flatMap((block, at) => encodeTextPart(block, `${path}[${at}]`, losses) ?? [])
}

/** Writes a block of a user's message that is not a document. */
function encodeUserPart(
  block: ContentBlock,
  path: string,
  { losses, takesImages }: { readonly losses: Losses; readonly takesImages: boolean },
): WireText | WireImage | undefined {
  if (block.type !== 'image') return encodeTextPart(block, path, losses)
  if (takesImages) return encodeImage(block, path, losses)
  reportLoss(losses, 'dropped', path, reasons.images, 'major')
  return undefined
}

function encodeImage(block: ImageBlock, path: string, losses: Losses): WireImage | undefined {
  const url = block.data === undefined ? block.url : toDataUrl(block.mimeType ?? 'image/png', block.data)
  if (url === undefined) {
    reportLoss(losses, 'dropped', path, reasons.fileId, 'major')
    return undefined
  }
  if (block.detail === 'original') reportLoss(losses, 'changed', `${path}.detail`, reasons.detail, 'info')
  const detail = block.detail === 'original' ? 'high' : block.detail
  const { image_url: image, ...kept } = unknownFieldsOf(block, format)
  return { ...kept, type: 'image_url', image_url: { ...(isObject(image) && image), url, ...compact({ detail }) } }
}

/** Writes a text document or a text file as a document. Returns `undefined` for every other block. */
function encodeDocument(block: ContentBlock, path: string, losses: Losses): WireDocument | undefined {
  if (block.type === 'file') return encodeFile(block, path, losses)
  if (block.type !== 'plain_text') return undefined
  const { document } = unknownFieldsOf(block, format)
  const isSame = document !== undefined && decodeDocument(document).text === block.text
  if (isSame) return asWire(document)
  return { ...compact({ id: textOr(field(document, 'id'), undefined) }), data: documentData(block.text, block.title) }
}

function encodeFile({ data, mimeType, filename }: FileBlock, path: string, losses: Losses): WireDocument | undefined {
  const text = data !== undefined && mimeType?.startsWith('text/') ? textOfBase64(data) : undefined
  if (text === undefined) return undefined
  if (mimeType !== 'text/plain') reportLoss(losses, 'dropped', `${path}.mimeType`, lackReasons.mimeType, 'info')
  return { data: documentData(text, filename) }
}

function documentData(text: string, title: string | undefined): WireDocument['data'] {
  return compact({ text, title })
}

/** Writes a block of a tool's result, as text or as a document. */
function encodeResultPart(block: ContentBlock, path: string, losses: Losses): WireText | WireDocumentPart | undefined {
  const document = encodeDocument(block, path, losses)
  return document === undefined ? encodeTextPart(block, path, losses) : { type: 'document', document }
}

/** Reads a document of a request or of a result. Cohere's guides write its data as text, too. If it has fields other than text and title, all its fields become JSON text. */
export function decodeDocument(value: Json): PlainTextBlock {
  const inside = typeof value === 'string' ? value : field(value, 'data')
  const data = typeof inside === 'string' ? { text: inside } : objectIn(value, 'data')
  const { text, title, ...more } = data as JsonObject
  const isPlain = typeof text === 'string' && Object.keys(more).length === 0 && typeof (title ?? '') === 'string'
  const isBare = typeof value === 'string' || (isPlain && Object.keys(value as JsonObject).length === 1)
  return compact({
    type: 'plain_text',
    text: isPlain ? text : JSON.stringify(data),
    title: stringOr(title, undefined),
    providerData: isBare ? undefined : { [format]: { document: value } },
  })
}

// ---- definitions ------------------------------------------------------------------------------

/** Writes the tools, without those of other formats. */
export function encodeDefinitions(tools: readonly ContextTool[], _options: CodecOptions = {}): WireTool[] {
  return encodeFitted(prepareTools(tools, target).tools)
}

function encodeFitted(tools: readonly ContextTool[]): WireTool[] {
  return encodeEachTool(tools, (tool) => encodeFunctionTool(tool, format))
}

/** Writes `strict_tools`. It applies to all tools, so it is sent only if every tool is strict. */
function encodeStrictness(tools: readonly ContextTool[], losses: Losses): Pick<WireRequest, 'strict_tools'> {
  const isStrict = (tool: ContextTool) => 'name' in tool && tool.strict === true
  if (!tools.some(isStrict)) return {}
  if (tools.every(isStrict)) return { strict_tools: true }
  for (const [at, tool] of tools.entries()) {
    if (isStrict(tool)) reportLoss(losses, 'dropped', `tools[${at}].strict`, reasons.strictTools)
  }
  return {}
}

// ---- choice -----------------------------------------------------------------------------------

/** Returns the tools to send and the `tool_choice`. Cohere cannot choose by name, so only the chosen tools are sent. */
function encodeToolChoice(
  tools: readonly ContextTool[],
  options: RequestOptions,
  losses: Losses,
): { readonly tools: readonly ContextTool[]; readonly choice: Pick<WireRequest, 'tool_choice'> } {
  const { toolChoice, model } = options
  if (tools.length === 0) reportUnusedChoice({ toolChoice }, losses)
  if (tools.length === 0 || toolChoice === undefined || toolChoice === 'auto') return { tools, choice: {} }
  const takes = takesChoice(model)
  if (toolChoice === 'none')
    return takes
      ? { tools, choice: { tool_choice: 'NONE' } }
      : { tools: chosenTools(tools, toolChoice, losses), choice: {} }
  const forced = () => {
    if (takes) return { tool_choice: 'REQUIRED' } as const
    reportLoss(losses, 'dropped', 'options.toolChoice', reasons.choice)
    return {}
  }
  if (toolChoice === 'required') return { tools, choice: forced() }
  const left = chosenTools(tools, toolChoice, losses)
  const isForced = left.length > 0 && ('name' in toolChoice || toolChoice.mode === 'required')
  return { tools: left, choice: isForced ? forced() : {} }
}

// ---- calls ------------------------------------------------------------------------------------

/** Writes a call. The arguments of an invalid one are sent unchanged, even if they are not JSON: clients parse them, as they do with Cohere. */
export function encodeCall(call: ToolCall | InvalidToolCall): WireCall {
  const kept = unknownFieldsOf(call, format)
  const args = call.type === 'tool_call' ? exactArguments(call) : call.argumentsText
  const body = { ...objectIn(kept, 'function'), name: call.name ?? '', arguments: args }
  return { type: 'function', ...kept, id: call.id ?? '', function: body }
}

// ---- results ----------------------------------------------------------------------------------

/** Writes the result of one call as an entry of `messages`: a message with the role `tool`. */
export function encodeResult(result: ToolMessage, _options: CodecOptions = {}): WireToolResult {
  return encodeResultFor(result, 'result', newLosses('Cohere'))
}

/** Writes a result within a request. Its text says that the call failed, since the format does not have a flag for it. */
function encodeResultFor(result: ToolMessage, path: string, losses: Losses): WireToolResult {
  const isError = result.status === 'error'
  const parts = blocksOf(result.content).flatMap((block, at) => {
    return encodeResultPart(block, `${path}.content[${at}]`, losses) ?? []
  })
  const content =
    typeof result.content === 'string'
      ? markText(result.content, isError)
      : markParts<(typeof parts)[number]>(parts, isError, { type: 'text', text: '' })
  return { ...unknownFieldsOf(result, format), role: 'tool', tool_call_id: result.toolCallId, content }
}

// ---- citations ----------------------------------------------------------------------------------

/**
 * Writes the citations of a text. `contentIndex` is the index of the text in the content of its message. Citations of other providers are
 * written only in answers, where a client can show them.
 */
export function encodeCitations(
  block: TextBlock,
  { contentIndex, isFirst }: { readonly contentIndex: number; readonly isFirst: boolean },
  isAnswer: boolean,
): WireCitation[] {
  const encoded: WireCitation[] = []
  for (const citation of block.citations ?? []) {
    const { source, ...kept } = unknownFieldsOf(citation, format)
    const isOwn = citation.providerData?.[format] !== undefined
    if (!isOwn && !isAnswer) continue
    const start = numberOr(kept.start, citation.startIndex ?? 0)
    const end = numberOr(kept.end, citation.endIndex ?? block.text.length)
    const written = isOwn ? (source === undefined ? [] : [asWire<WireSource>(source)]) : [foreignSource(citation)]
    const last = encoded.at(-1)
    if (last?.start === start && last.end === end) {
      last.sources.push(...written)
      continue
    }
    const index = isFirst && kept.content_index === undefined ? undefined : contentIndex
    encoded.push({
      ...kept,
      start,
      end,
      text: stringOr(kept.text, block.text.slice(start, end)),
      sources: written,
      ...compact({ type: isOwn ? undefined : 'TEXT_CONTENT', content_index: index }),
    })
  }
  return encoded
}

function foreignSource({ url, title, text }: CitationBlock): WireSource {
  const id = url ?? title ?? 'source'
  return { type: 'document', id, document: compact({ id, text, title, url }) }
}
