/** No order of what a user, a page and a network do loses a message, doubles one, or puts it in another's place. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createChatStore } from '../../src/chat/index.ts'
import { isExhaustive } from '../support/cuts.ts'
import { type OpenPage, stepNames, wrongAfter } from './orders.ts'

const openStore: OpenPage = (options, first) => {
  const chat = createChatStore(options)
  if (first !== undefined) void chat.send(first)
  void chat.load()
  return { now: chat.getSnapshot, actions: chat, leave: chat.leave }
}

/** Where runs are not named, there is one store, and its branches are not switched. */
const ofOne = stepNames.filter((name) => !['branch', 'second'].includes(name))

it.each([
  ['names the question of a run that it resumes', true, stepNames],
  ['does not', false, ofOne],
])(
  'with a transport that %s',
  async (_, isNamed, names) => {
    const steps = fc.array(fc.tuple(fc.constantFrom(...names), fc.nat(11)), { maxLength: 18 })
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        expect(await wrongAfter(taken, openStore, isNamed)).toEqual([])
      }),
      { seed: 37, numRuns: isExhaustive ? 8000 : 200 },
    )
  },
  600_000,
)
