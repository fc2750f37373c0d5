/** Calls as each wire writes them: whose id is kept, what stands for a result, and what is never taken for a call of ours. */
import { expect, it } from 'vitest'
import type { Message } from '../../src/core/messages.ts'
import { generate, tool } from '../../src/index.ts'
import { models, send, type Wire } from './wires.ts'

const calling = { name: 'get_weather', arguments: '{"city":"Oslo"}' }
/** One call as the servers of these wires write it, and where the encoded request has the id again: in the call and in its result. */
const answers: readonly [numbers: string, wire: Wire, id: string, body: object, ids: (body: Sent) => unknown][] = [
  [
    '[0.57] [3.45]',
    'openaiChat',
    'call_Zq8',
    {
      id: 'c1',
      model: 'm',
      choices: [
        {
          index: 0,
          finish_reason: 'tool_calls',
          message: { role: 'assistant', tool_calls: [{ id: 'call_Zq8', type: 'function', function: calling }] },
        },
      ],
    },
    ({ messages }) => [messages?.[1].tool_calls[0].id, messages?.[2].tool_call_id],
  ],
  [
    '[0.58] [3.45]',
    'anthropic',
    'toolu_01Zq8',
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', id: 'toolu_01Zq8', name: 'get_weather', input: { city: 'Oslo' } }],
      usage: { input_tokens: 1, output_tokens: 1 },
    },
    ({ messages }) => [messages?.[1].content[0].id, messages?.[2].content[0].tool_use_id],
  ],
  [
    '[0.59] [3.45]',
    'openaiResponses',
    'call_Zq8',
    {
      id: 'resp_1',
      object: 'response',
      model: 'm',
      status: 'completed',
      output: [{ type: 'function_call', id: 'fc_1', call_id: 'call_Zq8', ...calling, status: 'completed' }],
    },
    ({ input }) => [input?.[1].call_id, input?.[2].call_id],
  ],
]

/** A body as far as it is read here. */
type Sent = ReturnType<typeof JSON.parse>

it.each(answers)('%s on %s the id %s is kept, in the call and in its result', (_, wire, id, body, ids) => {
  const { message } = models[wire].codec.decodeResponse(body)
  expect(message.content).toMatchObject([{ type: 'tool_call', id }])
  const result: Message = { role: 'tool', toolCallId: id, content: 'Sunny' }
  const { body: sent } = send(wire, { messages: [{ role: 'user', content: 'Weather?' }, message, result] })
  expect(ids(sent)).toEqual([id, id])
})

it('on Responses the id of the item stands apart from the id of the call', { meta: { promise: '0.59' } }, () => {
  const { message } = models.openaiResponses.codec.decodeResponse(answers[2]?.[3] ?? {})
  const { body } = send('openaiResponses', {
    messages: [{ role: 'user', content: 'Weather?' }, message, { role: 'tool', toolCallId: 'call_Zq8', content: 'x' }],
  })
  expect(body.input).toMatchObject([{}, { type: 'function_call', call_id: 'call_Zq8' }, { call_id: 'call_Zq8' }])
  expect(JSON.stringify(message.content)).toContain('fc_1')
})

it('a call that the provider ran is not run by the loop, though a tool has its name', {
  meta: { promise: '4.84' },
}, async () => {
  let ran = 0
  const body = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: 'end_turn',
    content: [
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
      { type: 'text', text: 'Found' },
    ],
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  const model = { ...models.anthropic, apiKey: 'test', fetch: async () => Response.json(body) }
  const own = tool({ name: 'web_search', parameters: { type: 'object' }, execute: () => ++ran })
  const { outcome, messages } = await generate({ model, prompt: 'Find x', tools: [own] })
  expect([outcome, messages.map(({ role }) => role), ran]).toEqual(['answered', ['user', 'assistant'], 0])
})

it('the result of a run whose provider reported no usage has none', { meta: { promise: '4.31' } }, async () => {
  const body = { id: 'c1', model: 'm', choices: [{ index: 0, finish_reason: 'stop', message: { content: 'Hi' } }] }
  const model = { ...models.openaiChat, apiKey: 'test', fetch: async () => Response.json(body) }
  const result = await generate({ model, prompt: 'Hi' })
  expect(result.outcome).toBe('answered')
  expect('usage' in result).toBe(false)
})
