/** A Worker that asks over a WebSocket, for the tests: the server is where the environment says. */
import { connectByUpgrade, responsesSocket } from '../../src/client/responses-socket.ts'
import { openaiResponses } from '../../src/formats/openai-responses/index.ts'
import { ApiError, generate } from '../../src/index.ts'

export default {
  async fetch(_: Request, { PROVIDERS }: { PROVIDERS: string }): Promise<Response> {
    const socket = responsesSocket({ connect: connectByUpgrade })
    const model = openaiResponses('gpt-5', { apiKey: 'k', baseUrl: `${PROVIDERS}/v1`, fetch: socket.fetch })
    try {
      const first = await generate({ model, prompt: 'Hi', retries: 0 })
      const second = await generate({ model, prompt: 'Hi', retries: 0 })
      return Response.json([first.text, second.text])
    } catch (error) {
      return Response.json(error instanceof ApiError ? [error.kind, error.status] : String(error))
    } finally {
      socket.close()
    }
  },
}
