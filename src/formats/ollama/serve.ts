/**
 * Ollama: the server's half. It decodes requests, and encodes answers, streams and errors. No page loads it.
 *
 * @see https://docs.ollama.com/api/chat
 * @see https://docs.ollama.com/capabilities/tool-calling
 * @see https://docs.ollama.com/api/streaming
 * @see https://github.com/ollama/ollama/blob/main/server/routes.go (`streamResponse`)
 * @see https://docs.ollama.com/api/errors
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
import { blocksOf, blocksOfTurn, settleStopReason } from '../../core/content.ts'
import { ApiError } from '../../core/errors.ts'
import {
  arrayOf,
  compact,
  field,
  findLastIndex,
  isObject,
  lookup,
  otherFields,
  refuseDeep,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import type {
  AssistantMessage,
  ChatResponse,
  Content,
  ContentBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  ProviderData,
  ProviderTool,
  RequestOptions,
  StopReason,
  ToolCall,
  ToolDefinition,
  ToolMessage,
  Usage,
} from '../../core/model.ts'
import { cutOff, messageWith, statusOf } from '../../kit/api-error.ts'
import { nextNumber } from '../../kit/ids.ts'
import { type Losses, newLosses, reportForeignFields, reportLoss } from '../../kit/losses.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { unmark } from '../../kit/tool-error.ts'
import { encodeBlock, encodeBlocks, encodeCall, keptFields, noFields } from './ask.ts'
import {
  decodeImages,
  keep,
  listAt,
  misfit,
  objectAt,
  readCallFragment,
  readWholeCall,
  type Subject,
  stringAt,
} from './read.ts'
import type { WireError, WireFigures, WireMessage, WireResponse, WireToolCall } from './wire.ts'
import { doneReason, format, idPrefix, readStopReason, readThink, reasons } from './words.ts'

/**
 * Reads a client's request. It accepts everything that the server accepts. A missing `stream` means true.
 *
 * @throws {DecodeError} if the server would answer with 400: the model is missing, or messages are invalid, or content is not a string.
 */
export function decodeRequest(body: unknown, _options: DecodeRequestOptions = {}): DecodedRequest {
  const request = objectAt(body, 'body', 'request')
  refuseDeep(request, 'Cannot decode Ollama request')
  const model = textAt(field(request, 'model'), 'model', 'request')
  const messages = decodeMessages(listAt(field(request, 'messages'), 'messages', 'request'))
  const tools = field(request, 'tools')
  const definitions = listAt(tools, 'tools', 'request').map((tool, at) => decodeDefinition(tool, `tools[${at}]`))
  const context = compact({ messages, tools: Array.isArray(tools) ? definitions : undefined })
  return { context, options: decodeOptions(request, model), losses: [] }
}

/** Reads a field that isoglot has an option for. Other values are kept unchanged. */
type Reader = (value: Json) => Partial<RequestOptions> | undefined

const number =
  (name: keyof RequestOptions): Reader =>
  (value) =>
    typeof value === 'number' ? { [name]: value } : undefined

/** Readers for the entries of `options`. */
const runOptions: Readonly<Record<string, Reader>> = {
  num_predict: (value) => (typeof value === 'number' && value > 0 ? { maxTokens: value } : undefined), // -1 means no limit
  temperature: /* @__PURE__ */ number('temperature'),
  top_p: /* @__PURE__ */ number('topP'),
  top_k: /* @__PURE__ */ number('topK'),
  seed: /* @__PURE__ */ number('seed'),
  frequency_penalty: /* @__PURE__ */ number('frequencyPenalty'),
  presence_penalty: /* @__PURE__ */ number('presencePenalty'),
  stop: (value) => {
    if (typeof value === 'string') return { stop: [value] }
    return isStrings(value) ? { stop: value } : undefined
  },
}

function isStrings(value: Json): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
}

/** Readers for the fields of a request that are not part of the conversation. */
const requestOptions: Readonly<Record<string, Reader>> = {
  stream: (value) => (typeof value === 'boolean' ? { stream: value } : undefined),
  think: (value) => {
    const reasoning = readThink(value)
    return reasoning && { reasoning }
  },
  format: (value) => {
    if (value === 'json') return { responseFormat: { type: 'json' } }
    return isObject(value) ? { responseFormat: { type: 'json', schema: value } } : undefined
  },
}

function decodeOptions(request: JsonObject, model: string): RequestOptions {
  const options: Partial<RequestOptions> = { stream: true }
  const { options: run, ...fields } = otherFields(request, conversationFields) ?? {}
  const kept = readFields(fields, requestOptions, options)
  const keptRun = isObject(run) ? readFields(run, runOptions, options) : run
  if (keptRun !== undefined && (isEmpty(run) || !isEmpty(keptRun))) kept.options = keptRun
  return { ...options, model, ...compact({ providerOptions: unlessEmpty(kept) && { [format]: kept } }) }
}

const conversationFields: ReadonlySet<string> = new Set(['model', 'messages', 'tools'])

function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0
}

/** Reads the fields that `readers` knows, stores the options in `into`, and returns the other fields. */
function readFields(
  fields: JsonObject,
  readers: Readonly<Record<string, Reader>>,
  into: Partial<RequestOptions>,
): JsonObject {
  const read = new Set<string>()
  for (const [key, value] of Object.entries(fields)) {
    const found = lookup(readers, key)?.(value)
    if (found === undefined) continue
    Object.assign(into, found)
    read.add(key)
  }
  return otherFields(fields, read) ?? {}
}

// ---- messages -----------------------------------------------------------------------------------

/** State that is kept from message to message. */
interface Reading {
  /** The ids of all calls so far. An id that isoglot generates must not be one of them. */
  readonly ids: Set<string>
  /** Calls without a result, oldest first. */
  open: Asked[]
  /** The number in the next generated id. */
  made: number
}

/** A call, its id in isoglot, and its id in the request. Old servers use the same id for several calls. */
interface Asked {
  readonly call: ToolCall | InvalidToolCall
  readonly id: string
  readonly wireId: string | undefined
}

/**
 * Reads the messages of a request. A result is matched to its call by id. If it has no id, it is matched by name and order; if it has no
 * name either, by order only.
 */
function decodeMessages(entries: readonly Json[]): Message[] {
  const reading: Reading = { ids: new Set(), open: [], made: nextNumber(idPrefix, entries.flatMap(idsIn)) }
  return entries.map((entry, at) =>
    decodeMessage(objectAt(entry, `messages[${at}]`, 'request'), `messages[${at}]`, reading),
  )
}

function decodeMessage(entry: JsonObject, path: string, reading: Reading): Message {
  const role = textOr(field(entry, 'role'), 'user').toLowerCase()
  switch (role) {
    case 'assistant':
      return decodeTurn(entry, path, reading)
    case 'tool':
      return decodeResult(entry, path, reading)
    case 'system':
    case 'developer':
    case 'user':
      return { role, ...decodeContent(entry, path) }
    default: // an unknown role is kept: the server passes it to the template unchanged
      return withKept({ role: 'user', ...decodeContent(entry, path) }, { role: field(entry, 'role') ?? null })
  }
}

/** Reads the content of a message. Without images it is a string. */
function decodeContent(entry: JsonObject, path: string): { content: Content; providerData?: ProviderData } {
  const text = stringAt(field(entry, 'content'), `${path}.content`, 'request')
  const images = decodeImages(listAt(field(entry, 'images'), `${path}.images`, 'request'), `${path}.images`, 'request')
  const kept = otherFields(entry, images.length > 0 ? pictured : plain)
  const content = images.length === 0 ? text : [...blocksOf(text), ...images]
  return compact({ content, providerData: kept && { [format]: kept } })
}

const plain: ReadonlySet<string> = new Set(['role', 'content'])
const pictured: ReadonlySet<string> = /* @__PURE__ */ new Set([...plain, 'images'])

function withKept<M extends Message>(message: M, fields: JsonObject): M {
  return { ...message, providerData: { ...message.providerData, [format]: { ...keptFields(message), ...fields } } }
}

function decodeTurn(entry: JsonObject, path: string, reading: Reading): AssistantMessage {
  const { content, providerData } = decodeContent(entry, path)
  const thinking = stringAt(field(entry, 'thinking'), `${path}.thinking`, 'request')
  const calls = listAt(field(entry, 'tool_calls'), `${path}.tool_calls`, 'request').map((call, at) =>
    decodeCall(call, at, `${path}.tool_calls[${at}]`, reading),
  )
  const read = [...(thinking === '' ? [] : ['thinking']), ...(calls.length === 0 ? [] : ['tool_calls'])]
  const kept = otherFields(keptFields({ providerData }), new Set(read))
  const valid = calls.filter((call) => call.type === 'tool_call')
  const invalid = calls.filter((call) => call.type === 'invalid_tool_call')
  const blocks: ContentBlock[] = [
    ...(thinking === '' ? [] : [{ type: 'reasoning' as const, text: thinking }]),
    ...blocksOf(content),
    ...valid,
  ]
  return compact({
    role: 'assistant',
    content: typeof content === 'string' && read.length === 0 ? content : blocks,
    invalidToolCalls: unlessEmpty(invalid),
    providerData: kept && { [format]: kept },
  })
}

/**
 * Reads a call and gives it a unique id. If an earlier call has the same id, the call gets a generated one, and its original id is kept in
 * `providerData` to be sent back.
 */
function decodeCall(entry: Json, index: number, path: string, reading: Reading): ToolCall | InvalidToolCall {
  const fragment = readCallFragment(entry, index, path, 'request')
  const wireId = fragment.id ?? undefined
  const isOwn = wireId !== undefined && !reading.ids.has(wireId)
  const id = isOwn ? wireId : makeId(reading)
  reading.ids.add(id)
  const repeated = wireId !== undefined && !isOwn && { [format]: { ...keptFields(fragment), id: wireId } }
  const call = readWholeCall(repeated ? { ...fragment, providerData: repeated } : fragment, id, !isOwn, index)
  reading.open.push({ call, id, wireId })
  return call
}

function makeId(reading: Reading): string {
  return `${idPrefix}${reading.made++}`
}

function idsIn(entry: Json): string[] {
  const calls = arrayOf(field(entry, 'tool_calls')).map((call) => field(call, 'id'))
  return [...calls, field(entry, 'tool_call_id')].filter((id) => typeof id === 'string')
}

function decodeResult(entry: JsonObject, path: string, reading: Reading): ToolMessage {
  const { content, providerData } = decodeContent(entry, path)
  const wireId = textOr(field(entry, 'tool_call_id'), undefined)
  const toolName = textOr(field(entry, 'tool_name'), undefined)
  const asked = takeAsked(reading, wireId, toolName)
  const toolCallId = asked?.id ?? wireId ?? makeId(reading)
  // If the id in isoglot is not the id of the request, the id of the request is kept to be sent back.
  const read = [...(toolName === undefined ? [] : ['tool_name']), ...(toolCallId === wireId ? ['tool_call_id'] : [])]
  const kept = otherFields(keptFields({ providerData }), new Set(read))
  const { content: parts, isError } = unmark(content)
  return compact({
    role: 'tool',
    toolCallId,
    name: toolName ?? asked?.call.name,
    content: parts,
    status: isError ? 'error' : undefined,
    providerData: kept && { [format]: kept },
  })
}

/** Returns the call that a result answers, and removes it from the open calls. */
function takeAsked(reading: Reading, id: string | undefined, name: string | undefined): Asked | undefined {
  const found =
    (id === undefined ? undefined : reading.open[findLastIndex(reading.open, (one) => one.wireId === id)]) ??
    reading.open.find(
      (one) => (id === undefined || one.wireId === undefined) && (name === undefined || one.call.name === name),
    )
  reading.open = reading.open.filter((one) => one !== found)
  return found
}

// ---- content ------------------------------------------------------------------------------------

/** Returns the value if it is a string and not empty. Throws otherwise. */
function textAt(value: unknown, path: string, subject: Subject): string {
  const text = stringAt(value, path, subject)
  if (text === '') throw misfit(path, 'missing', subject, value)
  return text
}

// ---- tools --------------------------------------------------------------------------------------

const definitionFields: ReadonlySet<string> = new Set(['type', 'function'])
const functionFields: ReadonlySet<string> = new Set(['name', 'description', 'parameters'])

/** Reads one entry of `tools`. An entry that is not a function is kept unchanged. */
function decodeDefinition(entry: Json, path: string): ToolDefinition | ProviderTool {
  const tool = objectAt(entry, path, 'request')
  const body = field(tool, 'function')
  const name = field(body, 'name')
  if (!isObject(body) || typeof name !== 'string') return { type: 'provider_tool', format, value: tool }
  const description = field(body, 'description')
  const parameters = field(body, 'parameters')
  return compact({
    name,
    description: typeof description === 'string' ? description : undefined,
    parameters: isObject(parameters) ? parameters : undefined,
    providerData: keep(tool, definitionFields, body, functionFields),
  })
}

/** Writes a call as an Ollama server sends it: with an id and an index. */
function encodeServedCall(call: ToolCall): WireToolCall {
  const { id = call.id, function: body, ...rest } = encodeCall(call)
  return { id, ...rest, function: { index: call.index, ...body } }
}

// ---- a whole answer -----------------------------------------------------------------------------

/**
 * Writes a whole answer.
 *
 * @throws {ApiError} if a call in the answer is invalid. The message is the one that the Ollama server sends in this case.
 */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses('Ollama', false)
  const end = encodeEnd(response, reply, losses)
  const message = encodeMessage(response.message, losses)
  return { body: { ...end, message }, losses: losses.list }
}

function encodeMessage(message: AssistantMessage, losses: Losses): WireMessage {
  const blocks = blocksOfTurn(message)
  const { text, thinking, images } = encodeBlocks(blocks, 'message.content', '', losses, 'tool_call')
  const calls = blocks.filter((block): block is ToolCall => block.type === 'tool_call').map(encodeServedCall)
  noteServed(message, 'message', losses)
  for (const [at, block] of blocks.entries()) noteServed(block, `message.content[${at}]`, losses)
  refuseInvalidCalls(message, losses)
  return {
    ...keptFields(message),
    role: 'assistant',
    content: text,
    ...compact({
      thinking: textOr(thinking, undefined),
      images: unlessEmpty(images),
      tool_calls: unlessEmpty(calls),
    }),
  }
}

/** Omits a call that was cut off with its answer, and throws for any other invalid call. Streams do the same. */
function refuseInvalidCalls({ invalidToolCalls = [] }: AssistantMessage, losses: Losses): void {
  for (const call of invalidToolCalls) {
    if (call.reason !== 'truncated') throw invalidCallError(call)
    reportLoss(losses, 'dropped', `message.invalidToolCalls[${call.index}]`, reasons.cutCall, 'major')
  }
}

// ---- an answer ----------------------------------------------------------------------------------

/** Writes seconds since 1970 as an RFC 3339 time. A number that is out of range for `Date` is written as 1970. */
function writeTime(seconds = 0): string {
  const date = new Date(seconds * 1000)
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString()
}

/** Writes the token counts from `usage`, without zeros. Durations are written only if an Ollama server sent them. */
function encodeUsage(usage: Usage = {}): WireFigures {
  const { prompt_eval_count: _in, eval_count: _out, ...durations } = keptFields(usage)
  return {
    ...durations,
    ...compact({ prompt_eval_count: usage.inputTokens || undefined, eval_count: usage.outputTokens || undefined }),
  }
}

/** Writes the last line of an answer: all its fields, with an empty message. */
function encodeEnd(response: ChatResponse, reply: Reply, losses: Losses): WireResponse {
  const from = response.message.response
  const { created_at: keptTime, ...kept } = keptFields(response)
  const time = reply.createdAt ?? from?.createdAt
  return {
    ...kept,
    model: reply.model ?? from?.model ?? '',
    created_at: reply.createdAt === undefined ? textOr(keptTime, writeTime(time)) : writeTime(time),
    message: { role: 'assistant', content: '' },
    done: true,
    done_reason: encodeStopReason(response, losses),
    ...encodeUsage(response.usage),
  }
}

const expressible: ReadonlySet<StopReason> = new Set(['stop', 'length', 'tool_calls'])

/**
 * Returns the `done_reason`. If the answer came from an Ollama server and its own word still means the same stop reason, that word is
 * used. Otherwise the result is the nearest of `stop` and `length`.
 */
function encodeStopReason({ message, stopReason }: ChatResponse, losses: Losses): string {
  const word = message.response?.provider === format ? message.rawStopReason : undefined
  if (word !== undefined && settleStopReason(readStopReason(word), stopReason === 'tool_calls') === stopReason)
    return word
  if (!expressible.has(stopReason)) reportLoss(losses, 'changed', 'stopReason', reasons.stopReason)
  return doneReason(stopReason)
}

/** Reports what a message or block of an answer has, and this format does not. */
function noteServed(part: AssistantMessage | ContentBlock, where: string, losses: Losses): void {
  if (part.metadata?.cacheHint !== undefined)
    reportLoss(losses, 'dropped', `${where}.metadata.cacheHint`, lackReasons.cacheHint, 'info')
  if ('opaque' in part && part.opaque !== undefined)
    reportLoss(losses, 'dropped', `${where}.opaque`, lackReasons.foreignProof, 'info')
  reportForeignFields(part, format, where, losses)
  if ('role' in part || part.type !== 'text') return
  if (part.citations?.length) reportLoss(losses, 'dropped', `${where}.citations`, lackReasons.citations)
  if (part.refusal) reportLoss(losses, 'changed', `${where}.refusal`, lackReasons.refusal, 'info')
}

// ---- a stream -----------------------------------------------------------------------------------

/** State that is kept from event to event. */
interface EncodeState {
  readonly reply: Reply
  readonly losses: Losses
  /** The `created_at` of every line, in RFC 3339. */
  readonly createdAt: string
  model: string
  isEnded: boolean
}

/**
 * Writes one answer: a line for each delta and each call, then the last line with the usage. Calls are never on the last line, because old
 * clients do not read them there.
 */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncodeState = {
    reply,
    losses: newLosses('Ollama', false),
    createdAt: writeTime(reply.createdAt),
    model: reply.model ?? '',
    isEnded: false,
  }
  return {
    push(event, out) {
      if (state.isEnded) return
      switch (event.type) {
        case 'message_start':
          state.model = state.reply.model ?? event.model ?? ''
          return
        case 'text_delta':
          return writeLine(state, { content: event.text }, out)
        case 'reasoning_delta':
          return writeLine(state, { content: '', thinking: event.text }, out)
        case 'tool_call':
          return writeLine(state, { content: '', tool_calls: [encodeServedCall(event.call)] }, out)
        case 'invalid_tool_call':
          return refuseCall(state, event.call, out)
        case 'content_block':
          return writeBlock(state, event.block, `content[${event.index}]`, out)
        case 'message_end':
          state.isEnded = true
          out.push({
            data: JSON.stringify(encodeEnd(event.response, { ...state.reply, model: state.model }, state.losses)),
          })
          return
        case 'tool_call_chunk':
        case 'usage':
        case 'warning':
          return
      }
    },
    end: (out) => fail(state, cutOff(), out),
    fail: (error, out) => fail(state, error, out),
    losses: state.losses.list,
  }
}

/** Ends the stream with an error line. It does nothing if the stream has already ended. */
function fail(state: EncodeState, error: ApiError, out: Frame[]): void {
  if (state.isEnded) return
  state.isEnded = true
  out.push({ data: JSON.stringify(encodeError(error).body) })
}

function writeLine(state: EncodeState, message: Omit<WireMessage, 'role'>, out: Frame[]): void {
  const { model, createdAt } = state
  const line = {
    model,
    created_at: createdAt,
    message: { role: 'assistant', ...message },
    done: false,
  }
  out.push({ data: JSON.stringify(line) })
}

/** Writes a finished block. Text and reasoning were already sent as deltas. Images are the only other blocks that the format supports. */
function writeBlock(state: EncodeState, block: ContentBlock, path: string, out: Frame[]): void {
  const fields = noFields()
  noteServed(block, path, state.losses)
  encodeBlock(block, fields, path, '', state.losses)
  if (fields.images.length > 0) writeLine(state, { content: '', images: fields.images }, out)
}

/**
 * Handles an invalid call. A call that was cut off with its answer is omitted; `done_reason` says why. Any other invalid call ends the
 * stream with an error, as Ollama's own parsers do. If an empty object were sent instead, the client would run the tool without arguments.
 */
function refuseCall(state: EncodeState, call: InvalidToolCall, out: Frame[]): void {
  if (call.reason !== 'truncated') fail(state, invalidCallError(call), out)
  else reportLoss(state.losses, 'dropped', `invalidToolCalls[${call.index}]`, reasons.cutCall, 'major')
}

// ---- errors -------------------------------------------------------------------------------------

/** Returns the status and the body of an error for a client of this format. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  return {
    status: statusOf[error.kind],
    body: { error: messageWith('input length exceeds the context length', error) },
  }
}

/** Returns the error for a call whose arguments cannot be sent. Its message is the message of the Ollama server in this case. */
function invalidCallError(call: InvalidToolCall): ApiError {
  const raw = call.argumentsText.slice(0, 200)
  const message = `error parsing tool call: raw='${raw}', err=${call.error}`
  return new ApiError(message, { kind: 'server', retryable: true, provider: format, body: { error: message } })
}
