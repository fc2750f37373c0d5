/** Requests and answers that the laws are tried with. */
import { type Samples, unknownWord as word } from '../facts.ts'

const user = { role: 'user', content: 'x' }

export const samples: Samples = {
  usage: ({ input, output }) => ({
    message: { role: 'assistant', content: 'a' },
    done: true,
    prompt_eval_count: input,
    eval_count: output,
  }),
  calls: {
    model: 'm',
    done: true,
    done_reason: 'stop',
    message: {
      role: 'assistant',
      content: 'Let me see',
      tool_calls: [
        { function: { name: 'get_weather', arguments: { city: 'Paris' } } },
        { id: 'call_b', function: { name: 'get_weather', arguments: { city: 'Oslo' } } },
      ],
    },
  },
  callIds: ['ollama_0', 'call_b'],
  madeId: 'ollama_',
  idless: (called) => ({
    model: 'm',
    messages: called.map((one) => ({
      role: 'assistant',
      tool_calls: [{ ...(one && { id: one }), function: { name: 'f', arguments: {} } }],
    })),
  }),
  stop: undefined,
  unknownWords: {
    base: { model: 'm', messages: [user] },
    fields: [{ think: word }, { format: word }, { keep_alive: word }],
  },
}
