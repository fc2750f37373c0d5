/** Paths that count what the caller wrote, after a list was sorted, filtered or rebuilt. @module */

/**
 * For lists that were sorted, filtered or rebuilt: the caller's place of each entry. By the identity of the list: a copy of it has none, and is
 * taken for the caller's.
 */
const callerPlaces = /* @__PURE__ */ new WeakMap<readonly unknown[], readonly string[]>()

/** Records the original places of a list's entries, so that losses name them. Returns the list. */
export function withPlaces<T extends readonly unknown[]>(list: T, places: readonly string[]): T {
  callerPlaces.set(list, places)
  return list
}

/** The original places of a list's entries, if it is not the caller's list. */
export function placesIn(list: readonly unknown[]): readonly string[] | undefined {
  return callerPlaces.get(list)
}

/** The original places of a list's entries. A caller's list is at `path`. */
export function placesOf(list: readonly unknown[], path: string): readonly string[] {
  return callerPlaces.get(list) ?? list.map((_, at) => `${path}[${at}]`)
}
