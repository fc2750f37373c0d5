/** A server in the same process: its route runs a model, and keeps the history. */
import { type ChatTransport, fetchTransport } from '../../src/chat/index.ts'
import { type Message, type RunRequest, stream } from '../../src/index.ts'
import { readChatRequest, toResponse } from '../../src/page/response.ts'

export function routed(asked: Pick<RunRequest, 'model' | 'tools'>, before: readonly Message[] = []): ChatTransport {
  let history = before
  const route = async (request: Request) => {
    const { approvals, ...read } = await readChatRequest(request, { history: () => history })
    const messages = [...read.history, ...read.messages]
    const onEnd = (end: { readonly messages: readonly Message[] }) => {
      history = [...messages, ...end.messages]
    }
    return toResponse(stream({ ...asked, messages, approvals, retries: 0 }), { onEnd })
  }
  return fetchTransport({ url: 'https://s.example/chat', fetch: (url, init) => route(new Request(url, init)) })
}
