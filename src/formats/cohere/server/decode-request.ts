/**
 * Cohere Chat v2: decodes the request of a client. Half of what a server needs; no page loads it.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 * @see https://docs.cohere.com/docs/tool-use-overview (read 2026-11)
 *
 * @module
 */
import { fold } from '../../../assemble/assemble.ts'
import type { DecodedRequest, DecodeRequestOptions, Fragment } from '../../../core/codec.ts'
import { blocksOf, callsOf, keepUnknown } from '../../../core/content.ts'
import { callIdsIn, nextNumber } from '../../../core/ids.ts'
import {
  arrayOf,
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
  othersWithin,
  stringAt,
  textOr,
} from '../../../core/json.ts'
import { readDataUrl } from '../../../core/media.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  ImageBlock,
  Json,
  JsonObject,
  Message,
  RequestOptions,
  ToolChoice,
  ToolMessage,
  UserMessage,
} from '../../../core/messages.ts'
import { callShape, checkShape, type Shape, toolShape } from '../../shared/shapes.ts'
import { unmark } from '../../shared/stand-ins.ts'
import { decodeFunctionTool } from '../../shared/tools.ts'
import { newState, readMessage, restOf, unknownPart } from '../decode-answer.ts'
import { decodeDocument } from '../encode-request.ts'
import { format, idPrefix } from '../tables.ts'

/**
 * Reads a client's request. Documents become blocks of the last user message.
 *
 * @throws {DecodeError} if the server would answer with 400: the model is missing, or messages are invalid.
 */
export function decodeRequest(body: unknown, _options: DecodeRequestOptions = {}): DecodedRequest {
  const request = bodyOf(body, 'Cohere request')
  checkShape(request, requestShape, '', 'Cohere request')
  const model = textOr(request.model, undefined)
  if (model === undefined) throw decodeErrorAt('model', 'missing', 'Cohere request', request.model)
  const messages = listAt(request.messages, 'messages', 'Cohere request')
  const documents = listAt(request.documents, 'documents', 'Cohere request')
  const tools = request.tools
  const definitions = listAt(tools, 'tools', 'Cohere request').map((entry, at) => {
    const tool = decodeFunctionTool(entry, `tools[${at}]`, 'Cohere request', format)
    return 'name' in tool && request.strict_tools === true ? { ...tool, strict: true } : tool
  })
  const context = compact({
    messages: decodeMessages(messages, documents),
    tools: Array.isArray(tools) ? definitions : undefined,
  })
  return { context, options: decodeOptions(request, model), losses: [] }
}

// ---- options ------------------------------------------------------------------------------------

/** The types of fields that would be read as absent. What cannot be read of a part is kept with it. */
const requestShape: Shape = {
  messages: [
    {
      content: (value) => (Array.isArray(value) ? [{ type: 'string' }] : 'any'),
      tool_calls: [callShape],
      citations: [{ sources: [{}] }],
    },
  ],
  tools: [toolShape],
  strict_tools: 'boolean',
}

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
  if (arrayOf(request.tools).length === 0 && request.strict_tools === true) read.delete('strict_tools')
  const kept = otherFields(request, read)
  return { ...options, model, ...compact({ providerOptions: kept && { [format]: kept } }) }
}

// ---- messages -----------------------------------------------------------------------------------

/** Reads the messages and the documents of a request. */
function decodeMessages(entries: readonly Json[], documents: readonly Json[]): Message[] {
  const names = new Map<string, string>()
  let made = nextNumber(idPrefix, entries.flatMap(callIdsIn))
  const messages = entries.map((entry, at) => {
    const path = `messages[${at}]`
    const message = decodeMessage(objectAt(entry, path, 'Cohere request'), path, names, made)
    if (message.role !== 'assistant') return message
    const calls = callsOf(message)
    made += calls.length
    for (const { id, name } of calls) if (id !== undefined && name !== undefined) names.set(id, name)
    return message
  })
  return withDocuments(messages, documents.map(decodeDocument))
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
      const content = decodeContent(field(entry, 'content'), `${path}.content`)
      return { role, content, ...keepUnknown(otherFields(entry, messageFields), format) }
    }
  }
  throw decodeErrorAt(`${path}.role`, 'none of system, user, assistant and tool', 'Cohere request', role)
}

/** Reads an assistant's message with the code that reads answers, so that calls, plan and citations get the same form. */
function decodeAssistant(entry: JsonObject, path: string, made: number): AssistantMessage {
  const fragments: Fragment[] = []
  readMessage(newState(), entry, path, 'Cohere request', fragments)
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

/** Reads the content of a message: a string, which is returned unchanged, or a list of parts. */
function decodeContent(value: unknown, path: string): Content {
  if (typeof value === 'string') return value
  return listAt(value, path, 'Cohere request').map((part, at) => decodePart(part, `${path}[${at}]`))
}

/** Reads a part of a message. A part of an unknown type is kept unchanged. */
function decodePart(value: Json, path: string): ContentBlock {
  const part = objectAt(value, path, 'Cohere request')
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
  const detail = field(image, 'detail')
  const isKnown = detail === 'auto' || detail === 'low' || detail === 'high'
  const read = new Set(['url', ...(isKnown ? ['detail'] : [])])
  const inline = readDataUrl(url)
  const source = inline?.base64 ? { data: inline.data, mimeType: inline.mimeType } : { url }
  return compact({
    type: 'image',
    ...source,
    detail: isKnown ? detail : undefined,
    ...keepUnknown(othersWithin(part, new Set(['type', 'image_url']), 'image_url', read), format),
  })
}

// ---- results ------------------------------------------------------------------------------------

const resultFields: ReadonlySet<string> = new Set(['role', 'tool_call_id', 'content'])

/** Reads a result. `names` has the tool name of each call so far, by id, since a result of this format does not have a name. */
function decodeResult(entry: JsonObject, path: string, names: ReadonlyMap<string, string>): ToolMessage {
  const toolCallId = stringAt(field(entry, 'tool_call_id'), `${path}.tool_call_id`, 'Cohere request')
  const { content, isError } = unmark(decodeContent(field(entry, 'content'), `${path}.content`))
  return compact({
    role: 'tool',
    toolCallId,
    name: names.get(toolCallId),
    content,
    status: isError ? 'error' : undefined,
    ...keepUnknown(otherFields(entry, resultFields), format),
  })
}
