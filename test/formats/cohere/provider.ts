/** A provider of Cohere's format, by hand from wire/cohere.md §3, §4. */
import { cohere } from '../../../src/formats/cohere/index.ts'
import { type Answer, chatCall, event, given, halves, type Json, providerOf, turnsOfChat } from '../provider.ts'

const usage = { billed_units: { input_tokens: 4, output_tokens: 7 }, tokens: { input_tokens: 11, output_tokens: 7 } }
const id = 'f0e1d2c3-u1'

/** Each part of the content whole, and in pieces. */
const contentOf = ({ thought, text, texts }: Answer) => [
  ...given(thought, (thinking) => ({
    part: { type: 'thinking', thinking },
    empty: { type: 'thinking', thinking: '' },
    deltas: halves(thinking).map((half): Json => ({ thinking: half })),
  })),
  ...given(text, () => ({
    part: { type: 'text', text },
    empty: { type: 'text', text: '' },
    deltas: texts.map((piece): Json => ({ text: piece })),
  })),
]

const piece = (type: string, index: number, message: Json) => event({ type, index, delta: { message } })

export const provider = providerOf({
  name: 'cohere',
  path: /^\/v2\/chat$/,
  key: 'co-canary-6Wd3Qn8Rt1',
  make: (model, options) => cohere(model, options),
  model: 'command-a-reasoning-08-2025',
  base: '/v2',
  words: { stop: 'COMPLETE', calls: 'TOOL_CALL', length: 'MAX_TOKENS' },
  turnsOf: turnsOfChat,
  schemaIn: ({ response_format }) => response_format?.json_schema ?? response_format?.schema,
  whole: (answer) => {
    const content = contentOf(answer).map(({ part }) => part)
    return {
      id,
      message: {
        role: 'assistant',
        ...(content.length > 0 && { content }),
        ...(answer.calls.length > 0 && { tool_calls: answer.calls.map(chatCall) }),
      },
      finish_reason: answer.reason,
      usage,
    }
  },
  pieces: (answer) => [
    event({ type: 'message-start', id, delta: { message: { role: 'assistant', content: [] } } }),
    ...contentOf(answer).flatMap(({ empty, deltas }, index) => [
      piece('content-start', index, { content: empty }),
      ...deltas.map((delta) => piece('content-delta', index, { content: delta })),
      event({ type: 'content-end', index }),
    ]),
    ...answer.calls.flatMap((call, index) => [
      piece('tool-call-start', index, { tool_calls: chatCall({ ...call, args: '' }) }),
      ...halves(call.args).map((half) =>
        piece('tool-call-delta', index, { tool_calls: { function: { arguments: half } } }),
      ),
      event({ type: 'tool-call-end', index }),
    ]),
  ],
  end: ({ reason }) => [event({ type: 'message-end', delta: { finish_reason: reason, usage } }), 'data: [DONE]\n\n'],
  endsBeforeLastPiece: true,
  error: (_, message) => ({ id: 'e1', message }),
  errorPiece: (message) => event({ type: 'message-end', delta: { finish_reason: 'ERROR', error: message } }),
})
