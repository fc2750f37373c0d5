/** The state of `createChat` that a view can follow. */
import { describe, expect, it } from 'vitest'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { createChat, message } from '../../src/index.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { chatText, chunks, json } from '../support/upstream.ts'

const upstream = ownUpstream()
const open = () => createChat({ model: openaiChat('m', { baseUrl: upstream.url }), retries: 0 })

describe('the snapshot of a chat', () => {
  it('changes only when a turn begins, streams and ends', async () => {
    upstream.answer(chunks(chatText('Hello')))
    const chat = open()
    const seen = [chat.getSnapshot()]
    expect(chat.getSnapshot()).toBe(seen[0])
    const unsubscribe = chat.subscribe(() => seen.push(chat.getSnapshot()))
    await chat.send('Hi')
    unsubscribe()
    chat.add(message.user('Bye'))
    expect(seen.map(({ status, isBusy, messages }) => [status, isBusy, messages.length])).toEqual([
      ['ready', false, 0],
      ['submitted', true, 0],
      ['streaming', true, 0],
      ['ready', false, 2],
    ])
    expect(chat.getSnapshot().messages).toHaveLength(3)
    expect(seen.at(-1)?.messages).toHaveLength(2)
    expect(seen.at(-1)?.usage).toBe(chat.usage)
  })

  it('has the error of a turn that failed, until the next one', async () => {
    upstream.answer(json({ error: { message: 'No' } }, 400), chunks(chatText('Hello')))
    const chat = open()
    const error = await chat.send('Hi').catch((cause: unknown) => cause)
    expect(chat.getSnapshot()).toMatchObject({ status: 'error', isBusy: false, error })
    await chat.send('Hi')
    expect(chat.getSnapshot()).toMatchObject({ status: 'ready', error: undefined })
  })

  it('has no error of a turn that was cancelled or left', async () => {
    upstream.answer(chunks(chatText('Hello'), { after: 'hang' }))
    const chat = open()
    for await (const _ of chat.stream('Hi')) break
    expect(chat.getSnapshot()).toMatchObject({ status: 'ready', error: undefined })
    const sent = chat.send('Hi')
    chat.cancel()
    await expect(sent).rejects.toThrow('cancelled')
    expect(chat.getSnapshot()).toMatchObject({ status: 'ready', error: undefined })
  })
})
