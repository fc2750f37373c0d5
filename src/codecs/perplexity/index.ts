/**
 * Perplexity: OpenAI Chat Completions, and how it differs.
 *
 * @module
 */
import type { Model, ModelSettings } from '../../codec.ts'
import { type ChatDialect, chatModel, compatible, refusing } from '../openai-chat/index.ts'

/** How Perplexity differs. */
export const perplexityDialect: ChatDialect = {
  ...compatible,
  provider: 'perplexity',
  title: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  refuses: /* @__PURE__ */ refusing(['seed', 'stop', 'user'], ['web_search_options']),
  asksForUsage: false, // it comes unasked
  oneSystem: true,
  alternates: true,
  withoutTools: true,
  toolChoices: /* @__PURE__ */ new Set([]),
}

/**
 * A model that Perplexity serves.
 *
 * @example
 * ```ts
 * const model = perplexity('sonar', { apiKey })
 * ```
 */
export function perplexity(model: string, settings: ModelSettings = {}): Model {
  return chatModel(perplexityDialect, model, settings)
}
