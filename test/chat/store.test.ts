/** The store of a chat: the states that a page sees during a turn, and the effect of each method. */
import { describe, expect, it, vi } from 'vitest'
import { type ChatSnapshot, createChatStore, runTransport } from '../../src/chat/index.ts'
import { ApiError, InterruptedError, message } from '../../src/index.ts'
import { block } from '../../src/messages/block.ts'
import { openChat as open, settle, start, text } from './open.ts'
import { answer, done } from './scripted.ts'

/** A short form of what a page draws of a snapshot. */
const drawn = ({ messages }: ChatSnapshot) =>
  messages.map(({ role, state, parts }) => {
    return `${role} ${state}: ${parts.map((part) => (part.type === 'text' ? part.text : part.type)).join(' ')}`
  })

describe('send', () => {
  it('shows the message before anything is awaited, then the answer, then the status ready', async () => {
    const { chat, push, end, now } = open()
    const seen: ChatSnapshot[] = []
    chat.subscribe(() => seen.push(now()))
    const sent = chat.send('Hi')
    expect(now()).toMatchObject({ status: 'submitted', isBusy: true })
    expect(drawn(now())).toEqual(['user sending: Hi'])
    await push(start, text('Hel'))
    expect(now()).toMatchObject({ status: 'streaming', messages: [{}, { parts: [{ state: 'streaming' }] }] })
    expect(drawn(now())).toEqual(['user done: Hi', 'assistant streaming: Hel'])
    await push(text('lo'), ...answer('Hello', { usage: { outputTokens: 2 } }))
    await end()
    await sent
    expect(now()).toMatchObject({ status: 'ready', isBusy: false, outcome: 'answered', usage: { outputTokens: 2 } })
    expect(drawn(now())).toEqual(['user done: Hi', 'assistant done: Hello'])
    const idsOf = (at: number) => new Set(seen.flatMap(({ messages }) => messages[at]?.id ?? []))
    expect([idsOf(0).size, idsOf(1).size]).toEqual([1, 1])
  })

  it('gives the transport the whole conversation, and the new messages', async () => {
    const { chat, say, turns } = open({ id: 'c1', messages: [message.user('A'), message.assistant('B')] })
    await say('C', 'D')
    expect(turns).toMatchObject([
      { chatId: 'c1', trigger: 'send', messages: [{}, {}, { content: 'C' }], added: [{ content: 'C' }], approvals: [] },
    ])
    expect(chat.getServerSnapshot().messages).toHaveLength(2)
  })

  it('keeps finished items, and the state at the beginning, the same objects', async () => {
    const { chat, say, now } = open()
    const first = chat.getServerSnapshot()
    await say('A', 'B')
    const [one, two] = now().messages
    await say('C', 'D')
    expect(now().messages[0]).toBe(one)
    expect(now().messages[1]).toBe(two)
    expect(chat.getServerSnapshot()).toBe(first)
    expect(now()).toBe(now())
  })

  it.each(['', []])('refuses %j, because it is empty', async (nothing) => {
    await expect(open().chat.send(nothing)).rejects.toThrow(TypeError)
  })

  it('is refused while a turn is running if the application says so', async () => {
    const { chat } = open({ whenBusy: 'reject' })
    void chat.send('A')
    await expect(chat.send('B')).rejects.toThrow('Cannot send: a turn is running')
  })

  it('waits in the queue until a turn succeeded, and can be removed from the queue', async () => {
    const { chat, push, end, now, turns } = open()
    void chat.send('A')
    const second = chat.send('B')
    const third = chat.send('C')
    expect(now().queue.map(({ content }) => content)).toEqual(['B', 'C'])
    chat.cancelQueued(now().queue[1]?.id ?? '')
    await third
    const { id } = now().queue[0] ?? {}
    await push(start, ...answer('a'))
    await end()
    expect(now()).toMatchObject({ status: 'submitted', queue: [], messages: [{}, {}, { id, state: 'sending' }] })
    await push(start, ...answer('b'))
    await end()
    await second
    expect(turns).toHaveLength(2)
    expect(drawn(now())).toEqual(['user done: A', 'assistant done: a', 'user done: B', 'assistant done: b'])
  })

  it('interrupts the current turn', async () => {
    const { chat, push, now, turns } = open({ whenBusy: 'interrupt' })
    void chat.send('A')
    await push(start, text('a'))
    void chat.send('B')
    expect(turns[0]?.signal.aborted).toBe(true)
    expect(drawn(now())).toEqual(['user done: A', 'assistant stopped: a', 'user sending: B'])
  })
})

describe('stop', () => {
  it('is shown immediately, stops the transport, and ignores late events', async () => {
    const onFinish = vi.fn()
    const { chat, push, now, stops, turns } = open({ id: 'c1', onFinish })
    const sent = chat.send('A')
    await push(start, text('Hel'))
    const stopped = chat.stop()
    expect(now()).toMatchObject({ status: 'ready', error: undefined })
    expect(turns[0]?.signal.aborted).toBe(true)
    await push(text('lo'), ...answer('Hello'))
    await Promise.all([sent, stopped])
    expect(drawn(now())).toEqual(['user done: A', 'assistant stopped: Hel'])
    expect(now().messages[1]?.messages).toMatchObject([{ stopReason: 'aborted' }])
    expect(stops).toEqual(['c1'])
    expect(onFinish.mock.calls.map(([end]) => end.outcome)).toEqual(['stopped'])
  })

  it('of a turn without an event keeps the user’s message, and retry sends it again', async () => {
    const { chat, answered, now, turns } = open()
    void chat.send('A')
    await chat.stop()
    expect(drawn(now())).toEqual(['user done: A'])
    const again = chat.retry()
    expect(drawn(now())).toEqual(['user sending: A'])
    await answered(again, 'a')
    expect(turns.map(({ messages }) => messages.length)).toEqual([1, 1])
    expect(drawn(now())).toEqual(['user done: A', 'assistant done: a'])
  })

  it('ignores a batch and the end of a transport that ignores the signal', async () => {
    const late = Promise.withResolvers<void>()
    const transport = runTransport(() => ({
      async *batches() {
        yield [start, text('Hel')]
        await late.promise
        yield [text('lo'), ...answer('Hello')]
      },
    }))
    const onEvent = vi.fn()
    const chat = createChatStore({ transport, throttleMs: 0, onEvent })
    const sent = chat.send('A')
    await settle()
    await chat.stop()
    const before = chat.getSnapshot()
    onEvent.mockClear()
    late.resolve()
    await sent
    expect(chat.getSnapshot()).toBe(before)
    expect(onEvent).not.toHaveBeenCalled()
    expect(drawn(before)).toEqual(['user done: A', 'assistant stopped: Hel'])
  })

  it('does nothing if no turn is running', async () => {
    const { chat, now, stops } = open()
    const before = now()
    await chat.stop()
    expect([now(), stops]).toEqual([before, []])
  })
})

describe('a turn that fails', () => {
  const overloaded = new ApiError('Overloaded', { kind: 'overloaded' })

  it.each([['a text'], [undefined], [{ status: 500 }]])(
    'by throwing %j has an Error, whose cause it is',
    async (thrown) => {
      const onError = vi.fn()
      const onFinish = vi.fn()
      const { chat, fail, now } = open({ onError, onFinish })
      const sent = chat.send('A')
      await fail(thrown)
      await sent
      const { error } = now()
      expect(error).toBeInstanceOf(Error)
      expect([error?.message, error?.cause]).toEqual([String(thrown), thrown])
      expect([onError.mock.calls[0], onFinish.mock.calls[0]?.[0].error]).toEqual([[error], error])
    },
  )

  it('before its first event leaves a message that is not sent with the next one, and is sent again by retry', async () => {
    const onError = vi.fn()
    const { chat, answered, fail, now, turns, say } = open({ onError })
    const sent = chat.send('A')
    await fail(overloaded)
    await sent
    expect(now()).toMatchObject({ status: 'error', error: overloaded })
    expect(drawn(now())).toEqual(['user failed: A'])
    expect(onError.mock.calls).toEqual([[overloaded]])
    await answered(chat.retry(), 'a')
    expect(drawn(now())).toEqual(['user done: A', 'assistant done: a'])
    void chat.send('B')
    await fail(overloaded)
    await say('C', 'c')
    expect(turns.at(-1)?.messages.map(({ content }) => content)).not.toContain('B')
  })

  it('in the middle keeps the received part, with the reason, and retry drops it', async () => {
    const onFinish = vi.fn()
    const { chat, push, fail, now, turns } = open({ onFinish })
    void chat.send('A')
    await push(start, text('Hel'))
    await fail(overloaded)
    expect(drawn(now())).toEqual(['user done: A', 'assistant failed: Hel'])
    expect(now().messages[1]?.messages).toMatchObject([{ stopReason: 'error' }])
    expect(onFinish.mock.calls).toMatchObject([[{ outcome: 'failed', error: overloaded }]])
    void chat.retry()
    expect(drawn(now())).toEqual(['user sending: A'])
    expect(turns.at(-1)?.messages).toHaveLength(1)
  })

  it('is a turn that ends without "done": a cut never counts as an end', async () => {
    const { chat, push, end, now } = open()
    void chat.send('A')
    await push(start, text('Hel'))
    await end()
    expect(now()).toMatchObject({ status: 'error', error: expect.any(InterruptedError) })
  })

  it('is forgotten by clearError', async () => {
    const { chat, fail, now } = open()
    void chat.send('A')
    await fail(overloaded)
    chat.clearError()
    expect(now()).toMatchObject({ status: 'ready', error: undefined })
  })

  it('cannot be retried after a turn that succeeded', async () => {
    const { chat, say } = open()
    await say('A', 'a')
    await expect(chat.retry()).rejects.toThrow('no turn failed')
  })
})

describe('changing earlier messages', () => {
  it('regenerate answers again: the last message, or an earlier one', async () => {
    const { chat, say, push, end, now, turns } = open()
    await say('A', 'a')
    await say('B', 'b')
    const [, first, , second] = now().messages
    void chat.regenerate()
    expect(turns.at(-1)).toMatchObject({ trigger: 'regenerate', messageId: second?.id, messages: [{}, {}, {}] })
    await push(start, ...answer('bb'))
    await end()
    expect(drawn(now()).at(-1)).toBe('assistant done: bb')
    expect(now().messages.at(-1)?.id).not.toBe(second?.id)
    void chat.regenerate(first?.id)
    expect(drawn(now())).toEqual(['user sending: A'])
  })

  it('edit sends another text, and drops the later messages', async () => {
    const { chat, say, now, turns } = open()
    await say('A', 'a')
    await say('B', 'b')
    const { id } = now().messages[0] ?? {}
    void chat.edit(id ?? '', 'AA')
    expect(turns.at(-1)).toMatchObject({ trigger: 'edit', messageId: id, messages: [{ content: 'AA' }] })
    expect(drawn(now())).toEqual(['user sending: AA'])
    await expect(open().chat.edit('x', 'A')).rejects.toThrow('the message "x" is unknown')
  })

  it('setMessages keeps the ids of messages that stay', async () => {
    const { chat, say, now } = open()
    await say('A', 'a')
    await say('B', 'b')
    const [one, two] = now().messages
    chat.setMessages((before) => before.slice(0, 2))
    expect(now().messages).toEqual([one, two])
    expect(now().messages[0]).toBe(one)
    chat.setMessages([message.user('New')])
    expect(now().messages.map(({ id }) => id)).not.toContain(one?.id)
  })

  it('remove and clear remove one item, or all', async () => {
    const { chat, say, now } = open()
    await say('A', 'a')
    chat.remove(now().messages[0]?.id ?? '')
    expect(drawn(now())).toEqual(['assistant done: a'])
    chat.clear()
    expect(now()).toMatchObject({ status: 'ready', messages: [], usage: {} })
  })

  it('is refused while a turn is under way, and after dispose', async () => {
    const { chat } = open()
    void chat.send('A')
    expect(() => chat.setMessages([])).toThrow('a turn is running')
    chat.dispose()
    expect(() => chat.remove('x')).toThrow('the chat is disposed')
    await expect(chat.send('B')).rejects.toThrow('the chat is disposed')
  })
})

describe('calls that wait', () => {
  const calls = [block.toolCall('c1', 'pay', { amount: 1 }), block.toolCall('c2', 'mail', {}, { index: 1 })] as const
  const asked = { role: 'assistant', content: calls, stopReason: 'tool_calls' } as const

  async function waiting(outcome: 'manual' | 'approval') {
    const opened = open()
    await opened.answered(opened.chat.send('Go'), calls, { outcome, pending: calls })
    return opened
  }

  it('for approval continue when all are decided, with the decisions', async () => {
    const { chat, now, turns, push, end } = await waiting('approval')
    expect(now()).toMatchObject({ status: 'waiting', isBusy: false, pending: calls })
    expect(now().messages[1]?.parts).toMatchObject([{ state: 'waiting' }, { state: 'waiting' }])
    void chat.approve('c1', true)
    expect(now()).toMatchObject({ status: 'waiting', pending: [{ id: 'c2' }] })
    void chat.approve('c2', { approved: false, reason: 'No mail' })
    expect(turns.at(-1)).toMatchObject({
      trigger: 'approval',
      approvals: [
        { toolCallId: 'c1', approved: true },
        { toolCallId: 'c2', approved: false, reason: 'No mail' },
      ],
    })
    const result = { call: calls[0], toolCallId: 'c1', name: 'pay', status: 'success', content: 'paid' } as const
    const error = { kind: 'rejected', message: 'No mail' } as const
    const failed = { status: 'error', content: 'No mail', error } as const
    const refused = { call: calls[1], toolCallId: 'c2', name: 'mail', ...failed }
    await push({ type: 'tool_result', result }, { type: 'tool_result', result: refused })
    await push(start, ...answer('Done'))
    await end()
    expect(now()).toMatchObject({
      status: 'ready',
      messages: [{}, { parts: [{ state: 'done', content: 'paid' }, { state: 'refused' }, { text: 'Done' }] }],
    })
    expect(now().messages).toHaveLength(2)
  })

  it('for the page continue when all have a result', async () => {
    const { chat, now, turns } = await waiting('manual')
    await expect(chat.addToolResult({ toolCallId: 'c1', name: 'mail', value: 'sent' })).rejects.toThrow(
      'Cannot add the result: "c1" is a call of "pay", not of "mail"',
    )
    void chat.addToolResult({ toolCallId: 'c1', name: 'pay', value: { paid: 1 } })
    expect(now().messages[1]?.parts).toMatchObject([{ state: 'done', value: { paid: 1 }, content: '{"paid":1}' }, {}])
    void chat.addToolResult({ toolCallId: 'c2', error: 'Offline' })
    expect(turns.at(-1)).toMatchObject({
      trigger: 'tool_result',
      added: [
        { role: 'tool', toolCallId: 'c1', content: '{"paid":1}', status: 'success' },
        { role: 'tool', toolCallId: 'c2', content: 'Offline', status: 'error' },
      ],
      messages: [{ role: 'user' }, asked, { role: 'tool' }, { role: 'tool' }],
    })
    await expect(chat.addToolResult({ toolCallId: 'c1', value: 1 })).rejects.toThrow('the call "c1" does not wait')
  })

  it('are cancelled by another message, so that the history can be sent', async () => {
    const { chat, turns } = await waiting('manual')
    void chat.send('Never mind')
    expect(turns.at(-1)?.messages).toMatchObject([
      { role: 'user' },
      asked,
      { role: 'tool', toolCallId: 'c1', status: 'error' },
      { role: 'tool', toolCallId: 'c2', status: 'error' },
      { content: 'Never mind' },
    ])
  })

  it('are cancelled by stop', async () => {
    const { chat, now } = await waiting('approval')
    await chat.stop()
    expect(now()).toMatchObject({ status: 'ready', pending: [] })
    expect(now().messages[1]?.parts).toMatchObject([{ state: 'failed' }, { state: 'failed' }])
    await expect(chat.approve('c1', true)).rejects.toThrow('the call "c1" does not wait')
  })

  it('of a turn that fails after them no longer wait, and retry sends the same again', async () => {
    const { chat, now, turns, fail } = await waiting('manual')
    void chat.addToolResult({ toolCallId: 'c1', value: 1 })
    void chat.addToolResult({ toolCallId: 'c2', value: 2 })
    await fail(new Error('No network'))
    expect(now()).toMatchObject({ status: 'error', pending: [], messages: [{}, { state: 'failed' }] })
    void chat.retry()
    const [, second, third] = turns
    expect(third).toMatchObject({ trigger: 'tool_result', added: second?.added, messages: second?.messages })
  })

  it('are not in an answer that was cut', async () => {
    const { chat, now, push, end } = open()
    void chat.send('Go')
    await push(start, done([{ ...asked, stopReason: 'length' }], 'cut'))
    await end()
    expect(now()).toMatchObject({ status: 'ready', pending: [], outcome: 'cut' })
  })
})

describe('resume', () => {
  it('continues the answer of the server from its beginning, in place of the part that was cut off', async () => {
    const resume = async () =>
      (async function* () {
        yield [start, text('Hello'), ...answer('Hello')]
      })()
    const messages = [message.user('A'), { ...message.assistant('Hel'), stopReason: 'interrupted' } as const]
    const { chat, now } = open({ resume, messages })
    expect(await chat.resume()).toBe(true)
    expect(drawn(now())).toEqual(['user done: A', 'assistant done: Hello'])
    // A complete answer is not the part of another one.
    const whole = open({ resume, messages: ['A', message.assistant('a')] })
    await whole.chat.resume()
    expect(drawn(whole.now())).toEqual(['user done: A', 'assistant done: a', 'assistant done: Hello'])
  })

  it('returns false if no turn is running, and if the transport cannot resume', async () => {
    const { chat, now } = open({ resume: async () => undefined })
    const before = now()
    expect([await chat.resume(), await open().chat.resume(), now()]).toEqual([false, false, before])
  })
})
