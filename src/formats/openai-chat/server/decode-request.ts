/**
 * OpenAI Chat Completions: decodes the request of a client. Half of what a server needs; no page loads it.
 *
 * @module
 */

import { fold } from '../../../assemble/assemble.ts'
import type { DecodedRequest, DecodeRequestOptions, Fragment } from '../../../core/codec.ts'
import { callsOf, keepUnknown, unknownFieldsOf } from '../../../core/content.ts'
import type { DecodeError } from '../../../core/errors.ts'
import { callIdsIn, nextNumber } from '../../../core/ids.ts'
import {
  arrayOf,
  bodyOf,
  compact,
  decodeErrorAt,
  field,
  isObject,
  lookup,
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
  ContextTool,
  Json,
  JsonObject,
  JsonSchema,
  Message,
  Metadata,
  RequestOptions,
  ResponseFormat,
  Role,
  ToolChoice,
  ToolMessage,
} from '../../../core/messages.ts'
import { efforts } from '../../shared/effort.ts'
import { unreadFields } from '../../shared/losses.ts'
import { callShape, checkShape, citationShape, functionShape, type Shape, toolShape } from '../../shared/shapes.ts'
import { unmark } from '../../shared/stand-ins.ts'
import { decodeFunctionTool } from '../../shared/tools.ts'
import { AnswerReader, mediaOf, readPart, unread } from '../decode-answer.ts'
import type { ChatDialect } from '../dialect.ts'
import { compatible } from '../dialects.ts'
import { readEveryPart } from '../quirks/read-part.ts'
import { format, plainOptions, proofOwners, requestFields } from '../tables.ts'

/**
 * Decodes a request. Accepts deprecated names, text as a string or as parts, and nulls, since clients send all of these.
 *
 * @throws {DecodeError} with the path, if a known field has the wrong type.
 */
export function decodeRequest(body: unknown, _options: DecodeRequestOptions<ChatDialect> = {}): DecodedRequest {
  const request = bodyOf(body, 'OpenAI Chat request')
  checkShape(request, requestShape, '', 'OpenAI Chat request')
  const model = textOr(request.model, undefined)
  if (model === undefined) throw wrong('model', 'a string')
  const messages = decodeMessages(request.messages, model)
  const tools = decodeDefinitions(request)
  const options = { model, ...decodeOptions(request) }
  const losses = unreadFields(options, request.tool_choice, request.response_format, optionFields)
  return { context: compact({ messages, tools: unlessEmpty(tools) }), options, losses }
}

function wrong(path: string, wanted: string): DecodeError {
  return decodeErrorAt(path, `not ${wanted}`, 'OpenAI Chat request')
}

/** A function whose field `strict` is known. */
const strictFunction: Shape = { ...functionShape, strict: 'boolean' }

/** The types of fields that would be read as absent. Fields of parts that cannot be read are kept with their part. */
const requestShape: Shape = {
  stream: 'boolean',
  max_tokens: 'number',
  max_completion_tokens: 'number',
  temperature: 'number',
  top_p: 'number',
  top_k: 'number',
  seed: 'number',
  stop: (stop) => (typeof stop === 'string' ? 'string' : ['string']),
  frequency_penalty: 'number',
  presence_penalty: 'number',
  reasoning_effort: 'string',
  parallel_tool_calls: 'boolean',
  user: 'string',
  messages: [
    {
      name: 'string',
      content: (value) => (Array.isArray(value) ? [partShape] : 'any'),
      tool_calls: [{ ...callShape, custom: { name: 'string', input: 'string' } }],
      function_call: { name: 'string' },
      tool_call_id: 'string',
      refusal: 'string',
      audio: { id: 'string' },
      annotations: [(annotation) => (isObject(annotation) ? { type: 'string', url_citation: citationShape } : 'any')],
      reasoning_content: 'string',
      reasoning: 'string',
      reasoning_text: 'string',
      reasoning_details: [{}],
    },
  ],
  tools: [{ ...toolShape, function: strictFunction }],
  functions: [strictFunction],
  tool_choice: choiceShape,
  function_call: choiceShape,
  response_format: {
    json_schema: { name: 'string', description: 'string', schema: {}, strict: 'boolean' },
  },
  safety_identifier: 'string',
}

function partShape(part: unknown): Shape {
  return isObject(part) ? { input_audio: mediaShape, file: mediaShape } : 'any'
}

function mediaShape(media: unknown): Shape {
  return isObject(media) ? { format: 'string', filename: 'string' } : 'any'
}

function choiceShape(choice: unknown): Shape {
  return typeof choice === 'string' ? 'string' : { type: 'string', allowed_tools: { tools: [{ type: 'string' }] } }
}

/** The fields of a tool choice and of a response format. */
const optionFields = /^(?:type|function|custom|name|allowed_tools|mode|tools|json_schema|schema|description|strict)$/

function decodeOptions(body: JsonObject): Omit<RequestOptions, 'model'> {
  const plain: JsonObject = {}
  for (const [name, option] of Object.entries(plainOptions)) {
    const value = field(body, name) ?? undefined
    if (value !== undefined) plain[option] = name === 'stop' && typeof value === 'string' ? [value] : value
  }
  const chosen = decodeToolChoice(body)
  const responseFormat = decodeResponseFormat(field(body, 'response_format'))
  const reasoning = decodeEffort(field(body, 'reasoning_effort'))
  // Unknown values are kept, so that a request in this format can send them unchanged.
  const unread = new Set<string>()
  if (chosen === undefined) unread.add('tool_choice').add('function_call')
  if (responseFormat === undefined && typeof field(field(body, 'response_format'), 'type') === 'string') {
    unread.add('response_format')
  }
  if (reasoning === undefined && typeof field(body, 'reasoning_effort') === 'string') unread.add('reasoning_effort')
  const isRead = (name: string) => requestFields.has(name) && (!unread.has(name) || body[name] === null)
  const others = otherFields(body, { has: isRead })
  return compact({
    ...plain,
    user: stringOr(plain.user, stringOr(field(body, 'safety_identifier'), undefined)),
    maxTokens: field(body, 'max_completion_tokens') ?? field(body, 'max_tokens') ?? undefined,
    toolChoice: chosen,
    responseFormat,
    reasoning,
    providerOptions: others && { [format]: others },
  }) as Omit<RequestOptions, 'model'>
}

function decodeEffort(value: Json | undefined): RequestOptions['reasoning'] {
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
  const strict = field(body, 'strict')
  return {
    type: 'json',
    schema: objectIn(body, 'schema') as JsonSchema,
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
  if (!Array.isArray(value)) throw wrong('messages', 'a list')
  const reading: Reading = { nextId: nextNumber(idPrefix, value.flatMap(callIdsIn)), legacyId: '', model }
  return value.map((message, at) => decodeMessage(message, `messages[${at}]`, reading))
}

const idPrefix = 'call_'

const messageFields: ReadonlySet<string> = new Set(['role', 'content', 'name', 'tool_calls'])
const resultFields: ReadonlySet<string> = new Set(['role', 'content', 'name', 'tool_call_id'])

function decodeMessage(message: unknown, path: string, reading: Reading): Message {
  const role = lookup(roles, field(message, 'role'))
  if (!isObject(message) || role === undefined) {
    const finding = isObject(message)
      ? `its role is ${JSON.stringify(message.role)?.slice(0, 40)}`
      : 'it is not an object'
    throw wrong(path, `a message: ${finding}`)
  }
  if (role === 'assistant') return decodeAssistant(message, path, reading)
  const content = decodeContent(message.content, `${path}.content`)
  const name = textOr(message.name, undefined)
  if (role === 'tool') return decodeResult(message, content, name, reading)
  return compact({ role, content, name, ...keepUnknown(otherFields(withoutNulls(message), messageFields), format) })
}

/** Returns the message without fields whose value is null. */
function withoutNulls(message: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null))
}

function decodeResult(message: JsonObject, content: Content, name: string | undefined, reading: Reading): ToolMessage {
  const { content: plain, isError } = unmark(content)
  return compact({
    role: 'tool',
    toolCallId: textOr(message.tool_call_id, reading.legacyId),
    name,
    content: plain,
    status: isError ? 'error' : undefined,
    ...keepUnknown(otherFields(withoutNulls(message), resultFields), format),
  })
}

/** Reads an assistant's message in the same way as an answer: calls, reasoning and unknown fields. */
function decodeAssistant(message: JsonObject, path: string, reading: Reading): AssistantMessage {
  const { name, content, ...fields } = message
  const readPart = (part: JsonObject) => readEveryPart(part, decodeMarked)
  const reader = new AnswerReader({ ...compatible, readPart }, true)
  reader.model = reading.model
  const fragments: Fragment[] = []
  reader.readMessage({ ...withoutNulls(fields), content: checkedContent(content, path) }, fragments)
  reader.endMessage(fragments)
  fragments.push({ type: 'end', stopReason: 'stop' })
  const read = fold(fragments.map(owned), { callsBefore: reading.nextId, idPrefix }).message
  const { stopReason: _, ...decoded } = read
  const calls = callsOf(decoded)
  reading.nextId += calls.length
  const legacy = calls.find((call) => unknownFieldsOf(call, format).type === 'function_call')
  if (legacy !== undefined) reading.legacyId = legacy.id ?? ''
  const isPlain =
    typeof content === 'string' && content !== '' && Array.isArray(decoded.content) && decoded.content.length === 1
  return { ...decoded, ...compact({ content: isPlain ? content : undefined, name: stringOr(name, undefined) }) }
}

function checkedContent(content: Json | undefined, path: string): Json {
  const isContent = content === undefined || content === null || typeof content === 'string' || Array.isArray(content)
  if (isContent) return content ?? null
  throw wrong(`${path}.content`, 'content')
}

/** Sets the provider of a proof by the name of its field. */
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
function decodeDefinitions(body: unknown): readonly ContextTool[] {
  const decode = (tool: unknown, path: string) => decodeFunctionTool(tool, path, 'OpenAI Chat request', format, true)
  return [
    ...arrayOf(field(body, 'tools')).map((tool, at) => decode(tool, `tools[${at}]`)),
    ...arrayOf(field(body, 'functions')).map((one, at) =>
      decode({ type: 'function', function: one }, `functions[${at}]`),
    ),
  ]
}

// ---- tool choice ------------------------------------------------------------------------------

/** Decodes `tool_choice`, or the deprecated `function_call`. Returns `undefined` if both are absent or the value is unknown. */
function decodeToolChoice(body: unknown): ToolChoice | undefined {
  const choice = field(body, 'tool_choice') ?? field(body, 'function_call')
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  if (choice === 'any') return 'required'
  const name = nameIn(choice, field(choice, 'name'))
  if (name !== undefined) return { name }
  const allowed = field(choice, 'allowed_tools')
  if (!isObject(allowed) || textOr(field(choice, 'type'), 'allowed_tools') !== 'allowed_tools') return undefined
  const mode = field(allowed, 'mode') ?? 'auto'
  if (mode !== 'auto' && mode !== 'required') return undefined
  const tools = arrayOf(field(allowed, 'tools'))
  const names = tools.flatMap((tool) => nameIn(tool) ?? [])
  return names.length === tools.length ? { names, mode } : undefined
}

/** The name of a tool that a choice names: in the field of its kind, or `beside` it, as deprecated choices have it. */
function nameIn(value: unknown, beside?: unknown): string | undefined {
  const type = textOr(field(value, 'type'), 'function')
  if (type !== 'function' && type !== 'custom') return undefined
  const named = textOr(field(field(value, 'custom'), 'name'), textOr(beside, undefined))
  return textOr(field(field(value, 'function'), 'name'), named)
}

// ---- content of requests ------------------------------------------------------------------------

/** Decodes content. A string stays a string. @throws {DecodeError} if the value is not a string or an array of objects. */
function decodeContent(value: unknown, path: string): Content {
  if (typeof value === 'string') return value
  if (value === null || value === undefined) return []
  if (!Array.isArray(value)) throw wrong(path, 'content')
  return value.map((part, at): ContentBlock => {
    if (typeof part === 'string') return { type: 'text', text: part }
    if (isObject(part)) return decodeMarked(part)
    throw wrong(`${path}[${at}]`, 'an object')
  })
}

/** Decodes a part of a request. A part of an unknown type is kept unchanged. */
function decodePart(part: JsonObject): ContentBlock {
  return decodeMedia(part) ?? readPart(part)
}

/** Decodes media that only requests have. Mistral sends a string where OpenAI sends an object. */
function decodeMedia(part: JsonObject): ContentBlock | undefined {
  const type = textOr(field(part, 'type'), '')
  const body = field(part, type)
  switch (type) {
    case 'input_audio': {
      const data = textOr(body, textOr(field(body, 'data'), undefined))
      const word = textOr(field(body, 'format'), 'wav')
      const mimeType = word === 'mp3' ? 'audio/mpeg' : `audio/${word}`
      return data === undefined
        ? undefined
        : { type: 'audio', data, mimeType, ...unread(part, type, ['data', 'format']) }
    }
    case 'file': {
      const fileData = textOr(field(body, 'file_data'), undefined)
      const fileId = textOr(field(body, 'file_id'), undefined)
      const filename = textOr(field(body, 'filename'), undefined)
      // Base64 without a data URL has no media type, so it is kept unchanged.
      const isBare = fileData !== undefined && !/^[a-z]+:/i.test(fileData)
      if (isBare || (fileData === undefined && fileId === undefined)) return undefined
      const others = unread(part, type, ['file_data', 'file_id', 'filename'])
      return { type, ...(fileData && mediaOf(fileData)), ...compact({ fileId, filename }), ...others }
    }
    case 'document_url':
      return typeof body === 'string' ? { type: 'file', ...mediaOf(body), ...unread(part, type) } : undefined
    case 'video_url': {
      const url = textOr(field(body, 'url'), undefined)
      return url === undefined ? undefined : { type: 'video', url, ...unread(part, type, ['url']) }
    }
    default:
      return undefined
  }
}

/** Decodes a part of a request. A cache mark becomes a cache hint. A mark that no hint can say is kept, as a part of an unknown type is. */
function decodeMarked(part: JsonObject): ContentBlock {
  const name = Object.hasOwn(part, 'prompt_cache_breakpoint') ? 'prompt_cache_breakpoint' : 'cache_control'
  const { [name]: mark, ...unmarked } = part
  const cacheHint = readCacheMark(mark)
  const block = decodePart(cacheHint === undefined ? part : unmarked)
  if (cacheHint === undefined) return block
  return block.type === 'unknown' ? { ...block, value: part } : { ...block, metadata: { cacheHint } }
}

function readCacheMark(mark: unknown): Metadata['cacheHint'] {
  if (!isObject(mark)) return undefined
  const { type = 'ephemeral', mode = 'explicit', ttl, ...others } = mark
  if (type !== 'ephemeral' || mode !== 'explicit' || unlessEmpty(others)) return undefined
  if (ttl === '5m' || ttl === '30m' || ttl === '1h' || ttl === '12h') return { ttl }
  return ttl === undefined ? 'ephemeral' : undefined
}
