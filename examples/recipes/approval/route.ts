/** The server: a call of a tool with `needsApproval` waits until the user has decided in the page. */
import { approval, type Message, stream, t, tool } from 'isoglot'
import { openaiChat } from 'isoglot/openai-chat'
import { readChatRequest, toResponse } from 'isoglot/response'

const { OPENAI_API_KEY: apiKey = '', OPENAI_BASE_URL: baseUrl = 'https://api.openai.com/v1' } = process.env
const model = openaiChat('gpt-5-mini', { apiKey, baseUrl })
/** In place of a database. */
const chats = new Map<string, readonly Message[]>()

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city, for a fee',
  parameters: t.object({ city: t.string('Name of the city') }),
  needsApproval: approval(),
  execute: ({ city }) => `25 °C and sunny in ${city}`,
})

export async function POST(request: Request): Promise<Response> {
  const asked = await readChatRequest(request, { history: ({ chatId }) => chats.get(chatId) ?? [] })
  const { approvals } = asked
  const messages = [...asked.history, ...asked.messages]
  const run = stream({ model, tools: [weather], messages, approvals, signal: request.signal })
  return toResponse(run, {
    page: { tools: { get_weather: 'all' } }, // the user must see what they allow
    onEnd: ({ messages: said }) => void chats.set(asked.chatId, [...messages, ...said]),
  })
}
