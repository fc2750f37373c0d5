/** Chat Completions without I/O. */
import type { HttpModel } from '../../../src/core/question.ts'
import { openaiChat } from '../../../src/formats/openai-chat/index.ts'
import { type Body, list, said, sse, type TestWire, type WrittenCall } from '../server.ts'

const chatChunk = (delta: object, finish: string | null = null) =>
  sse({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
const chatEnd = (reason: string) => [chatChunk({}, reason), 'data: [DONE]\n\n']
const chatPieces = (calls: readonly WrittenCall[]) => [
  chatChunk({ role: 'assistant', content: null }),
  ...calls.flatMap(([id, name, args], index) => [
    chatChunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    chatChunk({ tool_calls: [{ index, function: { arguments: args.slice(0, 4) } }] }),
    chatChunk({ tool_calls: [{ index, function: { arguments: args.slice(4) } }] }),
  ]),
]
const chatBody = (message: object, finish_reason: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
})

export const server: TestWire = {
  name: 'openai-chat',
  model: (baseUrl) => openaiChat('m', { apiKey: 'k', baseUrl }),
  text: (...texts) => [
    chatChunk({ role: 'assistant', content: '' }),
    ...texts.map((content) => chatChunk({ content })),
    ...chatEnd('stop'),
  ],
  calls: (...calls) => [...chatPieces(calls), ...chatEnd('tool_calls')],
  cutAtLength: (...calls) => [...chatPieces(calls), ...chatEnd('length')],
  endPieces: 2,
  piecesAfterReason: 1,
  isLastPieceEmpty: false,
  piecesAfterEnd: 0,
  errorPiece: sse({ error: { message: 'The oven burns', type: 'server_error', param: null, code: null } }),
  wholeText: (content) => chatBody({ content }, 'stop'),
  wholeCalls: (...calls) =>
    chatBody(
      {
        content: null,
        tool_calls: calls.map(([id, name, args]) => ({ id, type: 'function', function: { name, arguments: args } })),
      },
      'tool_calls',
    ),
  resultsIn: (body) =>
    list((body as Body).messages)
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id, content }) => ({ of: said(tool_call_id), text: said(content) })),
  schemaIn: (body) => body.response_format.json_schema.schema,
}

export const key = 'sk-canary-chat-7Hq2Lw9Zx4'

export const modelAt = (url: string): HttpModel => openaiChat('gpt-5', { baseUrl: `${url}/v1`, apiKey: key })
