/** The server's side of `useChat`: its messages in, a run out. */
import type { UIMessage } from 'ai'
import { type Approval, type Message, type Model, type RunRequest, stream, t, tool } from 'isoglot'
import { normalizeMessages } from 'isoglot/import'
import { uiChunks } from './ui-stream.ts'

const weather = tool({
  name: 'get_weather',
  description: 'Current weather in a city',
  parameters: t.object({ city: t.string('Name of the city') }),
  execute: ({ city }) => `25 °C and sunny in ${city}`,
})

/** Answers what `useChat` posts. */
export async function chat(request: Request, model: Model, tools: Tools = [weather]): Promise<Response> {
  const { messages } = (await request.json()) as { readonly messages: readonly Asked[] }
  const last = messages.at(-1)
  const approvals = approvalsIn(last)
  const run = stream({
    model,
    tools,
    messages: toMessages(messages),
    signal: request.signal,
    ...(approvals.length > 0 && { approvals }),
  })
  const frames = framesOf(uiChunks(run, last?.role === 'assistant' ? toMessages([last]) : []))
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

type Tools = NonNullable<RunRequest['tools']>
/** A message of the page, with what `ui-stream.ts` left with it. */
type Asked = UIMessage<{ readonly messages?: readonly Message[] } | undefined>

async function* framesOf(chunks: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder()
  for await (const chunk of chunks) yield encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`)
  yield encoder.encode('data: [DONE]\n\n')
}

/**
 * The conversation. Of an answer that ended there are our own messages, and the results of tools that the page ran; of one that was
 * stopped, what the page saw of its text. A page can send what it likes: where a history matters, keep it on the server, take from the page
 * the last message alone, and let approvals be signed.
 */
export function toMessages(messages: readonly Asked[]): Message[] {
  return normalizeMessages(
    messages.flatMap((asked): Message[] => {
      const { role, parts, metadata } = asked
      if (metadata?.messages !== undefined) return [...metadata.messages, ...resultsOfPage(asked)]
      const content = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
      return content === '' ? [] : [role === 'assistant' ? { role, content, stopReason: 'aborted' } : { role, content }]
    }),
  )
}

/** What `addToolOutput` put into the parts of calls. */
function resultsOfPage({ parts, metadata }: Asked): Message[] {
  const known = new Set((metadata?.messages ?? []).map((one) => (one.role === 'tool' ? one.toolCallId : '')))
  return parts.flatMap((part): Message[] => {
    if (!('toolCallId' in part) || known.has(part.toolCallId) || part.state !== 'output-available') return []
    const { toolCallId, output } = part
    return [{ role: 'tool', toolCallId, content: typeof output === 'string' ? output : JSON.stringify(output) }]
  })
}

/** What `addToolApprovalResponse` put there. */
function approvalsIn(last: Asked | undefined): Approval[] {
  return (last?.parts ?? []).flatMap((part): Approval[] => {
    if (!('toolCallId' in part) || part.state !== 'approval-responded') return []
    const { approved, reason } = part.approval
    return [{ toolCallId: part.toolCallId, approved, ...(reason !== undefined && { reason }) }]
  })
}
