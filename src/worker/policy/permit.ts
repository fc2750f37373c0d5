/**
 * Checks the models and fields that a client asks for. The body that is passed on is built only from the fields that these schemas allow; a
 * body with any other field is refused, because dropping the field silently would change the request.
 *
 * Left out on purpose: fields that are billed separately (web search, code, audio, `service_tier`), that store data (`store`), that name
 * another user (`user`), or that choose a destination (such as `base_url`).
 *
 * @module
 */

import * as v from 'valibot'
import { isObject } from '../../core/json.ts'
import type { JsonObject } from '../../core/model.ts'
import type { CheckedBody, WireName } from '../../gateway/types.ts'
import { refuse } from '../refusal.ts'
import { anthropicCount, anthropicRequest } from './anthropic.ts'
import { bedrockRequest } from './bedrock-converse.ts'
import { chatRequest } from './chat.ts'
import { cohereRequest } from './cohere.ts'
import { geminiCount, geminiRequest } from './gemini.ts'
import { interactionsRequest } from './gemini-interactions.ts'
import { isoglotRequest } from './isoglot.ts'
import { ollamaRequest } from './ollama.ts'
import { responsesRequest } from './responses.ts'

/** The allowed requests of one format. */
interface Policy {
  readonly request: v.GenericSchema
  /** Requests for counts. Default: none are allowed. */
  readonly count?: v.GenericSchema
  /** Fields that the Worker sets. */
  readonly ourFields?: (permitted: JsonObject, user: string) => JsonObject
}

const policies: Readonly<Record<WireName, Policy>> = {
  'openai-chat': { request: chatRequest },
  'openai-responses': { request: responsesRequest, ourFields: () => ({ store: false }) },
  anthropic: {
    request: anthropicRequest,
    count: anthropicCount,
    ourFields: ({ metadata }, user): JsonObject => (metadata === undefined ? {} : { metadata: { user_id: user } }),
  },
  gemini: { request: geminiRequest, count: geminiCount },
  'gemini-interactions': { request: interactionsRequest, ourFields: () => ({ store: false }) },
  ollama: { request: ollamaRequest },
  cohere: { request: cohereRequest },
  'bedrock-converse': { request: bedrockRequest },
  isoglot: {
    request: isoglotRequest,
    ourFields: ({ options }, user): JsonObject =>
      isObject(options) && options.user !== undefined ? { options: { ...options, user } } : {},
  },
}

/** The body that may be sent to the provider. @throws {ApiError} `invalid_request`, with the name of the field. */
export function permit({ wire, kind, body }: Pick<CheckedBody, 'wire' | 'kind' | 'body'>, user: string): JsonObject {
  const { request, count, ourFields } = policies[wire]
  const schema = kind === 'count' ? count : request
  if (schema === undefined) throw refuse('invalid_request')
  const permitted = read(schema, body) as JsonObject
  return kind === 'count' ? permitted : { ...permitted, ...ourFields?.(permitted, user) }
}

/** Returns the fields that the schema allows. @throws {ApiError} `invalid_request`, with the name of the field. */
export function read<Out>(schema: v.GenericSchema<unknown, Out>, body: unknown): Out {
  const result = v.safeParse(schema, body, { abortEarly: true })
  if (result.success) return result.output
  throw refuse('invalid_request', describe(result.issues[0]))
}

/** Says where the problem is, but never the value. */
function describe(issue: v.BaseIssue<unknown>): string {
  const deepest = deepestOf(issue)
  const path = (v.getDotPath(deepest) ?? 'body').slice(0, 100)
  if (deepest.expected === 'never') return `"${path}" is not an allowed field`
  return deepest.received === 'undefined' ? `"${path}" is missing` : `"${path}" has a value that is not allowed`
}

/** In a union, the reason is one level down, in the member that matched the value best: the issue with the longest path. */
function deepestOf(issue: v.BaseIssue<unknown>): v.BaseIssue<unknown> {
  const inner = issue.issues
    ?.filter((sub) => (sub.path?.length ?? 0) > 0)
    .map((sub) => ({ ...sub, path: [...(issue.path ?? []), ...(sub.path ?? [])] }))
  const best = inner?.sort((a, b) => b.path.length - a.path.length)[0]
  return best ? deepestOf(best as v.BaseIssue<unknown>) : issue
}
