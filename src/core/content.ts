/**
 * The content of messages: blocks, calls and their arguments, proofs, kept fields, and checks at run time.
 *
 * @module
 */

import type { Fragment } from './codec.ts'
import { compact, field, isDeeperThan, isNestedDeeper, isObject, lookup, objectIn, unlessEmpty } from './json.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  ContextTool,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  Opaque,
  ProviderData,
  Role,
  StopReason,
  ToolCall,
} from './messages.ts'

/** The content as blocks. An empty string has no blocks. */
export function blocksOf(content: Content | null): readonly ContentBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return content ?? []
}

/**
 * The text of a message or of content: its `text` and `plain_text` blocks, joined without separators. Reasoning is left out.
 *
 * @throws {TypeError} for a message or blocks in the form of another library: `normalizeMessages` reads those.
 */
export function textOf(content: Content | null | Message): string {
  const message = isObject(content) ? content : { role: 'assistant', content: content ?? null }
  checkMessage(message)
  let text = ''
  for (const block of blocksOf(message.content)) {
    if (block.type === 'text' || block.type === 'plain_text') text += block.text
  }
  return text
}

/**
 * The calls of a message, in order, from its content and its `toolCalls` field; each id once.
 *
 * @throws {TypeError} for a message in the form of another library: `normalizeMessages` reads those.
 */
export function toolCallsOf(message: Message): readonly ToolCall[] {
  const blocks = blocksOfTurn(message as AssistantMessage)
  return message.role === 'assistant' ? blocks.filter((block) => block.type === 'tool_call') : []
}

/** All calls of a turn, valid or not, in the model's order. */
export function callsOf(message: AssistantMessage): readonly AnyCall[] {
  return [...toolCallsOf(message), ...(message.invalidToolCalls ?? [])].sort((a, b) => a.index - b.index)
}

export function isCall(call: AnyCall): call is ToolCall {
  return call.type === 'tool_call'
}

/**
 * The blocks of an assistant's turn, followed by the calls that stand only in its `toolCalls` field.
 *
 * @throws {TypeError} for a message in the form of another library: `normalizeMessages` reads those.
 */
export function blocksOfTurn(message: AssistantMessage): readonly ContentBlock[] {
  checkMessage(message)
  const { content, toolCalls = [] } = message
  const blocks = blocksOf(content)
  const inContent = new Set(blocks.map((block) => (block.type === 'tool_call' ? block.id : '')))
  const others = toolCalls.filter(({ id }) => !inContent.has(id))
  return others.length > 0 ? [...blocks, ...others] : blocks
}

/** Whether a message has the result of a call. */
export function hasResult(message: Message | undefined): boolean {
  return message?.role === 'tool' || blocksOf(message?.content ?? []).some(({ type }) => type === 'tool_result')
}

/** Whether an answer that claims to be complete has no text and no call. */
export function isEmptyAnswer(message: AssistantMessage): boolean {
  const isSaid = (block: ContentBlock) =>
    block.type === 'text' ? block.text.trim() !== '' : block.type !== 'reasoning'
  const { stopReason } = message
  if (stopReason !== 'stop' && stopReason !== 'other') return false
  return callsOf(message).length === 0 && !blocksOf(message.content).some(isSaid)
}

/** Whether a block counts for the place of own data. An empty text may stand for a block that the page may not see. */
export function isPart(block: ContentBlock): boolean {
  return block.type !== 'text' || block.text !== ''
}

/** The ids in a conversation: those of calls, invalid calls and results, and of messages and blocks that have one of their own. */
export function callIdsOf(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) => {
    const { content, toolCalls = [], invalidToolCalls = [] } = message as AssistantMessage
    const named: readonly Named[] = [message, ...blocksOf(content), ...toolCalls, ...invalidToolCalls]
    return named.flatMap(({ id, toolCallId = id }) => toolCallId ?? [])
  })
}

interface Named {
  readonly id?: string
  readonly toolCallId?: string
}

const improperEnds: ReadonlySet<StopReason> = new Set(['interrupted', 'error', 'aborted', 'length', 'content_filter'])

/**
 * Whether the calls of a message may run. They may if the message is complete. An answer that failed, was cut off, cancelled or filtered,
 * or reached its length limit, may have unfinished calls. A message without `stopReason` was written by hand, so its calls may run.
 *
 * @throws {TypeError} for a message in the form of another library: `normalizeMessages` reads those.
 */
export function canRunTools(message: AssistantMessage): boolean {
  checkMessage(message)
  return message.stopReason === undefined || !improperEnds.has(message.stopReason)
}

/**
 * Whether an answer paused, so that the provider goes on with it when it gets it back. A message of a client does not say why it stopped: then it
 * paused if it ends with a call that a provider of this format runs.
 */
export function isPaused(message: Message, format: string): boolean {
  if (message.role !== 'assistant') return false
  const { content, stopReason } = message
  const last = blocksOf(content).at(-1)
  const isOpen = last?.type === 'server_tool_call' && last.providerData?.[format] !== undefined
  return stopReason === 'pause' || (stopReason === undefined && isOpen)
}

// ---- checks -------------------------------------------------------------------------------------

// TypeScript checks literals; JSON input and JavaScript need this check at run time, because a message in the form of another library looks
// like one of ours and has its calls in fields that nothing here reads.

const roles: readonly unknown[] = ['system', 'developer', 'user', 'assistant', 'tool']

/**
 * Fields of messages of OpenAI, Anthropic, Gemini, Ollama, LangChain and the AI SDK that `normalizeMessages` converts. Hosts have several
 * fields that begin with `reasoning`; ours have none.
 */
const foreignInMessage =
  /^(?:reasoning|tool_|call_|function_call|invalid_tool|stop_reason|cache_|additional_kwargs|(?:usage|response)_metadata|(?:toolInvocations|parts|images|thinking|refusal|artifact)$)/
/** The same of their blocks: names with a `_`, since ours have none, and these. */
const foreignInBlock =
  /[a-z]_|^(?:reasoning|source|image|file$|base64|mediaType|toolName|input|args|function|annotations|summary|thinking|signature|thoughtSignature|extras|providerOptions)/

/** The required fields of each type of block. Other types are not ours. */
const requiredFields: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  plain_text: ['text'],
  reasoning: ['text'],
  image: [],
  audio: [],
  video: [],
  file: [],
  citation: [],
  tool_result: ['toolCallId', 'content'],
  tool_call: ['id', 'name', 'arguments', 'argumentsText'],
  tool_call_chunk: [],
  server_tool_call: ['name', 'arguments'],
  server_tool_call_chunk: [],
  server_tool_result: [],
  unknown: ['format'],
}

/**
 * Checks that these are our messages, their blocks included.
 *
 * @param place where they stand, for the error
 * @throws {TypeError} that says which one is not, why, and that `normalizeMessages` reads what others wrote.
 */
export function checkMessages(messages: readonly Message[], place = 'messages'): void {
  readEach(messages, place, checkMessage)
}

/** Reads each element of a list, with its place. @throws {TypeError} if it is not a list. */
export function readEach<T, Result>(
  list: readonly T[],
  place: string,
  read: (one: T, place: string) => Result,
): Result[] {
  if (!Array.isArray(list)) throw new TypeError(`Cannot read "${place}": it is not a list`)
  return list.map((one, at) => read(one, `${place}[${at}]`))
}

/** The same for one message. @throws {TypeError} if it is not one of ours. */
export function checkMessage(message: unknown, place = 'message'): asserts message is Message {
  const finding = findingIn(message)
  if (finding === undefined) return
  throw new TypeError(`Cannot read "${place}": ${finding}; normalizeMessages of isoglot/import reads other forms`)
}

/** Whether it is the name of a role. */
export function isRole(name: unknown): name is Role {
  return roles.includes(name)
}

/** Why a value is not one of our messages; `undefined` if it is one. */
export function findingIn(message: unknown): string | undefined {
  if (!isObject(message))
    return `it is ${Array.isArray(message) ? 'a list, which only "messages" takes' : 'not a message'}`
  const { role, content } = message
  if (!isRole(role)) return `the role ${JSON.stringify(role)} is not known`
  if (role === 'tool' && !isText(message.toolCallId)) return '"toolCallId" is missing'
  const foreign = foreignFieldIn(message, foreignInMessage)
  if (foreign !== undefined) return `"${foreign}" is not a field of our messages`
  if (content === null && role === 'assistant') return undefined
  return isContent(content) ? findingInBlocks(content) : '"content" is neither text nor a list of blocks'
}

/** Why content is not ours; `undefined` if it is. */
function findingInBlocks(content: unknown, depth = 0): string | undefined {
  if (!Array.isArray(content)) return undefined
  if (depth > 64) return 'results are nested deeper than 64 levels'
  for (const block of content) {
    const type = field(block, 'type')
    if (!isText(type)) return 'a block in it has no type'
    const needed = lookup(requiredFields, type)
    if (needed === undefined) return `"${type}" is not a type of our blocks`
    const foreign = foreignFieldIn(block, foreignInBlock)
    if (foreign !== undefined) return `"${foreign}" is not a field of our blocks (in a block of type "${type}")`
    for (const key of needed) {
      const fits = key === 'content' ? isContent : key === 'arguments' ? isObject : isText
      if (!fits(block[key])) return `"${key}" of a block of type "${type}" is ${key in block ? 'wrong' : 'missing'}`
    }
    const data = block.data ?? ''
    if (!isText(data) || data.startsWith('data:')) return `"data" of a block of type "${type}" is not base64`
    const inside = findingInBlocks(type === 'tool_result' ? block.content : block.citations, depth + 1)
    if (inside !== undefined) return inside
  }
  return undefined
}

/**
 * Checks that these are tools: with JSON Schemas, because the fields of a schema library's object are not for a provider, and with the
 * code that runs them if they are to run here.
 *
 * @throws {TypeError} that says which one is not, and that `tool()` makes one.
 */
export function checkTools(tools: readonly ContextTool[]): void {
  readEach(tools, 'tools', (tool, place) => {
    const finding = findingInTool(tool)
    if (finding === undefined) return
    throw new TypeError(`Cannot offer "${place}": ${finding}; make it with tool({ name, parameters })`)
  })
}

function findingInTool(tool: unknown): string | undefined {
  if (!isObject(tool)) return 'it is not a tool'
  const { type, name, parameters, terminal, run } = tool as Record<string, unknown>
  if (type === 'provider_tool' && 'value' in tool) return undefined
  if (!isText(name)) return '"name" is missing'
  const isForeign = 'inputSchema' in tool || 'input_schema' in tool || isLibrarySchema(parameters)
  if (isForeign) return 'its schema is not a JSON Schema in "parameters"'
  const isNotMade = ('execute' in tool || terminal === true) && typeof run !== 'function'
  return isNotMade ? 'it was not made by tool(), so it has no code that runs it' : undefined
}

/** Whether it is a schema of a library, and no JSON Schema, which has no functions. Old versions of zod have no `~standard`. */
export function isLibrarySchema(value: unknown): boolean {
  const { _def, parse, validate } = Object(value)
  return '~standard' in Object(value) || typeof (parse ?? validate) === 'function' || typeof _def?.typeName === 'string'
}

/** The first foreign field with a value. A cache hint in snake case is in `metadata`. */
function foreignFieldIn(value: Record<string, unknown>, foreign: RegExp): string | undefined {
  for (const key in value) if (foreign.test(key) && !isNothing(value[key])) return key
  return isNothing(field(value.metadata, 'cache_hint')) ? undefined : 'metadata.cache_hint'
}

/** Libraries write such values for absent fields. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isContent(value: unknown): boolean {
  return isText(value) || Array.isArray(value)
}

// ---- calls --------------------------------------------------------------------------------------

// The parts of a call make the call, or an invalid call with the reason.

/** Arguments nested deeper than this are refused, because code that walks them could overflow its stack. */
export const maxArgumentsDepth = 64

/** A call of a turn: one that can run, or one that cannot. */
export type AnyCall = ToolCall | InvalidToolCall

/** The parts of a call. */
interface CallParts {
  readonly id: string
  readonly generatedId?: boolean | undefined
  readonly name: string | undefined
  /** Empty text means no arguments; `undefined` means that they are nested too deep to be written. */
  readonly argumentsText: string | undefined
  /** The parsed text, where it is known. */
  readonly value?: JsonObject | undefined
  readonly index: number
  readonly opaque?: Opaque | undefined
  readonly providerData?: ProviderData | undefined
}

/** Makes a call from its parts. It repairs nothing: if the text is not a JSON object, the call is invalid. */
export function readCall({ value, generatedId, ...parts }: CallParts): AnyCall {
  const { name, argumentsText } = parts
  if (!name) return invalidCall(parts, 'missing_name', 'The call names no tool')
  if (argumentsText === undefined) return invalidCall(parts, tooDeep.reason, tooDeep.error)
  const parsed = value ? { value } : parseArguments(argumentsText)
  if ('reason' in parsed) return invalidCall(parts, parsed.reason, parsed.error)
  return compact({
    type: 'tool_call',
    ...parts,
    name,
    arguments: parsed.value,
    argumentsText: isNoArguments(argumentsText) ? '' : argumentsText,
    complete: true,
    generatedId: generatedId || undefined,
  })
}

export function invalidCall(
  { value: _, generatedId: __, name, argumentsText = '', ...parts }: CallParts,
  reason: InvalidToolCall['reason'],
  error: string,
): InvalidToolCall {
  return compact({ type: 'invalid_tool_call', ...parts, name: name || undefined, argumentsText, reason, error })
}

type ParsedArguments = { readonly value: JsonObject } | Pick<InvalidToolCall, 'reason' | 'error'>

const tooDeep = {
  reason: 'too_deep',
  error: `The arguments are nested deeper than ${maxArgumentsDepth} levels`,
} as const

/** Whether a text means that there are no arguments: it is blank, or JSON `null`, which Groq sends for tools without parameters. */
export function isNoArguments(text: string): boolean {
  return /^\s*(?:null\s*)?$/.test(text)
}

/** Reads the text of arguments. */
export function parseArguments(text: string): ParsedArguments {
  return isNoArguments(text) ? { value: {} } : parseObject(text)
}

/** Reads the text of a JSON object. */
export function parseObject(text: string): ParsedArguments {
  if (text.length > maxArgumentsDepth && isDeeperThan(maxArgumentsDepth, text)) return tooDeep
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Engines word parse errors differently. The model receives the same text everywhere.
    return { reason: 'malformed_json', error: 'The arguments are not JSON' }
  }
  return isObject(value) ? { value } : { reason: 'not_an_object', error: 'The arguments are JSON, but not an object' }
}

/**
 * The original text of a call's arguments, or a new text if the arguments were changed. Never empty.
 *
 * @param isRaw Whether to return text that is not a JSON object, as in an invalid call that `prepare` made sendable. Otherwise `{}`.
 */
export function exactArguments(
  { argumentsText, arguments: value = {} }: Pick<AnyCall, 'argumentsText'> & { readonly arguments?: JsonObject },
  isRaw = false,
): string {
  const read = parseArguments(argumentsText)
  const text = JSON.stringify(value)
  const isSame = 'value' in read ? JSON.stringify(read.value) === text : isRaw && text === '{}'
  return isSame && !isNoArguments(argumentsText) ? argumentsText : text
}

/** The text of arguments that a format sends as an object; `undefined` if they are nested too deep. */
export function textOfArguments(value: JsonObject): string | undefined {
  return isNestedDeeper(maxArgumentsDepth, value) ? undefined : JSON.stringify(value)
}

/** The random part of a call's `approvalId`, if it has one. */
export function randomPartOf({ approvalId }: { readonly approvalId?: unknown }): string | undefined {
  return typeof approvalId === 'string' ? approvalId.split('.')[0] || undefined : undefined
}

// ---- stop reasons -------------------------------------------------------------------------------

/** All reasons, for checks of input. */
export const stopReasons: readonly [StopReason, ...StopReason[]] = [
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'refusal',
  'pause',
  'other',
  'interrupted',
  'error',
  'aborted',
  'max_rounds',
]

/**
 * Many hosts send `stop` with calls, or `tool_calls` without calls. The calls decide. A reason that means that calls may be incomplete
 * stays.
 */
export function settleStopReason(reason: StopReason, hasCalls: boolean): StopReason {
  if (hasCalls) return reason === 'stop' || reason === 'other' ? 'tool_calls' : reason
  return reason === 'tool_calls' ? 'other' : reason
}

// ---- proofs ----------------------------------------------------------------------------------------

// Only the provider that made a proof gets it back.

/**
 * The data of a proof, if it may be sent to this format, provider and model; otherwise `undefined`. A target with an empty (unknown) model
 * takes the proofs of all models of its provider. A proof with an empty (unknown) provider is for the one that is asked.
 */
export function ownProof(
  opaque: Opaque | undefined,
  target: { readonly format: string; readonly provider: string; readonly model: string },
): JsonObject | undefined {
  if (opaque?.format !== target.format) return undefined
  const { provider, model, data } = opaque
  if (provider !== target.provider && provider !== '') return undefined
  const isUnknown = model === '' || target.model === ''
  const isSame = isUnknown || modelFamily(model) === modelFamily(target.model)
  return isSame || isAliasOf(target.model, model) || isAliasOf(model, target.model) ? data : undefined
}

/** `gemini-flash-latest` stands for `gemini-3.6-flash`, which is what its answers name: an alias leaves the generation out. */
function isAliasOf(alias: string, model: string): boolean {
  const words = modelFamily(model).split('-')
  const isPart = (word: string) => words.includes(word)
  return /-latest$/i.test(alias) && modelFamily(alias).split('-').every(isPart)
}

/** A model's name without the vendor before it and the date, version tag or alias after it. */
export function modelFamily(model: string): string {
  const name = model.toLowerCase().slice(model.lastIndexOf('/') + 1)
  if (name.length > 200) return name // the pattern takes time in the square of the length, and servers name models
  return name.replace(/(?:[-@:](?:\d{4}-?\d{2}-?\d{2}|\d{3,4}|latest|preview))+$/, '')
}

/**
 * The message, with the requested model's name in its proofs. Deployments and aliases answer under another name (`my-deployment` as
 * `gpt-5`), and so does a model that is asked because another one declined. The next request compares the requested name.
 */
export function withAskedModel(message: AssistantMessage, asked: string): AssistantMessage {
  const { content, response } = message
  const answered = response?.model
  if (answered === undefined || typeof content === 'string' || content === null) return message
  if (modelFamily(answered) === modelFamily(asked)) return message
  const rename = (block: ContentBlock): ContentBlock =>
    'opaque' in block && block.opaque ? { ...block, opaque: { ...block.opaque, model: asked } } : block
  return { ...message, content: content.map(rename) }
}

// ---- kept fields --------------------------------------------------------------------------------

// A decoder keeps fields that isoglot has no word for in `providerData` under the name of its format, and the encoder of the same format
// sends them back.

/** The fields that a message, a block, a tool or a usage keeps for this format. An encoder writes them first, and its own fields replace them. */
export function unknownFieldsOf(
  thing: { readonly providerData?: ProviderData | undefined },
  format: string,
): JsonObject {
  return objectIn(thing.providerData, format)
}

/** Keeps fields for this format: the field `providerData` of a block or message, or none if there are none to keep. */
export function keepUnknown(fields: JsonObject | undefined, format: string): { readonly providerData?: ProviderData } {
  return fields && unlessEmpty(fields) ? { providerData: { [format]: fields } } : {}
}

/** Keeps fields with the message or with the response that a decoder reads, if there are any. */
export function keepUnknownOn(
  on: 'message' | 'response',
  fields: JsonObject | undefined,
  format: string,
  out: Fragment[],
): void {
  if (fields && unlessEmpty(fields)) out.push({ type: 'extra', on, providerData: { [format]: fields } })
}

/** A value that came in this format, to send it unchanged. TypeScript does not check its type. */
export function asWire<T>(value: Json | object): T {
  return value as T
}

/** The text of the error result that is sent for a call without a result. */
export const noResult = 'No result is available for this call; do not assume that it ran'
