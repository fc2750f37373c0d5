/** Its provider behind a gateway, by hand from wire/openai-responses.md §3, §4. */
import { proof, type Said } from '../../gateway/dialogue.ts'
import { provider as chat } from '../openai-chat/provider.ts'
import { event, halves, type Json, list, type Speaker, textOf } from '../provider.ts'
import { key } from './server.ts'

const responsesUsage = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 18,
}
function responsesItems({ thought, text, calls = [] }: Said): Json[] {
  return [
    ...(thought === undefined
      ? []
      : [
          {
            id: 'rs_u1',
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: thought }],
            encrypted_content: proof,
          },
        ]),
    ...(text === undefined
      ? []
      : [
          {
            id: 'msg_u1',
            type: 'message',
            status: 'completed',
            role: 'assistant',
            content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
          },
        ]),
    ...calls.map(({ id, name, args }) => ({
      id: `fc_${id}`,
      type: 'function_call',
      status: 'completed',
      call_id: id,
      name,
      arguments: JSON.stringify(args),
    })),
  ]
}
const responseBody = (status: string, output: readonly Json[]) => ({
  id: 'resp_u1',
  object: 'response',
  created_at: 1_790_000_000,
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  model: 'gpt-5-2026-01-01',
  output,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  usage: status === 'completed' ? responsesUsage : null,
})
export const provider: Speaker = {
  path: /^\/v1\/responses$/,
  hear({ input, text }) {
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : list(input)
    const last = items.findLastIndex((item) => item.role === 'user')
    const results = items.slice(last).filter(({ type }) => type === 'function_call_output')
    return {
      prompt: textOf(items[last]?.content),
      results: results.map(({ output }) => textOf(output)),
      hasProof: items.some(({ type, encrypted_content }) => type === 'reasoning' && encrypted_content === proof),
      hasSchema: text?.format?.schema?.properties?.city !== undefined,
    }
  },
  whole: (said) => responseBody('completed', responsesItems(said)),
  pieces(said) {
    const items = responsesItems(said)
    const events: Json[] = [
      { type: 'response.created', response: responseBody('in_progress', []) },
      { type: 'response.in_progress', response: responseBody('in_progress', []) },
      ...items.flatMap((item, output_index) => itemEvents(item, output_index)),
      { type: 'response.completed', response: responseBody('completed', items) },
    ]
    return events.map(({ type, ...rest }, sequence_number) => event({ type, sequence_number, ...rest }))
  },
  isStream: ({ body }) => body.stream === true,
  error: chat.error,
  errorPiece: (message) => event({ type: 'error', sequence_number: 2, code: 'server_error', message, param: null }),
  holdsKey: ({ headers }) => headers.authorization === `Bearer ${key}`,
}

function itemEvents(item: Json, output_index: number): Json[] {
  const at = { item_id: item.id, output_index }
  const added = { ...item, ...(item.status && { status: 'in_progress' }) }
  const around = (empty: Json, inner: Json[]) => [
    { type: 'response.output_item.added', output_index, item: { ...added, ...empty } },
    ...inner,
    { type: 'response.output_item.done', output_index, item },
  ]
  if (item.type === 'message') {
    const [part] = item.content
    const place = { ...at, content_index: 0 }
    return around({ content: [] }, [
      { type: 'response.content_part.added', ...place, part: { ...part, text: '' } },
      ...halves(part.text).map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...place, text: part.text, logprobs: [] },
      { type: 'response.content_part.done', ...place, part },
    ])
  }
  if (item.type === 'function_call') {
    return around({ arguments: '' }, [
      ...halves(item.arguments).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
      { type: 'response.function_call_arguments.done', ...at, name: item.name, arguments: item.arguments },
    ])
  }
  const [part] = item.summary
  const place = { ...at, summary_index: 0 }
  return around({ summary: [] }, [
    { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } },
    ...halves(part.text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...place, delta })),
    { type: 'response.reasoning_summary_text.done', ...place, text: part.text },
    { type: 'response.reasoning_summary_part.done', ...place, part },
  ])
}
