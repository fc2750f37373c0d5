/**
 * Groq: OpenAI Chat Completions, and how it differs.
 *
 * @module
 */
import type { Model, ModelSettings } from '../core/codec.ts'
import { type ChatDialect, chatModel, compatible, refusing, replayAs } from '../formats/openai-chat/index.ts'

/** How Groq differs. */
export const groqDialect: ChatDialect = {
  ...compatible,
  provider: 'groq',
  title: 'Groq',
  baseUrl: 'https://api.groq.com/openai/v1',
  refuses: /* @__PURE__ */ refusing(['top_k', 'logprobs', 'top_logprobs', 'logit_bias', 'n'], ['service_tier']),
  replay: /* @__PURE__ */ replayAs('reasoning'),
  endsWithoutReason: false,
  errors: {
    kinds: { tool_use_failed: 'server' }, // the model's own error: the next try may go well
    statuses: { 413: 'rate_limit' }, // more than the tokens of a minute
  },
}

/**
 * A model that Groq serves.
 *
 * @example
 * ```ts
 * const model = groq('openai/gpt-oss-120b', { apiKey })
 * ```
 */
export function groq(model: string, settings: ModelSettings = {}): Model {
  return chatModel(groqDialect, model, settings)
}
