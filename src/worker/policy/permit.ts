/**
 * Checks the models and fields that a client asks for. The body that is passed on is built only from the fields that these schemas allow; a
 * field they do not name is refused by its name, since dropping it in silence would change what was asked.
 *
 * Left out on purpose: whatever costs money by another meter (web search, code, audio, `service_tier`), keeps data (`store`), speaks for
 * another user (`user`), or chooses a destination (`base_url` and its cousins).
 *
 * @module
 */

import * as v from 'valibot'
import type { JsonObject } from '../../core/model.ts'
import type { CheckedBody, WireName } from '../../gateway/types.ts'
import { refuse } from '../refusal.ts'
import { anthropicCount, anthropicRequest } from './anthropic.ts'
import { bedrockRequest } from './bedrock-converse.ts'
import { chatRequest } from './chat.ts'
import { cohereRequest } from './cohere.ts'
import { geminiCount, geminiRequest } from './gemini.ts'
import { interactionsRequest } from './gemini-interactions.ts'
import { ollamaRequest } from './ollama.ts'
import { responsesRequest } from './responses.ts'

const requests: Readonly<Record<WireName, v.GenericSchema>> = {
  'openai-chat': chatRequest,
  'openai-responses': responsesRequest,
  anthropic: anthropicRequest,
  gemini: geminiRequest,
  'gemini-interactions': interactionsRequest,
  ollama: ollamaRequest,
  cohere: cohereRequest,
  'bedrock-converse': bedrockRequest,
}

/** The schemas of requests to count. */
const counts: Partial<Readonly<Record<WireName, v.GenericSchema>>> = {
  anthropic: anthropicCount,
  gemini: geminiCount,
}

/** The body as it may go on. @throws {ApiError} `invalid_request`, with the name of the field. */
export function permit({ wire, kind, body }: Pick<CheckedBody, 'wire' | 'kind' | 'body'>, user: string): JsonObject {
  const schema = (kind === 'count' ? counts : requests)[wire]
  if (schema === undefined) throw refuse('invalid_request')
  const permitted = read(schema, body) as JsonObject
  return kind === 'count' ? permitted : { ...permitted, ...ourFields[wire]?.(permitted, user) }
}

/** Fields that are ours to say. */
const ourFields: Partial<Readonly<Record<WireName, (body: JsonObject, user: string) => JsonObject>>> = {
  'openai-responses': () => ({ store: false }),
  'gemini-interactions': () => ({ store: false }),
  anthropic: ({ metadata }, user): JsonObject => (metadata === undefined ? {} : { metadata: { user_id: user } }),
}

/** Returns the fields that the schema allows. @throws {ApiError} `invalid_request`, with the name of the field. */
export function read<Out>(schema: v.GenericSchema<unknown, Out>, body: unknown): Out {
  const result = v.safeParse(schema, body, { abortEarly: true })
  if (result.success) return result.output
  throw refuse('invalid_request', describe(result.issues[0]))
}

/** Names the field and, of the finding, only whether it was known: the value stays unsaid. */
function describe(issue: v.BaseIssue<unknown>): string {
  const deepest = deepestOf(issue)
  const path = (v.getDotPath(deepest) ?? 'body').slice(0, 100)
  if (deepest.expected === 'never') return `"${path}" is not an allowed field`
  return deepest.received === 'undefined' ? `"${path}" is missing` : `"${path}" has a value that is not allowed`
}

/** In a union the reason lies one level down, with the member whose tag fits: the one that got furthest. */
function deepestOf(issue: v.BaseIssue<unknown>): v.BaseIssue<unknown> {
  const inner = issue.issues
    ?.filter((sub) => (sub.path?.length ?? 0) > 0)
    .map((sub) => ({ ...sub, path: [...(issue.path ?? []), ...(sub.path ?? [])] }))
  const best = inner?.sort((a, b) => b.path.length - a.path.length)[0]
  return best ? deepestOf(best as v.BaseIssue<unknown>) : issue
}
