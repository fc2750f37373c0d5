/** The official client of Ollama. */
import { Ollama } from 'ollama'
import { anyToken, clientOf, type Loose, type Place, run, schema, weather } from '../client.ts'

export const local = ({ url, token = anyToken }: Place) =>
  new Ollama({ host: url, headers: { authorization: `Bearer ${token}` } })

export const client = clientOf({
  prompt: (content) => ({ role: 'user', content }),
  async ask(at, messages, { model, stream, tools, think, schema: wantsSchema }) {
    const body = {
      ...{ model, messages },
      ...(tools && { tools: [{ type: 'function', function: weather }] }),
      ...(think && { think: true }),
      ...(wantsSchema && { format: schema }),
    }
    const client = local(at)
    let message: Loose = { role: 'assistant', content: '' }
    let end: Loose
    if (stream) {
      for await (const line of await client.chat({ ...body, stream: true })) {
        const { content, thinking, tool_calls } = line.message
        message.content += content
        if (thinking) message.thinking = (message.thinking ?? '') + thinking
        if (tool_calls) message.tool_calls = [...(message.tool_calls ?? []), ...tool_calls]
        end = line
      }
    } else {
      end = await client.chat({ ...body, stream: false })
      message = end.message
    }
    return {
      answered: [message],
      text: message.content,
      calls: (message.tool_calls ?? []).map(({ function: call }: Loose) => ({ name: call.name, args: call.arguments })),
      thought: message.thinking ?? '',
      usage: { input: end.prompt_eval_count, output: end.eval_count },
    }
  },
  results: ([last]) =>
    last.tool_calls.map(({ function: call }: Loose) => ({
      ...{ role: 'tool', tool_name: call.name, content: run(call.arguments) },
    })),
  async leave(at, model, content) {
    const stream = await local(at).chat({ model, messages: [{ role: 'user', content }], stream: true })
    try {
      for await (const line of stream) if (line.message.content) stream.abort()
    } catch (error) {
      if ((error as Error).name !== 'AbortError') throw error
    }
  },
})
