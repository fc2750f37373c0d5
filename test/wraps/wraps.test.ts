/** Wraps of a model: their order of wraps, and the ready-made ones. */
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../src/core/content.ts'
import { isRetryable } from '../../src/core/errors.ts'
import type { Model } from '../../src/core/question.ts'
import { anthropic } from '../../src/formats/anthropic/index.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { formats } from '../../src/formats/shared/format-names.ts'
import {
  ApiError,
  ConnectionError,
  createChat,
  generate,
  liveArguments,
  type Message,
  type RunRequest,
  type StreamEvent,
  stream,
  t,
  tool,
  wrapModel,
} from '../../src/index.ts'
import { call, mockModel } from '../../src/test/index.ts'
import { cache, defaults, fallback, type LogEntry, log, type ModelWrap, thinkTags } from '../../src/wraps/index.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { chatBody, chatText, chunks, json } from '../support/upstream.ts'
import { wires } from '../support/wires.ts'

const upstream = ownUpstream()
const model = (name = 'm') => openaiChat(name, { apiKey: 'k', baseUrl: upstream.url })
const busy = json({ error: { message: 'busy' } }, 503)
const models = () => upstream.asked.map(({ body }) => body.model)
const f = tool({ name: 'f', parameters: t.object({}), execute: () => 'ran' })
const anthropicText = (text: string) => json(wires.find(({ name }) => name === 'anthropic')?.wholeText(text))

describe('wrapModel', () => {
  it('calls the first wrap first, for requests, answers and fetches', async () => {
    const order: string[] = []
    const wrap = (name: string): ModelWrap => ({
      request(asked) {
        order.push(`request ${name}`)
        return asked
      },
      async *answer(question, call, inner) {
        order.push(`answer ${name}`)
        yield* inner.answer(question, call)
        order.push(`answered ${name}`)
      },
      fetch:
        (fetch) =>
        (...args) => {
          order.push(`fetch ${name}`)
          return fetch(...args)
        },
    })
    upstream.answer(json(chatBody('Hi')))
    await generate({ model: wrapModel(wrapModel(model(), wrap('c')), wrap('a'), wrap('b')), prompt: 'Go' })
    expect(order).toEqual([
      ...['request a', 'answer a', 'request b', 'answer b', 'request c', 'answer c'],
      ...['fetch a', 'fetch b', 'fetch c', 'answered c', 'answered b', 'answered a'],
    ])
  })

  it('is a model like any other: plain data and functions, in chats and in rounds with tools', {
    meta: { promise: '4.98' },
  }, async () => {
    upstream.answer(json(chatBody(null, [['c1', 'f', '{}']])), json(chatBody('done')))
    let asked = 0
    const counted = wrapModel(model(), { request: (one) => ({ ...one, options: { ...one.options, seed: ++asked } }) })
    const { messages } = await createChat({ model: counted, tools: [f] }).send('Go')
    expect([messages.length, upstream.asked.map(({ body }) => body.seed)]).toEqual([4, [1, 2]])
  })

  it('changes the conversation of a request, but not the stored one', async () => {
    upstream.answer(json(chatBody('Hi')))
    const wrapped = wrapModel(model(), {
      request: (asked) => ({ ...asked, context: { ...asked.context, system: 'Be brief' } }),
    })
    const { context } = await generate({ model: wrapped, prompt: 'Go' })
    expect([upstream.asked[0]?.body.messages, context.system]).toEqual([
      expect.arrayContaining([expect.objectContaining({ role: 'system' })]),
      undefined,
    ])
  })

  it.each<[string, unknown, RegExp]>([
    ['a function', () => {}, /"answer"/],
    ['text', 'x', /not an object/],
    ['nothing', undefined, /not an object/],
    ['a wrap whose answer is text', { answer: 'x' }, /"answer".*function/],
  ])('refuses %s', (_what, wrong, words) => {
    expect(() => wrapModel(model(), wrong as never)).toThrow(TypeError)
    expect(() => wrapModel(model(), wrong as never)).toThrow(words)
  })

  it('an answer of a wrap without an end is an error', async () => {
    const silent = wrapModel(model(), { async *answer() {} })
    await expect(generate({ model: silent, prompt: 'Go' })).rejects.toThrow(/message_end/)
  })
})

it('defaults are sent, and options of the request take precedence', async () => {
  upstream.answer(json(chatBody('Hi')))
  const wrapped = wrapModel(model(), defaults({ temperature: 0, seed: 1 }))
  await generate({ model: wrapped, prompt: 'Go', seed: 2 })
  expect(upstream.asked[0]?.body).toMatchObject({ temperature: 0, seed: 2 })
})

describe('fallback', () => {
  const request = (more: Partial<RunRequest> = {}): RunRequest => ({
    model: model(),
    prompt: 'Go',
    retries: 0,
    ...more,
  })
  const others = () => [model('second'), anthropic('third', { apiKey: 'k', baseUrl: upstream.url })]

  it('asks the next model where one fails, of another provider too', async () => {
    upstream.answer(busy, busy, anthropicText('Hi'))
    const { text, messages, responses } = await generate(request({ model: wrapModel(model(), fallback(others())) }))
    expect([text, models(), messages.map(({ role }) => role)]).toEqual([
      'Hi',
      ['m', 'second', 'third'],
      ['user', 'assistant'],
    ])
    expect(responses).toHaveLength(1)
  })

  it('offers tools by the names that the next provider takes, and runs its calls', async () => {
    const dotted = tool({ name: 'a.b', parameters: t.object({}), execute: () => 'ran' })
    const call = wires.find(({ name }) => name === 'anthropic')
    const choice = { name: 'a.b' }
    upstream.answer(
      busy,
      async (response, asked) => {
        const [offered] = asked.body.tools as { name: string }[]
        expect(asked.body.tool_choice).toMatchObject({ name: offered?.name })
        json(call?.wholeCalls(['c1', offered?.name ?? '', '{}']))(response, asked)
      },
      anthropicText('done'),
    )
    const wrapped = wrapModel(model(), fallback([others()[1] as never]))
    const { messages } = await generate(request({ model: wrapped, tools: [dotted], toolChoice: choice, maxRounds: 1 }))
    expect(messages.at(-1)).toMatchObject({ role: 'tool', content: 'ran' })
  })

  it('keeps an answer that has begun: a later error goes to the caller', async () => {
    upstream.answer(chunks(chatText('Half').slice(0, 2), { after: 'reset' }), json(chatBody('Hi')))
    const run = stream(request({ model: wrapModel(model(), fallback(others())) }))
    await expect(run.response).rejects.toMatchObject({ name: 'InterruptedError' })
    expect([models(), run.messages.length]).toEqual([['m'], 2])
  })

  it('throws the last error, and asks no other model after a permanent error', async () => {
    upstream.answer(busy)
    await expect(generate(request({ model: wrapModel(model(), fallback(others())) }))).rejects.toMatchObject({
      status: 503,
    })
    expect(models()).toEqual(['m', 'second', 'third'])
    upstream.answer(json({ error: { message: 'no' } }, 400))
    await expect(generate(request({ model: wrapModel(model(), fallback(others())) }))).rejects.toMatchObject({
      status: 400,
    })
    expect(models()).toEqual(['m'])
    const wrapped = wrapModel(model(), fallback(others(), { when: () => true }))
    await expect(generate(request({ model: wrapped }))).rejects.toThrow()
    expect(models()).toHaveLength(4)
  })

  const failures = [
    () => new ApiError('busy', { kind: 'overloaded', status: 503 }),
    () => new ApiError('no', { kind: 'invalid_request', status: 400 }),
    () => new ConnectionError('reset', { cause: new Error('ECONNRESET') }),
    () => new TypeError('no key'),
  ]
  const failing = (error: Error): Model => ({
    provider: 'own',
    model: 'own',
    // biome-ignore lint/correctness/useYield: it fails before its first event
    async *answer() {
      throw error
    },
  })
  const inOrder = (error: { earlier?: [] }): object[] => [...(error.earlier ?? []).flatMap(inOrder), error]
  const threes = failures.flatMap((one) => failures.flatMap((two) => failures.map((three) => [one, two, three])))

  it.each([
    ['one fallback', ([first, ...rest]: Model[]) => wrapModel(first as Model, fallback(rest))],
    [
      'a fallback in another',
      ([a, b, c]: Model[]) => wrapModel(wrapModel(a as Model, fallback([b as Model])), fallback([c as Model])),
    ],
  ])('the error says how each model failed that was asked: %s', async (_, wrapped) => {
    for (const makers of threes) {
      const errors = makers.map((make) => make())
      const thrown = await generate(request({ model: wrapped(errors.map(failing)) })).catch((error) => error)
      const asked = errors.findIndex((error) => !isRetryable(error)) + 1 || errors.length
      expect(inOrder(thrown)).toEqual(errors.slice(0, asked))
    }
  })

  it('asks no other once the run is cancelled', async () => {
    const controller = new AbortController()
    upstream.answer(() => controller.abort(new Error('left')))
    const wrapped = wrapModel(model(), fallback(others(), { when: () => true }))
    await expect(generate(request({ model: wrapped, signal: controller.signal }))).rejects.toThrow('left')
    expect(models()).toEqual(['m'])
  })

  it('the wraps of the next model are called too', async () => {
    upstream.answer(busy, json(chatBody('Hi')))
    const second = wrapModel(model('second'), defaults({ seed: 7 }))
    await generate(request({ model: wrapModel(model(), fallback([second])) }))
    expect(upstream.asked.map(({ body }) => body.seed)).toEqual([undefined, 7])
  })
})

describe('cache', () => {
  it('sends equal requests only once, and returns the same answer, including calls', async () => {
    const store = new Map()
    const cached = wrapModel(model(), cache(store))
    const answers: unknown[] = []
    for (const _ of [1, 2]) {
      upstream.answer(chunks(chatText('Hi')))
      const events: StreamEvent[] = []
      for await (const event of stream({ model: cached, prompt: 'Go', tools: [f] })) events.push(event)
      answers.push(events.filter(({ type }) => type !== 'done'))
    }
    expect(upstream.asked).toEqual([])
    expect([store.size, answers[1]]).toEqual([1, answers[0]])
  })

  const stores: readonly (readonly [string, () => Parameters<typeof cache>[0]])[] = [
    ['in memory', () => new Map()],
    [
      'as text',
      () => {
        const texts = new Map<string, string>()
        return {
          get: (key) => JSON.parse(texts.get(key) ?? 'null'),
          set: (key, events) => texts.set(key, JSON.stringify(events)),
        }
      },
    ],
  ]
  it.each(stores)('shows the arguments so far as a live answer does, whoever asked first: %s', async (_, store) => {
    const answer = { calls: [call('f', { a: [1, { b: 'x' }] }), call('g', {})] }
    const tell = async (asked: Model, isLive: boolean) => {
      const live = isLive ? { liveArguments: liveArguments() } : {}
      const events: StreamEvent[] = []
      for await (const event of stream({ model: asked, prompt: 'Go', tools: [{ name: 'f' }, { name: 'g' }], ...live }))
        events.push(event)
      return events.map((event) => ('chunk' in event ? event.chunk : event.type))
    }
    for (const format of formats) {
      const asked = () => mockModel([answer], { format })
      for (const first of [true, false]) {
        const cached = wrapModel(asked(), cache(store()))
        for (const isLive of [first, true, false])
          expect(await tell(cached, isLive)).toEqual(await tell(asked(), isLive))
      }
    }
  })

  it('does not store an answer that was cut off, or a request without a key', async () => {
    const store = new Map()
    upstream.answer(chunks(chatText('Half').slice(0, 2), { after: 'reset' }))
    await generate({ model: wrapModel(model(), cache(store)), prompt: 'Go', retries: 0 }).catch(() => {})
    upstream.answer(json(chatBody('Hi')))
    await generate({ model: wrapModel(model(), cache(store, { key: () => undefined })), prompt: 'Go' })
    expect(store.size).toBe(0)
  })

  it.each<[string, Partial<RunRequest>]>([
    ['another model', { model: wrapModel(openaiChat('n', { apiKey: 'k' }), {}) }],
    ['other options', { temperature: 1 }],
    ['another conversation', { prompt: 'Come' }],
    ['other instructions', { system: 'Be brief' }],
    ['other tools', { tools: [f] }],
  ])('asks again for %s', async (_what, more) => {
    const names = new Set<string>()
    const store = { get: (name: string) => void names.add(name), set: () => {} }
    for (const one of [{}, more]) {
      upstream.answer(json(chatBody('Hi')))
      const { model: given = model() } = one as Partial<RunRequest>
      await generate({
        prompt: 'Go',
        ...one,
        model: wrapModel({ ...given, baseUrl: upstream.url }, cache(store as never)),
      })
    }
    expect(names.size).toBe(2)
  })

  it('keeps no empty answer, for which a run asks again', async () => {
    const asked = mockModel(['', 'Hello'])
    const cached = wrapModel(asked, cache(new Map()))
    expect((await generate({ model: cached, prompt: 'Go' })).text).toBe('Hello')
    expect((await generate({ model: cached, prompt: 'Go' })).text).toBe('Hello')
    expect(asked.requests).toHaveLength(2)
  })
})

it('log writes figures for each answer, and no text', async () => {
  const entries: LogEntry[] = []
  const logged = wrapModel(
    model(),
    log((entry) => entries.push(entry)),
  )
  upstream.answer(
    json({
      ...(chatBody('A secret answer') as object),
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    }),
  )
  await generate({ model: logged, prompt: 'A secret question' })
  upstream.answer(busy)
  await generate({ model: logged, prompt: 'A secret question', retries: 0 }).catch(() => {})
  expect(entries).toMatchObject([
    { provider: 'openai', model: 'm', messages: 1, stopReason: 'stop', usage: { totalTokens: 10 } },
    { provider: 'openai', model: 'm', messages: 1, error: { status: 503 } },
  ])
  expect(JSON.stringify(entries)).not.toContain('secret')
})

describe('thinkTags', () => {
  it('keeps of an answer that is cut off or stopped what its events said', async () => {
    const of = '<think>some long secret thought</think>Hello there'
    const kept = (run: { messages: readonly Message[] }) => blocksOf(run.messages.at(-1)?.content ?? [])
    for (let cutAfter = 1; cutAfter <= 6; cutAfter++) {
      for (const how of ['cut', 'stopped'] as const) {
        const answer = how === 'cut' ? { cutAfter, of } : of
        const run = stream({ model: wrapModel(mockModel([answer]), thinkTags()), prompt: 'Go', retries: 0 })
        const said = { reasoning_delta: '', text_delta: '' }
        let count = 0
        try {
          for await (const event of run) {
            if (event.type !== 'reasoning_delta' && event.type !== 'text_delta') continue
            said[event.type] += event.text
            if (how === 'stopped' && ++count === cutAfter) await run.stop()
          }
        } catch {}
        const { partial = run.messages.at(-1) } = run
        const texts = kept({ messages: partial ? [partial] : [] }).map((one) => [one.type, 'text' in one && one.text])
        expect(JSON.stringify(texts), `${how} after ${cutAfter}`).not.toContain('<think>')
        for (const [type, text] of texts) {
          const heard = said[`${type as 'text' | 'reasoning'}_delta`]
          // The last piece may have stood before a tag that was not complete.
          expect(`${text}`.startsWith(heard) || heard.startsWith(`${text}`), `${how} after ${cutAfter}`).toBe(true)
        }
      }
    }
  })

  const read = async (pieces: readonly string[], tag?: string) => {
    upstream.answer(chunks(chatText(...pieces)))
    const run = stream({ model: wrapModel(model(), thinkTags(tag)), prompt: 'Go', maxRounds: 1 })
    const told = { reasoning: '', text: '' }
    const blocks: unknown[] = []
    for await (const event of run) {
      if (event.type === 'reasoning_delta') told.reasoning += event.text
      if (event.type === 'text_delta') told.text += event.text
      if (event.type === 'content_block') blocks.push([event.index, event.block.type])
    }
    const { message } = await run.response
    return { ...told, blocks, content: message.content }
  }
  const expected = {
    reasoning: 'Let me <b> see',
    text: 'The answer: </think> 4 < 5',
    blocks: [
      [0, 'reasoning'],
      [1, 'text'],
    ],
    content: [
      { type: 'reasoning', text: 'Let me <b> see' },
      { type: 'text', text: 'The answer: </think> 4 < 5' },
    ],
  }
  const whole = '\n<think>Let me <b> see</think>\n\nThe answer: </think> 4 < 5'

  it('takes reasoning out of text, in any chunks', async () => {
    expect(await read([...whole])).toMatchObject(expected)
    for (let at = 1; at < whole.length; at++)
      expect(await read([whole.slice(0, at), whole.slice(at)])).toMatchObject(expected)
  })

  it.each([
    ['no tag', 'The <think>answer</think>'],
    ['only the beginning of one', '<thi'],
    ['another tag', '<thinking>a</thinking>'],
  ])('leaves text with %s as it is', async (_what, text) => {
    const told = await read([...text])
    expect(told).toMatchObject({ reasoning: '', text, content: [{ type: 'text', text }], blocks: [[0, 'text']] })
  })

  it('a tag without an end is reasoning, and another tag may be set', async () => {
    expect(await read(['<why>Hm', 'm</wh'], 'why')).toMatchObject({
      reasoning: 'Hmm</wh',
      text: '',
      content: [{ type: 'reasoning', text: 'Hmm</wh' }],
    })
  })
})
