/**
 * The route of the page: it has the key, the prompt and the tools. It is a function from a `Request` to a `Response`, as in Next.js, Hono,
 * Deno, Bun and Cloudflare Workers; `vite.config.js` serves it here.
 */
import { stream, t, tool } from 'isoglot'
import { openaiChat } from 'isoglot/openai-chat'
import { readChatRequest, toResponse } from 'isoglot/response'
import { offline } from './offline.ts'

const { OPENAI_API_KEY: apiKey } = process.env
const model = apiKey ? openaiChat('gpt-5-mini', { apiKey }) : offline

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string('Name of the city') }),
  execute: ({ city }) => `25 °C and sunny in ${city}`,
})

export async function POST(request: Request): Promise<Response> {
  // Check the user here, because each answer costs money.
  const asked = await readChatRequest(request).catch((error: unknown) => String(error))
  if (typeof asked === 'string') return new Response(asked, { status: 400 })
  const run = stream({ model, messages: asked.messages, tools: [weather], signal: request.signal })
  return toResponse(run, { page: { tools: { get_weather: 'all' } } })
}
