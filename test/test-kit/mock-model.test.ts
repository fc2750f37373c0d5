/** The mock in all of its formats: the client reads exactly its answers, and it records exactly the client's requests. */
import { afterEach, describe, expect, it } from 'vitest'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import {
  ApiError,
  ConnectionError,
  generate,
  InterruptedError,
  stream,
  TimeoutError,
  t,
  tool,
} from '../../src/index.ts'
import { toolCalls } from '../../src/messages/index.ts'
import { call, collectRun, type FakeClock, fakeClock, type MockFormat, mockModel } from '../../src/test/index.ts'
import { facts } from '../formats/index.ts'
import { wires } from '../support/answers.ts'
import { errorKinds } from '../support/error-kinds.ts'

const formats: readonly MockFormat[] = wires

const weather = tool({
  name: 'get_weather',
  parameters: t.object({ city: t.string() }),
  execute: ({ city }) => `25 °C in ${city}`,
})

let clock: FakeClock | undefined
afterEach(() => {
  clock?.restore()
  clock = undefined
})

describe.each(formats)('a mock of %s', (format) => {
  it.each([undefined, 1, 7, 'event'] as const)('sends a text, in chunks of %s', async (chunk) => {
    const model = mockModel(['Grüß dich, 👋\n\n world '], { format, ...(chunk && { chunk }) })
    const { text, result, error } = await collectRun(stream({ model, prompt: 'Hello' }))
    expect([text, result?.text, error]).toEqual(['Grüß dich, 👋\n\n world ', 'Grüß dich, 👋\n\n world ', undefined])
    expect(result?.stopReason).toBe('stop')
  })

  it('returns a text word by word, as providers do', async () => {
    const model = mockModel(['one two three'], { format })
    const { events } = await collectRun(stream({ model, prompt: 'Hello' }))
    const deltas = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : []))
    expect(deltas).toEqual(['one', ' two', ' three'])
  })

  it('answers a request for a whole answer with one', async () => {
    const model = mockModel(['Whole'], { format })
    const { text } = await generate({ model, prompt: 'Hello', wholeAnswer: true })
    expect(text).toBe('Whole')
    expect(model.requests[0]?.options.stream ?? false).toBe(false)
  })

  it('sends reasoning, text, calls and usage in one turn', async () => {
    const usage = { inputTokens: 100, outputTokens: 20 }
    const calls = [call('get_weather', { city: 'Tōkyō' }), call('get_weather', { city: 'Rome' })]
    const model = mockModel([{ reasoning: 'Two cities.', text: 'Let me look.', calls, usage }], { format })
    const { message, outcome } = await generate({ model, prompt: 'Weather?', tools: [weather], maxRounds: 1 })
    expect(outcome).toBe('max_rounds')
    expect(message.content).toMatchObject([
      { type: 'reasoning', text: 'Two cities.' },
      { type: 'text', text: 'Let me look.' },
      { type: 'tool_call', name: 'get_weather', arguments: { city: 'Tōkyō' } },
      { type: 'tool_call', name: 'get_weather', arguments: { city: 'Rome' } },
    ])
    expect(message.usage).toMatchObject(usage)
  })

  it('is asked again with the results of the calls that it made, and has recorded both requests', async () => {
    const model = mockModel([{ calls: [call('get_weather', { city: 'Tokyo' })] }, 'It is 25 °C.'], { format })
    const { text, rounds } = await generate({
      model,
      system: 'Be brief.',
      prompt: 'Weather?',
      tools: [weather],
      temperature: 0.5,
    })
    expect([text, rounds, model.requests.length]).toEqual(['It is 25 °C.', 2, 2])
    const [first, second] = model.requests
    expect(first?.options).toMatchObject({ temperature: 0.5, stream: true })
    expect(first?.context.tools).toMatchObject([{ name: 'get_weather' }])
    expect(JSON.stringify(first?.context)).toContain('Be brief.')
    // If the provider keeps answers, only new messages are sent, with the id of the answer before them.
    const isStored = facts[format].storesAnswers
    expect(second?.context.providerState).toEqual(isStored ? { previousResponseId: 'mock' } : undefined)
    const roles = second?.context.messages.map(({ role }) => role).slice(-3)
    expect(roles).toEqual(isStored ? ['tool'] : ['user', 'assistant', 'tool'])
    expect(JSON.stringify(second?.body)).toContain('25 °C in Tokyo')
  })

  it('makes unique ids of calls', async () => {
    const one = { calls: [call('get_weather', { city: 'a' })] }
    const model = mockModel([one, one, 'Done'], { format })
    const { messages } = await generate({ model, prompt: 'Weather?', tools: [weather], maxRepeatedCalls: 9 })
    const ids = messages.flatMap(toolCalls).map(({ id }) => id)
    expect([ids.length, new Set(ids).size]).toEqual([2, 2])
  })

  it.each([
    ['authentication', 401],
    ['rate_limit', 429],
    ['overloaded', undefined],
  ] as const)('refuses with %s', async (error, status) => {
    const model = mockModel([{ error }], { format })
    const failure = await generate({ model, prompt: 'Hello', retries: 0 }).catch((cause: unknown) => cause)
    expect(failure).toBeInstanceOf(ApiError)
    const own = status === 401 ? facts[format].gateway.unauthorized : status
    expect(failure).toMatchObject({ kind: error, ...(own && { status: own }) })
  })

  it('asks to wait, and is asked again after that', async () => {
    clock = fakeClock()
    const model = mockModel([{ error: 'rate_limit', retryAfterMs: 5000 }, 'Now'], { format })
    const run = generate({ model, prompt: 'Hello' })
    run.catch(() => {})
    await clock.advance(4999)
    expect(model.requests.length).toBe(1)
    await clock.advance(1)
    expect((await run).text).toBe('Now')
  })

  it('reports an error in the middle of a stream', async () => {
    const model = mockModel([{ error: 'overloaded', afterEvents: 4, of: 'one two three four five six' }], { format })
    const { text, error } = await collectRun(stream({ model, prompt: 'Hello', retries: 0 }))
    expect(error).toBeInstanceOf(ApiError)
    expect('one two three four five six'.startsWith(text)).toBe(true)
  })

  it.each([true, false])('is cut after a number of events, cleanly or not: %s', async (clean) => {
    const model = mockModel([{ cutAfter: 5, of: 'one two three four five six', clean }], { format })
    const { text, error } = await collectRun(stream({ model, prompt: 'Hello', retries: 0 }))
    expect(error).toBeInstanceOf(InterruptedError)
    expect(text).not.toBe('')
    expect('one two three four five six'.startsWith(text)).toBe(true)
  })

  it('sends nothing, until a timeout or until its time has passed', async () => {
    clock = fakeClock()
    const late = { silentFor: 130_000, of: 'Late' }
    const failure = generate({ model: mockModel([late], { format }), prompt: 'Hello', retries: 0 }).catch(
      (cause: unknown) => cause,
    )
    await clock.advance(119_999)
    await clock.advance(1)
    expect(await failure).toBeInstanceOf(TimeoutError)
    const patient = generate({
      model: mockModel([late], { format }),
      prompt: 'Hello',
      timeouts: { firstByteMs: 200_000 },
    })
    await clock.advance(130_000)
    expect((await patient).text).toBe('Late')
  })

  it('pauses between chunks', async () => {
    clock = fakeClock()
    const run = stream({ model: mockModel(['one two'], { format, delayMs: 1000 }), prompt: 'Hello' })
    const seen: string[] = []
    let isOver = false
    const read = (async () => {
      for await (const text of run.text()) seen.push(text)
      isOver = true
    })()
    const counts: number[] = []
    while (!isOver) {
      await clock.advance(999)
      counts.push(seen.length)
      await clock.advance(1)
    }
    await read
    expect(counts).toEqual(expect.arrayContaining([1, 2]))
  })

  it('ends when the run is aborted during a pause', async () => {
    const controller = new AbortController()
    const model = mockModel([{ silentFor: 3_600_000, of: 'Never' }], { format })
    const run = generate({ model, prompt: 'Hello', signal: controller.signal })
    const failure = run.catch((cause: unknown) => cause)
    while (model.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 0))
    controller.abort(new Error('enough'))
    expect(await failure).toMatchObject({ message: 'enough' })
  })

  it('refuses to cut after more events than there are', async () => {
    const model = mockModel([{ cutAfter: 1000, of: 'Short' }], { format })
    await expect(generate({ model, prompt: 'Hello' })).rejects.toThrow(
      /Cannot end the answer after 1000 events: it has \d+/,
    )
  })

  it('sends arguments that are not JSON, or reports that the format cannot', async () => {
    const broken = call('get_weather', {}, { rawText: '{"city":"To' })
    const model = mockModel([{ calls: [broken] }, 'Sorry'], { format })
    const run = stream({ model, prompt: 'Weather?', tools: [weather] })
    const { events, error } = await collectRun(run)
    if (facts[format].answers.rules.includes('text of arguments')) {
      expect((error as Error).message).toContain('its arguments are objects')
      return
    }
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'invalid_tool_call',
        call: expect.objectContaining({ argumentsText: '{"city":"To' }),
      }),
    )
    expect(model.requests.length).toBe(2)
  })
})

describe('a mock', () => {
  it('rejects a request without an answer, and names both counts', async () => {
    const model = mockModel([{ calls: [call('get_weather', { city: 'a' })] }])
    const failure = await generate({ model, prompt: 'Hello', tools: [weather] }).catch((cause: unknown) => cause)
    expect(failure).toBeInstanceOf(ConnectionError)
    expect((failure as Error).message).toContain('mockModel has 1 answer, and this is request 2')
  })

  it('answers by a function of the request, which may be async', async () => {
    const model = mockModel(async ({ context }) => `You said: ${JSON.stringify(context.messages.at(-1)?.content)}`)
    expect((await generate({ model, prompt: 'Hi' })).text).toContain('Hi')
    expect((await generate({ model, prompt: 'Ho' })).text).toContain('Ho')
  })

  it('shows the message of an error that its function throws', async () => {
    const model = mockModel(() => {
      throw new Error('not what I expected')
    })
    await expect(generate({ model, prompt: 'Hi' })).rejects.toThrow('not what I expected')
  })

  it('returns a Response as it is', async () => {
    const model = mockModel([new Response('<html>', { status: 502, headers: { 'content-type': 'text/html' } })])
    await expect(generate({ model, prompt: 'Hi', retries: 0 })).rejects.toMatchObject({ status: 502 })
  })

  it('answers for a model of the application, whose settings are then part of the test', async () => {
    const mock = mockModel(['Hi'])
    const model = openaiChat('gpt-5.6', { apiKey: 'sk-secret-key', fetch: mock.fetch, headers: { 'x-team': 'blue' } })
    expect((await generate({ model, prompt: 'Hello' })).text).toBe('Hi')
    expect(mock.requests[0]).toMatchObject({ options: { model: 'gpt-5.6' }, headers: { 'x-team': 'blue' } })
    expect(JSON.stringify(mock.requests)).not.toContain('sk-secret')
  })

  it('names the existing formats', () => {
    expect(() => mockModel([], { format: 'constructor' as MockFormat })).toThrow(/it is one of openai-chat, /)
  })

  it.each([
    [{ content: 'Hi' }, /Cannot mock the field "content"; an answer has text/],
    [{ error: '429' }, /Cannot mock the error "429"; it is one of .*rate_limit/],
    [{ error: 'constructor' }, /Cannot mock the error "constructor"/],
  ])('refuses the answer %o, which has no meaning for it', async (answer, finding) => {
    const model = mockModel([answer as never, 'Hi'])
    await expect(generate({ model, prompt: 'Hello', retries: 0 })).rejects.toThrow(finding)
    expect(model.requests.length).toBe(1)
  })

  it.each(errorKinds)('refuses with the error %s', async (kind) => {
    const model = mockModel([{ error: kind }])
    const failure = await generate({ model, prompt: 'Hello', retries: 0 }).catch((cause: unknown) => cause)
    expect(failure).toBeInstanceOf(ApiError)
    expect((failure as Error).message).toContain(`The mock answers with "${kind}"`)
  })
})
