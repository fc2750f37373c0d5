/** A provider of Chat Completions, by hand from wire/openai-chat.md §3, §4. */
import { openaiChat } from '../../../src/formats/openai-chat/index.ts'
import { chatCall, codeOf, halves, type Json, providerOf, sse, turnsOfChat } from '../provider.ts'

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }
const head = { id: 'chatcmpl-u1', created: 1_790_000_000, model: 'gpt-5-2026-01-01' }
const chunk = (more: Json) => sse({ ...head, object: 'chat.completion.chunk', ...more })
const saying = (delta: Json, finish_reason: string | null = null) =>
  chunk({ choices: [{ index: 0, delta, finish_reason }] })

export const provider = providerOf({
  name: 'openai-chat',
  path: /^\/v1\/chat\/completions$/,
  key: 'sk-canary-chat-7Hq2Lw9Zx4',
  make: (model, options) => openaiChat(model, options),
  model: 'gpt-5',
  base: '/v1',
  words: { stop: 'stop', calls: 'tool_calls', length: 'length' },
  turnsOf: turnsOfChat,
  schemaIn: ({ response_format }) => response_format?.json_schema?.schema,
  whole: ({ text = null, calls, reason }) => ({
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          ...{ role: 'assistant', content: text, refusal: null },
          ...(calls.length > 0 && { tool_calls: calls.map(chatCall) }),
        },
        finish_reason: reason,
        logprobs: null,
      },
    ],
    usage,
  }),
  pieces: ({ texts, calls }) => [
    saying({ role: 'assistant', content: '' }),
    ...texts.map((content) => saying({ content })),
    ...calls.flatMap((call, index) => [
      saying({ tool_calls: [{ index, ...chatCall({ ...call, args: '' }) }] }),
      ...halves(call.args).map((half) => saying({ tool_calls: [{ index, function: { arguments: half } }] })),
    ]),
  ],
  end: ({ reason }) => [saying({}, reason), chunk({ choices: [], usage }), 'data: [DONE]\n\n'],
  error: (status, message) => ({ error: { message, type: 'x', param: null, code: codeOf(status) } }),
  errorPiece: (message) => sse({ error: { message, type: 'server_error', param: null, code: 'server_error' } }),
})
