/** A provider of Responses, by hand from wire/openai-responses.md §3, §4. */
import { openaiResponses } from '../../../src/formats/openai-responses/index.ts'
import { proof } from '../../gateway/dialogue.ts'
import { provider as chat } from '../openai-chat/provider.ts'
import { type Answer, event, given, halves, type Json, list, providerOf, resultOf, textOf } from '../provider.ts'

const usage = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 18,
}
const bodyOf = (status: string, output: readonly Json[] = []) => ({
  id: 'resp_u1',
  object: 'response',
  created_at: 1_790_000_000,
  status,
  error: null,
  incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
  instructions: null,
  model: 'gpt-5-2026-01-01',
  output,
  parallel_tool_calls: true,
  tool_choice: 'auto',
  tools: [],
  usage: status === 'in_progress' ? null : usage,
})

/** Each item whole, as it begins in a stream, and its events without their place. */
const itemsOf = ({ thought, text, texts, calls }: Answer): { item: Json; empty: Json; events: Json[] }[] => [
  ...given(thought, (thinking) => {
    const part = { type: 'summary_text', text: thinking }
    const item = { id: 'rs_u1', type: 'reasoning', summary: [part], encrypted_content: proof }
    return {
      item,
      empty: { ...item, summary: [] },
      events: [
        { type: 'response.reasoning_summary_part.added', part: { ...part, text: '' } },
        ...halves(thinking).map((delta) => ({ type: 'response.reasoning_summary_text.delta', delta })),
        { type: 'response.reasoning_summary_text.done', text: thinking },
        { type: 'response.reasoning_summary_part.done', part },
      ].map((one) => ({ ...one, summary_index: 0 })),
    }
  }),
  ...given(text, () => {
    const part = { type: 'output_text', text, annotations: [], logprobs: [] }
    const item = { id: 'msg_u1', type: 'message', status: 'completed', role: 'assistant', content: [part] }
    return {
      item,
      empty: { ...item, status: 'in_progress', content: [] },
      events: [
        { type: 'response.content_part.added', part: { ...part, text: '' } },
        ...texts.map((delta) => ({ type: 'response.output_text.delta', delta, logprobs: [] })),
        { type: 'response.output_text.done', text, logprobs: [] },
        { type: 'response.content_part.done', part },
      ].map((one) => ({ ...one, content_index: 0 })),
    }
  }),
  ...calls.map(({ id, name, args }, at) => {
    const called = { id: `fc_u${at + 1}`, type: 'function_call', call_id: id, name }
    return {
      item: { ...called, status: 'completed', arguments: args },
      empty: { ...called, status: 'in_progress', arguments: '' },
      events: [
        ...halves(args).map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
        { type: 'response.function_call_arguments.done', name, arguments: args },
      ],
    }
  }),
]
const wholeItems = (answer: Answer) => itemsOf(answer).map(({ item }) => item)

/** A stream without the numbers of its events. */
const streamOf = (answer: Answer): Json[] => [
  { type: 'response.created', response: bodyOf('in_progress') },
  { type: 'response.in_progress', response: bodyOf('in_progress') },
  ...itemsOf(answer).flatMap(({ item, empty, events }, output_index) => [
    { type: 'response.output_item.added', output_index, item: empty },
    ...events.map((one) => ({ ...one, item_id: item.id, output_index })),
    { type: 'response.output_item.done', output_index, item },
  ]),
]
const numbered = ({ type, ...rest }: Json, sequence_number: number) => event({ type, sequence_number, ...rest })

export const provider = providerOf({
  name: 'openai-responses',
  path: /^\/v1\/responses$/,
  key: 'sk-canary-resp-5Tm8Vb3Kd6',
  make: (model, options) => openaiResponses(model, options),
  model: 'gpt-5',
  base: '/v1',
  words: { stop: 'completed', calls: 'completed', length: 'incomplete' },
  turnsOf: ({ input }) =>
    (typeof input === 'string' ? [{ role: 'user', content: input }] : list(input)).map((item) => ({
      ...(item.role === 'user' && { prompt: textOf(item.content) }),
      ...(item.type === 'function_call_output' && { results: [resultOf(item.call_id, textOf(item.output))] }),
      isProved: item.type === 'reasoning' && item.encrypted_content === proof,
    })),
  schemaIn: ({ text }) => text?.format?.schema,
  whole: (answer) => bodyOf(answer.reason, wholeItems(answer)),
  pieces: (answer) => streamOf(answer).map(numbered),
  end: (answer) => [
    numbered(
      { type: `response.${answer.reason}`, response: bodyOf(answer.reason, wholeItems(answer)) },
      streamOf(answer).length,
    ),
  ],
  error: chat.error,
  errorPiece: (message) => event({ type: 'error', sequence_number: 2, code: 'server_error', message, param: null }),
})
