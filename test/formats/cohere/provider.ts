/** Its provider behind a gateway, by hand from wire/cohere.md §3, §4. */
import { chatCall, event, halves, type Json, type Loose, list, type Speaker, textOf } from '../provider.ts'
import { key } from './server.ts'

const cohereUsage = {
  billed_units: { input_tokens: 4, output_tokens: 7 },
  tokens: { input_tokens: 11, output_tokens: 7 },
}
const coherePlace = 'f0e1d2c3-u1'
export const provider: Speaker = {
  path: /^\/v2\/chat$/,
  hear({ messages, response_format }) {
    const turns = list(messages)
    const last = turns.findLastIndex(({ role }) => role === 'user')
    return {
      prompt: textOf(turns[last]?.content),
      results: turns.slice(last).flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : [])),
      hasProof: false,
      hasSchema: response_format?.json_schema?.properties?.city !== undefined,
    }
  },
  whole: ({ thought, text, calls }) => ({
    id: coherePlace,
    message: {
      role: 'assistant',
      ...((thought ?? text) !== undefined && {
        content: [
          ...(thought === undefined ? [] : [{ type: 'thinking', thinking: thought }]),
          ...(text === undefined ? [] : [{ type: 'text', text }]),
        ],
      }),
      ...(calls && { tool_calls: calls.map(chatCall) }),
    },
    finish_reason: calls ? 'TOOL_CALL' : 'COMPLETE',
    usage: cohereUsage,
  }),
  pieces({ thought, text, calls = [] }) {
    const piece = (type: string, index: number, message: Json) => event({ type, index, delta: { message } })
    const said = [thought && { type: 'thinking', thinking: thought }, text && { type: 'text', text }].filter(Boolean)
    return [
      event({ type: 'message-start', id: coherePlace, delta: { message: { role: 'assistant', content: [] } } }),
      ...said.flatMap(({ type, ...body }: Loose, index) => {
        const [[field, whole]] = Object.entries<string>(body) as [[string, string]]
        return [
          piece('content-start', index, { content: { type, [field]: '' } }),
          ...halves(whole).map((half) => piece('content-delta', index, { content: { [field]: half } })),
          event({ type: 'content-end', index }),
        ]
      }),
      ...calls
        .map(chatCall)
        .flatMap((call, index) => [
          piece('tool-call-start', index, { tool_calls: { ...call, function: { ...call.function, arguments: '' } } }),
          ...halves(call.function.arguments).map((half) =>
            piece('tool-call-delta', index, { tool_calls: { function: { arguments: half } } }),
          ),
          event({ type: 'tool-call-end', index }),
        ]),
      `${event({
        type: 'message-end',
        delta: { finish_reason: calls.length > 0 ? 'TOOL_CALL' : 'COMPLETE', usage: cohereUsage },
      })}data: [DONE]\n\n`, // the end is the first of the two
    ]
  },
  isStream: ({ body }) => body.stream === true,
  error: (_, message) => ({ id: 'e1', message }),
  errorPiece: (message) => event({ type: 'message-end', delta: { finish_reason: 'ERROR', error: message } }),
  holdsKey: ({ headers }) => headers.authorization === `Bearer ${key}`,
}
