/**
 * Gemini: the server's half. It decodes requests, and encodes answers, streams and errors. No page loads it.
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
 * @see https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent (read 2026-11)
 * @see https://github.com/googleapis/js-genai/blob/main/src/chats.ts (`isValidResponse`)
 * @see https://ai.google.dev/gemini-api/docs/google-search (read 2026-11)
 * @see https://ai.google.dev/api/generate-content#UsageMetadata (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/troubleshooting (read 2026-11)
 * @see https://cloud.google.com/apis/design/errors#error_details (read 2026-11)
 * @see https://protobuf.dev/programming-guides/json/ (read 2026-11)
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
import { blocksOf, blocksOfTurn, readCall, settleStopReason, textOfArguments } from '../../core/content.ts'
import { type ApiError, DecodeError } from '../../core/errors.ts'
import {
  arrayOf,
  compact,
  field,
  isObject,
  lookup,
  numberOr,
  otherFields,
  refuseDeep,
  setOwn,
  stringOr,
  textOr,
  unlessEmpty,
} from '../../core/json.ts'
import type {
  AssistantMessage,
  ChatResponse,
  CitationBlock,
  Content,
  ContentBlock,
  Context,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  RequestOptions,
  ToolChoice,
  ToolDefinition,
  ToolMessage,
  Usage,
} from '../../core/model.ts'
import { cutOff, messageWith } from '../../kit/api-error.ts'
import type { ProofField } from '../../kit/foreign-proofs.ts'
import { nextNumber } from '../../kit/ids.ts'
import { type Losses, newLosses, reportForeignFields, reportLoss } from '../../kit/losses.ts'
import { type BlockEvent, oneAtATime } from '../../kit/one-at-a-time.ts'
import { ownProof } from '../../kit/opaque.ts'
import * as reasons from '../../kit/reasons.ts'
import { byteLength, follow } from '../../kit/utf8.ts'
import {
  decodeFormat,
  decodeThinking,
  drop,
  encodeBlock,
  encodeCall,
  isUnchanged,
  readOutput,
  type Scope,
  sameNames,
  type Tool,
} from './ask.ts'
import { decodePart, keptFields, keptOf, newTrack, type Origin, readCallPart, readCitations } from './read.ts'
import { fromOpenApi } from './schema.ts'
import type {
  WireCandidate,
  WireError,
  WireGroundingMetadata,
  WirePart,
  WireResponse,
  WireSegment,
  WireUsage,
} from './wire.ts'
import {
  errorStatuses,
  finishReasons,
  type GeminiDialect,
  geminiDialect,
  type Kept,
  knownFields,
  stopReasons,
  stringIn,
} from './words.ts'

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
  if (!isObject(body)) throw invalid('', 'it is not an object')
  refuseDeep(body, 'Cannot decode Gemini request')
  const wire = camelNames(body)
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
  const gemini = {
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

/** Reads the model and the method from `…/models/{model}:{method}`. For tuned models, `tunedModels/` is part of the name. */
function readPath(path: string, named: Json | undefined): { readonly model: string; readonly stream: boolean } {
  const found = /(?:^|\/)(?:models\/|(?=tunedModels\/))([^?#]+)(?::|%3A)(\w+)/i.exec(path)
  const model = found?.[1] === undefined ? textOr(named, '').replace(/^models\//, '') : decoded(found[1])
  return { model, stream: found?.[2] === 'streamGenerateContent' }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

function readSystem(
  instruction: Json | undefined,
  origin: Origin,
): { readonly system?: Content; readonly rest?: JsonObject } {
  if (instruction === undefined || instruction === null) return {}
  if (typeof instruction === 'string') return { system: instruction }
  if (!isObject(instruction)) throw invalid('systemInstruction', 'it is not an object')
  const wire = camelNames(instruction)
  const parts = decodeParts(field(wire, 'parts'), 'systemInstruction.parts')
  const system = contentOf(parts.map((part) => decodePart(part, origin)))
  return compact({ system: system.length > 0 ? system : undefined, rest: otherFields(wire, new Set(['parts'])) })
}

function readTools(tools: Json | undefined): Context['tools'] {
  if (tools === undefined || tools === null) return undefined
  if (typeof tools !== 'object') throw invalid('tools', 'it is not an array')
  return listOf(tools).flatMap((entry, at) => {
    const wire = camelNested(entry, [])
    if (!isObject(wire)) throw invalid(`tools[${at}]`, 'it is not an object')
    const declarations = field(wire, 'functionDeclarations')
    if (declarations === undefined) return decodeDefinitions(wire)
    const functionDeclarations = readDeclarations(declarations, `tools[${at}].functionDeclarations`)
    return decodeDefinitions({ ...wire, functionDeclarations })
  })
}

function readDeclarations(declarations: Json, path: string): Json[] {
  if (typeof declarations !== 'object' || declarations === null) throw invalid(path, 'it is not an array')
  return listOf(declarations).map((declaration, at) => {
    const wire = camelNested(declaration, [])
    if (!isObject(wire)) throw invalid(`${path}[${at}]`, 'it is not an object')
    if (typeof field(wire, 'name') !== 'string') throw invalid(`${path}[${at}].name`, 'it is not a string')
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
  pending: { readonly id: string; readonly name: string }[]
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
  if (list.length === 0) throw invalid('contents', contents === undefined ? 'it is missing' : 'there is nothing in it')
  const reading: Reading = {
    origin,
    messages: [],
    pending: [],
    nextId: nextNumber(idPrefix, idsIn(list)),
    wasModel: false,
  }
  for (const [at, content] of list.entries()) readContent(reading, content, `contents[${at}]`)
  return reading.messages
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
  if (!isObject(given)) throw invalid(path, 'it is not an object')
  const wire = camelNames(given)
  const name = field(wire, 'role') ?? 'user'
  const role = typeof name === 'string' && Object.hasOwn(roles, name) ? roles[name] : undefined
  if (role === undefined) throw invalid(`${path}.role`, `there is no role ${JSON.stringify(name).slice(0, 40)}`)
  const parts = decodeParts(field(wire, 'parts'), `${path}.parts`)
  const rest = otherFields(wire, knownFields.content)
  const kept = compact({ providerData: rest && keptFields({ content: rest }) })
  if (role === 'assistant') readModelTurn(reading, parts, kept)
  else if (role === 'user') readUserTurn(reading, parts, kept)
  else
    reading.messages.push({ role, content: contentOf(parts.map((part) => decodePart(part, reading.origin))), ...kept })
  reading.wasModel = role === 'assistant'
}

/** Reads the parts of a content, with field names in `camelCase`. Empty parts are left out: they have no meaning. */
function decodeParts(parts: Json | undefined, path: string): readonly Json[] {
  if (parts !== undefined && parts !== null && typeof parts !== 'object' && typeof parts !== 'string') {
    throw invalid(path, 'it is not an array')
  }
  const list = typeof parts === 'string' ? [parts] : listOf(parts ?? undefined)
  return list
    .map((part) => (typeof part === 'string' ? { text: part } : camelPart(part)))
    .filter((part) => !isObject(part) || Object.keys(part).length > 0)
}

type KeptOnMessage = Pick<Message, 'providerData'>

function readModelTurn(reading: Reading, parts: readonly Json[], kept: KeptOnMessage): void {
  if (!reading.wasModel) reading.pending = []
  const content: ContentBlock[] = []
  const invalidToolCalls: InvalidToolCall[] = []
  let index = 0
  for (const part of parts) {
    const wire = field(part, 'functionCall')
    if (!isObject(part) || !isObject(wire)) {
      content.push(decodePart(part, reading.origin))
      continue
    }
    const call = readRequestCall(reading, part, wire, index++)
    if (call.type === 'tool_call') content.push(call)
    else invalidToolCalls.push(call)
  }
  const calls = invalidToolCalls.length > 0 ? { invalidToolCalls } : {}
  reading.messages.push({ role: 'assistant', content: contentOf(content), ...calls, ...kept })
}

function readRequestCall(reading: Reading, part: JsonObject, wire: JsonObject, index: number) {
  const { id: given, name, arguments: args, opaque, providerData } = readCallPart(part, wire, reading.origin)
  const id = given ?? makeId(reading)
  if (name) reading.pending.push({ id, name })
  const argumentsText = typeof args === 'object' ? (textOfArguments(args) ?? '{'.repeat(100)) : (args ?? '')
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
    reading.messages.push(at > 0 ? message : { ...message, ...joinKept(message, kept) })
  }
}

function joinKept({ providerData }: Message, kept: KeptOnMessage): KeptOnMessage {
  if (kept.providerData === undefined || providerData === undefined) return kept
  return { providerData: { gemini: { ...providerData.gemini, ...kept.providerData.gemini } } }
}

/** Reads a result. It belongs to the call with its id, otherwise to the first open call with its name, otherwise to a call with a new id. */
function readResult(reading: Reading, part: JsonObject, result: JsonObject): ToolMessage {
  const id = textOr(field(result, 'id'), undefined)
  const name = field(result, 'name')
  const at = reading.pending.findIndex((call) => (id === undefined ? call.name === name : call.id === id))
  const [call] = at < 0 ? [] : reading.pending.splice(at, 1)
  const toolCallId = id ?? call?.id ?? makeId(reading)
  return decodeResult(part, result, toolCallId, (media) => decodePart(camelPart(media), reading.origin))
}

/** Returns a string for a single text block without other fields; returns any other blocks unchanged. */
function contentOf(blocks: readonly ContentBlock[]): Content {
  const [first, second] = blocks
  const isPlain = first?.type === 'text' && second === undefined && Object.keys(first).length === 2
  return isPlain ? first.text : blocks
}

/** @returns the error for an invalid request. `path` is the place in the request, `finding` what is wrong there. */
function invalid(path: string, finding: string): DecodeError {
  return new DecodeError(`Cannot decode Gemini request: "${path}": ${finding}`, { path })
}

// ---- tools --------------------------------------------------------------------------------------

/** Reads one entry of `tools`: its functions, and its other fields as a provider tool. */
function decodeDefinitions(entry: JsonObject): readonly Tool[] {
  const declarations = field(entry, 'functionDeclarations')
  if (!Array.isArray(declarations)) return [{ type: 'provider_tool', format: 'gemini', value: entry }]
  const others = otherFields(entry, new Set(['functionDeclarations']))
  const functions = declarations.filter(isObject).map(decodeDefinition)
  return others === undefined ? functions : [...functions, { type: 'provider_tool', format: 'gemini', value: others }]
}

function decodeDefinition(declaration: JsonObject): ToolDefinition {
  const { parameters: openApi, parametersJsonSchema } = declaration
  const schema = parametersJsonSchema ?? (openApi && fromOpenApi(openApi))
  const description = stringIn(declaration, 'description')
  const known = ['name', ...(description === undefined ? [] : ['description'])]
  const rest = otherFields(declaration, new Set(isObject(schema) ? [...known, 'parametersJsonSchema'] : known))
  return {
    name: stringOr(field(declaration, 'name'), ''),
    ...compact({ description, parameters: isObject(schema) ? schema : undefined, providerData: keptFields(rest) }),
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

// ---- a whole answer -----------------------------------------------------------------------------

/** Encodes an answer of any provider. */
export function encodeResponse(response: ChatResponse, reply: Reply = {}): EncodedResponse<WireResponse> {
  const book = newLosses('Gemini', false)
  const { message } = response
  const raw = response.providerData?.gemini ?? {}
  const { candidates: others, ...rest } = raw
  const first = isBlocked(response) ? [] : [encodeCandidate(message, book)]
  const candidates = [...first, ...keptCandidates(others)]
  const usage = response.usage ?? message.usage
  const body = {
    ...rest,
    ...compact({ candidates: unlessEmpty(candidates), usageMetadata: usage && encodeUsage(usage) }),
    ...encodeHead(message, reply),
  }
  return { body, losses: book.list }
}

/** Returns the model and the id of the answer. Fields that are not known are left out. */
function encodeHead(message: Pick<AssistantMessage, 'response'>, reply: Reply): Partial<WireResponse> {
  return compact({
    modelVersion: reply.model ?? message.response?.model,
    responseId: reply.id ?? message.response?.id,
  })
}

/** Whether the prompt was blocked, so that there is no answer. */
function isBlocked({ message, stopReason, providerData }: ChatResponse): boolean {
  const feedback = field(providerData?.gemini, 'promptFeedback')
  const hasReason = (field(feedback, 'blockReason') ?? field(feedback, 'blockReasonMessage')) !== undefined
  return hasReason && stopReason === 'content_filter' && message.content?.length === 0
}

function keptCandidates(others: Json | undefined): readonly WireCandidate[] {
  return Array.isArray(others) ? (others as WireCandidate[]) : []
}

function encodeCandidate(message: AssistantMessage, book: Losses): WireCandidate {
  const { content: keptContent, ...raw } = message.providerData?.gemini ?? {}
  const pieces = encodePieces(blocksOfTurn(message), serverScope(book))
  const parts = pieces.map(({ part }) => part)
  return {
    ...encodeCitations(pieces.flatMap(citedText), raw),
    ...(parts.length > 0 && { content: { ...(keptContent as object), role: 'model' as const, parts } }),
    ...encodeFinish(message, book),
    index: 0,
  }
}

/** The scope for answers to a client. Its model is empty, so signatures of all models of Gemini are sent: the client returns them. */
function serverScope(book: Losses): Scope {
  return { losses: book, dialect: geminiDialect, model: '' }
}

interface Piece {
  readonly block: ContentBlock
  readonly part: WirePart
}

function citedText({ block }: Piece, part: number): readonly CitedText[] {
  return block.type === 'text' ? [{ part, text: block.text, citations: block.citations ?? [] }] : []
}

function encodePieces(blocks: readonly ContentBlock[], scope: Scope): readonly Piece[] {
  return blocks.flatMap((block, at) => {
    const part = encodeServed(block, scope, `message.content[${at}]`)
    return part === undefined ? [] : [{ block, part }]
  })
}

/** Encodes a block for a client. Ids that isoglot generated for another format are sent too, so that a result can refer to its call. */
function encodeServed(block: ContentBlock, scope: Scope, path: string): WirePart | undefined {
  const lost = (name: string, reason: string) => drop(scope, `${path}.${name}`, reason, 'info')
  reportForeignFields(block, 'gemini', path, scope.losses)
  switch (block.type) {
    case 'citation':
      return drop(scope, path, reasons.citation)
    case 'tool_call_chunk':
    case 'server_tool_call_chunk':
      return drop(scope, path, reasons.chunk)
    case 'unknown':
      return block.format === 'gemini' ? encodeBlock(block, scope, path) : drop(scope, path, reasons.foreignBlock)
    case 'plain_text':
      if (block.title !== undefined) lost('title', reasons.title)
      break
    case 'file':
      if (block.filename !== undefined) lost('filename', reasons.filename)
      break
  }
  const { opaque, ...rest } = block as ContentBlock & Kept
  const isOwn =
    ownProof(opaque, { format: 'gemini', provider: scope.dialect.provider, model: scope.model }) !== undefined
  if (opaque !== undefined && !isOwn) lost('opaque', reasons.foreignProof)
  const sent = isOwn ? block : rest
  if (sent.type !== 'tool_call') return encodeBlock(sent, scope, path)
  const { generatedId: _, ...call } = sent
  return encodeCall(call, scope.dialect)
}

type Finish = Pick<WireCandidate, 'finishReason' | 'finishMessage'>

/**
 * Writes the finish reason. One that was received from Gemini is sent unchanged if it still matches the stop reason. A client would run an
 * invalid call with the arguments `{}`, so a turn with such a call gets its own finish reason and a message instead. A call that the token
 * limit or a filter cut off is left out: the finish reason already explains that.
 */
function encodeFinish(message: AssistantMessage, book: Losses): Finish {
  const invalid = message.invalidToolCalls?.[0]
  const reason = message.stopReason ?? 'stop'
  const isCut = reason === 'length' || reason === 'content_filter'
  if (invalid !== undefined && !isCut) return encodeMalformed(invalid, book)
  if (invalid !== undefined) {
    reportLoss(book, 'dropped', 'message.invalidToolCalls', 'the answer was cut before the call was whole', 'major')
  }
  const raw = message.rawStopReason
  // Other formats have words in this form too. So a word that is not in our table counts only if the answer is from Gemini.
  const { provider = 'gemini' } = message.response ?? {}
  const isOurs =
    raw !== undefined && /^[A-Z][A-Z_]*$/.test(raw) && (provider === 'gemini' || lookup(stopReasons, raw) !== undefined)
  const hasCalls = blocksOfTurn(message).some((block) => block.type === 'tool_call')
  const meaning = settleStopReason(lookup(stopReasons, raw) ?? 'other', hasCalls)
  if (isOurs && meaning === reason) return { finishReason: raw }
  const word = finishReasons[reason]
  if (settleStopReason(lookup(stopReasons, word) ?? 'other', hasCalls) !== reason) {
    reportLoss(book, 'changed', 'stopReason', `Gemini has no word for "${reason}": "${word}" is sent`)
  }
  return { finishReason: word }
}

function encodeMalformed(invalid: InvalidToolCall, book: Losses): Finish {
  reportLoss(
    book,
    'changed',
    'message.invalidToolCalls',
    'Gemini reports a malformed call in the finish reason',
    'minor',
  )
  const call = `${invalid.name ?? ''}(${invalid.argumentsText})`
  return { finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: `Malformed function call: ${call}` }
}

// ---- a stream -----------------------------------------------------------------------------------

// Every chunk has a part. The last one has an empty text, as the server sends it. If a chunk has no part, the chat of Google's client
// removes the whole answer from its history.

/** The state that is kept from one event to the next. */
interface EncoderState {
  readonly reply: Reply
  readonly losses: Losses
  head: Partial<WireResponse>
  /** The number of parts so far, as a client counts them: text chunks that follow each other are one part. */
  parts: number
  /** The type of the last part; `undefined` if text cannot be added to it. */
  last: 'text' | 'thought' | undefined
  /** The index of the part of each text block. */
  readonly textParts: number[]
  isEnded: boolean
}

/** Encodes one answer. The wire has one block at a time, so the events of a block wait while another block is open. */
export function encodeStream(reply: Reply = {}): StreamEncoder {
  const state: EncoderState = {
    reply,
    losses: newLosses('Gemini', false),
    head: encodeHead({}, reply),
    parts: 0,
    last: undefined,
    textParts: [],
    isEnded: false,
  }
  const write = oneAtATime((event, out) => writeEvent(state, event, out))
  return {
    push(event, out) {
      if (state.isEnded) return
      switch (event.type) {
        case 'message_start':
          state.head = encodeHead({ response: event }, state.reply)
          return
        case 'message_end':
          return writeEnd(state, event.message, event.response.providerData?.gemini, out)
        case 'usage': // the last chunk has the usage
        case 'warning':
          return
        default:
          return write(event, out)
      }
    },
    end: (out) => fail(state, cutOff(), out),
    fail: (error, out) => fail(state, error, out),
    losses: state.losses.list,
  }
}

function fail(state: EncoderState, error: ApiError, out: Frame[]): void {
  if (state.isEnded) return
  state.isEnded = true
  out.push({ data: JSON.stringify(encodeError(error).body) })
}

// ---- blocks -------------------------------------------------------------------------------------

function writeEvent(state: EncoderState, event: BlockEvent, out: Frame[]): void {
  switch (event.type) {
    case 'text_delta':
      writePart(state, { text: event.text }, 'text', out)
      break
    case 'reasoning_delta':
      writePart(state, { text: event.text, thought: true }, 'thought', out)
      break
    case 'tool_call':
      writeBlock(state, event.call, `message.content[${event.index}]`, out)
      break
    case 'content_block':
      writeBlock(state, event.block, `message.content[${event.index}]`, out)
      break
    case 'invalid_tool_call': // the finish reason reports it
    case 'tool_call_chunk': // a call is sent whole, at its end
  }
}

/**
 * Writes a block at its end. Text and thoughts have been streamed already, so only their proof is written: on an
 * empty part, as the server does.
 */
function writeBlock(state: EncoderState, block: ContentBlock, path: string, out: Frame[]): void {
  if (block.type !== 'text' && block.type !== 'reasoning') {
    const part = encodeServed(block, serverScope(state.losses), path)
    if (part !== undefined) writePart(state, part, undefined, out)
    return
  }
  if (block.type === 'text') state.textParts.push(Math.max(0, state.parts - 1))
  const proof = encodeServed({ ...block, text: '' }, serverScope(state.losses), path)
  if (proof !== undefined) writePart(state, proof, undefined, out)
}

function writePart(state: EncoderState, part: WirePart, kind: EncoderState['last'], out: Frame[]): void {
  if (kind === undefined || kind !== state.last) state.parts++
  state.last = kind
  writeChunk(state, { content: { role: 'model', parts: [part] }, index: 0 }, {}, out)
}

function writeEnd(state: EncoderState, message: AssistantMessage, rest: WireResponse | undefined, out: Frame[]): void {
  state.isEnded = true
  const { content: _, ...raw } = message.providerData?.gemini ?? {}
  const candidate = {
    ...encodeCitations(citedTexts(state, message), raw),
    content: { role: 'model', parts: [{ text: '' }] },
    ...encodeFinish(message, state.losses),
    index: 0,
  } as WireCandidate
  const { candidates: others = [], ...fields } = rest ?? {}
  const usage = message.usage && { usageMetadata: encodeUsage(message.usage) }
  writeChunk(state, candidate, { ...fields, ...usage }, out, others)
}

function citedTexts({ textParts }: EncoderState, { content }: AssistantMessage): readonly CitedText[] {
  const texts = blocksOf(content).filter((block) => block.type === 'text')
  return texts.map(({ text, citations = [] }, at) => ({ part: textParts[at] ?? 0, text, citations }))
}

function writeChunk(
  state: EncoderState,
  candidate: WireCandidate,
  fields: Partial<WireResponse>,
  out: Frame[],
  others: readonly WireCandidate[] = [],
): void {
  const chunk: WireResponse = { ...fields, candidates: [candidate, ...others], ...state.head }
  out.push({ data: JSON.stringify(chunk) })
}

// ---- citations ----------------------------------------------------------------------------------

/** A text block of an answer that is being encoded. */
interface CitedText {
  /** The index of its part. Text blocks that follow each other may share one part. */
  readonly part: number
  readonly text: string
  readonly citations: readonly CitationBlock[]
}

/**
 * Writes the fields of a candidate that hold citations. If `raw` still decodes to the same citations, it is returned unchanged. Otherwise the
 * citations replace its grounding and citation metadata.
 */
function encodeCitations(texts: readonly CitedText[], raw: JsonObject): JsonObject {
  const tracks = texts.map((cited, at) => {
    const track = newTrack(cited.part, -bytesBefore(texts, at))
    follow(track, cited.text)
    return track
  })
  const now = texts.map(({ citations }) => citations)
  if (isUnchanged(raw, (kept) => readCitations(kept, tracks), now)) return raw
  const { citationMetadata: _recited, groundingMetadata, ...rest } = raw
  const { groundingChunks: _chunks, groundingSupports: _supports, ...facts } = (groundingMetadata ?? {}) as JsonObject
  const grounding = { ...facts, ...(encodeGrounding(texts) as JsonObject | undefined) }
  return Object.keys(grounding).length > 0 ? { ...rest, groundingMetadata: grounding } : rest
}

/** The number of UTF-8 bytes in the texts before this one that share its part. */
function bytesBefore(texts: readonly CitedText[], at: number): number {
  let bytes = 0
  for (let one = at - 1; one >= 0 && texts[one]?.part === texts[at]?.part; one--)
    bytes += byteLength(texts[one]?.text ?? '')
  return bytes
}

/** Writes each source once, and one support for each citation. Returns `undefined` if there are no citations. */
function encodeGrounding(texts: readonly CitedText[]): WireGroundingMetadata | undefined {
  const sources = new Map<string, { readonly index: number; readonly uri?: string; readonly title?: string }>()
  const supports = texts.flatMap(({ part, text, citations }, at) => {
    const before = citations.length > 0 ? bytesBefore(texts, at) : 0
    return citations.map((citation) => {
      const name = JSON.stringify([citation.url, citation.title])
      const source = sources.get(name) ?? {
        index: sources.size,
        ...compact({ uri: citation.url, title: citation.title }),
      }
      sources.set(name, source)
      return { segment: encodeSegment(part, before, text, citation), groundingChunkIndices: [source.index] }
    })
  })
  if (supports.length === 0) return undefined
  const groundingChunks = [...sources.values()].map(({ index: _, ...web }) => ({ web }))
  return { groundingChunks, groundingSupports: supports }
}

function encodeSegment(
  part: number,
  before: number,
  text: string,
  { startIndex = 0, endIndex, text: quoted }: CitationBlock,
): WireSegment {
  const byteAt = (unit: number) => before + byteLength(text.slice(0, unit))
  const start = endIndex === undefined ? 0 : byteAt(startIndex)
  return compact({
    partIndex: part > 0 ? part : undefined,
    startIndex: start > 0 ? start : undefined,
    endIndex: endIndex === undefined ? undefined : byteAt(endIndex),
    text: quoted ?? (endIndex === undefined ? undefined : text.slice(startIndex, endIndex)),
  })
}

// ---- usage --------------------------------------------------------------------------------------

/** Splits the sums into the counts of the wire. A count of 0 is left out, as the server does, unless it was received. */
function encodeUsage(usage: Usage): WireUsage {
  const raw = usage.providerData?.gemini ?? {}
  const part = (name: keyof WireUsage) => numberOr(field(raw, name), 0)
  const { inputTokens, outputTokens, reasoningTokens, cacheReadTokens } = usage
  const counts = {
    promptTokenCount:
      inputTokens === undefined ? undefined : Math.max(0, inputTokens - part('toolUsePromptTokenCount')),
    candidatesTokenCount: outputTokens === undefined ? undefined : Math.max(0, outputTokens - (reasoningTokens ?? 0)),
    thoughtsTokenCount: reasoningTokens,
    cachedContentTokenCount: cacheReadTokens,
    totalTokenCount: usage.totalTokens ?? sum(inputTokens, outputTokens),
  }
  const kept = Object.entries(counts).filter(([name, count]) => count !== undefined && (count !== 0 || name in raw))
  return { ...raw, ...Object.fromEntries(kept) }
}

function sum(input: number | undefined, output: number | undefined): number | undefined {
  return input === undefined || output === undefined ? undefined : input + output
}

// ---- errors -------------------------------------------------------------------------------------

const retryInfo = 'type.googleapis.com/google.rpc.RetryInfo'

const tooLong = 'input token count exceeds the maximum number of tokens'

/** Encodes an error of any provider in this format. */
export function encodeError(error: ApiError): { readonly status: number; readonly body: WireError } {
  const [code, status] = errorStatuses[error.kind]
  const wait = error.retryAfterMs
  const details = wait === undefined ? {} : { details: [{ '@type': retryInfo, retryDelay: `${wait / 1000}s` }] }
  return { status: code, body: { error: { code, message: messageWith(tooLong, error), status, ...details } } }
}

// ---- proofs -------------------------------------------------------------------------------------

/** `thoughtSignature`, which any part can have, including calls. It must be base64, and a proof envelope is base64. */
export const proofField: ProofField = {
  format: 'gemini',
  owners: ['gemini'],
  onCalls: true,
  write: (thoughtSignature) => ({ thoughtSignature }),
  read: ({ thoughtSignature }) => [textOr(thoughtSignature, '')],
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
    const camel = isSnake(name) ? name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) : name
    if (camel !== name && Object.hasOwn(object, camel)) continue
    setOwn(renamed, camel, object[name] as Json)
  }
  return renamed
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
