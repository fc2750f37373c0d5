/** Requests and answers that the laws are tried with. */
import { stopReasons } from '../../../src/formats/bedrock-converse/tables.ts'
import type { Samples } from '../facts.ts'

export const samples: Samples = {
  usage: ({ input, output, total, read, write }) => ({
    output: { message: { role: 'assistant', content: [{ text: 'a' }] } },
    stopReason: 'end_turn',
    usage: {
      inputTokens: input,
      outputTokens: output,
      totalTokens: total,
      cacheReadInputTokens: read,
      cacheWriteInputTokens: write,
    },
  }),
  calls: {
    output: {
      message: {
        role: 'assistant',
        content: [
          { text: 'Let me see' },
          { toolUse: { toolUseId: 'tooluse_a', name: 'get_weather', input: { city: 'Paris' } } },
          { toolUse: { toolUseId: 'tooluse_b', name: 'get_weather', input: { city: 'Oslo' } } },
        ],
      },
    },
    stopReason: 'tool_use',
  },
  callIds: ['tooluse_a', 'tooluse_b'],
  madeId: undefined,
  idless: undefined,
  stop: { words: stopReasons, wordIn: (body) => body.stopReason },
  unknownWords: undefined,
}
