/**
 * Gemini: turns of a conversation, both ways. Roles are `user` and `model` alone, and results are a user's.
 *
 * @see https://ai.google.dev/api/caching#Content (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures (read 2026-11)
 * @module
 */
import { blocksOf, blocksOfTurn } from '../../content.ts'
import { DecodeError } from '../../errors.ts'
import { compact, field, isObject, otherFields, textOr } from '../../lookup.ts'
import { lose } from '../../losses.ts'
import type {
  AssistantMessage,
  Content,
  ContentBlock,
  Context,
  InvalidToolCall,
  Json,
  JsonObject,
  Message,
  ToolMessage,
  ToolResultBlock,
} from '../../model.ts'
import { readCall, textOfArguments } from '../../tool-call.ts'
import { decodePart, encodeBlock, isEmptyPart, keptFields, type Origin, type Scope } from './content.ts'
import { camelNames, camelPart, listOf } from './names.ts'
import { isGemini3, knownFields, unsignedCall } from './tables.ts'
import { decodeResult, encodeCall, encodeResultPart, isMadeId, readCallPart } from './tools.ts'
import type { WireContent, WirePart } from './wire.ts'

// ---- encode -----------------------------------------------------------------------------------

/** One content on its way; neighbours of a kind become one. Results stand alone: beside other parts they may be misread. */
interface Turn {
  readonly kind: 'user' | 'model' | 'results'
  readonly parts: WirePart[]
  fields: JsonObject
}

/** The turns, in the order of the messages, system messages left out. */
export function encodeContents(context: Context, scope: Scope): readonly WireContent[] {
  const turns: Turn[] = []
  const calls = callsOf(context.messages)
  const messages = withoutPaused(context)
  for (const [at, message] of messages.entries())
    encodeMessage(message, { turns, calls, scope, path: `messages[${at}]` })
  signFirstCalls(turns, scope)
  return turns.map(({ kind, parts, fields }) => ({ ...fields, role: kind === 'model' ? 'model' : 'user', parts }))
}

/** A paused answer goes on if the same request is sent with its token: the pause itself is no turn. */
function withoutPaused({ messages, providerState }: Context): readonly Message[] {
  const last = messages.at(-1)
  const isPaused = last?.role === 'assistant' && last.stopReason === 'pause'
  return isPaused && typeof providerState?.continuationToken === 'string' ? messages.slice(0, -1) : messages
}

interface Known {
  readonly name: string
  readonly isMade: boolean
}

/** What the results need of their calls. */
function callsOf(messages: readonly Message[]): ReadonlyMap<string, Known> {
  const calls = new Map<string, Known>()
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    for (const block of blocksOfTurn(message)) {
      if (block.type === 'tool_call')
        calls.set(block.id, { name: block.name, isMade: isMadeId(block.id, block.generatedId) })
    }
  }
  return calls
}

interface Place {
  readonly turns: Turn[]
  readonly calls: ReadonlyMap<string, Known>
  readonly scope: Scope
  /** Of the message. */
  readonly path: string
}

function encodeMessage(message: Message, place: Place): void {
  const fields = (field(message.providerData?.gemini, 'content') ?? {}) as JsonObject
  const path = `${place.path}.content`
  switch (message.role) {
    case 'system':
      break
    case 'developer':
      encodeDeveloper(message.content, fields, place)
      break
    case 'user':
      noteName(message.name, place)
      encodeUser(message.content, fields, place)
      break
    case 'assistant':
      noteName(message.name, place)
      add(place.turns, 'model', encodeTurn(message, place.scope, path), fields)
      break
    case 'tool':
      addResult(place, message, { toolCallId: message.toolCallId, isError: message.status === 'error' }, fields)
      break
  }
}

function noteName(name: string | undefined, { scope, path }: Place): void {
  if (name !== undefined) lose(scope.ledger, 'dropped', `${path}.name`, 'Gemini has no names of participants', 'info')
}

function encodeDeveloper(content: Content, fields: JsonObject, place: Place): void {
  if (place.scope.dialect.developer === 'system') return
  lose(place.scope.ledger, 'changed', place.path, 'Gemini has no role for developers: a user says it')
  encodeUser(content, fields, place)
}

/** Results first, then what the user says. */
function encodeUser(content: Content, fields: JsonObject, place: Place): void {
  const blocks = blocksOf(content)
  for (const block of blocks) {
    if (block.type !== 'tool_result') continue
    addResult(place, block, { toolCallId: block.toolCallId, isError: block.isError === true }, {})
  }
  const path = `${place.path}.content`
  const said = blocks.flatMap((block, at) =>
    block.type === 'tool_call'
      ? refuse(place.scope, `${path}[${at}]`)
      : (encodeBlock(block, place.scope, `${path}[${at}]`) ?? []),
  )
  add(place.turns, 'user', said, fields)
}

function refuse(scope: Scope, path: string): never[] {
  lose(scope.ledger, 'dropped', path, 'it stands in a turn of the wrong role', 'major')
  return []
}

/** The parts of a turn of the model. A call that never was one goes only if `prepare` made one of it. */
function encodeTurn(message: AssistantMessage, scope: Scope, path: string): readonly WirePart[] {
  for (const at of (message.invalidToolCalls ?? []).keys()) {
    lose(scope.ledger, 'dropped', `${path}.invalidToolCalls[${at}]`, 'a call that is none cannot be sent')
  }
  return blocksOfTurn(message).flatMap((block, at) => {
    const where = `${path}[${at}]`
    if (block.type === 'tool_call') return encodeCall(block, scope, where)
    if (block.type === 'tool_result') return refuse(scope, where)
    return encodeBlock(block, scope, where) ?? []
  })
}

function addResult(
  place: Place,
  result: Pick<ToolMessage | ToolResultBlock, 'content' | 'providerData' | 'name'>,
  { toolCallId, isError }: { readonly toolCallId: string; readonly isError: boolean },
  fields: JsonObject,
): void {
  const { scope, turns, path } = place
  const call = place.calls.get(toolCallId)
  const name = result.name ?? call?.name
  if (name === undefined)
    lose(scope.ledger, 'invented', `${path}.name`, 'Gemini must be told which tool a result is of')
  const hasId = scope.dialect.callIds && !isMadeId(toolCallId, call?.isMade)
  const head = { name: name ?? 'unknown_tool', isError, ...(hasId && { id: toolCallId }) }
  const { part, besides } = encodeResultPart(result, head, scope, `${path}.content`)
  add(turns, 'results', [part], fields)
  if (besides.length > 0) add(turns, 'user', besides, {})
}

/** Media behind a result stay behind all results of their turn. */
function add(turns: Turn[], kind: Turn['kind'], parts: readonly WirePart[], fields: JsonObject): void {
  if (parts.length === 0) return
  const last = turns.at(-1)
  const results =
    kind === 'results' && last?.kind === 'user' && turns.at(-2)?.kind === 'results' ? turns.at(-2) : undefined
  const same = last?.kind === kind ? last : results
  if (same === undefined) turns.push({ kind, parts: [...parts], fields })
  else {
    same.parts.push(...parts)
    same.fields = { ...same.fields, ...fields }
  }
}

/**
 * Gemini 3 checks the first call of each step since the user last spoke. One that another model made gets the documented placeholder,
 * and only where there is no signature.
 */
function signFirstCalls(turns: readonly Turn[], scope: Scope): void {
  if (!isGemini3(scope.model)) return
  const begin = turns.findLastIndex(({ kind }) => kind === 'user')
  for (const { kind, parts } of turns.slice(begin + 1)) {
    const at = kind === 'model' ? parts.findIndex((part) => part.functionCall !== undefined) : -1
    const part = parts[at]
    if (part === undefined || part.thoughtSignature !== undefined) continue
    parts[at] = { ...part, thoughtSignature: unsignedCall }
    lose(scope.ledger, 'invented', 'contents', 'Gemini 3 wants a signature on a call that it did not make', 'info')
  }
}

// ---- decode -----------------------------------------------------------------------------------

/** What one content leaves for the next. */
interface Reading {
  readonly origin: Origin
  readonly messages: Message[]
  /** Calls of the last turn that have no result yet: one without an id goes to the first of its name. */
  pending: { readonly id: string; readonly name: string }[]
  readonly ids: Set<string>
  calls: number
  wasModel: boolean
}

/**
 * Reads contents: a list, or one alone; strings are what a user says.
 *
 * @throws {DecodeError} at what is no content, with its path.
 */
export function decodeContents(contents: Json | undefined, origin: Origin): readonly Message[] {
  const list = typeof contents === 'string' ? [contents] : listOf(contents)
  if (list.length === 0) throw invalid('contents', contents === undefined ? 'it is missing' : 'there is nothing in it')
  const reading: Reading = { origin, messages: [], pending: [], ids: new Set(), calls: 0, wasModel: false }
  for (const [at, content] of list.entries()) readContent(reading, content, `contents[${at}]`)
  return reading.messages
}

const roles: Readonly<Record<string, 'user' | 'assistant' | 'system'>> = {
  user: 'user',
  function: 'user', // of old clients: results
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

/** The parts of a content under the wire's own names; parts with nothing in them say nothing. */
export function decodeParts(parts: Json | undefined, path: string): readonly Json[] {
  if (parts !== undefined && parts !== null && typeof parts !== 'object' && typeof parts !== 'string') {
    throw invalid(path, 'it is not an array')
  }
  const list = typeof parts === 'string' ? [parts] : listOf(parts ?? undefined)
  return list
    .map((part) => (typeof part === 'string' ? { text: part } : camelPart(part)))
    .filter((part) => !isEmptyPart(part))
}

type Kept = Pick<Message, 'providerData'>

function readModelTurn(reading: Reading, parts: readonly Json[], kept: Kept): void {
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
  reading.calls++
  reading.ids.add(id)
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

/** The number of the call in the conversation, or the next that no other call has. */
function makeId(reading: Reading): string {
  let number = reading.calls
  while (reading.ids.has(`gemini_${number}`)) number++
  return `gemini_${number}`
}

function readUserTurn(reading: Reading, parts: readonly Json[], kept: Kept): void {
  const said: ContentBlock[] = []
  const results: ToolMessage[] = []
  for (const part of parts) {
    const result = field(part, 'functionResponse')
    if (isObject(part) && isObject(result)) results.push(readResult(reading, part, result))
    else said.push(decodePart(part, reading.origin))
  }
  const messages: Message[] = [...results]
  if (said.length > 0 || results.length === 0) messages.push({ role: 'user', content: contentOf(said) })
  for (const [at, message] of messages.entries()) {
    reading.messages.push(at > 0 ? message : { ...message, ...joinKept(message, kept) })
  }
}

function joinKept({ providerData }: Message, kept: Kept): Kept {
  if (kept.providerData === undefined || providerData === undefined) return kept
  return { providerData: { gemini: { ...providerData.gemini, ...kept.providerData.gemini } } }
}

/** By id, else the first call of its name that waits, else one that nobody made. */
function readResult(reading: Reading, part: JsonObject, result: JsonObject): ToolMessage {
  const id = textOr(field(result, 'id'), undefined)
  const name = field(result, 'name')
  const at = reading.pending.findIndex((call) => (id === undefined ? call.name === name : call.id === id))
  const [call] = at < 0 ? [] : reading.pending.splice(at, 1)
  const toolCallId = id ?? call?.id ?? makeOrphanId(reading)
  return decodeResult(part, result, toolCallId, (media) => decodePart(camelPart(media), reading.origin))
}

function makeOrphanId(reading: Reading): string {
  const id = makeId(reading)
  reading.calls++
  reading.ids.add(id)
  return id
}

/** One text that is nothing but text is a string. */
export function contentOf(blocks: readonly ContentBlock[]): Content {
  const [first, second] = blocks
  const isPlain = first?.type === 'text' && second === undefined && Object.keys(first).length === 2
  return isPlain ? first.text : blocks
}

/** @returns the error for a request that is not one. */
export function invalid(path: string, finding: string): DecodeError {
  return new DecodeError(`Cannot decode Gemini request: "${path}": ${finding}`, { path })
}
