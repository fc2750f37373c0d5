/** Requests and answers that the laws are tried with. */
import { type Samples, unknownWord as word } from '../facts.ts'

export const samples: Samples = {
  usage: ({ input, output, total, read, reasoning, tools }) => ({
    status: 'completed',
    steps: [{ type: 'model_output', content: [{ type: 'text', text: 'a' }] }],
    usage: {
      total_input_tokens: input,
      total_output_tokens: output,
      total_tokens: total,
      total_cached_tokens: read,
      total_thought_tokens: reasoning,
      total_tool_use_tokens: tools,
    },
  }),
  calls: {
    id: 'v1_1',
    object: 'interaction',
    status: 'requires_action',
    steps: [
      { type: 'thought', signature: 'c2ln' },
      { type: 'model_output', content: [{ type: 'text', text: 'Let me see' }] },
      { type: 'function_call', id: 'fc_a', name: 'get_weather', arguments: { city: 'Paris' } },
      { type: 'function_call', id: 'fc_b', name: 'get_weather', arguments: { city: 'Oslo' } },
    ],
  },
  callIds: ['fc_a', 'fc_b'],
  madeId: undefined,
  idless: undefined,
  stop: undefined,
  unknownWords: {
    base: { model: 'm', input: [{ type: 'user_input', content: [{ type: 'text', text: 'x' }] }] },
    fields: [
      { generation_config: { thinking_level: word } },
      { generation_config: { thinking_summaries: word } },
      { generation_config: { tool_choice: word }, tools: [{ type: 'function', name: 'f' }] },
      { response_format: { type: word } },
      { service_tier: word },
      { tools: [{ type: word }] },
      {
        input: [
          { type: 'user_input', content: [{ type: 'image', data: 'aGk=', mime_type: 'image/png', resolution: word }] },
        ],
      },
    ],
  },
}
