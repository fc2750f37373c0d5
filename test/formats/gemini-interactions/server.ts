/** Interactions without I/O. */
import type { HttpModel } from '../../../src/core/question.ts'
import { geminiInteractions } from '../../../src/formats/gemini-interactions/index.ts'
import { type Body, list, parsed, said, sse, type TestWire, type WrittenCall } from '../server.ts'

const interaction = (status: string, more: object = {}) => ({
  id: '',
  object: 'interaction',
  model: 'm',
  status,
  usage: { total_input_tokens: 10, total_output_tokens: 5, total_tokens: 15 },
  ...more,
})
const told = (event_type: string, fields: object) => `event: ${event_type}\n${sse({ ...fields, event_type })}`
const interactionStart = told('interaction.created', { interaction: interaction('in_progress') })
const interactionEnd = (status: string) => [
  told('interaction.completed', { interaction: interaction(status) }),
  'event: done\ndata: [DONE]\n\n',
]
const interactionPieces = (calls: readonly WrittenCall[]) => [
  interactionStart,
  ...calls.flatMap(([id, name, args], index) => [
    told('step.start', { index, step: { type: 'function_call', id, name, arguments: {} } }),
    told('step.delta', { index, delta: { type: 'arguments_delta', arguments: args } }),
    told('step.stop', { index }),
  ]),
]

export const server: TestWire = {
  name: 'gemini-interactions',
  model: (baseUrl) => geminiInteractions('m', { apiKey: 'k', baseUrl }),
  text: (...texts) => [
    interactionStart,
    told('step.start', { index: 0, step: { type: 'model_output' } }),
    ...texts.map((text) => told('step.delta', { index: 0, delta: { type: 'text', text } })),
    told('step.stop', { index: 0 }),
    ...interactionEnd('completed'),
  ],
  calls: (...calls) => [...interactionPieces(calls), ...interactionEnd('requires_action')],
  cutAtLength: (...calls) => [...interactionPieces(calls), ...interactionEnd('incomplete')],
  endPieces: 2,
  piecesAfterReason: 1,
  isLastPieceEmpty: true,
  piecesAfterEnd: 0,
  errorPiece: told('error', { error: { code: 'api_error', message: 'The oven burns' } }),
  wholeText: (text) =>
    interaction('completed', { steps: [{ type: 'model_output', content: [{ type: 'text', text }] }] }),
  wholeCalls: (...calls) =>
    interaction('requires_action', {
      steps: calls.map(([id, name, args]) => ({ type: 'function_call', id, name, arguments: parsed(args) })),
    }),
  resultsIn: (body) =>
    list((body as Body).input)
      .filter(({ type }) => type === 'function_result')
      .map(({ call_id, result }) => ({ of: said(call_id), text: said(result) })),
  schemaIn: (body) => body.response_format.schema,
}

export const key = 'AIza-canary-6Hd3Pt8Rv5'

/** Not Gemini 3, which refuses calls without signatures: most clients of other formats cannot send one back. */
export const modelAt = (url: string): HttpModel =>
  geminiInteractions('gemini-2.5-flash', { baseUrl: `${url}/v1beta`, apiKey: key })
