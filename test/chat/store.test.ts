/** The store of a chat: what a page sees while a turn goes on, and what each method does. */
import { describe, expect, it } from 'vitest'
import { type ChatSnapshot, createChatStore } from '../../src/chat/index.ts'
import { answer, scripted } from './scripted.ts'

describe('send', () => {
  it('shows the message before anything is awaited, then the answer, then that it is ready', async () => {
    const script = scripted()
    const chat = createChatStore({ transport: script.transport, throttleMs: 0 })
    const seen: ChatSnapshot[] = []
    chat.subscribe(() => seen.push(chat.getSnapshot()))
    const sent = chat.send('Hi')
    expect(chat.getSnapshot()).toMatchObject({
      status: 'submitted',
      isBusy: true,
      messages: [{ role: 'user', state: 'sending', parts: [{ type: 'text', text: 'Hi' }] }],
    })
    await script.push({ type: 'message_start' }, { type: 'text_delta', index: 0, text: 'Hel' })
    expect(chat.getSnapshot()).toMatchObject({
      status: 'streaming',
      messages: [
        { state: 'done' },
        { role: 'assistant', state: 'streaming', parts: [{ text: 'Hel', state: 'streaming' }] },
      ],
    })
    await script.push({ type: 'text_delta', index: 0, text: 'lo' }, ...answer('Hello'))
    await script.end()
    await sent
    expect(chat.getSnapshot()).toMatchObject({
      status: 'ready',
      isBusy: false,
      outcome: 'answered',
      messages: [{}, { state: 'done', parts: [{ text: 'Hello', state: 'done' }] }],
    })
    const ids = (at: number) => new Set(seen.flatMap(({ messages }) => messages[at]?.id ?? []))
    expect([ids(0).size, ids(1).size]).toEqual([1, 1])
  })
})
