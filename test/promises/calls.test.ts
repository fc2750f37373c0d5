/** Calls as each wire writes them: whose id is kept, what stands for a result, and what is never taken for a call of ours. */
import { expect, it } from 'vitest'
import type { Message } from '../../src/core/messages.ts'
import { generate, tool } from '../../src/index.ts'
import { toolCalls } from '../../src/messages/index.ts'
import { facts } from '../formats/index.ts'
import { models, send, type Wire } from './wires.ts'

const words: readonly (readonly [numbers: string, wire: Wire, format: keyof typeof facts])[] = [
  ['[0.57] [3.45]', 'openaiChat', 'openai-chat'],
  ['[0.58] [3.45]', 'anthropic', 'anthropic'],
  ['[0.59] [3.45]', 'openaiResponses', 'openai-responses'],
]

it.each(words)('%s on %s the ids are kept, in the calls and in their results', (_, wire, format) => {
  const { calls, callIds } = facts[format].samples
  const { message } = models[wire].codec.decodeResponse(calls)
  expect(toolCalls(message).map(({ id }) => id)).toEqual(callIds)
  const results = callIds.map((toolCallId): Message => ({ role: 'tool', toolCallId, content: 'Sunny' }))
  const { body } = send(wire, { messages: [{ role: 'user', content: 'Weather?' }, message, ...results] })
  const fields = /"(?:id|call_id|tool_call_id|tool_use_id)":"((?:call|toolu)_\w+)"/g
  expect([...JSON.stringify(body).matchAll(fields)].map(([, id]) => id)).toEqual([...callIds, ...callIds])
})

it('on Responses the id of the item stands apart from the id of the call', { meta: { promise: '0.59' } }, () => {
  const { message } = models.openaiResponses.codec.decodeResponse(facts['openai-responses'].samples.calls)
  expect(toolCalls(message).map(({ id }) => id)).toEqual(['call_a', 'call_b'])
  expect(JSON.stringify(message.content)).toMatch(/fc_1.*fc_2/)
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
