/** Tools that run in the page: a server sends their calls, and gets the results with the next turn. */
import { describe, expect, it } from 'vitest'
import { createChatStore } from '../../src/chat/index.ts'
import { approval, signApproval, type ToolCall, t, tool } from '../../src/index.ts'
import { block } from '../../src/messages/block.ts'
import { openChat, settle, start } from './open.ts'
import { answer, scripted } from './scripted.ts'

const ran: unknown[] = []
const theme = tool({
  name: 'set_theme',
  parameters: t.object({ dark: t.boolean() }),
  execute(args, { progress }) {
    progress('half')
    ran.push(args)
    return { set: true }
  },
})
const pay = tool({ name: 'pay', needsApproval: approval(), execute: () => void ran.push('paid') })

/** A chat whose first answer makes these calls. */
async function called(...calls: readonly ToolCall[]) {
  ran.length = 0
  const opened = openChat({ tools: [theme, pay] })
  const { chat } = opened
  const states: unknown[] = []
  chat.subscribe(() => {
    const parts = chat.getSnapshot().messages[1]?.parts ?? []
    states.push(parts.map((part) => ('state' in part ? part.state : part.type)).join())
  })
  const sent = chat.send('Go')
  await opened.push(start, ...answer(calls, { outcome: 'manual', pending: calls }))
  await opened.end()
  await settle()
  return { ...opened, sent, states }
}

const dark = block.toolCall('c1', 'set_theme', { dark: true })

describe('calls of tools of the page', () => {
  it('run by themselves, and their results go to the server', async () => {
    const { turns, answered, sent, now, states } = await called(dark)
    expect(ran).toEqual([{ dark: true }])
    expect(turns.at(-1)).toMatchObject({
      trigger: 'tool_result',
      added: [{ role: 'tool', toolCallId: 'c1', content: '{"set":true}', status: 'success' }],
    })
    expect(states).toContain('running')
    await answered(sent, 'It is dark')
    expect(now()).toMatchObject({
      status: 'ready',
      messages: [{}, { parts: [{ state: 'done', progress: 'half', value: { set: true } }, { text: 'It is dark' }] }],
    })
  })

  it('are checked: arguments that do not fit never reach the tool', async () => {
    const { turns } = await called(block.toolCall('c1', 'set_theme', { dark: 'very' }))
    expect(ran).toEqual([])
    expect(turns.at(-1)?.added).toMatchObject([{ status: 'error', content: expect.stringContaining('do not fit') }])
  })

  it('wait for the user if their tool requires approval, and run once they are approved', async () => {
    const { chat, turns, now } = await called(dark, block.toolCall('c2', 'pay', {}, { index: 1 }))
    expect(ran).toEqual([{ dark: true }])
    expect(now()).toMatchObject({ status: 'waiting', pending: [{ id: 'c2' }] })
    expect(turns).toHaveLength(1)
    await Promise.race([chat.approve('c2', true), settle()])
    expect(ran).toEqual([{ dark: true }, 'paid'])
    expect(turns.at(-1)).toMatchObject({ trigger: 'tool_result', approvals: [], added: [{}, { toolCallId: 'c2' }] })
  })

  const secret = 'a-secret-of-at-least-32-bytes-in-all'
  it.each<[string, NonNullable<Parameters<typeof approval>[0]>]>([
    ['nothing more', {}],
    ['a secret', { secret }],
    ['a secret that only signed decisions have', { secret, decidedBy: 'server' }],
  ])('run if the page approves the calls that the chat shows, with %s', async (_, options) => {
    for (const count of [1, 2]) {
      ran.length = 0
      const tools = [
        theme,
        tool({ name: 'pay', needsApproval: approval(options), execute: () => void ran.push('paid') }),
      ]
      const { chat, push, end } = openChat({ tools })
      const calls = Array.from({ length: count }, (_, at) => block.toolCall(`c${at}`, 'pay', {}, { index: at }))
      const pending = new Promise<readonly ToolCall[]>((resolve) =>
        chat.subscribe(() => chat.getSnapshot().status === 'waiting' && resolve(chat.getSnapshot().pending)),
      )
      void chat.send('Go')
      await push(start, ...answer(calls, { outcome: 'manual', pending: calls }))
      await end()
      for (const call of await pending)
        void chat.approve(call.id, options.decidedBy ? await signApproval(call, { approved: true }, secret) : true)
      await expect.poll(() => ran).toEqual(calls.map(() => 'paid'))
    }
  })

  it('that are refused get the reason as their result', async () => {
    const { chat, turns, now } = await called(block.toolCall('c2', 'pay', {}))
    void chat.approve('c2', { approved: false, reason: 'Too much' })
    await settle()
    expect(ran).toEqual([])
    expect(turns.at(-1)?.added).toMatchObject([{ status: 'error', content: 'Too much' }])
    expect(now().messages[1]?.parts).toMatchObject([{ state: 'refused' }])
  })

  it('of other tools wait for addToolResult', async () => {
    const { chat, turns, now } = await called(dark, block.toolCall('c2', 'ask_user', {}, { index: 1 }))
    expect(now()).toMatchObject({ status: 'waiting', pending: [{ name: 'ask_user' }] })
    void chat.addToolResult({ toolCallId: 'c2', value: 'Blue' })
    expect(turns.at(-1)?.added).toMatchObject([{ toolCallId: 'c1' }, { toolCallId: 'c2', content: 'Blue' }])
  })

  it('make the model continue ten times at most', async () => {
    const { turns, push, end, sent, now } = await called(dark)
    for (let round = 2; turns.length === round; round++) {
      await push(
        start,
        ...answer([{ ...dark, id: `c${round}` }], { outcome: 'manual', pending: [{ ...dark, id: `c${round}` }] }),
      )
      await end()
      await settle()
    }
    await sent
    expect([turns.length, ran.length, now().outcome, now().status]).toEqual([11, 10, 'max_rounds', 'ready'])
    expect(now().messages[1]?.messages.at(-1)).toMatchObject({ role: 'tool', toolCallId: 'c11', status: 'error' })
  })

  it('are cancelled by stop, and later return values are not sent', async () => {
    let signal: AbortSignal | undefined
    const slow = tool({
      name: 'slow',
      execute: (_, context) => {
        signal = context.signal
        return new Promise(() => {})
      },
    })
    const script = scripted()
    const chat = createChatStore({ transport: script.transport, tools: [slow], throttleMs: 0 })
    const call = block.toolCall('c1', 'slow', {})
    const sent = chat.send('Go')
    await script.push(start, ...answer([call], { outcome: 'manual', pending: [call] }))
    await script.end()
    await settle()
    await chat.stop()
    await sent
    expect(signal?.aborted).toBe(true)
    expect(script.turns).toHaveLength(1)
    expect(chat.getSnapshot()).toMatchObject({ status: 'ready', pending: [], messages: [{}, { state: 'stopped' }] })
  })
})

describe('the option tools', () => {
  it.each([
    ['a definition', [{ name: 'a' }], 'has no "execute"'],
    ['two tools of one name', [theme, tool({ name: 'set_theme', execute: () => 1 })], 'two tools named "set_theme"'],
    ['an object that tool() did not make', [{ name: 'a', execute: () => 1 }], 'was not made by tool()'],
  ])('refuses %s', (_, tools, finding) => {
    const transport = scripted().transport
    expect(() => createChatStore({ transport, tools: tools as never })).toThrow(finding)
  })
})
