/**
 * A model that runs in the page. WebLLM's engine is like a Chat Completions server without HTTP, so a `fetch` that calls the engine makes a
 * model from it. This works with every engine that has such an interface, for example Transformers.js.
 *
 * @see https://webllm.mlc.ai/docs/user/api_reference.html (read 2026-11)
 */
import { openaiCompatible } from 'isoglot/openai-compatible'

/** A model from a loaded engine (`CreateMLCEngine(id)`) and the model's id. */
export function webLlm(engine, id) {
  const server = { provider: 'web-llm', title: 'WebLLM', baseUrl: 'https://web-llm.invalid', fetch: fetchOf(engine) }
  return openaiCompatible(server)(id)
}

function fetchOf(engine) {
  return async (_url, { body, signal }) => {
    const request = withOwnFormat(JSON.parse(body))
    const stop = () => void engine.interruptGenerate()
    signal.addEventListener('abort', stop, { once: true })
    try {
      signal.throwIfAborted()
      const answer = await engine.chat.completions.create(request)
      // The ids of its calls are "0", "1" … in each answer, but ids must be unique in a conversation.
      const prefix = crypto.randomUUID().slice(0, 8)
      if (!request.stream) return Response.json(withIds(answer, prefix))
      return new Response(streamOf(answer, prefix, stop), { headers: { 'content-type': 'text/event-stream' } })
    } catch (error) {
      signal.throwIfAborted()
      const headers = { 'x-should-retry': 'false' }
      return Response.json({ error: { message: error.message } }, { status: 500, headers })
    }
  }
}

/** The engine takes a schema as JSON text. */
function withOwnFormat({ response_format: format, ...request }) {
  if (format?.type !== 'json_schema') return format === undefined ? request : { ...request, response_format: format }
  return { ...request, response_format: { type: 'json_object', schema: JSON.stringify(format.json_schema.schema) } }
}

function streamOf(answer, prefix, stop) {
  const encoder = new TextEncoder()
  const chunks = answer[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      const data = done ? '[DONE]' : JSON.stringify(withIds(value, prefix))
      controller.enqueue(encoder.encode(`data: ${data}\n\n`))
      if (done) controller.close()
    },
    cancel: stop,
  })
}

function withIds({ choices = [], ...rest }, prefix) {
  for (const { delta, message } of choices) {
    for (const call of (delta ?? message)?.tool_calls ?? []) call.id = `${prefix}_${call.id ?? call.index}`
  }
  return { ...rest, choices }
}
