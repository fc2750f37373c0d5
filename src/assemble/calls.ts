/** Opens calls, and adds fragments to them. @module */
import type { CallFragment } from '../core/codec.ts'
import { LimitError } from '../core/errors.ts'
import type { ProviderData, ServerToolCallChunk, ToolCallChunk } from '../core/model.ts'
import { isNoArguments } from '../core/tool-call.ts'
import { mergeData } from './additions.ts'
import { realId } from './find-call.ts'
import { grow } from './grow.ts'
import type { Calls, LiveArguments, OpenCall } from './open-call.ts'
import { newScan, scanPiece } from './scan.ts'

export function newCalls(): Calls {
  return { ownCount: 0, byId: new Map(), byPosition: new Map(), unkeyed: [], ids: new Set() }
}

/** Starts a call with its first fragment. */
export function openCall(
  calls: Calls,
  fragment: CallFragment,
  index: number,
  newLive: LiveArguments | undefined,
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
    live: newLive?.fresh(),
    scan: newScan(),
    wirePosition: undefined,
    id: undefined,
    name: undefined,
    held: '',
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

/** The warning about a guess in a fragment, once for each call. */
export function guessIn(call: OpenCall, fragment: CallFragment, guess: string | undefined): string | undefined {
  if (call.isGuessed) return undefined
  const given = fragment.final ? fragment.arguments : undefined
  const isContradicted = typeof given === 'string' && !beginsWith(given, call.text)
  const reason = guess ?? (isContradicted ? 'the arguments as a whole are not what their pieces make' : undefined)
  call.isGuessed = reason !== undefined
  return reason
}

/**
 * Adds a fragment to its call and returns the new text.
 *
 * @throws {LimitError} if the arguments grow longer than `maxLength`.
 */
export function addToCall(calls: Calls, call: OpenCall, fragment: CallFragment, maxLength: number): AnyCallChunk {
  place(calls, call, fragment)
  if (fragment.generatedId) call.generatedId = true
  if (fragment.server) call.server = true
  if (fragment.name) call.name = joinName(call, fragment.name)
  if (fragment.opaque !== undefined) call.opaque = fragment.opaque
  call.providerData = mergeData(call.providerData, fragment.providerData)
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
  if (fragment.final && isNoArguments(given)) return '' // some hosts empty them again at the end
  if (!fragment.final || beginsWith(given, call.text)) {
    const delta = fragment.final ? given.slice(call.text.length) : withHeld(call, given)
    grow(call, delta)
    scanPiece(call.scan, delta)
    return delta
  }
  replaceArguments(call, given)
  return ''
}

/**
 * Text that may become `null`, which means no arguments, is held back: clients of a gateway join the pieces that they get, and expect an
 * object.
 */
function withHeld(call: OpenCall, piece: string): string {
  if (call.text !== '') return piece
  const text = call.held + piece
  call.held = /^\s*n(?:u(?:l(?:l\s*)?)?)?$/.test(text) ? text : ''
  return call.held === '' ? text : ''
}

/** To compare with a slice is much faster than `startsWith`, where the shorter text was put together from pieces. */
function beginsWith(text: string, start: string): boolean {
  return text.slice(0, start.length) === start
}

function replaceArguments(call: OpenCall, text: string): void {
  call.text = text
  call.scan = newScan()
  scanPiece(call.scan, text)
  call.live = call.newLive?.fresh()
  call.live?.push(text)
}
