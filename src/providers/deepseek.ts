/**
 * DeepSeek: OpenAI Chat Completions, and how it differs.
 *
 * @module
 */
import type { Model, ModelSettings } from '../core/codec.ts'
import {
  byThinking,
  type ChatDialect,
  chatModel,
  compatible,
  refusing,
  replayAs,
  withoutStrict,
} from '../formats/openai-chat/index.ts'

/** How DeepSeek differs. */
export const deepseekDialect: ChatDialect = {
  ...compatible,
  provider: 'deepseek',
  title: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  refuses: /* @__PURE__ */ refusing(['top_k', 'seed', 'parallel_tool_calls', 'user']),
  textOnly: true,
  jsonSchema: false, // the word "json" must stand in the prompt, and the schema goes with it
  strict: withoutStrict,
  lacks: ['strictTools'],
  askReasoning: byThinking,
  efforts: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'], // it takes all words, and thinks at low, high or max
  reasons: (model, effort) => (effort === undefined ? /reasoner|v4/.test(model) : effort !== 'none'),
  whileReasoning: { refuses: /* @__PURE__ */ new Set(['temperature', 'top_p']), refusesForcedCalls: true },
  // R1 refuses its reasoning, and calls no tools; its successors want it back from the first call on.
  replay: /* @__PURE__ */ replayAs('reasoning_content', true),
  stopReasons: { insufficient_system_resource: 'error' },
  endsWithoutReason: false,
}

/**
 * A model that DeepSeek serves.
 *
 * @example
 * ```ts
 * const model = deepseek('deepseek-chat', { apiKey })
 * ```
 */
export function deepseek(model: string, settings: ModelSettings = {}): Model {
  return chatModel(deepseekDialect, model, settings)
}
