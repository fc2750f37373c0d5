/**
 * Cohere Chat v2: its words, and ours for them.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 * @see https://docs.cohere.com/reference/errors (read 2026-11)
 *
 * @module
 */
import type { Rules } from '../../core/codec.ts'
import type { Loss, StopReason } from '../../core/model.ts'
import type { ErrorWords } from '../../kit/api-error.ts'
import type { Wire } from '../../kit/lacks.ts'
import * as lackReasons from '../../kit/reasons.ts'

/** The name of the format, and of the provider. */
export const format = 'cohere'

/** Calls that come without an id get this and a number. */
export const idPrefix = 'cohere_'

/** Thinking has no proof: the server takes that of any model. */
export const rules: Rules = {
  format,
  provider: format,
  callId: { pattern: /^[\w-]+$/, maxLength: 64 },
  toolName: { pattern: /^[A-Za-z][\w-]*$/, maxLength: 64 },
  resultMedia: new Set(['plain_text']),
  foreignReasoning: 'keep',
  lateInstructions: 'user', // one of its errors is "system turn must be the first in the list"
  userFirst: false,
  refusesEmpty: true,
  pairs: 'id',
}

/** Features that the format lacks. */
export const wire: Wire = {
  format,
  provider: format,
  keepsReasoning: true,
  lacks: new Set([
    ...(['parallelToolCalls', 'user', 'formatDetails', 'names', 'cacheHints', 'refusals'] as const),
    ...(['serverTools', 'inputCitations', 'errorFlag'] as const),
  ]),
}

/** Models that do not think; they refuse to be asked for it. */
const thoughtless =
  /^(?:c4ai-|command(?:-light|-nightly)?$|command-(?:light-nightly|r)|command-a-(?:03-|vision|translate))/

/** Whether a model thinks, and takes thoughts. A name that we do not know is taken for one that does. */
export function thinks(model: string): boolean {
  return !thoughtless.test(model)
}

/** Why the model stopped. A word not in it reads as `other`. */
export const stopReasons: Readonly<Record<string, StopReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR: 'error',
  TIMEOUT: 'error',
  // Of version 1, whose words some hosts still have.
  ERROR_LIMIT: 'length',
  ERROR_TOXIC: 'content_filter',
  USER_CANCEL: 'error',
}

/** Ours to its. */
export const finishReasons: Readonly<Record<StopReason, string>> = {
  stop: 'COMPLETE',
  length: 'MAX_TOKENS',
  tool_calls: 'TOOL_CALL',
  content_filter: 'COMPLETE',
  refusal: 'COMPLETE',
  pause: 'COMPLETE',
  other: 'COMPLETE',
  max_rounds: 'TOOL_CALL',
  interrupted: 'ERROR',
  error: 'ERROR',
  aborted: 'ERROR',
}

/** Errors are a sentence and a status; two of the statuses are this API's own. */
export const errorWords: ErrorWords = {
  provider: format,
  kinds: {},
  final: new Set(),
  statuses: { 498: 'invalid_request', 499: 'server', 501: 'invalid_request' },
}

/** Reasons for losses. */
export const reasons = {
  fileId: 'Cohere takes images by URL or as data, and not by the id of a file',
  media: 'Cohere takes text and images here',
  detail: 'Cohere has no "original": "high" is sent',
  onlyText: 'only text may stand here',
  order: 'calls stand after what is said',
  invalidCall: 'its arguments are not an object: an empty one is sent',
  namelessCall: 'a call must have a name',
  strictTools: 'Cohere holds all tools to their schemas or none of them',
  jsonInWords: 'Cohere has no JSON mode beside tools: the model is asked for JSON',
  thinking: 'this model does not think',
  lateFields: 'they came when the block had begun',
} as const

/** Blocks that the wire has no place for, and that are not media. */
export const leftOut: Readonly<Record<string, readonly [string, Loss['severity']]>> = {
  reasoning: [reasons.onlyText, 'minor'],
  citation: [lackReasons.citation, 'minor'],
  unknown: [lackReasons.foreignBlock, 'minor'],
  server_tool_call: [lackReasons.serverTool, 'minor'],
  server_tool_call_chunk: [lackReasons.chunk, 'minor'],
  server_tool_result: [lackReasons.serverTool, 'minor'],
  tool_call_chunk: [lackReasons.chunk, 'minor'],
}
