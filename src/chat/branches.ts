/** The branches of a chat: each edit or regenerated answer starts one, and the entries of all branches are kept. @module */
import type { Branches, Entry } from './entry.ts'

/** Adds an empty branch that replaces these last entries of the chat. Returns `undefined` if there are no entries. */
export function forked(tail: readonly Entry[]): Branches | undefined {
  const [first, ...rest] = tail
  if (first === undefined) return undefined
  // The last attempt has no content: use its branch again.
  if (first.messages.length === 0 && rest.length === 0) return first.branch
  const tails = tailsOf(tail)
  return { index: tails.length, tails: [...tails, []] }
}

/** The entries of each branch that begins here, those of the shown one too. */
export function tailsOf([first, ...rest]: readonly Entry[]): readonly (readonly Entry[])[] {
  if (first === undefined) return []
  const { branch = { index: 0, tails: [[]] }, ...bare } = first
  return branch.tails.map((one, at) => (at === branch.index ? [bare, ...rest] : one))
}

/** The entries of one of these branches, with the others kept in its first entry. `undefined` if there is no such branch. */
export function showing(tails: readonly (readonly Entry[])[], index: number): readonly Entry[] | undefined {
  const [first, ...rest] = tails[index] ?? []
  return first && [{ ...first, branch: { index, tails: tails.map((one, at) => (at === index ? [] : one)) } }, ...rest]
}

/** The entries of all branches, by id. */
export function inBranches(entries: readonly Entry[], all: Map<string, Entry> = new Map()): Map<string, Entry> {
  for (const entry of entries) {
    all.set(entry.id, entry)
    for (const tail of entry.branch?.tails ?? []) inBranches(tail, all)
  }
  return all
}
