/** A run through a server of ours, beside the same run without one. */
import { describe, expect, it, vi } from 'vitest'
import type { Message, MessageEvent } from '../src/core/messages.ts'
import type { Model } from '../src/core/question.ts'
import { formats } from '../src/formats/shared/format-names.ts'
import { answerResponse, createGateway, type EndReport, isoglotFormat } from '../src/gateway/index.ts'
import { block, generate, generateObject, liveArguments, message, stream, t, tool } from '../src/index.ts'
import { answerHeader, remote } from '../src/remote/index.ts'
import { call, type MockAnswer, type MockModel, mockModel } from '../src/test/index.ts'

/** A tool whose name no provider takes. */
const weather = tool({
  name: 'get weather',
  parameters: t.object({ city: t.string() }),
  execute: ({ city }) => `25 in ${city}`,
})

function behind(model: Model, settings: object = {}): Model {
  const gateway = createGateway({ formats: [isoglotFormat], models: { m: model } })
  const fetch = (url: RequestInfo | URL, init?: RequestInit) => gateway.fetch(new Request(url, init))
  return { ...remote('m', { url: 'https://app.example/answer', fetch, ...settings }), provider: model.provider }
}
const ways: readonly ((model: MockModel) => Model)[] = [(model) => model, behind]

/** Without the times at which an answer was made. */
const timeless = (value: unknown) =>
  JSON.parse(JSON.stringify(value ?? null, (key, one) => (key === 'createdAt' ? undefined : one)))

/** A provider that calls the tool by the name that it was given, and then answers. */
function provider(format: (typeof formats)[number]): MockModel {
  let turn = 0
  return mockModel(
    ({ body }): MockAnswer => {
      if (turn++ > 0) return 'It is 25.'
      const [name = 'get weather'] = /get_weather_\w{9}/.exec(JSON.stringify(body)) ?? []
      return { text: 'Let me see.', calls: [call(name, { city: 'Tokyo' })] }
    },
    { format },
  )
}

async function told(model: Model, more: object = {}) {
  const events: MessageEvent[] = []
  const run = stream({ model, prompt: 'Weather in Tokyo?', tools: [weather], retries: 0, ...more })
  try {
    for await (const event of run) events.push(event as MessageEvent)
    return timeless({ events, result: await run.response })
  } catch (error) {
    const { code, partial } = error as { code?: string; partial?: unknown }
    return timeless({ events, code, partial, ofRun: run.partial, messages: run.messages })
  }
}

describe.each(formats)('a remote model with %s behind it', (format) => {
  it('gives the events, the result and the requests of a direct run with a tool', async () => {
    const [direct, other] = await Promise.all(
      ways.map(async (way) => {
        const model = provider(format)
        return { ...(await told(way(model))), bodies: timeless(model.requests.map(({ body }) => body)) }
      }),
    )
    expect(direct.bodies).toHaveLength(2)
    expect(other).toEqual(direct)
    expect(direct.result.text).toBe('It is 25.')
    expect(JSON.stringify(direct.result.messages)).toContain('"name":"get weather"')
  })

  it('gives live arguments', async () => {
    const live = { liveArguments: liveArguments() }
    const [direct, other] = await Promise.all(ways.map((way) => told(way(provider(format)), live)))
    expect(other).toEqual(direct)
  })

  it('gives a value of a schema', async () => {
    const schema = t.object({ city: t.string() })
    const ask = (way: (model: MockModel) => Model) =>
      generateObject({ model: way(mockModel(['{"city":"Tokyo"}'], { format })), prompt: 'A city', schema })
    const [direct, other] = await Promise.all(ways.map(ask))
    expect([timeless(other?.messages), other?.object]).toEqual([timeless(direct?.messages), { city: 'Tokyo' }])
  })

  it('gives the error and the part of an answer that is cut off', async () => {
    const cut = { of: { text: 'One two three four five six seven eight nine ten' }, cutAfter: 6 } as const
    const [direct, other] = await Promise.all(ways.map((way) => told(way(mockModel([cut], { format })), { tools: [] })))
    expect(direct.code).toBe('interrupted')
    expect(other).toEqual(direct)
  })

  it('reports losses with their places', async () => {
    const losses = await Promise.all(
      ways.map(async (way) => {
        const reasoning: Message = {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Hm' },
            { type: 'text', text: 'A' },
          ],
        }
        const options = { topK: 3, seed: 4, frequencyPenalty: 1, tools: [tool({ name: 'z' }), weather] }
        const model = way(mockModel(['Hello'], { format }))
        const { warnings } = await generate({
          model,
          messages: [message.user('Hi'), reasoning],
          prompt: 'Go',
          ...options,
        })
        return warnings
      }),
    )
    expect(losses[1]).toEqual(losses[0])
  })

  it('reports the losses of an answer that was asked for whole', async () => {
    const losses = ways.map(async (way) => {
      const options = { topK: 3, seed: 4, frequencyPenalty: 1, wholeAnswer: true }
      return (await generate({ model: way(mockModel(['Hello'], { format })), prompt: 'Go', ...options })).warnings
    })
    expect(await losses[1]).toEqual(await losses[0])
  })

  it('is asked for a whole answer where the settings of the model have several choices, with whole figures', async () => {
    const reports: EndReport[] = []
    const mock = mockModel([{ text: 'Hello', usage: { inputTokens: 1, outputTokens: 2 } }], { format })
    const models = { m: { ...mock, body: { n: 2 } } }
    const gateway = createGateway({ formats: [isoglotFormat], models, onEnd: (report) => void reports.push(report) })
    const fetch = (url: RequestInfo | URL, init?: RequestInit) => gateway.fetch(new Request(url, init))
    const { text } = await generate({ model: remote('m', { url: 'https://a.example/answer', fetch }), prompt: 'Hi' })
    expect([text, mock.requests[0]?.options.stream ?? false]).toEqual(['Hello', false])
    expect(reports).toMatchObject([{ usage: { outputTokens: 2 } }])
    expect(reports[0]).not.toHaveProperty('usageIsOld')
  })
})

describe('a remote model', () => {
  it('goes on with another provider behind it, and directly', async () => {
    const first = await generate({ model: behind(provider('anthropic')), prompt: 'Weather?', tools: [weather] })
    const next = { messages: [...first.messages, message.user('Thanks')], tools: [weather] }
    for (const way of ways) {
      const { text } = await generate({ model: way(mockModel(['Bye'], { format: 'gemini' })), ...next })
      expect(text).toBe('Bye')
    }
  })

  it('throws the error of the provider in words of isoglot', async () => {
    const failing = mockModel(() => ({ error: 'rate_limit', retryAfterMs: 1 }))
    const error = generate({ model: behind(failing), prompt: 'Hi', retries: 0 })
    await expect(error).rejects.toMatchObject({ code: 'api', kind: 'rate_limit', status: 429, retryable: true })
  })

  const busy: MockAnswer = { error: 'overloaded', retryAfterMs: 1 }
  it.each([
    [undefined, 3],
    [0, 1],
    [1, 2],
    [9, 3],
  ])('leaves it to its server to repeat what the provider refused: retries %s, asked %i times', async (most, asked) => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const model = mockModel(() => busy)
    const answer = generate({ model: behind(model), prompt: 'Hi', ...(most !== undefined && { retries: most }) })
    const failed = expect(answer).rejects.toMatchObject({ kind: 'overloaded' })
    await vi.advanceTimersByTimeAsync(10_000)
    await failed
    expect(model.requests).toHaveLength(asked)
  })

  it('is answered by another model of its server before one is asked twice', async () => {
    const [first, second] = [mockModel(() => busy), mockModel(['Hi'])]
    const models = { m: { model: first, fallbacks: ['n'] }, n: second }
    const gateway = createGateway({ formats: [isoglotFormat], models })
    const fetch = (url: RequestInfo | URL, init?: RequestInit) => gateway.fetch(new Request(url, init))
    const { text } = await generate({ model: remote('m', { url: 'https://a.example/answer', fetch }), prompt: 'Hi' })
    expect([text, first.requests.length, second.requests.length]).toEqual(['Hi', 1, 1])
  })

  it('is not asked again after an answer of its server, and is after that of a proxy', async () => {
    let asked = 0
    const busy = (headers: HeadersInit) => async () => {
      asked++
      return new Response('busy', { status: 503, headers })
    }
    const ask = (fetch: () => Promise<Response>) =>
      generate({ model: remote('m', { url: 'https://a.example', fetch }), prompt: 'Hi', retries: 1 }).catch(() => {})
    await ask(busy({ 'x-isoglot-answer': '1' }))
    expect(asked).toBe(1)
    await ask(busy({}))
    expect(asked).toBe(3)
  })

  it('leaves out an event of a type that version 1 does not have yet, and tells nobody the query of its address', async () => {
    const urls: string[] = []
    const fetch = async () =>
      new Response(
        [
          { type: 'message_start' },
          { type: 'from_next_year', index: 0 },
          { type: 'text_delta', index: 0, text: 'Hi' },
          { type: 'content_block', index: 0, block: { type: 'text' } },
          { type: 'message_end', message: { role: 'assistant', stopReason: 'stop' } },
        ]
          .map((event) => `data: ${JSON.stringify(event)}\n\n`)
          .join(''),
        { headers: { 'content-type': 'text/event-stream', [answerHeader]: '1' } },
      )
    const model = remote('m', { url: 'https://app.example/answer?token=secret', fetch })
    const observers = [{ onAttempt: ({ url, end }: { url: string; end?: object }) => void (end ?? urls.push(url)) }]
    const { events } = await told(model, { observers, tools: [] })
    expect(events.map(({ type }: MessageEvent) => type)).toEqual([
      'message_start',
      'text_delta',
      'content_block',
      'message_end',
      'done',
    ])
    expect(urls).toEqual(['https://app.example/answer'])
  })

  it('asks for a new token once after a 401', async () => {
    const seen: (string | undefined)[] = []
    const gateway = createGateway({ formats: [isoglotFormat], models: { m: mockModel(['Hi']) } })
    const fetch = async (url: RequestInfo | URL, init?: RequestInit) => {
      const request = new Request(url, init)
      if (request.headers.get('authorization') === 'Bearer old') return new Response('', { status: 401 })
      return gateway.fetch(request)
    }
    const session = (refused?: string) => {
      seen.push(refused)
      return refused === undefined ? 'old' : 'new'
    }
    const model = remote('m', { url: 'https://a.example/answer', fetch, session })
    const { text } = await generate({ model, prompt: 'Hi' })
    expect([text, seen]).toEqual(['Hi', [undefined, 'old']])
  })

  it('sends no function as "strict"', async () => {
    const asked = generate({ model: behind(mockModel(['Hi'])), prompt: 'Hi', strict: () => true })
    await expect(asked).rejects.toThrow(TypeError)
  })

  it('sends nothing that is for the application only', async () => {
    const model = mockModel(['Hi'])
    let sent = ''
    const fetch = async (_: unknown, init?: RequestInit) => {
      sent = String(init?.body)
      return new Response('', { status: 400 })
    }
    const metadata = { note: 'secret', cacheHint: 'ephemeral' } as const
    const messages: Message[] = [
      message.user('Hi'),
      message.assistant([block.toolCall('c1', 'f', {})]),
      { ...message.tool('ok', { toolCallId: 'c1' }), artifacts: ['secret'], extra: { a: 'secret' } },
      { ...message.user('Go'), metadata: { note: 'secret', cacheHint: 'ephemeral' } },
      message.user([{ ...block.text('now'), metadata }]),
      message.assistant([block.toolCall('c2', 'f', {})]),
      { ...message.tool('ok', { toolCallId: 'c2' }), content: [{ ...block.text('done'), metadata }] },
    ]
    const tools = [{ name: 'f', parameters: { type: 'object' }, metadata }]
    await generate({
      model: behind(model, { fetch }),
      system: [{ ...block.text('Be brief'), metadata }],
      messages,
      tools,
    }).catch(() => {})
    for (const word of ['"ok"', '"now"', '"done"', '"Be brief"', '"f"']) expect(sent).toContain(word)
    expect(sent.match(/"cacheHint":"ephemeral"/g)).toHaveLength(5)
    expect(sent).not.toContain('secret')
  })
})

describe('a route with one model', () => {
  it('answers like the model, whatever name the page gives', async () => {
    const model = provider('anthropic')
    const fetch = (url: RequestInfo | URL, init?: RequestInit) => answerResponse(model, new Request(url, init))
    const other = { ...remote('any:name', { url: 'https://app.example/api/ask?v=1', fetch }), provider: model.provider }
    expect(await told(other)).toEqual(await told(provider('anthropic')))
    expect(model.requests).toHaveLength(2)
  })

  it('answers what it cannot read with an error in the form of the wire', async () => {
    const asked = new Request('https://app.example/api', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"version":2}',
    })
    const response = await answerResponse(mockModel([]), asked)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('version') } })
  })

  it('is stopped when the page leaves', async () => {
    const leave = new AbortController()
    let signal: AbortSignal | undefined
    const model = {
      provider: 'own',
      model: 'own',
      answer: async function* (_: unknown, call: { signal: AbortSignal }): AsyncGenerator<MessageEvent[]> {
        signal = call.signal
        yield [{ type: 'message_start' }, { type: 'text_delta', index: 0, text: 'Hello' }]
        await new Promise((resolve) => call.signal.addEventListener('abort', resolve))
      },
    }
    const fetch = (url: RequestInfo | URL, init?: RequestInit) => answerResponse(model, new Request(url, init))
    const run = stream({
      model: remote('own', { url: 'https://app.example', fetch }),
      prompt: 'x',
      signal: leave.signal,
    })
    await expect(
      (async () => {
        for await (const event of run) if (event.type === 'text_delta') leave.abort()
      })(),
    ).rejects.toThrow()
    await expect.poll(() => signal?.aborted).toBe(true)
  })
})

describe('the format of a gateway', () => {
  const gateway = createGateway({ formats: [isoglotFormat], models: { m: mockModel(() => 'Hi') } })
  const ask = (body: object) =>
    gateway.fetch(
      new Request('https://a.example/answer', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
  const question = { version: 1, model: 'm', context: { messages: [{ role: 'user', content: 'Hi' }] }, options: {} }

  it.each<[string, object, string]>([
    ['another version', { ...question, version: 2 }, 'version'],
    ['an unknown field', { ...question, extra: 1 }, 'extra'],
    ['an unknown option', { ...question, options: { topZ: 1 } }, 'options.topZ'],
    ['an unknown role', { ...question, context: { messages: [{ role: 'x', content: '' }] } }, 'context.messages.0'],
    [
      'an unknown field of a message',
      { ...question, context: { messages: [{ role: 'user', content: 'Hi', odd: 1 }] } },
      'context.messages[0].odd',
    ],
    ...[null, true, {}].map((cacheHint): [string, object, string] => [
      `the cache hint ${JSON.stringify(cacheHint)}`,
      { ...question, context: { messages: [{ role: 'user', content: 'Hi', metadata: { cacheHint } }] } },
      'context.messages.0.metadata',
    ]),
    [
      'a function as a tool',
      { ...question, context: { ...question.context, tools: [{ execute: 1 }] } },
      'context.tools',
    ],
  ])('refuses %s, and names its path', async (_, body, path) => {
    const answer = await ask(body)
    expect([answer.status, (await answer.json()).error.message]).toEqual([400, expect.stringContaining(path)])
    expect(answer.headers.get('x-isoglot-answer')).toBe('1')
  })

  it('answers a whole answer as one JSON value', async () => {
    const answer = await ask({ ...question, wholeAnswer: true })
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await answer.json()).toMatchObject({ type: 'message_end', message: { content: [{ text: 'Hi' }] } })
  })
})
