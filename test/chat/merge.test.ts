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

const [q1, a1, q2, q3] = [entry('q1'), entry('a1'), entry('q2'), entry('q3')]

const answered = [q1, a1, q2]
const [c0, q4] = [entry('c0'), entry('q4')]
const edited = [q1, entry('e2', [q2]), entry('a2')]
const within = [q1, entry('a3', [entry('a2'), q2])]
const below = [q1, a1, entry('e2', [q2])]
const f2 = entry('f2', [q2, q3])
const branching = [entry('q3', [q1, c0]), a1]
const before = [q1, q2]
const ordered = [q1, q3, a1, q4]

it.each<[string, before: readonly Entry[], theirs: readonly Entry[], ours: readonly Entry[], string]>([
  ['an answer that we added, and an edit of theirs after it', before, edited, answered, 'q1 a1 q2[e2 a2]'],
  ['an answer that they added, and an edit of ours after it', before, answered, edited, 'q1 a1 e2[q2] a2'],
  ['an edit of each, below an answer that only one has', before, below, [q1, f2], 'q1 a1 f2[q2 q3][e2]'],
  ['a message of ours in the middle of a branch of theirs', before, within, answered, 'q1 a1 a2[a3] q2'],
  ['a message of theirs in the middle of a branch of ours', before, answered, within, 'q1 a1 a3[a2 q2]'],
  ['two messages of ours in two branches of theirs', [q1], branching, ordered, 'q1 c0 q3 a1 q4'],
  ['the same, with a message of theirs', [q1], [...branching, entry('q5')], ordered, 'q1[q5] c0 q3 a1 q4'],
])('%s', (_, known, theirs, ours, all) => {
  expect(drawn(merged(inBranches(known), theirs, ours))).toBe(all)
})

it('two messages in another order: ours counts, and a change of theirs is kept', () => {
  const changed: Entry = { ...q3, state: 'failed' }
  const all = merged(inBranches([q1, q2, q3]), [q1, changed, q2], [q1, q2, q3, q4])
  expect(drawn(all)).toBe('q1 q2 q3 q4')
  expect(all[2]?.state).toBe('failed')
})
