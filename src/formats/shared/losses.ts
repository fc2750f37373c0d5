/** Losses: the parts that an encoder dropped, changed or invented, and which of them are errors. @module */

import { UnsupportedError } from '../../core/errors.ts'
import { isObject } from '../../core/json.ts'
import type { Loss, ProviderData, RequestOptions } from '../../core/messages.ts'
import { placesOf, withPlaces } from '../../core/places.ts'
import type { Losses } from '../../core/target.ts'
import * as reasons from './reasons.ts'

export type { Losses }

/** An empty list of losses. */
export function newLosses(target: string, strict?: RequestOptions['strict']): Losses {
  return { target, list: [], strict, places: new Map() }
}

/**
 * Reports a loss.
 *
 * @throws {UnsupportedError} if `strict` does not allow it: by default, if its severity is `major`.
 */
export function reportLoss(
  losses: Losses,
  action: Loss['action'],
  path: string,
  reason: string,
  severity: Loss['severity'] = 'minor',
): void {
  const loss: Loss = { path: callerPath(path, losses.places), action, reason, severity }
  checkLoss(loss, losses.target, losses.strict)
  losses.list.push(loss)
}

/** @throws {UnsupportedError} if `strict` does not allow the loss: by default, if its severity is `major`. */
export function checkLoss(loss: Loss, target: string, strict: RequestOptions['strict']): void {
  const { path, action, reason, severity } = loss
  const isError = typeof strict === 'function' ? strict(loss) : severity !== 'info' && (strict ?? severity === 'major')
  if (isError) throw new UnsupportedError(`Cannot encode for ${target}: "${path}" would be ${action}: ${reason}`, loss)
}

/** Reports the fields that other formats kept, which are not sent. */
export function reportForeignFields(
  { providerData = {} }: { readonly providerData?: ProviderData },
  format: string,
  path: string,
  losses: Losses,
): void {
  for (const name of Object.keys(providerData)) {
    if (name !== format) reportLoss(losses, 'dropped', `${path}.providerData.${name}`, reasons.foreignFields, 'info')
  }
}

/** The options without these. Each that is set is a loss. */
export function withoutOptions(
  options: RequestOptions,
  names: readonly (keyof RequestOptions)[],
  reason: string,
  losses: Losses,
): RequestOptions {
  const left = { ...options }
  for (const name of names) {
    if (left[name] === undefined) continue
    reportLoss(losses, 'dropped', `options.${name}`, reason)
    delete left[name]
  }
  return left
}

/**
 * The fields of a client's tool choice and response format that these options do not have. A choice or format that is kept whole has none.
 *
 * @param known The names of the fields that are read, in objects at any depth.
 */
export function unreadFields(
  { toolChoice, responseFormat }: RequestOptions,
  choice: unknown,
  format: unknown,
  known: RegExp,
): Loss[] {
  return [
    ...(toolChoice === undefined ? [] : unreadIn(choice, known, 'options.toolChoice')),
    ...(responseFormat === undefined ? [] : unreadIn(format, known, 'options.responseFormat')),
  ]
}

function unreadIn(value: unknown, known: RegExp, path: string): Loss[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => unreadIn(one, known, `${path}[${at}]`))
  return Object.entries(isObject(value) ? value : {}).flatMap(([name, inner]): Loss[] => {
    const place = `${path}.${name}`
    if (!known.test(name)) return [{ path: place, action: 'dropped', reason: reasons.option, severity: 'minor' }]
    return name === 'schema' ? [] : unreadIn(inner, known, place)
  })
}

// ---- lists ----------------------------------------------------------------------------------------

/**
 * The entries as `take` returns them, with their original places, and without those that are `undefined`. `take` gets the place of each. If
 * all entries are the same, so is the list.
 */
export function fitList<T>(
  list: readonly T[],
  path: string,
  take: (entry: T, place: string) => T | undefined,
): readonly T[] {
  const places: string[] = []
  const left: T[] = []
  let isSame = true
  for (const [at, place] of placesOf(list, path).entries()) {
    const entry = list[at] as T
    const taken = take(entry, place)
    if (taken !== entry) isSame = false
    if (taken === undefined) continue
    left.push(taken)
    places.push(place)
  }
  return isSame ? list : withPlaces(left, places)
}

/** Records where each entry of an encoded list was in the list before. */
export function renumber({ places }: Losses, path: string, before: readonly number[]): void {
  const written = before.map((at) => callerPath(`${path}[${at}]`, places))
  for (const [at, place] of written.entries()) places.set(`${path}[${at}]`, place)
}

/** Records that the path `here` was written as the path `before`. */
export function renamed({ places }: Losses, here: string, before: string): void {
  places.set(here, callerPath(before, places))
}

/** The path, with its longest recorded beginning replaced by the original place. */
function callerPath(path: string, places: ReadonlyMap<string, string>): string {
  for (let end = places.size === 0 ? 0 : path.length; end > 0; ) {
    const place = places.get(path.slice(0, end))
    if (place !== undefined) return place + path.slice(end)
    end = Math.max(path.lastIndexOf('.', end - 1), path.lastIndexOf('[', end - 1))
  }
  return path
}

/** Reports that a prefix is cached for another time than the caller set. */
export function reportTtl(losses: Losses, path: string, sent: string): void {
  reportLoss(
    losses,
    'changed',
    `${path}.metadata.cacheHint`,
    `the target does not have this time: it keeps ${sent}`,
    'info',
  )
}
