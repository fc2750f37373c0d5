/** Where a chat was said or answered differently: all that followed each time is kept. @module */
import type { Branches, Entry } from './entry.ts'

/** The branches with a new one beside this end of the chat. `undefined` if there is no such end. */
export function forked(tail: readonly Entry[]): Branches | undefined {
  const [first] = tail
  if (first === undefined) return undefined
  if (first.messages.length === 0) return first.branch // nothing came of it
  const tails = tailsOf(tail)
  return { index: tails.length, tails: [...tails, []] }
}

/** The end of the chat with another of its branches. `undefined` if there is no such branch. */
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
