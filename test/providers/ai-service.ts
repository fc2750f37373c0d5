/** Replaces Workers AI at the binding of a Worker: a request of the binding's own code, an answer of the reference. */
import { answerAi } from '../support/workers-ai.ts'

const endless = () => {
  const piece = new TextEncoder().encode('data: {"response":"Hm"}\n\n')
  const body = new ReadableStream({ start: (controller) => controller.enqueue(piece) })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

export default {
  async fetch(request: Request): Promise<Response> {
    const { inputs, options } = (await request.json()) as {
      inputs: { messages: { content: unknown }[] }
      options: object
    }
    const { content } = inputs.messages.at(-1) ?? {}
    if (content === 'endless') return endless()
    if (content === 'what was asked') {
      const { pathname } = new URL(request.url)
      const response = JSON.stringify([pathname, options, request.headers.get('x-session-affinity')])
      return Response.json({ response })
    }
    return answerAi({ model: request.headers.get('cf-consn-model-id') ?? '', inputs })
  },
}
