/**
 * The models of llama.cpp, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import type { HttpModel } from '../core/question.ts'
import { byTemplate, type ChatDialect, chatModel, compatible, replayAs } from '../formats/openai-chat/index.ts'
import { llamaSchemas } from '../formats/shared/refused-keywords.ts'

/** The dialect of llama.cpp. */
export const llamacppDialect: ChatDialect = {
  ...compatible,
  provider: 'llamacpp',
  title: 'llama.cpp',
  baseUrl: 'http://localhost:8080/v1',
  askReasoning: byTemplate,
  schemas: llamaSchemas,
  replay: /* @__PURE__ */ replayAs('reasoning_content'),
  errors: { kinds: { exceed_context_size_error: 'context_length' } },
}

/**
 * A model that `llama-server` serves.
 *
 * @example
 * ```ts
 * const model = llamacpp('qwen3', { apiKey })
 * ```
 */
export function llamacpp(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(llamacppDialect, model, settings)
}
