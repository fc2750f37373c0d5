/**
 * Ollama: reads and writes messages.
 *
 * @see https://docs.ollama.com/api/chat
 *
 * @module
 */
import { blocksOf, blocksOfTurn } from '../../core/content.ts'
import { arrayOf, compact, field, findLastIndex, otherFields, textOr, unlessEmpty } from '../../core/lookup.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  Context,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  ProviderData,
  ToolCall,
  ToolMessage,
  ToolResultBlock,
  UserMessage,
} from '../../core/model.ts'
import { nextNumber } from '../../kit/ids.ts'
import { type Losses, reportLoss } from '../../kit/losses.ts'
import * as lackReasons from '../../kit/reasons.ts'
import { unmark } from '../../kit/tool-error.ts'
import { decodeImages, encodeBlocks, keptFields, listAt, objectAt, stringAt } from './content.ts'
import { format, idPrefix } from './tables.ts'
import { encodeCalls, encodeResultFor, readCallFragment, readWholeCall } from './tools.ts'
import type { WireMessage } from './wire.ts'

// ---- encode -----------------------------------------------------------------------------------

/** Writes the messages of a request. The system text is the first message. */
export function encodeMessages({ system, messages }: Context, losses: Losses): WireMessage[] {
  const calls = callsOf(messages)
  const encoded = messages.flatMap((message, at) => encodeMessage(message, calls, `messages[${at}]`, losses))
  if (system !== undefined) encoded.unshift({ role: 'system', ...encodeContent(system, 'system', losses) })
  return encoded
}

function encodeMessage(message: Message, calls: Calls, path: string, losses: Losses): WireMessage[] {
  switch (message.role) {
    case 'assistant':
      return encodeTurn(message, path, losses)
    case 'tool':
      return [encodeResultFor(calls.get(message.toolCallId), message, path, losses)]
    case 'user':
      return encodeUser(message, calls, path, losses)
    case 'system':
    case 'developer': // written as `system`: Ollama does not have this role, and a template would drop the message
      return [{ ...keptFields(message), role: 'system', ...encodeContent(message.content, `${path}.content`, losses) }]
  }
}

type Calls = ReadonlyMap<string, ToolCall | InvalidToolCall>

/** Returns all calls by id. A result is written with the name of its tool, which only the call has. */
function callsOf(messages: readonly Message[]): Calls {
  const calls = new Map<string, ToolCall | InvalidToolCall>()
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    for (const block of blocksOfTurn(message)) if (block.type === 'tool_call') calls.set(block.id, block)
    for (const call of message.invalidToolCalls ?? []) if (call.id !== undefined) calls.set(call.id, call)
  }
  return calls
}

function encodeContent(
  content: Content,
  path: string,
  losses: Losses,
  apart?: 'tool_result',
): { content: string; images?: string[] } {
  const { text, thinking, images } = encodeBlocks(blocksOf(content), path, '\n', losses, apart)
  if (thinking !== '') reportLoss(losses, 'dropped', path, 'only an assistant thinks')
  return compact({ content: text, images: unlessEmpty(images) })
}

/** Writes a user's message. Tool results inside it become separate messages before it. */
function encodeUser(message: UserMessage, calls: Calls, path: string, losses: Losses): WireMessage[] {
  const blocks = blocksOf(message.content)
  const results = blocks.filter((block): block is ToolResultBlock => block.type === 'tool_result')
  const encoded = results.map((result) => {
    const where = `${path}.content[${blocks.indexOf(result)}]`
    return encodeResultFor(calls.get(result.toolCallId), toMessage(result), where, losses)
  })
  if (results.length > 0 && results.length === blocks.length) return encoded
  const { role: keptRole, ...kept } = keptFields(message)
  const role = textOr(keptRole, 'user')
  return [...encoded, { ...kept, role, ...encodeContent(message.content, `${path}.content`, losses, 'tool_result') }]
}

function toMessage({ toolCallId, name, content, isError, providerData }: ToolResultBlock): ToolMessage {
  const status = isError ? ('error' as const) : undefined
  return { role: 'tool', toolCallId, content, ...compact({ name, status, providerData }) }
}

/** Writes an assistant's turn. It is omitted if nothing in it can be sent, such as when it has only another provider's tools. */
function encodeTurn(message: AssistantMessage, path: string, losses: Losses): WireMessage[] {
  const encoded = encodeAssistant(message, path, losses)
  const isOnlyText = blocksOf(message.content).every((block) => block.type === 'text')
  const isBlank = Object.entries(encoded).every(([key, value]) => key === 'role' || value === '')
  if (isOnlyText || !isBlank) return [encoded]
  reportLoss(losses, 'dropped', path, lackReasons.nothing)
  return []
}

function encodeAssistant(message: AssistantMessage, path: string, losses: Losses): WireMessage {
  const { text, thinking, images } = encodeBlocks(blocksOfTurn(message), `${path}.content`, '', losses, 'tool_call')
  const calls = encodeCalls(message, path, losses)
  return {
    ...keptFields(message),
    role: 'assistant',
    content: text, // empty if the turn has only calls
    ...compact({
      thinking: textOr(thinking, undefined),
      images: unlessEmpty(images),
      tool_calls: unlessEmpty(calls),
    }),
  }
}

// ---- decode -----------------------------------------------------------------------------------

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
export function decodeMessages(entries: readonly Json[]): Message[] {
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
const pictured: ReadonlySet<string> = new Set([...plain, 'images'])

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
