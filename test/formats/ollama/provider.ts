/** A provider of Ollama's format, by hand from wire/ollama.md §3, §4. */
import { ollama } from '../../../src/formats/ollama/index.ts'
import { type Answer, halves, type Json, providerOf, turnsOfChat } from '../provider.ts'

const head = { model: 'qwen3:8b', created_at: '2026-11-20T10:00:00.000000Z' }
const endOf = (reason: string) => ({
  ...{ done: true, done_reason: reason, prompt_eval_count: 11, eval_count: 7, total_duration: 1 },
})
const callsOf = ({ calls }: Answer) =>
  calls.map(({ id, name, input }) => ({ id, function: { name, arguments: input } }))
const line = (message: Json, rest: Json = { done: false }) =>
  `${JSON.stringify({ ...head, message: { role: 'assistant', content: '', ...message }, ...rest })}\n`

export const provider = providerOf({
  name: 'ollama',
  path: /^\/api\/chat$/,
  key: 'ol-canary-8Bv5Xz2Mh6',
  make: (model, options) => ollama(model, options),
  model: 'qwen3:8b',
  base: '',
  words: { stop: 'stop', calls: 'stop', length: 'length' },
  turnsOf: turnsOfChat,
  schemaIn: ({ format }) => format,
  whole: (answer) => ({
    ...head,
    ...endOf(answer.reason),
    message: {
      role: 'assistant',
      content: answer.text ?? '',
      ...(answer.thought && { thinking: answer.thought }),
      ...(answer.calls.length > 0 && { tool_calls: callsOf(answer) }),
    },
  }),
  pieces: (answer) => [
    ...halves(answer.thought ?? '').flatMap((half) => (half === '' ? [] : line({ thinking: half }))),
    ...answer.texts.map((content) => line({ content })),
    ...callsOf(answer).map((call) => line({ tool_calls: [call] })),
  ],
  end: ({ reason }) => [line({}, endOf(reason))],
  callsWithoutIds: true,
  isStream: ({ body }) => body.stream !== false,
  error: (_, message) => ({ error: message }),
  errorPiece: (message) => `${JSON.stringify({ error: message })}\n`,
})
