/** The official client of Chat Completions. */
import OpenAI from 'openai'
import { anyToken, type Client, type Loose, type Place, run, schema, type Turn, weather } from '../client.ts'

export const openai = ({ url, token = anyToken }: Place) =>
  new OpenAI({ apiKey: token, baseURL: `${url}/v1`, maxRetries: 0 })

export const client: Client = {
  converse(at, { model, stream, tools, schema: wantsSchema }) {
    const messages: OpenAI.ChatCompletionMessageParam[] = []
    let last: OpenAI.ChatCompletionMessage
    async function ask(): Promise<Turn> {
      const body = {
        model,
        messages,
        ...(tools && { tools: [{ type: 'function' as const, function: weather }] }),
        ...(wantsSchema && {
          response_format: { type: 'json_schema' as const, json_schema: { name: 'place', schema, strict: true } },
        }),
      }
      const answer = stream ? await streamed(body) : await openai(at).chat.completions.create(body)
      last = (answer.choices[0] as OpenAI.ChatCompletion.Choice).message
      messages.push(last)
      const calls = (last.tool_calls ?? []).map((call: Loose) => ({
        name: call.function.name,
        args: JSON.parse(call.function.arguments),
      }))
      return {
        text: last.content ?? '',
        calls,
        thought: (last as Loose).reasoning_content ?? '',
        usage: { input: answer.usage?.prompt_tokens, output: answer.usage?.completion_tokens },
      }
    }
    /** Its helper keeps only the last piece of an unknown field, so the test joins the reasoning itself. */
    async function streamed(body: OpenAI.ChatCompletionCreateParams): Promise<OpenAI.ChatCompletion> {
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
    return {
      say(content) {
        messages.push({ role: 'user', content })
        return ask()
      },
      answerCalls() {
        for (const call of last.tool_calls ?? []) {
          const args = JSON.parse((call as Loose).function.arguments)
          messages.push({ role: 'tool', tool_call_id: call.id, content: run(args) })
        }
        return ask()
      },
    }
  },
  async leave(at, model, content) {
    const stream = await openai(at).chat.completions.create({
      model,
      messages: [{ role: 'user', content }],
      stream: true,
    })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break
  },
}
