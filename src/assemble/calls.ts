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
import { invalidCall, parseArguments, readCall, textOfArguments } from '../tool-call.ts'
import { isWhole, newScan, type Scan } from './scan.ts'

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
  readonly live: LiveArguments | undefined
  readonly scan: Scan
  wirePosition: number | undefined
  id: string | undefined
  name: string | undefined
  text: string
  /** The arguments as an object, where the wire had one. */
  whole: JsonObject | undefined
  isOpen: boolean
  generatedId: boolean
  opaque: Opaque | undefined
  providerData: ProviderData | undefined
  result: ToolCall | InvalidToolCall | ServerToolCall | undefined
}

interface Found {
  /** Absent: the fragment starts a call. */
  readonly call?: OpenCall | undefined
  /** What had to be guessed. */
  readonly guess?: string
}

/** By key, else id, else position, else a name (which starts a call), else the latest open call. */
export function findCall(
  calls: readonly OpenCall[],
  byKey: ReadonlyMap<BlockKey, { readonly kind: string }>,
  fragment: CallFragment,
): Found {
  if (fragment.key !== undefined) return { call: byKey.get(fragment.key) as OpenCall | undefined }
  const id = realId(fragment.id)
  const atPosition =
    fragment.position === undefined ? undefined : calls.findLast((call) => call.wirePosition === fragment.position)
  if (id !== undefined) return findById(calls, id, atPosition, fragment)
  if (atPosition !== undefined) return startsAgain(atPosition, fragment) ? {} : { call: atPosition }
  if (fragment.position !== undefined) return {}
  return findByOrder(calls, fragment)
}

function findById(
  calls: readonly OpenCall[],
  id: string,
  atPosition: OpenCall | undefined,
  fragment: CallFragment,
): Found {
  if (atPosition !== undefined) {
    if (atPosition.id === id || atPosition.id === undefined) return { call: atPosition }
    // Another id at the same position is another call if it is named; else the host changes ids on the way.
    return fragment.name ? {} : { call: atPosition, guess: `the id of a call changed on the way to "${id}"` }
  }
  const sameId = calls.findLast((call) => call.id === id)
  if (sameId === undefined || fragment.position === undefined) return { call: sameId }
  return fragment.name && sameId.wirePosition !== undefined ? {} : { call: sameId }
}

/** A name at a place where a call is already whole: the host gives all its calls one index. */
function startsAgain(call: OpenCall, fragment: CallFragment): boolean {
  if (!fragment.name || call.text === '') return call.whole !== undefined && Boolean(fragment.name)
  return isWhole(call.scan, call.text)
}

function findByOrder(calls: readonly OpenCall[], fragment: CallFragment): Found {
  const open = calls.filter((call) => call.isOpen && call.key === undefined)
  const latest = open.at(-1)
  if (fragment.name) {
    const goesOn = latest !== undefined && (latest.name === undefined || isRepeatedName(latest, fragment.name))
    return goesOn ? { call: latest } : {}
  }
  if (open.length < 2) return { call: latest }
  return {
    call: latest,
    guess: `a piece of a call names none of the ${open.length} open calls and was given to the latest`,
  }
}

/** The same name again while the arguments are in the middle: the host repeats it with each piece. */
function isRepeatedName(call: OpenCall, name: string): boolean {
  return call.name === name && call.text !== '' && !isWhole(call.scan, call.text)
}

const placeholders: ReadonlySet<string> = new Set(['', 'null', 'undefined', 'None'])

function realId(id: string | null | undefined): string | undefined {
  return typeof id === 'string' && !placeholders.has(id) ? id : undefined
}

export function openCall(
  fragment: CallFragment,
  index: number,
  position: number,
  liveArguments: (() => LiveArguments) | undefined,
): OpenCall {
  return {
    kind: 'call',
    index,
    position,
    key: fragment.key,
    server: fragment.server === true,
    live: liveArguments?.(),
    scan: newScan(),
    wirePosition: fragment.position,
    id: undefined,
    name: undefined,
    text: '',
    whole: undefined,
    isOpen: true,
    generatedId: false,
    opaque: undefined,
    providerData: undefined,
    result: undefined,
  }
}

/**
 * Adds a fragment to its call and tells what is new.
 *
 * @throws {LimitError} if the arguments grow longer than `maxLength`.
 */
export function addToCall(
  call: OpenCall,
  fragment: CallFragment,
  maxLength: number,
): ToolCallChunk | ServerToolCallChunk {
  call.id ??= realId(fragment.id)
  call.wirePosition ??= fragment.position
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
  return {
    type: call.server ? 'server_tool_call_chunk' : 'tool_call_chunk',
    ...(call.id !== undefined && { id: call.id }),
    ...(call.name !== undefined && { name: call.name }),
    ...(!call.server && { index: call.position }),
    argumentsDelta: delta,
    ...(call.live && { argumentsSoFar: call.live.push(delta) }),
  } as ToolCallChunk | ServerToolCallChunk
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
  if (!fragment.final) {
    call.text += given
    return given
  }
  const delta = given.startsWith(call.text) ? given.slice(call.text.length) : ''
  call.text = given
  return delta
}

/** What the pieces make. `id`: made by us, where the wire gave none that is its own. */
export function endCall(
  call: OpenCall,
  id: string | undefined,
  isCut: boolean,
): ToolCall | InvalidToolCall | ServerToolCall {
  const text = call.text !== '' || call.whole === undefined ? call.text : textOfArguments(call.whole)
  if (call.server) return endServerCall(call, id, text ?? '')
  const parts = {
    id: id ?? call.id ?? '',
    generatedId: call.generatedId || call.id === undefined,
    name: call.name,
    argumentsText: text ?? '',
    index: call.position,
    opaque: call.opaque,
    providerData: call.providerData,
  }
  if (text === undefined) return invalidCall(parts, 'too_deep', 'The arguments are nested too deep')
  if (!isCut) return readCall(parts)
  const read = readCall(parts)
  const isWholeCall = read.type === 'tool_call' && text !== ''
  return isWholeCall ? read : invalidCall(parts, 'truncated', 'The answer ended before the arguments did')
}

function endServerCall(call: OpenCall, id: string | undefined, text: string): ServerToolCall {
  const parsed = parseArguments(text)
  return {
    type: 'server_tool_call',
    id: id ?? call.id ?? '',
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
