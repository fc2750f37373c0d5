/** Repeated calls, calls that wait, and the arguments of a run's callbacks. */
import { getEventListeners } from 'node:events'
import { describe, expect, it, vi } from 'vitest'
import { collect } from '../../src/codec.ts'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import {
  applyEvent,
  block,
  createChat,
  generate,
  type Message,
  message,
  type RunRequest,
  stream,
  t,
  tool,
} from '../../src/index.ts'
import { rolesOf } from '../support/makers.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { type Answering, chatBody, chatText, chunks, json } from '../support/upstream.ts'

const upstream = ownUpstream()
const ask = (more: Partial<RunRequest> = {}): RunRequest => ({
  model: openaiChat('m', { apiKey: 'k', baseUrl: upstream.url }),
  ...(more.messages === undefined && { prompt: 'Go' }),
  ...more,
})
/** Answers under another name than it is asked for. */
function claude(stop_reason: string, ...content: object[]) {
  const body = { id: 'm', type: 'message', role: 'assistant', model: 'claude-other', content, stop_reason }
  const fetch = async () => Response.json({ ...body, usage: { input_tokens: 1, output_tokens: 2 } })
  return anthropic('claude-sonnet-5', { apiKey: 'k', fetch })
}
/** What a chat has of it. */
const chatSettings = () => ({ model: openaiChat('m', { apiKey: 'k', baseUrl: upstream.url }) })
const calling = (name: string, at: number, args = '{}'): Answering => json(chatBody(null, [[`c${at}`, name, args]]))
const calls = (times: number, name = 'f') => Array.from({ length: times }, (_, at) => calling(name, at))
const done = json(chatBody('done'))
const f = tool({ name: 'f', parameters: t.object({}), execute: () => 1 })
const sentIn = (at: number) => (upstream.asked[at]?.body.messages ?? []) as { role: string; content: string }[]
const resultsIn = (at: number) =>
  sentIn(at)
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => content)

describe('the same call again and again', () => {
  const running = (execute: (at: number) => unknown) => {
    let ran = 0
    const f = tool({ name: 'f', parameters: t.object({}), execute: () => execute(ran++) as never })
    return { f, ran: () => ran }
  }

  it.each<[string, (at: number) => unknown]>([
    ['rolls a die', (at) => at + 1],
    ['waits for a job', () => 'not yet'],
    ['tells the time', (at) => new Date(at * 1000).toISOString()],
  ])('goes on when it %s', { meta: { promise: '3.64' } }, async (_what, execute) => {
    const { f, ran } = running(execute)
    upstream.answer(...calls(8), done)
    const { outcome, text } = await generate(ask({ tools: [f] }))
    expect([outcome, ran(), text]).toEqual(['answered', 8, 'done'])
  })

  it('stops after the third failure in a row, and each call has its result', {
    meta: { promise: '3.67' },
  }, async () => {
    const { f, ran } = running((at) => {
      throw new Error(`no ${at}`)
    })
    upstream.answer(...calls(9), done)
    const { outcome, messages, pending } = await generate(ask({ tools: [f] }))
    expect([outcome, ran(), pending]).toEqual(['repeated_call', 3, []])
    expect(rolesOf(messages)).toBe('user assistant tool assistant tool assistant tool')
  })

  it('counts failures of only the same call', async () => {
    const { f } = running(() => {
      throw new Error('no')
    })
    upstream.answer(...calls(2), calling('f', 2, '{"a":1}'), ...calls(2), done)
    expect((await generate(ask({ tools: [f] }))).outcome).toBe('answered')
  })

  it.each<[number, string, number]>([
    [2, 'repeated_call', 2],
    [5, 'repeated_call', 5],
    [Number.POSITIVE_INFINITY, 'answered', 8],
  ])('`maxRepeatedCalls: %s` ends in `%s` after %s', async (maxRepeatedCalls, expected, times) => {
    for (const fails of [false, true]) {
      const { f, ran } = running(() => {
        if (fails) throw new Error('no')
        return 'the same'
      })
      upstream.answer(...calls(8), done)
      const { outcome } = await generate(ask({ tools: [f], maxRepeatedCalls }))
      expect([outcome, ran()]).toEqual([expected, times])
    }
  })

  it('with a limit, counts identical results and not others', async () => {
    const { f } = running((at) => at)
    upstream.answer(...calls(5), done)
    expect((await generate(ask({ tools: [f], maxRepeatedCalls: 2 }))).outcome).toBe('answered')
  })

  it.each([0, -1, 1.5, Number.NaN, '3'])('`maxRepeatedCalls: %s` is refused', async (wrong) => {
    await expect(generate(ask({ maxRepeatedCalls: wrong as number }))).rejects.toThrow(/maxRepeatedCalls/)
  })
})

describe('the calls of the last round', () => {
  const counting = () => {
    const ran: unknown[] = []
    const f = tool({ name: 'f', parameters: t.object({ n: t.optional(t.integer()) }), execute: ({ n }) => ran.push(n) })
    return { f, ran }
  }
  const two = () => upstream.answer(calling('f', 0, '{"n":1}'), calling('f', 1, '{"n":2}'))

  it.each([true, false])('run, and the next run continues from their results (streamed: %s)', async (streamed) => {
    const { f, ran } = counting()
    const run = (request: RunRequest) => (streamed ? stream(request).response : generate(request))
    two()
    const first = await run(ask({ tools: [f], maxRounds: 2 }))
    expect([first.outcome, ran, first.pending]).toEqual(['max_rounds', [1, 2], []])
    expect(rolesOf(first.messages)).toBe('user assistant tool assistant tool')
    upstream.answer(done)
    const second = await run(ask({ messages: first.messages, prompt: 'go on', tools: [f] }))
    expect([second.outcome, ran, resultsIn(0)]).toEqual(['answered', [1, 2], ['1', '2']])
  })

  it('that the prompt brings along run with approvals, and their results follow them in the messages', async () => {
    const { f, ran } = counting()
    upstream.answer(done)
    const open = { ...message.assistant([block.toolCall('c1', 'f', { n: 1 })]), stopReason: 'tool_calls' as const }
    const prompt = { messages: [message.user('Go'), open] }
    const { messages } = await generate(ask({ prompt, approvals: [], tools: [f] }))
    expect([ran, messages.map(({ role }) => role)]).toEqual([[1], ['user', 'assistant', 'tool', 'assistant']])
  })

  it('do not include an answer that the provider paused: the run has not been answered', async () => {
    const model = claude('pause_turn', { type: 'text', text: 'One moment.' })
    const { outcome, rounds } = await generate({ model, prompt: 'Go', maxRounds: 2 })
    expect([outcome, rounds]).toEqual(['max_rounds', 2])
  })

  it('of a history never run by themselves, since a page may have written it', async () => {
    const { f, ran } = counting()
    const call = block.toolCall('c1', 'f', { n: 1 })
    const messages = [message.user('Go'), { ...message.assistant([call]), stopReason: 'tool_calls' as const }]
    upstream.answer(done)
    await generate(ask({ messages, prompt: 'go on', tools: [f] }))
    expect([ran, resultsIn(0)]).toEqual([[], [expect.stringContaining('No result is available')]])
    upstream.answer(done)
    await generate(ask({ messages, approvals: [], tools: [f] }))
    expect([ran, resultsIn(0)]).toEqual([[1], ['1']])
  })
})

it('an answer under another name of the model has the same proofs in its last event as in the result', async () => {
  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' }
  const run = stream({ model: claude('end_turn', thinking, { type: 'text', text: 'Yes.' }), prompt: 'Go' })
  const ends: unknown[] = []
  for await (const event of run) if (event.type === 'message_end') ends.push(event.message, event.response.message)
  const { message: last } = await run.response
  expect(last).toMatchObject({ content: [{ opaque: { model: 'claude-sonnet-5' } }, {}] })
  expect(ends).toEqual([last, last])
})

describe('onToolRequest', () => {
  it('is given the tool beside the call, by whatever name the wire has for it', {
    meta: { promise: '3.57' },
  }, async () => {
    const f = tool({ name: 'f', parameters: t.object({}), annotations: { readOnlyHint: true }, execute: () => 1 })
    const seen: unknown[] = []
    const onToolRequest: RunRequest['onToolRequest'] = (call, of) => void seen.push([call.name, of])
    upstream.answer(calling('f', 0), calling('unknown', 1), done)
    await generate(ask({ tools: [f], onToolRequest }))
    expect(seen).toEqual([
      ['f', f],
      ['unknown', undefined],
    ])
    seen.length = 0
    upstream.answer(calling('f', 0), done)
    const chat = createChat({ ...chatSettings(), tools: [f] })
    chat.onToolRequest((call, of) => void seen.push([call.name, of]))
    await chat.send('Go')
    expect(seen).toEqual([['f', f]])
  })
})

describe('signals', () => {
  it('eleven calls at once add one listener to the signal of the run, and the run leaves none', async () => {
    let most = 0
    const caller = new AbortController()
    const seen: number[] = []
    const f = tool({
      name: 'f',
      parameters: t.object({}),
      async execute(_args, { signal }) {
        most = Math.max(most, getEventListeners(caller.signal, 'abort').length)
        seen.push(getEventListeners(signal, 'abort').length)
        await new Promise((resolve) => setTimeout(resolve, 5))
        return 1
      },
    })
    const warnings: Error[] = []
    const note = (warning: Error) => void warnings.push(warning)
    process.on('warning', note)
    const eleven = Array.from({ length: 11 }, (_, at): [string, string, string] => [`c${at}`, 'f', '{}'])
    upstream.answer(json(chatBody(null, eleven)), done)
    const adding = vi.spyOn(AbortSignal.prototype, 'addEventListener')
    await generate(ask({ tools: [f], signal: caller.signal }))
    const added = adding.mock.contexts.filter((_, at) => adding.mock.calls[at]?.[0] === 'abort')
    adding.mockRestore()
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', note)
    const perSignal = [...new Set(added)].map((signal) => added.filter((one) => one === signal).length)
    expect(seen).toHaveLength(11)
    expect(Math.max(...perSignal)).toBeLessThan(11)
    expect(warnings.filter(({ name }) => name === 'MaxListenersExceededWarning')).toEqual([])
    expect(most).toBe(1)
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
  })

  it('no listener stays on a signal that outlives its runs, whatever became of them', async () => {
    const caller = new AbortController()
    const request = () => ask({ tools: [f], signal: caller.signal, retries: 1 })
    const busy = json({ error: { message: 'busy' } }, 429, { 'retry-after-ms': '1' })
    upstream.answer(busy, calling('f', 0), chunks(chatText('a')))
    await generate(request())
    upstream.answer(chunks(chatText('a').slice(0, 2)))
    await stream(request()).response.catch(() => {})
    upstream.answer(chunks(chatText('a', 'b', 'c'), { after: 'hang' }))
    for await (const _ of stream(request())) break
    upstream.answer(json({}, 500))
    await generate(request()).catch(() => {})
    const chat = createChat({ ...chatSettings(), tools: [f] })
    upstream.answer(done)
    await chat.send('x', { signal: caller.signal })
    await generate({ ...request(), model: 'x' as never }).catch(() => {})
    expect(getEventListeners(caller.signal, 'abort')).toHaveLength(0)
  })
})

describe('the response of a run', () => {
  it('can have its failure caught before the events are read', async () => {
    upstream.answer(chunks(chatText('One').slice(0, 2)))
    const run = stream(ask())
    const caught = run.response.catch((cause: { code: string }) => cause.code)
    await expect(Array.fromAsync(run)).rejects.toMatchObject({ code: 'interrupted' })
    expect(await caught).toBe('interrupted')
  })

  it.each<[string, (run: ReturnType<typeof stream>) => Promise<unknown>]>([
    ['then', (run) => run.response.then(({ text }) => text)],
    ['all', async (run) => (await Promise.all([run.response]))[0]?.text],
    ['finally', async (run) => (await run.response.finally(() => {})).text],
  ])('runs the run when it is waited for: %s', async (_how, wait) => {
    upstream.answer(chunks(chatText('alone')))
    expect(await wait(stream(ask()))).toBe('alone')
  })

  it('sends no request if there is no reader', async () => {
    upstream.answer(done)
    const { response } = stream(ask())
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(upstream.asked).toHaveLength(0)
    expect(Object.prototype.toString.call(response)).toBe('[object Promise]')
  })

  it('a turn that is sent is under way at once', async () => {
    upstream.answer(chunks(chatText('a'), { after: 'hang' }))
    const chat = createChat(chatSettings())
    const sent = chat.send('x')
    expect(chat.isBusy).toBe(true)
    chat.cancel('enough')
    await expect(sent).rejects.toBe('enough')
  })
})

describe('collect', () => {
  it('takes a run, its batches made flat, and a list of events', { meta: { promise: '3.37' } }, async () => {
    upstream.answer(chunks(chatText('ok')))
    expect((await collect(stream(ask()))).message.content).toMatchObject([{ text: 'ok' }])
    const events = await Array.fromAsync(stream(ask()))
    expect(collect(events.filter((event) => event.type === 'message_end')).stopReason).toBe('stop')
  })

  it('of a run of several rounds gives the last answer', async () => {
    upstream.answer(calling('f', 0), chunks(chatText('last')))
    expect((await collect(stream(ask({ tools: [f] })))).message.content).toMatchObject([{ text: 'last' }])
  })

  it('of events without an end is a TypeError', async () => {
    const none = (async function* () {})()
    await expect(collect(none)).rejects.toThrow(TypeError)
  })
})

describe('applyEvent', () => {
  it('has the prompt of a run after `done`, in its place', async () => {
    for (const history of [[], [message.user('a'), message.assistant('b')]]) {
      upstream.answer(calling('f', 0), done)
      let messages: readonly Message[] = history
      const run = stream(ask({ messages: history, prompt: 'hello', tools: [f] }))
      for await (const event of run) messages = applyEvent(messages, event)
      expect(messages).toEqual([...history, ...(await run.response).messages])
    }
  })

  it('does not say twice what the page has shown already', async () => {
    upstream.answer(done)
    let messages: readonly Message[] = [message.user('hello')]
    for await (const event of stream(ask({ prompt: 'hello' }))) messages = applyEvent(messages, event)
    expect(rolesOf(messages)).toBe('user assistant')
  })
})

describe('the text of an answer', () => {
  it('is `text` of the result', { meta: { promise: '5.04' } }, async () => {
    upstream.answer(chunks(chatText('One ', 'two')))
    expect((await generate(ask())).text).toBe('One two')
    expect((await stream(ask()).response).text).toBe('One two')
    expect((await createChat(chatSettings()).send('x')).text).toBe('One two')
  })
})

describe('the history of a chat', () => {
  it('takes turns of elsewhere, and keeps its listeners and its usage', { meta: { promise: '5.01' } }, async () => {
    upstream.answer(done)
    const chat = createChat(chatSettings())
    const kept = chat.messages
    await chat.send('One')
    const { usage } = chat
    chat.add(message.user('of elsewhere'), ['assistant', 'noted'], 'and this')
    expect(rolesOf(chat.messages)).toBe('user assistant user assistant user')
    await chat.send('Two')
    const texts = sentIn(1).map(({ content }) => content)
    expect(texts).toEqual(['One', 'done', 'of elsewhere', 'noted', 'and this', 'Two'])
    expect(chat.usage.totalTokens).toBe((usage.totalTokens ?? 0) * 2)
    chat.messages = chat.messages.slice(0, 2)
    expect(rolesOf(chat.messages)).toBe('user assistant')
    expect(chat.messages).toBe(kept)
    expect(chat.usage.totalTokens).toBe((usage.totalTokens ?? 0) * 2)
    chat.messages = ['anew']
    expect(chat.messages).toEqual([{ role: 'user', content: 'anew' }])
  })

  it('cannot be changed while a turn is under way', { meta: { promise: '5.01' } }, async () => {
    upstream.answer(done)
    const chat = createChat(chatSettings())
    const sent = chat.send('x')
    expect(() => chat.add('y')).toThrow(/Cannot change the history.*under way/)
    expect(() => {
      chat.messages = []
    }).toThrow(TypeError)
    await sent
    chat.add('y')
    expect(chat.messages).toHaveLength(3)
  })
})
