/**
 * Lists of models, in the form that the clients of each format read.
 *
 * @see https://platform.openai.com/docs/api-reference/models/list (read 2026-11)
 * @see https://platform.claude.com/docs/en/api/models-list (read 2026-11)
 * @see https://ai.google.dev/api/models (read 2026-11)
 * @see https://docs.ollama.com/api/tags (read 2026-11)
 * @see https://docs.cohere.com/reference/list-models (read 2026-11)
 *
 * @module
 */
import { compact } from '../core/lookup.ts'
import type { JsonObject } from '../core/model.ts'
import { errorAnswer, unknownModel } from './errors.ts'
import { isPermitted, type ModelTable, type Target } from './models.ts'
import type { Permit, WireName } from './types.ts'
import type { Wire } from './wires.ts'

/** The list of models in one format. */
interface Listing {
  entry(target: Target): JsonObject
  list(entries: readonly JsonObject[]): JsonObject
}

/** The table has no dates. Formats that require one get 1970-01-01. */
const noDate = '1970-01-01T00:00:00Z'

const openai: Listing = {
  entry: ({ name }) => ({ id: name, object: 'model', created: 0, owned_by: 'gateway' }),
  list: (data) => ({ object: 'list', data: [...data] }),
}

const gemini: Listing = {
  entry: ({ name, maxOutputTokens }) => ({
    name: `models/${name}`,
    displayName: name,
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
    ...compact({ outputTokenLimit: maxOutputTokens }),
  }),
  list: (models) => ({ models: [...models] }),
}

const listings: Readonly<Record<WireName, Listing>> = {
  'openai-chat': openai,
  'openai-responses': openai,
  anthropic: {
    entry: ({ name }) => ({ type: 'model', id: name, display_name: name, created_at: noDate }),
    list: (data) => ({
      data: [...data],
      has_more: false,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
    }),
  },
  gemini,
  'gemini-interactions': gemini,
  cohere: {
    entry: ({ name }) => ({ name, endpoints: ['chat'] }),
    list: (models) => ({ models: [...models] }),
  },
  'bedrock-converse': openai, // in Bedrock's API the list is on another host
  ollama: {
    entry: ({ name }) => ({ name, model: name, modified_at: noDate, size: 0, digest: '', details: {} }),
    list: (models) => ({ models: [...models] }),
  },
}

/** The models that the permit allows, or one of them. */
export function answerModels(table: ModelTable, permit: Permit, wire: Wire, id?: string, basePath = ''): Response {
  const { entry, list } = listings[wire.name]
  if (id === undefined) {
    return Response.json(list(table.targets.filter((target) => isPermitted(target, permit)).map(entry)))
  }
  const [target] = table.find(id, permit)
  if (target === undefined) return errorAnswer(unknownModel(id, basePath + wire.list), wire)
  return Response.json(entry({ ...target, name: id }))
}
