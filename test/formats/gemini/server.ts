/** Gemini without I/O. */
import type { HttpModel } from '../../../src/core/question.ts'
import { gemini } from '../../../src/formats/gemini/index.ts'
import { type Bodies, type Body, list, parsed, said, sse, type TestWire, type WrittenCall } from '../server.ts'

const candidate = (parts: object[], finishReason?: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) }],
  modelVersion: 'm',
  responseId: 'r1',
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
})
const functionCall = ([id, name, args]: WrittenCall) => ({ functionCall: { id, name, args: parsed(args) } })

export const server: TestWire = {
  name: 'gemini',
  model: (baseUrl) => gemini('m', { apiKey: 'k', baseUrl }),
  text: (...texts) => [...texts.map((text) => sse(candidate([{ text }]))), sse(candidate([{ text: '' }], 'STOP'))],
  calls: (...calls) => [...calls.map((call) => sse(candidate([functionCall(call)]))), sse(candidate([], 'STOP'))],
  cutAtLength: (...calls) => [
    ...calls.map((call) => sse(candidate([functionCall(call)]))),
    sse(candidate([], 'MAX_TOKENS')),
  ],
  endPieces: 1,
  piecesAfterReason: 0,
  isLastPieceEmpty: false,
  piecesAfterEnd: 0,
  errorPiece: sse({ error: { code: 500, message: 'The oven burns', status: 'INTERNAL' } }),
  wholeText: (text) => candidate([{ text }], 'STOP'),
  wholeCalls: (...calls) => candidate(calls.map(functionCall), 'STOP'),
  resultsIn: (body) =>
    list((body as Body).contents).flatMap(({ parts }) =>
      list(parts)
        .filter((part) => 'functionResponse' in part)
        .map((part) => (part as unknown as Bodies).functionResponse ?? {})
        .map(({ id, name, response: answer }) => ({
          of: said(id ?? name),
          text: Object.values(answer ?? {}).join(''),
        })),
    ),
  schemaIn: (body) => body.generationConfig.responseJsonSchema ?? body.generationConfig.responseSchema,
}

export const key = 'AIza-canary-2Gs9Nk7Wq3'

export const modelAt = (url: string): HttpModel =>
  gemini('gemini-3-flash-preview', { baseUrl: `${url}/v1beta`, apiKey: key })
