/** The official client of Ollama. */
import { Ollama } from 'ollama'
import { anyToken, type Client, type Loose, type Place, run, schema, type Turn, weather } from '../client.ts'

export const local = ({ url, token = anyToken }: Place) =>
  new Ollama({ host: url, headers: { authorization: `Bearer ${token}` } })

export const client: Client = {
  converse(at, { model, stream, tools, think, schema: wantsSchema }) {
    const messages: Loose[] = []
    let last: Loose
    async function ask(): Promise<Turn> {
      const body = {
        model,
        messages,
        ...(tools && { tools: [{ type: 'function', function: weather }] }),
        ...(think && { think: true }),
        ...(wantsSchema && { format: schema }),
      }
      const client = local(at)
      let end: Loose
      if (stream) {
        last = { role: 'assistant', content: '' }
        for await (const line of await client.chat({ ...body, stream: true })) {
          const { content, thinking, tool_calls } = line.message
          last.content += content
          if (thinking) last.thinking = (last.thinking ?? '') + thinking
          if (tool_calls) last.tool_calls = [...(last.tool_calls ?? []), ...tool_calls]
          end = line
        }
      } else {
        end = await client.chat({ ...body, stream: false })
        last = end.message
      }
      messages.push(last)
      return {
        text: last.content,
        calls: (last.tool_calls ?? []).map((call: Loose) => ({
          name: call.function.name,
          args: call.function.arguments,
        })),
        thought: last.thinking ?? '',
        usage: { input: end.prompt_eval_count, output: end.eval_count },
      }
    }
    return {
      say(content) {
        messages.push({ role: 'user', content })
        return ask()
      },
      answerCalls() {
        for (const call of last.tool_calls) {
          messages.push({ role: 'tool', tool_name: call.function.name, content: run(call.function.arguments) })
        }
        return ask()
      },
    }
  },
  async leave(at, model, content) {
    const stream = await local(at).chat({ model, messages: [{ role: 'user', content }], stream: true })
    try {
      for await (const line of stream) if (line.message.content) stream.abort()
    } catch (error) {
      if ((error as Error).name !== 'AbortError') throw error
    }
  },
}
