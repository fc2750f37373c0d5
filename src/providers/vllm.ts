/**
 * The models of vLLM, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import type { HttpModel } from '../core/question.ts'
import {
  byEffort,
  byTemplate,
  type ChatDialect,
  chatModel,
  compatible,
  oneSystem,
  replayAs,
} from '../formats/openai-chat/index.ts'

/** The dialect of vLLM. */
export const vllmDialect: ChatDialect = {
  ...compatible,
  provider: 'vllm',
  title: 'vLLM',
  baseUrl: 'http://localhost:8000/v1',
  order: oneSystem, // the chat templates of some models refuse a second system message
  askReasoning: (reasoning, to) => (/gpt-oss/.test(to.model) ? byEffort : byTemplate)(reasoning, to),
  efforts: ['low', 'medium', 'high'], // of gpt-oss
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
export function vllm(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(vllmDialect, model, settings)
}
