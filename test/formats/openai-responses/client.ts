/** The official client of Responses. */
import type OpenAI from 'openai'
import { type Client, run, schema, type Turn, weather } from '../client.ts'
import { openai } from '../openai-chat/client.ts'

export const client: Client = {
  converse(at, { model, stream, tools, schema: wantsSchema }) {
    const input: OpenAI.Responses.ResponseInputItem[] = []
    let last: OpenAI.Responses.Response
    async function ask(): Promise<Turn> {
      const body = {
        model,
        input,
        store: false,
        include: ['reasoning.encrypted_content' as const],
        ...(tools && { tools: [{ type: 'function' as const, ...weather, strict: false }] }),
        ...(wantsSchema && { text: { format: { type: 'json_schema' as const, name: 'place', schema, strict: true } } }),
      }
      last = stream ? await openai(at).responses.stream(body).finalResponse() : await openai(at).responses.create(body)
      input.push(...(last.output as OpenAI.Responses.ResponseInputItem[]))
      const thoughts = last.output.flatMap((item) =>
        item.type === 'reasoning' ? item.summary.map(({ text }) => text) : [],
      )
      return {
        text: last.output_text,
        calls: callsOf(last).map((call) => ({ name: call.name, args: JSON.parse(call.arguments) })),
        thought: thoughts.join(''),
        usage: { input: last.usage?.input_tokens, output: last.usage?.output_tokens },
      }
    }
    return {
      say(content) {
        input.push({ role: 'user', content })
        return ask()
      },
      answerCalls() {
        for (const call of callsOf(last)) {
          const output = run(JSON.parse(call.arguments))
          input.push({ type: 'function_call_output', call_id: call.call_id, output })
        }
        return ask()
      },
    }
  },
  async leave(at, model, input) {
    const stream = await openai(at).responses.create({ model, input, stream: true })
    for await (const event of stream) if (event.type === 'response.output_text.delta') break
  },
}

const callsOf = (response: OpenAI.Responses.Response) => response.output.filter((item) => item.type === 'function_call')
