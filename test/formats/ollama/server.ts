/** Ollama without I/O. */
import type { HttpModel } from '../../../src/core/question.ts'
import { ollama } from '../../../src/formats/ollama/index.ts'
import { type Body, list, parsed, said, type TestWire, type WrittenCall } from '../server.ts'

const line = (message: object, done: false | string = false) =>
  `${JSON.stringify({
    model: 'm',
    created_at: '2026-11-01T00:00:00Z',
    message: { role: 'assistant', content: '', ...message },
    done: done !== false,
    ...(done !== false && { done_reason: done, prompt_eval_count: 10, eval_count: 5 }),
  })}\n`
const toolCalls = (calls: readonly WrittenCall[]) =>
  calls.map(([id, name, args], index) => ({ id, function: { index, name, arguments: parsed(args) } }))

export const server: TestWire = {
  name: 'ollama',
  model: (baseUrl) => ollama('m', { baseUrl }),
  text: (...texts) => [...texts.map((content) => line({ content })), line({}, 'stop')],
  calls: (...calls) => [line({ tool_calls: toolCalls(calls) }), line({}, 'stop')],
  cutAtLength: (...calls) => [line({ tool_calls: toolCalls(calls) }), line({}, 'length')],
  endPieces: 1,
  piecesAfterReason: 0,
  isLastPieceEmpty: false,
  piecesAfterEnd: 0,
  errorPiece: `${JSON.stringify({ error: 'The oven burns' })}\n`,
  wholeText: (content) => JSON.parse(line({ content }, 'stop')),
  wholeCalls: (...calls) => JSON.parse(line({ tool_calls: toolCalls(calls) }, 'stop')),
  resultsIn: (body) =>
    list((body as Body).messages)
      .filter(({ role }) => role === 'tool')
      .map(({ tool_call_id, tool_name, content }) => ({ of: said(tool_call_id ?? tool_name), text: said(content) })),
  schemaIn: (body) => body.format,
}

export const key = 'ol-canary-8Bv5Xz2Mh6'

export const modelAt = (url: string): HttpModel => ollama('qwen3:8b', { baseUrl: url, apiKey: key })
