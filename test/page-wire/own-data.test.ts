/** Own data: from a route or a tool to the page, kept or not, in every reader, and never to a model. */
import { EventSchemas } from '@ag-ui/core/schemas'
import { describe, expect, it } from 'vitest'
import { createChatStore, fetchTransport, keptRuns, runTransport } from '../../src/chat/index.ts'
import {
  applyEvent,
  approval,
  InterruptedError,
  type Message,
  message,
  type Observer,
  type RunRequest,
  type RunResult,
  type StreamEvent,
  stream,
  t,
  tool,
} from '../../src/index.ts'
import { deserializeMessages, serializeMessages } from '../../src/messages/index.ts'
import { agUi } from '../../src/page/ag-ui.ts'
import { readEvents } from '../../src/page/read.ts'
import {
  answerKept,
  keepRun,
  memoryLog,
  openMessages,
  ownData,
  type PageRules,
  readChatRequest,
  sealMessages,
  toResponse,
} from '../../src/page/response.ts'
import { fromUiMessages, uiMessages } from '../../src/page/ui-messages.ts'
import { call, mockModel } from '../../src/test/index.ts'
import { memoryPersist } from '../chat/open.ts'
import { chatOver } from './ai-sdk.ts'
import { outcomeOf } from './runs.ts'

interface Data {
  status: string
  sources: { url: string }[]
  steps: number
  topic: string
}

const ask = (request: Partial<RunRequest> = {}, answers: Parameters<typeof mockModel>[0] = ['Hello there']) =>
  stream({ model: mockModel(answers), prompt: 'Hi', ...request } as RunRequest)

/** A tool that counts its steps for the page. */
const search = tool({
  name: 'search',
  parameters: t.object({ for: t.string() }),
  execute(_, { data, progress }) {
    progress('begun')
    data?.write('steps', 1, { id: 's' })
    data?.write('steps', 2, { id: 's' })
    data?.write('status', 'searched', { transient: true })
    return 'found'
  },
})

/** Calls this after each answer, before its calls run. */
const afterRounds = (write: (round: number) => void): Observer => ({
  onRound: ({ round, end }) => void (end && write(round)),
})

/** A route that writes before, during and after the answers, with a tool. */
function wholeRun(request: Partial<RunRequest> = {}) {
  const data = ownData<Data>()
  data.write('status', 'begins', { transient: true })
  data.write('sources', [{ url: 'https://a.example' }])
  data.setMetadata('topic', 'travel')
  const answers = [{ text: 'Let me see.', calls: [call('search', { for: 'x' })] }, 'Here it is.']
  const run = ask(
    { data, tools: [search], observers: [afterRounds((round) => data.write('status', `round ${round}`))], ...request },
    answers,
  )
  return { data, run }
}

const kept = (messages: readonly Message[]) =>
  messages.flatMap(({ role, metadata }) => (role === 'assistant' ? [metadata] : []))
/** What a run with a tool keeps. The tool is not hidden, so the places are the same for all. */
const due = [
  {
    dataParts: [
      { name: 'sources', value: [{ url: 'https://a.example' }], at: 0 },
      { name: 'status', value: 'round 1', at: 2 },
      { name: 'steps', id: 's', value: 2, at: 2 },
    ],
    topic: 'travel',
  },
  { dataParts: [{ name: 'status', value: 'round 2', at: 1 }] },
]

describe('a run', () => {
  it('has the values among its events, in order', async () => {
    const { run } = wholeRun()
    const { events } = await outcomeOf(run)
    const order = events.flatMap((event) => {
      if (event.type === 'data') return `${event.name} ${JSON.stringify(event.value)}`
      return /^(message_|tool_(start|progress|result)|done)/.test(event.type) ? event.type : []
    })
    expect(order).toEqual([
      ...['status "begins"', 'message_start', 'sources [{"url":"https://a.example"}]', 'topic "travel"'],
      ...['message_end', 'status "round 1"', 'tool_start', 'tool_progress', 'steps 1', 'steps 2'],
      ...['status "searched"', 'tool_result', 'message_start', 'message_end', 'status "round 2"', 'done'],
    ])
  })

  it('keeps them in the messages of its answers, in its result, and in its context', async () => {
    const { run } = wholeRun()
    const { result } = await outcomeOf(run)
    expect(kept(run.messages)).toEqual(due)
    expect(kept(result?.messages ?? [])).toEqual(due)
    expect(kept(result?.context.messages ?? [])).toEqual(due)
    expect(result?.message.metadata).toEqual(due[1])
  })

  it('delivers a value while the model says nothing', async () => {
    const data = ownData<Data>()
    const { promise: waits, resolve: answer } = Promise.withResolvers<void>()
    const model = mockModel(async () => {
      await waits
      return 'Hello'
    })
    const events = ask({ model, data })[Symbol.asyncIterator]()
    const first = events.next()
    data.write('status', 'looks', { transient: true })
    expect((await first).value).toMatchObject({ type: 'data', value: 'looks' })
    answer()
    await events.return?.()
  })

  it('keeps the data of an empty answer that is asked for again', async () => {
    const data = ownData<Data>()
    data.write('sources', [])
    const { result, events } = await outcomeOf(ask({ data }, ['', 'Hello']))
    expect(kept(result?.messages ?? [])).toEqual([{ dataParts: [{ name: 'sources', value: [], at: 0 }] }])
    expect(kept(events.slice(0, -1).reduce(applyEvent, [] as readonly Message[]))).toEqual(kept(result?.messages ?? []))
  })

  it('keeps the data of a failed answer with the part that arrived', async () => {
    const data = ownData<Data>()
    data.write('sources', [])
    const run = ask({ data, retries: 0 }, [{ cutAfter: 3, of: 'Hello there, you' }])
    const { error } = await outcomeOf(run)
    const parts = [{ name: 'sources', value: [], at: 0 }]
    expect(error).toBeInstanceOf(InterruptedError)
    expect(kept(run.messages)).toEqual([{ dataParts: parts }])
    expect((error as InterruptedError).partial?.metadata).toEqual({ dataParts: parts })
  })

  it('that goes on with a decided call gives the data of its tool to its answer', async () => {
    const careful = { ...search, needsApproval: approval() }
    const first = ask({ tools: [careful] }, [{ calls: [call('search', { for: 'x' })] }])
    const { messages, pending } = await first.response
    const approvals = pending.map(({ id: toolCallId }) => ({ toolCallId, approved: true }))
    const data = ownData<Data>()
    const run = ask({ prompt: undefined as never, messages, tools: [careful], approvals, data }, ['Done'])
    const { events, result } = await outcomeOf(run)
    const own = [{ dataParts: [{ name: 'steps', id: 's', value: 2, at: 0 }] }]
    expect(kept(result?.messages ?? [])).toEqual(own)
    const shown = events.reduce(applyEvent, messages)
    expect(kept(shown)).toEqual([undefined, ...own])
  })

  it('refuses a value without JSON, a name that has a use, and a second run; and drops what comes too late', async () => {
    const data = ownData()
    expect(() => data.write('a', undefined as never)).toThrow(/"a".*undefined, which has no JSON/)
    expect(() => data.write('a', 1n as never)).toThrow(TypeError)
    expect(() => data.write('', 1)).toThrow(TypeError)
    expect(() => data.setMetadata('cacheHint', 'ephemeral')).toThrow(/cacheHint/)
    expect(() => data.setMetadata('dataParts', [])).toThrow(/dataParts/)
    await ask({ data }).response
    data.write('late', 1)
    const { error } = await outcomeOf(ask({ data }))
    expect(error).toMatchObject({ name: 'TypeError', message: expect.stringContaining('another run') })
  })

  it('can be given what belongs to the end: its result is there, and the page has it before the end', async () => {
    const seen: unknown[] = []
    const data = ownData<Data & { cost: number }>({
      async onResult({ text }, { setMetadata, write }) {
        await new Promise((resolve) => setTimeout(resolve))
        seen.push(text)
        setMetadata('cost', 0.5)
        write('steps', 9)
      },
    })
    const run = ask({ data })
    const { events, result } = await outcomeOf(run)
    expect(events.slice(-4).map(({ type }) => type)).toEqual(['message_end', 'data', 'data', 'done'])
    expect(seen).toEqual(['Hello there'])
    expect(kept(run.messages)).toEqual([{ dataParts: [{ name: 'steps', value: 9, at: 1 }], cost: 0.5 }])
    expect(kept(result?.messages ?? [])).toEqual(kept(run.messages))
    expect(events.at(-1)).toEqual({ type: 'done', result })
  })

  it('fails with the error of that function, and a failed run does not call it', async () => {
    let count = 0
    const onResult = () => {
      count++
      throw new Error('no database')
    }
    const { error } = await outcomeOf(ask({ data: ownData({ onResult }) }))
    expect(error).toMatchObject({ message: 'no database' })
    await outcomeOf(ask({ data: ownData({ onResult }), retries: 0 }, [{ cutAfter: 3, of: 'Hello there, you' }]))
    expect(count).toBe(1)
  })

  it('copies a value when it is written', async () => {
    const data = ownData<Data>()
    const sources = [{ url: 'a' }]
    data.write('sources', sources)
    sources.push({ url: 'b' })
    const { result } = await outcomeOf(ask({ data }))
    expect(result?.message.metadata?.dataParts?.[0]?.value).toEqual([{ url: 'a' }])
  })
})

const rules: readonly (readonly [string, PageRules])[] = [
  ['the default', {}],
  ['everything', { usage: true, model: true, warnings: true, tools: 'all' }],
  ['little', { reasoning: false, tools: 'hidden' }],
]

describe.each(rules)('a page by rules of %s', (_, page) => {
  it('reads the events and the messages that the server has', async () => {
    const read = readEvents<readonly [], Data>(toResponse(wholeRun().run, { page }))
    const events: StreamEvent[] = []
    for await (const event of read) events.push(event as StreamEvent)
    const values = events.flatMap((event) => (event.type === 'data' ? [event.name] : []))
    expect(values).toEqual(['status', 'sources', 'topic', 'status', 'steps', 'steps', 'status', 'status'])
    const result = (await read.response) as RunResult
    const hidden = page.tools === 'hidden'
    const seen = due.map((metadata) => ({
      ...metadata,
      dataParts: metadata.dataParts.map((part) => ({ ...part, at: hidden ? Math.min(part.at, 1) : part.at })),
    }))
    expect(kept(read.messages)).toEqual(seen)
    expect(kept(result.messages)).toEqual(seen)
  })

  it('gets each value once, or twice while it changes: the end repeats nothing', async () => {
    const text = await (await toResponse(wholeRun().run, { page })).text()
    expect(text.split('https://a.example')).toHaveLength(2)
    expect(text.split('travel')).toHaveLength(2)
  })
})

it('a place does not count blocks that the page may not see', async () => {
  const data = ownData<Data>()
  const model = mockModel([{ reasoning: 'Hm', text: 'Hello' }])
  const run = ask({ model, data, observers: [afterRounds(() => data.write('steps', 1))] })
  const read = readEvents(toResponse(run, { page: { reasoning: false } }))
  await read.response
  expect(run.messages.at(-1)?.metadata?.dataParts).toMatchObject([{ at: 2 }])
  expect(read.messages.at(-1)?.metadata?.dataParts).toMatchObject([{ at: 1 }])
})

it('metadata that the application did not write for the page stays on the server', async () => {
  const secret = { internal: 'secret-7', cacheHint: 'ephemeral' }
  const model = {
    ...mockModel(['Hello']),
    async *answer(...given: Parameters<ReturnType<typeof mockModel>['answer']>) {
      for await (const batch of mockModel(['Hello']).answer(...given))
        yield batch.map((event) =>
          event.type === 'message_end' ? { ...event, message: { ...event.message, metadata: secret } } : event,
        )
    },
  } as ReturnType<typeof mockModel>
  const text = await (await toResponse(ask({ model }))).text()
  expect(text).not.toMatch(/secret-7|cacheHint/)
})

describe('a chat', () => {
  const partsIn = (chat: { getSnapshot(): { messages: readonly { parts: readonly object[] }[] } }) =>
    chat.getSnapshot().messages.map(({ parts }) =>
      parts.map((part) => {
        const { type, text, name, value } = part as Record<string, unknown>
        return type === 'data' ? [name, value] : (text ?? type)
      }),
    )
  const sources = ['sources', [{ url: 'https://a.example' }]]
  const first = ['status', 'round 1']
  const steps = ['steps', 2]
  const second = ['status', 'round 2']
  const shown = [['Hi'], [sources, 'Let me see.', 'tool', first, steps, 'Here it is.', second]]
  const overHttp = (answer: (request: Request) => Promise<Response>) =>
    ((input: string, init: RequestInit) =>
      answer(new Request(new URL(input, 'https://a.example'), init))) as typeof fetch

  it('draws each value in its place, with metadata, also from a storage and from its plain messages', async () => {
    const persist = memoryPersist()
    const seen: unknown[] = []
    const transport = fetchTransport({ fetch: overHttp(() => toResponse(wholeRun().run)) })
    const chat = createChatStore<readonly [], Data>({
      id: 'c',
      transport,
      persist,
      onEvent: (event) => {
        if (event.type === 'data' && event.transient) seen.push(event.value)
      },
    })
    await chat.send('Hi')
    expect(partsIn(chat)).toEqual(shown)
    expect(chat.getSnapshot().messages[1]?.metadata).toEqual({ topic: 'travel' })
    expect(seen).toEqual(['begins', 'searched'])
    await chat.load()
    const again = createChatStore<readonly [], Data>({ id: 'c', transport, persist })
    await again.load()
    expect(partsIn(again)).toEqual(shown)
    expect(again.getSnapshot().messages[1]?.metadata?.topic).toBe('travel')
    const messages = chat.getSnapshot().messages.flatMap((one) => one.messages)
    const plain = createChatStore({ transport, messages })
    expect(partsIn(plain)).toEqual(shown)
    const ids = chat.getSnapshot().messages.flatMap(({ parts }) => parts.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('shows a value before the answer has begun, and replaces it in place', async () => {
    const data = ownData<Data>()
    const { promise: waits, resolve: go } = Promise.withResolvers<void>()
    const run = () => ask({ data, beforeRound: () => waits })
    const chat = createChatStore({ transport: runTransport(run), throttleMs: 0 })
    const sent = chat.send('Hi')
    data.write('steps', 1, { id: 'p' })
    await new Promise((resolve) => setTimeout(resolve))
    expect(partsIn(chat)[1]).toEqual([['steps', 1]])
    const before = chat.getSnapshot().messages[1]?.parts[0]
    go()
    data.write('steps', 2, { id: 'p' })
    await sent
    expect(partsIn(chat)[1]).toEqual([['steps', 2], 'Hello there'])
    expect(chat.getSnapshot().messages[1]?.parts[0]?.id).toBe(before?.id)
  })

  it('reads a kept run again from its beginning, after a reload', async () => {
    const log = memoryLog()
    const { promise: waits, resolve: go } = Promise.withResolvers<void>()
    const fetch = overHttp((request) => {
      if (request.method === 'GET') return answerKept(request, log)
      const beforeRound = ({ round }: { round: number }) => (round === 2 ? waits : undefined)
      return keepRun(wholeRun({ beforeRound }).run, log)
    })
    const options = { id: 'k', transport: fetchTransport({ fetch, resume: keptRuns }) }
    const before = createChatStore(options)
    void before.send('Hi')
    await new Promise((resolve) => setTimeout(resolve, 20))
    before.leave()
    const again = createChatStore({ ...options, messages: [message.user('Hi')] })
    const resumed = again.resume()
    go()
    expect(await resumed).toBe(true)
    expect(partsIn(again)[1]?.filter((part) => Array.isArray(part))).toEqual([sources, first, steps, second])
  })

  it('keeps the values when a message is edited, and when the answer breaks off', async () => {
    const data = ownData<Data>()
    data.write('steps', 1)
    const runs = [
      () => wholeRun().run,
      () => ask({ data, model: mockModel([{ cutAfter: 3, of: 'Hello there, you' }]), retries: 0 }),
    ]
    const chat = createChatStore({ transport: runTransport(() => (runs.shift() as () => ReturnType<typeof ask>)()) })
    await chat.send('Hi')
    const [asked] = chat.getSnapshot().messages
    await chat.edit(asked?.id ?? '', 'Hi again')
    const [edited, failed] = chat.getSnapshot().messages
    expect(failed?.state).toBe('failed')
    expect(partsIn(chat)[1]?.[0]).toEqual(['steps', 1])
    chat.branch(edited?.id ?? '', 0)
    expect(partsIn(chat)).toEqual(shown)
  })
})

describe('a sealed history', () => {
  const secret = new Uint8Array(32)

  it('has the values, and a page cannot forge them', async () => {
    const { run } = wholeRun()
    const read = readEvents(toResponse(run, { seal: (said) => sealMessages(said, secret, 'me') }))
    await read.response
    const opened = await openMessages(read.sealed ?? '', secret, 'me')
    expect(kept(opened)).toEqual(due)
    for (const role of ['user', 'assistant'] as const) {
      const body = JSON.stringify({ chatId: 'c', messages: [{ role, content: 'Hi', metadata: { topic: 'forged' } }] })
      const request = new Request('https://a.example', { method: 'POST', body })
      await expect(readChatRequest(request, { roles: ['user', 'assistant'] })).rejects.toThrow(
        '"messages[0].metadata" may not come from a page',
      )
    }
  })

  it('has a length that does not say more about other fields because of them', async () => {
    const sealed = async (usage: number, value: string) => {
      const one: Message = {
        role: 'assistant',
        content: 'a',
        usage: { inputTokens: usage },
        metadata: { dataParts: [{ name: 'x', value, at: 0 }] },
      }
      return (await sealMessages([one], secret, 'me')).length
    }
    for (let length = 0; length < 300; length += 7)
      expect(await sealed(1, 'x'.repeat(length))).toBe(await sealed(123_456_789, 'x'.repeat(length)))
  })

  it('and a stored one keep them', () => {
    const one: Message = { role: 'assistant', content: 'a', metadata: due[0] as never }
    expect(deserializeMessages(JSON.parse(JSON.stringify(serializeMessages([one]))))).toEqual([one])
  })
})

describe('the AI SDK', () => {
  it('has them as data parts and metadata, and what it sends back has none of them', async () => {
    const chat = chatOver(() => toResponse(wholeRun().run, { as: uiMessages() }))
    const seen: unknown[] = []
    const listening = chatOver(() => toResponse(wholeRun().run, { as: uiMessages() }), {
      onData: (part) => seen.push([part.type, part.data]),
    })
    await chat.sendMessage({ text: 'Hi' })
    await listening.sendMessage({ text: 'Hi' })
    expect(chat.error).toBeUndefined()
    const own = chat.lastMessage?.parts.filter(({ type }) => type.startsWith('data-'))
    expect(own).toEqual([
      { type: 'data-sources', data: [{ url: 'https://a.example' }] },
      { type: 'data-status', data: 'round 1' },
      { type: 'data-steps', id: 's', data: 2 },
      { type: 'data-status', data: 'round 2' },
    ])
    expect(chat.lastMessage?.metadata).toMatchObject({ topic: 'travel' })
    expect(seen).toContainEqual(['data-status', 'searched'])
    const { messages } = fromUiMessages(chat.messages)
    expect(JSON.stringify(messages)).not.toMatch(/a\.example|travel|round/)
  })
})

it('AG-UI has them as CUSTOM events', async () => {
  const response = await toResponse(wholeRun().run, { as: agUi({ threadId: 't', runId: 'r' }) })
  const events = (await response.text())
    .split('\n\n')
    .slice(0, -1)
    .map((block) => EventSchemas.parse(JSON.parse(block.slice('data: '.length))) as { type: string; name?: string })
  const own = events.filter(({ type, name }) => type === 'CUSTOM' && name !== 'isoglot.progress')
  expect(own).toEqual([
    { type: 'CUSTOM', name: 'status', value: 'begins' },
    { type: 'CUSTOM', name: 'sources', value: [{ url: 'https://a.example' }] },
    { type: 'CUSTOM', name: 'isoglot.metadata', value: { topic: 'travel' } },
    { type: 'CUSTOM', name: 'status', value: 'round 1' },
    { type: 'CUSTOM', name: 'steps', id: 's', value: 1 },
    { type: 'CUSTOM', name: 'steps', id: 's', value: 2 },
    { type: 'CUSTOM', name: 'status', value: 'searched' },
    { type: 'CUSTOM', name: 'status', value: 'round 2' },
  ])
})
