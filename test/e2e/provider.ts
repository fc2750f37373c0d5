/** The embedded provider, which speaks all five wires over real HTTP, and before it a door that writes down what is asked of it. */

import type { ServerResponse } from 'node:http'
import { LLMock } from '@copilotkit/aimock'
import { type Asked, startUpstream, type Upstream } from '../support/upstream.ts'

export interface Provider extends Pick<Upstream, 'url' | 'asked' | 'stop'> {
  /** Forgets what was asked so far. */
  forget(): void
}

export const greeting = 'Hello from the embedded provider: 25 °C, and no key needed.'
export const thought = 'The word has three of them: one after the t, and two before the y.'
export const verdict = 'There are three.'
export const weatherIn = (city: string): string => `25 °C in ${city}`
export const reportOn = (...cities: string[]): string => `I found: ${cities.map(weatherIn).join('; ')}.`

const calls = (...cities: string[]) => ({
  toolCalls: cities.map((city) => ({ name: 'get_weather', arguments: JSON.stringify({ city }) })),
})

/** Small chunks, so that an answer comes in many. */
const cut = { chunkSize: 7 }

/** The last user's words pick the script; the first that matches is played. */
const scripts = [
  { match: { userMessage: /weather/, hasToolResult: true }, response: report, ...cut },
  { match: { userMessage: /weather in Tokyo and Paris/ }, response: calls('Tokyo', 'Paris'), ...cut },
  { match: { userMessage: /weather/ }, response: calls('Tokyo'), ...cut },
  { match: { userMessage: /think/ }, response: { reasoning: thought, content: verdict }, ...cut },
  { match: { userMessage: /hang up/ }, response: { content: greeting }, ...cut, latency: 5, truncateAfterChunks: 6 },
  {
    match: { userMessage: /busy/ },
    response: { error: { message: 'Slow down', type: 'rate_limit_error', code: 'rate_limit_exceeded' }, status: 429 },
  },
  { match: {}, response: { content: greeting }, ...cut },
]

/** The results that the model got from its tools, in order. */
function report({ messages }: { readonly messages: readonly { readonly role: string; readonly content: unknown }[] }) {
  const told = messages.filter(({ role }) => role === 'tool').map(({ content }) => resultText(String(content)))
  return { content: `I found: ${told.join('; ')}.` }
}

/** Gemini's results are objects: `{"output": …}` (gemini.md §2.1), which aimock passes as JSON. */
function resultText(content: string): string {
  return content.startsWith('{') ? String(Object.values(JSON.parse(content))[0]) : content
}

export async function startProvider(): Promise<Provider> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' }).addFixtures(scripts)
  await mock.start()
  const door = await startUpstream()
  const relay = (response: ServerResponse, asked: Asked) => passOn(mock.url, response, asked)
  door.answer(relay)
  return {
    url: door.url,
    asked: door.asked,
    forget: () => door.answer(relay),
    async stop() {
      await door.stop()
      await mock.stop()
    },
  }
}

/** Hands a request to the provider and its answer back; a broken line stays a broken line. */
async function passOn(origin: string, response: ServerResponse, { path, body }: Asked): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  try {
    // Gemini's official client asks at `v1`, where aimock has nothing of Gemini's.
    const place = path.replace(/^\/v1(?=\/models\/gemini)/, '/v1beta')
    const answer = await fetch(origin + place, { method: 'POST', headers, body: JSON.stringify(body) })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    for await (const chunk of answer.body ?? []) response.write(chunk)
    response.end()
  } catch {
    response.destroy()
  }
}
