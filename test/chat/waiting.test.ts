/** A chat that opens with a history from the server, in which calls wait for a decision. */
import { describe, expect, it } from 'vitest'
import { createChatStore, fetchTransport } from '../../src/chat/index.ts'
import { approval, generate, type Message, t, tool } from '../../src/index.ts'
import { call, mockModel } from '../../src/test/index.ts'
import { routed } from './routed.ts'

describe('with a decision that is awaited', () => {
  it.each([
    ['one call', [call('pay', { n: 1 })]],
    ['two calls', [call('pay', { n: 1 }), call('pay', { n: 2 })]],
    ['one of two calls', [call('look', {}), call('pay', { n: 1 })]],
  ])('%s', async (_name, calls) => {
    const ran: number[] = []
    const pay = tool({
      name: 'pay',
      parameters: t.object({ n: t.number() }),
      needsApproval: approval(),
      execute: ({ n }) => `paid ${ran.push(n)}`,
    })
    const tools = [pay, tool({ name: 'look', execute: () => 'seen' })]
    const model = mockModel([{ calls }, 'Done.'])
    const { messages: history } = await generate({ model, prompt: 'Pay', tools })
    const chat = createChatStore({
      id: 'c',
      messages: JSON.parse(JSON.stringify(history)) as Message[],
      transport: routed({ model, tools }, history),
    })
    const { status, pending, messages } = chat.getSnapshot()
    const due = calls.filter(({ name }) => name === 'pay')
    expect([status, pending.map(({ name }) => name)]).toEqual(['waiting', due.map(() => 'pay')])
    const parts = messages[1]?.parts.flatMap((part) => (part.type === 'tool' ? [[part.name, part.state]] : []))
    expect(parts).toEqual(calls.map(({ name }) => [name, name === 'pay' ? 'waiting' : 'done']))
    for (const { id } of pending) await chat.approve(id, true)
    expect(ran).toEqual(due.map((_, at) => at + 1))
    expect(chat.getSnapshot()).toMatchObject({ status: 'ready', pending: [] })
    expect(chat.getSnapshot().messages.at(-1)?.parts.at(-1)).toMatchObject({ type: 'text', text: 'Done.' })
  })
})

it('a history that goes on after its calls waits for nothing', () => {
  const asked: Message[] = [
    { role: 'user', content: 'Pay' },
    {
      role: 'assistant',
      content: [
        {
          type: 'tool_call',
          id: 'c',
          name: 'pay',
          arguments: {},
          argumentsText: '{}',
          index: 0,
          complete: true,
          approvalId: 'a',
        },
      ],
    },
    { role: 'user', content: 'Leave it' },
  ]
  const chat = createChatStore({ id: 'c', messages: asked, transport: fetchTransport() })
  expect(chat.getSnapshot()).toMatchObject({ status: 'ready', pending: [] })
})
