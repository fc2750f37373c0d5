/** The official client of Chat Completions. */
import OpenAI from 'openai'
import { anyToken, clientOf, type Loose, type Place, run, schema, weather } from '../client.ts'

export const openai = ({ url, token = anyToken }: Place) =>
  new OpenAI({ apiKey: token, baseURL: `${url}/v1`, maxRetries: 0 })

export const client = clientOf({
  prompt: (content) => ({ role: 'user', content }),
  async ask(at, messages, { model, stream, tools, schema: wantsSchema }) {
    const body = {
      ...{ model, messages },
      ...(tools && { tools: [{ type: 'function' as const, function: weather }] }),
      ...(wantsSchema && {
        response_format: { type: 'json_schema' as const, json_schema: { name: 'place', schema, strict: true } },
      }),
    }
    const { choices, usage } = stream ? await streamed(at, body) : await openai(at).chat.completions.create(body)
    const { message }: Loose = choices[0]
    return {
      answered: [message],
      text: message.content ?? '',
      calls: (message.tool_calls ?? []).map(({ function: call }: Loose) => ({
        name: call.name,
        args: JSON.parse(call.arguments),
      })),
      thought: message.reasoning_content ?? '',
      usage: { input: usage?.prompt_tokens, output: usage?.completion_tokens },
    }
  },
  results: ([last]) =>
    (last.tool_calls ?? []).map(({ id, function: call }: Loose) => ({
      ...{ role: 'tool', tool_call_id: id, content: run(JSON.parse(call.arguments)) },
    })),
  async leave(at, model, content) {
    const stream = await openai(at).chat.completions.create({
      model,
      messages: [{ role: 'user', content }],
      stream: true,
    })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
  },
})

/** Its helper keeps only the last piece of an unknown field, so the test joins the reasoning itself. */
async function streamed(at: Place, body: OpenAI.ChatCompletionCreateParams): Promise<OpenAI.ChatCompletion> {
  let thought = ''
  const helper = openai(at).chat.completions.stream({
    ...body,
    stream: true,
    stream_options: { include_usage: true },
  })
  helper.on('chunk', (chunk) => {
    thought += (chunk.choices[0]?.delta as Loose)?.reasoning_content ?? ''
  })
  const answer = await helper.finalChatCompletion()
  if (thought !== '') Object.assign(answer.choices[0]?.message ?? {}, { reasoning_content: thought })
  return answer
}
