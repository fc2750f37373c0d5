/**
 * Ollama: decodes the request of a client. Half of what a server needs; no page loads it.
 *
 * @see https://docs.ollama.com/api/chat
 * @see https://docs.ollama.com/capabilities/tool-calling
 *
 * @module
 */
import type { DecodedRequest, DecodeRequestOptions } from '../../../core/codec.ts'
import { blocksOf, keepUnknown, unknownFieldsOf } from '../../../core/content.ts'
import { callIdsIn, nextNumber } from '../../../core/ids.ts'
import {
  bodyOf,
  compact,
  decodeErrorAt,
  field,
  findLastIndex,
  isObject,
  listAt,
  lookup,
  objectAt,
  otherFields,
  stringAt,
  textOr,
  unlessEmpty,
} from '../../../core/json.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  ProviderData,
  RequestOptions,
  ToolCall,
  ToolMessage,
} from '../../../core/messages.ts'
import { callShape, checkShape, type Shape, toolShape } from '../../shared/shapes.ts'
import { unmark } from '../../shared/stand-ins.ts'
import { decodeFunctionTool } from '../../shared/tools.ts'
import { decodeImages, readCallFragment, readWholeCall } from '../decode-answer.ts'
import { format, idPrefix, readThink } from '../tables.ts'

/**
 * Reads a client's request. It accepts everything that the server accepts. A missing `stream` means true.
 *
 * @throws {DecodeError} if the server would answer with 400: the model is missing, or messages are invalid, or content is not a string.
 */
export function decodeRequest(body: unknown, _options: DecodeRequestOptions = {}): DecodedRequest {
  const request = bodyOf(body, 'Ollama request')
  checkShape(request, requestShape, '', 'Ollama request')
  const model = textAt(request.model, 'model', 'Ollama request')
  const messages = decodeMessages(listAt(request.messages, 'messages', 'Ollama request'))
  const tools = request.tools
  const definitions = listAt(tools, 'tools', 'Ollama request').map((tool, at) =>
    decodeFunctionTool(tool, `tools[${at}]`, 'Ollama request', format),
  )
  const context = compact({ messages, tools: Array.isArray(tools) ? definitions : undefined })
  return { context, options: decodeOptions(request, model), losses: [] }
}

/** The types of fields that would be read as absent. */
const requestShape: Shape = { messages: [{ role: 'string', tool_calls: [callShape] }], tools: [toolShape] }

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
  const reading: Reading = { ids: new Set(), open: [], made: nextNumber(idPrefix, entries.flatMap(callIdsIn)) }
  return entries.map((entry, at) =>
    decodeMessage(objectAt(entry, `messages[${at}]`, 'Ollama request'), `messages[${at}]`, reading),
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
  const text = stringAt(field(entry, 'content'), `${path}.content`, 'Ollama request')
  const images = decodeImages(
    listAt(field(entry, 'images'), `${path}.images`, 'Ollama request'),
    `${path}.images`,
    'Ollama request',
  )
  const content = images.length === 0 ? text : [...blocksOf(text), ...images]
  return { content, ...keepUnknown(otherFields(entry, images.length > 0 ? pictured : plain), format) }
}

const plain: ReadonlySet<string> = new Set(['role', 'content'])
const pictured: ReadonlySet<string> = /* @__PURE__ */ new Set([...plain, 'images'])

function withKept<M extends Message>(message: M, fields: JsonObject): M {
  return {
    ...message,
    providerData: { ...message.providerData, [format]: { ...unknownFieldsOf(message, format), ...fields } },
  }
}

function decodeTurn(entry: JsonObject, path: string, reading: Reading): AssistantMessage {
  const { content, providerData } = decodeContent(entry, path)
  const thinking = stringAt(field(entry, 'thinking'), `${path}.thinking`, 'Ollama request')
  const calls = listAt(field(entry, 'tool_calls'), `${path}.tool_calls`, 'Ollama request').map((call, at) =>
    decodeCall(call, at, `${path}.tool_calls[${at}]`, reading),
  )
  const read = [...(thinking === '' ? [] : ['thinking']), ...(calls.length === 0 ? [] : ['tool_calls'])]
  const kept = otherFields(unknownFieldsOf({ providerData }, format), new Set(read))
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
    ...keepUnknown(kept, format),
  })
}

/**
 * Reads a call and gives it a unique id. If an earlier call has the same id, the call gets a generated one, and its original id is kept in
 * `providerData` to be sent back.
 */
function decodeCall(entry: Json, index: number, path: string, reading: Reading): ToolCall | InvalidToolCall {
  const fragment = readCallFragment(entry, index, path, 'Ollama request')
  const wireId = fragment.id ?? undefined
  const isOwn = wireId !== undefined && !reading.ids.has(wireId)
  const id = isOwn ? wireId : makeId(reading)
  reading.ids.add(id)
  const repeated =
    wireId !== undefined && !isOwn && keepUnknown({ ...unknownFieldsOf(fragment, format), id: wireId }, format)
  const call = readWholeCall(repeated ? { ...fragment, ...repeated } : fragment, id, !isOwn, index)
  reading.open.push({ call, id, wireId })
  return call
}

function makeId(reading: Reading): string {
  return `${idPrefix}${reading.made++}`
}

function decodeResult(entry: JsonObject, path: string, reading: Reading): ToolMessage {
  const { content, providerData } = decodeContent(entry, path)
  const wireId = textOr(field(entry, 'tool_call_id'), undefined)
  const toolName = textOr(field(entry, 'tool_name'), undefined)
  const asked = takeAsked(reading, wireId, toolName)
  const toolCallId = asked?.id ?? wireId ?? makeId(reading)
  // If the id in isoglot is not the id of the request, the id of the request is kept to be sent back.
  const read = [...(toolName === undefined ? [] : ['tool_name']), ...(toolCallId === wireId ? ['tool_call_id'] : [])]
  const kept = otherFields(unknownFieldsOf({ providerData }, format), new Set(read))
  const { content: parts, isError } = unmark(content)
  return compact({
    role: 'tool',
    toolCallId,
    name: toolName ?? asked?.call.name,
    content: parts,
    status: isError ? 'error' : undefined,
    ...keepUnknown(kept, format),
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
function textAt(value: unknown, path: string, what: string): string {
  const text = stringAt(value, path, what)
  if (text === '') throw decodeErrorAt(path, 'missing', what, value)
  return text
}
