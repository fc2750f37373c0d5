/**
 * Bedrock Converse: the server's half. It decodes requests, and encodes answers, streams and errors. No page loads it.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/prompt-caching.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html (read 2026-11)
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html#API_runtime_Converse_Errors (read 2026-11)
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
import { isNoArguments, parseObject, readCall, settleStopReason, textOfArguments } from '../../core/content.ts'
import type { ApiError } from '../../core/errors.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  numberOr,
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
  ContentBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  ProviderTool,
  ReasoningEffort,
  RequestOptions,
  StopReason,
  ToolCall,
  ToolCallChunk,
  ToolDefinition,
  ToolMessage,
  Usage,
} from '../../core/model.ts'
import { cutOff, messageWith } from '../../kit/api-error.ts'
import { type ProofField, signatureField } from '../../kit/foreign-proofs.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { addPiece, type BlockEvent, newBlock, type OpenBlock, oneAtATime } from '../../kit/one-at-a-time.ts'
import { encodeBlock, encodeCall, encodeCitation, encodeTurnBlocks, keptFields, type Scope } from './ask.ts'
import { decodeBlock, listAt, misfit, objectAt, readCallFragment, tooLong } from './read.ts'
import type { WireError, WireResponse, WireUsage } from './wire.ts'
import { format, provider, stopReasons, wireErrors, wireStopReasons } from './words.ts'

/**
 * Reads a client's request. `path` names the model and says whether the answer is streamed.
 *
 * @throws {DecodeError} if the server would answer with 400: messages are invalid, or content is not a list.
 */
export function decodeRequest(body: unknown, { path = '' }: DecodeRequestOptions = {}): DecodedRequest {
  const request = objectAt(body, 'body', 'request')
  refuseDeep(request, 'Cannot decode Bedrock request')
  const [, name = '', way] = /\/model\/(.+)\/(converse(?:-stream)?)$/.exec(path) ?? []
  const system = decodeBlocks(
    listAt(field(request, 'system'), 'system', 'request').map((entry, at) =>
      objectAt(entry, `system[${at}]`, 'request'),
    ),
  )
  const tools = field(field(request, 'toolConfig'), 'tools')
  const definitions = decodeDefinitions(listAt(tools, 'toolConfig.tools', 'request'))
  const context = compact({
    system: unlessEmpty(system),
    messages: decodeMessages(request),
    tools: unlessEmpty(definitions),
  })
  return { context, options: decodeOptions(request, decoded(name), way === 'converse-stream'), losses: [] }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

// ---- options ------------------------------------------------------------------------------------

const conversationFields: ReadonlySet<string> = new Set(['messages', 'system'])

/** Reads the fields that isoglot has an option for. All other fields are kept. */
function decodeOptions(request: JsonObject, model: string, stream: boolean): RequestOptions {
  const { inferenceConfig, toolConfig, outputConfig, additionalModelRequestFields, ...others } =
    otherFields(request, conversationFields) ?? {}
  const inference = readInference(inferenceConfig)
  const own = readOwnFields(additionalModelRequestFields)
  const responseFormat = readFormat(outputConfig)
  const choice = field(toolConfig, 'toolChoice')
  const toolChoice = decodeToolChoice(choice)
  const keptTools = isObject(toolConfig) ? otherFields(toolConfig, new Set(['tools', 'toolChoice'])) : undefined
  const keptConfig = { ...keptTools, ...compact({ toolChoice: toolChoice === undefined ? choice : undefined }) }
  const kept = {
    ...others,
    ...compact({
      inferenceConfig: inference.kept,
      additionalModelRequestFields: own.kept,
      outputConfig: responseFormat === undefined ? outputConfig : undefined,
      toolConfig: unlessEmpty(keptConfig),
    }),
  }
  return compact({
    model,
    stream,
    ...inference.options,
    ...own.options,
    toolChoice,
    responseFormat,
    providerOptions: unlessEmpty(kept) && { [format]: kept },
  })
}

interface Read {
  readonly options: Partial<RequestOptions>
  readonly kept?: JsonObject
}

function readInference(config: Json | undefined): Read {
  const { maxTokens, temperature, topP, stopSequences, ...rest } = isObject(config) ? config : {}
  const stop = Array.isArray(stopSequences) ? stopSequences.filter((one) => typeof one === 'string') : undefined
  const figures = {
    maxTokens: numberOr(maxTokens, undefined),
    temperature: numberOr(temperature, undefined),
    topP: numberOr(topP, undefined),
  }
  return compact({ options: compact({ ...figures, stop }), kept: unlessEmpty(rest) })
}

function readOwnFields(fields: Json | undefined): Read {
  if (!isObject(fields)) return compact({ options: {}, kept: undefined })
  const { top_k: topK, ...others } = fields
  const { reasoning, kept } = readReasoning(others)
  const hasTopK = typeof topK === 'number'
  return compact({
    options: compact({ topK: hasTopK ? topK : undefined, reasoning }),
    kept: unlessEmpty({ ...kept, ...compact({ top_k: hasTopK ? undefined : topK }) }),
  })
}

const efforts: ReadonlySet<unknown> = new Set(['low', 'medium', 'high', 'xhigh', 'max'])

/** Reads the reasoning options from the fields of any model family. `kept` has the fields without an option in isoglot. */
function readReasoning(fields: JsonObject): Pick<RequestOptions, 'reasoning'> & { readonly kept: JsonObject } {
  const { thinking, reasoning_config, reasoningConfig, reasoning_effort, output_config, ...kept } = fields
  const asked = [thinking, reasoning_config, reasoningConfig].find(isObject)
  const type = field(asked, 'type')
  const { effort: ofClaude, ...output } = isObject(output_config) ? output_config : {}
  const words = [ofClaude, field(reasoningConfig, 'maxReasoningEffort'), reasoning_config, reasoning_effort]
  const effort = type === 'disabled' ? 'none' : words.find((word) => efforts.has(word))
  const isKnown = effort !== undefined || type === 'enabled' || type === 'adaptive'
  if (!isKnown) return { kept: fields }
  const budgetTokens = numberOr(field(asked, 'budget_tokens'), undefined)
  const reasoning = compact({ effort: effort as ReasoningEffort | undefined, budgetTokens })
  return { reasoning, kept: { ...kept, ...compact({ output_config: unlessEmpty(output) }) } }
}

function readFormat(config: Json | undefined): RequestOptions['responseFormat'] {
  const text = field(field(field(field(config, 'textFormat'), 'structure'), 'jsonSchema'), 'schema')
  if (typeof text !== 'string') return undefined
  const parsed = parseObject(text)
  return 'value' in parsed ? { type: 'json', schema: parsed.value } : undefined // text that is not an object is kept unchanged
}

// ---- messages -----------------------------------------------------------------------------------

const messageFields: ReadonlySet<string> = new Set(['role', 'content'])

/** Reads the messages of a request. A message with tool results becomes several messages. */
function decodeMessages(body: JsonObject): Message[] {
  const names = new Map<string, string>()
  return listAt(field(body, 'messages'), 'messages', 'request').flatMap((entry, at) => {
    const path = `messages[${at}]`
    const wire = objectAt(entry, path, 'request')
    const blocks = listAt(field(wire, 'content'), `${path}.content`, 'request').map((block, index) =>
      objectAt(block, `${path}.content[${index}]`, 'request'),
    )
    const kept = otherFields(wire, messageFields)
    const extras = kept === undefined ? {} : { providerData: { [format]: kept } }
    switch (field(wire, 'role')) {
      case 'user':
        return decodeUser(blocks, names).map((message) =>
          message.role === 'user' ? { ...message, ...extras } : message,
        )
      case 'assistant':
        return [{ ...decodeAssistant(blocks, names), ...extras }]
      case 'system':
        return [{ role: 'system' as const, content: decodeBlocks(blocks), ...extras }]
    }
    throw misfit(`${path}.role`, 'none of user, assistant and system', 'request', field(wire, 'role'))
  })
}

/** Reads a user's message. Its results become separate messages, and its other blocks become a user's message after them. */
function decodeUser(blocks: readonly JsonObject[], names: ReadonlyMap<string, string>): Message[] {
  const results: Message[] = []
  const content: ContentBlock[] = []
  let list: (Message | ContentBlock)[] = content
  for (const block of blocks) {
    if (readCachePoint(block, list)) continue
    const result = field(block, 'toolResult')
    list = isObject(result) ? results : content
    list.push(isObject(result) ? decodeResult(result, names) : decodeBlock(block))
  }
  return content.length === 0 && results.length > 0 ? results : [...results, { role: 'user', content }]
}

/** Reads blocks. A cache point becomes the hint of the block before it. */
function decodeBlocks(blocks: readonly JsonObject[]): ContentBlock[] {
  const content: ContentBlock[] = []
  for (const block of blocks) if (!readCachePoint(block, content)) content.push(decodeBlock(block))
  return content
}

function decodeAssistant(blocks: readonly JsonObject[], names: Map<string, string>): AssistantMessage {
  const content: ContentBlock[] = []
  const invalidToolCalls: InvalidToolCall[] = []
  let index = 0
  for (const block of blocks) {
    const use = field(block, 'toolUse')
    const fragment = isObject(use) ? readCallFragment(use) : undefined
    if (fragment === undefined || fragment.server) {
      if (!readCachePoint(block, content)) content.push(decodeBlock(block))
      continue
    }
    const { id, name, arguments: given = '', providerData } = fragment
    const argumentsText = typeof given === 'string' ? given : (textOfArguments(given) ?? '[]')
    const call = readCall({ id: id ?? '', name: name ?? undefined, argumentsText, index: index++, providerData })
    names.set(id ?? '', name ?? '')
    if (call.type === 'tool_call') content.push(call)
    else invalidToolCalls.push(call)
  }
  return compact({ role: 'assistant', content, invalidToolCalls: unlessEmpty(invalidToolCalls) })
}

// ---- cache marks --------------------------------------------------------------------------------

/**
 * Reads a cache point as the hint of the last entry of the list. Returns whether it did: other blocks, and cache points that a hint cannot
 * express, are kept as blocks.
 */
function readCachePoint(
  wire: Json,
  entries: (ContentBlock | Message | ToolDefinition | object)[] | undefined,
): boolean {
  const { type, ttl, ...more } = isObject(wire) && isObject(wire.cachePoint) ? wire.cachePoint : {}
  const last = entries?.at(-1) as Message | undefined
  const isTime = ttl === undefined || ttl === '5m' || ttl === '1h'
  if (type !== 'default' || !isTime || Object.keys(more).length > 0 || last === undefined) return false
  const kind = field(last, 'type')
  if (kind === 'unknown' || kind === 'reasoning' || kind === 'provider_tool' || last.metadata !== undefined)
    return false
  entries?.splice(-1, 1, { ...last, metadata: { cacheHint: ttl === undefined ? 'ephemeral' : { ttl } } })
  return true
}

// ---- tools --------------------------------------------------------------------------------------

const specFields: ReadonlySet<string> = new Set(['name', 'description', 'inputSchema'])

/** Reads `tools`. A cache point becomes the hint of the definition before it. */
function decodeDefinitions(entries: readonly Json[]): (ToolDefinition | ProviderTool)[] {
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

/** Reads a tool choice. Returns `undefined` for an unknown choice, which the caller keeps. */
function decodeToolChoice(wire: unknown): RequestOptions['toolChoice'] {
  const name = field(field(wire, 'tool'), 'name')
  if (typeof name === 'string') return { name }
  if (field(wire, 'any') !== undefined) return 'required'
  return field(wire, 'auto') === undefined ? undefined : 'auto'
}

const resultFields: ReadonlySet<string> = new Set(['toolUseId', 'content', 'status'])

/** Reads a result. `names` has the tool name of each call so far, by id, since a result of this format does not have a name. */
function decodeResult(wire: JsonObject, names: ReadonlyMap<string, string>): ToolMessage {
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

// ---- a whole answer -----------------------------------------------------------------------------

/** Writes a whole answer. The format does not have fields for an id, the model's name and the date. */
export function encodeResponse(response: ChatResponse, _reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses('Bedrock', false)
  const { message } = response
  const content = encodeTurnBlocks(message, 'message', answering(losses))
  noteInvalidCalls(message, losses)
  const hasCalls = content.some((block) => 'toolUse' in block && block.toolUse.type !== 'server_tool_use')
  const body: WireResponse = {
    metrics: { latencyMs: 0 },
    ...keptFields(response),
    output: { message: { role: 'assistant', content } },
    stopReason: encodeStopReason(response, hasCalls, losses),
    usage: encodeUsage(response.usage),
  }
  return { body, losses: losses.list }
}

/** Returns the scope for an answer. Clients of this format accept its proofs. */
function answering(losses: Losses): Scope {
  return { losses, model: '', place: 'answer', names: new Set() }
}

/** Reports a loss for each invalid call. The call is omitted, since a client would run it without arguments. */
function noteInvalidCalls({ invalidToolCalls = [] }: AssistantMessage, losses: Losses): void {
  for (const at of invalidToolCalls.keys())
    reportLoss(losses, 'dropped', `message.invalidToolCalls[${at}]`, 'its arguments are not an object')
}

/**
 * Returns the `stopReason` to write. If the answer came from Bedrock and its own word still means the same stop reason, that word is used.
 * Otherwise the table has the word for the stop reason.
 */
function encodeStopReason({ message, stopReason }: ChatResponse, hasCalls: boolean, losses: Losses): string {
  const raw = textOr(message.rawStopReason, undefined)
  const meaning = message.response?.provider === provider ? (lookup(stopReasons, raw) ?? 'other') : undefined
  if (raw !== undefined && meaning !== undefined && settleStopReason(meaning, hasCalls) === stopReason) return raw
  const reason: StopReason = stopReason === 'tool_calls' && !hasCalls ? 'stop' : stopReason
  const word = wireStopReasons[reason]
  if (lookup(stopReasons, word) !== reason)
    reportLoss(losses, 'changed', 'stopReason', `Bedrock has no word for "${reason}": "${word}" is sent`)
  return word
}

/** Writes the usage. Clients require all three counts: input, output and total. */
function encodeUsage(usage: Usage = {}): WireUsage {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens, cacheWriteTokens } = usage
  return {
    ...keptFields(usage),
    inputTokens: Math.max(0, inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    ...compact({ cacheReadInputTokens: cacheReadTokens, cacheWriteInputTokens: cacheWriteTokens }),
  }
}

// ---- a stream -----------------------------------------------------------------------------------

// Each block has an index. A block starts after the previous block has ended.

interface EncodeState {
  readonly losses: Losses
  isStarted: boolean
  isEnded: boolean
  hasCalls: boolean
  open: OpenBlock
  blocks: number
}

/** Writes one answer. It ends with `metadata`. If the events end without `message_end`, it ends with an exception. */
export function encodeStream(_reply: Reply = {}): StreamEncoder {
  const state: EncodeState = {
    losses: newLosses('Bedrock', false),
    isStarted: false,
    isEnded: false,
    hasCalls: false,
    open: newBlock(),
    blocks: 0,
  }
  const write = oneAtATime((event, out) => writeBlock(state, event, out))
  return {
    push(event, out) {
      if (state.isEnded) return
      switch (event.type) {
        case 'message_start':
        case 'usage':
        case 'warning':
          return
        case 'message_end':
          return finish(state, event.response, out)
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

function push(event: string, body: object, out: Frame[]): void {
  out.push({ event, data: JSON.stringify(body) })
}

function begin(state: EncodeState, out: Frame[]): void {
  if (!state.isStarted) push('messageStart', { role: 'assistant' }, out)
  state.isStarted = true
}

/** Ends the stream with an exception. In streams, the name of an exception starts with a lower-case letter. */
function fail(state: EncodeState, error: ApiError, out: Frame[]): void {
  if (state.isEnded) return
  state.isEnded = true
  const { headers, body } = encodeError(error)
  const name = headers['x-amzn-errortype'] ?? ''
  push(`exception:${name.charAt(0).toLowerCase()}${name.slice(1)}`, body, out)
}

function finish(state: EncodeState, response: ChatResponse, out: Frame[]): void {
  begin(state, out)
  state.isEnded = true
  const { additionalModelResponseFields: fields, ...kept } = keptFields(response)
  const stopReason = encodeStopReason(response, state.hasCalls, state.losses)
  push('messageStop', { stopReason, ...compact({ additionalModelResponseFields: fields }) }, out)
  push('metadata', { metrics: { latencyMs: 0 }, ...kept, usage: encodeUsage(response.usage) }, out)
}

function writeBlock(state: EncodeState, event: BlockEvent, out: Frame[]): void {
  switch (event.type) {
    case 'text_delta':
      writeDelta(state, { text: event.text }, out)
      return
    case 'reasoning_delta':
      writeDelta(state, { reasoningContent: { text: event.text } }, out)
      return
    case 'tool_call_chunk': // a call that the provider runs is written later, as one block
      if (event.chunk.type === 'tool_call_chunk') writeChunk(state, event.chunk, out)
      return
    case 'tool_call':
    case 'invalid_tool_call':
      endCall(state, event.call, out)
      break
    case 'content_block':
      endContent(state, event.block, `message.content[${event.index}]`, out)
  }
  if (state.open.at !== undefined) push('contentBlockStop', { contentBlockIndex: state.open.at }, out)
  state.open = newBlock()
}

function writeDelta(state: EncodeState, delta: object, out: Frame[]): void {
  state.open.at ??= state.blocks++
  push('contentBlockDelta', { contentBlockIndex: state.open.at, delta }, out)
}

function writeStart(state: EncodeState, start: object, out: Frame[]): void {
  state.open.at ??= state.blocks++
  push('contentBlockStart', { contentBlockIndex: state.open.at, start }, out)
}

// ---- calls ------------------------------------------------------------------------------------

/** Writes a piece of a call. The start of a call needs its complete name, which is known when the first arguments arrive. */
function writeChunk(state: EncodeState, chunk: ToolCallChunk, out: Frame[]): void {
  const { open } = state
  addPiece(open, chunk)
  const { id, name, pending } = open
  if (open.at === undefined) {
    if (pending.trim() === '' || id === undefined || name === undefined) return
    startCall(state, { toolUseId: id, name }, out)
  }
  writeArguments(state, pending, out)
  open.pending = ''
}

function startCall(state: EncodeState, toolUse: object, out: Frame[]): void {
  state.hasCalls = true
  writeStart(state, { toolUse }, out)
}

function writeArguments(state: EncodeState, input: string, out: Frame[]): void {
  if (input === '') return
  state.open.sent += input.length
  writeDelta(state, { toolUse: { input } }, out)
}

/**
 * Ends a call. If the call is invalid, the pieces that were already sent are not corrected. Clients cannot parse them, so they do not run
 * the call.
 */
function endCall(state: EncodeState, call: ToolCall | InvalidToolCall, out: Frame[]): void {
  const { open, losses } = state
  if (call.type === 'invalid_tool_call') {
    const path = `message.invalidToolCalls[${call.index}]`
    if (open.at === undefined) {
      reportLoss(losses, 'dropped', path, `an invalid call was left out: ${call.error}`)
      return
    }
    reportLoss(losses, 'changed', path, `the pieces of an invalid call were sent already: ${call.error}`, 'info')
  }
  if (call.type === 'tool_call' && open.at === undefined) {
    const { input: _, ...start } = encodeCall(call)
    startCall(state, start, out)
  }
  if (!isNoArguments(call.argumentsText)) writeArguments(state, call.argumentsText.slice(open.sent), out)
}

// ---- everything else --------------------------------------------------------------------------

/** Ends a content block. Text and reasoning were already sent as deltas, so only the citations and the signature are still to write. */
function endContent(state: EncodeState, block: ContentBlock, path: string, out: Frame[]): void {
  const wire = encodeBlock(block, path, answering(state.losses)) as JsonObject | undefined
  if (wire === undefined) return
  if (block.type === 'text') {
    if (state.open.at === undefined) writeDelta(state, { text: block.text }, out)
    for (const citation of block.citations ?? []) writeDelta(state, { citation: encodeCitation(citation) }, out)
    return
  }
  const { reasoningText, redactedContent } = objectIn(wire, 'reasoningContent')
  if (redactedContent !== undefined) writeDelta(state, { reasoningContent: { redactedContent } }, out)
  else if (reasoningText !== undefined) {
    if (state.open.at === undefined)
      writeDelta(state, { reasoningContent: { text: field(reasoningText, 'text') } }, out)
    const signature = field(reasoningText, 'signature')
    if (signature !== undefined) writeDelta(state, { reasoningContent: { signature } }, out)
  } else writeWhole(state, wire, path, out)
}

/** Writes a block without deltas of its own: a call that Bedrock ran, its result, or a block that becomes text. */
function writeWhole(state: EncodeState, wire: JsonObject, path: string, out: Frame[]): void {
  const { input, ...use } = objectIn(wire, 'toolUse')
  const { content, ...result } = objectIn(wire, 'toolResult')
  if (input !== undefined) {
    writeStart(state, { toolUse: use }, out)
    writeDelta(state, { toolUse: { input: JSON.stringify(input) } }, out)
  } else if (content !== undefined) {
    writeStart(state, { toolResult: result }, out)
    writeDelta(state, { toolResult: content }, out)
  } else if (typeof wire.text === 'string') writeDelta(state, { text: wire.text }, out)
  else reportLoss(state.losses, 'dropped', path, 'a stream has no place for a block of this kind')
}

// ---- errors -------------------------------------------------------------------------------------

/** Returns the status, the headers and the body of an error for a client of this format. */
export function encodeError(error: ApiError): {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: WireError
} {
  const [name, status] = wireErrors[error.kind]
  return {
    status,
    headers: { 'x-amzn-errortype': name },
    body: { message: messageWith('Input is too long', error, tooLong) },
  }
}

// ---- proofs -------------------------------------------------------------------------------------

/** The proof field of this format: the signature of a reasoning text. */
export const proofField: ProofField = /* @__PURE__ */ signatureField(format, provider)
