/**
 * The models of xAI, in the format OpenAI Chat Completions.
 *
 * @see https://docs.x.ai/docs/guides/live-search (read 2026-11)
 * @module
 */
import type { ModelSettings } from '../core/codec.ts'
import { arrayOf, textOr, unlessEmpty } from '../core/json.ts'
import type { CitationBlock, JsonObject, ReasoningEffort } from '../core/messages.ts'
import type { Known, XaiModel } from '../core/model-names.ts'
import type { HttpModel } from '../core/question.ts'
import { type ChatDialect, chatModel, compatible, refusing } from '../formats/openai-chat/index.ts'
import { xaiSchemas } from '../formats/shared/refused-keywords.ts'

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
  sourcesIn,
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
export function xai(model: Known<XaiModel>, settings: ModelSettings = {}): HttpModel {
  return chatModel(xaiDialect, model, settings)
}

/** Reads the sources of a search. */
function sourcesIn({ citations }: JsonObject): readonly CitationBlock[] | undefined {
  const urls = arrayOf(citations).flatMap((one) => textOr(one, undefined) ?? [])
  return unlessEmpty(urls.map((url) => ({ type: 'citation', url, title: url }))) // other formats require a title
}
