/**
 * The models of OpenRouter, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import type { HttpModel } from '../core/question.ts'
import {
  byReasoning,
  type ChatDialect,
  chatModel,
  compatible,
  refusing,
  replayDetails,
} from '../formats/openai-chat/index.ts'

/** The dialect of OpenRouter. */
export const openrouterDialect: ChatDialect = {
  ...compatible,
  provider: 'openrouter',
  title: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api/v1',
  refuses: /* @__PURE__ */ refusing(
    [],
    ['metadata', 'modalities', 'audio', 'prediction', 'service_tier', 'verbosity', 'web_search_options'],
  ),
  cacheField: 'cache_control',
  mediaUrls: /* @__PURE__ */ new Set(['file', 'video']),
  askReasoning: byReasoning,
  replay: replayDetails,
}

/**
 * A model that OpenRouter serves.
 *
 * @example
 * ```ts
 * const model = openrouter('anthropic/claude-sonnet-5', { apiKey })
 * ```
 */
export function openrouter(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(openrouterDialect, model, settings)
}
