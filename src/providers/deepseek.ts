/**
 * The models of DeepSeek, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import type { HttpModel } from '../core/question.ts'
import {
  byThinking,
  type ChatDialect,
  chatModel,
  compatible,
  refusing,
  replayAs,
  withoutStrict,
} from '../formats/openai-chat/index.ts'

/** The dialect of DeepSeek. */
export const deepseekDialect: ChatDialect = {
  ...compatible,
  provider: 'deepseek',
  title: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  refuses: /* @__PURE__ */ refusing(['top_k', 'seed', 'parallel_tool_calls', 'user']),
  textOnly: true,
  jsonSchema: false, // the prompt must contain the word "json", so the schema is also in the prompt
  strict: withoutStrict,
  unsupported: ['strictTools'],
  askReasoning: byThinking,
  efforts: ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'], // it accepts all values, but has only low, high and max
  reasons: (model, effort) => (effort === undefined ? /reasoner|v4/.test(model) : effort !== 'none'),
  whileReasoning: { refuses: /* @__PURE__ */ new Set(['temperature', 'top_p']), refusesForcedCalls: true },
  // R1 refuses reasoning in requests and does not call tools. Later models require reasoning from the first call on.
  replay: /* @__PURE__ */ replayAs('reasoning_content', 'from first calls'),
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
export function deepseek(model: string, settings: ModelSettings = {}): HttpModel {
  return chatModel(deepseekDialect, model, settings)
}
