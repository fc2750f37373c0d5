/** Paths that count what the caller wrote, after a list was sorted, filtered or rebuilt. @module */

/** For lists that were sorted, filtered or rebuilt: the earlier place of each entry. */
const writtenPlaces = /* @__PURE__ */ new WeakMap<readonly unknown[], readonly string[]>()

/** Records the original places of a list's entries, so that losses name them. Returns the list. */
export function withPlaces<T extends readonly unknown[]>(list: T, places: readonly string[]): T {
  writtenPlaces.set(list, places)
  return list
}

/** The original places of a list's entries, if it is not the caller's list. */
export function placesIn(list: readonly unknown[]): readonly string[] | undefined {
  return writtenPlaces.get(list)
}

/** The original places of a list's entries. A caller's list is at `path`. */
export function placesOf(list: readonly unknown[], path: string): readonly string[] {
  return writtenPlaces.get(list) ?? list.map((_, at) => `${path}[${at}]`)
}
