/**
 * OpenAI Responses: encodes a request: its options, its messages and their blocks, its tools.
 *
 * @see https://platform.openai.com/docs/api-reference/responses/create
 * @see https://platform.openai.com/docs/guides/reasoning#keeping-reasoning-items-in-context
 * @see https://platform.openai.com/docs/api-reference/responses/create#responses-create-input
 * @see https://platform.openai.com/docs/guides/function-calling?api-mode=responses
 * @see https://platform.openai.com/docs/api-reference/responses/object#responses/object-output
 *
 * @module
 */

import type { CodecOptions, EncodedRequest, EncodeRequestOptions } from '../../core/codec.ts'
import {
  asWire,
  blocksOf,
  blocksOfTurn,
  exactArguments,
  ownProof,
  parseObject,
  textOf,
  unknownFieldsOf,
} from '../../core/content.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  numberOr,
  objectIn,
  otherFields,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import { toDataUrl } from '../../core/media.ts'
import type {
  AssistantMessage,
  CitationBlock,
  Content,
  ContentBlock,
  Context,
  ContextTool,
  FileBlock,
  ImageBlock,
  InstructionMessage,
  Json,
  JsonObject,
  Message,
  Metadata,
  Opaque,
  ReasoningBlock,
  RequestOptions,
  ResponseFormat,
  ServerToolCall,
  TextBlock,
  ToolCall,
  ToolChoice,
  ToolDefinition,
  ToolMessage,
  UserMessage,
} from '../../core/messages.ts'
import { prepare, prepareTools } from '../../prepare/prepare.ts'
import { type Chain, findChain } from '../shared/chain.ts'
import { anyEffort, askedEffort, isReasoning } from '../shared/effort.ts'
import { jsonRule } from '../shared/json-rule.ts'
import { type Losses, newLosses, renamed, reportLoss, reportTtl, withoutOptions } from '../shared/losses.ts'
import * as reasons from '../shared/reasons.ts'
import { markParts, markText } from '../shared/stand-ins.ts'
import { encodeEachTool, reportUnusedChoice } from '../shared/tools.ts'
import { openaiDialect, type ResponsesDialect } from './dialect.ts'
import {
  clientItems,
  customCall,
  format,
  hostedItems,
  isCacheTtl,
  reasoningText,
  targetOf,
  title,
  wrapperName,
} from './tables.ts'
import type {
  WireCallOutput,
  WireChosen,
  WireClientCall,
  WireCustomCall,
  WireFunctionCall,
  WireFunctionTool,
  WireInputImage,
  WireInputPart,
  WireItem,
  WireRequest,
  WireTextFormat,
  WireToolChoice,
} from './wire.ts'

/** The target of an encoded conversation. */
interface Scope extends PartScope {
  readonly model: string
  /** Whether the server has the earlier items stored. */
  readonly isStored: boolean
  /** The calls that unknown items of the conversation answer. */
  readonly outputs: ReadonlySet<Json | undefined>
  /** The tools that only this format has: see {@link TurnScope.clientTools}. */
  readonly clientTools: TurnScope['clientTools']
}

/**
 * Encodes a request of this format.
 *
 * By default the request has `store: false` and asks for encrypted reasoning, which the next request sends back with the history.
 * `providerState` and `providerOptions['openai-responses'].store` change this.
 *
 * @throws {UnsupportedError} at a loss that `options.strict` does not allow. By default these are losses of content.
 */
export function encodeRequest(
  given: Context,
  { dialect = openaiDialect, ...asked }: EncodeRequestOptions<ResponsesDialect>,
): EncodedRequest<WireRequest> {
  const { context, options, report: losses, offered } = prepare(given, targetOf(dialect), asked)
  const kept = objectIn(options.providerOptions, format)
  const { previousResponseId, conversationId = kept.conversation ?? undefined } = context.providerState ?? {}
  const isAsked = kept.store !== false || conversationId !== undefined
  const chain = findChain(context, { stores: dialect.stores, isAsked }, losses)
  // A request that sends the whole history does not name the stored conversation: the server would have the history twice.
  const conversation = previousResponseId === chain.previousResponseId ? conversationId : undefined
  const isStored = chain.previousResponseId !== undefined || conversation !== undefined || kept.store === true
  const tools = context.tools ?? []
  const clientTools = dialect.clientTools ? new Set(tools.flatMap(clientToolIn)) : undefined
  const outputs = outputsIn(context.messages)
  const scope: Scope = { losses, dialect, model: options.model, isStored, clientTools, outputs }
  const { instructions, input } = encodeConversation(context, chain, options, scope)
  const definitions = [
    ...encodeDefinitions(tools, { dialect }),
    ...asWire<readonly WireFunctionTool[]>(arrayOf(kept.tools)),
  ]
  const body: WireRequest = {
    ...kept,
    ...storage(kept, conversation, chain.previousResponseId, options.model, dialect),
    ...encodeOptions(options, kept, dialect, losses),
    model: options.model,
    ...compact({ instructions }),
    input,
    ...compact({ tools: context.tools === undefined ? unlessEmpty(definitions) : definitions }),
    ...encodeChoiceOptions(options, definitions.length > 0, clientTools, losses),
  }
  return { path: '/responses', headers: {}, body, losses: losses.list, offered }
}

/** The ids of the calls that unknown items answer, such as the output of a shell. */
function outputsIn(messages: readonly Message[]): ReadonlySet<Json | undefined> {
  const blocks = messages.flatMap(({ content }) => blocksOf(content))
  return new Set(
    blocks.map((block) =>
      block.type === 'unknown' && block.providerType.endsWith('_output') ? field(block.value, 'call_id') : undefined,
    ),
  )
}

/** Returns the fields that say where the server finds the state. The caller's settings have priority over the defaults of isoglot. */
function storage(
  kept: JsonObject,
  conversation: Json | undefined,
  previousResponseId: string | undefined,
  model: string,
  dialect: ResponsesDialect,
): Pick<WireRequest, 'store' | 'include' | 'previous_response_id' | 'conversation'> {
  // The server refuses `conversation` together with `previous_response_id`.
  if (conversation !== undefined) return { conversation: asWire(conversation) }
  if (previousResponseId !== undefined) return { store: kept.store !== false, previous_response_id: previousResponseId }
  if (kept.store === true) return {}
  const asks = dialect.encryptsReasoning(model) && (kept.store === undefined || kept.include === undefined)
  if (!asks) return { store: false }
  return { store: false, include: asWire([...new Set([...arrayOf(kept.include), 'reasoning.encrypted_content'])]) }
}

/**
 * Encodes the messages that the server does not have. The leading system text is sent in `instructions`, if it is plain text and the server
 * has that field.
 */
function encodeConversation(
  { system, messages }: Context,
  { previousResponseId, from }: Chain,
  { responseFormat }: RequestOptions,
  scope: Scope,
): Pick<WireRequest, 'instructions' | 'input'> {
  const { dialect, losses } = scope
  const hasInstructions = dialect.system === 'instructions'
  let head: readonly Message[] = system?.length ? [{ role: 'system', content: system }] : []
  if (!hasInstructions && previousResponseId !== undefined && head.length > 0) {
    reportLoss(losses, 'dropped', 'system', 'the stored answer has its system text already', 'info')
    head = []
  }
  losses.places.set('system.content', 'system') // losses name `system`, although it is encoded as the content of a message
  const all = [...head, ...messages]
  let first = 0 // the first message that is not in `instructions`
  while (hasInstructions && isPlainSystem(all[first])) first++
  const texts = all.slice(0, first).map(textOf)
  const instructions = texts.filter((text) => text !== '').join('\n\n')
  const calls = new Map<string, ToolCall>()
  const input: WireItem[] = []
  for (const [place, message] of all.entries()) {
    const at = place - head.length
    for (const block of message.role === 'assistant' ? blocksOfTurn(message) : []) {
      if (block.type === 'tool_call') calls.set(block.id, block)
    }
    if (place < first || (at >= 0 && at < from)) continue
    const path = at < 0 ? 'system' : `messages[${at}]`
    if (message.role === 'assistant') input.push(...encodeAssistant(message, path, scope))
    else if (message.role === 'tool')
      addResult(input, encodeResultOf(calls.get(message.toolCallId), message, path, scope))
    else input.push(encodeInput(message, path, scope))
  }
  if (responseFormat !== undefined && responseFormat.schema === undefined && !hasWordJson(input)) {
    reportLoss(losses, 'invented', 'messages', 'the wire wants the word "JSON" in the input')
    input.unshift({ role: 'developer', content: jsonRule(responseFormat) })
  }
  if (instructions === '') return { input }
  // The server refuses an empty input, even with instructions.
  return input.length === 0 ? { input: [{ role: 'system', content: instructions }] } : { instructions, input }
}

function isPlainSystem(message: Message | undefined): boolean {
  const isPlain = ({ metadata, providerData }: Pick<Message, 'metadata' | 'providerData'>) =>
    metadata?.cacheHint === undefined && providerData === undefined
  if (message?.role !== 'system' || !isPlain(message)) return false
  return blocksOf(message.content).every((block) => block.type === 'text' && isPlain(block))
}

/** Adds a result. Results of calls that came in one wrapper are joined: the model expects one output with the id of the wrapper. */
function addResult(items: WireItem[], item: WireCallOutput): void {
  const last = items.at(-1)
  if (last?.type !== item.type || last.call_id !== item.call_id) {
    items.push(item)
    return
  }
  const texts = [last, item].map(({ output }) => (typeof output === 'string' ? output : JSON.stringify(output)))
  items[items.length - 1] = { ...last, output: texts.join('\n') }
}

function encodeAssistant(
  message: AssistantMessage,
  path: string,
  { losses, dialect, model, isStored, clientTools, outputs }: Scope,
): WireItem[] {
  const { content, response } = message
  const blocks = blocksOfTurn(message)
  const dropHint = ({ metadata }: Pick<Message, 'metadata'>, place: string) => {
    if (metadata?.cacheHint !== undefined)
      reportLoss(losses, 'dropped', `${place}.metadata.cacheHint`, reasons.cacheHint, 'info')
  }
  dropHint(message, path)
  for (const [at, block] of blocks.entries()) dropHint(block, `${path}.content[${at}]`)
  const kept = unknownFieldsOf(message, format)
  if (typeof content === 'string' && unlessEmpty(kept)) return [{ ...kept, role: 'assistant', content }]
  const to = { format, provider: dialect.provider, model }
  const items = encodeTurn(blocks, path, {
    losses,
    reader: isStored ? 'stored' : 'stateless',
    clientTools,
    proof: (opaque) => ownProof(opaque, to),
    outputs,
    isOwn: (response?.provider ?? dialect.provider) === dialect.provider,
  })
  return asWire(items)
}

function encodeInput(message: UserMessage | InstructionMessage, path: string, scope: Scope): WireItem {
  const { role, content, metadata } = message
  const last = `${path}.content[${blocksOf(content).length - 1}].metadata`
  if (metadata?.cacheHint !== undefined) renamed(scope.losses, last, `${path}.metadata`)
  return {
    ...unknownFieldsOf(message, format),
    role,
    content: encodeParts(content, `${path}.content`, scope, metadata?.cacheHint),
  }
}

/** Whether the input has the word "JSON". Without it, the server refuses `json_object`. Instructions do not count. */
function hasWordJson(input: readonly WireItem[]): boolean {
  const parts = input.flatMap((item) => ('content' in item ? item.content : []) as readonly Json[])
  return parts.some((part) => /json/i.test(stringOr(part, stringOr(field(part, 'text'), ''))))
}

// ---- options ------------------------------------------------------------------------------------

/** Encodes the options that control how the model answers. */
function encodeOptions(
  asked: RequestOptions,
  kept: JsonObject,
  dialect: ResponsesDialect,
  losses: Losses,
): Partial<WireRequest> {
  const refused = isReasoning(asked.model, askedEffort(asked.reasoning)) ? (['temperature', 'topP'] as const) : []
  const options = withoutOptions(asked, refused, `${asked.model} does not take it while it reasons`, losses)
  const { maxTokens, responseFormat, reasoning } = options
  const { minOutputTokens: least, extraOptions, userField } = dialect
  const isTooLow = maxTokens !== undefined && maxTokens < least
  if (isTooLow) reportLoss(losses, 'changed', 'options.maxTokens', `less than ${least} is refused`)
  const effort = reasoning && anyEffort(reasoning, losses)
  if (reasoning !== undefined && effort === undefined)
    reportLoss(losses, 'dropped', 'options.reasoning', reasons.noAmount)
  const extra = Object.entries(extraOptions).map(([name, field]) => [field, options[name as keyof RequestOptions]])
  return compact({
    stream: options.stream,
    max_output_tokens: isTooLow ? least : maxTokens,
    temperature: options.temperature,
    top_p: options.topP,
    text: responseFormat && { ...objectIn(kept, 'text'), format: encodeFormat(responseFormat, losses) },
    reasoning: effort && { ...objectIn(kept, 'reasoning'), effort },
    // A request that was read from the wire with the older field gets that field again.
    ['user' in kept && !('safety_identifier' in kept) ? 'user' : userField]: options.user,
    ...Object.fromEntries(extra),
  })
}

function encodeFormat({ schema, name, description, strict }: ResponseFormat, losses: Losses): WireTextFormat {
  if (schema === undefined) return { type: 'json_object' }
  if (name === undefined) reportLoss(losses, 'invented', 'options.responseFormat.name', reasons.formatName, 'info')
  const given = compact({ description, strict })
  return { type: 'json_schema', name: name ?? 'response', schema: schema as JsonObject, ...given }
}

// ---- turns --------------------------------------------------------------------------------------

// A reasoning item and the items after it belong together. The server refuses a reasoning item if no item follows it, and it refuses an
// item with an id if its reasoning is missing. So the id of an item is sent back only if its reasoning is sent before it.

/** For which reader the items are written. */
export interface TurnScope {
  readonly losses: Losses
  /** Returns the data of the proof, if it may be sent to this reader. */
  proof(opaque: Opaque | undefined): JsonObject | undefined
  /**
   * `answer`: a client, which gets everything. `stored`: a server that has the earlier items stored. `stateless`: a server that has not
   * stored them, so reasoning is sent back only in encrypted form.
   */
  readonly reader: 'answer' | 'stored' | 'stateless'
  /** The names of the tools that only this format has. `undefined`: the reader has none, so they are functions. */
  readonly clientTools: ReadonlySet<string> | undefined
  /** Whether unknown items came from this reader. If not, they are not sent. */
  readonly isOwn: boolean
  /** The calls that the items of the request answer. Default: an answer has calls that nothing answers yet. */
  readonly outputs?: ReadonlySet<Json | undefined>
}

interface Turn {
  readonly scope: TurnScope
  readonly items: JsonObject[]
  /** Items of calls that the server ran, by the id of the call. A result may be part of the item of its call. */
  readonly hosted: Map<string | undefined, JsonObject>
  /** The message that the last item is, and its id, which the item itself may not have. The next part may belong to it. */
  message: { readonly item: JsonObject; readonly id: Json | undefined; readonly content: Json[] } | undefined
  /** The id of the last reasoning; `null` if it was left out. */
  reasoning: Json | undefined
}

/** Turns the blocks of one turn into items. `first` is the index of the first block in its message. */
export function encodeTurn(blocks: readonly ContentBlock[], path: string, scope: TurnScope, first = 0): JsonObject[] {
  const items: JsonObject[] = []
  const turn: Turn = { scope, items, hosted: new Map(), message: undefined, reasoning: undefined }
  let at = first
  for (const block of blocks) {
    const item = encodeBlock(turn, block, `${path}.content[${at++}]`)
    if (item !== undefined) add(turn, item)
  }
  while (scope.reader !== 'answer' && items.at(-1)?.type === 'reasoning') {
    reportLoss(scope.losses, 'dropped', `${path}.content`, reasons.lastReasoning)
    items.pop()
  }
  return items
}

/** Returns the item of a block; `undefined` if the block is part of another item, or if it was dropped with a loss. */
function encodeBlock(turn: Turn, block: ContentBlock, path: string): object | undefined {
  const { losses, reader, isOwn } = turn.scope
  const proof = turn.scope.proof('opaque' in block ? block.opaque : undefined)
  const drop = (reason: string, severity?: 'major') => void reportLoss(losses, 'dropped', path, reason, severity)
  switch (block.type) {
    case 'text':
    case 'plain_text':
      return addText(turn, block, proof, path)
    case 'reasoning': {
      const known = reader === 'stored' ? proof : textOr(proof?.encrypted_content, undefined)
      const isSent = reader === 'answer' || known !== undefined
      turn.reasoning = isSent ? (proof?.id ?? undefined) : null
      return isSent ? encodeReasoning(block, proof) : drop(reasons.reasoningProof)
    }
    case 'tool_call': {
      const wrapper = wrapperOf(block)
      if (wrapper === undefined) return { ...proof, ...encodeCall(block, turn.scope, proof?.status) }
      const isWritten = turn.items.at(-1)?.call_id === wrapper.call_id
      return isWritten ? undefined : { ...proof, type: 'function_call', name: wrapperName, ...wrapper }
    }
    case 'server_tool_call':
      if (proof === undefined) return drop(reasons.serverTool)
      turn.hosted.set(block.id, add(turn, encodeHosted(block, proof)))
      return undefined
    case 'server_tool_result': {
      const item = proof ?? turn.hosted.get(block.toolCallId)
      if (item === undefined) return drop(reasons.serverTool)
      if (proof !== undefined && block.output === undefined) return proof
      const { output = 'error' } = lookup(hostedItems, item.type) ?? {}
      const result = { [item.error ? 'error' : output]: (block.output ?? null) as Json }
      if (proof !== undefined) return { ...proof, ...result }
      Object.assign(item, result)
      return undefined
    }
    case 'image':
      if (block.data !== undefined && (proof !== undefined || reader === 'answer'))
        return { status: 'completed', ...proof, type: 'image_generation_call', result: block.data }
      return drop('an image of an assistant goes back only to the provider that made it', 'major')
    case 'unknown': {
      const { part, proof: own } = unknownFieldsOf(block, format)
      if (block.format !== format || !isObject(block.value)) return drop(reasons.foreignBlock)
      if (part === true) return addPart(turn, block.value, isOwn && isObject(own) ? own : undefined)
      if (!isOwn) return drop(`"${block.providerType}" is an item of another provider`)
      const { type, call_id, environment } = block.value
      const isClients = type === 'computer_call' || lookup(clientItems, type) !== undefined
      const isOpen = isClients && field(environment, 'type') !== 'container_reference'
      if (isOpen && turn.scope.outputs?.has(call_id) === false) return drop('nothing answers this call')
      return block.value
    }
    default:
      return drop(`a block of type "${block.type}" cannot be output here`, 'major')
  }
}

/** Adds an item. In a request it has its id only if its reasoning is sent before it, and no field that only answers have. */
function add(turn: Turn, data: object): JsonObject {
  const { reasoningId, ...item } = data as JsonObject // `reasoningId` is a field of isoglot's proofs, not of the wire
  if (turn.scope.reader !== 'answer') {
    for (const [name, value] of Object.entries(item)) {
      if (answerOnly.has(name)) delete item[name]
      // The outputs of a shell have them too. Parts of a message are still being added.
      else if (Array.isArray(value) && name !== 'content')
        item[name] = value.map((one) => (isObject(one) ? (otherFields(one, answerOnly) ?? {}) : one))
    }
    const isSeparated = turn.reasoning === null || (reasoningId !== undefined && reasoningId !== turn.reasoning)
    if (isSeparated) delete item.id
  }
  turn.items.push(item)
  turn.message = undefined
  return item
}

/** Fields that only answers have. They are not sent back. */
const answerOnly: ReadonlySet<string> = new Set(['created_by', 'parsed', 'parsed_arguments'])

// ---- messages ---------------------------------------------------------------------------------

function addText(
  turn: Turn,
  block: TextBlock | (ContentBlock & { type: 'plain_text' }),
  proof: JsonObject | undefined,
  path: string,
): undefined {
  const { message, ...kept } = unknownFieldsOf(block, format)
  const { text, refusal, citations = [] } = block as TextBlock
  const { losses, reader } = turn.scope
  const readable = citations.filter((one) => reader === 'answer' || isReadable(one, proof !== undefined))
  if (readable.length < citations.length) reportLoss(losses, 'dropped', `${path}.citations`, reasons.citations)
  const part: JsonObject = refusal
    ? { type: 'refusal', refusal: text }
    : { type: 'output_text', text, annotations: readable.map(writeAnnotation) }
  return addPart(turn, { ...kept, ...part }, proof, isObject(message) ? message : undefined)
}

/** Whether the server accepts a citation: it came from this wire, and has all required fields. A server accepts its own, even incomplete. */
function isReadable({ providerData, title, startIndex, endIndex }: CitationBlock, isOwn: boolean): boolean {
  const own = providerData?.[format]
  if (own === undefined || isOwn || own.type !== 'url_citation') return own !== undefined
  return title !== undefined && startIndex !== undefined && endIndex !== undefined
}

/**
 * Adds a part of a message. Parts that came in one item are written in one item again. A message of one bare text that did not come from this
 * wire has the short form: some servers are strict about the long form, but accept the short one.
 */
function addPart(turn: Turn, given: JsonObject, proof: JsonObject | undefined, fields?: JsonObject): undefined {
  const { message } = turn
  const isAnswer = turn.scope.reader === 'answer'
  const part = isAnswer ? given : (otherFields(given, answerOnly) ?? {})
  const isSame = message?.id === proof?.id && (fields === undefined || message?.item.phase === fields.phase)
  if (message !== undefined && isSame) {
    message.content.push(part)
    const { item, content } = message
    if (item.type === undefined) turn.items.splice(-1, 1, { type: 'message', role: 'assistant', content })
    return
  }
  const content: Json[] = [part]
  const { type, text = '', annotations, ...rest } = part
  const isBare = type === 'output_text' && arrayOf(annotations).length === 0 && !unlessEmpty(rest)
  const isShort = isBare && proof === undefined && fields === undefined
  const whole = { ...fields, ...proof, type: 'message', role: 'assistant', content }
  turn.message = { item: add(turn, isShort ? { role: 'assistant', content: text } : whole), id: proof?.id, content }
}

// ---- reasoning --------------------------------------------------------------------------------

/** Writes the original parts, unless the text was changed. The proof has the parts only if the text is not enough to write them. */
function encodeReasoning({ text }: ReasoningBlock, proof: JsonObject = {}): JsonObject {
  const { status, summary, content, ...rest } = proof
  const isChanged = summary !== undefined && reasoningText(proof) !== text
  return compact({
    ...rest,
    type: 'reasoning',
    status: stringOr(status, undefined), // the server refuses null
    summary: isChanged ? summaryOf(text) : (summary ?? summaryOf(text)),
    content: isChanged ? undefined : content,
  }) as JsonObject
}

// ---- tools that the server runs ---------------------------------------------------------------

/** Writes the item of a call, with the fields that the proof does not have. */
function encodeHosted(
  { arguments: given, argumentsText = JSON.stringify(given) }: ServerToolCall,
  proof: JsonObject,
): JsonObject {
  const { input } = lookup(hostedItems, proof.type) ?? {}
  if (input === undefined) return proof // the server reported it as a client's call, and the proof has the whole item
  if (typeof input !== 'string') return { ...proof, ...given }
  if (typeof proof[input] === 'string') return { ...proof, [input]: argumentsText }
  return proof[input] === undefined && unlessEmpty(given) ? { ...proof, [input]: given } : proof
}

// ---- content ------------------------------------------------------------------------------------

/** The target of encoded parts. */
interface PartScope {
  readonly losses: Losses
  readonly dialect: ResponsesDialect
}

// ---- input parts: encoding --------------------------------------------------------------------

/** Encodes content. A string stays a string, and blocks become parts. Only parts have cache hints: that of a message goes to its last part. */
function encodeParts(
  content: Content,
  path: string,
  { losses }: PartScope,
  messageHint?: Metadata['cacheHint'],
): string | WireInputPart[] {
  if (typeof content === 'string' && messageHint === undefined) return content
  const blocks = blocksOf(content)
  return blocks.flatMap((block, at) => {
    const part = encodePart(block, `${path}[${at}]`, losses)
    if (part === undefined) return []
    const hint = (at === blocks.length - 1 ? messageHint : undefined) ?? block.metadata?.cacheHint
    if (hint === undefined) return { ...unknownFieldsOf(block, format), ...part }
    const asked = hint === 'ephemeral' ? undefined : hint.ttl
    const ttl = isCacheTtl(asked) ? asked : undefined
    if (ttl !== asked) reportTtl(losses, `${path}[${at}]`, 'its own time')
    return { ...unknownFieldsOf(block, format), ...part, prompt_cache_breakpoint: compact({ mode: 'explicit', ttl }) }
  })
}

/** Encodes a block as a part. If that is not possible, reports the loss and returns `undefined`. */
function encodePart(block: ContentBlock, path: string, losses: Losses): WireInputPart | undefined {
  switch (block.type) {
    case 'text':
    case 'plain_text':
      return { type: 'input_text', text: block.text }
    case 'image':
    case 'file': {
      const part = encodeMedia(block)
      if (part !== undefined) return part
      reportLoss(losses, 'dropped', path, `the ${block.type} has neither data nor an address`, 'major')
      return undefined
    }
    case 'unknown':
      return block.format === format && isObject(block.value) ? asWire(block.value) : undefined
    default:
      reportLoss(losses, 'dropped', path, `a block of type "${block.type}" cannot be input here`, 'major')
      return undefined
  }
}

function encodeMedia(block: ImageBlock | FileBlock): WireInputPart | undefined {
  const { type, data, mimeType = type === 'image' ? 'image/png' : 'application/octet-stream', fileId: file_id } = block
  const url = data === undefined ? block.url : toDataUrl(mimeType, data)
  if (url === undefined && file_id === undefined) return undefined
  if (type === 'image') {
    const detail = block.detail ?? (stringOr(unknownFieldsOf(block, format).detail, 'auto') as WireInputImage['detail'])
    return { type: 'input_image', detail, ...compact(url === undefined ? { file_id } : { image_url: url }) }
  }
  const { filename = data === undefined ? undefined : 'file' } = block
  const source = url === undefined ? { file_id } : data === undefined ? { file_url: url } : { file_data: url }
  return { type: 'input_file', ...compact({ ...source, filename }) }
}

/** Encodes a citation that came from this wire. */
function writeAnnotation({ url, title, startIndex, endIndex, providerData }: CitationBlock): JsonObject {
  return { ...providerData?.[format], ...compact({ url, title, start_index: startIndex, end_index: endIndex }) }
}

// ---- tools --------------------------------------------------------------------------------------

// `call_id` links a call and its result. In isoglot it is `ToolCall.id`. The item's `id` is different: it is part of the proof.

// ---- definitions ------------------------------------------------------------------------------

/** Encodes definitions in the flat form of this wire. Provider tools of other formats are left out. */
export function encodeDefinitions(
  tools: readonly ContextTool[],
  { dialect = openaiDialect }: CodecOptions<ResponsesDialect> = {},
): WireFunctionTool[] {
  const fitted = prepareTools(tools, targetOf(dialect)).tools
  return encodeEachTool(fitted, (tool) => encodeDefinition(tool, dialect))
}

function encodeDefinition(tool: ToolDefinition, { clientTools }: ResponsesDialect): WireFunctionTool {
  const { name, description, parameters, strict } = tool
  const kept = unknownFieldsOf(tool, format)
  const isClients = clientToolIn(tool).length > 0
  if (isClients && clientTools) return asWire(kept) // the model knows it
  const isOwn = tool.providerData?.[format] !== undefined && !isClients
  return {
    type: 'function',
    // Without `strict`, the server uses strict mode where it can, and may change the schema. A tool not read from this wire gets `false`.
    ...(isOwn ? kept : { strict: false, parameters: { type: 'object', properties: {} } }),
    ...compact({ name, description, parameters, strict }),
  } as WireFunctionTool
}

/** The name of the tool, if only this format has it, such as `shell`. */
function clientToolIn(tool: ContextTool): readonly string[] {
  const isClients = 'name' in tool && lookup(clientItems, `${unknownFieldsOf(tool, format).type}_call`) !== undefined
  return isClients ? [tool.name] : []
}

// ---- choice -----------------------------------------------------------------------------------

function encodeToolChoice(choice: ToolChoice, clientTools: TurnScope['clientTools'], losses: Losses): WireToolChoice {
  if (typeof choice === 'string') return choice
  const chosen = (name: string): WireChosen =>
    clientTools?.has(name) ? { type: name as 'shell' } : { type: 'function', name }
  if (!('name' in choice)) return { type: 'allowed_tools', mode: choice.mode, tools: choice.names.map(chosen) }
  if (choice.name !== 'local_shell' || !clientTools?.has(choice.name)) return chosen(choice.name)
  reportLoss(losses, 'changed', 'options.toolChoice', 'a local shell cannot be named: the model calls any tool')
  return 'required'
}

/** Encodes the options of tool choice. A request without tools has none of them: they are reported as a loss. */
function encodeChoiceOptions(
  options: RequestOptions,
  hasTools: boolean,
  clientTools: TurnScope['clientTools'],
  losses: Losses,
): Pick<WireRequest, 'tool_choice' | 'parallel_tool_calls'> {
  if (!hasTools) {
    reportUnusedChoice(options, losses)
    return {}
  }
  const { toolChoice, parallelToolCalls: parallel_tool_calls } = options
  return compact({ tool_choice: toolChoice && encodeToolChoice(toolChoice, clientTools, losses), parallel_tool_calls })
}

/** Encodes a call as an item, without the item's `id`. `encodeTurn` decides whether the id may be sent. */
function encodeCall(
  call: ToolCall,
  scope: TurnScope,
  status: Json = 'completed',
): WireFunctionCall | WireCustomCall | WireClientCall {
  const { type, ...others } = unknownFieldsOf(call, format)
  const { id: call_id, name } = call
  const clients = clientTypeOf(call, scope)
  if (clients !== undefined) {
    const { type = 'exec', env = {} } = call.arguments
    const given = { ...call.arguments, ...(clients === 'local_shell_call' && { type, env }) }
    const hasShell = scope.reader === 'answer' && clients === 'shell_call'
    const shell = hasShell && { environment: { type: 'local' } } // clients' types demand it
    return { ...shell, ...others, status, type: clients, call_id, [lookup(clientItems, clients) as string]: given }
  }
  const kept = lookup(clientItems, type) ? {} : others
  // In a request, arguments may not be any text: servers that parse them refuse the whole conversation.
  const text = exactArguments(call, scope.reader === 'answer')
  if (type !== customCall) return { ...kept, type: 'function_call', call_id, name, arguments: text }
  return { ...kept, type, call_id, name, input: stringOr(field(call.arguments, 'input'), text) }
}

/** The type of the item that a call of the client's own tool goes as; `undefined` if it goes as another call. */
function clientTypeOf(call: ToolCall, { clientTools }: Pick<TurnScope, 'clientTools'>): string | undefined {
  const type = unknownFieldsOf(call, format).type ?? (clientTools?.has(call.name) && `${call.name}_call`)
  return clientTools && lookup(clientItems, type) && stringOr(type, undefined)
}

/** Returns the wrapper that a call came in, if there was one. */
function wrapperOf(call: ToolCall | undefined): { call_id: string; arguments: string } | undefined {
  return call && (unknownFieldsOf(call, format).wrapper as { call_id: string; arguments: string } | undefined)
}

// ---- results ----------------------------------------------------------------------------------

/** Encodes the result of one call as an item of `input`: a `function_call_output` or a `custom_tool_call_output`. */
export function encodeResult(
  result: ToolMessage,
  { dialect = openaiDialect }: CodecOptions<ResponsesDialect> = {},
): WireCallOutput {
  const clientTools = dialect.clientTools ? new Set<string>() : undefined
  return encodeResultOf(undefined, result, 'result', { losses: newLosses(title), dialect, clientTools })
}

/**
 * Encodes a result within a request. Its type, its id and its `caller` match those of its call. The wire has no field for errors, so a mark
 * in the text says that the tool failed.
 */
function encodeResultOf(
  call: ToolCall | undefined,
  result: ToolMessage,
  path: string,
  scope: PartScope & Pick<TurnScope, 'clientTools'>,
): WireCallOutput {
  const { type, caller } = call === undefined ? ({} as JsonObject) : unknownFieldsOf(call, format)
  const { type: given, ...kept } = unknownFieldsOf(result, format)
  const clients = (call && clientTypeOf(call, scope)) ?? (scope.clientTools && clientOutputs.get(given))
  if (clients !== undefined) {
    const output = encodeClientOutput(clients, result, call, path, scope)
    const head = { type: `${clients}_output`, ...compact({ caller: caller ?? undefined }), ...kept }
    return asWire({ ...head, call_id: result.toolCallId, ...output })
  }
  return {
    type: type === customCall ? `${customCall}_output` : 'function_call_output',
    ...compact({ caller: caller ?? undefined }),
    ...(clientOutputs.has(given) ? {} : unknownFieldsOf(result, format)),
    call_id: wrapperOf(call)?.call_id ?? result.toolCallId,
    output: encodeOutput(result, `${path}.content`, scope),
  }
}

/** The types of calls, by the types of their outputs. */
const clientOutputs: ReadonlyMap<unknown, string> = new Map(
  Object.keys(clientItems).map((type) => [`${type}_output`, type]),
)

/**
 * Encodes the result of a call of the client's own tool in the form of that tool. A shell has an output for each command: from JSON of the wire's
 * own form, or from text. Media are a loss.
 */
function encodeClientOutput(
  type: string,
  result: ToolMessage,
  call: ToolCall | undefined,
  path: string,
  { losses }: PartScope,
): JsonObject {
  const isError = result.status === 'error'
  if (blocksOf(result.content).some((block) => block.type !== 'text' && block.type !== 'plain_text'))
    reportLoss(
      losses,
      'dropped',
      `${path}.content`,
      `the output of ${result.name ?? 'this tool'} is text here`,
      'major',
    )
  const text = textOf(result)
  if (type === 'apply_patch_call') return { status: isError ? 'failed' : 'completed', output: text }
  if (type === 'local_shell_call') return { output: markText(text, isError) }
  const max_output_length = numberOr(call?.arguments.max_output_length, undefined)
  return { ...compact({ max_output_length }), output: shellOutputs(text, isError) }
}

function shellOutputs(text: string, isError: boolean): JsonObject[] {
  const outcome = { type: 'exit', exit_code: isError ? 1 : 0 }
  const parsed = parseObject(`{"output":${text}}`)
  const outputs = 'value' in parsed ? arrayOf(parsed.value.output) : []
  const isOutput = (one: Json): one is JsonObject => isObject(one) && ('stdout' in one || 'stderr' in one)
  if (outputs.length === 0 || !outputs.every(isOutput))
    return [{ stdout: isError ? '' : text, stderr: isError ? text : '', outcome }]
  return outputs.map((one) => ({ stdout: '', stderr: '', outcome, ...one }))
}

function encodeOutput({ content, status }: ToolMessage, path: string, scope: PartScope): WireCallOutput['output'] {
  const isError = status === 'error'
  const parts = encodeParts(content, path, scope)
  if (typeof parts === 'string') return markText(parts, isError)
  const isText = parts.every((part) => part.type === 'input_text')
  if (!isText || scope.dialect.resultMedia.size > 0) return markParts(parts, isError, { type: 'input_text', text: '' })
  for (const [at, { type, text, ...kept }] of parts.entries()) {
    if (unlessEmpty(kept)) reportLoss(scope.losses, 'dropped', `${path}[${at}].providerData`, reasons.fields, 'info')
  }
  return markText(parts.map(({ text }) => text).join('\n'), isError)
}

// ---- items --------------------------------------------------------------------------------------

/** Returns the summary that has this text in one part. */
function summaryOf(text: string): Json[] {
  return text === '' ? [] : [{ type: 'summary_text', text }]
}
