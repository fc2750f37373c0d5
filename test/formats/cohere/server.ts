/** Cohere without I/O. */
import type { HttpModel } from '../../../src/core/question.ts'
import { cohere } from '../../../src/formats/cohere/index.ts'
import { type Body, list, named, said, type TestWire, textIn, type WrittenCall } from '../server.ts'

const cohereEvent = (type: string, fields: object) => named({ type, ...fields } as never)
const inMessage = (message: object) => ({ delta: { message } })
const cohereUsage = {
  billed_units: { input_tokens: 3, output_tokens: 5 },
  tokens: { input_tokens: 10, output_tokens: 5 },
}
const cohereStart = cohereEvent('message-start', { id: 'r1', ...inMessage({ role: 'assistant', content: [] }) })
const cohereEnd = (finish_reason: string) => [
  cohereEvent('message-end', { delta: { finish_reason, usage: cohereUsage } }),
  'data: [DONE]\n\n',
]
const cohereCall = ([id, name, args]: WrittenCall) => ({ id, type: 'function', function: { name, arguments: args } })
const coherePieces = (calls: readonly WrittenCall[]) => [
  cohereStart,
  ...calls.flatMap(([id, name, args], index) => [
    cohereEvent('tool-call-start', { index, ...inMessage({ tool_calls: cohereCall([id, name, '']) }) }),
    cohereEvent('tool-call-delta', { index, ...inMessage({ tool_calls: { function: { arguments: args } } }) }),
    cohereEvent('tool-call-end', { index }),
  ]),
]
const cohereBody = (message: object, finish_reason: string) => ({
  id: 'r1',
  message: { role: 'assistant', ...message },
  finish_reason,
  usage: cohereUsage,
})

export const server: TestWire = {
  name: 'cohere',
  model: (baseUrl) => cohere('m', { apiKey: 'k', baseUrl }),
  text: (...texts) => [
    cohereStart,
    cohereEvent('content-start', { index: 0, ...inMessage({ content: { type: 'text', text: '' } }) }),
    ...texts.map((text) => cohereEvent('content-delta', { index: 0, ...inMessage({ content: { text } }) })),
    cohereEvent('content-end', { index: 0 }),
    ...cohereEnd('COMPLETE'),
  ],
  calls: (...calls) => [...coherePieces(calls), ...cohereEnd('TOOL_CALL')],
  cutAtLength: (...calls) => [...coherePieces(calls), ...cohereEnd('MAX_TOKENS')],
  endPieces: 2,
  piecesAfterReason: 1,
  isLastPieceEmpty: false,
  piecesAfterEnd: 1,
  errorPiece: cohereEvent('message-end', { delta: { finish_reason: 'ERROR', error: 'The oven burns' } }),
  wholeText: (text) => cohereBody({ content: [{ type: 'text', text }] }, 'COMPLETE'),
  wholeCalls: (...calls) => cohereBody({ tool_calls: calls.map(cohereCall) }, 'TOOL_CALL'),
  resultsIn: (body) =>
    list((body as Body).messages)
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id, content }) => ({ of: said(tool_call_id), text: textIn(content) })),
  schemaIn: (body) => body.response_format.json_schema ?? body.response_format.schema,
}

export const key = 'co-canary-6Wd3Qn8Rt1'

export const modelAt = (url: string): HttpModel =>
  cohere('command-a-reasoning-08-2025', { baseUrl: `${url}/v2`, apiKey: key })
