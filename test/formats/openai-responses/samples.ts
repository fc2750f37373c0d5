/** Requests and answers that the laws are tried with. */
import { type Samples, unknownWord as word } from '../facts.ts'

export const samples: Samples = {
  usage: ({ input, output, total, read, write, reasoning }) => ({
    status: 'completed',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] }],
    usage: {
      input_tokens: input,
      output_tokens: output,
      total_tokens: total,
      input_tokens_details: { cached_tokens: read, cache_write_tokens: write },
      output_tokens_details: { reasoning_tokens: reasoning },
    },
  }),
  calls: {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me see' }] },
      { type: 'function_call', id: 'fc_1', call_id: 'call_a', name: 'get_weather', arguments: '{"city": "Paris"}' },
      { type: 'function_call', id: 'fc_2', call_id: 'call_b', name: 'get_weather', arguments: '{"city": "Oslo"}' },
    ],
  },
  callIds: ['call_a', 'call_b'],
  madeId: 'call_',
  idless: (called) => ({
    model: 'm',
    input: called.flatMap((one) => [
      { role: 'user', content: 'x' },
      { type: 'function_call', ...(one && { call_id: one }), name: 'f', arguments: '{}' },
    ]),
  }),
  stop: undefined,
  unknownWords: {
    base: { model: 'm', input: 'x' },
    fields: [
      { reasoning: { effort: word } },
      { reasoning: { effort: 'low', summary: word } },
      { tool_choice: word, tools: [{ type: 'function', name: 'f', parameters: {}, strict: false }] },
      { tool_choice: { type: word }, tools: [{ type: 'function', name: 'f', parameters: {}, strict: false }] },
      { text: { format: { type: word } } },
      { text: { verbosity: word } },
      { truncation: word },
      { service_tier: word },
      { include: [word, 'reasoning.encrypted_content'] },
      {
        input: [
          { role: 'user', content: [{ type: 'input_image', image_url: 'https://a.example/a.png', detail: word }] },
        ],
      },
      {
        input: [
          {
            role: 'user',
            content: [{ type: 'input_text', text: 'x', prompt_cache_breakpoint: { mode: 'explicit', ttl: word } }],
          },
        ],
      },
    ],
  },
}
