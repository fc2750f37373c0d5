/**
 * The models of Together, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import type { HttpModel } from '../core/question.ts'
import { type ChatDialect, chatModel, compatible } from '../formats/openai-chat/index.ts'

/** The dialect of Together. */
export const togetherDialect: ChatDialect = {
  ...compatible,
  provider: 'together',
  title: 'Together',
  baseUrl: 'https://api.together.xyz/v1',
  stopReasons: { eos: 'stop' },
}

/**
 * A model that Together serves.
 *
 * @example
 * ```ts
 * const model = together('meta-llama/Llama-3.3-70B-Instruct-Turbo', { apiKey })
 * ```
 */
export function together(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(togetherDialect, model, settings)
}
