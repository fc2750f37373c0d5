/** The official client of Cohere. */
import { CohereClientV2 } from 'cohere-ai'
import { anyToken, type Client, type Loose, type Place, run, schema, type Turn, weather } from '../client.ts'

export const coherent = ({ url, token = anyToken }: Place) => new CohereClientV2({ token, baseUrl: url, maxRetries: 0 })

export const client: Client = {
  converse(at, { model, stream, tools, think, schema: wantsSchema }) {
    const messages: Loose[] = []
    let last: Loose
    async function ask(): Promise<Turn> {
      const body: Loose = {
        model,
        messages,
        ...(tools && { tools: [{ type: 'function', function: weather }] }),
        ...(think && { thinking: { type: 'enabled' } }),
        ...(wantsSchema && { responseFormat: { type: 'json_object', jsonSchema: schema } }),
      }
      let usage: Loose
      if (stream) {
        last = { role: 'assistant', content: [], toolCalls: [] }
        for await (const event of (await coherent(at).chatStream(body)) as AsyncIterable<Loose>) {
          const { content, toolCalls } = event.delta?.message ?? {}
          if (event.type === 'content-start') last.content.push({ ...content })
          if (event.type === 'content-delta') {
            const part = last.content[event.index]
            if (content.text !== undefined) part.text += content.text
            if (content.thinking !== undefined) part.thinking += content.thinking
          }
          if (event.type === 'tool-call-start') last.toolCalls.push(structuredClone(toolCalls))
          if (event.type === 'tool-call-delta')
            last.toolCalls[event.index].function.arguments += toolCalls.function.arguments
          if (event.type === 'message-end') usage = event.delta.usage
        }
        if (last.content.length === 0) delete last.content
        if (last.toolCalls.length === 0) delete last.toolCalls
      } else {
        const answer: Loose = await coherent(at).chat(body)
        last = answer.message
        usage = answer.usage
      }
      messages.push(last)
      const join = (field: string) => (last.content ?? []).map((part: Loose) => part[field] ?? '').join('')
      return {
        text: join('text'),
        calls: (last.toolCalls ?? []).map((call: Loose) => ({
          name: call.function.name,
          args: JSON.parse(call.function.arguments),
        })),
        thought: join('thinking'),
        usage: { input: usage?.tokens?.inputTokens, output: usage?.tokens?.outputTokens },
      }
    }
    return {
      say(content) {
        messages.push({ role: 'user', content })
        return ask()
      },
      answerCalls() {
        for (const { id, function: called } of last.toolCalls)
          messages.push({ role: 'tool', toolCallId: id, content: run(JSON.parse(called.arguments)) })
        return ask()
      },
    }
  },
  async leave(at, model, content) {
    const left = new AbortController()
    const asked = coherent(at).chatStream(
      { model, messages: [{ role: 'user', content }] },
      { abortSignal: left.signal },
    )
    for await (const event of await asked) if (event.type === 'content-delta') break
    left.abort()
  },
}
