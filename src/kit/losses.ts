/** Losses: what an encoder dropped, changed or made up, and which of it is an error. @module */
import { UnsupportedError } from '../core/errors.ts'
import type { Loss, RequestOptions } from '../core/model.ts'

/** Where one encode writes its losses. */
export interface Losses {
  /** The target of messages, for the text of a loss: `Anthropic`. */
  readonly target: string
  readonly list: Loss[]
  readonly strict: RequestOptions['strict']
  /** Where something stood in the lists that the caller wrote, by where it stands in those that are encoded. */
  readonly places: Map<string, string>
}

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
  into: Losses,
  action: Loss['action'],
  path: string,
  reason: string,
  severity: Loss['severity'] = 'minor',
): void {
  const loss: Loss = { path: writtenPath(path, into.places), action, reason, severity }
  if (isError(loss, into.strict)) {
    throw new UnsupportedError(`Cannot encode for ${into.target}: "${loss.path}" would be ${action}: ${reason}`, loss)
  }
  into.list.push(loss)
}

function isError(loss: Loss, strict: RequestOptions['strict']): boolean {
  if (typeof strict === 'function') return strict(loss)
  if (strict === undefined) return loss.severity === 'major'
  return strict && loss.severity !== 'info'
}

// ---- paths that count what the caller wrote ---------------------------------------------------

/** For lists that were sorted, filtered or put together anew: where each entry stood before. */
const writtenPlaces = /* @__PURE__ */ new WeakMap<readonly unknown[], readonly string[]>()

/** Remembers where the entries of a list stood, so that losses name that place. Returns the list. */
export function standing<T extends readonly unknown[]>(list: T, places: readonly string[]): T {
  writtenPlaces.set(list, places)
  return list
}

/** Where the entries of a list stood, if it is another list than the caller's. */
export function placesIn(list: readonly unknown[]): readonly string[] | undefined {
  return writtenPlaces.get(list)
}

/** Remembers of a list that is encoded where each entry stood in the list before it. */
export function renumber({ places }: Losses, path: string, before: readonly number[]): void {
  const written = before.map((at) => writtenPath(`${path}[${at}]`, places))
  for (const [at, place] of written.entries()) places.set(`${path}[${at}]`, place)
}

/** Remembers that what is encoded as the one was written as the other. */
export function renamed({ places }: Losses, here: string, before: string): void {
  places.set(here, writtenPath(before, places))
}

/** The path with its longest known beginning replaced by the place where that stood. */
function writtenPath(path: string, places: ReadonlyMap<string, string>): string {
  for (let end = places.size === 0 ? 0 : path.length; end > 0; ) {
    const place = places.get(path.slice(0, end))
    if (place !== undefined) return place + path.slice(end)
    end = Math.max(path.lastIndexOf('.', end - 1), path.lastIndexOf('[', end - 1))
  }
  return path
}

/** Writes down that a prefix is kept for another time than the one asked for. */
export function reportTtl(into: Losses, path: string, sent: string): void {
  reportLoss(
    into,
    'changed',
    `${path}.metadata.cacheHint`,
    `the target does not have this time: it keeps ${sent}`,
    'info',
  )
}
