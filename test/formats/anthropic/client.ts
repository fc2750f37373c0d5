/** The official client of Anthropic. */
import Anthropic from '@anthropic-ai/sdk'
import { anyToken, clientOf, type Loose, type Place, run, schema, weather } from '../client.ts'

export const claude = ({ url, token = anyToken }: Place) =>
  new Anthropic({ apiKey: token, baseURL: url, maxRetries: 0 })

export const client = clientOf({
  prompt: (content) => ({ role: 'user', content }),
  async ask(at, messages, { model, stream, tools, think, schema: wantsSchema }) {
    const { name, description, parameters } = weather
    const body = {
      ...{ model, max_tokens: 4096, messages },
      ...(tools && { tools: [{ name, description, input_schema: parameters }] }),
      ...(think && { thinking: { type: 'enabled' as const, budget_tokens: 1024 } }),
      ...(wantsSchema && { output_config: { format: { type: 'json_schema' as const, schema } } }),
    }
    const { content, usage } = stream
      ? await claude(at).messages.stream(body).finalMessage()
      : await claude(at).messages.create(body)
    return {
      answered: [{ role: 'assistant', content }],
      text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      calls: content.flatMap((block) => (block.type === 'tool_use' ? { name: block.name, args: block.input } : [])),
      thought: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
      usage: { input: usage.input_tokens, output: usage.output_tokens },
    }
  },
  results([last]) {
    const calls: Loose[] = last.content.filter(({ type }: Loose) => type === 'tool_use')
    const content = calls.map(({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: run(input) }))
    return [{ role: 'user', content }]
  },
  async leave(at, model, content) {
    const body = { model, max_tokens: 100, messages: [{ role: 'user' as const, content }], stream: true as const }
    const stream = await claude(at).messages.create(body)
    for await (const event of stream) if (event.type === 'content_block_delta') break
  },
})
