/** Joins what two stores did with one chat, for example in two tabs. @module */
import { inBranches, showing, tailsOf } from './branches.ts'
import type { Entry } from './entry.ts'

type Entries = readonly Entry[]

/**
 * The entries of the storage with what this store did since it knew them. What either of the two removed is gone, unless the other one
 * changed it. Messages that both added stand one after the other; versions of one message that both made are branches, and ours is shown.
 *
 * @param known the stored entries of all branches that this store has read or written last, by id
 */
export function merged(known: ReadonlyMap<string, Entry>, theirs: Entries, ours: Entries): Entries {
  const isOld = ({ id, messages, state }: Entry) => {
    const before = known.get(id)
    return before?.messages === messages && before.state === state && state !== 'sending' && state !== 'streaming'
  }
  const isTheirs = ({ id, messages }: Entry) => JSON.stringify(known.get(id)?.messages) !== JSON.stringify(messages)
  const [inTheirs, inOurs] = [inBranches(theirs), inBranches(ours)]
  if (known.size === inOurs.size && ours.every(isOld)) return theirs
  return joined(
    theirs.filter((entry) => inOurs.has(entry.id) || isTheirs(entry)),
    ours.filter((entry) => inTheirs.has(entry.id) || !isOld(entry)),
    isOld,
  )
}

/** @param isOld whether this store has not changed an entry since it knew it */
function joined(theirs: Entries, ours: Entries, isOld: (our: Entry) => boolean): Entries {
  const twinOf = ({ id }: Entry, at: number) => (theirs[at]?.id === id ? theirs[at] : undefined)
  // To the first place at which they differ.
  const isSame = (our: Entry, at: number) => twinOf(our, at) && !our.branch && !theirs[at]?.branch
  const end = ours.findIndex((our, at) => !isSame(our, at))
  const at = end < 0 ? ours.length : end
  const head = ours.slice(0, at).map((our, place) => (isOld(our) && twinOf(our, place)) || our)
  const isAnswer = (entry: Entry | undefined) => entry?.role === 'assistant'
  // An answer stands below its question.
  if (isAnswer(ours[at]) && theirs[at] && !isAnswer(theirs[at])) {
    return [...head, ...ours.slice(at, at + 1), ...joined(theirs.slice(at), ours.slice(at + 1), isOld)]
  }
  const [mine, others] = [tailsOf(ours.slice(at)), tailsOf(theirs.slice(at))]
  const twin = ([first]: Entries, tails: readonly Entries[]) => tails.find(([one]) => one?.id === first?.id)
  const isRelated = mine.some((tail) => twin(tail, others)) || (isAnswer(ours[at]) && isAnswer(theirs[at]))
  if (!isRelated) {
    const added = inBranches(ours.slice(at))
    return [...head, ...theirs.slice(at).filter(({ id }) => !added.has(id)), ...ours.slice(at)]
  }
  const tails = [
    ...others.map((tail) => joined(tail, twin(tail, mine) ?? tail, isOld)),
    ...mine.filter((tail) => !twin(tail, others)),
  ]
  const shown = tails.findIndex(([first]) => first?.id === ours[at]?.id)
  return [...head, ...(showing(tails, shown) ?? [])]
}
