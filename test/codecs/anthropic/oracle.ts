/** The official SDK, as the judge: `client.messages.stream(…).finalMessage()` over a `fetch` of ours. */
import Anthropic from '@anthropic-ai/sdk'
import { answering, type Oracle } from '../../support/oracle.ts'

const question = { model: 'claude-test', max_tokens: 8, messages: [{ role: 'user' as const, content: 'hi' }] }

function client(fetch: typeof globalThis.fetch): Anthropic {
  return new Anthropic({ apiKey: 'test', fetch, maxRetries: 0 })
}

export const oracle: Oracle = {
  async stream(bytes) {
    const stream = client(answering(bytes, 'text/event-stream')).messages.stream(question)
    return JSON.parse(JSON.stringify(await stream.finalMessage()))
  },
  async response(body) {
    const answer = await client(answering(JSON.stringify(body), 'application/json')).messages.create(question)
    return JSON.parse(JSON.stringify(answer))
  },
}
