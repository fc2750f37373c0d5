/**
 * Finds the call that a piece belongs to, and completes calls.
 *
 * @module
 */

import type { CallFragment } from '../core/codec.ts'
import { invalidCall, isNoArguments, parseArguments, readCall, textOfArguments } from '../core/content.ts'
import { LimitError } from '../core/errors.ts'
import { compact } from '../core/json.ts'
import type {
  InvalidToolCall,
  MessageEvent,
  ServerToolCall,
  ServerToolCallChunk,
  ToolCall,
  ToolCallChunk,
} from '../core/model.ts'
import { type Assembly, addPart, type CallPart, grow, mergeData, warn } from './assembly.ts'

/** Opens the call that a piece starts. The piece is not added yet. */
export function openCall(state: Assembly, { key, server }: CallFragment, index: number): CallPart {
  const call: CallPart = {
    kind: 'call',
    index,
    key,
    isOpen: true,
    position: server ? 0 : state.ownCount++,
    wirePosition: undefined,
    server: false,
    id: undefined,
    name: '',
    whole: undefined,
    held: '',
    text: '',
    pieces: 0,
    depth: 0,
    inString: false,
    isEscaped: false,
    isWhole: false,
    live: state.options.liveArguments?.fresh(),
  }
  if (key === undefined) {
    state.isAmbiguous ||= state.latest?.isWhole === false
    state.latest = call
  }
  return addPart(state, call)
}

/** Adds the fields that both pieces and patches may have. */
export function describeCall(
  state: Assembly,
  call: CallPart,
  { id, opaque, providerData }: Pick<CallFragment, 'id' | 'opaque' | 'providerData'>,
): void {
  const given = call.id === undefined ? realId(id) : undefined
  if (given !== undefined) {
    call.id = given
    state.byId.set(given, call)
  }
  call.opaque = opaque ?? call.opaque
  call.providerData = mergeData(call.providerData, providerData)
}

/**
 * Adds a piece to its call and returns what it adds to the text.
 *
 * @throws {LimitError} if the arguments grow longer than the limit.
 */
export function addToCall(
  state: Assembly,
  call: CallPart,
  fragment: CallFragment,
  out: MessageEvent[],
): ToolCallChunk | ServerToolCallChunk {
  const { position, name, providerData } = fragment
  describeCall(state, call, fragment)
  if (call.wirePosition === undefined && position !== undefined) {
    call.wirePosition = position
    state.byPosition.set(position, call)
  }
  call.generatedId ??= fragment.generatedId
  call.server ||= fragment.server === true
  // A name may come in pieces, again with every piece, or longer each time. Its pieces come before any argument.
  if (name?.startsWith(call.name)) call.name = name
  else if (name && call.text === '' && call.whole === undefined) call.name += name
  const argumentsDelta = addArguments(call, fragment, out)
  const { maxArgumentsLength: max = 8 * 1024 * 1024 } = state.options
  if (call.text.length > max) {
    throw new LimitError(`Cannot take the arguments of a call: they are longer than ${max}`, 'maxArgumentsLength', max)
  }
  // Its fields are set one by one, since to spread those that may be absent takes ten times as long.
  const type = call.server ? 'server_tool_call_chunk' : 'tool_call_chunk'
  const chunk = { type } as { -readonly [Key in keyof ToolCallChunk]: ToolCallChunk[Key] }
  if (call.id !== undefined) chunk.id = call.id
  if (call.name !== '') chunk.name = call.name
  if (!call.server) chunk.index = call.position
  chunk.argumentsDelta = argumentsDelta
  if (call.live !== undefined) chunk.argumentsSoFar = call.whole ?? call.live.push(argumentsDelta)
  if (providerData !== undefined) chunk.providerData = providerData
  return chunk
}

/** Returns the text that came in addition. */
function addArguments(call: CallPart, { arguments: given, final }: CallFragment, out: MessageEvent[]): string {
  if (typeof given !== 'string') {
    if (given) call.whole = given
    call.isWhole ||= call.whole !== undefined
    return ''
  }
  if (final && isNoArguments(given)) return '' // some hosts empty them again at the end
  const { text } = call
  // To compare with a slice is much faster than `startsWith`, where the shorter text was put together from pieces.
  if (final && given.slice(0, text.length) !== text) {
    guess(call, 'the arguments as a whole are not what their pieces make', out)
    call.text = given
    call.live = call.live?.fresh()
    call.live?.push(given)
    return ''
  }
  const added = final ? given.slice(text.length) : call.held + given
  // `null` means no arguments. Text that may become it is held back: clients of a gateway join the pieces, and expect an object.
  call.held = !final && text === '' && /^\s*n(?:u(?:l(?:l\s*)?)?)?$/.test(added) ? added : ''
  if (call.held !== '') return ''
  grow(call, added)
  scanPiece(call, added)
  return added
}

/** How a call ended: `closed` by the provider, `cut` because the answer reached a limit, or `broke` because the stream ended too early. */
export type CallEnd = 'closed' | 'cut' | 'broke'

/**
 * The call that the pieces make. In an answer that was cut, only complete arguments make a call; in one that was cut off, no open call does.
 */
export function endCall(state: Assembly, call: CallPart, end: CallEnd): ToolCall | InvalidToolCall | ServerToolCall {
  const { name, opaque, providerData } = call
  const value = call.text === '' ? call.whole : undefined
  const argumentsText = value ? (textOfArguments(value) ?? '') : call.text || call.held
  const id = settleId(state, call)
  if (call.server) {
    const parsed = parseArguments(argumentsText)
    const given = 'value' in parsed ? parsed.value : {}
    return compact({ type: 'server_tool_call', id, name, arguments: given, argumentsText, opaque, providerData })
  }
  const generatedId = call.generatedId ?? call.id === undefined
  const parts = { id, generatedId, name, argumentsText, value, index: call.position, opaque, providerData }
  const read = readCall(parts)
  const isBelieved = end === 'closed' || (end === 'cut' && read.type === 'tool_call' && argumentsText !== '')
  return isBelieved ? read : invalidCall(parts, 'truncated', 'The answer ended before the arguments did')
}

/**
 * An id that no other call of the turn has: the provider's id if possible. Calls that the provider runs keep theirs, because their results
 * name it.
 */
function settleId({ options, ids }: Assembly, call: CallPart): string {
  const { idPrefix = 'call_', callsBefore = 0 } = options
  const wanted = call.id ?? `${idPrefix}${callsBefore + call.position}`
  let id = wanted
  if (!call.server || call.id === undefined) {
    for (let number = call.position; ids.has(id); number++) id = `${wanted}_${number}`
  }
  ids.add(id)
  return id
}

// ---- the call of a piece ------------------------------------------------------------------------

/**
 * Finds the call by key, else by id, else by position; a piece without any of them belongs to the latest call. Returns `undefined` if the
 * piece starts a call, and `repeated` if the call has all of it already. Reports a guess to `out`.
 */
export function findCall(
  state: Assembly,
  fragment: CallFragment,
  out: MessageEvent[],
): CallPart | 'repeated' | undefined {
  const { key, position, name } = fragment
  const id = realId(fragment.id)
  const placed = key === undefined ? state.byPosition.get(position) : state.byKey.get(key)
  if (placed?.kind === 'block') return undefined
  const sameId = id !== undefined && key === undefined && placed?.id !== id ? state.byId.get(id) : undefined
  // One id at two positions is two calls, if each has a name.
  const isElsewhere = name && position !== undefined && (sameId?.wirePosition ?? position) !== position
  const call = isElsewhere ? placed : (sameId ?? placed)
  if (call === undefined) return key === undefined && position === undefined ? findLatest(state, fragment, out) : call
  const isOther = id !== undefined && call.id !== undefined && id !== call.id
  if (!call.isOpen) return isOther ? undefined : 'repeated'
  // Another id at the same place is another call if it is named. Otherwise the host changes ids on the way.
  if (isOther) return name ? undefined : guess(call, 'the id of a call changed on the way', out)
  if (key !== undefined || !name || fragment.final || !call.isWhole) return call
  // At a place where a call is whole already, a name starts the next one: the host has one place, or one id, for all its calls.
  if (name !== call.name) return undefined
  if (String(fragment.arguments ?? '').trim() === '') return call
  return id !== undefined && fragment.arguments === call.text ? 'repeated' : undefined
}

/** A piece without key and position belongs to the latest call, unless it starts the next one. */
function findLatest(state: Assembly, fragment: CallFragment, out: MessageEvent[]): CallPart | undefined {
  const { latest, isAmbiguous } = state
  if (latest === undefined) return undefined
  const { name, arguments: given } = fragment
  const id = realId(fragment.id)
  const isInTheMiddle = latest.text !== '' && !latest.isWhole
  const isNext =
    // Arguments as an object are all of them: those of another call, if this one has some.
    (typeof given === 'object' && given !== null && (latest.isWhole || latest.text !== '')) ||
    (id !== undefined && (name || latest.id !== undefined || latest.isWhole)) ||
    // A name starts a call, but some hosts send it late, or again with each piece.
    (name && latest.name !== '' && !(name === latest.name && isInTheMiddle))
  if (isNext) return undefined
  if (id !== undefined) return guess(latest, 'the id of a call came late, and was given to the latest', out)
  if (name || !isAmbiguous) return latest
  return guess(latest, 'a piece of a call names none of the open calls and was given to the latest', out)
}

/** Reports a guess, once for each call. */
function guess(call: CallPart, reason: string, out: MessageEvent[]): CallPart {
  if (!call.isGuessed) warn('changed', reason, out)
  call.isGuessed = true
  return call
}

const placeholders: ReadonlySet<string> = new Set(['null', 'undefined', 'None'])

/** An id that is one: some hosts write `null` as text, or nothing. */
function realId(id: string | null | undefined): string | undefined {
  return id && !placeholders.has(id) ? id : undefined
}

// ---- the end of arguments -----------------------------------------------------------------------

// Each piece is read once and the text never, since reading it would first have to join its pieces.

export interface Scan {
  depth: number
  inString: boolean
  isEscaped: boolean
  /** Whether every bracket that was opened is closed. Text that opens none is not whole. */
  isWhole: boolean
}

const quote = 0x22
const backslash = 0x5c

/** Reads the next piece. */
export function scanPiece(scan: Scan, piece: string): void {
  let { depth, inString, isEscaped } = scan
  for (let at = 0; at < piece.length; at++) {
    const unit = piece.charCodeAt(at)
    if (isEscaped) isEscaped = false
    else if (unit === quote) inString = !inString
    else if (inString) {
      if (unit === backslash) isEscaped = true
    } else if (unit === 0x7b || unit === 0x5b) {
      depth++
      scan.isWhole = false
    } else if ((unit === 0x7d || unit === 0x5d) && depth > 0) scan.isWhole = --depth === 0
  }
  scan.depth = depth
  scan.inString = inString
  scan.isEscaped = isEscaped
}
