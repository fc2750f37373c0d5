/**
 * Which call a fragment belongs to, and what the fragments of one make.
 *
 * @see peers.md §1d and complaints 1 to 5: each rule here is a case in which a library merged, lost or ran the wrong call
 * @module
 */
import type { BlockKey, CallFragment } from '../codec.ts'
import { LimitError } from '../errors.ts'
import type {
  InvalidToolCall,
  JsonObject,
  Opaque,
  ProviderData,
  ServerToolCall,
  ServerToolCallChunk,
  ToolCall,
  ToolCallChunk,
} from '../model.ts'
import { copyArguments, invalidCall, parseArguments, readCall, textOfArguments } from '../tool-call.ts'
import { grow } from './grow.ts'
import { isWhole, newScan, type Scan, scanPiece } from './scan.ts'

/** Grows a view of arguments as their text arrives, in time linear in the text. */
export interface LiveArguments {
  /** Takes the next piece and tells all of the arguments so far. */
  push(text: string): JsonObject
}

/** A call on its way. */
export interface OpenCall {
  readonly kind: 'call'
  readonly index: number
  /** Position among our calls of the turn; -1 for the provider's own. */
  readonly position: number
  readonly key: BlockKey | undefined
  readonly server: boolean
  readonly newLive: (() => LiveArguments) | undefined
  live: LiveArguments | undefined
  scan: Scan
  wirePosition: number | undefined
  id: string | undefined
  name: string | undefined
  text: string
  pieces: number
  /** The arguments as an object, where the wire had one. */
  whole: JsonObject | undefined
  isOpen: boolean
  /** That a piece of it was guessed has been told. */
  isGuessed: boolean
  generatedId: boolean
  opaque: Opaque | undefined
  providerData: ProviderData | undefined
  result: ToolCall | InvalidToolCall | ServerToolCall | undefined
}

/** The calls of a turn, and what finds one in constant time. */
export interface Calls {
  /** How many are ours, and not the provider's own. */
  ownCount: number
  /** The latest that has an id, and the latest at a position of the wire. */
  readonly byId: Map<string, OpenCall>
  readonly byPosition: Map<number, OpenCall>
  /** Those without a key, but for some that are whole; the last one is the latest. */
  readonly unkeyed: OpenCall[]
  /** Ids of calls that have ended. */
  readonly ids: Set<string>
}

export function newCalls(): Calls {
  return { ownCount: 0, byId: new Map(), byPosition: new Map(), unkeyed: [], ids: new Set() }
}

interface Found {
  /** Absent: the fragment starts a call. */
  readonly call?: OpenCall | undefined
  /** What had to be guessed. */
  readonly guess?: string
  /** The call has it already. */
  readonly isRepeated?: true
}

/** By key, else id, else position, else a name (which starts a call), else the latest open call. `atKey`: what has its key. */
export function findCall(calls: Calls, atKey: { readonly kind: string } | undefined, fragment: CallFragment): Found {
  if (fragment.key !== undefined) return atKey?.kind === 'call' ? findByKey(atKey as OpenCall, fragment) : {}
  const id = realId(fragment.id)
  const { position } = fragment
  const atPosition = position === undefined ? undefined : calls.byPosition.get(position)
  if (id !== undefined) return findById(calls, id, atPosition, fragment)
  if (position === undefined) return findByOrder(calls, fragment)
  return atPosition === undefined ? {} : goOn(atPosition, fragment)
}

/** A key whose call has ended is used again, by a call with another id, or what it had is repeated. */
function findByKey(call: OpenCall, fragment: CallFragment): Found {
  const id = realId(fragment.id)
  const isOther = id !== undefined && call.id !== undefined && id !== call.id
  if (call.isOpen) return isOther ? changeId(call, fragment) : { call }
  return isOther ? {} : { call, isRepeated: true }
}

function findById(calls: Calls, id: string, atPosition: OpenCall | undefined, fragment: CallFragment): Found {
  if (atPosition?.id === id) return goOn(atPosition, fragment)
  const sameId = calls.byId.get(id)
  if (sameId !== undefined && isSamePlace(sameId, fragment)) return goOn(sameId, fragment)
  if (atPosition !== undefined) {
    return atPosition.id === undefined ? goOn(atPosition, fragment) : changeId(atPosition, fragment)
  }
  return mayBeLateId(calls.unkeyed.at(-1), fragment)
    ? { call: calls.unkeyed.at(-1), guess: 'the id of a call came late, and was given to the latest' }
    : {}
}

function mayBeLateId(latest: OpenCall | undefined, { name, position }: CallFragment): boolean {
  return (
    latest !== undefined && latest.id === undefined && !name && position === undefined && !hasWholeArguments(latest)
  )
}

/** One id at two positions is two calls, if each has a name. */
function isSamePlace(call: OpenCall, { position, name }: CallFragment): boolean {
  return !name || position === undefined || call.wirePosition === undefined || call.wirePosition === position
}

/** Another id at the same place is another call if it is named; else the host changes ids on the way. */
function changeId(call: OpenCall, fragment: CallFragment): Found {
  return fragment.name ? {} : { call, guess: 'the id of a call changed on the way' }
}

/** At a place where a call is whole already, a name starts the next one: the host has one place, or one id, for all its calls. */
function goOn(call: OpenCall, fragment: CallFragment): Found {
  if (!fragment.name || fragment.final || !hasWholeArguments(call)) return { call }
  if (fragment.name === call.name && !hasArguments(fragment)) return { call }
  const isRepeated =
    realId(fragment.id) !== undefined && fragment.name === call.name && fragment.arguments === call.text
  return isRepeated ? { call, isRepeated: true } : {}
}

function findByOrder({ unkeyed }: Calls, fragment: CallFragment): Found {
  const latest = unkeyed.at(-1)
  if (latest === undefined || isNextWhole(latest, fragment)) return {}
  if (fragment.name) return latest.name === undefined || isRepeatedName(latest, fragment.name) ? { call: latest } : {}
  while (hasWholeArguments(unkeyed.at(-2))) unkeyed.splice(-2, 1)
  if (unkeyed.length < 2) return { call: latest }
  return { call: latest, guess: 'a piece of a call names none of the open calls and was given to the latest' }
}

/** Arguments as an object are all of them: those of another call, if this one has some. */
function isNextWhole(call: OpenCall, fragment: CallFragment): boolean {
  const isObject = typeof fragment.arguments === 'object' && fragment.arguments !== null
  return isObject && (call.whole !== undefined || call.text !== '')
}

/** The same name again while the arguments are in the middle: the host repeats it with each piece. */
function isRepeatedName(call: OpenCall, name: string): boolean {
  return call.name === name && call.text !== '' && !isWhole(call.scan)
}

function hasWholeArguments(call: OpenCall | undefined): boolean {
  return call !== undefined && (call.whole !== undefined || isWhole(call.scan))
}

function hasArguments({ arguments: given }: CallFragment): boolean {
  return typeof given === 'string' ? given.trim() !== '' : given !== undefined && given !== null
}

const placeholders: ReadonlySet<string> = new Set(['', 'null', 'undefined', 'None'])

function realId(id: string | null | undefined): string | undefined {
  return typeof id === 'string' && !placeholders.has(id) ? id : undefined
}

/** Starts the call that a fragment is the first piece of. */
export function openCall(
  calls: Calls,
  fragment: CallFragment,
  index: number,
  newLive: (() => LiveArguments) | undefined,
): OpenCall {
  const { key } = fragment
  const server = fragment.server === true
  const call: OpenCall = {
    kind: 'call',
    index,
    position: server ? -1 : calls.ownCount,
    key,
    server,
    newLive,
    live: newLive?.(),
    scan: newScan(),
    wirePosition: undefined,
    id: undefined,
    name: undefined,
    text: '',
    pieces: 0,
    whole: undefined,
    isOpen: true,
    isGuessed: false,
    generatedId: false,
    opaque: undefined,
    providerData: undefined,
    result: undefined,
  }
  if (!server) calls.ownCount++
  if (key === undefined) calls.unkeyed.push(call)
  return call
}

/** What to tell of a fragment beside what it adds: once for each call. */
export function guessIn(call: OpenCall, fragment: CallFragment, guess: string | undefined): string | undefined {
  if (call.isGuessed) return undefined
  const given = fragment.final ? fragment.arguments : undefined
  const isContradicted = typeof given === 'string' && !beginsWith(given, call.text)
  const told = guess ?? (isContradicted ? 'the arguments as a whole are not what their pieces make' : undefined)
  call.isGuessed = told !== undefined
  return told
}

/**
 * Adds a fragment to its call and tells what is new.
 *
 * @throws {LimitError} if the arguments grow longer than `maxLength`.
 */
export function addToCall(calls: Calls, call: OpenCall, fragment: CallFragment, maxLength: number): AnyCallChunk {
  place(calls, call, fragment)
  if (fragment.generatedId) call.generatedId = true
  if (fragment.name) call.name = joinName(call, fragment.name)
  if (fragment.opaque !== undefined) call.opaque = fragment.opaque
  if (fragment.providerData !== undefined) call.providerData = { ...call.providerData, ...fragment.providerData }
  const delta = addArguments(call, fragment)
  if (call.text.length > maxLength) {
    throw new LimitError(
      `Cannot take the arguments of a call: they are longer than ${maxLength}`,
      'maxArgumentsLength',
      maxLength,
    )
  }
  return chunkOf(call, delta, fragment.providerData)
}

type AnyCallChunk = ToolCallChunk | ServerToolCallChunk

/** One for each piece. Its fields are set one by one, since to spread those that may be absent takes ten times as long. */
function chunkOf(call: OpenCall, argumentsDelta: string, providerData: ProviderData | undefined): AnyCallChunk {
  const { id, name, live } = call
  const chunk: { -readonly [Key in keyof ToolCallChunk]: ToolCallChunk[Key] } = { type: 'tool_call_chunk' }
  if (id !== undefined) chunk.id = id
  if (name !== undefined) chunk.name = name
  if (!call.server) chunk.index = call.position
  chunk.argumentsDelta = argumentsDelta
  if (live !== undefined) chunk.argumentsSoFar = call.whole ?? live.push(argumentsDelta)
  if (providerData !== undefined) chunk.providerData = providerData
  return call.server ? { ...chunk, type: 'server_tool_call_chunk' } : chunk
}

function place(calls: Calls, call: OpenCall, fragment: CallFragment): void {
  if (call.wirePosition === undefined && fragment.position !== undefined) {
    call.wirePosition = fragment.position
    calls.byPosition.set(fragment.position, call)
  }
  const id = call.id === undefined ? realId(fragment.id) : undefined
  if (id === undefined) return
  call.id = id
  calls.byId.set(id, call)
}

/** A name may come in pieces, again with every piece, or longer each time. Pieces come before any argument. */
function joinName(call: OpenCall, name: string): string {
  const before = call.name ?? ''
  if (name.startsWith(before)) return name
  return call.text === '' && call.whole === undefined ? before + name : before
}

function addArguments(call: OpenCall, fragment: CallFragment): string {
  const given = fragment.arguments
  if (given === undefined || given === null) return ''
  if (typeof given !== 'string') {
    call.whole = given
    return ''
  }
  if (!fragment.final || beginsWith(given, call.text)) {
    const delta = fragment.final ? given.slice(call.text.length) : given
    grow(call, delta)
    scanPiece(call.scan, delta)
    return delta
  }
  replaceArguments(call, given)
  return ''
}

/** To compare with a slice is much faster than `startsWith`, where the shorter text was put together from pieces. */
function beginsWith(text: string, start: string): boolean {
  return text.slice(0, start.length) === start
}

function replaceArguments(call: OpenCall, text: string): void {
  call.text = text
  call.scan = newScan()
  scanPiece(call.scan, text)
  call.live = call.newLive?.()
  call.live?.push(text)
}

/**
 * An id that no other call of the turn has: the wire's own where it can be. The provider's own calls keep theirs, since their results
 * name it.
 */
export function settleId(calls: Calls, call: OpenCall, madeId: string): string {
  const wanted = call.id ?? madeId
  let id = wanted
  for (let number = call.position; calls.ids.has(id) && !(call.server && call.id !== undefined); number++) {
    id = `${wanted}_${Math.max(0, number)}`
  }
  calls.ids.add(id)
  return id
}

/** How the end of a call came about: `closed` properly, with an answer that was `cut` at a limit, or with one that just `broke` off. */
export type CallEnd = 'closed' | 'cut' | 'broke'

/** What the pieces make. In an answer that was cut only what is whole can be a call; in one that broke off, nothing that is open. */
export function endCall(call: OpenCall, id: string, end: CallEnd): ToolCall | InvalidToolCall | ServerToolCall {
  const text = call.text !== '' || call.whole === undefined ? call.text : textOfArguments(call.whole)
  if (call.server) return endServerCall(call, id, text ?? '')
  const parts = {
    id,
    generatedId: call.generatedId || call.id === undefined,
    name: call.name,
    argumentsText: text ?? '',
    value: call.text === '' && call.whole !== undefined ? copyArguments(call.whole) : undefined,
    index: call.position,
    opaque: call.opaque,
    providerData: call.providerData,
  }
  if (text === undefined) return invalidCall(parts, 'too_deep', 'The arguments are nested too deep')
  const read = readCall(parts)
  const isBelieved = end === 'closed' || (end === 'cut' && read.type === 'tool_call' && text !== '')
  return isBelieved ? read : invalidCall(parts, 'truncated', 'The answer ended before the arguments did')
}

function endServerCall(call: OpenCall, id: string, text: string): ServerToolCall {
  const parsed = parseArguments(text)
  return {
    type: 'server_tool_call',
    id,
    name: call.name ?? '',
    arguments: 'value' in parsed ? parsed.value : {},
    argumentsText: text,
    ...(call.opaque && { opaque: call.opaque }),
    ...(call.providerData && { providerData: call.providerData }),
  }
}

export function isCallBlock(ended: ToolCall | InvalidToolCall | ServerToolCall): ended is ToolCall | ServerToolCall {
  return ended.type !== 'invalid_tool_call'
}
