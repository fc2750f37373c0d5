/**
 * Ollama: its words, and ours for them.
 *
 * @see https://github.com/ollama/ollama/blob/main/api/types.go
 * @see https://github.com/ollama/ollama/blob/main/server/routes.go
 *
 * @module
 */
import type { Rules } from '../../core/codec.ts'
import { lookup } from '../../core/lookup.ts'
import type { Loss, ReasoningEffort, RequestOptions, StopReason } from '../../core/model.ts'
import type { Wire } from '../../kit/lacks.ts'
import * as lackReasons from '../../kit/reasons.ts'
import type { WireThink } from './wire.ts'

/** The name of the format, and of the provider. */
export const format = 'ollama'

/** Calls that come without an id get this and a number. */
export const idPrefix = 'ollama_'

/** Whether an id is one that we made for a call of this wire: it never goes back. */
export function isMadeId(id: string): boolean {
  return id.startsWith(idPrefix) && /^\d+$/.test(id.slice(idPrefix.length))
}

/** Names and ids are free: templates write them out as text. Results belong to calls by order and name; ids are extra. */
export const rules: Rules = {
  format,
  provider: format,
  callId: { pattern: /^.+$/s, maxLength: 256 },
  toolName: { pattern: /^.+$/s, maxLength: 256 },
  resultMedia: new Set(), // a few templates take images there; the user's message always may have them
  foreignReasoning: 'keep',
  lateInstructions: 'keep',
  userFirst: false,
  refusesEmpty: false,
  pairs: 'name',
}

/** Features that the format lacks. */
export const wire: Wire = {
  format,
  provider: format,
  keepsReasoning: true,
  lacks: new Set([
    ...([
      'parallelToolCalls',
      'user',
      'formatDetails',
      'strictTools',
      'names',
      'cacheHints',
      'citations',
      'refusals',
    ] as const),
    ...(['titles', 'imageDetail', 'filenames', 'serverTools', 'errorFlag'] as const),
  ]),
}

/** Why the model stopped; calls make `tool_calls` of `stop`. A word not in it reads as `other`. */
const stopReasons: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  '': 'stop', // old servers say no more than `done`
  length: 'length',
  load: 'other', // no messages were sent: the model was only loaded
  unload: 'other',
}

export function readStopReason(word: string): StopReason {
  return lookup(stopReasons, word) ?? 'other'
}

/** The format has two stop reasons of its own; every other normal end is `stop`. */
export function doneReason(reason: StopReason): 'stop' | 'length' {
  return reason === 'length' ? 'length' : 'stop'
}

/** Values of `think` that name an effort; `true` turns it on without one. */
const efforts: Readonly<Record<string, ReasoningEffort>> = { low: 'low', medium: 'medium', high: 'high', max: 'max' }

/** Reads `think`; `undefined` for words we do not know. */
export function readThink(think: unknown): RequestOptions['reasoning'] {
  if (think === true) return {}
  const effort = think === false ? 'none' : lookup(efforts, think)
  return effort === undefined ? undefined : { effort }
}

/** The levels are four, on a few models only; the others take each as `true`. */
export const thinkOfEffort: Readonly<Record<ReasoningEffort, WireThink>> = {
  none: false,
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
  max: 'max',
}

/** Images come without a type: how the base64 of each begins. */
const imageTypes: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['Qk', 'image/bmp'],
]

/** The type of an image, by its first bytes; `undefined` if they are unknown. */
export function sniffImage(base64: string): string | undefined {
  return imageTypes.find(([head]) => base64.startsWith(head))?.[1]
}

/** The figures of an answer. */
export const figureFields: readonly string[] = [
  'prompt_eval_count',
  'eval_count',
  'total_duration',
  'load_duration',
  'prompt_eval_duration',
  'eval_duration',
]

/** Fields of an answer, or of a line, that we read. */
export const answerFields: ReadonlySet<string> = new Set([
  'model',
  'created_at',
  'message',
  'done',
  'done_reason',
  'logprobs',
  ...figureFields,
])

/** Reasons for losses. */
export const reasons = {
  toolChoice: 'Ollama has no tool_choice: a call cannot be demanded',
  remoteImage: 'Ollama takes images only as base64: fetch it and send its data',
  media: 'Ollama takes only text and images',
  invalidCall: 'its arguments are not an object: an empty one is sent',
  cutCall: 'the answer was cut before the call was whole',
  stopReason: 'Ollama has no word for it: "stop" is sent',
} as const

/** Blocks that the wire has no place for. */
export const leftOut: Readonly<Record<string, readonly [string, Loss['severity']]>> = {
  audio: [reasons.media, 'major'],
  video: [reasons.media, 'major'],
  file: [reasons.media, 'major'],
  citation: [lackReasons.citation, 'minor'],
  server_tool_call: [lackReasons.serverTool, 'minor'],
  server_tool_call_chunk: [lackReasons.chunk, 'minor'],
  server_tool_result: [lackReasons.serverTool, 'minor'],
  tool_call_chunk: [lackReasons.chunk, 'minor'],
}
