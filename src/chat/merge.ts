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
  const textOf = (entry: Entry | undefined) => JSON.stringify([entry?.state, entry?.messages])
  const isTheirs = (entry: Entry) => textOf(known.get(entry.id)) !== textOf(entry)
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
  const inTheirs = inBranches(theirs)
  const latest = (our: Entry): Entry => {
    const their = isOld(our) ? inTheirs.get(our.id) : undefined
    return their ? { ...their, branch: our.branch ?? their.branch } : our
  }
  // To the first place at which they differ.
  const isSame = (our: Entry, at: number) => our.id === theirs[at]?.id && !our.branch && !theirs[at]?.branch
  const at = ours.findIndex((our, place) => !isSame(our, place))
  const [mine, others] = at < 0 ? [[], []] : [tailsOf(ours.slice(at)), tailsOf(theirs.slice(at))]
  const twin = ([first]: Entries, tails: readonly Entries[]) => tails.find(([one]) => one?.id === first?.id)
  if (!mine.some((tail) => twin(tail, others))) return inserted(theirs, ours.map(latest))
  const tails = [
    ...others.map((tail) => joined(tail, twin(tail, mine) ?? tail, isOld)),
    ...mine.filter((tail) => !twin(tail, others)),
  ]
  const shown = tails.findIndex(([first]) => first?.id === ours[at]?.id)
  return [...ours.slice(0, at).map(latest), ...(showing(tails, shown) ?? [])]
}

/** Our entries, with each of theirs below the one that it follows there. An answer stays below its question. */
function inserted(theirs: Entries, ours: Entries): Entries {
  const all = [...ours]
  let at = 0
  for (const their of theirs) {
    const known = all.findIndex(({ id }) => id === their.id)
    if (known < 0) {
      while (isAnswer(all[at]) && !isAnswer(their)) at++
      all.splice(at, 0, their)
    } else at = known
    at++
  }
  return all
}

function isAnswer(entry: Entry | undefined): boolean {
  return entry?.role === 'assistant'
}
