/**
 * The models of LM Studio, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import type { HttpModel } from '../core/question.ts'
import { booleanStrict, type ChatDialect, chatModel, compatible } from '../formats/openai-chat/index.ts'
import { llamaSchemas } from '../formats/shared/refused-keywords.ts'

/** The dialect of LM Studio. */
export const lmstudioDialect: ChatDialect = {
  ...compatible,
  provider: 'lmstudio',
  title: 'LM Studio',
  baseUrl: 'http://localhost:1234/v1',
  schemas: llamaSchemas,
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
export function lmstudio(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(lmstudioDialect, model, settings)
}
