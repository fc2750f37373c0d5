/** Tests how often a store publishes, and that it leaves no timer running. */
import { describe, expect, it, vi } from 'vitest'
import { createChatStore, runTransport } from '../../src/chat/index.ts'
import { message, type StreamEvent } from '../../src/index.ts'
import { settle } from './open.ts'
import { answer, scripted } from './scripted.ts'

const stopClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
const pieces = (count: number): StreamEvent[] =>
  Array.from({ length: count }, () => ({ type: 'text_delta', index: 0, text: 'ab ' }))

describe('while an answer streams', () => {
  it('publishes at most once a frame, and status changes immediately', async () => {
    stopClock()
    const { transport, push, end } = scripted()
    const chat = createChatStore({ transport })
    let published = 0
    chat.subscribe(() => published++)
    const sent = chat.send('Count')
    await push({ type: 'message_start' })
    const before = published
    for (let at = 0; at < 300; at++) {
      await push(...pieces(1))
      vi.advanceTimersByTime(1)
    }
    const most = Math.ceil(300 / 16)
    expect(published - before).toBeLessThanOrEqual(most)
    expect(published - before).toBeGreaterThanOrEqual(most - 2)
    await push(...answer('ab '.repeat(300)))
    await end()
    await sent
    expect(chat.getSnapshot().status).toBe('ready')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('publishes a change after a pause immediately, and so each delta of a slow stream', async () => {
    stopClock()
    const { transport, push } = scripted()
    const chat = createChatStore({ transport })
    void chat.send('Count')
    await push({ type: 'message_start' })
    const lengths: number[] = []
    chat.subscribe(() => {
      const part = chat.getSnapshot().messages[1]?.parts[0]
      lengths.push(part !== undefined && 'text' in part ? part.text.length : 0)
    })
    for (let at = 0; at < 5; at++) {
      vi.advanceTimersByTime(40)
      await push(...pieces(1))
    }
    expect(lengths.filter((length) => length > 0)).toEqual([3, 6, 9, 12, 15])
    chat.dispose()
  })

  it('shows the published state, not later changes', async () => {
    stopClock()
    const { transport, push } = scripted()
    const chat = createChatStore({ transport })
    void chat.send('Count')
    await push({ type: 'message_start' }, ...pieces(1))
    const shown = chat.getSnapshot()
    await push(...pieces(10))
    expect(chat.getSnapshot()).toBe(shown)
    vi.advanceTimersByTime(50)
    expect(chat.getSnapshot()).not.toBe(shown)
    chat.dispose()
  })

  it('does the same work for an event with or without 2,000 messages before it', async () => {
    const reads = { count: 0 }
    const counted = (at: number) =>
      new Proxy(message.user(String(at)), {
        get(target, key, receiver) {
          reads.count++
          return Reflect.get(target, key, receiver)
        },
      })
    const { transport, push } = scripted()
    const chat = createChatStore({ transport, messages: Array.from({ length: 2000 }, (_, at) => counted(at)) })
    void chat.send('More')
    await push({ type: 'message_start' })
    reads.count = 0
    await push(...pieces(500))
    expect(reads.count).toBe(0)
    chat.dispose()
  })
})

describe('a listener', () => {
  it('that throws is reported as uncaught, and does not break the turn or the other listeners', async () => {
    const uncaught: unknown[] = []
    const listeners = process.listeners('uncaughtException')
    process.removeAllListeners('uncaughtException')
    process.on('uncaughtException', (cause) => uncaught.push(cause))
    const { transport, push, end } = scripted()
    const chat = createChatStore({ transport })
    const second = vi.fn()
    const unsubscribe = chat.subscribe(() => {
      throw new Error('of a component')
    })
    chat.subscribe(second)
    const sent = chat.send('Hi')
    unsubscribe()
    await push({ type: 'message_start' }, ...answer('Hello'))
    await end()
    await sent
    process.removeAllListeners('uncaughtException')
    for (const listener of listeners) process.on('uncaughtException', listener)
    expect(uncaught).toMatchObject([{ message: 'of a component' }])
    expect(second.mock.calls.length).toBeGreaterThan(1)
    expect(chat.getSnapshot().status).toBe('ready')
  })
})

describe('dispose', () => {
  it('of 1,000 stores in the middle of an answer leaves no timer, no listener and no turn', async () => {
    stopClock()
    const told = vi.fn()
    let left = 0
    const transport = runTransport(({ signal }) => ({
      async *batches() {
        try {
          yield [{ type: 'message_start' }, ...pieces(1)]
          yield pieces(1)
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        } finally {
          left++
        }
      },
    }))
    const chats = Array.from({ length: 1000 }, () => createChatStore({ transport }))
    const sent = chats.map((chat) => {
      chat.subscribe(told)
      return chat.send('Hi')
    })
    await settle()
    told.mockClear()
    // Code of other tests in this process may set timers too. So the test counts the timers that `dispose` itself ends at once.
    const timers = vi.getTimerCount()
    for (const chat of chats) chat.dispose()
    expect(timers - vi.getTimerCount()).toBe(1000)
    for (const chat of chats) chat.dispose()
    await Promise.all(sent)
    expect([left, told.mock.calls.length]).toEqual([1000, 0])
  })

  it('making a store starts no timer and sends no request', () => {
    vi.useFakeTimers()
    const { transport, turns } = scripted()
    createChatStore({ transport })
    expect([vi.getTimerCount(), turns.length]).toEqual([0, 0])
  })
})
