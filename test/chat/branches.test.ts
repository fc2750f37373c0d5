/** Edits and regenerated answers: the earlier versions are kept, and can be shown again. */
import { describe, expect, it } from 'vitest'
import type { ChatSnapshot } from '../../src/chat/index.ts'
import { rolesOf } from '../support/makers.ts'
import { memoryPersist, openChat as open, settle } from './open.ts'

/** Each item with its branch: `text` or `text 1/2`. */
const drawn = ({ messages }: ChatSnapshot) =>
  messages.map(({ parts, branch }) => {
    const text = parts.map((part) => ('text' in part ? part.text : part.type)).join()
    return branch ? `${text} ${branch.index + 1}/${branch.count}` : text
  })

describe('another answer', () => {
  it('keeps the previous one with all later messages, and both can be shown', async () => {
    const { chat, answered, say, idAt, now, turns } = open()
    await say('A', 'a')
    await say('B', 'b')
    await answered(chat.regenerate(idAt(1)), 'aa')
    expect(drawn(now())).toEqual(['A', 'aa 2/2'])
    chat.branch(idAt(1), 0)
    expect(drawn(now())).toEqual(['A', 'a 1/2', 'B', 'b'])
    await say('C', 'c')
    const asked = turns.at(-1)?.messages.map(({ content }) => content)
    expect(asked).toMatchObject(['A', [{ text: 'a' }], 'B', [{ text: 'b' }], 'C'])
    chat.branch(idAt(1), 1)
    expect(drawn(now())).toEqual(['A', 'aa 2/2'])
    await answered(chat.regenerate(), 'aaa')
    expect(drawn(now())).toEqual(['A', 'aaa 3/3'])
    chat.branch(idAt(1), 0)
    expect(drawn(now())).toEqual(['A', 'a 1/3', 'B', 'b', 'C', 'c'])
  })

  it('that fails before any content: the user can return to the previous one, and the next answer replaces the failed one', async () => {
    const { chat, answered, say, idAt, now, turns, fail } = open()
    await say('A', 'a')
    const failing = chat.regenerate()
    await fail(new Error('No network'))
    await failing
    expect(now()).toMatchObject({ status: 'error', messages: [{}, { state: 'failed', parts: [] }] })
    await answered(chat.retry(), 'aa')
    expect(drawn(now())).toEqual(['A', 'aa 2/2'])
    const again = chat.regenerate()
    await fail(new Error('No network'))
    await again
    await answered(chat.regenerate(), 'aaa')
    expect(drawn(now())).toEqual(['A', 'aaa 3/3'])
    const once = chat.regenerate()
    await fail(new Error('No network'))
    await once
    chat.branch(idAt(1), 0)
    expect(now()).toMatchObject({ status: 'ready', error: undefined, messages: [{ state: 'done' }, {}] })
    await say('B', 'b')
    expect(rolesOf(turns.at(-1)?.messages)).toBe('user assistant user')
  })
})

describe('another message', () => {
  it('keeps the previous one, including nested branches', async () => {
    const { chat, answered, say, idAt, now } = open()
    await say('A', 'a')
    await answered(chat.regenerate(), 'aa')
    await answered(chat.edit(idAt(0), 'X'), 'x')
    expect(drawn(now())).toEqual(['X 2/2', 'x'])
    chat.branch(idAt(0), 0)
    expect(drawn(now())).toEqual(['A 1/2', 'aa 2/2'])
    chat.branch(idAt(1), 0)
    chat.branch(idAt(0), 1)
    chat.branch(idAt(0), 0)
    expect(drawn(now())).toEqual(['A 1/2', 'a 1/2'])
  })

  it('cancels calls that wait, so that the branch can continue', async () => {
    const { chat, answered, say, waiting, idAt, now, turns } = open()
    await waiting()
    await answered(chat.edit(idAt(0), 'No'), 'Fine')
    chat.branch(idAt(0), 0)
    expect(now()).toMatchObject({ status: 'ready', pending: [] })
    await say('And now?', 'Well')
    expect(rolesOf(turns.at(-1)?.messages)).toBe('user assistant tool user')
  })
})

it('is stored with the chat', async () => {
  const persist = memoryPersist()
  const { chat, answered, say, idAt, now } = open({ id: 'c1', persist })
  await chat.load()
  await say('A', 'a')
  await answered(chat.regenerate(), 'aa')
  await answered(chat.edit(idAt(0), 'X'), 'x')
  const again = open({ id: 'c1', persist })
  await again.chat.load()
  expect(again.now().messages).toEqual(now().messages)
  again.chat.branch(again.idAt(0), 0)
  again.chat.branch(again.idAt(1), 0)
  expect(drawn(again.now())).toEqual(['A 1/2', 'a 1/2'])
  // A page that closes in the middle of another answer does not lose the earlier ones.
  void again.chat.regenerate()
  await settle()
  const last = open({ id: 'c1', persist })
  await last.chat.load()
  expect(last.now().messages[1]).toMatchObject({ state: 'stopped', branch: { index: 2, count: 3 } })
})

it('is refused while a turn is running, and if there is no such branch', async () => {
  const { chat, say, idAt } = open()
  await say('A', 'a')
  expect(() => chat.branch(idAt(1), 1)).toThrow(`"${idAt(1)}" has no branch 1`)
  expect(() => chat.branch('x', 0)).toThrow('the message "x" is unknown')
  void chat.regenerate()
  expect(() => chat.branch(idAt(0), 0)).toThrow('a turn is running')
})
