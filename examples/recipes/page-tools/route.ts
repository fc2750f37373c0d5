/** The server: the prompt, the key and the history stay here. The tools have no `execute` here, so their calls go to the page. */
import { type Message, stream } from 'isoglot'
import { openaiChat } from 'isoglot/openai-chat'
import { readChatRequest, toResponse } from 'isoglot/response'
import { localWeather, setTheme } from './tools.ts'

const { OPENAI_API_KEY: apiKey = '', OPENAI_BASE_URL: baseUrl = 'https://api.openai.com/v1' } = process.env
const model = openaiChat('gpt-5-mini', { apiKey, baseUrl })
const tools = [setTheme, localWeather]
const names = tools.map(({ name }) => name)
/** In place of a database. */
const chats = new Map<string, readonly Message[]>()

export async function POST(request: Request): Promise<Response> {
  const asked = await readChatRequest(request, {
    pageTools: names,
    history: ({ chatId }) => chats.get(chatId) ?? [],
  })
  const messages = [...asked.history, ...asked.messages]
  const run = stream({ model, system: 'You look after a page.', tools, messages, signal: request.signal })
  return toResponse(run, {
    page: { tools: Object.fromEntries(names.map((name) => [name, 'arguments'])) },
    onEnd: ({ messages: said }) => void chats.set(asked.chatId, [...messages, ...said]),
  })
}
