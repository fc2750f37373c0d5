/**
 * The models of xAI, in the format OpenAI Chat Completions.
 *
 * @module
 */
import type { Model, ModelSettings } from '../core/codec.ts'
import type { ReasoningEffort } from '../core/model.ts'
import { type ChatDialect, chatModel, compatible, refusing } from '../formats/openai-chat/index.ts'
import { xaiSchemas } from '../kit/refused-keywords.ts'

/** Returns the efforts of a model. grok-4 and grok-4.20 refuse every effort. For grok-4.5, reasoning cannot be switched off. */
function efforts(model: string): readonly ReasoningEffort[] {
  if (/^grok-4(?:-|$|\.20)/.test(model)) return []
  return /^grok-4\.5/.test(model) ? ['low', 'medium', 'high'] : ['none', 'low', 'medium', 'high']
}

/** The dialect of xAI. */
export const xaiDialect: ChatDialect = {
  ...compatible,
  provider: 'xai',
  title: 'xAI',
  baseUrl: 'https://api.x.ai/v1',
  refuses: /* @__PURE__ */ refusing(['top_k', 'logit_bias']),
  efforts,
  reasons: (model, effort) => /^grok-(?:3-mini|[4-9])/.test(model) && !/non-reasoning/.test(model) && effort !== 'none',
  whileReasoning: { refuses: /* @__PURE__ */ new Set(['frequency_penalty', 'presence_penalty', 'stop']) },
  countsReasoningApart: true,
  schemas: xaiSchemas,
}

/**
 * A model that xAI serves.
 *
 * @example
 * ```ts
 * const model = xai('grok-4.5', { apiKey })
 * ```
 */
export function xai(model: string, settings: ModelSettings = {}): Model {
  return chatModel(xaiDialect, model, settings)
}
