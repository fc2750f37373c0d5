import { chat, chatParamsFromRequest, toolDefinition, toServerSentEventsResponse } from '@tanstack/ai'
import { createOpenaiChatCompletions } from '@tanstack/ai-openai'
import { z } from 'zod'

const adapter = createOpenaiChatCompletions('gpt-5', 'k', { baseURL: process.env.PROVIDER_URL })
const weather = toolDefinition({
  name: 'get_weather',
  description: 'Current weather in a city',
  inputSchema: z.object({ city: z.string() }),
})

export async function POST(request) {
  const { messages, threadId, runId } = await chatParamsFromRequest(request)
  const abortController = new AbortController()
  request.signal.addEventListener('abort', () => abortController.abort())
  const stream = chat({ adapter, tools: [weather], messages, threadId, runId, abortController })
  return toServerSentEventsResponse(stream, { abortController })
}
