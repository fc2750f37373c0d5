/** The official client of Cohere. */
import { CohereClientV2 } from 'cohere-ai'
import { anyToken, clientOf, type Loose, type Place, run, schema, weather } from '../client.ts'

export const coherent = ({ url, token = anyToken }: Place) => new CohereClientV2({ token, baseUrl: url, maxRetries: 0 })

export const client = clientOf({
  prompt: (content) => ({ role: 'user', content }),
  async ask(at, messages, { model, stream, tools, think, schema: wantsSchema }) {
    const body: Loose = {
      ...{ model, messages },
      ...(tools && { tools: [{ type: 'function', function: weather }] }),
      ...(think && { thinking: { type: 'enabled' } }),
      ...(wantsSchema && { responseFormat: { type: 'json_object', jsonSchema: schema } }),
    }
    const { message, usage }: Loose = stream
      ? await gathered((await coherent(at).chatStream(body)) as AsyncIterable<Loose>)
      : await coherent(at).chat(body)
    const join = (field: string) => (message.content ?? []).map((part: Loose) => part[field] ?? '').join('')
    return {
      answered: [message],
      text: join('text'),
      calls: (message.toolCalls ?? []).map((call: Loose) => ({
        name: call.function.name,
        args: JSON.parse(call.function.arguments),
      })),
      thought: join('thinking'),
      usage: { input: usage?.tokens?.inputTokens, output: usage?.tokens?.outputTokens },
    }
  },
  results: ([last]) =>
    last.toolCalls.map(({ id, function: called }: Loose) => ({
      ...{ role: 'tool', toolCallId: id, content: run(JSON.parse(called.arguments)) },
    })),
  async leave(at, model, content) {
    const left = new AbortController()
    const asked = coherent(at).chatStream(
      { model, messages: [{ role: 'user', content }] },
      { abortSignal: left.signal },
    )
    for await (const event of await asked) if (event.type === 'content-delta') break
    left.abort()
  },
})

/** The message of a stream, as its documentation puts it together. */
async function gathered(events: AsyncIterable<Loose>): Promise<Loose> {
  const message: Loose = { role: 'assistant', content: [], toolCalls: [] }
  let usage: Loose
  for await (const event of events) {
    const { content, toolCalls } = event.delta?.message ?? {}
    if (event.type === 'content-start') message.content.push({ ...content })
    if (event.type === 'content-delta') {
      const part = message.content[event.index]
      if (content.text !== undefined) part.text += content.text
      if (content.thinking !== undefined) part.thinking += content.thinking
    }
    if (event.type === 'tool-call-start') message.toolCalls.push(structuredClone(toolCalls))
    if (event.type === 'tool-call-delta')
      message.toolCalls[event.index].function.arguments += toolCalls.function.arguments
    if (event.type === 'message-end') usage = event.delta.usage
  }
  if (message.content.length === 0) delete message.content
  if (message.toolCalls.length === 0) delete message.toolCalls
  return { message, usage }
}
