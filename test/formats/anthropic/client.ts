/** The official client of Anthropic. */
import Anthropic from '@anthropic-ai/sdk'
import { anyToken, type Client, type Place, run, schema, type Turn, weather } from '../client.ts'

export const claude = ({ url, token = anyToken }: Place) =>
  new Anthropic({ apiKey: token, baseURL: url, maxRetries: 0 })

export const client: Client = {
  converse(at, { model, stream, tools, think, schema: wantsSchema }) {
    const messages: Anthropic.MessageParam[] = []
    let last: Anthropic.Message
    async function ask(): Promise<Turn> {
      const body = {
        model,
        max_tokens: 4096,
        messages,
        ...(tools && {
          tools: [{ name: weather.name, description: weather.description, input_schema: weather.parameters }],
        }),
        ...(think && { thinking: { type: 'enabled' as const, budget_tokens: 1024 } }),
        ...(wantsSchema && { output_config: { format: { type: 'json_schema' as const, schema } } }),
      }
      last = stream ? await claude(at).messages.stream(body).finalMessage() : await claude(at).messages.create(body)
      messages.push({ role: 'assistant', content: last.content as Anthropic.ContentBlockParam[] })
      return {
        text: last.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        calls: last.content.flatMap((block) =>
          block.type === 'tool_use' ? { name: block.name, args: block.input } : [],
        ),
        thought: last.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
        usage: { input: last.usage.input_tokens, output: last.usage.output_tokens },
      }
    }
    return {
      say(content) {
        messages.push({ role: 'user', content })
        return ask()
      },
      answerCalls() {
        const content = last.content.flatMap((block) =>
          block.type === 'tool_use'
            ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: run(block.input) }]
            : [],
        )
        messages.push({ role: 'user', content })
        return ask()
      },
    }
  },
  async leave(at, model, content) {
    const body = { model, max_tokens: 100, messages: [{ role: 'user' as const, content }], stream: true as const }
    const stream = await claude(at).messages.create(body)
    for await (const event of stream) if (event.type === 'content_block_delta') break
  },
}
