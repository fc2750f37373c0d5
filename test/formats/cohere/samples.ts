/** Requests and answers that the laws are tried with. */
import { stopReasons } from '../../../src/formats/cohere/tables.ts'
import { type Samples, unknownWord as word } from '../facts.ts'

const user = { role: 'user', content: 'x' }
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }

export const samples: Samples = {
  usage: ({ input, output, read, reasoning }) => ({
    message: { role: 'assistant', content: [{ type: 'text', text: 'a' }] },
    finish_reason: 'COMPLETE',
    usage: {
      tokens: { input_tokens: input, output_tokens: output, reasoning_tokens: reasoning },
      cached_tokens: read,
    },
  }),
  calls: {
    id: 'f0e1',
    finish_reason: 'TOOL_CALL',
    message: {
      role: 'assistant',
      tool_plan: 'Let me see',
      tool_calls: [
        { id: 'call_a', type: 'function', function: { name: 'get_weather', arguments: '{"city": "Paris"}' } },
        { id: 'call_b', type: 'function', function: { name: 'get_weather', arguments: '{"city": "Oslo"}' } },
      ],
    },
  },
  callIds: ['call_a', 'call_b'],
  madeId: 'cohere_',
  idless: (called) => ({
    model: 'm',
    messages: called.map((one) => ({
      role: 'assistant',
      tool_calls: [{ ...(one && { id: one }), type: 'function', function: { name: 'f', arguments: '{}' } }],
    })),
  }),
  stop: { words: stopReasons, wordIn: (body) => body.finish_reason },
  unknownWords: {
    base: { model: 'm', messages: [user] },
    fields: [
      { tool_choice: word, tools: [tool] },
      { response_format: { type: word } },
      { thinking: { type: word } },
      { safety_mode: word },
      { citation_options: { mode: word } },
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example', detail: word } }] },
        ],
      },
    ],
  },
}
