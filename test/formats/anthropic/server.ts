/** Anthropic without I/O. */
import type { HttpModel } from '../../../src/core/question.ts'
import { anthropic } from '../../../src/formats/anthropic/index.ts'
import { type Body, list, named, parsed, said, type TestWire, textIn, type WrittenCall } from '../server.ts'

const anthropicStart = named({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
} as never)
const anthropicEnd = (stop_reason: string) => [
  named({
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 5 },
  } as never),
  named({ type: 'message_stop' }),
]
const anthropicPieces = (calls: readonly WrittenCall[]) => [
  anthropicStart,
  ...calls.flatMap(([id, name, args], index) => [
    named({ type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } } as never),
    named({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: args } } as never),
    named({ type: 'content_block_stop', index } as never),
  ]),
]
const anthropicBody = (content: object[], stop_reason: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5 },
})

export const server: TestWire = {
  name: 'anthropic',
  model: (baseUrl) => anthropic('m', { apiKey: 'k', baseUrl }),
  text: (...texts) => [
    anthropicStart,
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never),
    ...texts.map((text) =>
      named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } } as never),
    ),
    named({ type: 'content_block_stop', index: 0 } as never),
    ...anthropicEnd('end_turn'),
  ],
  calls: (...calls) => [...anthropicPieces(calls), ...anthropicEnd('tool_use')],
  cutAtLength: (...calls) => [...anthropicPieces(calls), ...anthropicEnd('max_tokens')],
  endPieces: 2,
  piecesAfterReason: 1,
  isLastPieceEmpty: false,
  piecesAfterEnd: 0,
  errorPiece: named({ type: 'error', error: { type: 'api_error', message: 'The oven burns' } } as never),
  wholeText: (text) => anthropicBody([{ type: 'text', text }], 'end_turn'),
  wholeCalls: (...calls) =>
    anthropicBody(
      calls.map(([id, name, args]) => ({ type: 'tool_use', id, name, input: parsed(args) })),
      'tool_use',
    ),
  resultsIn: (body) =>
    list((body as Body).messages).flatMap(({ content }) =>
      list(content)
        .filter(({ type }) => type === 'tool_result')
        .map((block) => ({ of: said(block.tool_use_id), text: textIn(block.content) })),
    ),
  schemaIn: (body) => body.output_config.format.schema,
}

export const key = 'sk-ant-canary-4Rf6Yp1Jc9'

export const modelAt = (url: string): HttpModel => anthropic('claude-sonnet-5', { baseUrl: `${url}/v1`, apiKey: key })
