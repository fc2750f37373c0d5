/** From a question to its answer with tools in between. The provider is a `fetch` that answers as Chat Completions does. */
import { describe, expect, it } from 'vitest'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import {
  generate,
  generateObject,
  invokeTool,
  message,
  type RunRequest,
  stream,
  t,
  tool,
  toToolMessage,
} from '../../src/index.ts'
import { chatBody, chatCalls, chatText } from '../support/upstream.ts'
import { send } from './wires.ts'

const sum: [string, string, string] = ['call_1', 'add', '{"a":2,"b":3}']
const question = { role: 'user', content: 'What is 2 + 3?' }
const turn = {
  role: 'assistant',
  content: 'I add',
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":2,"b":3}' } }],
}
const result = { role: 'tool', tool_call_id: 'call_1', content: '5' }

function answering(...answers: readonly unknown[]) {
  const asked: { messages: unknown[]; tools?: unknown; response_format?: unknown }[] = []
  const waiting = [...answers]
  const next = () => (waiting.length > 1 ? waiting.shift() : waiting[0])
  const model = openaiChat('gpt-4.1', {
    apiKey: 'key',
    fetch: async (_url, init) => {
      asked.push(JSON.parse(String(init?.body)))
      const answer = next()
      return typeof answer === 'string' ? new Response(answer) : Response.json(answer)
    },
  })
  return { model, asked }
}

const given: unknown[] = []
const add = tool({
  name: 'add',
  parameters: t.object({ a: t.number(), b: t.number() }),
  execute: ({ a, b }) => {
    given.push({ a, b })
    return a + b
  },
})
const ask = (model: RunRequest['model'], more: Partial<RunRequest> = {}): RunRequest => {
  given.length = 0
  return { model, prompt: question.content, tools: [add], ...more }
}

describe('a run', () => {
  it('asks, finds the tool by its name, runs it with its arguments, and asks again', {
    meta: { promise: '0.65 3.03 0.62 3.41' },
  }, async () => {
    const { model, asked } = answering(chatBody('I add', [sum]), chatBody('It is 5'))
    const { rounds } = await generate(ask(model))
    expect([rounds, asked.length]).toEqual([2, 2])
    expect(given).toEqual([{ a: 2, b: 3 }])
  })

  it('sends the whole conversation again, each part once: one turn of text and calls, and its results', {
    meta: { promise: '0.63 3.65 3.66 0.61' },
  }, async () => {
    const { model, asked } = answering(chatBody('I add', [sum]), chatBody('It is 5'))
    await generate(ask(model))
    expect(asked.map(({ messages }) => messages)).toEqual([[question], [question, turn, result]])
  })

  it('ends with the turn without calls, and returns all new messages', {
    meta: { promise: '0.64 3.67 3.64 0.66 3.69 3.42' },
  }, async () => {
    const { model, asked } = answering(chatBody('I add', [sum]), chatBody('It is 5'))
    const run = await generate(ask(model))
    expect(run.outcome).toBe('answered')
    expect(run.message.content).toEqual([{ type: 'text', text: 'It is 5' }])
    expect(run.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(asked).toHaveLength(2)
  })

  it('reports each call before its result, and keeps the results for the next turn', {
    meta: { promise: '3.46 3.50 3.61' },
  }, async () => {
    const { model } = answering(
      [...chatCalls(sum, ['call_2', 'add', '{"a":1,"b":1}'])].join(''),
      chatText('Done').join(''),
    )
    const run = stream(ask(model))
    const told: string[] = []
    for await (const event of run) {
      if (event.type === 'tool_start') told.push(`start ${event.call.id}`)
      if (event.type === 'tool_result') told.push(`result ${event.result.toolCallId}`)
    }
    for (const id of ['call_1', 'call_2']) {
      expect(told.indexOf(`start ${id}`)).toBeGreaterThanOrEqual(0)
      expect(told.indexOf(`start ${id}`)).toBeLessThan(told.indexOf(`result ${id}`))
    }
    const { messages } = await run.response
    expect(messages.slice(2, 4)).toMatchObject([
      { role: 'tool', toolCallId: 'call_1', content: '5' },
      { role: 'tool', toolCallId: 'call_2', content: '2' },
    ])
  })

  it('asks at most ten times by default, although the model makes more calls', {
    meta: { promise: '3.68' },
  }, async () => {
    let calls = 0
    const asked: unknown[] = []
    const model = openaiChat('gpt-4.1', {
      apiKey: 'key',
      fetch: async (_url, init) => {
        asked.push(init)
        calls++
        return Response.json(chatBody(null, [[`call_${calls}`, 'add', `{"a":${calls},"b":1}`]]))
      },
    })
    const { outcome, stopReason } = await generate(ask(model))
    expect([outcome, stopReason, asked.length]).toEqual(['max_rounds', 'max_rounds', 10])
  })
})

describe('by hand', () => {
  it('the calls are left to the caller, who runs them, makes messages of their results, and asks again', {
    meta: { promise: '0.68 0.71' },
  }, async () => {
    const { model, asked } = answering(chatBody('I add', [sum]), chatBody('It is 5'))
    const first = await generate(ask(model, { autoTools: false }))
    expect([first.outcome, given.length, asked.length]).toEqual(['manual', 0, 1])

    const tools = new Map([[add.name, add]])
    const results = await Promise.all(first.pending.map((call) => invokeTool(call, tools)))
    const messages = [...first.messages, ...results.map(toToolMessage)]
    const { message: last } = await generate({ model, messages, tools: [add] })
    expect(asked[1]?.messages).toEqual([question, turn, result])
    expect(last.content).toEqual([{ type: 'text', text: 'It is 5' }])
  })

  it('a stored conversation with calls and results continues with a new prompt', {
    meta: { promise: '0.72' },
  }, async () => {
    const { model, asked } = answering(chatBody('I add', [sum]), chatBody('It is 5'), chatBody('It is 6'))
    const { messages } = await generate(ask(model))
    const stored = JSON.parse(JSON.stringify(messages))
    await generate(ask(model, { messages: stored, prompt: 'And one more?' }))
    expect(asked[2]?.messages).toEqual([
      question,
      turn,
      result,
      { role: 'assistant', content: 'It is 5' },
      { role: 'user', content: 'And one more?' },
    ])
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
})

describe('a value', () => {
  const schema = t.object({ sum: t.number() })

  it('is the folded answer, if a value was requested', { meta: { promise: '3.40' } }, async () => {
    const { model, asked } = answering(chatBody('{"sum":5}'))
    const { object, message: last } = await generateObject({ model, prompt: question.content, schema })
    expect(object).toEqual({ sum: 5 })
    expect(last.content).toEqual([{ type: 'text', text: '{"sum":5}' }])
    expect(asked[0]?.response_format).toMatchObject({ type: 'json_schema', json_schema: { schema } })
  })

  it('is requested without tools, even if some are given', { meta: { promise: '3.31' } }, async () => {
    const { model, asked } = answering(chatBody('{"sum":5}'))
    const request = { ...ask(model), schema }
    await generateObject(request)
    expect(asked).toHaveLength(1)
    expect(asked[0]).not.toHaveProperty('tools')
    expect(given).toEqual([])
  })
})
