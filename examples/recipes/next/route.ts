/**
 * The route, `app/api/chat/route.ts` in Next.js: it stores nothing. The page stores the sealed conversation, which it cannot read or
 * change, and sends it with the next message.
 */
import { stream, t, tool } from 'isoglot'
import { openaiChat } from 'isoglot/openai-chat'
import { openMessages, readChatRequest, sealMessages, toResponse } from 'isoglot/response'

const { OPENAI_API_KEY: apiKey = '', OPENAI_BASE_URL: baseUrl = 'https://api.openai.com/v1' } = process.env
const model = openaiChat('gpt-5-mini', { apiKey, baseUrl })
/** 32 bytes. Read them from your configuration: they must be the same on each instance. */
const secret = crypto.getRandomValues(new Uint8Array(32))

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string('Name of the city') }),
  execute: ({ city }) => `25 °C and sunny in ${city}`,
})

export async function POST(request: Request): Promise<Response> {
  const asked = await readChatRequest(request, {
    history: ({ chatId, sealed }) => (sealed === undefined ? [] : openMessages(sealed, secret, chatId)),
  }).catch((error: unknown) => String(error))
  if (typeof asked === 'string') return new Response(asked, { status: 400 })
  const messages = [...asked.history, ...asked.messages]
  const run = stream({ model, system: 'Be brief.', tools: [weather], messages, signal: request.signal })
  return toResponse(run, { seal: (said) => sealMessages([...messages, ...said], secret, asked.chatId) })
}
