/** No order of what a user, a page and a network do loses a message, doubles one, or puts it in another's place. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createChatStore } from '../../src/chat/index.ts'
import { type OpenPage, type Step, wrongAfter } from './orders.ts'

const openStore: OpenPage = (options) => {
  const chat = createChatStore(options)
  void chat.load()
  return { now: chat.getSnapshot, actions: chat, leave: chat.leave }
}

const names = [
  'send',
  'send',
  'stop',
  'retry',
  'resume',
  'load',
  'regenerate',
  'edit',
  'branch',
  'reload',
  'leave',
  'second',
  'make',
  'make',
  'finish',
  'wait',
]
/** A transport that does not name the question has one store, and no branches. */
const ofOne = names.filter((name) => !['branch', 'second'].includes(name))

it.each([
  ['names the question of a run that it resumes', true],
  ['does not', false],
])('with a transport that %s', async (_, isNamed) => {
  const step = fc.tuple(fc.constantFrom(...(isNamed ? names : ofOne)), fc.nat(11))
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 18 }), async (steps) => {
      expect(await wrongAfter(steps as Step[], openStore, isNamed)).toEqual([])
    }),
    { seed: Number(process.env.SEED ?? 37), numRuns: Number(process.env.RUNS ?? 300) },
  )
})
