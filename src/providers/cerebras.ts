/**
 * The models of Cerebras, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import type { HttpModel } from '../core/question.ts'
import {
  type ChatDialect,
  chatModel,
  compatible,
  refusing,
  replayAs,
  sameStrict,
} from '../formats/openai-chat/index.ts'

/** The dialect of Cerebras. */
export const cerebrasDialect: ChatDialect = {
  ...compatible,
  provider: 'cerebras',
  title: 'Cerebras',
  baseUrl: 'https://api.cerebras.ai/v1',
  refuses: /* @__PURE__ */ refusing(['top_k', 'frequency_penalty', 'presence_penalty', 'logit_bias']),
  textOnly: true,
  strict: sameStrict, // "All tools must have the same value for the 'strict' parameter."
  replay: /* @__PURE__ */ replayAs('reasoning'),
  errors: { emptyStatuses: { 400: 'context_length', 413: 'context_length' } },
}

/**
 * A model that Cerebras serves.
 *
 * @example
 * ```ts
 * const model = cerebras('zai-glm-4.7', { apiKey })
 * ```
 */
export function cerebras(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(cerebrasDialect, model, settings)
}
