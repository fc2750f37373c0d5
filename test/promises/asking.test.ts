/** A program that asks a model, and its result. The provider is a `fetch` that answers as Chat Completions does. */
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Message } from '../../src/core/messages.ts'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { normalizeMessages } from '../../src/import/index.ts'
import { ApiError, generate, type MessageLike, message, stream, t, tool } from '../../src/index.ts'
import { model as modelOf, parseModel } from '../../src/models.ts'
import { answering } from '../support/answering.ts'
import { chatBody, chatText } from '../support/upstream.ts'
import { models, send, wires } from './wires.ts'

const gpt = openaiChat('gpt-4.1', { apiKey: 'key' })
const user = (content: string) => ({ role: 'user', content })

describe('a question', () => {
  it('is a text and a model, and is sent as one message of a user', {
    meta: { promise: '0.01 4.09 4.12' },
  }, async () => {
    const { model, asked } = answering(gpt, chatBody('Hello'))
    await generate({ model, prompt: 'Hi' })
    expect(asked).toEqual([
      { model: 'gpt-4.1', messages: [user('Hi')], stream: true, stream_options: { include_usage: true } },
    ])
  })

  it('names its model by provider and name, if that is easier', { meta: { promise: '4.07' } }, () => {
    expect(parseModel('openai:gpt-5-nano')).toEqual({ provider: 'openai', model: 'gpt-5-nano' })
    const { codec, model } = modelOf('openai:gpt-5-nano')
    expect([codec.provider, model]).toEqual(['openai', 'gpt-5-nano'])
  })
})

describe('an answer', () => {
  it('is a message of the assistant’s, with its id, its model, why it ended, and what it took', {
    meta: { promise: '4.08 4.29' },
  }, async () => {
    const { model } = answering(gpt, chatBody('Hello'))
    const result = await generate({ model, prompt: 'Hi' })
    expect(result.message).toMatchObject({
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello' }],
      response: { id: 'chatcmpl-u1', model: 'gpt-5-2026-01-01' },
      stopReason: 'stop',
      usage: { inputTokens: 11, outputTokens: 7, totalTokens: 18 },
    })
  })

  it('is there, or a typed error says why it is not', { meta: { promise: '0.02' } }, async () => {
    const error = { message: 'Incorrect API key provided', type: 'invalid_request_error', code: 'invalid_api_key' }
    const { model } = answering(gpt, Response.json({ error }, { status: 401 }))
    const failure = await generate({ model, prompt: 'Hi' }).catch((cause: unknown) => cause)
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({ code: 'api', kind: 'authentication', status: 401 })
  })

  it('comes as events of meaning if it is streamed, from the same request', {
    meta: { promise: '4.97 0.67' },
  }, async () => {
    const { model, asked } = answering(gpt, chatText('Hel', 'lo'))
    const run = stream({ model, prompt: 'Hi' })
    const events = []
    for await (const event of run) events.push(event)
    expect(events.map(({ type }) => type)).toEqual([
      'message_start',
      'text_delta',
      'text_delta',
      'usage',
      'content_block',
      'message_end',
      'done',
    ])
    expect(asked[0]).toMatchObject({ model: 'gpt-4.1', messages: [user('Hi')], stream: true })
    expect((await run.response).message.content).toEqual([{ type: 'text', text: 'Hello' }])
  })

  it('asks for tools and runs none that have nothing to run', { meta: { promise: '4.37' } }, async () => {
    const { model, asked } = answering(gpt, chatBody(null, [['call_1', 'add', '{"a":1}']]))
    const tools = [{ name: 'add', parameters: { type: 'object', properties: { a: { type: 'number' } } } }]
    const { outcome, pending, messages } = await generate({ model, prompt: 'Add', tools })
    expect(asked).toHaveLength(1)
    expect([outcome, pending.map(({ id }) => id), messages.length]).toEqual(['manual', ['call_1'], 2])
  })
})

describe('a run', () => {
  it('asks, finds the tool by its name, asks again with each part of the conversation once, and ends with the final turn', {
    meta: { promise: '3.41 3.66 0.66 3.69' },
  }, async () => {
    const { model, asked } = answering(gpt, chatBody('I add', [['call_1', 'add', '{"a":2,"b":3}']]), chatBody('5'))
    const given: unknown[] = []
    const add = tool({
      name: 'add',
      parameters: t.object({ a: t.number(), b: t.number() }),
      execute(numbers) {
        given.push(numbers)
        return numbers.a + numbers.b
      },
    })
    const { outcome, message: last, messages } = await generate({ model, prompt: '2 + 3?', tools: [add] })
    expect(given).toEqual([{ a: 2, b: 3 }])
    const turn = {
      role: 'assistant',
      content: 'I add',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":3}' } }],
    }
    const result = { role: 'tool', tool_call_id: 'call_1', content: '5' }
    expect(asked.map((body) => body.messages)).toEqual([[user('2 + 3?')], [user('2 + 3?'), turn, result]])
    expect([outcome, last.content]).toEqual(['answered', [{ type: 'text', text: '5' }]])
    expect(messages.at(-1)).toBe(last)
  })
})

it('what is encoded is a conversation with its tools, the way of asking, and the format of the answer', {
  meta: { promise: '3.28' },
}, () => {
  const tools = [{ name: 'add', parameters: { type: 'object', properties: {} } }]
  const schema = { type: 'object', properties: { sum: { type: 'number' } } }
  const { body } = send(
    'openaiChat',
    { messages: [message.user('Hi')], tools },
    { stream: true, responseFormat: { type: 'json', schema } },
  )
  expect(body).toMatchObject({
    messages: [{ role: 'user', content: 'Hi' }],
    tools: [{ type: 'function', function: { name: 'add' } }],
    stream: true,
    response_format: { type: 'json_schema', json_schema: { schema } },
  })
})

describe('a history', () => {
  // As the API documents it: https://platform.openai.com/docs/guides/function-calling
  const documented = [
    { role: 'user', content: 'What is the weather in Paris?' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_12345xyz', type: 'function', function: { name: 'get_weather', arguments: '{ "city" : "Paris" }' } },
      ],
    },
    { role: 'tool', tool_call_id: 'call_12345xyz', content: '{"celsius":14}' },
  ]

  it('of a question, a call and its result can be continued, and is sent unchanged', {
    meta: { promise: '2.23 2.21 2.22' },
  }, async () => {
    const { model, asked } = answering(gpt, chatBody('14 °C'))
    const { messages } = await generate({ model, messages: normalizeMessages(documented) })
    expect(asked[0]?.messages).toEqual(documented)
    expect(messages).toMatchObject([{ role: 'assistant', content: [{ text: '14 °C' }] }])
  })

  it.each(wires)(
    'is a plain payload for %s, which any HTTP client can send',
    { meta: { promise: '2.24 1.04' } },
    (wire) => {
      const { body } = send(wire, { messages: normalizeMessages(documented) })
      expect(JSON.parse(JSON.stringify(body))).toEqual(body)
      expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
    },
  )

  it('may hold turns of the assistant’s that were written by hand', { meta: { promise: '4.33' } }, async () => {
    const { model, asked } = answering(gpt, chatBody('Ann'))
    await generate({ model, messages: ['I am Ann', message.assistant('Hello, Ann')], prompt: 'Who am I?' })
    expect(asked[0]?.messages).toEqual([
      user('I am Ann'),
      { role: 'assistant', content: 'Hello, Ann' },
      user('Who am I?'),
    ])
  })
})

describe('raw JSON', () => {
  it('is not a message to the compiler', { meta: { promise: '4.16' } }, () => {
    expectTypeOf<{ role: string; content: string }>().not.toExtend<MessageLike>()
    expectTypeOf<{ role: 'user'; content: string }>().toExtend<MessageLike>()
    // The two lines above are held by the compiler. At run time the same JSON is refused too.
    const raw: unknown = { role: 'human', content: 'Hi' }
    expect(() => send('openaiChat', { messages: [raw as Message] })).toThrow(TypeError)
  })

  it.each([
    ['an alias of a role', { role: 'human', content: 'Hi' }, 'the role "human" is not known'],
    ['no role', { content: 'Hi' }, '"messages[1]": the role undefined is not known'],
    ['no content', { role: 'user' }, '"content" is neither text nor a list of blocks'],
    [
      'a null that is not an assistant’s',
      { role: 'user', content: null },
      '"content" is neither text nor a list of blocks',
    ],
    ['a part without a type', { role: 'user', content: [{ text: 'Hi' }] }, 'a block in it has no type'],
    ['a result of no call', { role: 'tool', content: 'x', tool_call_id: 'call_1' }, '"toolCallId" is missing'],
    ['nothing', null, '"messages[1]": it is not a message'],
  ])('is refused before anything is sent: %s', { meta: { promise: '4.17' } }, async (_, raw, finding) => {
    for (const asking of Object.values(models)) {
      const model = {
        ...asking,
        fetch: () => {
          throw new Error('Nothing may be sent')
        },
      }
      const failure = await generate({ model, messages: ['Hi', raw as unknown as Message] }).catch((cause) => cause)
      expect(failure).toBeInstanceOf(TypeError)
      expect(failure.message).toContain(finding)
    }
  })
})
