/**
 * Gemini models at Google's compatible endpoint, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import type { GeminiModel, Known } from '../core/model-names.ts'
import type { HttpModel } from '../core/question.ts'
import { type ChatDialect, chatModel, compatible, refusing } from '../formats/openai-chat/index.ts'

/** The dialect of Google's compatible endpoint. */
export const geminiChatDialect: ChatDialect = {
  ...compatible,
  provider: 'gemini',
  title: 'Gemini (compatible)',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  refuses: /* @__PURE__ */ refusing(['seed', 'logit_bias', 'top_k']),
  efforts: ['none', 'low', 'medium', 'high'],
}

/**
 * A Gemini model at Google's compatible endpoint. `isoglot/gemini` uses Gemini's own format, which has more features.
 *
 * @example
 * ```ts
 * const model = geminiChat('gemini-3-pro', { apiKey })
 * ```
 */
export function geminiChat(model: Known<GeminiModel>, settings: ModelSettings = {}): HttpModel {
  return chatModel(geminiChatDialect, model, settings)
}
