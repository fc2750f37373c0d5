/** What the official clients make of the Worker's refusals and broken answers. `clients.test.ts` has their conversations, with every provider. */
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, describe, expect, it } from 'vitest'
import { canary, everythingOf, holdsCanary, startDemo, wireNames } from './harness.ts'

const demo = await startDemo()
const token = await demo.open()
afterAll(() => demo.stop())

const openai = () => new OpenAI({ apiKey: token, baseURL: `${demo.url}/v1`, maxRetries: 0 })
const anthropic = (options: object = { apiKey: token }) =>
  new Anthropic({ baseURL: demo.url, maxRetries: 0, ...options })

describe('the official OpenAI client', () => {
  it('reads a refusal as its own error class', async () => {
    const ask = (options: object, client = openai()) =>
      client.chat.completions.create({
        model: 'demo-model',
        messages: [{ role: 'user', content: 'Hello' }],
        ...options,
      })
    await expect(ask({ model: 'gpt-9' })).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
    await expect(ask({}, new OpenAI({ apiKey: 'wrong', baseURL: `${demo.url}/v1` }))).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    )
    await expect(ask({ messages: [{ role: 'user', content: 'Are you busy?' }] })).rejects.toBeInstanceOf(
      OpenAI.RateLimitError,
    )
    await expect(ask({ store: true })).rejects.toThrow('"store" has a value that is not allowed')
  })

  it.each(['Please fail', 'Please hang up'])(
    'gets an error, not an end, from an answer that breaks (%s)',
    async (content) => {
      const run = openai().chat.completions.stream({ model: 'demo-model', messages: [{ role: 'user', content }] })
      await expect(run.finalContent()).rejects.toThrow(/The provider (failed|cut off its answer)/)
    },
  )
})

describe('the official Anthropic client', () => {
  const body = (content: string) => ({
    model: 'demo-model',
    max_tokens: 500,
    messages: [{ role: 'user' as const, content }],
  })

  it.each([
    ['a bearer token', () => ({ authToken: token, apiKey: null })],
    ['an API key', () => ({ apiKey: token })],
    ['an API key in its old header', () => ({ apiKey: null, authToken: null, defaultHeaders: { 'x-api-key': token } })],
  ])('gets a whole answer with %s', async (_, options) => {
    const answer = await anthropic(options()).messages.create(body('Hello'))
    expect(answer.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('embedded provider') })
    expect(answer.stop_reason).toBe('end_turn')
  })

  it('reads a refusal as its own error class', async () => {
    await expect(anthropic().messages.create({ ...body('Hello'), model: 'gpt-9' })).rejects.toBeInstanceOf(
      Anthropic.NotFoundError,
    )
    await expect(anthropic({ apiKey: 'wrong' }).messages.create(body('Hello'))).rejects.toBeInstanceOf(
      Anthropic.AuthenticationError,
    )
    await expect(anthropic().messages.create(body('Are you busy?'))).rejects.toBeInstanceOf(Anthropic.RateLimitError)
    await expect(anthropic().messages.create({ ...body('Hello'), service_tier: 'auto' })).rejects.toThrow(
      /service_tier.* is not an allowed field/,
    )
  })

  it.each(['Please fail', 'Please hang up'])(
    'gets an error, not an end, from an answer that breaks (%s)',
    async (content) => {
      const run = anthropic().messages.stream(body(content))
      await expect(run.finalMessage()).rejects.toThrow(/The provider (is overloaded|cut off its answer)/)
    },
  )
})

describe('the embedded provider', () => {
  it('refuses requests without its key', async () => {
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { 'x-api-key': `${canary}x` }]) {
      const answer = await fetch(`${demo.provider.url}/v1/messages`, { method: 'POST', headers, body: '{}' })
      expect(answer.status).toBe(401)
    }
  })

  it('got its key from the Worker, and nothing else', () => {
    const admitted = demo.provider.journal().filter(({ body }) => body)
    expect(admitted.length).toBeGreaterThan(5)
    for (const { headers } of admitted)
      expect([headers['x-api-key'], headers.authorization]).toContain(
        headers['x-api-key'] ? canary : `Bearer ${canary}`,
      )
  })

  it('gives no answer that contains the key', async () => {
    const says = ['Hello', 'What is the weather in Tokyo?', 'Think', 'fail', 'hang up', 'busy', canary]
    const asked = wireNames.flatMap((wire) =>
      says.flatMap((say) => [true, false].map((stream) => demo.ask(wire, say, { stream }))),
    )
    for (const answer of await Promise.all(asked)) {
      expect(holdsCanary(await everythingOf(answer).catch(String))).toBe(false)
    }
    expect(holdsCanary(demo.worker.log())).toBe(false)
  })
})
