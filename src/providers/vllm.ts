/**
 * vLLM: OpenAI Chat Completions, and how it differs.
 *
 * @module
 */
import type { Model, ModelSettings } from '../core/codec.ts'
import {
  byTemplate,
  type ChatDialect,
  chatModel,
  compatible,
  oneSystem,
  replayAs,
} from '../formats/openai-chat/index.ts'

/** How vLLM differs. */
export const vllmDialect: ChatDialect = {
  ...compatible,
  provider: 'vllm',
  title: 'vLLM',
  baseUrl: 'http://localhost:8000/v1',
  order: oneSystem, // the templates of some models refuse a second one
  askReasoning: byTemplate,
  replay: /* @__PURE__ */ replayAs('reasoning'),
}

/**
 * A model that vLLM serves.
 *
 * @example
 * ```ts
 * const model = vllm('Qwen/Qwen3-32B', { apiKey })
 * ```
 */
export function vllm(model: string, settings: ModelSettings = {}): Model {
  return chatModel(vllmDialect, model, settings)
}
