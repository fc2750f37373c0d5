/** The official client's reading of this wire. Its streaming helper is strict, and knows nothing of dialects. */
import OpenAI from 'openai'
import { answering, type Oracle } from '../../support/oracle.ts'

function client(body: string, contentType: string): OpenAI {
  const fetch = answering(body, contentType)
  return new OpenAI({ apiKey: 'none', baseURL: 'http://openai.test/v1', maxRetries: 0, fetch })
}

const request = { model: 'any', messages: [] }

export const oracle: Oracle = {
  async stream(bytes) {
    const stream = client(bytes, 'text/event-stream').chat.completions.stream(request)
    // A plain copy: what it returns has proxies and holes.
    return JSON.parse(JSON.stringify(await stream.finalChatCompletion()))
  },
  response: (body) => client(JSON.stringify(body), 'application/json').chat.completions.create(request),
}
