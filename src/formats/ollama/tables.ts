/**
 * Ollama: the words of this format in both directions, its fields, and what its hosts lack.
 *
 * @see https://github.com/ollama/ollama/blob/main/api/types.go
 * @see https://github.com/ollama/ollama/blob/main/server/routes.go
 *
 * @module
 */
import { compact, field, lookup, textOr } from '../../core/json.ts'
import type { Loss, ReasoningEffort, RequestOptions, StopReason } from '../../core/messages.ts'
import type { Target } from '../../core/target.ts'
import { fitting, type SchemaRules } from '../shared/fit-schema.ts'
import * as lackReasons from '../shared/reasons.ts'

/** The name of the format, and of the provider. */
export const format = 'ollama'

/** The prefix of a generated id. A call without an id gets this prefix and a number. */
export const idPrefix = 'ollama_'

/** Returns whether isoglot generated this id for a call of this format. Generated ids are never sent to the server. */
export function isMadeId(id: string): boolean {
  return id.startsWith(idPrefix) && /^\d+$/.test(id.slice(idPrefix.length))
}

/**
 * The server reads a schema into a type of its own, and forgets the keywords that this type does not have.
 *
 * @see https://github.com/ollama/ollama/blob/main/api/types.go (read 2026-11)
 */
const schemas: SchemaRules = {
  references: 'inline',
  ignoresDescription: true,
  each: ({ const: value, oneOf, ...schema }) => ({
    ...schema,
    ...compact({ enum: value === undefined ? schema.enum : [value], anyOf: oneOf ?? schema.anyOf }),
  }),
}

/**
 * What a server takes. Names and ids may be any text, since templates only print them. A result is matched to its call by order and name, so
 * ids are optional.
 */
export const target: Target = {
  format,
  provider: format,
  title: 'Ollama',
  unsupported: new Set([
    ...(['parallelToolCalls', 'user', 'formatDetails', 'strictTools', 'names', 'cacheHints', 'citations'] as const),
    ...(['refusals', 'titles', 'imageDetail', 'filenames', 'serverTools', 'errorFlag'] as const),
  ]),
  fitTool: /* @__PURE__ */ fitting(schemas),
  callId: { pattern: /^.+$/s, maxLength: 256 },
  toolName: { pattern: /^.+$/s, maxLength: 256 },
  resultMedia: new Set(), // only a few templates accept images in results; all accept them in a user's message
  foreignReasoning: 'keep',
  lateInstructions: 'keep',
  userFirst: false,
  refusesEmpty: false,
}

/**
 * Stop reasons by `done_reason`. Any other word reads as `other`, such as `load`: the model was only loaded. If the answer has calls, `stop`
 * becomes `tool_calls`.
 */
const stopReasons: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  '': 'stop', // old servers send `done` without a reason
  length: 'length',
}

export function readStopReason(word: string): StopReason {
  return lookup(stopReasons, word) ?? 'other'
}

/** Returns the `done_reason` for a stop reason. The format has only two words: `length`, and `stop` for all others. */
export function doneReason(reason: StopReason): 'stop' | 'length' {
  return reason === 'length' ? 'length' : 'stop'
}

/** The values of `think` that name an effort. `true` turns thinking on without an effort. */
const efforts: Readonly<Record<string, ReasoningEffort>> = { low: 'low', medium: 'medium', high: 'high', max: 'max' }

/** Reads `think`. Returns `undefined` for an unknown value. */
export function readThink(think: unknown): RequestOptions['reasoning'] {
  if (think === true) return {}
  const effort = think === false ? 'none' : lookup(efforts, think)
  return effort === undefined ? undefined : { effort }
}

/** The first characters of the base64 of each image type. Ollama's images do not have a media type. */
const imageTypes: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['Qk', 'image/bmp'],
]

/** Returns the media type of an image by its first bytes, or `undefined` if they are unknown. */
export function sniffImage(base64: string): string | undefined {
  return imageTypes.find(([head]) => base64.startsWith(head))?.[1]
}

/** The fields of an answer that have token counts, or durations in nanoseconds. */
export const figureFields: readonly string[] = [
  'prompt_eval_count',
  'eval_count',
  'total_duration',
  'load_duration',
  'prompt_eval_duration',
  'eval_duration',
]

/** The fields of an answer or of a line that isoglot reads. All others are kept in `providerData`. */
export const answerFields: ReadonlySet<string> = new Set([
  'model',
  'created_at',
  'message',
  'done',
  'done_reason',
  'logprobs',
  ...figureFields,
])

/** The reasons that are reported with losses. */
export const reasons = {
  toolChoice: 'Ollama has no tool_choice: a call cannot be demanded',
  remoteImage: 'Ollama takes images only as base64: fetch it and send its data',
  media: 'Ollama takes only text and images',
  cutCall: 'the answer was cut before the call was whole',
} as const

/** The block types that this format does not support, with the reason and severity of the loss. */
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

/** Whether a line is the last one of an answer. */
export function isLast(line: unknown): boolean {
  const done = field(line, 'done')
  return done === true || done === 'true' || (done === undefined && textOr(field(line, 'done_reason'), '') !== '')
}
