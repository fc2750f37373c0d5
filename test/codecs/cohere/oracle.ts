/** The official client's reading of this wire. It returns each event of a stream; their sum is the answer, as its documents add it up. */
import { CohereClientV2 } from 'cohere-ai'
import { answering, type Oracle } from '../../support/oracle.ts'

/** Values of the client where its own types are too narrow. */
type Loose = ReturnType<typeof JSON.parse>

function client(body: string, contentType: string): CohereClientV2 {
  return new CohereClientV2({ token: 'any', fetch: answering(body, contentType), maxRetries: 0 })
}

const request = { model: 'any', messages: [{ role: 'user' as const, content: 'any' }] }

export const oracle: Oracle = {
  async stream(bytes) {
    const sum: Loose = { message: { role: 'assistant' } }
    for await (const event of await client(bytes, 'text/event-stream').chatStream(request)) add(sum, event)
    return inWire(sum)
  },
  async response(body) {
    return inWire(await client(JSON.stringify(body), 'application/json').chat(request))
  },
}

function add(sum: Loose, { type, id, index, delta }: Loose): void {
  const { content, toolPlan, toolCalls, citations } = delta?.message ?? {}
  const { message } = sum
  switch (type) {
    case 'message-start':
      sum.id = id
      return
    case 'content-start':
      message.content = [...(message.content ?? []), { ...content }]
      return
    case 'content-delta':
      for (const [field, text] of Object.entries(content)) message.content[index][field] += text
      return
    case 'tool-plan-delta':
      message.toolPlan = (message.toolPlan ?? '') + toolPlan
      return
    case 'tool-call-start':
      message.toolCalls = [...(message.toolCalls ?? []), structuredClone(toolCalls)]
      return
    case 'tool-call-delta':
      message.toolCalls[index].function.arguments += toolCalls.function.arguments
      return
    case 'citation-start':
      message.citations = [...(message.citations ?? []), citations]
      return
    case 'message-end':
      sum.finishReason = delta.finishReason
      sum.usage = delta.usage
  }
}

/** Fields in the vendor's spelling again: the client has them in camel case, except within documents and results. */
function inWire(value: Loose): Loose {
  if (Array.isArray(value)) return value.map(inWire)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(
    fields.map(([name, field]) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), inWire(field)]),
  )
}
