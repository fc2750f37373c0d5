import { beforeEach, describe, expect, it } from 'vitest'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { approval, type ChatSettings, createChat, message, t, tool } from '../../src/index.ts'
import { rolesOf } from '../support/makers.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { chatBody, chatCalls, chatText, chunks, json, pause } from '../support/upstream.ts'
import { wires } from '../support/wires.ts'

const upstream = ownUpstream()

const weather = tool({
  name: 'get_weather',
  description: 'Current weather',
  parameters: t.object({ city: t.string() }),
  execute: ({ city }) => `sunny in ${city}`,
})
const claude = wires.find(({ name }) => name === 'anthropic')
const tokyo: [string, string, string] = ['call_1', 'get_weather', '{"city":"Tokyo"}']

function chatWith(settings: Partial<ChatSettings> = {}) {
  return createChat({ model: openaiChat('m', { apiKey: 'k', baseUrl: upstream.url }), ...settings })
}
const aborted = { role: 'assistant', stopReason: 'aborted', content: [{ text: 'Hel' }] }
const sent = (at: number) => upstream.asked[at]?.body.messages as { role: string; content: unknown }[]

describe('a chat', () => {
  it('holds provider, history, tools and echo, and sends the stored turns with the new one', {
    meta: { promise: '3.12 3.24 3.30 3.42 3.66' },
  }, async () => {
    upstream.answer(json(chatBody('Hello')), json(chatBody('Paris')))
    const chat = chatWith({ system: 'Be brief' })
    await chat.send('Hi')
    await chat.send('Capital of France?')
    expect(sent(1)).toEqual([
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Capital of France?' },
    ])
    expect(rolesOf(chat.messages)).toBe('user assistant user assistant')
    expect(chat.usage).toEqual({ inputTokens: 22, outputTokens: 14, totalTokens: 36 })
  })

  it('has settings for every request: base URL, key as a function, model, parameters by one set of names, fields and headers', {
    meta: { promise: '3.04 3.05 3.06 3.08 3.09 3.10 3.11' },
  }, async () => {
    upstream.answer(json(chatBody('Hello')), json(chatBody('Hello again')))
    let asked = 0
    const chat = chatWith({
      model: openaiChat('gpt-x', {
        apiKey: async () => `sk-fresh-${++asked}`,
        baseUrl: `${upstream.url}/v9`,
        headers: { 'x-team': 'blue' },
        body: { service_tier: 'flex' },
      }),
      ...{ maxTokens: 9, temperature: 0.5, topP: 0.9, seed: 7, stop: ['END'] },
    })
    await chat.send('Hi')
    const [{ path, headers, body } = { path: '', headers: {}, body: {} }] = upstream.asked
    expect(path).toBe('/v9/chat/completions')
    expect(headers).toMatchObject({ authorization: 'Bearer sk-fresh-1', 'x-team': 'blue' })
    expect(body).toMatchObject({ model: 'gpt-x', service_tier: 'flex' })
    expect(body).toMatchObject({ max_completion_tokens: 9, temperature: 0.5, top_p: 0.9, seed: 7, stop: ['END'] })
    await chat.send('And now?') // F4: the key is read at each call
    expect(upstream.asked[1]?.headers).toMatchObject({ authorization: 'Bearer sk-fresh-2' })
  })

  it('sends the settings of one turn for only that turn', async () => {
    upstream.answer(json(chatBody('Hello')))
    const chat = chatWith({ temperature: 0.5 })
    await chat.send('Hi', { temperature: 1 })
    await chat.send('Hi')
    expect(upstream.asked.map(({ body }) => body.temperature)).toEqual([1, 0.5])
  })

  it('begins with a history in any form, and can be stored unchanged', async () => {
    upstream.answer(json(chatBody('Hello')))
    const chat = chatWith({ messages: ['One', ['assistant', 'Two'], message.user('Three')] })
    await chat.send(message.user('Four', { name: 'ada' }))
    const other = chatWith({ messages: JSON.parse(JSON.stringify(chat.messages)) })
    await other.send('Six')
    expect(sent(1).map(({ content }) => content)).toEqual(['One', 'Two', 'Three', 'Four', 'Hello', 'Six'])
  })

  it('streams through the same turns, event by event, or as a whole', {
    meta: { promise: '3.27 3.29 3.33 3.36' },
  }, async () => {
    upstream.answer(chunks(chatText('Hel', 'lo')), chunks(chatText('again')))
    const chat = chatWith()
    const texts = await Array.fromAsync(chat.stream('Hi').text())
    expect(texts).toEqual(['Hel', 'lo'])
    expect(upstream.asked[0]?.body.stream).toBe(true)
    const steps = chat.stream('Hi')[Symbol.asyncIterator]()
    expect((await steps.next()).value).toMatchObject({ type: 'message_start' })
    await steps.return?.()
    expect(chat.isBusy).toBe(false)
  })

  it('returns its last turn, of the assistant or of any role', { meta: { promise: '3.43 3.69' } }, async () => {
    upstream.answer(json(chatBody('Hello')))
    const chat = chatWith()
    expect(chat.lastMessage()).toBeUndefined()
    await chat.send('Hi')
    expect(chat.lastMessage()).toMatchObject({ role: 'assistant', content: [{ type: 'text', text: 'Hello' }] })
    expect(chat.lastMessage('user')).toEqual({ role: 'user', content: 'Hi' })
  })

  it('continues with another provider in the middle', async () => {
    upstream.answer(json(chatBody('Hello')), json(claude?.wholeText('Bonjour')))
    const chat = chatWith()
    await chat.send('Hi')
    await chat.send('In French', { model: anthropic('c', { apiKey: 'k', baseUrl: upstream.url }) })
    expect(upstream.asked[1]?.path).toBe('/messages')
    expect(sent(1)).toHaveLength(3)
    expect(chat.lastMessage()).toMatchObject({ content: [{ text: 'Bonjour' }] })
  })

  it('takes one turn at a time', async () => {
    upstream.answer(json(chatBody('Hello')))
    const chat = chatWith()
    const first = chat.send('Hi')
    await expect(chat.send('Me too')).rejects.toThrow(/another one is under way/)
    await first
    await chat.send('Now me')
    expect(upstream.asked).toHaveLength(2)
  })

  it('forgets a turn that failed before its answer, so that it can be sent again', async () => {
    upstream.answer(json({ error: { message: 'no', type: 'x' } }, 401), json(chatBody('Hello')))
    const chat = chatWith()
    await expect(chat.send('Hi')).rejects.toMatchObject({ code: 'api' })
    expect(chat.messages).toEqual([])
    await chat.send('Hi')
    expect(sent(1)).toEqual([{ role: 'user', content: 'Hi' }])
  })

  it('still works after an invalid prompt', async () => {
    upstream.answer(json(chatBody('Hello')))
    const chat = chatWith()
    await expect(chat.send(['wizard', 'Hi'] as never)).rejects.toThrow(/role "wizard" is not known/)
    expect(chat.isBusy).toBe(false)
    await expect(chat.send('Hi')).resolves.toBeDefined()
  })
})

describe('cancelling', () => {
  it('keeps the partial turn, marked, and continues from it', async () => {
    upstream.answer(chunks(chatText('Hel').slice(0, 2), { after: 'hang' }), json(chatBody('Sorry')))
    const chat = chatWith()
    const reading = (async () => {
      for await (const event of chat.stream('Hi')) if (event.type === 'text_delta') chat.cancel('enough')
    })()
    await expect(reading).rejects.toBe('enough')
    expect(chat.messages).toMatchObject([{ role: 'user' }, aborted])
    await upstream.asked[0]?.closed
    await chat.send('Go on')
    expect(sent(1)).toMatchObject([{ content: 'Hi' }, { content: 'Hel' }, { content: 'Go on' }])
  })

  it('runs no more tools, and the call has an error result before the next turn', async () => {
    upstream.answer(chunks(chatCalls(tokyo)), json(chatBody('ok')))
    let ran = 0
    const counted = tool({ ...weather, execute: () => ++ran } as never)
    const chat = chatWith({ tools: [counted], onToolRequest: () => chat.cancel() })
    await expect(chat.stream('Weather?').response).rejects.toMatchObject({ name: 'AbortError' })
    await chat.send('Never mind')
    await pause(20)
    expect(ran).toBe(0)
    expect(sent(1)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'call_1' }] },
      { role: 'tool', tool_call_id: 'call_1', content: expect.stringMatching(/cancelled|No result/) },
      { role: 'user', content: 'Never mind' },
    ])
  })

  it('also happens when the loop is left: the partial or complete turn stays, and its calls do not run', async () => {
    upstream.answer(chunks(chatText('Hel', 'lo'), { gapMs: 10 }), chunks(chatCalls(tokyo)), json(chatBody('ok')))
    let ran = 0
    const chat = chatWith({ tools: [tool({ ...weather, execute: () => ++ran } as never)] })
    for await (const event of chat.stream('Hi')) if (event.type === 'text_delta') break
    expect(chat.messages).toMatchObject([{ role: 'user' }, aborted])
    for await (const event of chat.stream('Weather?')) if (event.type === 'message_end') break
    const content = [{ type: 'tool_call', id: 'call_1' }]
    expect(chat.lastMessage()).toMatchObject({ stopReason: 'tool_calls', content })
    await chat.send('Never mind')
    expect(ran).toBe(0)
    expect(rolesOf(chat.messages)).toBe('user assistant user assistant tool user assistant')
  })

  it.each([
    ['leaves the chat ready', undefined, 'ready'],
    ['leaves it with another error that ends the same turn', new Error('the terminal is closed'), 'error'],
  ])('%s', async (_, error, status) => {
    upstream.answer(chunks(chatText('Hel').slice(0, 2), { after: 'hang' }))
    const write = () => {
      chat.cancel()
      if (error !== undefined) throw error
    }
    const chat = chatWith({ echo: 'output', write })
    await expect(chat.stream('Hi').response).rejects.toMatchObject(error ?? { name: 'AbortError' })
    expect(chat.getSnapshot()).toMatchObject({ status, error })
  })

  it('does nothing without a request', () => {
    expect(() => chatWith().cancel()).not.toThrow()
  })
})

describe('tools of a chat', () => {
  it('are registered by name, the last one of a name counts, and are removed by name', {
    meta: { promise: '3.23' },
  }, async () => {
    upstream.answer(json(chatBody('ok')))
    const chat = chatWith({ tools: [weather] })
    chat.addTool({ ...weather, description: 'Better weather' })
    chat.addTool({ name: 'other' })
    await chat.send('Hi')
    expect(upstream.asked[0]?.body.tools).toMatchObject([
      { function: { name: 'get_weather', description: 'Better weather' } },
      { function: { name: 'other' } },
    ])
    expect(['other', 'other', 'get_weather'].map((name) => chat.removeTool(name))).toEqual([true, false, true])
    await chat.send('Hi')
    expect(upstream.asked[1]?.body).not.toHaveProperty('tools')
    expect(chat.tools).toEqual([])
  })

  it('open calls get an error result before the next turn', async () => {
    upstream.answer(json(chatBody(null, [tokyo])), json(chatBody('ok')))
    const chat = chatWith({ tools: [weather], autoTools: false })
    await chat.send('Weather?')
    await chat.send('Never mind')
    expect(rolesOf(chat.messages)).toBe('user assistant tool user assistant')
    expect(chat.messages[2]).toMatchObject({ toolCallId: 'call_1', name: 'get_weather', status: 'error' })
  })

  it('that wait for consent are resumed', async () => {
    upstream.answer(json(chatBody(null, [tokyo])), chunks(chatText('Sunny')))
    const chat = chatWith({ tools: [{ ...weather, needsApproval: approval() }] })
    const { outcome, pending } = await chat.send('Weather?')
    expect({ outcome, pending: pending.map(({ id }) => id) }).toEqual({ outcome: 'approval', pending: ['call_1'] })
    const run = chat.resume([{ toolCallId: 'call_1', approved: true }])
    let streamed = ''
    for await (const text of run.text()) streamed += text
    expect(streamed).toBe('Sunny')
    const { message: last } = await run.response
    expect(last.content).toEqual([{ type: 'text', text: 'Sunny' }])
    expect(rolesOf(chat.messages)).toBe('user assistant tool assistant')
  })
})

describe('callbacks', () => {
  beforeEach(() => upstream.answer(json(chatBody(null, [tokyo])), json(chatBody('ok'))))

  it('are called with requests and results, last registered first, until they are removed', {
    meta: { promise: '3.47 3.48 3.49' },
  }, async () => {
    const told: string[] = []
    const chat = chatWith({
      tools: [weather],
      onToolRequest: (call) => void told.push(`settings ${call.id}`),
      onToolResult: (result) => void told.push(`settings ${result.toolCallId}`),
    })
    const remove = chat.onToolRequest(() => void told.push('removed'))
    chat.onToolRequest(() => void told.push('second'))
    chat.onToolResult((result) => void told.push(`first ${result.content}`))
    const removeResult = chat.onToolResult(() => void told.push('removed'))
    chat.onToolResult(() => void told.push('later'))
    remove()
    removeResult()
    removeResult()
    await chat.send('Weather?')
    expect(told).toEqual(['second', 'settings call_1', 'later', 'first sunny in Tokyo', 'settings call_1'])
  })

  it('may refuse a call, and then no other callback is called', async () => {
    const told: unknown[] = []
    const chat = chatWith({ tools: [weather], onToolResult: ({ error }) => void told.push(error?.kind) })
    chat.onToolRequest(() => void told.push('never asked'))
    chat.onToolRequest(() => ({ reject: 'Not today' }))
    await chat.send('Weather?')
    expect(told).toEqual(['rejected'])
    expect(sent(1)[2]).toMatchObject({ role: 'tool', content: expect.stringMatching('Not today') })
  })

  it('that throw are reported, and the tool’s result is kept', async () => {
    const chat = chatWith({ tools: [weather] })
    chat.onToolResult(() => {
      throw new Error('the log is full')
    })
    await expect(chat.send('Weather?')).rejects.toThrow('the log is full')
    expect(chat.messages[2]).toMatchObject({ role: 'tool', content: 'sunny in Tokyo' })
  })
})

describe('echo', () => {
  const shown: string[] = []
  const write = (text: string) => void shown.push(text)
  beforeEach(() => {
    shown.length = 0
    upstream.answer(chunks(chatCalls(tokyo)), chunks(chatText('Sun', 'ny')))
  })

  it('shows the model’s text, in `output`', { meta: { promise: '3.26' } }, async () => {
    await chatWith({ tools: [weather], echo: 'output', write }).stream('Weather?').response
    expect(shown.join('')).toBe('Sunny\n')
  })

  it('shows requests and results too, in `all`', { meta: { promise: '3.51 3.44' } }, async () => {
    await chatWith({ tools: [weather], echo: 'all', write }).stream('Weather?').response
    expect(shown.join('')).toBe(
      'User: Weather?\n[tool request (call_1)]: get_weather(city = "Tokyo")\n[tool result (call_1)]: sunny in Tokyo\nSunny\n',
    )
  })

  it('shows nothing in `none`, and a turn may override the chat', { meta: { promise: '3.25 3.26' } }, async () => {
    await chatWith({ tools: [weather], echo: 'all', write }).stream('Weather?', { echo: 'none' }).response
    expect(shown).toEqual([])
  })

  it('shows whole answers too', async () => {
    upstream.answer(json(chatBody('Hello')))
    await chatWith({ write }).send('Hi', { echo: 'output' })
    expect(shown.join('')).toBe('Hello\n')
  })

  it('shows the first five lines of a result', async () => {
    const lines = Array.from({ length: 9 }, (_, at) => `line ${at}`).join('\n')
    const long = tool({ ...weather, execute: () => lines } as never)
    await chatWith({ tools: [long], echo: 'all', write }).stream('Weather?').response
    expect(shown.join('')).toContain('line 4\n…\n')
    expect(shown.join('')).not.toContain('line 5')
  })

  it('needs a function that shows it', async () => {
    expect(() => chatWith({ echo: 'all' })).toThrow(TypeError)
    await expect(chatWith().send('Hi', { echo: 'all' })).rejects.toThrow(/no "write"/)
  })
})

describe('the snapshot of a chat', () => {
  it('changes only when a turn begins, streams and ends', async () => {
    upstream.answer(chunks(chatText('Hello')))
    const chat = chatWith({ retries: 0 })
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
    const chat = chatWith({ retries: 0 })
    const error = await chat.send('Hi').catch((cause: unknown) => cause)
    expect(chat.getSnapshot()).toMatchObject({ status: 'error', isBusy: false, error })
    await chat.send('Hi')
    expect(chat.getSnapshot()).toMatchObject({ status: 'ready', error: undefined })
  })

  it('has no error of a turn that was cancelled or left', async () => {
    upstream.answer(chunks(chatText('Hello'), { after: 'hang' }))
    const chat = chatWith({ retries: 0 })
    for await (const _ of chat.stream('Hi')) break
    expect(chat.getSnapshot()).toMatchObject({ status: 'ready', error: undefined })
    const sent = chat.send('Hi')
    chat.cancel()
    await expect(sent).rejects.toThrow('cancelled')
    expect(chat.getSnapshot()).toMatchObject({ status: 'ready', error: undefined })
  })
})
