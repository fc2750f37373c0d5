/** The server stores the events of each run, so the request's signal must not end the run. */
import { type Message, stream } from 'isoglot'
import { openaiChat } from 'isoglot/openai-chat'
import { answerKept, keepRun, memoryLog, readChatRequest } from 'isoglot/response'

const { OPENAI_API_KEY: apiKey = '', OPENAI_BASE_URL: baseUrl = 'https://api.openai.com/v1' } = process.env
const model = openaiChat('gpt-5-mini', { apiKey, baseUrl })
const log = memoryLog()
/** In place of a database. */
const chats = new Map<string, readonly Message[]>()

export async function POST(request: Request): Promise<Response> {
  const asked = await readChatRequest(request, { history: ({ chatId }) => chats.get(chatId) ?? [] })
  const messages = [...asked.history, ...asked.messages]
  return keepRun(stream({ model, messages }), log, {
    name: asked.streamId,
    onEnd: ({ messages: said }) => void chats.set(asked.chatId, [...messages, ...said]),
  })
}

/** For `/api/chat/<name>`: sends the rest of a run, or ends it. */
export const GET = (request: Request): Promise<Response> => answerKept(request, log)
export const DELETE = GET
