/**
 * Gemini: decodes the request of a client. Half of what a server needs; no page loads it.
 *
 * The path contains the model and the method.
 *
 * @see https://ai.google.dev/api/generate-content#method:-models.generatecontent (read 2026-11)
 * @see https://ai.google.dev/api/generate-content#v1beta.GenerationConfig (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thinking (read 2026-11)
 * @see https://ai.google.dev/api/caching#Content (read 2026-11)
 * @see https://ai.google.dev/api/caching#Tool (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/function-calling (read 2026-11)
 * @see https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse (read 2026-11)
 * @see https://github.com/googleapis/js-genai/blob/main/src/chats.ts (`isValidResponse`)
 * @see https://ai.google.dev/gemini-api/docs/google-search (read 2026-11)
 * @see https://ai.google.dev/api/generate-content#UsageMetadata (read 2026-11)
 * @see https://protobuf.dev/programming-guides/json/ (read 2026-11)
 *
 * @module
 */
import type { DecodedRequest, DecodeRequestOptions } from '../../../core/codec.ts'
import { keepUnknown, readCall, textOfArguments, unknownFieldsOf } from '../../../core/content.ts'
import { nextNumber } from '../../../core/ids.ts'
import {
  arrayOf,
  bodyOf,
  compact,
  decodeErrorAt,
  field,
  isObject,
  lookup,
  numberOr,
  objectAt,
  objectIn,
  otherFields,
  setOwn,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../../core/json.ts'
import { percentDecoded } from '../../../core/media.ts'
import type {
  Content,
  ContentBlock,
  Context,
  ContextTool,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  RequestOptions,
  ToolChoice,
  ToolDefinition,
  ToolMessage,
} from '../../../core/messages.ts'
import { checkShape, type Fields, type Shape } from '../../shared/shapes.ts'
import { decodePart, keptOf, newPartialCall, type Origin, ranIds, readCallPart } from '../decode-answer.ts'
import { decodeFormat, decodeThinking, readOutput, sameNames } from '../encode-request.ts'
import { fromOpenApi } from '../schema.ts'
import { format, type GeminiDialect, geminiDialect, knownFields, stringIn } from '../tables.ts'

/** The fields of a request that isoglot has a field for. */
const requestFields: ReadonlySet<string> = new Set([
  ...['contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig', 'model'],
])

/**
 * Decodes a request. The path contains the model and whether to stream. Field names may be in `camelCase` or `snake_case`. Fields that isoglot
 * has no option for are kept under `options.providerOptions.gemini`. Fields that the encoder would write in another form are kept there too.
 *
 * @throws {DecodeError} if a value is not valid in a request; the error has its path.
 */
export function decodeRequest(
  body: unknown,
  { path = '', dialect = geminiDialect }: DecodeRequestOptions<GeminiDialect> = {},
): DecodedRequest {
  const wire = camelNames(bodyOf(body, 'Gemini request'))
  checkShape(body, requestShape, '', 'Gemini request')
  const { model, stream } = readPath(path, field(wire, 'model'))
  // A request does not say which model made the signatures in its history. Any model of this provider may have made them.
  const origin: Origin = { provider: dialect.provider, model: '' }
  const { system, rest: systemRest } = readSystem(field(wire, 'systemInstruction'), origin)
  const tools = readTools(field(wire, 'tools'))
  const { toolChoice, rest: toolConfig } = decodeToolConfig(
    camelNested(field(wire, 'toolConfig'), ['functionCallingConfig']),
  )
  const generationConfig = camelNested(field(wire, 'generationConfig'), ['thinkingConfig'])
  const config = isObject(generationConfig) ? decodeConfig(generationConfig) : undefined
  const gemini: JsonObject = {
    ...otherFields(wire, requestFields),
    ...compact({ systemInstruction: systemRest, toolConfig, generationConfig: config?.rest ?? generationConfig }),
  }
  return {
    context: { ...compact({ system, tools }), messages: decodeContents(field(wire, 'contents'), origin) },
    options: {
      model,
      ...compact({ stream: stream || undefined }),
      ...config?.options,
      ...compact({ toolChoice, providerOptions: unlessEmpty(gemini) && { gemini } }),
    },
    losses: [],
  }
}

/** An object whose fields the client may have written in `snake_case`. */
function named(fields: Fields): Shape {
  return (value) => {
    const names = Object.keys(isObject(value) ? value : {})
    return Object.fromEntries(names.map((name) => [name, lookup(fields, camelName(name)) ?? 'any']))
  }
}

/** One or several parts. A part may be its text. What cannot be read of another part is kept with it. */
function partsShape(parts: unknown): Shape {
  return isObject(parts) ? partShape : Array.isArray(parts) ? [partShape] : 'any'
}

function partShape(part: unknown): Shape {
  return isObject(part) ? partFields : 'any'
}

const mediaShape: Shape = /* @__PURE__ */ named({ mimeType: 'string' })
const partFields: Shape = /* @__PURE__ */ named({
  thought: 'boolean',
  thoughtSignature: 'string',
  inlineData: mediaShape,
  fileData: mediaShape,
  functionCall: /* @__PURE__ */ named({ id: 'string', name: 'string' }),
  functionResponse: /* @__PURE__ */ named({ id: 'string', name: 'string', parts: [partShape] }),
  executableCode: /* @__PURE__ */ named({ id: 'string' }),
  codeExecutionResult: /* @__PURE__ */ named({ id: 'string' }),
  toolCall: /* @__PURE__ */ named({ id: 'string', toolType: 'string' }),
  toolResponse: /* @__PURE__ */ named({ id: 'string', toolType: 'string' }),
})

const contentShape: Shape = /* @__PURE__ */ named({ parts: partsShape })
const functionCallingShape: Shape = /* @__PURE__ */ named({ allowedFunctionNames: ['string'] })

/** The types of fields that would be read as absent. Other fields are kept unchanged. */
const requestShape: Shape = /* @__PURE__ */ named({
  contents: (value) =>
    isObject(value) ? contentShape : Array.isArray(value) ? [(one) => (isObject(one) ? contentShape : 'any')] : 'any',
  systemInstruction: (value) => (isObject(value) ? contentShape : 'any'),
  toolConfig: (value) => (isObject(value) ? named({ functionCallingConfig: functionCallingShape }) : 'any'),
})

/** Reads the model and the method from `…/models/{model}:{method}`. For tuned models, `tunedModels/` is part of the name. */
function readPath(path: string, named: Json | undefined): { readonly model: string; readonly stream: boolean } {
  const found = /(?:^|\/)(?:models\/|(?=tunedModels\/))([^?#]+)(?::|%3A)(\w+)/i.exec(path)
  const model = found?.[1] === undefined ? textOr(named, '').replace(/^models\//, '') : percentDecoded(found[1])
  return { model, stream: found?.[2] === 'streamGenerateContent' }
}

function readSystem(
  instruction: Json | undefined,
  origin: Origin,
): { readonly system?: Content; readonly rest?: JsonObject } {
  if (instruction === undefined || instruction === null) return {}
  if (typeof instruction === 'string') return { system: instruction }
  const wire = camelNames(objectAt(instruction, 'systemInstruction', 'Gemini request'))
  const parts = decodeParts(field(wire, 'parts'), 'systemInstruction.parts')
  const system = contentOf(parts.map((part) => decodePart(part, origin)))
  return compact({ system: system.length > 0 ? system : undefined, rest: otherFields(wire, new Set(['parts'])) })
}

function readTools(tools: Json | undefined): Context['tools'] {
  if (tools === undefined || tools === null) return undefined
  if (typeof tools !== 'object') throw decodeErrorAt('tools', 'not an array', 'Gemini request')
  return listOf(tools).flatMap((entry, at) => {
    const wire = objectAt(camelNested(entry, []), `tools[${at}]`, 'Gemini request')
    const declarations = field(wire, 'functionDeclarations')
    if (declarations === undefined) return decodeDefinitions(wire)
    const functionDeclarations = readDeclarations(declarations, `tools[${at}].functionDeclarations`)
    return decodeDefinitions({ ...wire, functionDeclarations })
  })
}

function readDeclarations(declarations: Json, path: string): Json[] {
  if (typeof declarations !== 'object' || declarations === null)
    throw decodeErrorAt(path, 'not an array', 'Gemini request')
  return listOf(declarations).map((declaration, at) => {
    const wire = objectAt(camelNested(declaration, []), `${path}[${at}]`, 'Gemini request')
    if (typeof field(wire, 'name') !== 'string')
      throw decodeErrorAt(`${path}[${at}].name`, 'not a string', 'Gemini request')
    return wire
  })
}

// ---- options ------------------------------------------------------------------------------------

/**
 * Reads a `generationConfig`: `options` has the options, `rest` the other fields. The fields of the response format and of thinking are in
 * both: the encoder sends them unchanged unless their option has changed.
 */
function decodeConfig(config: JsonObject): {
  readonly options: Partial<RequestOptions>
  readonly rest: JsonObject
} {
  const rest = { ...config }
  const options: Record<string, unknown> = {}
  for (const name of [...sameNames, 'maxOutputTokens']) {
    const value = numberOr(field(config, name), undefined)
    if (value === undefined) continue
    options[name === 'maxOutputTokens' ? 'maxTokens' : name] = value
    delete rest[name]
  }
  const stop = field(config, 'stopSequences')
  if (Array.isArray(stop) && stop.every((one) => typeof one === 'string')) {
    options.stop = stop
    delete rest.stopSequences
  }
  const responseFormat = decodeFormat(config)
  const reasoning = decodeThinking(field(config, 'thinkingConfig'))
  return { options: { ...options, ...compact({ responseFormat, reasoning }) }, rest }
}

/** Reads the tool choice of a `toolConfig`. The fields that were read are not in `rest`. */
function decodeToolConfig(config: Json | undefined): {
  readonly toolChoice: ToolChoice | undefined
  readonly rest: Json | undefined
} {
  const calling = field(config, 'functionCallingConfig')
  const toolChoice = decodeToolChoice(calling)
  if (toolChoice === undefined) return { toolChoice, rest: config }
  const functionCallingConfig = otherFields(calling as JsonObject, new Set(['mode', 'allowedFunctionNames'])) ?? {}
  return { toolChoice, rest: { ...(config as JsonObject), functionCallingConfig } }
}

// ---- messages -----------------------------------------------------------------------------------

/** The state that is kept from one content to the next. */
interface Reading {
  readonly origin: Origin
  readonly messages: Message[]
  /** Calls of the last model turn that have no result yet. A result without an id belongs to the first of them with its name. */
  pending: { readonly id: string; readonly name: string; readonly isMade: boolean }[]
  /** The number in the next generated id. */
  nextId: number
  wasModel: boolean
}

/**
 * Reads contents: a list, or a single content. A string is text of the user.
 *
 * @throws {DecodeError} if a value is not a content; the error has its path.
 */
function decodeContents(contents: Json | undefined, origin: Origin): readonly Message[] {
  const list = typeof contents === 'string' ? [contents] : listOf(contents)
  if (list.length === 0) throw decodeErrorAt('contents', contents === undefined ? 'missing' : 'empty', 'Gemini request')
  const reading: Reading = {
    origin,
    messages: [],
    pending: [],
    nextId: nextNumber(idPrefix, idsIn(list)),
    wasModel: false,
  }
  for (const { content, at } of joinTurns(list)) readContent(reading, content, `contents[${at}]`)
  return reading.messages
}

/**
 * Joins contents of the model in a row. A client that streams keeps each chunk as a content: a call may go on in the next one, and a proof
 * stands in another chunk than its text.
 */
function joinTurns(list: readonly Json[]): readonly { readonly content: Json; readonly at: number }[] {
  const joined: { content: Json; at: number }[] = []
  let parts: Json[] | undefined
  for (const [at, content] of list.entries()) {
    if (!isChunk(content)) parts = undefined
    else if (parts !== undefined) {
      for (const part of content.parts) parts.push(part)
      continue
    } else parts = [...content.parts]
    joined.push({ content: parts === undefined ? content : { ...(content as JsonObject), parts }, at })
  }
  return joined
}

/** Whether it is a content of the model that has nothing beside its parts. */
function isChunk(content: Json): content is JsonObject & { parts: Json[] } {
  if (!isObject(content) || content.role !== 'model' || !Array.isArray(content.parts)) return false
  return otherFields(content, knownFields.content) === undefined
}

const roles: Readonly<Record<string, 'user' | 'assistant' | 'system'>> = {
  user: 'user',
  function: 'user', // old clients send results with this role
  tool: 'user',
  model: 'assistant',
  assistant: 'assistant',
  system: 'system',
}

function readContent(reading: Reading, content: Json, path: string): void {
  const given = typeof content === 'string' ? { parts: [{ text: content }] } : content
  const wire = camelNames(objectAt(given, path, 'Gemini request'))
  const name = field(wire, 'role') ?? 'user'
  const role = typeof name === 'string' && Object.hasOwn(roles, name) ? roles[name] : undefined
  if (role === undefined)
    throw decodeErrorAt(`${path}.role`, `${JSON.stringify(name).slice(0, 40)}, not a role`, 'Gemini request')
  const parts = decodeParts(field(wire, 'parts'), `${path}.parts`)
  const rest = otherFields(wire, knownFields.content)
  const kept = keepUnknown(compact({ content: rest }), format)
  if (role === 'assistant') readModelTurn(reading, parts, kept)
  else if (role === 'user') readUserTurn(reading, parts, kept)
  else
    reading.messages.push({ role, content: contentOf(parts.map((part) => decodePart(part, reading.origin))), ...kept })
  reading.wasModel = role === 'assistant'
}

/** Reads the parts of a content, with field names in `camelCase`. Empty parts are left out: they have no meaning. */
function decodeParts(parts: Json | undefined, path: string): readonly Json[] {
  if (parts !== undefined && parts !== null && typeof parts !== 'object' && typeof parts !== 'string') {
    throw decodeErrorAt(path, 'not an array', 'Gemini request')
  }
  const list = typeof parts === 'string' ? [parts] : listOf(parts ?? undefined)
  return list
    .map((part) => (typeof part === 'string' ? { text: part } : camelPart(part)))
    .filter((part) => !isObject(part) || Object.keys(part).length > 0)
}

type KeptOnMessage = Pick<Message, 'providerData'>

function readModelTurn(reading: Reading, given: readonly Json[], kept: KeptOnMessage): void {
  if (!reading.wasModel) reading.pending = []
  const content: ContentBlock[] = []
  const invalidToolCalls: InvalidToolCall[] = []
  let index = 0
  const parts = joinPieces(given)
  const ids = ranIds(parts, 0)
  for (const part of parts) {
    const wire = field(part, 'functionCall')
    const id = ids.get(part)
    if (!isObject(part) || !isObject(wire)) {
      content.push({ ...decodePart(part, reading.origin), ...compact({ toolCallId: id }) } as ContentBlock)
      continue
    }
    if (id !== undefined) {
      content.push(readRanCall(part, wire, reading.origin, id))
      continue
    }
    const call = readRequestCall(reading, part, wire, index++)
    if (call.type === 'tool_call') content.push(call)
    else invalidToolCalls.push(call)
  }
  const calls = invalidToolCalls.length > 0 ? { invalidToolCalls } : {}
  reading.messages.push({ role: 'assistant', content: contentOf(content), ...calls, ...kept })
}

/** Puts the arguments of calls together that came in pieces: in `partialArgs` of the call and of parts after it that have no name. */
function joinPieces(parts: readonly Json[]): readonly Json[] {
  const joined: Json[] = []
  let call: ReturnType<typeof newPartialCall> | undefined
  const end = (isFinished: boolean) => {
    const last = joined.at(-1)
    if (call !== undefined && isObject(last))
      joined.splice(-1, 1, { ...last, functionCall: { ...objectIn(last, 'functionCall'), args: call.end(isFinished) } })
    call = undefined
  }
  for (const part of parts) {
    const wire = field(part, 'functionCall')
    const pieces = arrayOf(field(wire, 'partialArgs')).map((piece) => (isObject(piece) ? camelNames(piece) : piece))
    const willContinue = field(wire, 'willContinue') === true
    if (call === undefined || !isObject(wire) || textOr(wire.name, undefined) !== undefined) {
      end(false)
      joined.push(part)
      if ((willContinue || pieces.length > 0) && !isObject(field(wire, 'args'))) call = newPartialCall(0)
    }
    call?.add(pieces)
    if (!willContinue) end(true)
  }
  end(false)
  return joined
}

/** Reads a call that Google ran itself. */
function readRanCall(part: JsonObject, wire: JsonObject, origin: Origin, id: string): ContentBlock {
  const { name, arguments: args, opaque, providerData } = readCallPart(part, wire, origin, undefined, id)
  const given = isObject(args) ? args : {}
  const argumentsText = args === undefined ? '' : (textOfArguments(given) ?? '')
  const call = { id, name: name ?? '', arguments: given, argumentsText }
  return { type: 'server_tool_call', ...call, ...compact({ opaque, providerData }) }
}

function readRequestCall(reading: Reading, part: JsonObject, wire: JsonObject, index: number) {
  const { id: given, name, arguments: args, opaque, providerData } = readCallPart(part, wire, reading.origin)
  const id = given ?? makeId(reading)
  if (name) reading.pending.push({ id, name, isMade: given === undefined })
  const argumentsText = typeof args === 'object' ? textOfArguments(args) : (args ?? '')
  return readCall({
    id,
    generatedId: given === undefined,
    name: name ?? undefined,
    argumentsText,
    index,
    opaque,
    providerData,
  })
}

const idPrefix = 'gemini_'

function makeId(reading: Reading): string {
  return `${idPrefix}${reading.nextId++}`
}

function idsIn(contents: readonly Json[]): string[] {
  const parts = contents.flatMap((content) => listOf(field(content, 'parts') ?? undefined))
  const named = ['functionCall', 'function_call', 'functionResponse', 'function_response']
  const ids = parts.flatMap((part) => named.map((name) => field(field(part, name), 'id')))
  return ids.filter((id) => typeof id === 'string')
}

function readUserTurn(reading: Reading, parts: readonly Json[], kept: KeptOnMessage): void {
  const content: ContentBlock[] = []
  const results: ToolMessage[] = []
  for (const part of parts) {
    const result = field(part, 'functionResponse')
    if (isObject(part) && isObject(result)) results.push(readResult(reading, part, result))
    else content.push(decodePart(part, reading.origin))
  }
  const messages: Message[] = [...results]
  if (content.length > 0 || results.length === 0) messages.push({ role: 'user', content: contentOf(content) })
  for (const [at, message] of messages.entries()) {
    const all = { ...unknownFieldsOf(message, format), ...(at === 0 && unknownFieldsOf(kept, format)) }
    reading.messages.push({ ...message, ...keepUnknown(all, format) })
  }
}

/**
 * Reads a result. It belongs to the call with its id, otherwise to the first open call with its name that has no id, otherwise to a call with a
 * new id.
 */
function readResult(reading: Reading, part: JsonObject, result: JsonObject): ToolMessage {
  const id = textOr(field(result, 'id'), undefined)
  const name = field(result, 'name')
  const { pending } = reading
  const own = id === undefined ? -1 : pending.findIndex((call) => call.id === id)
  const at = own >= 0 ? own : pending.findIndex((call) => call.name === name && (id === undefined || call.isMade))
  const [call] = at < 0 ? [] : pending.splice(at, 1)
  const toolCallId = call?.id ?? id ?? makeId(reading)
  return decodeResult(part, result, toolCallId, (media) => decodePart(camelPart(media), reading.origin))
}

/** Returns a string for a single text block without other fields; returns any other blocks unchanged. */
function contentOf(blocks: readonly ContentBlock[]): Content {
  const [first, second] = blocks
  const isPlain = first?.type === 'text' && second === undefined && Object.keys(first).length === 2
  return isPlain ? first.text : blocks
}

// ---- tools --------------------------------------------------------------------------------------

/** Reads one entry of `tools`: its functions, and its other fields as a provider tool. */
function decodeDefinitions(entry: JsonObject): readonly ContextTool[] {
  const declarations = field(entry, 'functionDeclarations')
  if (!Array.isArray(declarations)) return [{ type: 'provider_tool', format, value: entry }]
  const others = otherFields(entry, new Set(['functionDeclarations']))
  const functions = declarations.filter(isObject).map(decodeDefinition)
  return others === undefined ? functions : [...functions, { type: 'provider_tool', format, value: others }]
}

function decodeDefinition(declaration: JsonObject): ToolDefinition {
  const { parameters: openApi, parametersJsonSchema } = declaration
  const schema = parametersJsonSchema ?? (openApi && fromOpenApi(openApi))
  const description = stringIn(declaration, 'description')
  const known = ['name', ...(description === undefined ? [] : ['description'])]
  const rest = otherFields(declaration, new Set(isObject(schema) ? [...known, 'parametersJsonSchema'] : known))
  return {
    name: stringOr(field(declaration, 'name'), ''),
    ...compact({ description, parameters: isObject(schema) ? schema : undefined }),
    ...keepUnknown(rest, format),
  }
}

/** Reads a tool choice. Returns `undefined` if isoglot has no equivalent. */
function decodeToolChoice(config: Json | undefined): ToolChoice | undefined {
  const given = field(config, 'allowedFunctionNames')
  const names = Array.isArray(given) ? given.filter((name) => typeof name === 'string') : []
  switch (field(config, 'mode')) {
    case 'AUTO':
      return 'auto'
    case 'NONE':
      return 'none'
    case 'ANY':
      if (names.length === 0) return 'required'
      return names.length === 1 ? { name: names[0] as string } : { names, mode: 'required' }
    case 'VALIDATED':
      return names.length === 0 ? undefined : { names, mode: 'auto' }
    default:
      return undefined
  }
}

/** Reads a result from its part. The caller finds the `toolCallId`, because the wire may not have one. */
function decodeResult(
  part: JsonObject,
  result: JsonObject,
  toolCallId: string,
  readMedia: (part: Json) => ContentBlock,
): ToolMessage {
  const { id: _, name, response: given, parts, ...rest } = result
  const response = given ?? {}
  const { text, isError } = readOutput(response)
  const isPlain = isObject(response) && (response.output === text || response.error === text)
  return compact({
    role: 'tool',
    toolCallId,
    name: textOr(name, undefined),
    content: contentOfResult(text, arrayOf(parts).map(readMedia)),
    status: isError ? 'error' : undefined,
    ...keptOf(part, 'functionResponse', isPlain ? unlessEmpty(rest) : { ...rest, response }),
  })
}

function contentOfResult(text: string, media: readonly ContentBlock[]): Content {
  if (media.length === 0) return text
  return text === '' ? media : [{ type: 'text', text }, ...media]
}

// ---- names --------------------------------------------------------------------------------------

// Like all of Google's JSON, the wire writes `camelCase`, and reads `snake_case` as well.
//
// Only the names in objects of the wire are changed. Arguments, schemas and results contain names that users chose.

/** Returns the object with its names in `camelCase`; the same object if they are already. If it has both forms of a name, `camelCase` wins. */
function camelNames(object: JsonObject): JsonObject {
  const names = Object.keys(object)
  if (!names.some(isSnake)) return object
  const renamed: JsonObject = {}
  for (const name of names) {
    const camel = camelName(name)
    if (camel !== name && Object.hasOwn(object, camel)) continue
    setOwn(renamed, camel, object[name] as Json)
  }
  return renamed
}

function camelName(name: string): string {
  return isSnake(name) ? name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) : name
}

function isSnake(name: string): boolean {
  return /^[a-z]+(?:_[a-z0-9]+)+$/.test(name)
}

/** Does the same for any value, and for the objects in its fields `inner`. A value that is not an object stays unchanged. */
function camelNested(value: Json | undefined, inner: readonly string[]): Json | undefined {
  if (!isObject(value)) return value
  let renamed = camelNames(value)
  for (const name of inner) {
    const before = field(renamed, name)
    const after = isObject(before) ? camelNames(before) : before
    if (after !== before) renamed = { ...renamed, [name]: after as Json }
  }
  return renamed
}

/** Does the same for a part and the object in its data field. */
function camelPart(part: Json): Json {
  return camelNested(part, dataFields) as Json
}

const dataFields = [
  ...['functionCall', 'functionResponse', 'inlineData', 'fileData', 'executableCode', 'codeExecutionResult'],
  ...['toolCall', 'toolResponse'],
]

/** Reads a list. Old clients send a list of one entry without the brackets. */
function listOf(value: Json | undefined): readonly Json[] {
  return isObject(value) ? [value] : arrayOf(value)
}
