/**
 * OpenAI Chat Completions: the server's half. It decodes requests, and encodes answers, streams and errors. No page loads it.
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
import { blocksOfTurn, callsOf, settleStopReason } from '../../core/content.ts'
import { type ApiError, DecodeError } from '../../core/errors.ts'
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
import { toDataUrl } from '../../core/media.ts'
import type {
  AssistantMessage,
  ChatResponse,
  Content,
  ContentBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  JsonSchema,
  Message,
  MessageEvent,
  ProviderTool,
  RequestOptions,
  ResponseFormat,
  Role,
  TextBlock,
  ToolCall,
  ToolCallChunk,
  ToolChoice,
  ToolDefinition,
  ToolMessage,
  Usage,
} from '../../core/model.ts'
import { cutOff } from '../../kit/api-error.ts'
import { efforts } from '../../kit/effort.ts'
import type { ProofField } from '../../kit/foreign-proofs.ts'
import { nextNumber } from '../../kit/ids.ts'
import { type Losses, newLosses, reportLoss } from '../../kit/losses.ts'
import { unmark } from '../../kit/tool-error.ts'
import { encodeCall, isUnknownCall, kept, reasoningDetails } from './ask.ts'
import type { ChatDialect, Encoding, Tools } from './dialect.ts'
import { compatible } from './dialects.ts'
import { openai } from './openai.ts'
import { AnswerReader, decodePart, ownData } from './read.ts'
import type { WireAnnotation, WireCall, WireResponse, WireUsage } from './wire.ts'
import {
  errorAnswers,
  finalErrors,
  finishReasons,
  format,
  plainOptions,
  proofOwners,
  requestFields,
  stopReasons,
} from './words.ts'

/**
 * Decodes a request. Accepts deprecated names, text as a string or as parts, and nulls, since clients send all of these.
 *
 * @throws {DecodeError} with the path, if a known field has the wrong type.
 */
export function decodeRequest(body: unknown, _options: DecodeRequestOptions<ChatDialect> = {}): DecodedRequest {
  if (!isObject(body)) throw new DecodeError(`Cannot decode ${format} request: it is not an object`)
  refuseDeep(body, `Cannot decode ${format} request`)
  const model = textOr(field(body, 'model'), undefined)
  if (model === undefined) throw wrong('model', 'a string')
  const messages = decodeMessages(field(body, 'messages'), model)
  const tools = decodeDefinitions(body)
  return {
    context: compact({ messages, tools: unlessEmpty(tools) }),
    options: { model, ...decodeOptions(body) },
    losses: [],
  }
}

function wrong(path: string, wanted: string): DecodeError {
  return new DecodeError(`Cannot decode ${format} request: "${path}" is not ${wanted}`, { path })
}

/** The types of plain options that are not numbers. */
const typesOfOptions = { stream: 'boolean', parallel_tool_calls: 'boolean', user: 'string' } as const

function decodeOptions(body: JsonObject): Omit<RequestOptions, 'model'> {
  const plain: JsonObject = {}
  for (const [name, option] of Object.entries(plainOptions)) {
    const value = field(body, name) ?? undefined
    if (value === undefined || name === 'stop') continue
    const type = lookup(typesOfOptions, name) ?? 'number'
    if (typeof value !== type) throw wrong(name, `a ${type}`)
    plain[option] = value
  }
  const chosen = decodeToolChoice(body)
  const responseFormat = decodeResponseFormat(field(body, 'response_format'))
  const reasoning = decodeEffort(field(body, 'reasoning_effort'))
  // Unknown values are kept, so that a request in this format can send them unchanged.
  const unread = new Set<string>()
  if (chosen === undefined && (field(body, 'tool_choice') ?? null) !== null) unread.add('tool_choice')
  if (responseFormat === undefined && typeof field(field(body, 'response_format'), 'type') === 'string') {
    unread.add('response_format')
  }
  if (reasoning === undefined && typeof field(body, 'reasoning_effort') === 'string') unread.add('reasoning_effort')
  const others = otherFields(body, { has: (name) => requestFields.has(name) && !unread.has(name) })
  return compact({
    ...plain,
    user: stringOr(plain.user, stringOr(field(body, 'safety_identifier'), undefined)),
    maxTokens: countIn(body, 'max_completion_tokens') ?? countIn(body, 'max_tokens'),
    stop: decodeStops(field(body, 'stop')),
    toolChoice: chosen,
    responseFormat,
    reasoning,
    providerOptions: others && { [format]: others },
  }) as Omit<RequestOptions, 'model'>
}

function countIn(body: JsonObject, name: string): number | undefined {
  const value = field(body, name) ?? undefined
  if (value === undefined) return undefined
  if (typeof value !== 'number') throw wrong(name, 'a number')
  return value
}

function decodeStops(value: Json | undefined): string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return [value]
  const stops = arrayOf(value).filter((stop) => typeof stop === 'string')
  if (!Array.isArray(value) || stops.length < value.length) throw wrong('stop', 'a string or strings')
  return stops
}

function decodeEffort(value: Json | undefined): RequestOptions['reasoning'] {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw wrong('reasoning_effort', 'a string')
  const effort = efforts.find((one) => one === value)
  return effort && { effort }
}

function decodeResponseFormat(value: Json | undefined): ResponseFormat | undefined {
  if (value === undefined || value === null) return undefined
  const type = field(value, 'type')
  if (typeof type !== 'string') throw wrong('response_format', 'an object with a type')
  if (type === 'json_object') return { type: 'json' }
  const body = field(value, 'json_schema')
  if (type !== 'json_schema') return undefined
  if (!isObject(body)) throw wrong('response_format.json_schema', 'an object')
  const schema = field(body, 'schema')
  const strict = field(body, 'strict')
  return {
    type: 'json',
    schema: (isObject(schema) ? schema : {}) as JsonSchema,
    ...compact({
      name: textOr(body.name, undefined),
      description: stringOr(body.description, undefined),
      strict: typeof strict === 'boolean' ? strict : undefined,
    }),
  }
}

// ---- messages -----------------------------------------------------------------------------------

/** The roles of this format. `function` is the older name of `tool`. */
const roles: Readonly<Record<string, Role>> = {
  system: 'system',
  developer: 'developer',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
}

/** The decoder's state between messages. */
interface Reading {
  /** The number in the next generated id. */
  nextId: number
  /** The id of the latest call of the deprecated form (`function_call`). Its result does not have the id. */
  legacyId: string
  readonly model: string
}

/** Decodes messages. @throws {DecodeError} if the value is not an array of objects with known roles. */
function decodeMessages(value: unknown, model: string): Message[] {
  if (!Array.isArray(value)) {
    throw new DecodeError(`Cannot decode ${format} request: "messages" is not an array`, { path: 'messages' })
  }
  const reading: Reading = { nextId: nextNumber(idPrefix, value.flatMap(idsIn)), legacyId: '', model }
  return value.map((message, at) => decodeMessage(message, `messages[${at}]`, reading))
}

const idPrefix = 'call_'

function idsIn(message: unknown): string[] {
  const calls = arrayOf(field(message, 'tool_calls')).map((call) => field(call, 'id'))
  return [...calls, field(message, 'tool_call_id')].filter((id) => typeof id === 'string')
}

const messageFields: ReadonlySet<string> = new Set(['role', 'content', 'name', 'tool_calls'])
const resultFields: ReadonlySet<string> = new Set(['role', 'content', 'name', 'tool_call_id'])

function decodeMessage(message: unknown, path: string, reading: Reading): Message {
  const role = lookup(roles, field(message, 'role'))
  if (!isObject(message) || role === undefined) {
    const finding = isObject(message) ? `role is ${JSON.stringify(message.role)?.slice(0, 40)}` : 'it is not an object'
    throw new DecodeError(`Cannot decode ${format} request: "${path}" is not a message: ${finding}`, { path })
  }
  if (role === 'assistant') return decodeAssistant(message, path, reading)
  const content = decodeContent(message.content, `${path}.content`)
  const name = textOr(message.name, undefined)
  if (role === 'tool') return decodeResult(message, content, name, reading)
  const others = otherFields(withoutNulls(message), messageFields)
  return compact({ role, content, name, providerData: ownData(others) })
}

/** Returns the message without fields whose value is null. */
function withoutNulls(message: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null))
}

function decodeResult(message: JsonObject, content: Content, name: string | undefined, reading: Reading): ToolMessage {
  const { content: plain, isError } = unmark(content)
  const others = otherFields(withoutNulls(message), resultFields)
  return compact({
    role: 'tool',
    toolCallId: textOr(message.tool_call_id, reading.legacyId),
    name,
    content: plain,
    status: isError ? 'error' : undefined,
    providerData: ownData(others),
  })
}

/** Reads an assistant's message in the same way as an answer: calls, reasoning and unknown fields. */
function decodeAssistant(message: JsonObject, path: string, reading: Reading): AssistantMessage {
  const { name, content, ...fields } = message
  const reader = new AnswerReader(compatible, true)
  reader.model = reading.model
  const fragments: Fragment[] = []
  reader.readMessage({ ...withoutNulls(fields), content: checkedContent(content, path) }, fragments)
  reader.endMessage(fragments)
  fragments.push({ type: 'end', stopReason: 'stop' })
  const read = fold(fragments.map(owned), { callsBefore: reading.nextId, idPrefix }).message
  const { stopReason: _, ...decoded } = read
  const calls = callsOf(decoded)
  reading.nextId += calls.length
  const legacy = calls.find((call) => kept(call)?.type === 'function_call')
  if (legacy !== undefined) reading.legacyId = legacy.id ?? ''
  const isPlain =
    typeof content === 'string' && content !== '' && Array.isArray(decoded.content) && decoded.content.length === 1
  return { ...decoded, ...compact({ content: isPlain ? content : undefined, name: stringOr(name, undefined) }) }
}

function checkedContent(content: Json | undefined, path: string): Json {
  const isContent = content === undefined || content === null || typeof content === 'string' || Array.isArray(content)
  if (isContent) return content ?? null
  throw new DecodeError(`Cannot decode ${format} request: "${path}.content" is not content`, {
    path: `${path}.content`,
  })
}

/** Sets the provider of a proof by the name of its field, since a request does not name the provider. */
function owned(fragment: Fragment): Fragment {
  if (!('opaque' in fragment) || fragment.opaque === undefined) return fragment
  const word = Object.keys(fragment.opaque.data)[0]
  const provider = stringOr(lookup(proofOwners, word), fragment.opaque.provider)
  return { ...fragment, opaque: { ...fragment.opaque, provider } }
}

// ---- tools --------------------------------------------------------------------------------------

// A custom call has free text instead of arguments. isoglot reads it as a call with the argument `input`, so that it runs like any other
// call. A stored field marks it, so that it is sent back as a custom call.

/** Decodes `tools`, or the deprecated `functions`. */
function decodeDefinitions(body: unknown): Tools {
  const tools = arrayOf(field(body, 'tools')).map((tool, at) => decodeDefinition(tool, `tools[${at}]`))
  const functions = arrayOf(field(body, 'functions')).map((one, at) =>
    decodeDefinition({ type: 'function', function: one }, `functions[${at}]`),
  )
  return [...tools, ...functions]
}

const toolFields = new Set(['type', 'function'])
const definitionFields = new Set(['name', 'description', 'parameters', 'strict'])

function decodeDefinition(tool: unknown, path: string): ToolDefinition | ProviderTool {
  if (!isObject(tool)) throw new DecodeError(`Cannot decode ${format} request: "${path}" is not an object`, { path })
  const fields = field(tool, 'function')
  const name = textOr(field(fields, 'name'), undefined)
  if (name === undefined || !isObject(fields)) return { type: 'provider_tool', format, value: tool }
  const parameters = field(fields, 'parameters')
  const strict = field(fields, 'strict')
  const more = otherFields(fields, definitionFields)
  const own = { ...otherFields(tool, toolFields), ...compact({ function: more }) }
  return {
    name,
    ...compact({
      description: stringOr(field(fields, 'description'), undefined),
      parameters: isObject(parameters) ? (parameters as JsonSchema) : undefined,
      strict: typeof strict === 'boolean' ? strict : undefined,
      providerData: unlessEmpty(own) && { [format]: own },
    }),
  }
}

// ---- tool choice ------------------------------------------------------------------------------

/** Decodes `tool_choice`, or the deprecated `function_call`. Returns `undefined` if both are absent or the value is unknown. */
function decodeToolChoice(body: unknown): ToolChoice | undefined {
  const choice = field(body, 'tool_choice') ?? field(body, 'function_call')
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  if (choice === 'any') return 'required'
  const name = nameIn(choice) ?? textOr(field(choice, 'name'), undefined)
  if (name !== undefined) return { name }
  const allowed = field(choice, 'allowed_tools')
  if (!isObject(allowed)) return undefined
  const mode = field(allowed, 'mode') ?? 'auto'
  if (mode !== 'auto' && mode !== 'required') return undefined
  const tools = arrayOf(field(allowed, 'tools'))
  const names = tools.flatMap((tool) => nameIn(tool) ?? [])
  return names.length === tools.length ? { names, mode } : undefined
}

function nameIn(value: unknown): string | undefined {
  return textOr(field(field(value, 'function'), 'name'), textOr(field(field(value, 'custom'), 'name'), undefined))
}

// ---- a whole answer -----------------------------------------------------------------------------

// A complete answer is read like a stream of one large chunk.

/** Encodes an answer, with every field that clients need. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const { message } = response
  const to: Encoding = { dialect: openai, model: '', losses: newLosses(openai.title, false) }
  const { choices, ...own } = kept(response) ?? {}
  const [choice, ...others] = arrayOf(choices)
  const answer = encodeAnswer(message, to)
  const body = {
    ...own,
    ...identity(message, reply),
    object: 'chat.completion',
    choices: [
      {
        logprobs: null,
        ...(isObject(choice) ? choice : {}),
        index: 0,
        message: answer,
        finish_reason:
          'function_call' in answer ? 'function_call' : finishReason(response, 'tool_calls' in answer, to.losses),
      },
      ...others,
    ],
    ...compact({ usage: response.usage && encodeUsage(response.usage) }),
  }
  return { body: body as unknown as WireResponse, losses: to.losses.list }
}

/** Returns the first fields of every body and chunk. */
function identity(message: AssistantMessage | undefined, reply: Reply): JsonObject {
  const response = message?.response
  return {
    id: reply.id ?? response?.id ?? 'chatcmpl-0',
    created: reply.createdAt ?? response?.createdAt ?? 0,
    model: reply.model ?? response?.model ?? '',
  }
}

/** Returns `tool_calls` if the answer has calls; otherwise the provider's own reason if this format has it with the same meaning. */
function finishReason(response: ChatResponse, hasCalls: boolean, losses: Losses): string {
  const { rawStopReason: raw } = response.message
  const { stopReason } = response
  if (hasCalls && settleStopReason(stopReason, true) === 'tool_calls') return 'tool_calls'
  const means = lookup(stopReasons, raw)
  if (
    raw !== undefined &&
    (means === stopReason || (means === 'stop' && stopReason === 'refusal' && isRefusal(response)))
  ) {
    return raw
  }
  const word = stopReason === 'tool_calls' || stopReason === 'max_rounds' ? 'stop' : finishReasons[stopReason]
  if (lookup(stopReasons, word) !== stopReason) {
    reportLoss(losses, 'changed', 'stopReason', `the wire has no word for "${stopReason}": "${word}" is sent`)
  }
  return word
}

function isRefusal({ message }: ChatResponse): boolean {
  return blocksOfTurn(message).some((block) => block.type === 'text' && block.refusal === true)
}

function encodeAnswer(message: AssistantMessage, to: Encoding): JsonObject {
  const blocks = blocksOfTurn(message)
  const texts = blocks.filter((block): block is TextBlock => block.type === 'text' && !block.refusal)
  const parts = contentParts(blocks)
  const calls = encodeCalls(message, to)
  const annotations = encodeAnnotations(texts)
  for (const [at, block] of blocks.entries()) checkAnswerBlock(block, `message.content[${at}]`, to)
  return {
    ...kept(message),
    role: 'assistant',
    content: parts ?? (texts.length > 0 ? texts.map((block) => block.text).join('') : null),
    refusal: textOfKind(blocks, (block) => block.type === 'text' && block.refusal === true) ?? null,
    ...encodeReasoning(blocks),
    ...compact({ annotations: unlessEmpty(annotations as unknown as JsonObject[]) }),
    ...encodeMedia(blocks),
    ...compact({ executed_tools: unlessEmpty(blocks.flatMap(executedTools)) }),
    ...calls,
  }
}

function textOfKind(blocks: readonly ContentBlock[], isOfKind: (block: ContentBlock) => boolean): string | undefined {
  const found = blocks.filter(isOfKind) as readonly TextBlock[]
  return found.length === 0 ? undefined : found.map((block) => block.text).join('')
}

/** Returns the content as parts if it has unknown parts of this format, since a string cannot hold them. */
function contentParts(blocks: readonly ContentBlock[]): JsonObject[] | undefined {
  if (!blocks.some(isUnknownPart)) return undefined
  return blocks.flatMap((block) => {
    if (isUnknownPart(block)) return [block.value as JsonObject]
    return block.type === 'text' && !block.refusal ? [{ type: 'text', text: block.text }] : []
  })
}

function isUnknownPart(block: ContentBlock): block is ContentBlock & { type: 'unknown' } {
  return block.type === 'unknown' && block.format === format && !isUnknownCall(block)
}

/** Encodes reasoning in the field that most clients read, and OpenRouter's proofs unchanged. */
function encodeReasoning(blocks: readonly ContentBlock[]): JsonObject {
  const text = textOfKind(blocks, (block) => block.type === 'reasoning')
  const details = blocks.flatMap((block) => reasoningDetails(block))
  return compact({ reasoning_content: text || undefined, reasoning_details: unlessEmpty(details) })
}

/** Encodes citations. In this format, offsets count from the start of the whole text. In isoglot, they start at 0 in each block. */
function encodeAnnotations(texts: readonly TextBlock[]): WireAnnotation[] {
  let before = 0
  return texts.flatMap(({ text, citations = [] }) => {
    const start = before
    before += text.length
    return citations.map((citation) => ({
      type: 'url_citation' as const,
      url_citation: {
        ...kept(citation),
        start_index: start + (citation.startIndex ?? 0),
        end_index: start + (citation.endIndex ?? text.length),
        title: citation.title ?? '',
        url: citation.url ?? '',
      },
    }))
  })
}

/** Encodes generated audio in OpenAI's field, and generated images in OpenRouter's field, which clients read. */
function encodeMedia(blocks: readonly ContentBlock[]): JsonObject {
  const fields: JsonObject = {}
  const images: JsonObject[] = []
  for (const block of blocks) {
    if (block.type === 'audio') {
      const { id = '', data = '', transcript = '' } = block
      fields.audio = { expires_at: 0, ...kept(block), id, data, transcript }
    }
    if (block.type === 'image') {
      const url = block.data === undefined ? block.url : toDataUrl(block.mimeType ?? 'image/png', block.data)
      if (url !== undefined) images.push({ ...kept(block), type: 'image_url', image_url: { url } })
    }
  }
  return images.length > 0 ? { ...fields, images } : fields
}

function encodeCalls(message: AssistantMessage, to: Encoding): JsonObject {
  const blocks = blocksOfTurn(message)
  const calls = callsOf(message)
  const legacy = calls.length === 1 && calls[0] !== undefined && kept(calls[0])?.type === 'function_call'
  const encoded = calls.map((call) => withProof(encodeCall(call, to), call))
  if (legacy) return { function_call: encoded[0]?.function ?? null }
  const unknown = blocks.filter(isUnknownCall).map(({ value }) => value)
  return encoded.length + unknown.length > 0 ? { tool_calls: [...encoded, ...unknown] } : {}
}

/** Adds the call's proof if it came in this format. The client sends it back to the gateway. */
function withProof(wire: WireCall, call: ToolCall | InvalidToolCall): JsonObject {
  return { ...wire, ...(call.opaque?.format === format && call.opaque.data) }
}

/** Returns the entries of Groq's field `executed_tools`: the tools that Groq ran. */
function executedTools(block: ContentBlock): readonly Json[] {
  return block.type === 'server_tool_call' ? arrayOf(kept(block)?.executed_tools) : []
}

const answerTypes: ReadonlySet<ContentBlock['type']> = new Set(['text', 'tool_call', 'audio', 'image'])

/** Blocks whose loss does not change the text of the conversation. */
const minorBlocks = /^(?:citation|server_.*|.*_chunk|unknown)$/

/** Reports the loss of a block that an answer in this format cannot hold. */
function checkAnswerBlock(block: ContentBlock, path: string, to: Pick<Encoding, 'losses'>): void {
  if (answerTypes.has(block.type)) {
    if (block.type === 'image' && block.data === undefined && block.url === undefined) {
      reportLoss(to.losses, 'dropped', path, 'an answer has no place for the id of a file', 'major')
    }
    return
  }
  if (block.type === 'unknown' && block.format === format) return
  const isServers = block.type === 'server_tool_call' || block.type === 'server_tool_result'
  if (isServers && kept(block) !== undefined) return
  if (block.type !== 'reasoning') {
    const severity = minorBlocks.test(block.type) ? 'minor' : 'major'
    reportLoss(to.losses, 'dropped', path, `an answer has no place for ${block.type}`, severity)
    return
  }
  if (block.opaque !== undefined && block.opaque.format !== format) {
    reportLoss(to.losses, 'dropped', `${path}.opaque`, 'an answer has no place for this proof', 'info')
  }
}

// ---- a stream -----------------------------------------------------------------------------------

// This format allows several open calls, so only a call without an id or name must wait.

/** A call that is being written. */
interface CallOut {
  /** Its index in the output. */
  readonly index: number
  isOpen: boolean
  /** Whether the call is held back until it ends, since it is not of a function and its chunks cannot be sent unchanged. */
  isHeld: boolean
  /** The arguments sent so far. Before the call is open: the arguments held back. */
  text: string
}

interface EncodeState {
  readonly reply: Reply
  readonly losses: Losses
  /** The first fields of every chunk. */
  head: JsonObject
  isStarted: boolean
  isEnded: boolean
  hasRefusal: boolean
  /** The calls by the index of their block. */
  readonly calls: Map<number, CallOut>
  /** The length of the text so far, in UTF-16 code units, for the offsets of citations. */
  said: number
  readonly saidBefore: Map<number, number>
}

/** Writes one answer as a stream. */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncodeState = {
    reply,
    losses: newLosses(openai.title, false),
    head: {},
    isStarted: false,
    isEnded: false,
    hasRefusal: false,
    calls: new Map(),
    said: 0,
    saidBefore: new Map(),
  }
  return {
    push(event, out) {
      if (state.isEnded) return
      switch (event.type) {
        case 'message_start':
          return begin(state, event, out)
        case 'text_delta':
          return sendText(state, event, out)
        case 'reasoning_delta':
          return send(state, { reasoning_content: event.text }, out)
        case 'tool_call_chunk':
          if (event.chunk.type === 'tool_call_chunk') sendChunk(state, event.index, event.chunk, out)
          return
        case 'tool_call':
        case 'invalid_tool_call':
          return sendRest(state, event.index, event.call, out)
        case 'content_block':
          return sendBlock(state, event.index, event.block, out)
        case 'message_end':
          return finish(state, event.response, out)
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
  out.push({ data: JSON.stringify(encodeError(error).body) })
}

function begin(state: EncodeState, head: { readonly id?: string; readonly model?: string }, out: Frame[]): void {
  if (state.isStarted) return
  state.isStarted = true
  const { id, model } = head
  const response = compact({ id, model })
  state.head = {
    ...identity({ role: 'assistant', content: null, response }, state.reply),
    object: 'chat.completion.chunk',
  }
  pushChunk(state, { role: 'assistant', content: '' }, out)
}

function send(state: EncodeState, delta: JsonObject, out: Frame[]): void {
  if (!state.isStarted) begin(state, {}, out)
  pushChunk(state, delta, out)
}

function pushChunk(state: EncodeState, delta: JsonObject, out: Frame[]): void {
  const choices = [{ index: 0, delta, finish_reason: null }]
  out.push({ data: JSON.stringify({ ...state.head, choices }) })
}

// ---- text and other blocks --------------------------------------------------------------------

function sendText(state: EncodeState, event: MessageEvent & { type: 'text_delta' }, out: Frame[]): void {
  const { index, text, refusal } = event
  if (refusal) {
    state.hasRefusal = true
    send(state, { refusal: text }, out)
    return
  }
  if (!state.saidBefore.has(index)) state.saidBefore.set(index, state.said)
  state.said += text.length
  send(state, { content: text }, out)
}

function sendBlock(state: EncodeState, index: number, block: ContentBlock, out: Frame[]): void {
  const path = `message.content[${index}]`
  checkAnswerBlock(block, path, state)
  switch (block.type) {
    case 'text':
      sendCitations(state, index, block, out)
      return
    case 'reasoning': {
      const details = reasoningDetails(block)
      if (details.length > 0) send(state, { reasoning_details: details }, out)
      return
    }
    case 'audio': {
      const { id = '', data = '', transcript = '' } = block
      send(state, { audio: { expires_at: 0, ...kept(block), id, data, transcript } }, out)
      return
    }
    case 'image': {
      const url = block.data === undefined ? block.url : `data:${block.mimeType ?? 'image/png'};base64,${block.data}`
      if (url !== undefined) send(state, { images: [{ type: 'image_url', image_url: { url } }] }, out)
      return
    }
    case 'server_tool_call': {
      const executed = executedTools(block)
      if (executed.length > 0) send(state, { executed_tools: [...executed] }, out)
      return
    }
    case 'unknown':
      if (block.format === format) {
        reportLoss(state.losses, 'dropped', path, 'a stream has only text where a whole answer may have parts')
      }
  }
}

function sendCitations(state: EncodeState, index: number, block: TextBlock, out: Frame[]): void {
  const before = state.saidBefore.get(index) ?? 0
  const annotations = encodeAnnotations([{ type: 'text', text: '' }, block]).map(({ type, url_citation: citation }) => {
    const { start_index: start, end_index: end } = citation
    return { type, url_citation: { ...citation, start_index: start + before, end_index: end + before } }
  })
  if (annotations.length > 0) send(state, { annotations }, out)
}

// ---- calls ------------------------------------------------------------------------------------

function callOut(state: EncodeState, index: number): CallOut {
  let call = state.calls.get(index)
  if (call === undefined) {
    call = { index: state.calls.size, isOpen: false, isHeld: false, text: '' }
    state.calls.set(index, call)
  }
  return call
}

/** Clients read id, type and name once. So the first chunk of a call is sent with its first arguments, when the name is complete. */
function sendChunk(state: EncodeState, index: number, chunk: ToolCallChunk, out: Frame[]): void {
  const call = callOut(state, index)
  const { id, name, argumentsDelta = '' } = chunk
  if (kept(chunk)?.type !== undefined) call.isHeld = true
  if (argumentsDelta === '' || call.isHeld) return
  call.text += argumentsDelta
  if (call.isOpen) {
    sendCall(state, call, { function: { arguments: argumentsDelta } }, out)
    return
  }
  if (id === undefined || name === undefined) return
  call.isOpen = true
  sendCall(state, call, { id, type: 'function', function: { name, arguments: call.text } }, out)
}

/** Sends the rest of a call: everything that its chunks did not have. */
function sendRest(state: EncodeState, index: number, ended: ToolCall | InvalidToolCall, out: Frame[]): void {
  const call = callOut(state, index)
  const whole = encodeCall(ended, wire(state))
  const proof = ended.opaque?.format === format ? ended.opaque.data : {}
  if (!call.isOpen) {
    if (ended.name === undefined) {
      reportLoss(state.losses, 'invented', `message.invalidToolCalls[${ended.index}].name`, 'a call must have a name')
    }
    sendCall(state, call, { ...whole, ...proof }, out)
    return
  }
  const text = ended.argumentsText
  const rest = text.startsWith(call.text) ? text.slice(call.text.length) : ''
  const { type: _, ...own } = kept(ended) ?? {}
  const more = { ...own, ...proof }
  if (rest !== '' || Object.keys(more).length > 0) {
    sendCall(state, call, { ...more, function: { ...objectIn(own, 'function'), arguments: rest } }, out)
  }
}

function sendCall(state: EncodeState, call: CallOut, fields: JsonObject, out: Frame[]): void {
  send(state, { tool_calls: [{ index: call.index, ...fields }] }, out)
}

function wire({ losses }: EncodeState): Encoding {
  return { dialect: openai, model: '', losses }
}

// ---- the end ----------------------------------------------------------------------------------

function finish(state: EncodeState, response: ChatResponse, out: Frame[]): void {
  begin(state, response.message.response ?? {}, out)
  state.isEnded = true
  const { choices, ...own } = kept(response) ?? {}
  const choice = arrayOf(choices)[0]
  const last = {
    ...(isObject(choice) ? choice : {}),
    index: 0,
    delta: {},
    finish_reason: finishReason(response, state.calls.size > 0, state.losses),
  }
  out.push({ data: JSON.stringify({ ...own, ...state.head, choices: [last] }) })
  if (response.usage !== undefined && state.reply.includeUsage !== false) sendUsage(state, response.usage, out)
  out.push({ data: '[DONE]' })
}

function sendUsage(state: EncodeState, usage: Usage, out: Frame[]): void {
  out.push({ data: JSON.stringify({ ...state.head, choices: [], usage: encodeUsage(usage) }) })
}

// ---- content of requests ------------------------------------------------------------------------

/** Decodes content. A string stays a string. @throws {DecodeError} if the value is not a string or an array of objects. */
function decodeContent(value: unknown, path: string): Content {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return []
  if (!Array.isArray(value))
    throw new DecodeError(`Cannot decode ${format} request: "${path}" is not content`, { path })
  return value.map((part, at): ContentBlock => {
    if (typeof part === 'string') return { type: 'text', text: part }
    if (isObject(part)) return decodePart(part)
    const place = `${path}[${at}]`
    throw new DecodeError(`Cannot decode ${format} request: "${place}" is not an object`, { path: place })
  })
}

// ---- usage --------------------------------------------------------------------------------------

/** Encodes usage. A required figure that is unknown is sent as 0. */
function encodeUsage(usage: Usage): WireUsage {
  const { inputTokens = 0, outputTokens = 0 } = usage
  const own = kept(usage) ?? {}
  const details = (name: string, counts: Record<string, number | undefined>) => {
    const known = compact(counts) as JsonObject
    const before = field(own, name)
    if (Object.keys(known).length === 0) return {}
    return { [name]: { ...(isObject(before) ? before : {}), ...known } }
  }
  return {
    ...own,
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: usage.totalTokens ?? inputTokens + outputTokens,
    ...details('prompt_tokens_details', {
      cached_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    }),
    ...details('completion_tokens_details', { reasoning_tokens: usage.reasoningTokens }),
  }
}

// ---- errors -------------------------------------------------------------------------------------

/** Encodes an error as OpenAI sends it. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: unknown } {
  const { status, type, code } = errorAnswers[error.kind]
  const isFinal = error.providerCode !== undefined && finalErrors.has(error.providerCode)
  const body = { error: { message: error.message, type, param: null, code: isFinal ? error.providerCode : code } }
  return { status, body }
}

// ---- proofs -------------------------------------------------------------------------------------

/** Writes proofs as OpenRouter's `reasoning_details`. Clients that store the answer's message unchanged send this field back. */
export const proofField: ProofField = {
  format,
  owners: ['openrouter', 'gemini'],
  onCalls: false,
  write: (data) => ({ reasoning_details: [{ type: 'reasoning.encrypted', data }] }),
  read: (proof) => arrayOf(proof.reasoning_details).map((detail) => textOr(field(detail, 'data'), '')),
}
