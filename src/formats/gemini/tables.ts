/**
 * Gemini: the words of this format in both directions, its fields, and what its hosts lack.
 *
 * @see https://ai.google.dev/api/generate-content#FinishReason (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thinking (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures (read 2026-11)
 * @see https://ai.google.dev/gemini-api/docs/code-execution (read 2026-11)
 *
 * @module
 */

import { textOfArguments, unknownFieldsOf } from '../../core/content.ts'
import type { ApiErrorKind } from '../../core/errors.ts'
import { field, isObject, lookup, stringOr, unlessEmpty } from '../../core/json.ts'
import type {
  Json,
  JsonObject,
  Opaque,
  ProviderData,
  ReasoningEffort,
  ServerToolCall,
  ServerToolResult,
  StopReason,
} from '../../core/messages.ts'
import type { Target, ToolFitting } from '../../core/target.ts'
import { fitting } from '../shared/fit-schema.ts'
import { schemaRules } from '../shared/google.ts'
import { fromOpenApi, isUnchanged } from './schema.ts'
import type { WireThinkingConfig } from './wire.ts'

/** The differences between hosts of this format. */
export interface GeminiDialect {
  /** The provider. Proofs of one provider are not sent to another. */
  readonly provider: string
  /** Where developer messages go, because Gemini has no such role: into the turns of the user, or into the system text. */
  readonly developer: 'user' | 'system'
  /** Whether calls and results may have ids. Vertex refuses them. */
  readonly callIds: boolean
  /** `hoist` moves later system and developer messages into the system text. Default: they keep their place, as tagged text of the user. */
  readonly lateInstructions?: 'hoist'
}

/** The name of this format. */
export const format = 'gemini'

/** The Gemini Developer API. */
export const geminiDialect: GeminiDialect = { provider: 'gemini', developer: 'user', callIds: true }

/** The stop reason for each `finishReason`. A turn with calls also ends with `STOP`. Any other reason is read as `other`. */
export const stopReasons: Readonly<Record<string, StopReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  LANGUAGE: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
  IMAGE_SAFETY: 'content_filter',
  IMAGE_PROHIBITED_CONTENT: 'content_filter',
  IMAGE_RECITATION: 'content_filter',
  MODEL_ARMOR: 'content_filter',
  MALFORMED_FUNCTION_CALL: 'error', // the model wrote a call that cannot be parsed; `finishMessage` says why, and a second request may succeed
  UNEXPECTED_TOOL_CALL: 'error',
  TOO_MANY_TOOL_CALLS: 'error',
  MALFORMED_RESPONSE: 'error',
  CONTINUATION: 'pause', // the client sends the same request with the answer's `continuationToken` to continue
  OTHER: 'other',
}

/** The `finishReason` that a server sends for each stop reason. A reason that this format lacks becomes the nearest one. */
export const finishReasons: Readonly<Record<StopReason, string>> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
  refusal: 'SAFETY',
  pause: 'OTHER',
  other: 'OTHER',
  interrupted: 'OTHER',
  error: 'OTHER',
  aborted: 'OTHER',
  max_rounds: 'STOP',
}

/** The thinking level of each effort, for Gemini 3 and later. These models have no way to switch thinking off. */
export const thinkingLevels: Readonly<
  Record<ReasoningEffort, Exclude<WireThinkingConfig['thinkingLevel'], undefined>>
> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
}
/** The minimum and maximum thinking budget in tokens for each family of Gemini 2.5. */
export const budgetLimits: { readonly pro: readonly [number, number]; readonly flash: readonly [number, number] } = {
  pro: [128, 32768],
  flash: [0, 24576],
}

/** The status for each `outcome` of executed code. */
const outcomes: Readonly<Record<string, Exclude<ServerToolResult['status'], undefined>>> = {
  OUTCOME_OK: 'success',
  OUTCOME_FAILED: 'error',
  OUTCOME_DEADLINE_EXCEEDED: 'error',
}

/** The kind of error for each `error.status`. */
export const errorKinds: Readonly<Record<string, ApiErrorKind>> = {
  INVALID_ARGUMENT: 'invalid_request',
  FAILED_PRECONDITION: 'permission', // the region, or billing
  OUT_OF_RANGE: 'invalid_request',
  UNAUTHENTICATED: 'authentication',
  PERMISSION_DENIED: 'permission',
  NOT_FOUND: 'not_found',
  RESOURCE_EXHAUSTED: 'rate_limit',
  CANCELLED: 'server',
  INTERNAL: 'server',
  UNKNOWN: 'server',
  UNAVAILABLE: 'overloaded',
  DEADLINE_EXCEEDED: 'timeout',
}
/** The HTTP status that a server answers for each kind of error, and the matching `error.status`. */
export const errorStatuses: Readonly<Record<ApiErrorKind, readonly [code: number, status: string]>> = {
  invalid_request: [400, 'INVALID_ARGUMENT'],
  context_length: [400, 'INVALID_ARGUMENT'],
  authentication: [401, 'UNAUTHENTICATED'],
  permission: [403, 'PERMISSION_DENIED'],
  not_found: [404, 'NOT_FOUND'],
  rate_limit: [429, 'RESOURCE_EXHAUSTED'],
  server: [500, 'INTERNAL'],
  overloaded: [503, 'UNAVAILABLE'],
  timeout: [504, 'DEADLINE_EXCEEDED'],
}

/** The placeholder signature that Google documents for calls that another model made. It happens to be valid base64. */
export const unsignedCall = 'skip_thought_signature_validator'

/** The maximum number of stop sequences in a request. */
export const maxStopSequences = 5

/** The fields that isoglot has a field for. Every other field is kept under `providerData.gemini`. */
export const knownFields: Readonly<Record<'response' | 'candidate' | 'content', ReadonlySet<string>>> = {
  response: new Set(['candidates', 'usageMetadata', 'modelVersion', 'responseId']),
  candidate: new Set(['content', 'finishReason', 'index']),
  content: new Set(['role', 'parts']),
}

const fitForGoogle = /* @__PURE__ */ fitting(schemaRules)

/** A schema of the older field goes back as it came. */
const fitTool: ToolFitting = (tool, ...more) =>
  isUnchanged(unknownFieldsOf(tool, format).parameters, fromOpenApi, tool.parameters)
    ? tool
    : fitForGoogle(tool, ...more)

const unsupported: NonNullable<Target['unsupported']> = new Set([
  ...(['parallelToolCalls', 'user', 'formatDetails', 'strictTools', 'names', 'cacheHints', 'citations'] as const),
  ...(['refusals', 'titles', 'imageDetail', 'filenames', 'transcripts'] as const),
])

/** What a model takes at a server of this format. Without a name: what the newest takes. */
export function targetOf({ provider, lateInstructions }: GeminiDialect, model: string): Target {
  return {
    format,
    provider,
    title: 'Gemini',
    unsupported,
    states: ['continuationToken'],
    fitTool,
    callId: { pattern: /^[\x21-\x7e]+$/, maxLength: 256 },
    toolName: { pattern: /^[A-Za-z_][\w.:-]*$/, maxLength: 128 },
    resultMedia: new Set(model === '' || isGemini3(model) ? (['image', 'audio', 'video', 'file'] as const) : []),
    foreignReasoning: 'drop',
    lateInstructions: lateInstructions ?? 'user',
    userFirst: true,
    refusesEmpty: true,
  }
}

/** Whether a model is Gemini 3 or later. The aliases `…-latest` refer to such models since 2026. */
export function isGemini3(model: string): boolean {
  return generationOf(model) >= 3
}

/** Whether a model is Gemini 1 or 2. False for models with another name. */
export function isOlder(model: string): boolean {
  return generationOf(model) < 3
}

function generationOf(model: string): number {
  return /-latest$/i.test(model) ? 3 : Number(/gemini-(\d+)/i.exec(model)?.[1])
}

// ---- parts --------------------------------------------------------------------------------------

/** The fields that parts and blocks of all kinds have in common: a proof, and fields that isoglot has no field for. */
export interface Kept {
  readonly opaque?: Opaque
  readonly providerData?: ProviderData
}

/** Reads a block from the data field of a part; `undefined` if the data has the wrong form. `rest` has the fields that isoglot has no field for. */
export type Reader = (
  data: JsonObject,
  id: string | undefined,
) => { readonly type: string; readonly rest: JsonObject } | undefined

/** The field of an object, if it is a string. */
export function stringIn(value: Json | undefined, key: string): string | undefined {
  return stringOr(field(value, key), undefined)
}

/** Returns a value as JSON text; `undefined` if it is nested too deep. */
export function jsonText(value: Json): string | undefined {
  return textOfArguments({ value }) === undefined ? undefined : JSON.stringify(value)
}

// ---- hosted tools -------------------------------------------------------------------------------

/** The fields of a call and of a result. The name of the data field says which of them a block is. */
export type ServerBlock = Omit<ServerToolCall, 'type'> & Omit<ServerToolResult, 'type'>

/** How a part becomes a block, and a block a part. */
interface ServerPart {
  readonly read: Reader
  /** Writes the data field. `kept` has its fields that isoglot has no field for. */
  readonly write: (block: ServerBlock, kept: JsonObject) => object
}

/** Calls that Google ran itself and that came without an id get an id of this prefix and a number. It is not sent back. */
export const ranPrefix = 'gemini_mcp_'

function sentRanId(id: string | undefined): string | undefined {
  return id?.startsWith(ranPrefix) ? undefined : id
}

/** The parts, by their data field. */
export const serverParts: Readonly<Record<string, ServerPart>> = {
  // A call that Google ran itself, on a server of MCP. Without its result, it is a call for the client.
  functionCall: {
    read: () => undefined,
    write: ({ id, name, arguments: args, argumentsText }) => {
      return { id: sentRanId(id), name, args: argumentsText === '' ? unlessEmpty(args) : args }
    },
  },
  functionResponse: {
    read: ({ id: _, name, response, ...rest }, toolCallId) => {
      const status = field(response, 'error') === undefined ? 'success' : 'error'
      return { type: 'server_tool_result', toolCallId, name: stringOr(name, undefined), status, output: response, rest }
    },
    write: ({ toolCallId, name, output }) => ({ id: sentRanId(toolCallId), name, response: output }),
  },
  executableCode: {
    read: ({ id: _, ...code }, id) => {
      return { type: 'server_tool_call', id, name: 'code_execution', arguments: code, rest: {} }
    },
    write: ({ id, arguments: code }) => ({ ...code, id }),
  },
  codeExecutionResult: {
    read: ({ id: _, output, ...rest }, toolCallId) => {
      const status = lookup(outcomes, rest.outcome)
      return { type: 'server_tool_result', toolCallId, name: 'code_execution', status, output, rest }
    },
    write: ({ toolCallId, status, output }, { outcome }) => {
      const isSame = lookup(outcomes, outcome) === status
      return { id: toolCallId, outcome: isSame ? outcome : `OUTCOME_${status === 'error' ? 'FAILED' : 'OK'}`, output }
    },
  },
  toolCall: {
    read: ({ id: _, toolType, args, ...rest }, id) => {
      const given = args ?? {}
      if (!isObject(given)) return undefined
      return { type: 'server_tool_call', id, name: stringOr(toolType, ''), arguments: given, rest }
    },
    write: ({ id, name, arguments: args }) => ({ id, toolType: name, args }),
  },
  toolResponse: {
    read: ({ id: _, toolType, response, ...rest }, toolCallId) => {
      const name = stringOr(toolType, undefined)
      return { type: 'server_tool_result', toolCallId, name, output: response, rest }
    },
    write: ({ toolCallId, name, output }) => ({ id: toolCallId, toolType: name, response: output }),
  },
}
