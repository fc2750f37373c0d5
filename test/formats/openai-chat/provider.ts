/** Its provider behind a gateway, by hand from wire/openai-chat.md §3, §4. */
import { chatCall, codeOf, data, halves, type Json, list, type Speaker, textOf } from '../provider.ts'
import { key } from './server.ts'

const chatUsage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }
const chatHead = { id: 'chatcmpl-u1', created: 1_790_000_000, model: 'gpt-5-2026-01-01' }
export const provider: Speaker = {
  path: /^\/v1\/chat\/completions$/,
  hear({ messages, response_format }) {
    const last = list(messages).findLastIndex((message) => message.role === 'user')
    const results = list(messages)
      .slice(last)
      .filter(({ role }) => role === 'tool')
    return {
      prompt: textOf(list(messages)[last]?.content),
      results: results.map(({ content }) => textOf(content)),
      hasProof: false,
      hasSchema: response_format?.json_schema?.schema?.properties?.city !== undefined,
    }
  },
  whole: ({ text = null, calls }) => ({
    ...chatHead,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, refusal: null, ...(calls && { tool_calls: calls.map(chatCall) }) },
        finish_reason: calls ? 'tool_calls' : 'stop',
        logprobs: null,
      },
    ],
    usage: chatUsage,
  }),
  pieces({ text = '', calls = [] }) {
    const chunk = (delta: Json, finish_reason: string | null = null) =>
      data({ ...chatHead, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })
    return [
      chunk({ role: 'assistant', content: '' }),
      ...(text === '' ? [] : halves(text).map((content) => chunk({ content }))),
      ...calls.flatMap((call, index) => [
        chunk({ tool_calls: [{ index, ...chatCall(call), function: { name: call.name, arguments: '' } }] }),
        ...halves(JSON.stringify(call.args)).map((args) =>
          chunk({ tool_calls: [{ index, function: { arguments: args } }] }),
        ),
      ]),
      chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
      data({ ...chatHead, object: 'chat.completion.chunk', choices: [], usage: chatUsage }),
      'data: [DONE]\n\n',
    ]
  },
  isStream: ({ body }) => body.stream === true,
  error: (status, message) => ({ error: { message, type: 'x', param: null, code: codeOf(status) } }),
  errorPiece: (message) => data({ error: { message, type: 'server_error', param: null, code: 'server_error' } }),
  holdsKey: ({ headers }) => headers.authorization === `Bearer ${key}`,
}
