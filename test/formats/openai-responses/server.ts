/** Responses without I/O. */
import type { HttpModel } from '../../../src/core/question.ts'
import { openaiResponses } from '../../../src/formats/openai-responses/index.ts'
import { type Body, list, named, said, type TestWire, type WrittenCall } from '../server.ts'

const response = (status: string, output: object[], more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'm',
  status,
  output,
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  ...more,
})
const callItem = ([call_id, name, args]: WrittenCall, at: number, status = 'completed') => ({
  type: 'function_call',
  id: `fc_${at}`,
  call_id,
  name,
  arguments: args,
  status,
})
const textItem = (text: string) => ({
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})
const responsesPieces = (calls: readonly WrittenCall[]) => [
  named({ type: 'response.created', response: response('in_progress', []) } as never),
  ...calls.flatMap((call, at) => [
    named({
      type: 'response.output_item.added',
      output_index: at,
      item: callItem([call[0], call[1], ''], at, 'in_progress'),
    } as never),
    named({
      type: 'response.function_call_arguments.delta',
      output_index: at,
      item_id: `fc_${at}`,
      delta: call[2],
    } as never),
    named({
      type: 'response.function_call_arguments.done',
      output_index: at,
      item_id: `fc_${at}`,
      arguments: call[2],
    } as never),
    named({ type: 'response.output_item.done', output_index: at, item: callItem(call, at) } as never),
  ]),
]

export const server: TestWire = {
  name: 'openai-responses',
  model: (baseUrl) => openaiResponses('m', { apiKey: 'k', baseUrl }),
  text: (...texts) => [
    named({ type: 'response.created', response: response('in_progress', []) } as never),
    named({
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...textItem(''), status: 'in_progress', content: [] },
    } as never),
    named({
      type: 'response.content_part.added',
      output_index: 0,
      content_index: 0,
      item_id: 'msg_1',
      part: { type: 'output_text', text: '', annotations: [] },
    } as never),
    ...texts.map((delta) =>
      named({
        type: 'response.output_text.delta',
        output_index: 0,
        content_index: 0,
        item_id: 'msg_1',
        delta,
      } as never),
    ),
    named({ type: 'response.output_item.done', output_index: 0, item: textItem(texts.join('')) } as never),
    named({ type: 'response.completed', response: response('completed', [textItem(texts.join(''))]) } as never),
  ],
  calls: (...calls) => [
    ...responsesPieces(calls),
    named({
      type: 'response.completed',
      response: response(
        'completed',
        calls.map((call, at) => callItem(call, at)),
      ),
    } as never),
  ],
  cutAtLength: (...calls) => [
    ...responsesPieces(calls),
    named({
      type: 'response.incomplete',
      response: response(
        'incomplete',
        calls.map((call, at) => callItem(call, at)),
        { incomplete_details: { reason: 'max_output_tokens' } },
      ),
    } as never),
  ],
  endPieces: 1,
  piecesAfterReason: 0,
  isLastPieceEmpty: false,
  piecesAfterEnd: 0,
  errorPiece: named({
    type: 'error',
    sequence_number: 9,
    code: 'server_error',
    message: 'The oven burns',
    param: null,
  } as never),
  wholeText: (text) => response('completed', [textItem(text)]),
  wholeCalls: (...calls) =>
    response(
      'completed',
      calls.map((call, at) => callItem(call, at)),
    ),
  resultsIn: (body) =>
    list((body as Body).input)
      .filter(({ type }) => type === 'function_call_output')
      .map(({ call_id, output }) => ({ of: said(call_id), text: said(output) })),
  schemaIn: (body) => body.text.format.schema,
}

export const key = 'sk-canary-resp-5Tm8Vb3Kd6'

export const modelAt = (url: string): HttpModel => openaiResponses('gpt-5', { baseUrl: `${url}/v1`, apiKey: key })
