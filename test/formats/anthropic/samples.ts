/** Requests and answers that the laws are tried with. */
import { stopReasons } from '../../../src/formats/anthropic/tables.ts'
import { type Samples, unknownWord as word } from '../facts.ts'

const user = { role: 'user', content: 'x' }

export const samples: Samples = {
  usage: ({ input, output, read, write, reasoning }) => ({
    type: 'message',
    content: [{ type: 'text', text: 'a' }],
    stop_reason: 'end_turn',
    usage: {
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: write,
      output_tokens_details: { thinking_tokens: reasoning },
    },
  }),
  calls: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    stop_reason: 'tool_use',
    content: [
      { type: 'text', text: 'Let me see' },
      { type: 'tool_use', id: 'toolu_a', name: 'get_weather', input: { city: 'Paris' } },
      { type: 'tool_use', id: 'toolu_b', name: 'get_weather', input: { city: 'Oslo' } },
    ],
  },
  callIds: ['toolu_a', 'toolu_b'],
  madeId: undefined,
  idless: undefined,
  stop: { words: stopReasons, wordIn: (body) => body.stop_reason },
  unknownWords: {
    base: { model: 'm', max_tokens: 9, messages: [user] },
    fields: [
      { tool_choice: { type: word }, tools: [{ name: 'f', input_schema: { type: 'object' } }] },
      { thinking: { type: word } },
      { output_config: { effort: word } },
      { output_config: { format: { type: word } } },
      { service_tier: word },
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: word } }] }] },
      {
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: word } }] },
        ],
      },
    ],
  },
}
