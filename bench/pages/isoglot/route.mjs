import { stream, t, tool } from 'isoglot'
import { openaiChat } from 'isoglot/openai-chat'
import { readChatRequest, toResponse } from 'isoglot/response'

const model = openaiChat('gpt-5', { apiKey: 'k', baseUrl: process.env.PROVIDER_URL })
const weather = tool({ name: 'get_weather', parameters: t.object({ city: t.string() }) })

export async function POST(request) {
  const { messages } = await readChatRequest(request, {
    roles: ['user', 'assistant', 'tool'],
    pageTools: ['get_weather'],
  })
  const run = stream({ model, tools: [weather], messages, signal: request.signal })
  return toResponse(run, { page: { tools: 'all' } })
}
