/** A page and its server: the store posts requests for `readChatRequest`, and reads responses of `toResponse`. */
import { describe, expect, it } from 'vitest'
import { createChatStore, type FetchTransportOptions, fetchTransport } from '../../src/chat/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { approval, type Message, stream, type Tool, t, textOf, tool } from '../../src/index.ts'
import {
  type ChatRequest,
  openMessages,
  type ReadChatOptions,
  readChatRequest,
  sealMessages,
  toResponse,
} from '../../src/page/response.ts'
import { rolesOf, sse } from '../support/makers.ts'
import { chatCalls, chatText } from '../support/upstream.ts'
import { settle } from './open.ts'

const theme = tool({ name: 'set_theme', parameters: t.object({ dark: t.boolean() }), execute: () => 'set' })
const { execute: _, run: _run, parse: _parse, ...themeDefinition } = theme
const pay = tool({ name: 'pay', needsApproval: approval(), execute: () => 'paid' })

/** A server that answers with these streams of the provider, one after the other, and keeps the history itself unless it seals it. */
function server(
  answers: readonly (readonly string[])[],
  options: Omit<ReadChatOptions, 'history'> = {},
  seals = false,
  paying = pay,
) {
  const left = [...answers]
  const requests: ChatRequest[] = []
  const posted: Record<string, unknown>[] = []
  let kept: readonly Message[] = []
  const secret = new Uint8Array(32).fill(7)
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(new URL(String(input), 'https://page.test'), init)
    posted.push(await request.clone().json())
    const read = await readChatRequest(request, {
      pageTools: ['set_theme'],
      history: ({ sealed }) => (seals ? (sealed ? openMessages(sealed, secret, 'c1') : []) : kept),
      ...options,
    })
    requests.push(read)
    const messages = [...read.history, ...read.messages]
    const provider = async () => sse((left.shift() ?? []).join(''))
    const goesOn = read.trigger === 'approval' || read.trigger === 'tool_result'
    const run = stream({
      model: openaiChat('m', { baseUrl: 'https://provider.test', fetch: provider }),
      messages,
      tools: [themeDefinition, paying],
      retries: 0,
      ...(goesOn && { approvals: read.approvals }),
    })
    return toResponse(run, {
      page: { tools: 'all' },
      onEnd: (end) => {
        kept = [...messages, ...end.messages]
      },
      ...(seals && { seal: (said) => sealMessages([...messages, ...said], secret, 'c1') }),
    })
  }
  return { fetch, requests, posted }
}

function open({ fetch }: ReturnType<typeof server>, options: FetchTransportOptions = {}, tools: readonly Tool[] = []) {
  const transport = fetchTransport({ url: 'https://page.test/chat', fetch, ...options })
  return createChatStore({ id: 'c1', transport, tools })
}

const texts = (messages: readonly Message[]) => messages.map(({ role, content }) => [role, content])

describe('fetchTransport', () => {
  it('sends only new messages, and shows the server’s answer', async () => {
    const made = server([chatText('Hello'), chatText('Again')])
    const chat = open(made, { body: { plan: 'free' } })
    await chat.send('Hi')
    await chat.send('More')
    expect(chat.getSnapshot().error).toBeUndefined()
    expect(chat.getSnapshot().messages.map(({ parts }) => parts)).toMatchObject([
      [{ text: 'Hi' }],
      [{ text: 'Hello', state: 'done' }],
      [{ text: 'More' }],
      [{ text: 'Again' }],
    ])
    const [first, second] = made.requests
    expect(first).toMatchObject({
      chatId: 'c1',
      trigger: 'send',
      messages: [{ content: 'Hi' }],
      extra: { plan: 'free' },
    })
    expect(texts(second?.history ?? [])).toMatchObject([
      ['user', 'Hi'],
      ['assistant', [{ text: 'Hello' }]],
    ])
    expect(texts(second?.messages ?? [])).toEqual([['user', 'More']])
  })

  it('sends all messages if the page stores the history', async () => {
    const made = server([chatText('Hello'), chatText('Again')], { roles: ['user', 'assistant', 'tool'] })
    const chat = open(made, { history: 'open' })
    await chat.send('Hi')
    await chat.send('More')
    expect(chat.getSnapshot().error).toBeUndefined()
    expect(texts(made.requests[1]?.messages ?? [])).toMatchObject([
      ['user', 'Hi'],
      ['assistant', [{ type: 'text', text: 'Hello' }]],
      ['user', 'More'],
    ])
  })

  it.each(['sealed', 'server'] as const)(
    'asks with the messages that the page shows after send, regenerate and edit, with a history that is %s',
    async (history) => {
      const made = server(
        ['A', 'B', 'BB', 'C', 'CC', 'AA', 'D'].map((text) => chatText(text)),
        {},
        history === 'sealed',
      )
      const chat = open(made, { history })
      const idAt = (at: number) => chat.getSnapshot().messages[at]?.id ?? ''
      await chat.send('a')
      await chat.send('b')
      await chat.regenerate()
      await chat.send('c')
      await chat.edit(idAt(2), 'bb')
      await chat.regenerate(idAt(1))
      await chat.edit(idAt(0), 'd')
      expect(chat.getSnapshot().error).toBeUndefined()
      const asked = made.requests.map((read) => [...read.history, ...read.messages].map(textOf).join(' '))
      expect(asked).toEqual(['a', 'a A b', 'a A b', 'a A b BB c', 'a A bb', 'a', 'd'])
    },
  )

  it('runs tools of the page, and the server continues with their results', async () => {
    const made = server([chatCalls(['c1', 'set_theme', '{"dark":true}']), chatText('It is dark')])
    const chat = open(made, {}, [theme])
    await chat.send('Dark, please')
    expect(chat.getSnapshot().error).toBeUndefined()
    expect(made.requests[1]).toMatchObject({ trigger: 'tool_result', messages: [{ role: 'tool', content: 'set' }] })
    expect(chat.getSnapshot().messages[1]?.parts).toMatchObject([
      { name: 'set_theme', state: 'done' },
      { text: 'It is dark' },
    ])
  })

  it('sends the user’s decision to the server, which runs the call', async () => {
    const made = server([chatCalls(['c1', 'pay', '{}']), chatText('Paid')])
    const chat = open(made)
    await chat.send('Pay')
    expect(chat.getSnapshot()).toMatchObject({ status: 'waiting', pending: [{ id: 'c1', name: 'pay' }] })
    await chat.approve('c1', true)
    expect(chat.getSnapshot().error).toBeUndefined()
    expect(made.requests[1]).toMatchObject({ trigger: 'approval', approvals: [{ toolCallId: 'c1', approved: true }] })
    expect(chat.getSnapshot().messages[1]?.parts).toMatchObject([{ state: 'done', content: 'paid' }, { text: 'Paid' }])
  })

  it('sends the proof with the decision, where the tool has a secret', async () => {
    const needsApproval = approval({ secret: 'a-secret-of-at-least-32-bytes-in-all' })
    const made = server([chatCalls(['c1', 'pay', '{}']), chatText('Paid')], {}, false, { ...pay, needsApproval })
    const chat = open(made)
    await chat.send('Pay')
    await chat.approve('c1', true)
    expect(chat.getSnapshot()).toMatchObject({ status: 'ready', error: undefined })
    expect(chat.getSnapshot().messages[1]?.parts).toMatchObject([{ state: 'done', content: 'paid' }, { text: 'Paid' }])
  })

  describe('retries a turn that failed after the server stored it', () => {
    const cut = chatText('Hello').slice(0, 1)

    it('of a question', async () => {
      const made = server([cut, chatText('Again')])
      const chat = open(made)
      await chat.send('Hi')
      await chat.retry()
      expect(chat.getSnapshot().error).toBeUndefined()
      expect(made.requests[1]).toMatchObject({ history: [], messages: [{ role: 'user', content: 'Hi' }] })
    })

    it('of the same question as before', async () => {
      const made = server([chatText('Hello'), cut, chatText('Again')])
      const chat = open(made)
      for (const text of ['Hi', 'Hi']) await chat.send(text)
      await chat.retry()
      expect(texts(made.requests[2]?.history ?? [])).toMatchObject([
        ['user', 'Hi'],
        ['assistant', [{ text: 'Hello' }]],
      ])
    })

    it('of a result of the page', async () => {
      const made = server([chatCalls(['c1', 'set_theme', '{"dark":true}']), cut, chatText('It is dark')])
      const chat = open(made, {}, [theme])
      await chat.send('Dark, please')
      expect(chat.getSnapshot().status).toBe('error')
      await chat.retry()
      expect(chat.getSnapshot().error).toBeUndefined()
      expect(rolesOf(made.requests[2]?.history)).toBe('user assistant')
      expect(rolesOf(made.requests[2]?.messages)).toBe('tool')
    })

    it('of a decision, and runs the call once', async () => {
      const made = server([chatCalls(['c1', 'pay', '{}']), cut, chatText('Paid')])
      const chat = open(made)
      await chat.send('Pay')
      await chat.approve('c1', true)
      expect(chat.getSnapshot().status).toBe('error')
      await chat.retry()
      expect(chat.getSnapshot().error).toBeUndefined()
      expect(rolesOf(made.requests[2]?.history)).toBe('user assistant tool')
    })
  })

  it('keeps what another page added to the history', async () => {
    const made = server([chatText('Hello'), chatText('One'), chatText('Two')])
    const [chat, other] = [open(made), open(made)]
    await chat.send('Hi')
    await other.send('Other')
    await chat.send('More')
    expect(rolesOf(made.requests[2]?.history)).toBe('user assistant user assistant')
  })

  it('calls the headers function again after a 401, and repeats the request once', async () => {
    const made = server([chatText('Hello')])
    const tokens: string[] = []
    const refreshes: boolean[] = []
    const fetch: typeof globalThis.fetch = async (input, init) => {
      tokens.push(new Headers(init?.headers).get('authorization') ?? '')
      return tokens.at(-1) === 'new' ? made.fetch(input, init) : new Response('', { status: 401 })
    }
    const headers = ({ refresh }: { readonly refresh: boolean }) => {
      refreshes.push(refresh)
      return { authorization: refresh ? 'new' : 'old' }
    }
    const chat = open({ ...made, fetch }, { headers })
    await chat.send('Hi')
    expect(tokens).toEqual(['old', 'new'])
    expect(refreshes).toEqual([false, true])
    expect(chat.getSnapshot().status).toBe('ready')
    const refused = open({ ...made, fetch }, { headers: { authorization: 'old' } })
    await refused.send('Hi')
    expect(refused.getSnapshot().error).toMatchObject({ kind: 'authentication', status: 401 })
  })

  it('aborts the request when the turn is stopped', async () => {
    let signal: AbortSignal | null | undefined
    const fetch: typeof globalThis.fetch = (_, init) => {
      signal = init?.signal
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal?.reason)))
    }
    const chat = open({ ...server([]), fetch })
    const sent = chat.send('Hi')
    await settle()
    await chat.stop()
    await sent
    expect(signal?.aborted).toBe(true)
    expect(chat.getSnapshot()).toMatchObject({ status: 'ready', error: undefined })
  })
})
