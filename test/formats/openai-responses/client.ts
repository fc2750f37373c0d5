/** The official client of Responses. */
import { clientOf, type Loose, run, schema, weather } from '../client.ts'
import { openai } from '../openai-chat/client.ts'

export const client = clientOf({
  prompt: (content) => ({ role: 'user', content }),
  async ask(at, input, { model, stream, tools, schema: wantsSchema }) {
    const body = {
      ...{ model, input, store: false, include: ['reasoning.encrypted_content' as const] },
      ...(tools && { tools: [{ type: 'function' as const, ...weather, strict: false }] }),
      ...(wantsSchema && { text: { format: { type: 'json_schema' as const, name: 'place', schema, strict: true } } }),
    }
    const { responses } = openai(at)
    const { output, output_text, usage } = stream
      ? await responses.stream(body).finalResponse()
      : await responses.create(body)
    return {
      answered: output,
      text: output_text,
      calls: callsIn(output).map((call) => ({ name: call.name, args: JSON.parse(call.arguments) })),
      thought: output
        .flatMap((item) => (item.type === 'reasoning' ? item.summary.map(({ text }) => text) : []))
        .join(''),
      usage: { input: usage?.input_tokens, output: usage?.output_tokens },
    }
  },
  results: (items) =>
    callsIn(items).map((call) => ({
      ...{ type: 'function_call_output', call_id: call.call_id, output: run(JSON.parse(call.arguments)) },
    })),
  async leave(at, model, input) {
    const stream = await openai(at).responses.create({ model, input, stream: true })
    for await (const event of stream) if (event.type === 'response.output_text.delta') break
  },
})

const callsIn = (items: readonly Loose[]) => items.filter((item) => item.type === 'function_call')
