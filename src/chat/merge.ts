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
  /** As they have it, where this store has not changed it. */
  const current = (entry: Entry): Entry => {
    const their = isOld(entry) ? inTheirs.get(entry.id) : undefined
    const { branch } = entry
    const tails = branch?.tails.map((tail) => tail.map(current))
    return their || tails ? { ...(their ?? entry), branch: branch && tails && { ...branch, tails } } : entry
  }
  return joined(
    theirs.filter((entry) => inOurs.has(entry.id) || isTheirs(entry)),
    ours.filter((entry) => inTheirs.has(entry.id) || !isOld(entry)),
  ).map(current)
}

/** An entry that both have stands once, where ours has it. */
function joined(theirs: Entries, ours: Entries): Entries {
  // To the first place at which they differ.
  const isSame = (our: Entry, at: number) => our.id === theirs[at]?.id && !our.branch && !theirs[at]?.branch
  const end = ours.findIndex((our, place) => !isSame(our, place))
  const start = end < 0 ? ours.length : end
  // Then to the next entry that both have, in any of its branches. What only one of them has stands before it.
  const places = new Map(theirs.flatMap((their, place) => [...inBranches([their]).keys()].map((id) => [id, place])))
  const placeOf = (our: Entry) => places.get([our.id, ...inBranches([our]).keys()].find((id) => places.has(id)) ?? '')
  const at = ours.findIndex((our, place) => place >= start && placeOf(our) !== undefined)
  const next = ours[at]
  const theirAt = next && placeOf(next)
  if (next === undefined || theirAt === undefined) return inserted(theirs, ours)
  const left = ours.slice(at)
  const [mine, others] = [tailsOf(left), tailsOf(theirs.slice(theirAt))]
  const byFirst = ([first]: Entries, tails: Iterable<Entries>) => [...tails].find(([one]) => one?.id === first?.id)
  const byAny = (tail: Entries, tails: Iterable<Entries>) => {
    const ids = inBranches(tail)
    return [...tails].find((one) => [...inBranches(one).keys()].some((id) => ids.has(id)))
  }
  const twin = mine.some((tail) => byFirst(tail, others)) ? byFirst : byAny
  const [inOurs, alone] = [inBranches(left), new Set(mine)]
  const both = others.map((tail) => {
    const own = twin(tail, alone) ?? []
    alone.delete(own)
    const inOwn = inBranches(own)
    const theirOwn = without(tail, (id) => inOurs.has(id) && !inOwn.has(id))
    return joined(theirOwn, own)
  })
  const before = without(theirs.slice(0, theirAt), (id) => inOurs.has(id))
  const after = branching([...both, ...alone], next.id)
  return [...inserted(before, ours.slice(0, at)), ...after]
}

/** One of these branches, the others kept in its first entry: the branch with this entry, or the first one. */
function branching(tails: readonly Entries[], id: string): Entries {
  const some = tails.filter(({ length }) => length > 0)
  const [first = [], other] = some
  const shown = some.findIndex((tail) => inBranches(tail).has(id))
  return other === undefined ? first : (showing(some, Math.max(shown, 0)) ?? [])
}

/** The entries of all branches but those that are taken out. */
function without(entries: Entries, isOut: (id: string) => boolean): Entries {
  const at = entries.findIndex(({ id, branch }) => branch !== undefined || isOut(id))
  if (at < 0) return entries
  const [first, ...rest] = entries.slice(at)
  const tails = first?.branch && tailsOf(entries.slice(at)).map((tail) => without(tail, isOut))
  return [...entries.slice(0, at), ...(tails ? branching(tails, first.id) : without(rest, isOut))]
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
