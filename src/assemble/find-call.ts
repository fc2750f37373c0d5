/** Finds the call that a piece belongs to. @module */
import type { CallFragment } from '../core/codec.ts'
import type { MessageEvent } from '../core/model.ts'
import { type Assembly, type CallPart, warn } from './assembly.ts'

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
export function guess(call: CallPart, reason: string, out: MessageEvent[]): CallPart {
  if (!call.isGuessed) warn('changed', reason, out)
  call.isGuessed = true
  return call
}

const placeholders: ReadonlySet<string> = new Set(['null', 'undefined', 'None'])

/** An id that is one: some hosts write `null` as text, or nothing. */
export function realId(id: string | null | undefined): string | undefined {
  return id && !placeholders.has(id) ? id : undefined
}
