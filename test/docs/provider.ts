/** The provider of the examples: the embedded one on loopback, in the place of every real one. Nothing else can be reached. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LLMock } from '@copilotkit/aimock'
import { root } from './blocks.ts'

const call = (name: string, args: unknown) => ({ name, arguments: JSON.stringify(args) })

/** The first script that matches the last words of the user is played. */
const scripts = [
  { match: { userMessage: /weather/i, hasToolResult: true }, response: { content: '25 °C and sunny in Tokyo.' } },
  { match: { userMessage: /weather/i }, response: { toolCalls: [call('get_weather', { city: 'Tokyo' })] } },
  { match: { userMessage: /delete/i, hasToolResult: true }, response: { content: 'It is deleted.' } },
  { match: { userMessage: /delete/i }, response: { toolCalls: [call('delete_file', { path: 'notes.txt' })] } },
  { match: { userMessage: /invoice/i }, response: { content: '{"customer":"Ada","total":12.5}' } },
  { match: { userMessage: /think/i }, response: { reasoning: 'Three: one, and two.', content: 'There are three.' } },
  { match: { userMessage: /hang up/i }, response: { content: 'Hello from the provider' }, truncateAfterChunks: 4 },
  {
    match: { userMessage: /busy/i },
    response: { error: { message: 'Slow down', type: 'rate_limit_error', code: 'rate_limit_exceeded' }, status: 429 },
  },
  { match: {}, response: { content: 'Hello from the provider' } },
].map((script) => ({ chunkSize: 7, latency: 3, ...script }))

/** Recordings that answer requests with these words, since the embedded provider has no pictures and no searches. */
const recorded = [
  [/Draw a pixel/, 'gemini/image-output/response.json', 'application/json'],
  [/temperature in Krak/, 'anthropic/web-search-stream/response.sse', 'text/event-stream'],
] as const

export interface StandIn {
  /** A `fetch` that takes every provider's address for this one's. */
  readonly fetch: typeof fetch
  readonly url: string
  stop(): Promise<void>
}

/** Hosts that an example may ask. */
const hosts =
  /^(?:api\.(?:openai|anthropic|groq|x)\.(?:com|ai)|generativelanguage\.googleapis\.com|localhost(?::\d+)?)$/

/** Starts it. */
export async function startStandIn(): Promise<StandIn> {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' }).addFixtures(scripts)
  await mock.start()
  const real = globalThis.fetch
  return {
    url: mock.url,
    async fetch(input, init) {
      const request = new Request(input, init)
      const url = new URL(request.url)
      if (!hosts.test(url.host)) throw new TypeError(`An example asks ${url.host}, which nobody stands in for`)
      const path = url.pathname.replace(/^\/openai\/v1/, '/v1')
      const body = await request.text()
      const [, recording, type = ''] = recorded.find(([words]) => words.test(body)) ?? []
      if (recording !== undefined) {
        const answer = readFileSync(join(root, 'test', 'recordings', recording))
        return new Response(answer, { headers: { 'content-type': type } })
      }
      return real(mock.url + path + url.search, {
        method: request.method,
        headers: request.headers,
        body,
        signal: request.signal,
      })
    },
    stop: () => mock.stop(),
  }
}
