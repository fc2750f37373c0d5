/** Requests and answers that the laws are tried with. */
import { stopReasons } from '../../../src/formats/openai-chat/tables.ts'
import { type Samples, unknownWord as word } from '../facts.ts'

const user = { role: 'user', content: 'x' }
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }

export const samples: Samples = {
  usage: ({ input, output, total, read, write, reasoning }) => ({
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'a' } }],
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: total,
      prompt_tokens_details: { cached_tokens: read, cache_write_tokens: write },
      completion_tokens_details: { reasoning_tokens: reasoning },
    },
  }),
  calls: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: 'Let me see',
          tool_calls: [
            { id: 'call_a', type: 'function', function: { name: 'get_weather', arguments: '{"city": "Paris"}' } },
            { id: 'call_b', type: 'function', function: { name: 'get_weather', arguments: '{"city": "Oslo"}' } },
          ],
        },
      },
    ],
  },
  callIds: ['call_a', 'call_b'],
  madeId: 'call_',
  idless: (called) => ({
    model: 'm',
    messages: called.map((one) => ({
      role: 'assistant',
      tool_calls: [{ ...(one && { id: one }), type: 'function', function: { name: 'f', arguments: '{}' } }],
    })),
  }),
  stop: { words: stopReasons, wordIn: (body) => body.choices[0]?.finish_reason },
  unknownWords: {
    base: { model: 'm', messages: [user] },
    fields: [
      { reasoning_effort: word },
      { tool_choice: word, tools: [tool] },
      { tool_choice: { type: word }, tools: [tool] },
      { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: word, tools: [] } }, tools: [tool] },
      { response_format: { type: word } },
      { service_tier: word },
      { verbosity: word },
      { modalities: [word] },
      { prompt_cache_retention: word },
    ],
  },
}
