/** Workers AI in workerd, by workerd's own code for the binding: detaching, raw answers, aborts and errors are the real ones. */

import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveInWorkerd } from '../gateway/workerd.ts'
import type { Served } from '../support/serve.ts'
import { newer, older } from '../support/workers-ai.ts'

let served: Served
const file = (name: string) => new URL(name, import.meta.url).pathname

beforeAll(async () => {
  served = await serveInWorkerd(file('worker.ts'), '', file('ai-service.ts'))
})
afterAll(() => served.stop())

async function tell(body: object): Promise<unknown> {
  const response = await fetch(served.url, { method: 'POST', body: JSON.stringify(body) })
  if (!response.ok) throw new Error(await response.text())
  return response.json()
}

describe.each([newer, older])('%s, by env.AI', (model) => {
  it.each([true, false])('answers, calls tools, and keeps answers apart; whole: %j', async (isWhole) => {
    expect(await tell({ model, prompts: ['one', 'Weather?', 'two'], isWhole })).toEqual([
      { text: 'You said one', rounds: 1 },
      { text: 'The tool says rain in Oslo', rounds: 2 },
      { text: 'You said two', rounds: 1 },
    ])
  })

  it('fails with a kind', async () => {
    expect(await tell({ model, prompts: ['capacity', 'neurons', 'unknown model'] })).toMatchObject([
      { kind: 'overloaded', providerCode: '3040', retryable: true },
      { kind: 'rate_limit', providerCode: '3036', retryable: false },
      {
        kind: 'not_found',
        providerCode: '5007',
        retryable: false,
        message: 'Workers AI 400: No such model or task',
      },
    ])
  })

  it('stops when aborted, with the reason of the signal', async () => {
    expect(await tell({ model, prompts: ['endless'], isStopped: true })).toEqual({
      reason: 'Enough of Hm',
      partial: [{ type: 'text', text: 'Hm' }],
      stopReason: 'aborted',
    })
  })
})

it('goes by the gateway and has the headers that it is given', async () => {
  const [{ text }] = (await tell({ model: newer, prompts: ['what was asked'], isWhole: true })) as [{ text: string }]
  expect(JSON.parse(text)).toEqual([
    '/ai-gateway/run',
    { gateway: { id: 'my-gateway' }, returnRawResponse: true },
    'here',
  ])
})

it.each([newer, older])('a gateway in a Worker without any key answers the official client, by %s', async (model) => {
  const client = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: 'none', maxRetries: 0 })
  const messages = [{ role: 'user', content: 'Hello' }] as const
  const whole = await client.chat.completions.create({ model, messages: [...messages] })
  expect(whole.choices[0]?.message.content).toBe('You said Hello')
  const streamed = client.chat.completions.stream({ model, messages: [...messages] })
  expect(await streamed.finalContent()).toBe('You said Hello')
  const tools = [{ type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }] as const
  const called = client.chat.completions.stream({ model, messages: [...messages], tools: [...tools] })
  expect((await called.finalMessage()).tool_calls).toMatchObject([
    { function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
  ])
})

describe('the Worker of isoglot/worker, with the binding and no key', () => {
  it.each([
    [newer, false],
    [newer, true],
    [older, false],
    [older, true],
  ])('answers the official client (%s, streaming: %j)', async (model, isStream) => {
    const client = new OpenAI({ apiKey: 'any', baseURL: `${served.url}/whole/v1`, maxRetries: 0 })
    const request = { model, messages: [{ role: 'user' as const, content: 'hello' }] }
    const answer = isStream
      ? await client.chat.completions.stream(request).finalChatCompletion()
      : await client.chat.completions.create(request)
    expect(answer.choices[0]?.message.content).toBe('You said hello')
  })
})
