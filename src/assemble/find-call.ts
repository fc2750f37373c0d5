/**
 * Which call a fragment belongs to.
 *
 * @module
 */
import type { CallFragment } from '../core/codec.ts'
import type { Calls, OpenCall } from './open-call.ts'
import { isWhole } from './scan.ts'

/** The call that a fragment belongs to. */
export interface Found {
  /** Absent: the fragment starts a call. */
  readonly call?: OpenCall | undefined
  /** The reason for a guess, if one was needed. */
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

/** An id that is one: some hosts write `null` as text, or nothing. */
export function realId(id: string | null | undefined): string | undefined {
  return typeof id === 'string' && !placeholders.has(id) ? id : undefined
}
