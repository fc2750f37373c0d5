/** A provider of Interactions, by hand from wire/gemini-interactions.md §3, §4, §5. */
import { geminiInteractions } from '../../../src/formats/gemini-interactions/index.ts'
import { proof } from '../../gateway/dialogue.ts'
import {
  type Answer,
  codeOf,
  event,
  given,
  halves,
  type Json,
  list,
  providerOf,
  resultOf,
  textOf,
} from '../provider.ts'

const key = 'AIza-canary-6Hd3Pt8Rv5'
const head = { id: '', object: 'interaction', model: 'gemini-2.5-flash' }
const bodyOf = (status: string) => ({
  ...head,
  status,
  usage: {
    total_input_tokens: 11,
    total_cached_tokens: 0,
    total_output_tokens: 7,
    total_thought_tokens: 0,
    total_tool_use_tokens: 0,
    total_tokens: 18,
  },
  created: '2026-11-20T10:00:00Z',
  updated: '2026-11-20T10:00:00Z',
})
const told = (event_type: string, fields: Json) => event({ type: event_type, ...fields, event_type })

/** Each step whole, as it begins in a stream, and its deltas. */
const stepsOf = ({ thought, text, texts, calls }: Answer): { step: Json; empty: Json; deltas: Json[] }[] => [
  ...given(thought, (thinking) => ({
    step: { type: 'thought', summary: [{ type: 'text', text: thinking }], signature: proof },
    empty: { type: 'thought' },
    deltas: [
      ...halves(thinking).map((half) => ({ type: 'thought_summary', content: { type: 'text', text: half } })),
      { type: 'thought_signature', signature: proof },
    ],
  })),
  ...given(text, () => ({
    step: { type: 'model_output', content: [{ type: 'text', text }] },
    empty: { type: 'model_output' },
    deltas: texts.map((piece) => ({ type: 'text', text: piece })),
  })),
  ...calls.map(({ id, name, args, input }) => ({
    step: { type: 'function_call', id, name, arguments: input },
    empty: { type: 'function_call', id, name, arguments: {}, signature: '' },
    deltas: halves(args).map((half) => ({ type: 'arguments_delta', arguments: half })),
  })),
]

export const provider = providerOf({
  name: 'gemini-interactions',
  path: /^\/v1beta\/interactions$/,
  key,
  make: (model, options) => geminiInteractions(model, options),
  // Not Gemini 3, which refuses calls without signatures: most clients of other formats cannot send one back.
  model: 'gemini-2.5-flash',
  base: '/v1beta',
  words: { stop: 'completed', calls: 'requires_action', length: 'incomplete' },
  turnsOf: ({ input }) =>
    (typeof input === 'string' ? [{ type: 'user_input', content: input }] : list(input)).map((step) => ({
      ...(step.type === 'user_input' && { prompt: textOf(step.content) }),
      ...(step.type === 'function_result' && { results: [resultOf(step.call_id, textOf(step.result))] }),
      isProved: step.type === 'thought' && step.signature === proof,
    })),
  schemaIn: ({ response_format }) => response_format?.schema,
  whole: (answer) => ({ ...bodyOf(answer.reason), steps: stepsOf(answer).map(({ step }) => step) }),
  pieces: (answer) => [
    told('interaction.created', { interaction: { ...head, status: 'in_progress' } }),
    told('interaction.status_update', { interaction_id: head.id, status: 'in_progress' }),
    ...stepsOf(answer).flatMap(({ empty, deltas }, index) => [
      told('step.start', { index, step: empty }),
      ...deltas.map((delta) => told('step.delta', { index, delta })),
      told('step.stop', { index }),
    ]),
  ],
  end: ({ reason }) => [
    told('interaction.completed', { interaction: bodyOf(reason) }),
    'event: done\ndata: [DONE]\n\n',
  ],
  isLastPieceEmpty: true,
  error: (status, message) => ({ error: { code: codeOf(status), message } }),
  errorPiece: (message) => told('error', { error: { code: 'service_unavailable', message } }),
  holdsKey: ({ headers }) => headers['x-goog-api-key'] === key,
})
