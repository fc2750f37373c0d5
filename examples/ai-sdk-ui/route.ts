/** The server's side of `useChat`: its messages in, a run out. */
import type { UIMessage } from 'ai'
import { type Message, type Model, normalizeMessages, stream, t, tool } from 'isoglot'
import { uiChunks } from './ui-stream.ts'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string('Name of the city') }),
  execute: ({ city }) => `25 °C and sunny in ${city}`,
})

/** Answers what `useChat` posts. */
export async function chat(request: Request, model: Model): Promise<Response> {
  const { messages } = (await request.json()) as { readonly messages: readonly Asked[] }
  const run = stream({ model, messages: toMessages(messages), tools: [weather], signal: request.signal })
  const frames = framesOf(run)
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await frames.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'x-vercel-ai-ui-message-stream': 'v1',
      'cache-control': 'no-cache',
    },
  })
}

type Run = ReturnType<typeof stream>
/** A message of the page, with what `ui-stream.ts` left with it. */
type Asked = UIMessage<{ readonly messages?: readonly Message[] } | undefined>

async function* framesOf(run: Run): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const chunk of uiChunks(run)) yield encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`)
  yield encoder.encode('data: [DONE]\n\n')
}

/**
 * The conversation. Of an answer that ended there are our own messages; of one that was stopped, what the page saw of its text. A page can
 * send what it likes: where a history matters, keep it on the server, and take from the page the last message alone.
 */
export function toMessages(messages: readonly Asked[]): Message[] {
  return normalizeMessages(
    messages.flatMap(({ role, parts, metadata }): Message[] => {
      if (metadata?.messages !== undefined) return [...metadata.messages]
      const content = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
      return content === '' ? [] : [role === 'assistant' ? { role, content, stopReason: 'aborted' } : { role, content }]
    }),
  )
}
