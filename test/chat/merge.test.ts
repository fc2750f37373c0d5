/** Joins of what two stores did with one chat, without their timing: each case is a history that only a rare order of steps makes. */
import { expect, it } from 'vitest'
import { inBranches } from '../../src/chat/branches.ts'
import type { Entry } from '../../src/chat/entry.ts'
import { merged } from '../../src/chat/merge.ts'

const entry = (id: string, ...others: readonly (readonly Entry[])[]): Entry => ({
  id,
  role: id.startsWith('a') ? 'assistant' : 'user',
  state: 'done',
  createdAt: 0,
  messages: [{ role: 'user', content: id }],
  ...(others.length > 0 && { branch: { index: others.length, tails: [...others, []] } }),
})

/** The ids, with those of the branches that are not shown in brackets. */
const drawn = (entries: readonly Entry[]): string =>
  entries
    .map(({ id, branch }) => {
      const hidden = branch?.tails.filter((_, at) => at !== branch.index).map((tail) => `[${drawn(tail)}]`)
      return [id, ...(hidden ?? [])].join('')
    })
    .join(' ')

/** Draws what a store makes of theirs and ours, if it knew the chat as `before`. */
const join = (before: readonly Entry[], theirs: readonly Entry[], ours: readonly Entry[]) =>
  drawn(merged(inBranches(before), theirs, ours))

const [q1, a1, q2, q3] = [entry('q1'), entry('a1'), entry('q2'), entry('q3')]

it('an answer that we added, and an edit of theirs of the message after it', () => {
  const theirs = [q1, entry('e2', [q2]), entry('a2')]
  expect(join([q1, q2], theirs, [q1, a1, q2])).toBe('q1 a1 q2[e2 a2]')
})

it('an answer that they added, and an edit of ours of the message after it', () => {
  const ours = [q1, entry('e2', [q2]), entry('a2')]
  expect(join([q1, q2], [q1, a1, q2], ours)).toBe('q1 a1 e2[q2] a2')
})

it('an edit of each, below an answer that only one has', () => {
  const theirs = [q1, a1, entry('e2', [q2])]
  const ours = [q1, entry('f2', [q2, q3])]
  expect(join([q1, q2], theirs, ours)).toBe('q1 a1 f2[q2 q3][e2]')
})

it('a message of ours that is in the middle of a branch of theirs', () => {
  const theirs = [q1, entry('a3', [entry('a2'), q2])]
  expect(join([q1, q2], theirs, [q1, a1, q2])).toBe('q1 a1 a2[a3] q2')
})

it('a message of theirs that is in the middle of a branch of ours', () => {
  const ours = [q1, entry('a3', [entry('a2'), q2])]
  expect(join([q1, q2], [q1, a1, q2], ours)).toBe('q1 a1 a3[a2 q2]')
})

it('two messages in another order: ours counts, and a change of theirs is kept', () => {
  const changed: Entry = { ...q3, state: 'failed' }
  const all = merged(inBranches([q1, q2, q3]), [q1, changed, q2], [q1, q2, q3, entry('q4')])
  expect(drawn(all)).toBe('q1 q2 q3 q4')
  expect(all[2]?.state).toBe('failed')
})

it('two messages of ours that are in two branches of theirs', () => {
  const [c0, q4] = [entry('c0'), entry('q4')]
  const theirs = [entry('q3', [q1, c0]), a1]
  expect(join([q1], theirs, [q1, q3, a1, q4])).toBe('q1 c0 q3 a1 q4')
  expect(join([q1], [entry('q3', [q1, c0]), a1, entry('q5')], [q1, q3, a1, q4])).toBe('q1[q5] c0 q3 a1 q4')
})
