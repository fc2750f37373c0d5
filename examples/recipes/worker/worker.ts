/** Your own Worker. `wrangler secret put OPENAI_API_KEY` gives it the key. */
import { stream, t, tool } from 'isoglot'
import { openaiChat } from 'isoglot/openai-chat'
import { readChatRequest, toResponse } from 'isoglot/response'

interface Env {
  readonly OPENAI_API_KEY: string
  readonly OPENAI_BASE_URL?: string
}

interface Context {
  waitUntil(promise: Promise<unknown>): void
}

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string('Name of the city') }),
  execute: ({ city }) => `25 °C and sunny in ${city}`,
})

export default {
  async fetch(request: Request, env: Env, context: Context): Promise<Response> {
    if (request.method !== 'POST') return new Response('Send a POST', { status: 405 })
    // Check the user here, because each answer costs money.
    const asked = await readChatRequest(request).catch((error: unknown) => String(error))
    if (typeof asked === 'string') return new Response(asked, { status: 400 })
    const { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL: baseUrl = 'https://api.openai.com/v1' } = env
    const model = openaiChat('gpt-5-mini', { apiKey, baseUrl })
    return toResponse(stream({ model, tools: [weather], messages: asked.messages, signal: request.signal }), {
      page: { tools: { get_weather: 'all' } },
      onEnd: ({ messages: said, left }) => console.log(`${said.length} messages${left ? ', and the page left' : ''}`),
      waitUntil: (promise) => context.waitUntil(promise),
    })
  },
}
