/** The branches of a chat: each edit or regenerated answer starts one, and the entries of all branches are kept. @module */
import type { Branches, Entry } from './entry.ts'

/** Adds an empty branch that replaces these last entries of the chat. Returns `undefined` if there are no entries. */
export function forked(tail: readonly Entry[]): Branches | undefined {
  const [first] = tail
  if (first === undefined) return undefined
  if (first.messages.length === 0) return first.branch // the last attempt has no content: use its branch again
  const tails = tailsOf(tail)
  return { index: tails.length, tails: [...tails, []] }
}

/** Returns the entries of another branch. `undefined` if there is no such branch. */
export function switched(tail: readonly Entry[], index: number): readonly Entry[] | undefined {
  const tails = tailsOf(tail)
  const [first, ...rest] = tails[index] ?? []
  if (first === undefined) return undefined
  return [{ ...first, branch: { index, tails: tails.map((one, at) => (at === index ? [] : one)) } }, ...rest]
}

function tailsOf([first, ...rest]: readonly Entry[]): readonly (readonly Entry[])[] {
  if (first === undefined) return []
  const { branch, ...bare } = first
  const { index, tails } = branch ?? { index: 0, tails: [[]] }
  return tails.map((one, at) => (at === index ? [bare, ...rest] : one))
}
