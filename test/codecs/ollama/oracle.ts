/** The official client's reading of this wire. Its README prints each part of a stream as it comes: their sum is the answer. */
import { type ChatResponse, Ollama } from 'ollama/browser'
import { answering, type Oracle } from '../../support/oracle.ts'

function client(body: string, contentType: string): Ollama {
  return new Ollama({ host: 'http://ollama.test', fetch: answering(body, contentType) })
}

const request = { model: 'any', messages: [] }

export const oracle: Oracle = {
  async stream(bytes) {
    const parts = await client(bytes, 'application/x-ndjson').chat({ ...request, stream: true })
    const all: ChatResponse[] = []
    for await (const part of parts) all.push(part)
    return sum(all)
  },
  response: (body) => client(JSON.stringify(body), 'application/json').chat({ ...request, stream: false }),
}

/** Texts and lists are joined. All other fields are those of the last line, except the time at which the answer began. */
function sum(parts: readonly ChatResponse[]): unknown {
  const messages = parts.map((part) => part.message)
  const thinking = messages.map((one) => one.thinking ?? '').join('')
  const calls = messages.flatMap((one) => one.tool_calls ?? [])
  const logprobs = parts.flatMap((one) => one.logprobs ?? [])
  return {
    ...parts.at(-1),
    created_at: parts[0]?.created_at,
    message: {
      role: 'assistant',
      content: messages.map((one) => one.content).join(''),
      ...(thinking !== '' && { thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
    ...(logprobs.length > 0 && { logprobs }),
  }
}
