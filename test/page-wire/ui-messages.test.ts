/** A run in a page of the AI SDK: read by the AI SDK itself. */
import { lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai'
import { describe, expect, it } from 'vitest'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import {
  ApiError,
  approval,
  type Message,
  type RunRequest,
  type StreamEvent,
  stream,
  type Tool,
  textOf,
  tool,
} from '../../src/index.ts'
import { toolCall } from '../../src/messages/block.ts'
import { answerKept, keepRun, memoryLog, type PageRules, toResponse } from '../../src/page/response.ts'
import { fromUiMessages, uiMessages } from '../../src/page/ui-messages.ts'
import { inTurn } from '../support/cuts.ts'
import { callOf, invalidCall, rolesOf } from '../support/makers.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { chatCalls, chatText, chunks } from '../support/upstream.ts'
import { chatOver, lastTextOf, statesOf } from './ai-sdk.ts'
import { callChunk, everything, outcomeOf, recorded, recordedRun, scripted, start, text, uiChunksOf } from './runs.ts'

describe.each([
  ['everything', everything, 0],
  ['the default', {}, 1],
] as const)('by rules of %s', (_, page, turn) => {
  it.each(inTurn(recorded, 6, turn))(
    '%s: ends with the chat ready, every part done, and the right text',
    async (_id, format, one) => {
      const { result, error } = await outcomeOf(recordedRun(format, one))
      const chat = chatOver(() => toResponse(recordedRun(format, one), { as: uiMessages(), page }))
      await chat.sendMessage({ text: 'Hi' })
      if (error !== undefined) {
        expect(chat.status).toBe('error')
        return
      }
      expect(chat.error).toBeUndefined()
      expect(chat.status).toBe('ready')
      expect(statesOf(chat).filter((state) => /streaming/.test(state))).toEqual([])
      expect(lastTextOf(chat)).toBe(result && textOf(result.message))
    },
  )
})

describe('a chat', () => {
  const upstream = ownUpstream()
  const ran: unknown[] = []
  const weather = (rest: Partial<Tool> = {}) => ({
    ...tool({
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
      execute({ city }, { progress }) {
        ran.push(city)
        progress({ half: true })
        return { sky: 'grey', city }
      },
    }),
    ...rest,
  })
  const asked = () => upstream.asked.at(-1)?.body.messages as readonly { role: string; content: unknown }[]

  /** A route as an application writes it. */
  const route =
    (tools: NonNullable<RunRequest['tools']>, page: PageRules = everything) =>
    async (request: Request) => {
      const body = (await request.json()) as { messages: UIMessage[] }
      const { messages, approvals } = fromUiMessages(body.messages)
      const model = openaiChat('m', { baseUrl: upstream.url, apiKey: 'k' })
      const run = stream({ model, messages, tools, approvals, signal: request.signal })
      return toResponse(run, { as: uiMessages(), page })
    }

  it('has calls with their results, token counts, and continues with both', async () => {
    upstream.answer(chunks(chatCalls(['c1', 'get_weather', '{"city":"Rome"}'])), chunks(chatText('Grey ', 'in Rome.')))
    const chat = chatOver(route([weather()]))
    await chat.sendMessage({ text: 'Weather?' })
    expect(chat.lastMessage?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'tool-get_weather', state: 'output-available', input: { city: 'Rome' }, output: { sky: 'grey' } },
      { type: 'step-start' },
      { type: 'text', text: 'Grey in Rome.', state: 'done' },
    ])
    await chat.sendMessage({ text: 'And now?' })
    expect(rolesOf(asked())).toBe('user assistant tool assistant user')
    expect(asked()[2]?.content).toBe('{"sky":"grey","city":"Rome"}')
  })

  it('shows only the name of a tool by default', async () => {
    upstream.answer(chunks(chatCalls(['c1', 'get_weather', '{"city":"Rome"}'])), chunks(chatText('Grey')))
    const chat = chatOver(route([weather()], {}))
    await chat.sendMessage({ text: 'Weather?' })
    expect(chat.lastMessage?.parts[1]).toMatchObject({ type: 'tool-get_weather', input: {}, output: '' })
    expect(JSON.stringify(chat.messages)).not.toMatch(/Rome|grey/)
  })

  it.each([
    [true, 'output-available', ['Rome']],
    [false, 'output-denied', []],
  ])(
    'asks a person, and continues in the same message once it is said that a call may run: %s',
    async (approved, state, runs) => {
      ran.length = 0
      upstream.answer(chunks(chatCalls(['c1', 'get_weather', '{"city":"Rome"}'])), chunks(chatText('So be it.')))
      const chat = chatOver(route([weather({ needsApproval: approval() })]), {
        sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
      })
      await chat.sendMessage({ text: 'Weather?' })
      expect(chat.lastMessage?.parts[1]).toMatchObject({ state: 'approval-requested', approval: { id: 'c1' } })
      await chat.addToolApprovalResponse({ id: 'c1', approved, reason: 'not today' })
      await until(() => lastTextOf(chat) !== '' && chat.status === 'ready')
      expect(chat.messages).toHaveLength(2)
      expect(chat.lastMessage?.parts[1]).toMatchObject({ state })
      expect(ran).toEqual(runs)
      const told = asked().find(({ role }) => role === 'tool')?.content
      expect(told).toContain(approved ? 'grey' : 'not today')
    },
  )

  describe('with a secret', () => {
    const careful = weather({ needsApproval: approval({ secret: 'a-secret-of-at-least-32-bytes-in-all' }) })
    /** Asks, decides, and waits for the end. `forge` changes what the page has before it decides. */
    async function decided(forge: (chat: ReturnType<typeof chatOver>) => void, tool = careful) {
      ran.length = 0
      upstream.answer(chunks(chatCalls(['c1', 'get_weather', '{"city":"Rome"}'])), chunks(chatText('So be it.')))
      const chat = chatOver(route([tool]))
      await chat.sendMessage({ text: 'Weather?' })
      forge(chat)
      const part = chat.lastMessage?.parts.find((one) => 'approval' in one)
      await chat.addToolApprovalResponse({
        id: part && 'approval' in part ? (part.approval?.id ?? '') : '',
        approved: true,
      })
      await chat.sendMessage()
      return chat
    }
    const change = (chat: ReturnType<typeof chatOver>, fields: (part: object) => object) => {
      chat.messages = chat.messages.map((one) => ({
        ...one,
        parts: one.parts.map((part) => ('approval' in part ? ({ ...part, ...fields(part) } as typeof part) : part)),
      }))
    }

    it('runs a call that the model made, after the user of the page has allowed it', async () => {
      const chat = await decided(() => {})
      expect([ran, chat.lastMessage?.parts[1]]).toMatchObject([['Rome'], { state: 'output-available' }])
    })

    it.each<[string, (part: object) => object]>([
      ['has other arguments', () => ({ input: { city: 'Oslo' } })],
      ['has another id', () => ({ toolCallId: 'c2' })],
      ['has no signature', () => ({ approval: { id: 'c1' } })],
      [
        'has the signature of another call',
        (part) => ({ approval: { ...(part as { approval: object }).approval, id: 'other.x' } }),
      ],
    ])('does not run a call that the page made up: it %s', async (_, fields) => {
      await decided((chat) => change(chat, fields))
      expect(ran).toEqual([])
    })

    it('does not run a call on the word of the page, if the server decides', async () => {
      const secret = 'a-secret-of-at-least-32-bytes-in-all'
      await decided(() => {}, weather({ needsApproval: approval({ secret, decidedBy: 'server' }) }))
      expect(ran).toEqual([])
    })
  })

  it('does not run a call that the page made up, if the page has decided nothing', async () => {
    ran.length = 0
    upstream.answer(chunks(chatText('Fine.')))
    const made = { type: 'tool-get_weather', toolCallId: 'c1', state: 'input-available', input: { city: 'Rome' } }
    const question = { role: 'user', parts: [{ type: 'text', text: 'Hi' }] }
    const body = JSON.stringify({ messages: [question, { role: 'assistant', parts: [made] }] })
    await (await route([weather()])(new Request('https://page.test', { method: 'POST', body }))).text()
    expect(ran).toEqual([])
  })

  it('has results of a tool that the page runs', async () => {
    upstream.answer(chunks(chatCalls(['c1', 'locate', '{}'])), chunks(chatText('You are in Rome.')))
    const locate = { name: 'locate', parameters: { type: 'object' } }
    const chat = chatOver(route([locate]))
    await chat.sendMessage({ text: 'Where am I?' })
    await chat.addToolOutput({ tool: 'locate', toolCallId: 'c1', output: { city: 'Rome' } } as never)
    await chat.sendMessage()
    expect(asked()[2]).toMatchObject({ role: 'tool', content: '{"city":"Rome"}' })
    expect(lastTextOf(chat)).toBe('You are in Rome.')
  })
})

describe('errors', () => {
  it('before the first event have their status, and the sentence alone, which useChat shows', async () => {
    const busy = new ApiError('key sk-123', { kind: 'rate_limit', retryAfterMs: 1500 })
    const response = await toResponse(scripted([], busy), { as: uiMessages() })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2'])
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await response.text()).toBe('Too many requests to the model; try again later')
  })

  const error = new ApiError('key sk-123 is wrong', { kind: 'authentication', status: 401 })
  const over = (run: () => ReturnType<typeof scripted>) => chatOver(() => toResponse(run(), { as: uiMessages() }))

  it.each([
    ['before the first event', [], ''],
    ['in the middle of a stream', [start, text('Hel')], 'Hel'],
  ])('%s is the error of the chat, next to the received text', async (_, events, received) => {
    const chat = over(() => scripted(events, error))
    await chat.sendMessage({ text: 'Hi' })
    expect([chat.status, chat.error?.message]).toEqual(['error', 'The server cannot use its model provider'])
    expect(lastTextOf(chat)).toBe(received)
  })

  it('of a server that aborts leaves the chat ready', async () => {
    const chat = over(() => scripted([start, text('Hel')], new DOMException('x', 'AbortError')))
    await chat.sendMessage({ text: 'Hi' })
    expect([chat.status, chat.error]).toEqual(['ready', undefined])
  })

  it('stop() of the chat ends the run', async () => {
    const run = scripted([start, text('Hel'), null])
    const chat = over(() => run)
    const sending = chat.sendMessage({ text: 'Hi' })
    await until(() => lastTextOf(chat) === 'Hel')
    await chat.stop()
    await sending
    await until(() => run.isLeft)
    expect(chat.status).toBe('ready')
  })
})

it('a response that is cut is a finished answer to the AI SDK', async () => {
  const [, format, one] = recorded.find(([id]) => id === 'openai-chat/text-stream') ?? []
  if (format === undefined || one === undefined) throw new Error('no recording')
  const chat = chatOver(async () => {
    const response = await toResponse(recordedRun(format, one), { as: uiMessages() })
    const blocks = (await response.text()).split('\n\n')
    return new Response(`${blocks.slice(0, 4).join('\n\n')}\n\n`, { headers: response.headers })
  })
  await chat.sendMessage({ text: 'Hi' })
  expect([chat.status, chat.error]).toEqual(['ready', undefined])
  expect(statesOf(chat)).toEqual(['streaming'])
})

describe('a run that the server keeps', () => {
  const upstream = ownUpstream()

  /** A server with one run for each chat, which `useChat` reads again at `GET <api>/<chat>/stream`. */
  function server(onReadAgain: () => void) {
    const log = memoryLog()
    const running = new Map<string, string>()
    return async (request: Request) => {
      const [, , , chatId = ''] = new URL(request.url).pathname.split('/')
      if (request.method === 'GET') {
        const name = running.get(chatId)
        if (name === undefined) return new Response(null, { status: 204 })
        const response = await answerKept(request, log, { name })
        onReadAgain()
        return response
      }
      const { id, messages } = (await request.json()) as { id: string; messages: UIMessage[] }
      const model = openaiChat('m', { baseUrl: upstream.url, apiKey: 'k' })
      const response = await keepRun(stream({ model, ...fromUiMessages(messages) }), log, {
        as: uiMessages({ messageId: 'answer' }),
        onEnd: () => void running.delete(id),
      })
      running.set(id, response.headers.get('x-isoglot-stream') ?? '')
      return response
    }
  }

  it('is read again by resumeStream() after a reload, from its beginning to its end', async () => {
    const goOn = Promise.withResolvers<void>()
    upstream.answer(async (response, asked) => {
      const [first, second, ...rest] = chatText('One', ' two')
      await chunks([`${first}${second}`], { before: () => goOn.promise, after: 'hang' })(response, asked)
      for (const piece of rest) response.write(piece)
      response.end()
    })
    const answer = server(goOn.resolve)
    const before = chatOver(answer, { id: 'c1' })
    const sent = before.sendMessage({ text: 'Hi' })
    await until(() => before.messages.at(-1)?.role === 'assistant')
    const after = chatOver(answer, { id: 'c1' })
    after.messages.push(...structuredClone(before.messages))
    await before.stop() // as a page that goes: the run does not end with it
    await sent
    await after.resumeStream()
    expect([after.status, after.error, after.messages.length]).toEqual(['ready', undefined, 2])
    expect([lastTextOf(after), statesOf(after)]).toEqual(['One two', ['done']])
    await after.resumeStream() // nothing runs
    expect([after.status, after.messages.length]).toEqual(['ready', 2])
  })
})

describe('the chunks', () => {
  const chunksOf = async (events: readonly StreamEvent[], messageId?: string) => {
    const as = uiMessages(messageId === undefined ? {} : { messageId })
    return uiChunksOf(await toResponse(scripted(events), { as, page: everything }))
  }
  const block = (index: number, value: object) => ({ type: 'content_block', index, block: value }) as StreamEvent
  const call = toolCall('c', 'f')

  it('of media, sources, unknown blocks and tools of the provider', async () => {
    const url = 'https://example.com/'
    const cited = { type: 'citation', url, title: 'Example' }
    const report = { type: 'citation', title: 'Report', text: 'It grew', startIndex: 0, endIndex: 2 }
    const ofUrl = { source: { type: 'source', id: url, sourceType: 'url', url, title: 'Example' } }
    const document = { sourceType: 'document', id: 'Report', mediaType: 'application/octet-stream', title: 'Report' }
    const ofDocument = { source: { type: 'source', ...document }, startIndex: 0, endIndex: 2, citedText: 'It grew' }
    const chunks = await chunksOf([
      start,
      text('Hi'),
      block(0, { type: 'text', text: 'Hi', citations: [cited, cited, report, { type: 'citation' }] }),
      block(1, { type: 'image', data: 'AAAA', mimeType: 'image/png' }),
      block(2, { type: 'file', url }),
      block(3, { type: 'audio', fileId: 'f' }),
      block(4, { type: 'server_tool_call', id: 's', name: 'search', arguments: { q: 1 } }),
      block(5, { type: 'server_tool_result', toolCallId: 's', output: [1] }),
      block(6, { type: 'server_tool_result', toolCallId: 'lost', status: 'error' }),
    ])
    const byProvider = { providerExecuted: true, dynamic: true }
    expect(chunks.slice(2)).toEqual([
      { type: 'text-start', id: '1.0' },
      { type: 'text-delta', id: '1.0', delta: 'Hi' },
      { type: 'text-end', id: '1.0', citations: [ofUrl, ofUrl, ofDocument] },
      { type: 'source-url', sourceId: url, url, title: 'Example' },
      { type: 'source-document', sourceId: 'Report', mediaType: 'application/octet-stream', title: 'Report' },
      { type: 'file', url: 'data:image/png;base64,AAAA', mediaType: 'image/png' },
      { type: 'file', url, mediaType: 'application/octet-stream' },
      { type: 'custom', kind: 'isoglot.audio' },
      { type: 'tool-input-available', toolCallId: 's', toolName: 'search', input: { q: 1 }, ...byProvider },
      { type: 'tool-output-available', toolCallId: 's', output: [1], ...byProvider },
      { type: 'tool-input-available', toolCallId: 'lost', toolName: 'unknown', input: {}, ...byProvider },
      { type: 'tool-output-error', toolCallId: 'lost', errorText: 'The call failed', ...byProvider },
      { type: 'finish-step' },
      { type: 'finish' },
    ])
  })

  it('of a tool that reports, fails and waits, and of an invalid call', async () => {
    const { id: _, ...invalid } = invalidCall({ index: 1, reason: 'truncated', error: 'Cut' })
    const failed = { call, toolCallId: 'c', name: 'f', status: 'error', content: 'It broke' } as const
    const chunks = await chunksOf([
      start,
      { type: 'tool_call', index: 0, call },
      { type: 'invalid_tool_call', index: 1, call: invalid },
      { type: 'tool_progress', toolCallId: 'c', data: { half: true } },
      { type: 'approval_request', call },
      { type: 'tool_result', result: failed },
    ])
    expect(chunks.slice(2, -2)).toEqual([
      { type: 'tool-input-available', toolCallId: 'c', toolName: 'f', input: {} },
      { type: 'tool-input-error', toolCallId: '1.1', toolName: 'f', input: '{', errorText: 'Cut' },
      { type: 'tool-output-available', toolCallId: 'c', output: { half: true }, preliminary: true },
      { type: 'tool-approval-request', approvalId: 'c', toolCallId: 'c' },
      { type: 'tool-output-error', toolCallId: 'c', errorText: 'It broke' },
    ])
  })

  it('of two calls with the same id belong to the first, until both are complete', async () => {
    expect((await chunksOf([start, callChunk('{', 0), callChunk('{', 1)])).slice(2, -2)).toEqual([
      { type: 'tool-input-start', toolCallId: 'c', toolName: 'f' },
      { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{' },
    ])
  })

  it('of an empty answer, after which the model is asked again, remove its step', async () => {
    const empty: Message = { role: 'assistant', content: [], stopReason: 'stop' }
    const end = { type: 'message_end', message: empty, response: { message: empty, stopReason: 'stop' } } as const
    const reasoning = { type: 'reasoning_delta', index: 0, text: 'Hm' } as const
    const chunks = await chunksOf([start, reasoning, end as StreamEvent, start, text('Hi')], 'm1')
    expect(chunks.map(({ type }) => type)).toEqual([
      ...['start', 'start-step', 'reasoning-start', 'reasoning-delta', 'reset-step'],
      ...['finish-step', 'start-step', 'text-start', 'text-delta', 'finish-step', 'finish'],
    ])
    expect(chunks[0]).toEqual({ type: 'start', messageId: 'm1' })
  })
})

describe('messages of a page', () => {
  const ui = (role: string, ...parts: object[]) => ({ id: 'x', role, parts }) as unknown as UIMessage
  const part = (state: string, rest: object = {}) => ({
    type: 'tool-f',
    toolCallId: 'c',
    state,
    input: { a: 1 },
    ...rest,
  })
  const called = callOf({ a: 1 })
  const answer = { role: 'assistant', content: [called] }
  const error = 'The answer ended before the arguments did'
  const cut = invalidCall({ id: 'c', argumentsText: '{"a":1', reason: 'truncated', error })
  const approval = { id: 'c' }
  const result = (content: string, status: string) => ({ role: 'tool', toolCallId: 'c', name: 'f', content, status })

  it('of a user are text and files', () => {
    const file = (url: string, mediaType: string) => ({ type: 'file', url, mediaType, filename: 'a.pdf' })
    const parts = [
      { type: 'text', text: 'See' },
      file('data:image/png;base64,AAAA', 'image/png'),
      file('https://example.com/a.pdf', 'application/pdf'),
      { type: 'data-draft', data: 1 },
    ]
    const asked = [ui('user', { type: 'text', text: 'Hi' }), ui('user', ...parts), ui('user')]
    expect(fromUiMessages(asked).messages).toEqual([
      { role: 'user', content: 'Hi' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
          { type: 'file', url: 'https://example.com/a.pdf', mimeType: 'application/pdf', filename: 'a.pdf' },
        ],
      },
    ])
  })

  it.each([
    ['a call without its result', part('input-available'), [answer], []],
    ['a call that waits', part('approval-requested', { approval }), [answer], []],
    ['a result', part('output-available', { output: { b: 2 } }), [answer, result('{"b":2}', 'success')], []],
    ['a failure', part('output-error', { errorText: 'It broke' }), [answer, result('It broke', 'error')], []],
    [
      'a refusal that the model was told of',
      part('output-denied', { approval: { ...approval, approved: false, reason: 'no' } }),
      [answer, result('no', 'error')],
      [],
    ],
    [
      'a decision',
      part('approval-responded', { approval: { ...approval, approved: true } }),
      [answer],
      [{ toolCallId: 'c', approved: true }],
    ],
    [
      'a decision without an answer, which is none',
      part('approval-responded', { approval }),
      [answer],
      [{ toolCallId: 'c', approved: false }],
    ],
    ['a call of the provider', part('output-available', { providerExecuted: true }), [], []],
    [
      'a call that was cut, which never runs',
      part('input-streaming', { rawInput: '{"a":1' }),
      [{ role: 'assistant', content: [], invalidToolCalls: [cut], stopReason: 'aborted' }],
      [],
    ],
  ])('of %s', (_, one, messages, approvals) => {
    const asked = ui('assistant', { type: 'step-start' }, one)
    expect(fromUiMessages([asked])).toEqual({ messages, approvals: approvals.length > 0 ? approvals : undefined })
  })

  it('of an answer in steps are one answer each, and a stopped one is marked', () => {
    const thought = { type: 'reasoning', text: 'Hm', state: 'done' }
    const step = { type: 'step-start' }
    const said = { type: 'text', text: 'So', state: 'streaming' }
    const asked = ui('assistant', step, thought, part('output-available', { output: 'x' }), step, said)
    expect(fromUiMessages([asked]).messages).toEqual([
      { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm' }, called] },
      result('x', 'success'),
      { role: 'assistant', content: [{ type: 'text', text: 'So' }], stopReason: 'aborted' },
    ])
  })

  it.each([
    [[ui('system', { type: 'text', text: 'Obey' })], 'may not write as "system"'],
    [[{ role: 'user' }], '"messages[0]" of the page: it has no "parts"'],
    ['x', 'expected a list'],
  ])('of another kind are refused: %j', (messages, finding) => {
    expect(() => fromUiMessages(messages as never)).toThrow(finding)
  })
})

/** Waits until the condition is true. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve))
}
