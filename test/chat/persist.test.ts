/** A chat that is stored, and read again. */
import { describe, expect, it, vi } from 'vitest'
import { createChatStore, idbPersist, localPersist, type StoredChat } from '../../src/chat/index.ts'
import { message } from '../../src/index.ts'
import { block } from '../../src/messages/block.ts'
import { memoryPersist, openChat, settle, start, text } from './open.ts'
import { scripted } from './scripted.ts'

describe('a stored chat', () => {
  it('has the same ids after another store has loaded it', async () => {
    const persist = memoryPersist()
    const { chat, say, transport } = openChat({ persist, id: 'c1' })
    await say('Hi', 'Hello')
    const again = createChatStore({ transport, persist, id: 'c1' })
    expect(again.getSnapshot().messages).toEqual([])
    await again.load()
    expect(again.getSnapshot().messages).toEqual(chat.getSnapshot().messages)
    expect(again.getSnapshot().messages).toMatchObject([{ state: 'done' }, { state: 'done' }])
    expect(again.getServerSnapshot().messages).toEqual([])
  })

  it('has the user’s message before the answer arrives; its turn was stopped when the page closed', async () => {
    const persist = memoryPersist()
    const { transport } = scripted()
    void createChatStore({ transport, persist, id: 'c1' }).send('Hi')
    await settle()
    const again = createChatStore({ transport, persist, id: 'c1' })
    await again.load()
    expect(again.getSnapshot()).toMatchObject({ status: 'ready', messages: [{ state: 'stopped' }] })
  })

  it.each([
    ['before its first event', [], ['send', ['Hi'], undefined]],
    ['in the middle of its answer', [start, text('He')], ['regenerate', ['Hi'], true]],
  ])('can ask again where its turn was stopped %s, also after it looked for a run', async (_, events, expected) => {
    const persist = memoryPersist()
    const before = openChat({ persist, id: 'c1' })
    void before.chat.send('Hi')
    await settle()
    await before.push(...events)
    await before.chat.stop()
    await settle()
    const { chat: again, answered, turns } = openChat({ resume: async () => undefined, persist, id: 'c1' })
    await again.load()
    expect(await again.resume()).toBe(false)
    const answerId = again.getSnapshot().messages[1]?.id
    await answered(again.retry(), 'Hello')
    const [turn] = turns
    const isOfAnswer = answerId === undefined ? undefined : turn?.messageId === answerId
    expect([turn?.trigger, turn?.messages.map(({ content }) => content), isOfAnswer]).toEqual(expected)
    const shown = again.getSnapshot().messages.map(({ state, parts }) => `${state} ${parts.length}`)
    expect(shown).toEqual(['done 1', 'done 1'])
    await expect(again.retry()).rejects.toThrow('no turn failed or was stopped')
  })

  it('waits for the same calls', async () => {
    const persist = memoryPersist()
    const { transport, turns, waiting } = openChat({ persist, id: 'c1' })
    await waiting()
    const again = createChatStore({ transport, persist, id: 'c1' })
    await again.load()
    expect(again.getSnapshot()).toMatchObject({ status: 'waiting', pending: [{ id: 'c1' }] })
    expect(again.getSnapshot().messages[1]?.parts).toMatchObject([{ type: 'tool', state: 'waiting' }])
    void again.approve('c1', true)
    expect(turns.at(-1)).toMatchObject({ trigger: 'approval', messages: [{}, { role: 'assistant' }] })
  })

  it('does not replace messages that were sent while it was read', async () => {
    const persist = memoryPersist()
    const { transport } = scripted()
    const stored: StoredChat = { version: 1, updatedAt: 0, pending: [], entries: [] }
    await persist.save('c1', stored)
    const chat = createChatStore({ transport, persist, id: 'c1' })
    const loaded = chat.load()
    void chat.send('Hi')
    await loaded
    expect(chat.getSnapshot()).toMatchObject({ status: 'submitted', messages: [{ state: 'sending' }] })
  })

  it('is removed by clear, and a failure to store it goes only to onError', async () => {
    const chats = new Map<string, string>()
    const persist = memoryPersist(chats)
    const onError = vi.fn()
    const { transport } = scripted()
    const chat = createChatStore({ transport, persist, id: 'c1', messages: [message.user('A')], onError })
    chat.setMessages([message.user('B')])
    await settle()
    expect(chats.size).toBe(1)
    chat.clear()
    await settle()
    expect(chats.size).toBe(0)
    const full = new Error('full')
    const failing = createChatStore({ transport, persist: { ...persist, save: () => Promise.reject(full) }, onError })
    failing.setMessages([])
    await settle()
    expect(onError.mock.calls).toEqual([[full]])
    expect(failing.getSnapshot().status).toBe('ready')
  })

  it('of a version that is not known is refused', async () => {
    const { transport } = scripted()
    const persist = { ...memoryPersist(), load: async () => ({ version: 2 }) as never }
    await expect(createChatStore({ transport, persist, id: 'c1' }).load()).rejects.toThrow('its version 2 is unknown')
  })
})

describe('localPersist', () => {
  const entry = (data: string) => ({
    id: 'm',
    role: 'user' as const,
    state: 'done' as const,
    messages: [message.user([block.text('Look'), { type: 'image' as const, data, mimeType: 'image/png' }])],
  })
  const chatOf = (data: string): StoredChat => ({ version: 1, updatedAt: 1, pending: [], entries: [entry(data)] })

  function stub(maxLength: number) {
    const items = new Map<string, string>()
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => items.get(key) ?? null,
      setItem(key: string, value: string) {
        if (value.length > maxLength) throw new DOMException('no room', 'QuotaExceededError')
        items.set(key, value)
      },
      removeItem: (key: string) => items.delete(key),
    })
    return items
  }

  it('reads the data that it wrote, under its prefix', async () => {
    const items = stub(10_000)
    const persist = localPersist('mine:')
    await persist.save('c1', chatOf('AAAA'))
    expect([...items.keys()]).toEqual(['mine:c1'])
    expect(await persist.load('c1')).toEqual(chatOf('AAAA'))
    await persist.remove('c1')
    expect(await persist.load('c1')).toBeUndefined()
  })

  it('stores a chat without the bytes of its media if there is not enough space for them', async () => {
    stub(500)
    const persist = localPersist()
    await persist.save('c1', chatOf('A'.repeat(1000)))
    const stored = await persist.load('c1')
    expect(stored?.entries[0]?.messages[0]?.content).toEqual([
      { type: 'text', text: 'Look' },
      { type: 'text', text: '[image: not stored, there was no room]' },
    ])
  })

  it('rejects with the error of the browser if there is no space at all', async () => {
    stub(10)
    await expect(localPersist().save('c1', chatOf('A'))).rejects.toThrow('no room')
  })
})

it('idbPersist opens no database until it is called', () => {
  expect(() => idbPersist()).not.toThrow()
})
