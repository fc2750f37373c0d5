import { describe, expect, it } from 'vitest'
import { openaiChat } from '../../src/formats/openai-chat/index.ts'
import { generate, type RunRequest, stream, tool } from '../../src/index.ts'
import { ownUpstream } from '../support/own-upstream.ts'
import { chatBody, chatCalls, chatText, chunks, json, pause } from '../support/upstream.ts'

const upstream = ownUpstream()

const ran: string[] = []
const weather = tool({
  name: 'get_weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  async execute({ city }, { progress }) {
    ran.push(`start ${city}`)
    progress({ half: true })
    await pause(city === 'Tokyo' ? 60 : 5)
    ran.push(`end ${city}`)
    return `sunny in ${city}`
  },
})
const broken = tool({
  name: 'broken',
  execute() {
    throw new Error('The oven is off')
  },
})

function ask(more: Partial<RunRequest> = {}): RunRequest {
  ran.length = 0
  return { model: openaiChat('m', { baseUrl: upstream.url }), prompt: 'Weather?', tools: [weather, broken], ...more }
}

const twoCities = [
  ['call_1', 'get_weather', '{"city":"Tokyo"}'],
  ['call_2', 'get_weather', '{"city":"Paris"}'],
] as [string, string, string][]

describe('a tool round', () => {
  it('runs the calls at the same time, sends results back in the model’s order, and asks again', async () => {
    upstream.answer(chunks(chatCalls(...twoCities)), chunks(chatText('Sunny in both')))
    const events = []
    const run = stream(ask())
    for await (const event of run) events.push(event)
    const { messages, rounds, stopReason, message } = await run.response
    expect(ran).toEqual(['start Tokyo', 'start Paris', 'end Paris', 'end Tokyo'])
    expect({ rounds, stopReason }).toEqual({ rounds: 2, stopReason: 'stop' })
    expect(message.content).toEqual([{ type: 'text', text: 'Sunny in both' }])
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
    expect(upstream.asked[1]?.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'call_1' }, { id: 'call_2' }] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny in Tokyo' },
      { role: 'tool', tool_call_id: 'call_2', content: 'sunny in Paris' },
    ])
    const toolEvents = events.map(({ type }) => type).filter((type) => /^tool_(start|progress|result)$/.test(type))
    expect(toolEvents.slice(0, 2)).toEqual(['tool_start', 'tool_start'])
    expect(toolEvents.filter((type) => type === 'tool_result')).toHaveLength(2)
  })

  it('does the same without streaming, and adds usage up', async () => {
    upstream.answer(json(chatBody(null, twoCities)), json(chatBody('Sunny')))
    const { usage, rounds } = await generate(ask())
    expect(rounds).toBe(2)
    expect(usage).toEqual({ inputTokens: 20, outputTokens: 10, totalTokens: 30 })
  })

  it('runs one after the other if asked to', async () => {
    upstream.answer(chunks(chatCalls(...twoCities)), chunks(chatText('ok')))
    await stream(ask({ toolMode: 'sequential' })).response
    expect(ran).toEqual(['start Tokyo', 'end Tokyo', 'start Paris', 'end Paris'])
  })

  it.each([
    ['an unknown tool', ['call_1', 'no_such', '{}'], /Unknown tool "no_such"; the tools are: "get_weather", "broken"/],
    ['a tool that throws', ['call_1', 'broken', '{}'], /The oven is off/],
    ['arguments that are not valid JSON', ['call_1', 'get_weather', '{"city":'], /not JSON/],
  ] as [string, [string, string, string], RegExp][])(
    'reports %s to the model, and continues',
    async (_what, call, text) => {
      upstream.answer(chunks(chatCalls(call)), chunks(chatText('Sorry')))
      const { stopReason, messages } = await stream(ask()).response
      expect(stopReason).toBe('stop')
      expect(messages[2]).toMatchObject({ role: 'tool', status: 'error', content: expect.stringMatching(text) })
      expect(upstream.asked[1]?.body.messages).toMatchObject([
        {},
        { role: 'assistant' },
        { role: 'tool', tool_call_id: 'call_1' },
      ])
      expect(ran).toEqual([])
    },
  )

  it('lets the caller refuse a call, and see each result', { meta: { promise: '3.47' } }, async () => {
    upstream.answer(chunks(chatCalls(...twoCities)), chunks(chatText('ok')))
    const seen: unknown[] = []
    await stream(
      ask({
        onToolRequest: (call) => (call.id === 'call_1' ? { reject: 'Not Tokyo' } : undefined),
        onToolResult: (result) => void seen.push([result.toolCallId, result.status, result.error?.kind]),
      }),
    ).response
    expect(ran).toEqual(['start Paris', 'end Paris'])
    expect(seen).toEqual([
      ['call_1', 'error', 'rejected'],
      ['call_2', 'success', undefined],
    ])
  })

  it.each([
    ['autoTools is off', { autoTools: false }],
    ['the tool is a definition alone', { tools: [{ name: 'get_weather' }] }],
  ])('hands the calls to the caller when %s', async (_what, more) => {
    upstream.answer(chunks(chatCalls(...twoCities)))
    const { stopReason, rounds } = await stream(ask(more as Partial<RunRequest>)).response
    expect({ stopReason, rounds, ran }).toEqual({ stopReason: 'tool_calls', rounds: 1, ran: [] })
  })
})

describe('a call never runs', () => {
  const whole = chatCalls(...twoCities)
  const cutAtLength = [
    ...whole.slice(0, -2),
    whole.at(-2)?.replace('"tool_calls"}]', '"length"}]') ?? '',
    'data: [DONE]\n\n',
  ]

  it('when the answer hit its length', async () => {
    upstream.answer(chunks(cutAtLength))
    const { stopReason } = await stream(ask()).response
    expect({ stopReason, ran }).toEqual({ stopReason: 'length', ran: [] })
  })

  it('when the run is left before it', async () => {
    upstream.answer(chunks(whole))
    for await (const event of stream(ask())) if (event.type === 'tool_call') break
    await pause(50)
    expect(ran).toEqual([])
  })

  it('a second time, and its tool sees the abort, when the run is cancelled while it runs', async () => {
    upstream.answer(chunks(whole), chunks(chatText('never')))
    const controller = new AbortController()
    const run = stream(
      ask({
        signal: controller.signal,
        onToolRequest: () => setTimeout(() => controller.abort('stop'), 20) && undefined,
      }),
    )
    await expect(run.response).rejects.toBe('stop')
    expect(upstream.asked).toHaveLength(1)
  })
})

it('ends the wait for a tool that does not settle, and reports it to the model', async () => {
  upstream.answer(chunks(chatCalls(['call_1', 'slow', '{}'])), chunks(chatText('ok')))
  const slow = tool({ name: 'slow', execute: () => new Promise(() => {}) })
  const { messages } = await stream(ask({ tools: [slow], toolTimeoutMs: 30 })).response
  expect(messages[2]).toMatchObject({ status: 'error', content: 'The tool did not finish within 30 ms' })
})
