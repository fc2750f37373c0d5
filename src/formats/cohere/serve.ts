/**
 * Cohere Chat v2: the server's half. It decodes requests, and encodes answers, streams and errors. No page loads it.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 * @see https://docs.cohere.com/docs/tool-use-overview (read 2026-11)
 * @see https://docs.cohere.com/docs/streaming (read 2026-11)
 * @see https://docs.cohere.com/reference/errors (read 2026-11)
 *
 * @module
 */

import { fold } from '../../assemble/assemble.ts'
import type {
  DecodedRequest,
  DecodeRequestOptions,
  EncodedResponse,
  Fragment,
  Frame,
  Reply,
  StreamEncoder,
} from '../../core/codec.ts'
import { blocksOf, callsOf, settleStopReason } from '../../core/content.ts'
import type { ApiError } from '../../core/errors.ts'
import {
  arrayOf,
  compact,
  field,
  findLastIndex,
  isObject,
  lookup,
  objectIn,
  otherFields,
  refuseDeep,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import { readDataUrl } from '../../core/media.ts'
import type {
  AssistantMessage,
  ChatResponse,
  Content,
  ContentBlock,
  ImageBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  Metadata,
  Opaque,
  ProviderData,
  ProviderTool,
  RequestOptions,
  TextBlock,
  ToolCall,
  ToolCallChunk,
  ToolChoice,
  ToolDefinition,
  ToolMessage,
  Usage,
  UserMessage,
} from '../../core/model.ts'
import { cutOff, messageWith, statusOf } from '../../kit/api-error.ts'
import { nextNumber } from '../../kit/ids.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { addPiece, type BlockEvent, newBlock, type OpenBlock, oneAtATime } from '../../kit/one-at-a-time.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { unmark } from '../../kit/tool-error.ts'
import {
  decodeDocument,
  type Encoding,
  encodeAssistant,
  encodeCitations,
  encodeServedCall,
  encodeTextPart,
  keptFields,
} from './ask.ts'
import {
  keep,
  listAt,
  misfit,
  newState,
  objectAt,
  readMessage,
  restOf,
  stringAt,
  tooManyTokens,
  unknownPart,
} from './read.ts'
import type { WireCall, WireError, WireResponse, WireText, WireThinking, WireUsage } from './wire.ts'
import { finishReasons, format, idPrefix, reasons, stopReasons } from './words.ts'

/**
 * Reads a client's request. Documents become blocks of the last user message.
 *
 * @throws {DecodeError} if the server would answer with 400: the model is missing, or messages are invalid.
 */
export function decodeRequest(body: unknown, _options: DecodeRequestOptions = {}): DecodedRequest {
  const request = objectAt(body, 'body', 'request')
  refuseDeep(request, 'Cannot decode Cohere request')
  const model = textOr(field(request, 'model'), undefined)
  if (model === undefined) throw misfit('model', 'missing', 'request', field(request, 'model'))
  const messages = listAt(field(request, 'messages'), 'messages', 'request')
  const documents = listAt(field(request, 'documents'), 'documents', 'request')
  const tools = field(request, 'tools')
  const isStrict = field(request, 'strict_tools') === true
  const definitions = listAt(tools, 'tools', 'request').map((tool, at) =>
    decodeDefinition(tool, isStrict, `tools[${at}]`),
  )
  const context = compact({
    messages: decodeMessages(messages, documents),
    tools: Array.isArray(tools) ? definitions : undefined,
  })
  return { context, options: decodeOptions(request, model), losses: [] }
}

// ---- options ------------------------------------------------------------------------------------

/** Reads a field that isoglot has an option for. Other values are kept unchanged. */
type Reader = (value: Json) => Partial<RequestOptions> | undefined

const number =
  (name: keyof RequestOptions): Reader =>
  (value) =>
    typeof value === 'number' ? { [name]: value } : undefined

const toolChoices: Readonly<Record<string, ToolChoice>> = { REQUIRED: 'required', NONE: 'none' }

const readers: Readonly<Record<string, Reader>> = {
  stream: (value) => (typeof value === 'boolean' ? { stream: value } : undefined),
  max_tokens: /* @__PURE__ */ number('maxTokens'),
  temperature: /* @__PURE__ */ number('temperature'),
  p: /* @__PURE__ */ number('topP'),
  k: /* @__PURE__ */ number('topK'),
  seed: /* @__PURE__ */ number('seed'),
  frequency_penalty: /* @__PURE__ */ number('frequencyPenalty'),
  presence_penalty: /* @__PURE__ */ number('presencePenalty'),
  stop_sequences: (value) =>
    Array.isArray(value) && value.every((one) => typeof one === 'string') ? { stop: value } : undefined,
  tool_choice: (value) => {
    const toolChoice = lookup(toolChoices, value)
    return toolChoice && { toolChoice }
  },
  thinking: readThinking,
  response_format: readResponseFormat,
}

function readThinking(value: Json): Partial<RequestOptions> | undefined {
  if (!isObject(value)) return undefined
  const { type, token_budget: budgetTokens, ...more } = value
  if (Object.keys(more).length > 0) return undefined
  if (type === 'disabled' && budgetTokens === undefined) return { reasoning: { effort: 'none' } }
  if (type !== 'enabled') return undefined
  if (budgetTokens === undefined) return { reasoning: {} }
  return typeof budgetTokens === 'number' ? { reasoning: { budgetTokens } } : undefined
}

function readResponseFormat(value: Json): Partial<RequestOptions> | undefined {
  const { type, json_schema: schema, ...more } = isObject(value) ? value : {}
  if (type !== 'json_object' || Object.keys(more).length > 0) return undefined
  if (schema === undefined) return { responseFormat: { type: 'json' } }
  return isObject(schema) ? { responseFormat: { type: 'json', schema } } : undefined
}

const conversationFields: ReadonlySet<string> = new Set(['model', 'messages', 'documents', 'tools', 'strict_tools'])

/** Reads the fields that isoglot has an option for. All other fields are kept. */
function decodeOptions(request: JsonObject, model: string): RequestOptions {
  const options: Partial<RequestOptions> = {}
  const read = new Set(conversationFields)
  for (const [name, value] of Object.entries(request)) {
    const found = lookup(readers, name)?.(value)
    if (found !== undefined || value === null) read.add(name)
    Object.assign(options, found)
  }
  if (arrayOf(field(request, 'tools')).length === 0 && field(request, 'strict_tools') === true)
    read.delete('strict_tools')
  const kept = otherFields(request, read)
  return { ...options, model, ...compact({ providerOptions: kept && { [format]: kept } }) }
}

// ---- messages -----------------------------------------------------------------------------------

/** Reads the messages and the documents of a request. */
function decodeMessages(entries: readonly Json[], documents: readonly Json[]): Message[] {
  const names = new Map<string, string>()
  let made = nextNumber(idPrefix, entries.flatMap(idsIn))
  const messages = entries.map((entry, at) => {
    const path = `messages[${at}]`
    const message = decodeMessage(objectAt(entry, path, 'request'), path, names, made)
    if (message.role !== 'assistant') return message
    const calls = callsOf(message)
    made += calls.length
    for (const { id, name } of calls) if (id !== undefined && name !== undefined) names.set(id, name)
    return message
  })
  return withDocuments(messages, documents.map(decodeDocument))
}

function idsIn(entry: Json): string[] {
  const calls = arrayOf(field(entry, 'tool_calls')).map((call) => field(call, 'id'))
  return [...calls, field(entry, 'tool_call_id')].filter((id) => typeof id === 'string')
}

const messageFields: ReadonlySet<string> = new Set(['role', 'content'])

function decodeMessage(entry: JsonObject, path: string, names: ReadonlyMap<string, string>, made: number): Message {
  const role = field(entry, 'role')
  switch (role) {
    case 'assistant':
      return decodeAssistant(entry, path, made)
    case 'tool':
      return decodeResult(entry, path, names)
    case 'system':
    case 'user': {
      const kept = otherFields(entry, messageFields)
      const content = decodeContent(field(entry, 'content'), `${path}.content`)
      return compact({ role, content, providerData: kept && { [format]: kept } })
    }
  }
  throw misfit(`${path}.role`, 'none of system, user, assistant and tool', 'request', role)
}

/** Reads an assistant's message with the code that reads answers, so that calls, plan and citations get the same form. */
function decodeAssistant(entry: JsonObject, path: string, made: number): AssistantMessage {
  const fragments: Fragment[] = []
  readMessage(newState(), entry, path, 'request', fragments)
  fragments.push({ type: 'end', stopReason: 'stop' })
  const { stopReason: _, ...message } = fold(fragments, { idPrefix, callsBefore: made }).message
  const [only, ...others] = blocksOf(message.content)
  const isPlain = typeof field(entry, 'content') === 'string' && only?.type === 'text' && others.length === 0
  return isPlain && only.citations === undefined ? { ...message, content: only.text } : message
}

function withDocuments(messages: readonly Message[], documents: readonly ContentBlock[]): Message[] {
  if (documents.length === 0) return [...messages]
  const last = findLastIndex(messages, ({ role }) => role === 'user')
  const asked = messages[last] as UserMessage | undefined
  if (asked === undefined) return [...messages, { role: 'user', content: documents }]
  const content = [...documents, ...blocksOf(asked.content)]
  return messages.map((message, at) => (at === last ? { ...asked, content } : message))
}

// ---- content ------------------------------------------------------------------------------------

/** Reports a loss of severity `info` for each proof and field of another format, since an answer of this format cannot have them. */
function noteForeign(
  value: { readonly metadata?: Metadata; readonly providerData?: ProviderData; readonly opaque?: Opaque },
  path: string,
  losses: Losses,
): void {
  if (value.opaque !== undefined) reportLoss(losses, 'dropped', `${path}.opaque`, lackReasons.foreignProof, 'info')
  for (const name of Object.keys(value.providerData ?? {})) {
    if (name !== format)
      reportLoss(losses, 'dropped', `${path}.providerData.${name}`, lackReasons.foreignFields, 'info')
  }
}

/** Reads the content of a message: a string, which is returned unchanged, or a list of parts. */
function decodeContent(value: unknown, path: string): Content {
  if (typeof value === 'string') return value
  return listAt(value, path, 'request').map((part, at) => decodePart(part, `${path}[${at}]`))
}

/** Reads a part of a message. A part of an unknown type is kept unchanged. */
function decodePart(value: Json, path: string): ContentBlock {
  const part = objectAt(value, path, 'request')
  const text = field(part, 'text')
  if (field(part, 'type') === 'text' && typeof text === 'string') return { type: 'text', text, ...restOf(part, 'text') }
  const document = field(part, 'document')
  if (field(part, 'type') === 'document' && isObject(document)) return decodeDocument(document)
  return (field(part, 'type') === 'image_url' ? decodeImage(part) : undefined) ?? unknownPart(part)
}

function decodeImage(part: JsonObject): ImageBlock | undefined {
  const image = field(part, 'image_url')
  const url = textOr(field(image, 'url'), undefined)
  if (url === undefined) return undefined
  const { detail, url: _, ...more } = objectIn(part, 'image_url')
  const isKnown = detail === 'auto' || detail === 'low' || detail === 'high'
  const others = isKnown || detail === undefined ? more : { ...more, detail }
  const inline = readDataUrl(url)
  const source = inline?.base64 ? { data: inline.data, mimeType: inline.mimeType } : { url }
  const kept = { ...otherFields(part, new Set(['type', 'image_url'])), ...compact({ image_url: unlessEmpty(others) }) }
  return compact({
    type: 'image',
    ...source,
    detail: isKnown ? detail : undefined,
    providerData: unlessEmpty(kept) && { [format]: kept },
  })
}

// ---- tools --------------------------------------------------------------------------------------

const definitionFields: ReadonlySet<string> = new Set(['type', 'function'])
const functionFields: ReadonlySet<string> = new Set(['name', 'description', 'parameters'])

/** Reads one entry of `tools`. An entry that is not a function is kept unchanged. */
function decodeDefinition(entry: Json, isStrict: boolean, path: string): ToolDefinition | ProviderTool {
  const tool = objectAt(entry, path, 'request')
  const body = field(tool, 'function')
  const name = field(body, 'name')
  if (!isObject(body) || typeof name !== 'string') return { type: 'provider_tool', format, value: tool }
  const parameters = field(body, 'parameters')
  return compact({
    name,
    description: stringOr(field(body, 'description'), undefined),
    parameters: isObject(parameters) ? parameters : undefined,
    strict: isStrict || undefined,
    providerData: keep(tool, definitionFields, body, functionFields),
  })
}

const resultFields: ReadonlySet<string> = new Set(['role', 'tool_call_id', 'content'])

/** Reads a result. `names` has the tool name of each call so far, by id, since a result of this format does not have a name. */
function decodeResult(entry: JsonObject, path: string, names: ReadonlyMap<string, string>): ToolMessage {
  const toolCallId = stringAt(field(entry, 'tool_call_id'), `${path}.tool_call_id`, 'request')
  const { content, isError } = unmark(decodeContent(field(entry, 'content'), `${path}.content`))
  const kept = otherFields(entry, resultFields)
  return compact({
    role: 'tool',
    toolCallId,
    name: names.get(toolCallId),
    content,
    status: isError ? 'error' : undefined,
    providerData: kept && { [format]: kept },
  })
}

// ---- a whole answer -----------------------------------------------------------------------------

/** Writes a whole answer. The format does not have fields for the model's name and the date. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const losses = newLosses('Cohere', false)
  const { message } = response
  for (const [at, block] of blocksOf(message.content).entries()) noteForeign(block, `message.content[${at}]`, losses)
  noteForeign(message, 'message', losses)
  const encoded = encodeAssistant(message, 'message', answering(losses))
  const body: WireResponse = {
    ...keptFields(response),
    id: reply.id ?? message.response?.id ?? '',
    message: encoded,
    finish_reason: encodeStopReason(response, encoded.tool_calls !== undefined, losses),
    usage: encodeUsage(response.usage),
  }
  return { body, losses: losses.list }
}

/** Returns how an answer is encoded. Clients of this format accept thinking. Documents are written as text. */
function answering(losses: Losses): Encoding {
  return { losses, takesDocuments: false, takesThinking: true, takesImages: true, isAnswer: true }
}

/**
 * Returns the `finish_reason`. If the answer came from Cohere and its own word still means the same stop reason, that word is used.
 * Otherwise the table has the word for the stop reason.
 */
function encodeStopReason({ message, stopReason }: ChatResponse, hasCalls: boolean, losses: Losses): string {
  const { rawStopReason: raw, response } = message
  const meaning = response?.provider === format ? (lookup(stopReasons, raw) ?? 'other') : undefined
  if (raw !== undefined && meaning !== undefined && settleStopReason(meaning, hasCalls) === stopReason) return raw
  const word = stopReason === 'tool_calls' && !hasCalls ? finishReasons.stop : finishReasons[stopReason]
  if (lookup(stopReasons, word) !== stopReason)
    reportLoss(losses, 'changed', 'stopReason', `Cohere has no word for "${stopReason}": "${word}" is sent`)
  return word
}

/** Writes the usage. Clients read both `tokens` and `billed_units`. If the billed units are unknown, the token counts are sent for both. */
function encodeUsage(usage: Usage = {}): WireUsage {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens, reasoningTokens } = usage
  const kept = keptFields(usage)
  const { image_tokens: images, ...figures } = objectIn(kept, 'tokens')
  const imageTokens = typeof images === 'number' ? images : undefined
  const tokens = {
    ...figures,
    input_tokens: Math.max(0, inputTokens - (imageTokens ?? 0)),
    output_tokens: outputTokens,
    ...compact({ reasoning_tokens: reasoningTokens, image_tokens: imageTokens }),
  }
  const paid = field(kept, 'billed_units')
  const billed = isObject(paid)
    ? (paid as WireUsage['billed_units'])
    : { input_tokens: inputTokens, output_tokens: outputTokens }
  return { ...kept, billed_units: billed, tokens, ...compact({ cached_tokens: cacheReadTokens }) }
}

// ---- a stream -----------------------------------------------------------------------------------

// Contents, calls and citations are counted separately, each from 0. Only one of them is open at a time.

interface EncodeState {
  readonly reply: Reply
  readonly losses: Losses
  id: string | undefined
  isStarted: boolean
  isEnded: boolean
  open: OpenBlock
  contents: number
  calls: number
  citations: number
  hasText: boolean
}

/** Writes one answer. It ends with `message-end` and `[DONE]`. If the events end without `message_end`, `message-end` has an error. */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncodeState = {
    reply,
    losses: newLosses('Cohere', false),
    id: undefined,
    isStarted: false,
    isEnded: false,
    open: newBlock(),
    contents: 0,
    calls: 0,
    citations: 0,
    hasText: false,
  }
  const write = oneAtATime((event, out) => writeBlock(state, event, out))
  return {
    push(event, out) {
      if (state.isEnded) return
      switch (event.type) {
        case 'message_start':
          state.id = event.id
          return
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

function push(type: string, fields: object, out: Frame[]): void {
  out.push({ event: type, data: JSON.stringify({ type, ...fields }) })
}

function begin(state: EncodeState, out: Frame[]): void {
  if (state.isStarted) return
  state.isStarted = true
  const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] }
  push('message-start', { id: state.reply.id ?? state.id ?? '', delta: { message } }, out)
}

function fail(state: EncodeState, error: ApiError, out: Frame[]): void {
  if (state.isEnded) return
  begin(state, out)
  end(state, { finish_reason: 'ERROR', error: encodeError(error).body.message }, out)
}

function finish(state: EncodeState, response: ChatResponse, out: Frame[]): void {
  begin(state, out)
  const finish_reason = encodeStopReason(response, state.calls > 0, state.losses)
  end(state, { ...keptFields(response), finish_reason, usage: encodeUsage(response.usage) }, out)
}

function end(state: EncodeState, delta: object, out: Frame[]): void {
  state.isEnded = true
  push('message-end', { delta }, out)
  out.push({ data: '[DONE]' })
}

function writeBlock(state: EncodeState, event: BlockEvent, out: Frame[]): void {
  switch (event.type) {
    case 'text_delta':
      writeContent(state, { type: 'text', text: '' }, { text: event.text }, out)
      return
    case 'reasoning_delta':
      writeContent(state, { type: 'thinking', thinking: '' }, { thinking: event.text }, out)
      return
    case 'tool_call_chunk': // the chunk of a call that the provider runs is skipped: the format does not support it
      if (event.chunk.type === 'tool_call_chunk') writeChunk(state, event.chunk, out)
      return
    case 'tool_call':
    case 'invalid_tool_call':
      endCall(state, event.call, out)
      break
    case 'content_block':
      endContent(state, event.block, `message.content[${event.index}]`, out)
  }
  state.open = newBlock()
}

// ---- contents ---------------------------------------------------------------------------------

function startContent(state: EncodeState, content: WireText | WireThinking, out: Frame[]): number {
  if (state.open.at !== undefined) return state.open.at
  state.open.at = state.contents++
  push('content-start', { index: state.open.at, delta: { message: { content } } }, out)
  return state.open.at
}

function writeContent(state: EncodeState, start: WireText | WireThinking, content: object, out: Frame[]): void {
  const index = startContent(state, start, out)
  push('content-delta', { index, delta: { message: { content } } }, out)
}

/**
 * Ends a content. Text and thinking were already sent as deltas, so only the citations of the text are still to write. A block without
 * deltas is written completely.
 */
function endContent(state: EncodeState, block: ContentBlock, path: string, out: Frame[]): void {
  noteForeign(block, path, state.losses)
  if (block.type === 'text' && block.text !== '') endText(state, block, out)
  else if (block.type !== 'text' && block.type !== 'reasoning') {
    const part = encodeTextPart(block, path, state.losses)
    if (part !== undefined) startContent(state, part, out)
  }
  if (state.open.at === undefined) return
  const isLate = (block.type === 'text' || block.type === 'reasoning') && Object.keys(keptFields(block)).length > 0
  if (isLate) reportLoss(state.losses, 'dropped', `${path}.providerData`, reasons.lateFields, 'info')
  push('content-end', { index: state.open.at }, out)
}

function endText(state: EncodeState, block: TextBlock, out: Frame[]): void {
  const contentIndex = state.open.at ?? state.contents
  if (state.open.at === undefined) writeContent(state, { type: 'text', text: '' }, { text: block.text }, out)
  for (const citations of encodeCitations(block, { contentIndex, isFirst: !state.hasText }, true)) {
    const index = state.citations++
    push('citation-start', { index, delta: { message: { citations } } }, out)
    push('citation-end', { index }, out)
  }
  state.hasText = true
}

// ---- calls ------------------------------------------------------------------------------------

/** Writes a piece of a call. The start of a call needs its complete name, which is known when the first arguments arrive. */
function writeChunk(state: EncodeState, chunk: ToolCallChunk, out: Frame[]): void {
  const { open } = state
  addPiece(open, chunk)
  const { id, name, pending } = open
  if (open.at === undefined) {
    if (pending.trim() === '' || id === undefined || name === undefined) return
    startCall(state, { id, type: 'function', function: { name, arguments: '' } }, out)
  }
  writeArguments(state, pending, out)
  open.pending = ''
}

function startCall(state: EncodeState, call: WireCall, out: Frame[]): void {
  state.open.at = state.calls++
  push('tool-call-start', { index: state.open.at, delta: { message: { tool_calls: call } } }, out)
}

function writeArguments({ open }: EncodeState, text: string, out: Frame[]): void {
  if (text === '') return
  open.sent += text.length
  const delta = { message: { tool_calls: { function: { arguments: text } } } }
  push('tool-call-delta', { index: open.at, delta }, out)
}

function endCall(state: EncodeState, call: ToolCall | InvalidToolCall, out: Frame[]): void {
  const { open } = state
  const whole = encodeServedCall(call)
  const args = whole.function.arguments
  if (call.name === undefined)
    reportLoss(state.losses, 'invented', `message.invalidToolCalls[${call.index}].name`, reasons.namelessCall)
  if (open.at === undefined) startCall(state, { ...whole, function: { ...whole.function, arguments: '' } }, out)
  writeArguments(state, open.sent === 0 ? args : call.argumentsText.slice(open.sent), out)
  push('tool-call-end', { index: open.at }, out)
}

// ---- errors -------------------------------------------------------------------------------------

/** Returns the status and the body of an error for a client of this format. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  const { kind } = error
  const status = kind === 'permission' && error.status === 402 ? 402 : statusOf[kind]
  const message = messageWith('too many tokens', error)
  return { status, body: kind === 'context_length' ? { message, error_type: tooManyTokens } : { message } }
}
