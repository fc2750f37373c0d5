/**
 * Cohere Chat v2: the words of this format in both directions, its fields, and what its hosts lack.
 *
 * @see https://docs.cohere.com/reference/chat (read 2026-11)
 * @see https://docs.cohere.com/reference/errors (read 2026-11)
 *
 * @module
 */
import type { Loss, StopReason } from '../../core/messages.ts'
import type { Target } from '../../core/target.ts'
import type { ErrorWords } from '../shared/api-error.ts'
import { fitting } from '../shared/fit-schema.ts'
import { withoutAllOf } from '../shared/fold-schema.ts'
import * as lackReasons from '../shared/reasons.ts'
import { leavingOut } from '../shared/refused-keywords.ts'

/** The name of the format, and of the provider. */
export const format = 'cohere'

/** The prefix of a generated id. A call without an id gets this prefix and a number. */
export const idPrefix = 'cohere_'

/** The rules for conversations. Thinking does not have a proof: the server accepts the thinking of any model. */
/**
 * Keywords that Cohere does not support.
 *
 * @see https://docs.cohere.com/docs/structured-outputs (read 2026-11)
 */
const isLimit = /^(?:(?:exclusiveM|m)(?:in|ax)imum|m(?:in|ax)(?:Length|Items))$/

/** What the server takes. */
export const target: Target = {
  format,
  provider: format,
  title: 'Cohere',
  unsupported: new Set([
    ...(['parallelToolCalls', 'user', 'formatDetails', 'names', 'cacheHints', 'refusals'] as const),
    ...(['serverTools', 'inputCitations', 'errorFlag'] as const),
  ]),
  fitTool: /* @__PURE__ */ fitting({
    ignoresDescription: true,
    each(given, ends, root) {
      const { oneOf, ...schema } = leavingOut((keyword) => isLimit.test(keyword))(
        withoutAllOf(given, root, ends),
        ends,
        root,
      )
      return oneOf === undefined ? schema : { ...schema, anyOf: oneOf }
    },
  }),
  callId: { pattern: /^[\w-]+$/, maxLength: 64 },
  toolName: { pattern: /^[A-Za-z]\w*$/, maxLength: 64 },
  resultMedia: new Set(),
  foreignReasoning: 'keep',
  lateInstructions: 'user', // otherwise the server answers with "system turn must be the first in the list"
  userFirst: false,
  userLast: true,
  refusesEmpty: true,
}

/** The models before `command-r7b`. They take no tool choice, no images and no `thinking`. */
const oldest = /^command(?:(?:-light)?(?:-nightly)?$|-r(?!7b))/

/** Returns whether a model takes `tool_choice`. It is true for an unknown name, as in the next two functions. */
export function takesChoice(model: string): boolean {
  return !oldest.test(model)
}

/** Returns whether a model takes images. Others refuse a request with one. */
export function takesImages(model: string): boolean {
  return !oldest.test(model) && !/^command-(?:r|a-(?:03-|reasoning))/.test(model)
}

/** Returns whether a model thinks and accepts the thinking of earlier turns. Others refuse a request with `thinking`. */
export function thinks(model: string): boolean {
  return !oldest.test(model) && !/^(?:c4ai-|command-(?:r|a-(?:03-|vision|translate)))/.test(model)
}

/** Stop reasons by `finish_reason`. A word that is not in the table reads as `other`. */
export const stopReasons: Readonly<Record<string, StopReason>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'tool_calls',
  ERROR: 'error',
  TIMEOUT: 'error',
  // Words of version 1 of the API, which some hosts still send.
  ERROR_LIMIT: 'length',
  ERROR_TOXIC: 'content_filter',
  USER_CANCEL: 'error',
}

/** The `finish_reason` for each stop reason. */
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

/** How errors are read. An error has only a sentence and a status. The statuses listed here have a special meaning in this API. */
export const errorWords: ErrorWords = {
  provider: format,
  kinds: {},
  final: new Set(),
  statuses: { 498: 'invalid_request', 499: 'server', 501: 'invalid_request' },
}

/** The reasons that are reported with losses. */
export const reasons = {
  fileId: 'Cohere takes images by URL or as data, and not by the id of a file',
  media: 'Cohere takes text and images here',
  detail: 'Cohere has no "original": "high" is sent',
  onlyText: 'only text may stand here',
  order: 'calls stand after what is said',
  namelessCall: 'a call must have a name',
  strictTools: 'Cohere holds all tools to their schemas or none of them',
  jsonInWords: 'Cohere has no JSON mode beside tools: the model is asked for JSON',
  schemaInWords: 'Cohere takes objects with a required field, and no recursion: the model is asked for JSON',
  wordJson: 'without a schema, the prompt must ask for JSON',
  choice: 'this model takes no tool choice',
  images: 'this model takes no images',
  penalties: 'Cohere takes one of the two penalties: the other is sent',
  thinking: 'this model does not think',
  lateFields: 'they came when the block had begun',
} as const

/** The block types, other than media, that this format does not support, with the reason and severity of the loss. */
export const leftOut: Readonly<Record<string, readonly [string, Loss['severity']]>> = {
  reasoning: [reasons.onlyText, 'minor'],
  citation: [lackReasons.citation, 'minor'],
  unknown: [lackReasons.foreignBlock, 'minor'],
  server_tool_call: [lackReasons.serverTool, 'minor'],
  server_tool_call_chunk: [lackReasons.chunk, 'minor'],
  server_tool_result: [lackReasons.serverTool, 'minor'],
  tool_call_chunk: [lackReasons.chunk, 'minor'],
}
