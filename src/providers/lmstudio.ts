/**
 * LM Studio: OpenAI Chat Completions, and how it differs.
 *
 * @module
 */
import type { Model, ModelSettings } from '../core/codec.ts'
import { booleanStrict, type ChatDialect, chatModel, compatible } from '../formats/openai-chat/index.ts'

/** How LM Studio differs. */
export const lmstudioDialect: ChatDialect = {
  ...compatible,
  provider: 'lmstudio',
  title: 'LM Studio',
  baseUrl: 'http://localhost:1234/v1',
  strict: booleanStrict,
}

/**
 * A model that LM Studio serves.
 *
 * @example
 * ```ts
 * const model = lmstudio('qwen/qwen3-14b', { apiKey })
 * ```
 */
export function lmstudio(model: string, settings: ModelSettings = {}): Model {
  return chatModel(lmstudioDialect, model, settings)
}
