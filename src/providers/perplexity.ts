/**
 * Perplexity: OpenAI Chat Completions, and how it differs.
 *
 * @module
 */
import type { Model, ModelSettings } from '../core/codec.ts'
import {
  alternating,
  type ChatDialect,
  chatModel,
  choosing,
  compatible,
  refusing,
  spellCalls,
} from '../formats/openai-chat/index.ts'

/** How Perplexity differs. */
export const perplexityDialect: ChatDialect = {
  ...compatible,
  provider: 'perplexity',
  title: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  refuses: /* @__PURE__ */ refusing(['seed', 'stop', 'user'], ['web_search_options']),
  asksForUsage: false, // it comes unasked
  order: alternating,
  withoutTools: spellCalls,
  chooseTools: /* @__PURE__ */ choosing([]),
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
