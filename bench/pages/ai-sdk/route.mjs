import { createOpenAI } from '@ai-sdk/openai'
import { convertToModelMessages, streamText, tool } from 'ai'
import { z } from 'zod'

const openai = createOpenAI({ apiKey: 'k', baseURL: process.env.PROVIDER_URL })
const tools = { get_weather: tool({ inputSchema: z.object({ city: z.string() }) }) }

export async function POST(request) {
  const { messages } = await request.json()
  const result = streamText({
    model: openai.chat('gpt-5'),
    tools,
    messages: await convertToModelMessages(messages),
    abortSignal: request.signal,
  })
  return result.toUIMessageStreamResponse()
}
